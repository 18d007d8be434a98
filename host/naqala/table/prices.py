"""The price table: one number per motion, read from `prices.toml`. A story's price is the sum of its motions' prices.

Prices are minus logarithms of probabilities, so they add where probabilities multiply, and the difference of two stories'
prices says how much likelier one is: exp(3) is about 20 to 1. Those that grow with time have a row `..._rate`; nothing else
in this room waits.
"""

from __future__ import annotations

import math
import tomllib
from collections.abc import Mapping
from dataclasses import dataclass, fields
from functools import cache
from pathlib import Path

FILE = Path(__file__).with_name("prices.toml")
LONG_SECONDS = 4.0  # from then on `ghost_long_rate` and `unread_long_rate` hold


@dataclass(frozen=True, slots=True)
class Prices:
    """The rows of the table by name; what each means stands in the file."""

    flag: float
    did: float
    lift: float
    grab: float
    take_back: float
    take_back_again: float
    put_back: float
    put_back_one: float
    put_back_rate: float
    unseen_last: float
    part_scoop: float
    laid: float
    laid_rate: float
    lying: float
    lying_rate: float
    victim: float
    victim_first: float
    untold: float
    owed: float
    power: float
    takeback_turn: float
    unwatched: float
    told: float
    over: float
    idle_rate: float
    back: float
    reach: float
    far: float
    same: float
    alone: float
    left: float
    scoop: float
    foreign: float
    second: float
    wrong_piece: float
    misplaced: float
    unasked: float
    bad_victim: float
    out_of_turn: float
    further: float
    look_ms: float
    miss: float
    unseen: float
    blind: float
    unmapped: float
    gap: float
    gap_rate: float
    unread: float
    unread_more: float
    unread_rate: float
    unread_long_rate: float
    still_read: float
    still_read_rate: float
    late_gone_rate: float
    leak: float
    leak_rate: float
    ghost: float
    ghost_rate: float
    ghost_long_rate: float
    carried: float
    carried_rate: float
    both: float

    @property
    def sure_of_a_flag(self) -> float:
        """By how much a story without a breach must be dearer before anybody is flagged."""
        return math.log(self.flag)

    @property
    def sure_of_a_move(self) -> float:
        """By how much every other story must be dearer before a move is taken as done."""
        return math.log(self.did)


def from_toml(text: str) -> Prices:
    """The table in this text; ValueError names a row that is missing, unknown or not `[number, "why"]`."""
    rows = {name: row for section in tomllib.loads(text).values() for name, row in section.items()}
    known = {field.name for field in fields(Prices)}
    if rows.keys() != known:
        raise ValueError(f"missing or unknown rows: {', '.join(sorted(rows.keys() ^ known))}")
    for name, row in rows.items():
        if not (isinstance(row, list) and len(row) == 2 and isinstance(row[1], str) and row[1]):
            raise ValueError(f'a row is [number, "why"], not {name} = {row!r}')
    return Prices(**{name: float(row[0]) for name, row in rows.items()})


def written(text: str, changed: Mapping[str, float]) -> str:
    """The text of a table with some prices changed; everything else stays as people wrote it."""
    lines = []
    for line in text.splitlines():
        name = line.split("=")[0].strip()
        if name in changed and line.lstrip().startswith(name):
            head, _, tail = line.partition("[")
            line = f"{head}[{changed[name]:.4g},{tail.partition(',')[2]}"
        lines.append(line)
    return "\n".join(lines) + "\n"


@cache
def standard() -> Prices:
    """The fitted table that comes with the package."""
    return from_toml(FILE.read_text())
