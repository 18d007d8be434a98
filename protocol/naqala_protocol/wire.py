"""One line of the wire, both ways: bytes in, messages out; messages in, bytes out. No port, no clock, no threads.

A line is words, a space, a star, four hex digits of CRC-16, a newline: `seen 41 17 04a1b2c3,0499ffee *921c`.
The sentence of a message in MESSAGES is its name, its codec and its documentation at once. Whatever else arrives
(a boot banner, a traceback, a torn line) fails the checksum and is counted, never raised.

The subset of Python here is what MicroPython 1.25 has as well: no dataclasses, no typing, no re, no dict order.
"""

from collections import namedtuple

VERSION = 1
MOST_TAGS = 24  # on one reader: twice what a crowded tile holds
MOST_READERS = 64
MOST_LOOKS = 64  # readers in one `looked`, repeats included
LONGEST_LINE = 640  # bytes with the newline: 64 lamps in one `light` need 590, 24 long tags in one `seen` 433
LARGEST_NUMBER = 4294967295

FROM_CONTROLLER = "controller"
FROM_HOST = "host"
EITHER = "either"


class ProtocolError(Exception):
    """Not a line of ours: says what is wrong with which line. A Decoder counts it, `parse` and `encode` raise it."""


Hello = namedtuple("Hello", ("version", "name", "wired", "seq", "boot", "firmware", "abilities"))
Seen = namedtuple("Seen", ("seq", "reader", "tags"))
Fault = namedtuple("Fault", ("seq", "reader", "code"))
Alive = namedtuple("Alive", ("seq", "uptime", "sweep", "free", "counters"))
Stats = namedtuple("Stats", ("reader", "reads", "misses", "took", "ago"))
Looked = namedtuple("Looked", ("seq", "readers"))
Tuned = namedtuple("Tuned", ("reader", "gain", "best"))
Log = namedtuple("Log", ("level", "text"))
Resync = namedtuple("Resync", ("since",))
Focus = namedtuple("Focus", ("readers",))
Light = namedtuple("Light", ("lamps",))
Config = namedtuple("Config", ("key", "text"))
Test = namedtuple("Test", ("which",))
Tune = namedtuple("Tune", ("readers",))

Message = namedtuple("Message", ("type", "sender", "sentence"))

# Fields in brackets may be absent from a line that arrives; they then take their kind's default (FIELDS below).
MESSAGES = (
    Message(Hello, EITHER, "hello version name [wired seq boot firmware abilities]"),
    Message(Seen, FROM_CONTROLLER, "seen seq reader tags"),
    Message(Fault, FROM_CONTROLLER, "fault seq reader code"),
    Message(Alive, FROM_CONTROLLER, "alive seq uptime [sweep free counters]"),
    Message(Stats, FROM_CONTROLLER, "stats reader reads misses took ago"),
    Message(Looked, FROM_CONTROLLER, "looked seq readers"),
    Message(Tuned, FROM_CONTROLLER, "tuned reader gain best"),
    Message(Log, FROM_CONTROLLER, "log level text"),
    Message(Resync, FROM_HOST, "resync since"),
    Message(Focus, FROM_HOST, "focus readers"),
    Message(Light, FROM_HOST, "light lamps"),
    Message(Config, FROM_HOST, "config key text"),
    Message(Test, FROM_HOST, "test which"),
    Message(Tune, FROM_HOST, "tune readers"),
)


# --- Fields: how each is written and read -----------------------------------------------------------------


# A word is checked by stripping what it may hold: what is left is wrong. One call, where a loop over the characters
# would cost the controller more than the rest of the line.
_DIGITS = "0123456789"
_HEX = _DIGITS + "abcdefABCDEF"
_IN_NAMES = _DIGITS + "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ._+-"
_IN_TEXT = _IN_NAMES + " !\"#$%&'()*,/:;<=>?@[\\]^`{|}~"


def _read_number(word: str) -> int:
    # int() alone would also take "+1", "1_0", blanks and the digits of every script there is
    if not 1 <= len(word) <= 10 or word.strip(_DIGITS) or int(word) > LARGEST_NUMBER:
        raise ProtocolError("not a number: '%s'" % word)
    return int(word)


def _write_number(value: int) -> str:
    if not 0 <= value <= LARGEST_NUMBER:
        raise ProtocolError("not a number for the wire: %r" % (value,))
    return "%d" % value


def _read_reader(word: str) -> int:
    reader = _read_number(word)
    if reader >= MOST_READERS:
        raise ProtocolError("no such reader: '%s'" % word)
    return reader


def _write_reader(value: int) -> str:
    return str(_read_reader(_write_number(value)))


def _read_name(word: str) -> str:
    if not 1 <= len(word) <= 32 or word.strip(_IN_NAMES):
        raise ProtocolError("not a name of 1 to 32 characters: '%s'" % word)
    return word


def _read_text(word: str) -> str:
    if word.strip(_IN_TEXT):
        raise ProtocolError("not plain text: %r" % word)
    return word


