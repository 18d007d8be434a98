"""Ways over the board: which tiles a hand can stand on after so many more drops, and in how many ways.

Board geometry alone, the same for every game, so each table is worked out once and grows when a bigger hand asks.
A *stance* is where the hand is and where it came from: all that decides where it may go next. A hand that has
just been filled came from nowhere. Sets of tiles are bits (tile number n is `1 << n`).
"""

from __future__ import annotations

from collections.abc import Iterator

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


# Per number of drops, per start tile: rows[visits][end], how many walks fall on their end tile `visits` times before.
Rows = tuple[tuple[int, ...], ...]
_counts: list[tuple[Rows, ...]] = []
# While they grow, the numbers for 0, 1, 2.. visits share one integer, a slot each; 3 ** 90 fits into a slot.
_SLOT = 160
_packed: list[list[int]] = [[int(on == end) for on in STANDS_ON] for end in range(len(TILES))]


def counts(drops: int) -> tuple[Rows, ...]:
    """Per start tile: rows[visits][end], the number of walks of this many drops, by earlier visits to their end."""
    while len(_counts) <= drops:
        _counts.append(tuple(_unpacked([row[start] for row in _packed]) for start in range(len(TILES))))
        _grow_counts(passing=len(_counts) > 1)
    return _counts[drops]


def _grow_counts(passing: bool) -> None:
    """One more drop in front of every walk: where it falls on the end tile, and others follow, it is a visit."""
    for end, row in enumerate(_packed):
        if passing:
            row = [ways << _SLOT if on == end else ways for ways, on in zip(row, STANDS_ON, strict=True)]
        _packed[end] = [sum([row[stance] for stance in onward]) for onward in ONWARD]


def _unpacked(row: list[int]) -> Rows:
    rows: list[tuple[int, ...]] = []
    while not rows or any(row):
        rows.append(tuple(ways & ((1 << _SLOT) - 1) for ways in row))
        row = [ways >> _SLOT for ways in row]
    return tuple(rows)


def listed(stance: int, drops: int, end: int) -> Iterator[tuple[str, ...]]:
    """The walks themselves, as the tiles dropped on; none is begun that cannot arrive."""
    if not drops:
        yield ()
        return
    arriving = ends(drops - 1)
    for onto in ONWARD[stance]:
        if arriving[onto] >> end & 1:
            tile = TILES[STANDS_ON[onto]]
            for rest in listed(onto, drops - 1, end):
                yield tile, *rest
