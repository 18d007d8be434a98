"""The shared tests on the real MicroPython, and what only CPython can ask of the wire: Hypothesis, figures."""

from __future__ import annotations

import random
import re
import subprocess
import tempfile
import tracemalloc
from collections.abc import Callable
from pathlib import Path

from hypothesis import given, settings
from hypothesis import strategies as some
from naqala_protocol import (
    FROM_CONTROLLER,
    FROM_HOST,
    LONGEST_LINE,
    MESSAGES,
    MOST_TAGS,
    Decoder,
    encode,
    parse,
    words,
)
from naqala_protocol.wire import FIELDS

from tests.protocol.test_wire import GOLDEN, sender_of

ROOT = Path(__file__).parents[2]

numbers = some.integers(0, 2**32 - 1)
readers = some.integers(0, 63)
names = some.text("abcxyzABC019._-+", min_size=1, max_size=32)
tags = some.text("0123456789abcdef", min_size=8, max_size=16)
text = some.text([chr(code) for code in range(32, 127)], max_size=60)
lists = {"max_size": 12}
VALUES = {
    "number": numbers,
    "reader": readers,
    "name": names,
    "text": text,
    "tags": some.lists(tags, **lists).map(tuple),
    "readers": some.lists(readers, **lists).map(tuple),
    "lamps": some.lists(some.tuples(readers, names), **lists).map(tuple),
    "counters": some.lists(some.tuples(names, numbers), **lists).map(tuple),
    "abilities": some.lists(names, **lists).map(tuple),
    "since": numbers | some.none(),
    "which": readers | some.none(),
}
KIND = {"code": "name", "level": "name", "key": "name", "firmware": "name"}


def field_values(field: str) -> some.SearchStrategy[object]:
    return VALUES.get(KIND.get(field, field), numbers)


messages = some.one_of(
    *[some.builds(message.type, **{f: field_values(f) for f in message.type._fields}) for message in MESSAGES]
).filter(lambda message: len(words(message)) + 7 <= LONGEST_LINE)


def independent_crc(data: bytes) -> int:
    """CRC-16/MCRF4XX by the book: bits reversed on the way in and out, polynomial 1021. Shares no code with ours."""
    register = 0xFFFF
    for byte in data:
        register ^= int(f"{byte:08b}"[::-1], 2) << 8
        for _ in range(8):
            register = ((register << 1) ^ (0x1021 if register & 0x8000 else 0)) & 0xFFFF
    return int(f"{register:016b}"[::-1], 2)


def test_golden_checksums_by_an_independent_way() -> None:
    for _message, line in GOLDEN:
        body, _, check = line.rpartition(b" *")
        assert b"%04x\n" % independent_crc(body) == check, line


def test_the_same_lines_on_micropython(on_micropython: Callable[..., str]) -> None:
    printed = on_micropython("tests/protocol/test_wire.py")
    count = len(re.findall(r"    def test_", (ROOT / "tests/protocol/test_wire.py").read_text()))
    assert printed.splitlines()[-1] == f"{count} passed, 0 failed"


def test_a_failing_test_fails_on_micropython_too(micropython: Path, tmp_path: Path) -> None:
    (tmp_path / "test_bad.py").write_text(
        "import unittest\nclass Bad(unittest.TestCase):\n    def test_it(self):\n        self.assertEqual(1, 2)\n"
    )
    run = [micropython, "-X", "heapsize=192k", ROOT / "tests/micropython/run.py", tmp_path / "test_bad.py"]
    done = subprocess.run(run, capture_output=True, text=True, timeout=30, check=False)
    assert done.returncode == 1
    assert done.stdout.splitlines()[-1] == "0 passed, 1 failed"


def test_sentences_and_types_say_the_same() -> None:
    for message in MESSAGES:
        fields = message.sentence.replace("[", "").replace("]", "").split()[1:]
        assert tuple(fields) == message.type._fields
        assert set(fields) <= set(FIELDS)


@given(messages)
def test_any_message_survives(message: tuple[object, ...]) -> None:
    assert Decoder(sender_of(message)).feed(encode(message)) == [message]
    assert parse(words(message)) == message


@given(some.lists(some.tuples(some.binary(max_size=40), messages), max_size=6), some.integers(1, 50))
def test_any_noise_between_lines_in_any_pieces(
    parts: list[tuple[bytes, tuple[object, ...]]], size: int
) -> None:
    stream = b"".join(noise + b"\n" + encode(message) for noise, message in parts)
    for sender in (FROM_CONTROLLER, FROM_HOST):
        decoder = Decoder(sender)
        found = [m for i in range(0, len(stream), size) for m in decoder.feed(stream[i : i + size])]
        sent = [m for _, m in parts if decoder._expects(type(m))]
        # Noise may by a rare chance be a line of its own; what was sent arrives in order all the same.
        assert [m for m in found if m in sent] == sent


