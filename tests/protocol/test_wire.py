"""The wire on both interpreters: plain unittest, run by pytest on CPython and by test_both.py on MicroPython."""

import unittest

import naqala_protocol
from naqala_protocol import (
    FROM_CONTROLLER,
    FROM_HOST,
    LONGEST_LINE,
    MESSAGES,
    MOST_LOOKS,
    MOST_TAGS,
    Alive,
    Config,
    Decoder,
    Fault,
    Focus,
    Hello,
    Light,
    Log,
    Looked,
    ProtocolError,
    Resync,
    Seen,
    Stats,
    checksum,
    encode,
    parse,
    words,
)

# Every message once, with its line to the byte. The checksums come from test_both.py's independent CRC, which
# shares no code with ours; the first `seen` is the one of `protocol/README.md`.
GOLDEN = (
    (
        Hello(1, "oak", 30, 40, 7, "0.1.0", ("lights", "buzzer")),
        b"hello 1 oak 30 40 7 0.1.0 lights,buzzer *3758\n",
    ),
    (Seen(41, 17, ("04a1b2c3", "0499ffee")), b"seen 41 17 04a1b2c3,0499ffee *921c\n"),
    (Seen(42, 0, ()), b"seen 42 0 - *17e6\n"),
    (Fault(43, 29, "busy"), b"fault 43 29 busy *1935\n"),
    (
        Alive(43, 61000, 340, 98304, (("reads", 90), ("misses", 2))),
        b"alive 43 61000 340 98304 reads=90,misses=2 *087e\n",
    ),
    (Stats(17, 5120, 3, 11, 240), b"stats 17 5120 3 11 240 *4f8f\n"),
    (Looked(43, (5, 5, 17)), b"looked 43 5,5,17 *b6f5\n"),
    (Looked(43, ()), b"looked 43 - *b3fc\n"),
    (Log("info", "pn5180 4.0 on reader 3 * all well"), b"log info pn5180 4.0 on reader 3 * all well *4cfa\n"),
    (Resync(41), b"resync 41 *a8cd\n"),
    (Resync(None), b"resync all *6dfa\n"),
    (Focus((3, 4, 9)), b"focus 3,4,9 *8ca2\n"),
    (Focus(()), b"focus - *0bfa\n"),
    (Light(((17, "wrong"), (18, "open"))), b"light 17=wrong,18=open *d52a\n"),
    (Light(()), b"light - *136c\n"),
    (Config("name", "the oak table"), b"config name the oak table *6681\n"),
    (naqala_protocol.Test(None), b"test all *f2cf\n"),
    (naqala_protocol.Test(5), b"test 5 *8316\n"),
    (naqala_protocol.Tune((17,)), b"tune 17 *02f6\n"),
    (naqala_protocol.Tuned(17, 612, 640), b"tuned 17 612 640 *fc86\n"),
)

NOISE = (
    b"MPY: soft reboot\r\n",
    b">>> \n",
    b"\x00\xff\xfe*1234\n",
    b" *ffff\n",
    b"x" * 3000 + b"\n",
    b"\n\r\n",
)


def sender_of(message):
    for known in MESSAGES:
        if isinstance(message, known.type):
            return FROM_HOST if known.sender == FROM_HOST else FROM_CONTROLLER
    raise AssertionError(message)


class Golden(unittest.TestCase):
    def test_checksum_of_the_standard_check_string(self):
        self.assertEqual(checksum(b"123456789"), 0x6F91)

    def test_every_message_has_a_golden_line(self):
        shown = [type(message) for message, _line in GOLDEN]
        for message in MESSAGES:
            self.assertIn(message.type, shown)

    def test_golden_lines(self):
        for message, line in GOLDEN:
            self.assertEqual(encode(message), line)
            self.assertEqual(parse(words(message)), message)


class ThreeWays(unittest.TestCase):
    """Each message whole, byte by byte, and amid noise."""

    def test_whole(self):
        for message, line in GOLDEN:
            decoder = Decoder(sender_of(message))
            self.assertEqual(decoder.feed(line), [message])
            self.assertEqual(decoder.lines, 1)

    def test_byte_by_byte(self):
        for message, line in GOLDEN:
            decoder = Decoder(sender_of(message))
            found = []
            for i in range(len(line)):
                found += decoder.feed(line[i : i + 1])
            self.assertEqual(found, [message])

    def test_amid_noise(self):
        for message, line in GOLDEN:
            decoder = Decoder(sender_of(message))
            stream = b"".join([noise + line for noise in NOISE])
            self.assertEqual(decoder.feed(stream), [message] * len(NOISE))
            # the last piece of NOISE is two empty lines, which are nothing at all
            self.assertEqual(decoder.noise + decoder.bad, len(NOISE) - 1)


