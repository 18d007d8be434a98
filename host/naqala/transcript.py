"""The transcript: what a table recorded, as text. `read` and `write` are each other's reverse; no file, no clock.

    naqala-transcript 1
    position {"tiles": {"A1": {"meeples": "YWB"}}, "turn": {"player": "Ann", "phase": "sow"}}
    reader 17 C4
    tag 04a1b2c3 meeple Y
    @0 seen 1 17 04a1b2c3
    @5300 tap {"do": "end", "player": "Ann"}

`#` begins a comment. The position is JSON as it stands: what it means is the rules' affair. Wire lines of another
version (an unknown first word) are passed over; all else that cannot be read is an error that names its line.
"""

from __future__ import annotations

import json
import re
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from typing import Any

from naqala_protocol import MESSAGES, MOST_READERS, ProtocolError, parse, words

HEAD = "naqala-transcript 1"
TRIBE = re.compile("[YWGBR]")
TILE = re.compile("[A-F][1-5]")
NUMBER = re.compile("[0-9]{1,15}")  # of a reader, and milliseconds: more than any table lives
PRINTED = re.compile("[a-z_]+ [0-9]{1,2}")  # a tile by its print, wherever it lies: `sacred_place 15`
WIRE_WORDS = frozenset(message.sentence.split()[0] for message in MESSAGES)


class TranscriptError(Exception):
    """A transcript that cannot be read: says which line and why."""


@dataclass(frozen=True)
class Piece:
    """What a tag is fixed to: `meeple Y`, `camel Ann`, `palm`, `palace`, `tile A1`."""

    kind: str
    which: str = ""

    def __str__(self) -> str:
        return f"{self.kind} {self.which}".strip()


@dataclass(frozen=True)
class Tap:
    """An action that someone posted, as its JSON."""

    action: Mapping[str, Any]


@dataclass(frozen=True)
class Moment:
    """Something at a time: a wire message (a namedtuple of naqala_protocol) or a Tap."""

    at_ms: int
    what: Any
    line: int = field(default=0, compare=False)  # where it was read, for a message about it


@dataclass(frozen=True)
class Transcript:
    position: Mapping[str, Any] | None
    readers: Mapping[int, str]  # reader -> tile
    tags: Mapping[str, Piece]
    moments: tuple[Moment, ...]
    position_line: int = field(default=0, compare=False)  # where it was read, for a message about it


def read(text: str) -> Transcript:
    """The transcript that stands in this text. TranscriptError names the first line that makes no sense."""
    position: Mapping[str, Any] | None = None
    readers: dict[int, str] = {}
    tags: dict[str, Piece] = {}
    moments: list[Moment] = []
    begun, position_line = False, 0
    for number, line in enumerate(text.split("\n"), 1):
        line = line.strip()
        if not line or line.startswith("#"):
            continue
        word, _, rest = line.partition(" ")
        rest = rest.strip()
        try:
            if not begun:
                _check_head(line)
                begun = True
            elif word == "position":
                position, position_line = _read_json(rest, "a position"), number
            elif word == "reader":
                _once(readers, *_read_reader(rest))
            elif word == "tag":
                _once(tags, *_read_tag(rest))
            elif word.startswith("@"):
                moment = _read_moment(word, rest, number)
                moments += [moment] if moment is not None else []
            else:
                raise TranscriptError(f"unknown word '{word}'")
        except (TranscriptError, ProtocolError) as error:
            raise TranscriptError(f"line {number}: {error}") from None
    if not begun:
        raise TranscriptError(f"line 1: a transcript begins with '{HEAD}', this one is empty")
    return Transcript(position, readers, tags, tuple(moments), position_line)


def write(transcript: Transcript) -> str:
    """The text of a transcript; comments are not part of it, nor lines that were passed over."""
    return "".join(
        line + "\n"
        for line in (
            HEAD,
            *write_head(transcript.position, transcript.readers, transcript.tags),
            *(write_moment(moment) for moment in transcript.moments),
        )
    )


