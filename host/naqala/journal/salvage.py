"""What can be saved of a damaged journal, decided row by row. In: rows that could be read. Out: what is whole, and what is lost.

A game can be played on as far as its entries are whole without a gap. Entries behind a lost one cannot be played, but they were
written: those that fit the digest before them, or whose neighbour is gone, are kept as text for people (`Rescued.rest`).
"""

from __future__ import annotations

import json
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from naqala.journal.rows import digest_of, opening_is_whole, whole_entries


@dataclass(frozen=True)
class Rescued:
    """One game: its row (None: the opening is lost), the rows of its whole entries, how many there were at least, and the
    readable rows behind the first lost one."""

    id: int
    game: Any
    whole: tuple[Any, ...]
    known: int
    rest: tuple[Any, ...]

    @property
    def is_cut(self) -> bool:
        return self.game is None or len(self.whole) < self.known

    def sentence(self) -> str:
        """What is lost of it, for people."""
        if self.game is None:
            return f"game {self.id} is lost: its opening is not as it was written"
        table = f"game {self.id} of table '{self.game.table_name}'"
        lost = f"entry {len(self.whole) + 1} is not as it was written"
        return f"{table}: {len(self.whole)} of {self.known} entries are saved; {lost}"


@dataclass(frozen=True)
class Salvaged:
    """A salvage that was made: where the damaged journal is now, where the rest can be read (None: there is none)."""

    aside: Path
    rest: Path | None
    games: tuple[Rescued, ...]

    def sentences(self) -> list[str]:
        """What happened, a line each: first what is saved, then what is not."""
        there = [one for one in self.games if one.game is not None]
        entries = sum(len(one.whole) for one in there)
        found = [f"{len(there)} games with {entries} entries could be read and go on in a new file"]
        found += [one.sentence() for one in self.games if one.is_cut]
        count = sum(len(one.rest) for one in self.games)
        if self.rest is not None:
            found.append(
                f"{count} entries behind the damage cannot be played; they can be read in {self.rest}"
            )
        return [*found, f"the damaged journal is kept as {self.aside}"]


def sorted_out(games: Iterable[Any], entries: Mapping[int, Mapping[int, Any]]) -> tuple[Rescued, ...]:
    """Every game that any row speaks of. `entries` has the rows by game and number."""
    rows = {row.id: row for row in games}
    return tuple(
        _rescued(number, rows.get(number), entries.get(number, {})) for number in sorted({*rows, *entries})
    )


def _rescued(number: int, game: Any, entries: Mapping[int, Any]) -> Rescued:
    known = max(entries, default=0)
    ordered: list[Any] = []
    while (row := entries.get(len(ordered) + 1)) is not None:
        ordered.append(row)
    opened = game is not None and opening_is_whole(game)
    count = len(whole_entries(ordered, game.digest)[0]) if opened else 0
    first = game.digest if game is not None else None
    behind = [entries[place] for place in sorted(entries) if place > count]
    rest = [row for row in behind if _is_readable(row, _before(row, entries, first))]
    return Rescued(number, game if opened else None, tuple(ordered[:count]), known, tuple(rest))


def _before(row: Any, entries: Mapping[int, Any], first: Any) -> Any:
    """The digest before a row; None when it is gone, too."""
    if row.number == 1:
        return first
    return entries[row.number - 1].digest if row.number - 1 in entries else None


def _is_readable(row: Any, before: Any) -> bool:
    if before is not None:
        return bool(row.digest == digest_of(before, row.number, row.at, row.kind, row.author, row.body))
    try:
        json.loads(row.body)
    except (ValueError, TypeError, RecursionError):
        return False
    return True


def as_line(row: Any) -> str:
    """An entry as one line of JSON."""
    told = {"game": row.game, "number": row.number, "at": row.at, "kind": row.kind, "author": row.author}
    return json.dumps(told | {"body": json.loads(row.body)}) + "\n"
