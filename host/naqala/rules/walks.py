"""Ways over the board: on which tiles a hand can end after so many more drops, and in how many ways.

Board geometry alone, the same for every game, so each table is worked out once, when a hand of that size first asks.
A *stance* is where the hand is and where it came from: all that decides where it may go next. A hand that has
just been filled came from nowhere. Sets of tiles are bits (tile number n is `1 << n`).
"""

from __future__ import annotations

from collections.abc import Iterator
from functools import cache, lru_cache
from typing import NamedTuple

from naqala.rules.board import NEIGHBOURS, NUMBER, TILES

STANCES: tuple[tuple[str | None, str], ...] = (
    *((None, tile) for tile in TILES),  # so the stance of a start tile is the tile's own number
    *((before, tile) for tile in TILES for before in NEIGHBOURS[tile]),
)
STANCE: dict[tuple[str | None, str], int] = {stance: number for number, stance in enumerate(STANCES)}
STANDS_ON: tuple[int, ...] = tuple(NUMBER[tile] for _, tile in STANCES)
# The stances that one more drop can lead to: on any neighbour but the tile just left.
ONWARD: tuple[tuple[int, ...], ...] = tuple(
    tuple(STANCE[tile, onto] for onto in NEIGHBOURS[tile] if onto != before) for before, tile in STANCES
)


class Reach(NamedTuple):
    """Per stance, for a number of drops: where they can end, and where they can when an earlier one fell there too."""

    ends: tuple[int, ...]
    returns: tuple[int, ...]


@cache
def reach(drops: int) -> Reach:
    """Where exactly this many further drops can end."""
    here = [1 << tile for tile in STANDS_ON]
    if not drops:
        return Reach(tuple(here), (0,) * len(STANCES))
    last = reach(drops - 1)
    ends, returns = [], []
    for onward in ONWARD:
        end = again = 0
        for stance in onward:
            end |= last.ends[stance]
            # With no drop after it, a drop on the end tile is the end and no earlier visit.
            again |= last.returns[stance] | (last.ends[stance] & here[stance] if drops > 1 else 0)
        ends.append(end)
        returns.append(again)
    return Reach(tuple(ends), tuple(returns))


class Visits(NamedTuple):
    """How many walks there are, of those that fall on their end tile a given number of times before they end there."""

    onto: tuple[int, ...]  # per end tile, from all start tiles at once: `slot` bits for each start tile
    slot: int
    mask: int  # a slot full of ones
    home: tuple[int, ...]  # per start tile: those that end on it
    every: tuple[int, ...]  # per start tile: all of them


@cache
def counts(drops: int) -> tuple[Visits, ...]:
    """The walks of this many drops, by the number of earlier visits to their end tile (none, one, two..)."""
    rows = [row[: len(TILES)] for row in _grown(drops)]
    slot = 2 * drops + 2  # no start tile has more than 4 ** drops walks: slots can be summed without a carry
    found: list[Visits] = []
    while not found or any(map(any, rows)):
        lowest = [[ways & (1 << _SLOT) - 1 for ways in row] for row in rows]
        onto = tuple(sum(ways << slot * start for start, ways in enumerate(row)) for row in lowest)
        home = tuple(row[tile] for tile, row in enumerate(lowest))
        every = tuple(map(sum, zip(*lowest, strict=True)))
        found.append(Visits(onto, slot, (1 << slot) - 1, home, every))
        rows = [tuple(ways >> _SLOT for ways in row) for row in rows]
    return tuple(found)


# While they grow, the numbers for 0, 1, 2.. visits share one integer, a slot each; 4 * 3 ** 89 fits into a slot.
_SLOT = 160


@lru_cache(maxsize=16)  # more than any hand of an ordinary game; the layers of a hand of 90 would fill 100 MB
def _grown(drops: int) -> tuple[tuple[int, ...], ...]:
    """Per end tile and stance, the walks that end there, by visits: those of one drop less with a drop in front."""
    if not drops:
        return tuple(tuple(int(on == end) for on in STANDS_ON) for end in range(len(TILES)))
    grown = []
    for end, row in enumerate(_grown(drops - 1)):
        if drops > 1:  # a drop on the end tile with others to follow is a visit
            row = tuple(ways << _SLOT if on == end else ways for ways, on in zip(row, STANDS_ON, strict=True))
        grown.append(tuple([sum([row[stance] for stance in onward]) for onward in ONWARD]))
    return tuple(grown)


def listed(stance: int, drops: int) -> Iterator[tuple[int, ...]]:
    """The walks themselves, as the numbers of the tiles dropped on."""
    if not drops:
        yield ()
        return
    for onto in ONWARD[stance]:
        for rest in listed(onto, drops - 1):
            yield STANDS_ON[onto], *rest