def write_head(
    position: Mapping[str, Any] | None, readers: Mapping[int, str], tags: Mapping[str, Piece]
) -> Iterable[str]:
    """The lines that say what the moments are about."""
    if position is not None:
        yield f"position {json.dumps(position)}"
    yield from (f"reader {reader} {tile}" for reader, tile in readers.items())
    yield from (f"tag {tag} {piece}" for tag, piece in tags.items())


def write_moment(moment: Moment) -> str:
    """One `@` line, for a recording that grows."""
    if isinstance(moment.what, Tap):
        return f"@{moment.at_ms} tap {json.dumps(dict(moment.what.action))}"
    return f"@{moment.at_ms} {words(moment.what)}"


def _check_head(line: str) -> None:
    if line.split("#")[0].split() != HEAD.split():
        raise TranscriptError(f"a transcript begins with '{HEAD}', not with '{line[:40]}'")


def _read_json(text: str, what: str) -> Mapping[str, Any]:
    try:
        value, end = json.JSONDecoder().raw_decode(text)
    except ValueError as error:
        raise TranscriptError(f"not JSON: {error}") from None
    except RecursionError:
        raise TranscriptError("not JSON: nested too deeply") from None
    after = text[end:].strip()
    if not isinstance(value, dict) or (after and not after.startswith("#")):
        raise TranscriptError(f"{what} is one JSON object, not '{text[:40]}'")
    return value


def _read_reader(rest: str) -> tuple[int, str]:
    found = rest.split("#")[0].split()
    if len(found) != 2 or not NUMBER.fullmatch(found[0]) or int(found[0]) >= MOST_READERS:
        raise TranscriptError(
            f"'reader NUMBER TILE' with a number from 0 to {MOST_READERS - 1}, not 'reader {rest[:40]}'"
        )
    return int(found[0]), _read_tile(found[1])


def _read_tile(name: str) -> str:
    if not TILE.fullmatch(name.upper()):
        raise TranscriptError(f"no such tile: '{name}'; tiles are A1 to F5")
    return name.upper()


def _read_tag(rest: str) -> tuple[str, Piece]:
    tag, _, piece = rest.partition(" ")
    tag = parse(f"seen 0 0 {tag}")[2][0] if tag and tag != "-" and "," not in tag else ""  # type: ignore[index]
    if not tag:
        raise TranscriptError(f"'tag ID PIECE' with 8 to 16 hex digits, not 'tag {rest}'")
    return str(tag), _read_piece(piece.strip())


def _read_piece(text: str) -> Piece:
    kind, _, which = text.partition(" ")
    if kind == "camel" and which.strip():
        return Piece(kind, which.strip())  # a player's name: whatever people are called
    which = which.split("#")[0].strip()
    if kind == "meeple" and TRIBE.fullmatch(which.upper()):
        return Piece(kind, which.upper())
    if kind == "tile":
        return Piece(kind, which if PRINTED.fullmatch(which) else _read_tile(which))
    if kind in ("palm", "palace") and not which:
        return Piece(kind)
    raise TranscriptError(
        f"a piece is 'meeple Y|W|G|B|R', 'camel NAME', 'palm', 'palace', 'tile A1' or 'tile village 5', not '{text}'"
    )


def _once(known: dict[Any, Any], key: Any, value: Any) -> None:
    if known.get(key, value) != value:
        raise TranscriptError(f"'{key}' is said to be '{known[key]}' above and '{value}' here")
    known[key] = value


def _read_moment(word: str, rest: str, line: int) -> Moment | None:
    if not NUMBER.fullmatch(word[1:]):
        raise TranscriptError(f"a time is '@' and milliseconds, not '{word[:40]}'")
    name, _, after = rest.partition(" ")
    if name == "tap":
        return Moment(int(word[1:]), Tap(_read_json(after.strip(), "a tap")), line)
    if not name:
        raise TranscriptError("nothing happens at this time")
    return Moment(int(word[1:]), parse(rest), line) if name in WIRE_WORDS else None
