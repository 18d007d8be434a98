"""What is kept, as values, and how rows of the database become them: each is held against its digest.

A game's digest is made of its opening, an entry's of itself and of the digest before it. So a row that is not as it was
written is found, and with an entry also all that come after it.
"""

from __future__ import annotations

import hashlib
import json
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from typing import Any

LATEST_MS = 253_402_300_799_000  # the last day that a calendar can write
SET_ASIDE = "damaged"  # how a game ended whose entries are not whole


@dataclass(frozen=True)
class Game:
    id: int
    table: str
    at_ms: int  # since 1970, like all times here
    opening: Mapping[str, Any]
    entries: int  # how many there are
    ended_ms: int | None  # None: it may be resumed
    how: str  # "finished", "aborted", ...; empty while it is open


@dataclass(frozen=True)
class Damaged:
    """A game that cannot be read, or not to its end: why, in a sentence."""

    id: int
    table: str
    why: str
    how: str


@dataclass(frozen=True)
class Entry:
    number: int
    at_ms: int
    kind: str  # one of KINDS
    author: str
    body: Any


@dataclass(frozen=True)
class Line:
    """A raw line of the transcript."""

    at_ms: int
    text: str


def dump(value: Any) -> str:
    return json.dumps(value, ensure_ascii=False, separators=(",", ":"))


def digest_of(before: str, *fields: object) -> str:
    # `repr`: what comes back from a damaged file may be of any type; it must differ, not fail
    text = json.dumps([before, *fields], default=repr)
    return hashlib.sha256(text.encode()).hexdigest()[:32]


def opening_is_whole(row: Any) -> bool:
    return bool(row.digest == digest_of("", row.table_name, row.at, row.opening))


def game_of(row: Any, name: str) -> Game | Damaged:
    """A row of games with its end; `name` is the journal's, for the sentence."""
    if not opening_is_whole(row):
        why = f"the opening of game {row.id} in {name} is not as it was written"
        return Damaged(row.id, str(row.table_name), why, row.how or "")
    if row.how == SET_ASIDE:
        why = f"the entries of game {row.id} in {name} are not as they were written"
        return Damaged(row.id, row.table_name, why, row.how)
    ended = row.ended if is_a_time(row.ended) else row.at  # an end has no digest: the day may be lost
    return Game(
        row.id,
        row.table_name,
        row.at,
        json.loads(row.opening),
        row.entries,
        ended if row.how else None,
        row.how or "",
    )


def is_a_time(at_ms: object) -> bool:
    return isinstance(at_ms, int) and 0 <= at_ms <= LATEST_MS


def whole_entries(rows: Iterable[Any], opening: str) -> tuple[list[Entry], str]:
    """The entries up to the first that is not as it was written, and the digest of the last of them."""
    found: list[Entry] = []
    last = opening
    for number, row in enumerate(rows, 1):
        now = digest_of(last, row.number, row.at, row.kind, row.author, row.body)
        if row.number != number or row.digest != now:
            break
        found.append(Entry(row.number, row.at, row.kind, row.author, json.loads(row.body)))
        last = now
    return found, last