class Refused(unittest.TestCase):
    def counted(self, data, sender=FROM_CONTROLLER):
        decoder = Decoder(sender)
        self.assertEqual(decoder.feed(data), [])
        return (decoder.lines, decoder.noise, decoder.bad, decoder.unknown, decoder.malformed)

    def line(self, text):
        return b"%s *%04x\n" % (text.encode(), checksum(text.encode()))

    def test_a_wrong_checksum(self):
        self.assertEqual(self.counted(b"seen 41 17 04a1b2c3,0499ffee *921d\n"), (0, 0, 1, 0, 0))

    def test_every_flipped_bit(self):
        line = b"seen 41 17 04a1b2c3,0499ffee *921c"
        for i in range(len(line)):
            for bit in range(8):
                torn = bytearray(line)
                torn[i] ^= 1 << bit
                found = Decoder(FROM_CONTROLLER).feed(bytes(torn) + b"\n")
                # case does not matter in the checksum's own letters
                if bytes(torn).lower() != line:
                    self.assertEqual(found, [], bytes(torn))

    def test_an_unknown_word(self):
        self.assertEqual(self.counted(self.line("sean 41 17 -")), (0, 0, 0, 1, 0))

    def test_an_echo_of_our_own_line(self):
        self.assertEqual(self.counted(encode(Focus((1,)))), (0, 0, 0, 1, 0))

    def test_malformed_fields(self):
        for text in (
            "seen 41 17",
            "seen 41 64 -",
            "seen -1 17 -",
            "seen 41 17 04a1b2",
            "seen 41 17 04a1b2cg",
            "seen 4294967296 1 -",
            "seen 41 17 " + ",".join(["04a1b2c3"] * (MOST_TAGS + 1)),
            "seen",
            "fault 1 2 no/slash",
        ):
            self.assertEqual(self.counted(self.line(text)), (0, 0, 0, 0, 1), text)
        # digits of other scripts, superscripts, half a surrogate, letters beyond ASCII where nobody looks
        for text in (
            "seen \u00b2 1 -",
            "seen \u0663 1 -",
            "seen 1 \uff11 -",
            "seen 1 1 - \u00e9",
            "s\u00e9en 1",
        ):
            self.assertEqual(self.counted(self.line(text)), (0, 0, 0, 0, 1), text)
        half = b"seen 1 1 - \xed\xa0\x80"
        self.assertEqual(self.counted(b"%s *%04x\n" % (half, checksum(half))), (0, 0, 0, 0, 1))
        self.assertEqual(self.counted(self.line("light 3"), FROM_HOST), (0, 0, 0, 0, 1))
        self.assertEqual(self.counted(self.line("focus 3,,4"), FROM_HOST), (0, 0, 0, 0, 1))

    def test_an_overlong_line_is_one_piece_of_noise(self):
        self.assertEqual(self.counted(b"a" * (LONGEST_LINE * 5) + b"\n"), (0, 1, 0, 0, 0))

    def test_what_cannot_be_said(self):
        for message in (
            Seen(-1, 0, ()),
            Seen(1, 64, ()),
            Seen(1, 0, ("xyz",)),
            Log("info", "two\nlines"),
            Log("info", "a" * LONGEST_LINE),
            Fault(1, 0, "two words"),
            ("seen", 1, 2),
        ):
            with self.assertRaises(ProtocolError):
                encode(message)


class Versions(unittest.TestCase):
    def test_an_older_hello_is_filled_in(self):
        self.assertEqual(parse("hello 1 oak"), Hello(1, "oak", 0, 0, 0, "unknown", ()))

    def test_words_of_a_newer_version_are_ignored(self):
        self.assertEqual(parse("alive 7 1000 340 9000 - more of it"), Alive(7, 1000, 340, 9000, ()))

    def test_tags_are_lower_case(self):
        self.assertEqual(parse("seen 1 2 E0040150A1B2C3D4"), Seen(1, 2, ("e0040150a1b2c3d4",)))


class Limits(unittest.TestCase):
    def test_the_fullest_lines_fit(self):
        tags = tuple([hex(0xE004010000000000 + number)[2:] for number in range(MOST_TAGS)])
        message = Seen(4294967295, 63, tags)
        self.assertEqual(Decoder(FROM_CONTROLLER).feed(encode(message)), [message])
        looked = Looked(4294967295, tuple([63] * MOST_LOOKS))
        self.assertEqual(Decoder(FROM_CONTROLLER).feed(encode(looked)), [looked])
        lamps = Light(tuple([(reader, "taken") for reader in range(64)]))
        self.assertEqual(Decoder(FROM_HOST).feed(encode(lamps)), [lamps])

    def test_a_decoder_holds_one_line_at_most(self):
        decoder = Decoder(FROM_CONTROLLER)
        for _ in range(200):
            decoder.feed(b"no newline in sight ")
            self.assertLess(len(decoder._line), LONGEST_LINE)


if __name__ == "__main__":
    unittest.main()