@given(some.binary(max_size=3000))
def test_random_bytes_never_raise(data: bytes) -> None:
    decoder = Decoder(FROM_CONTROLLER)
    decoder.feed(data)
    pieces = decoder.lines + decoder.noise + decoder.bad + decoder.unknown + decoder.malformed
    assert pieces <= data.count(b"\n")


# What a field may hold, and what only looks like it: other scripts' digits, signs, blanks, whatever Unicode has.
any_word = some.text(
    some.sampled_from("019af-=,. +_\u00b2\u0663\uff11\u00e9\u2028\x00\x85") | some.characters(), max_size=9
)
any_words = some.lists(any_word | some.sampled_from(("1", "17", "-", "all", "04a1b2c3")), max_size=8)
openings = some.sampled_from([message.sentence.split()[0] for message in MESSAGES]) | any_word


def sealed(opening: str, rest: list[str]) -> bytes:
    """A line with a checksum that fits, whatever its words are."""
    body = " ".join([opening, *rest]).encode(errors="surrogatepass").replace(b"\n", b" ")
    return b"%s *%04x\n" % (body, independent_crc(body))


def told(decoder: Decoder, line: bytes) -> str:
    """What became of a line, in words that are the same on both interpreters."""
    found = [words(message) for message in decoder.feed(line)]
    counts = (decoder.lines, decoder.noise, decoder.bad, decoder.unknown, decoder.malformed)
    return f"{' '.join(map(str, counts))} {';'.join(found)}"


@given(openings, any_words)
def test_any_words_with_a_right_checksum_never_raise(opening: str, rest: list[str]) -> None:
    for sender in (FROM_CONTROLLER, FROM_HOST):
        decoder = Decoder(sender)
        line = sealed(opening, rest)
        for message in decoder.feed(line):
            assert line.isascii()
            assert parse(words(message)) == message
        assert decoder.lines + decoder.noise + decoder.unknown + decoder.malformed == 1


AGREE = """
import sys
sys.path[:0] = [sys.argv[1]]
from naqala_protocol import FROM_CONTROLLER, FROM_HOST, Decoder, words
decoders = Decoder(FROM_CONTROLLER), Decoder(FROM_HOST)
with open(sys.argv[2], "rb") as lines:
    for line in lines:
        for d in decoders:
            found = [words(message) for message in d.feed(line)]
            print(d.lines, d.noise, d.bad, d.unknown, d.malformed, ";".join(found))
"""


@settings(max_examples=5, deadline=None)
@given(some.lists(some.tuples(openings, any_words), min_size=30, max_size=60))
def test_both_interpreters_take_and_refuse_the_same_words(
    micropython: Path, lines: list[tuple[str, list[str]]]
) -> None:
    with tempfile.TemporaryDirectory() as folder:
        script, data = Path(folder, "agree.py"), Path(folder, "lines")
        script.write_text(AGREE)
        sent = [sealed(opening, rest) for opening, rest in lines]
        data.write_bytes(b"".join(sent))
        run = [micropython, "-X", "heapsize=192k", script, ROOT / "protocol", data]
        there = subprocess.run(run, capture_output=True, timeout=60, check=True).stdout.decode()
    decoders = Decoder(FROM_CONTROLLER), Decoder(FROM_HOST)
    here = [told(decoder, line) for line in sent for decoder in decoders]
    assert there.splitlines() == here


def test_a_million_random_bytes() -> None:
    """Also mutated lines, which come closer to being right; memory stays that of one line."""
    chance = random.Random(1)
    lines = [line for _message, line in GOLDEN]
    decoder = Decoder(FROM_CONTROLLER)
    tracemalloc.start()
    before = tracemalloc.get_traced_memory()[0]
    fed = 0
    while fed < 1_000_000:
        piece = bytearray(chance.choice(lines) if chance.random() < 0.5 else chance.randbytes(64))
        for _ in range(chance.randrange(3)):
            piece[chance.randrange(len(piece))] = chance.randrange(256)
        decoder.feed(bytes(piece))
        fed += len(piece)
    grown = tracemalloc.get_traced_memory()[0] - before
    tracemalloc.stop()
    assert decoder.lines > 500
    assert decoder.noise > 1000
    assert decoder.bad > 1000
    assert grown < 8 * LONGEST_LINE, grown


def test_the_readme_s_conversation_is_true() -> None:
    lines = re.findall(
        r"^([<>]) (.+? \*[0-9a-f]{4})\b", (ROOT / "protocol/README.md").read_text(), re.MULTILINE
    )
    assert len(lines) >= 14
    for arrow, line in lines:
        sender = FROM_CONTROLLER if arrow == "<" else FROM_HOST
        assert len(Decoder(sender).feed(line.encode() + b"\n")) == 1, line


def test_the_readme_s_limits_are_true() -> None:
    readme = (ROOT / "protocol/README.md").read_text()
    assert f"at most {LONGEST_LINE} bytes" in readme
    assert f"at most {MOST_TAGS} tags" in readme