def _read_tag(word: str) -> str:
    if not 8 <= len(word) <= 16 or word.strip(_HEX):
        raise ProtocolError("not a tag of 8 to 16 hex digits: '%s'" % word)
    return word.lower()


def _read_tags(word: str) -> tuple[str, ...]:
    tags = tuple([_read_tag(item) for item in _items(word)])
    if len(tags) > MOST_TAGS:
        raise ProtocolError("more than %d tags on one reader" % MOST_TAGS)
    return tags


def _write_tags(value: tuple[str, ...]) -> str:
    return _write_items(_read_tags(_write_items(value)))


def _read_readers(word: str) -> tuple[int, ...]:
    return tuple([_read_reader(item) for item in _items(word)])


def _write_readers(value: tuple[int, ...]) -> str:
    return _write_items([_write_reader(reader) for reader in value])


def _read_lamp(word: str) -> tuple[int, str]:
    reader, meaning = _read_pair(word)
    return (_read_reader(reader), _read_name(meaning))


def _read_lamps(word: str) -> tuple[tuple[int, str], ...]:
    return tuple([_read_lamp(item) for item in _items(word)])


def _write_lamps(value: tuple[tuple[int, str], ...]) -> str:
    return _write_items(["%s=%s" % (_write_reader(reader), _read_name(meaning)) for reader, meaning in value])


def _read_counter(word: str) -> tuple[str, int]:
    name, number = _read_pair(word)
    return (_read_name(name), _read_number(number))


def _read_counters(word: str) -> tuple[tuple[str, int], ...]:
    return tuple([_read_counter(item) for item in _items(word)])


def _write_counters(value: tuple[tuple[str, int], ...]) -> str:
    return _write_items(["%s=%s" % (_read_name(name), _write_number(number)) for name, number in value])


def _read_abilities(word: str) -> tuple[str, ...]:
    return tuple([_read_name(item) for item in _items(word)])


def _write_abilities(value: tuple[str, ...]) -> str:
    return _write_items([_read_name(name) for name in value])


def _read_since(word: str) -> int | None:
    return None if word == "all" else _read_number(word)


def _write_since(value: int | None) -> str:
    return "all" if value is None else _write_number(value)


def _read_which(word: str) -> int | None:
    return None if word == "all" else _read_reader(word)


def _write_which(value: int | None) -> str:
    return "all" if value is None else _write_reader(value)


def _items(word: str) -> list[str]:
    return [] if word == "-" else word.split(",")


def _write_items(items: list[str] | tuple[str, ...]) -> str:
    return ",".join(items) or "-"


def _read_pair(word: str) -> list[str]:
    pair = word.split("=")
    if len(pair) != 2:
        raise ProtocolError("not name=value: '%s'" % word)
    return pair


# field -> (read, write, value when absent)
FIELDS = {
    "version": (_read_number, _write_number, 0),
    "name": (_read_name, _read_name, ""),
    "wired": (_read_number, _write_number, 0),
    "readers": (_read_readers, _write_readers, ()),
    "seq": (_read_number, _write_number, 0),
    "boot": (_read_number, _write_number, 0),
    "firmware": (_read_name, _read_name, "unknown"),
    "abilities": (_read_abilities, _write_abilities, ()),
    "reader": (_read_reader, _write_reader, 0),
    "tags": (_read_tags, _write_tags, ()),
    "code": (_read_name, _read_name, ""),
    "uptime": (_read_number, _write_number, 0),
    "sweep": (_read_number, _write_number, 0),
    "free": (_read_number, _write_number, 0),
    "counters": (_read_counters, _write_counters, ()),
    "reads": (_read_number, _write_number, 0),
    "misses": (_read_number, _write_number, 0),
    "took": (_read_number, _write_number, 0),
    "ago": (_read_number, _write_number, 0),
    "gain": (_read_number, _write_number, 0),
    "best": (_read_number, _write_number, 0),
    "level": (_read_name, _read_name, ""),
    "text": (_read_text, _read_text, ""),
    "since": (_read_since, _write_since, None),
    "lamps": (_read_lamps, _write_lamps, ()),
    "key": (_read_name, _read_name, ""),
    "which": (_read_which, _write_which, None),
}


def _fields(sentence: str) -> tuple[tuple[str, ...], int]:
    """The field names of a sentence, and how many of them a line must carry."""
    needed = len(sentence.split("[")[0].split()) - 1
    return tuple(sentence.replace("[", "").replace("]", "").split()[1:]), needed


_SHAPES = {message.sentence.split()[0]: (message.type,) + _fields(message.sentence) for message in MESSAGES}
_WORDS = {message.type: message.sentence.split()[0] for message in MESSAGES}


# --- Lines ------------------------------------------------------------------------------------------------


