"""A million lines that nobody should send: each is counted as what it is, none is believed that should not be, none stays."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from itertools import islice
from pathlib import Path
from random import Random

import pytest
from naqala_protocol import FROM_CONTROLLER, VERSION, Alive, Decoder, Fault, Hello, Log, Seen, encode
from naqala_protocol.wire import LONGEST_LINE, checksum

GOOD = [
    encode(message)[:-1]
    for message in (
        Hello(VERSION, "oak", 30, 41, 7, "0.9.1", ("sweep", "focus")),
        Seen(41, 17, ("04a1b2c3", "0499ffee")),
        Seen(42, 3, ()),
        Seen(43, 29, tuple(f"e00401{number:010x}" for number in range(6))),
        Alive(43, 12000, 90, 100000, (("errors", 0), ("retries", 12))),
        Fault(44, 5, "timeout"),
        Log("warn", "reader 5 was started anew"),
    )
]
KINDS = ("lines", "noise", "bad", "unknown", "malformed")
BATCH = 1_000
CHUNK = 4_093  # bytes arrive in pieces that know nothing of lines
WORDS = b"0123456789abcdef ,-=*\x00\x7f\xe9seenhlofaut"


def random_lines(dice: Random) -> Iterator[bytes]:
    while True:
        block = dice.randbytes(64 * BATCH).replace(b"\n", b"x").replace(b"\r", b"x")
        for number in range(BATCH):
            yield block[64 * number : 64 * number + dice.randrange(1, 64)]


def one_byte_wrong(dice: Random) -> Iterator[bytes]:
    """A line of ours in which a single byte has become another one."""
    while True:
        line = bytearray(dice.choice(GOOD))
        line[dice.randrange(len(line) - 6)] ^= dice.randrange(1, 256)
        yield bytes(line).replace(b"\n", b"\x0b").replace(b"\r", b"\x0c")


def well_sealed(dice: Random) -> Iterator[bytes]:
    """Nonsense in good order: words changed, and a checksum that fits them."""
    while True:
        words = bytearray(dice.choice(GOOD)[:-6])
        for _ in range(dice.randrange(1, 4)):
            place = dice.randrange(len(words))
            words[place : place + dice.randrange(3)] = dice.choices(WORDS, k=dice.randrange(3))
        if words:
            yield b"%s *%04x" % (words, checksum(words))


def fed(make: Callable[[Random], Iterator[bytes]], count: int) -> tuple[Decoder, int]:
    """A decoder that has heard so many lines, and how many messages it gave."""
    decoder, source, messages = Decoder(FROM_CONTROLLER), make(Random(17)), 0
    for _ in range(count // BATCH):
        data = b"\n".join(islice(source, BATCH)) + b"\n"
        for start in range(0, len(data), CHUNK):
            messages += len(decoder.feed(data[start : start + CHUNK]))
    return decoder, messages


def resident_kb() -> int:
    return int(Path("/proc/self/statm").read_text().split()[1]) * 4


@pytest.mark.long
def test_a_million_lines_through_the_decoder() -> None:
    fed(random_lines, 20_000)
    before = resident_kb()
    total = dict.fromkeys(KINDS, 0)
    for make, count in ((random_lines, 300_000), (one_byte_wrong, 400_000), (well_sealed, 300_000)):
        decoder, messages = fed(make, count)
        counted = {kind: getattr(decoder, kind) for kind in KINDS}
        assert sum(counted.values()) == count, counted
        assert counted["lines"] == messages
        assert len(decoder._line) < LONGEST_LINE
        if make is one_byte_wrong:
            assert messages == 0, "sixteen bits find every single byte"
            assert counted["bad"] == count
        if make is well_sealed:
            assert min(counted["lines"], counted["unknown"], counted["malformed"]) > 10_000, counted
            assert counted["bad"] == counted["noise"] == 0
        total = {kind: total[kind] + counted[kind] for kind in KINDS}
    grown = resident_kb() - before
    print(f"1,000,000 lines: {total}, {grown} kB more")
    assert grown < 4_096
