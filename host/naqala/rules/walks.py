"""Ways over the board: which tiles a hand can stand on after so many more drops, and in how many ways.

Board geometry alone, the same for every game, so each table is worked out once, when a hand of its size first asks.
A *stance* is where the hand is and where it came from: all that decides where it may go next. A hand that has
just been filled came from nowhere. Sets of tiles are bits (tile number n is `1 << n`).
"""

from __future__ import annotations

from collections.abc import Iterator
from functools import cache, reduce
from operator import or_
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


@cache
def ends(drops: int) -> tuple[int, ...]:
    """Per stance: the tiles on which exactly this many further drops can end."""
    if not drops:
        return _BIT
    last = ends(drops - 1)
    return tuple(reduce(or_, [last[stance] for stance in onward]) for onward in ONWARD)


@cache
def returns(drops: int) -> tuple[int, ...]:
    """Per stance: the tiles on which these drops can end when an earlier one of them fell there too."""
    if drops < 2:  # with one drop to go, the drop on the end tile is the end and no earlier visit
        return (0,) * len(STANCES)
    either = [
        again | end & bit for again, end, bit in zip(returns(drops - 1), ends(drops - 1), _BIT, strict=True)
    ]
    return tuple(reduce(or_, [either[stance] for stance in onward]) for onward in ONWARD)


class Visits(NamedTuple):
    """How many walks there are, of those that fall on their end tile a given number of times before they end there."""

    onto: tuple[int, ...]  # per end tile, from all start tiles at once: `slot` bits for each start tile
    slot: int
    mask: int  # a slot full of ones
    home: tuple[int, ...]  # per start tile: those that end on it
    every: tuple[int, ...]  # per start tile: all of them


# While they are worked out, the numbers for 0, 1, 2.. visits share one integer, a slot each; 4 * 3 ** 89 fits into one.
_SLOT = 160


@cache
def counts(drops: int) -> tuple[Visits, ...]:
    """The walks of this many drops, by the number of earlier visits to their end tile (none, one, two..)."""
    return _by_visits([list(row[: len(TILES)]) for row in _ways(drops)], slot=2 * drops + 2)


@cache
def _ways(drops: int) -> tuple[tuple[int, ...], ...]:
    """Per end tile and stance, walks by their visits: one more drop in front of every walk of one drop less.

    Where that drop falls on the end tile, and others follow, it is a visit.
    """
    if not drops:
        return tuple(tuple(int(on == end) for on in STANDS_ON) for end in range(len(TILES)))
    grown = []
    for end, row in enumerate(_ways(drops - 1)):
        if drops > 1:
            row = tuple(ways << _SLOT if on == end else ways for ways, on in zip(row, STANDS_ON, strict=True))
        grown.append(tuple(sum([row[stance] for stance in onward]) for onward in ONWARD))
    return tuple(grown)


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