# What four bits do to the checksum (polynomial 1021, bits reversed): a quarter of the work of going bit by bit, which
# the controller would feel (a full snapshot is some 3,000 bytes), in a table that is still small.
# fmt: off
_NIBBLES = (
    0x0000, 0x1081, 0x2102, 0x3183, 0x4204, 0x5285, 0x6306, 0x7387,
    0x8408, 0x9489, 0xA50A, 0xB58B, 0xC60C, 0xD68D, 0xE70E, 0xF78F,
)
# fmt: on


def checksum(line: bytes) -> int:
    """CRC-16/MCRF4XX of a line's words (without the space before the star)."""
    nibbles = _NIBBLES
    crc = 0xFFFF
    for byte in line:
        crc = (crc >> 4) ^ nibbles[(crc ^ byte) & 15]
        crc = (crc >> 4) ^ nibbles[(crc ^ (byte >> 4)) & 15]
    return crc


def words(message: tuple[object, ...]) -> str:
    """A message as its words, without checksum: the form transcripts, logs and tests use."""
    name = _WORDS.get(type(message))
    if name is None:
        raise ProtocolError("not a message: %r" % (message,))
    line = [name]
    for field, value in zip(_SHAPES[name][1], message):
        line.append(FIELDS[field][1](value))  # type: ignore[operator]
    return " ".join(line)


def parse(line: str) -> tuple[object, ...]:
    """The message that stands in these words; ProtocolError says what is wrong. The reverse of `words`."""
    name, _, rest = line.partition(" ")
    if name not in _SHAPES:
        raise ProtocolError("unknown message '%s' in line '%s'" % (name, line))
    message, fields, needed = _SHAPES[name]
    # Only the last field may hold spaces (`log`, `config`). Words after the last field are a newer version's: ignored.
    found = rest.split(" ", len(fields) - 1) if fields[-1] == "text" else rest.split(" ")
    if len(found) < needed or not rest:
        raise ProtocolError("'%s' needs %d words in line '%s'" % (name, needed, line))
    values = []
    for i, field in enumerate(fields):
        read, _write, absent = FIELDS[field]
        values.append(read(found[i]) if i < len(found) else absent)
    result: tuple[object, ...] = message(*values)
    return result


def encode(message: tuple[object, ...]) -> bytes:
    """The line for a message, newline included. ProtocolError when it cannot be said in one line."""
    line = words(message).encode()
    if len(line) + 7 > LONGEST_LINE:
        raise ProtocolError("line too long (%d bytes): '%s...'" % (len(line) + 7, line[:40].decode()))
    return b"%s *%04x\n" % (line, checksum(line))


class Decoder:
    """Bytes as they come, messages as they are complete. Never raises, whatever the bytes; holds one line at most.

    `sender` is whose lines are expected: a line that only the other side may say is unknown here (an echo).
    The counters tell a healthy link from a noisy one: `lines` good ones, `noise` pieces that are no line at all
    (banners, torn lines), `bad` checksums that do not fit, `unknown` words of another version, `malformed` fields.
    """

    def __init__(self, sender: str) -> None:
        self.sender = sender
        self.lines = self.noise = self.bad = self.unknown = self.malformed = 0
        self._line = bytearray()
        self._overlong = False

    def feed(self, data: bytes) -> list[tuple[object, ...]]:
        """The messages that these bytes complete, in order."""
        messages = []
        start = 0
        while start < len(data):
            end = data.find(b"\n", start)
            stop = len(data) if end < 0 else end
            self._keep(data[start:stop])
            if end < 0:
                break
            message = self._complete()
            if message is not None:
                messages.append(message)
            start = end + 1
        return messages

    def _keep(self, piece: bytes) -> None:
        if len(self._line) + len(piece) >= LONGEST_LINE:
            self._overlong = True
            self._line = bytearray()
        elif not self._overlong:
            self._line.extend(piece)

    def _complete(self) -> tuple[object, ...] | None:
        line, overlong = bytes(self._line), self._overlong
        self._line = bytearray()
        self._overlong = False
        if line.endswith(b"\r"):
            line = line[:-1]  # a terminal's line ending somewhere on the way
        if not line and not overlong:
            return None
        star = len(line) - 6
        if overlong or star < 1 or line[star : star + 2] != b" *":
            self.noise += 1
            return None
        if line[star + 2 :].lower() != b"%04x" % checksum(line[:star]):
            self.bad += 1
            return None
        return self._message(line[:star])

    def _message(self, line: bytes) -> tuple[object, ...] | None:
        try:
            text = line.decode()
            if len(text) != len(line):
                raise ProtocolError("not ASCII: %r" % line)
            name = text.split(" ", 1)[0]
            if name not in _SHAPES or not self._expects(_SHAPES[name][0]):
                self.unknown += 1
                return None
            message = parse(text)
        except (ProtocolError, UnicodeError):
            self.malformed += 1
            return None
        self.lines += 1
        return message

    def _expects(self, kind: object) -> bool:
        for message in MESSAGES:
            if message.type is kind:
                return message.sender in (EITHER, self.sender)
        return False
