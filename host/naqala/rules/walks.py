"""Ways over the board: which tiles a hand can stand on after so many more drops, and in how many ways.

Board geometry alone, the same for every game, so each table is worked out once and grows when a bigger hand asks.
A *stance* is where the hand is and where it came from: all that decides where it may go next. A hand that has
just been filled came from nowhere. Sets of tiles are bits (tile number n is `1 << n`).
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import NamedTuple

from naqala.rules.board import NEIGHBOURS, NUMBER, TILES

Stance = tuple[str | None, str]  # came from, stands on

STANCES: tuple[Stance, ...] = (
    *((None, tile) for tile in TILES),  # so the stance of a start tile is the tile's own number
    *((before, tile) for tile in TILES for before in NEIGHBOURS[tile]),
)
STANCE: dict[Stance, int] = {stance: number for number, stance in enumerate(STANCES)}
STANDS_ON: tuple[int, ...] = tuple(NUMBER[tile] for _, tile in STANCES)
# The stances that one more drop can lead to: any neighbour but the tile just left.
ONWARD: tuple[tuple[int, ...], ...] = tuple(
    tuple(STANCE[tile, onto] for onto in NEIGHBOURS[tile] if onto != before) for before, tile in STANCES
)
_BIT = tuple(1 << tile for tile in STANDS_ON)

# Per number of drops, per stance: the tiles a walk can end on, and those it can end on after an earlier visit.
_ends: list[tuple[int, ...]] = [_BIT]
_returns: list[tuple[int, ...]] = [(0,) * len(STANCES)]


def ends(drops: int) -> tuple[int, ...]:
    """Per stance: the tiles on which exactly this many further drops can end."""
    while len(_ends) <= drops:
        _grow_sets()
    return _ends[drops]


def returns(drops: int) -> tuple[int, ...]:
    """Per stance: the tiles on which these drops can end when an earlier one of them fell there too."""
    while len(_returns) <= drops:
        _grow_sets()
    return _returns[drops]


def _grow_sets() -> None:
    last_ends, last_returns = _ends[-1], _returns[-1]
    further = len(_ends) > 1  # with one drop to go, the drop on the end tile is the end and no earlier visit
    new_ends, new_returns = [], []
    for onward in ONWARD:
        end = again = 0
        for stance in onward:
            end |= last_ends[stance]
            again |= last_returns[stance] | (last_ends[stance] & _BIT[stance] if further else 0)
        new_ends.append(end)
        new_returns.append(again)
    _ends.append(tuple(new_ends))
    _returns.append(tuple(new_returns))


class Visits(NamedTuple):
    """How many walks there are, of those that fall on their end tile a given number of times before they end there."""

    onto: tuple[int, ...]  # per end tile, from all start tiles at once: `slot` bits for each start tile
    slot: int
    mask: int  # a slot full of ones
    home: tuple[int, ...]  # per start tile: those that end on it
    every: tuple[int, ...]  # per start tile: all of them


_counts: list[tuple[Visits, ...]] = []
# While they grow, the numbers for 0, 1, 2.. visits share one integer, a slot each; 4 * 3 ** 89 fits into a slot.
_SLOT = 160
_growing: list[list[int]] = [[int(on == end) for on in STANDS_ON] for end in range(len(TILES))]


def counts(drops: int) -> tuple[Visits, ...]:
    """The walks of this many drops, by the number of earlier visits to their end tile (none, one, two..)."""
    while len(_counts) <= drops:
        _counts.append(_by_visits([row[: len(TILES)] for row in _growing], slot=2 * len(_counts) + 2))
        _grow_counts(passing=len(_counts) > 1)
    return _counts[drops]


def _grow_counts(passing: bool) -> None:
    """One more drop in front of every walk: where it falls on the end tile, and others follow, it is a visit."""
    for end, row in enumerate(_growing):
        if passing:
            row = [ways << _SLOT if on == end else ways for ways, on in zip(row, STANDS_ON, strict=True)]
        _growing[end] = [sum([row[stance] for stance in onward]) for onward in ONWARD]


def _by_visits(rows: list[list[int]], slot: int) -> tuple[Visits, ...]:
    """Unpack rows[end][start]. No start has more than 4 ** drops walks, so slots can be summed without a carry."""
    found: list[Visits] = []
    while not found or any(map(any, rows)):
        once = [[ways & ((1 << _SLOT) - 1) for ways in row] for row in rows]
        onto = tuple(sum(ways << slot * start for start, ways in enumerate(row)) for row in once)
        home = tuple(row[tile] for tile, row in enumerate(once))
        found.append(Visits(onto, slot, (1 << slot) - 1, home, tuple(map(sum, zip(*once, strict=True)))))
        rows = [[ways >> _SLOT for ways in row] for row in rows]
    return tuple(found)


def listed(stance: int, drops: int) -> Iterator[tuple[int, ...]]:
    """The walks themselves, as the numbers of the tiles dropped on."""
    if not drops:
        yield ()
        return
    for onto in ONWARD[stance]:
        for rest in listed(onto, drops - 1):
            yield STANDS_ON[onto], *rest
