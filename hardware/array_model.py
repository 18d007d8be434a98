"""Thirty coils side by side: which currents does the one on air raise in the parked ones, and what field do all of them
together make where tags lie?

A parked reader's coil is a closed circuit (its capacitors stay across it), so the coil on air drives a current through it,
and that current makes a field of its own on its tile. Near resonance this is a third of the current on air, which is why
"the neighbour is switched off" says little. In: the coil's track, the impedance of a parked loop. Out: currents of all
loops relative to the one on air, the weakest field on the own tile, the strongest on any other.
"""

from functools import cache
from itertools import pairwise
from math import hypot, pi
from typing import NamedTuple

from hardware import field_model
from hardware.pcb.coil import FC, Coil, between_filaments, track

COLUMNS, ROWS, PITCH = 6, 5, 75.0
REACH = 22.0  # mm, tag centres lie within +-REACH of a tile's centre
HEIGHT = 5.0  # mm, tag above coil
STEP = 4.0  # mm, grid of tag centres
OMEGA = 2 * pi * FC

Point = tuple[float, float]
Place = tuple[int, int]  # column, row


def _segments(coil: Coil) -> list[tuple[Point, Point]]:
    return list(pairwise(track(coil)))


def _level(a: Point, b: Point) -> bool:
    """Runs along x; the short steps from turn to turn count as level."""
    return abs(b[0] - a[0]) >= abs(b[1] - a[1])


@cache
def mutual(coil: Coil, dx: float, dy: float) -> float:
    """Mutual inductance of two such coils whose centres are (dx, dy) apart: henry. Negative side by side."""
    total = 0.0
    for a, b in _segments(coil):
        for c, e in _segments(coil):
            level = _level(a, b)
            if level != _level(c, e):
                continue
            along, across = (0, 1) if level else (1, 0)
            shift = (dx, dy)
            distance = abs((c[across] + e[across] - a[across] - b[across]) / 2 + shift[across])
            other = (c[along] + shift[along], e[along] + shift[along])
            total += between_filaments((a[along], b[along]), other, max(distance, 1e-3))
    return total


def solve(matrix: list[list[complex]], right: list[complex]) -> list[complex]:
    """Gauss with pivots; thirty unknowns need nothing bigger."""
    rows = [[*row, value] for row, value in zip(matrix, right, strict=True)]
    size = len(rows)
    for k in range(size):
        best = max(range(k, size), key=lambda i: abs(rows[i][k]))
        rows[k], rows[best] = rows[best], rows[k]
        for i in range(k + 1, size):
            share = rows[i][k] / rows[k][k]
            if share:
                rows[i] = [a - share * b for a, b in zip(rows[i], rows[k], strict=True)]
    found = [0j] * size
    for k in reversed(range(size)):
        found[k] = (rows[k][size] - sum(rows[k][j] * found[j] for j in range(k + 1, size))) / rows[k][k]
    return found


def currents(coil: Coil, parked: complex, on_air: Place) -> dict[Place, complex]:
    """Current of every loop when the one at `on_air` carries 1; `parked` is the impedance around a parked loop, its own
    inductance included."""
    places = [(x, y) for y in range(ROWS) for x in range(COLUMNS)]
    others = [place for place in places if place != on_air]

    def coupled(a: Place, b: Place) -> complex:
        return 1j * OMEGA * mutual(coil, PITCH * abs(a[0] - b[0]), PITCH * abs(a[1] - b[1]))

    matrix = [[parked if a == b else coupled(a, b) for b in others] for a in others]
    found = solve(matrix, [-coupled(a, on_air) for a in others])
    return {on_air: 1 + 0j} | dict(zip(others, found, strict=True))


@cache
def _unit_field(coil: Coil, x: float, y: float) -> float:
    """A/m for one ampere, averaged over a tag where the field is curved, at its centre further away."""
    segments = [(*a, *b) for a, b in _segments(coil)]
    far = hypot(x, y) > 80
    h = (field_model.vertical_field if far else field_model.tag_field)(segments, x, y, HEIGHT)
    return h / field_model.CURRENT


def field(coil: Coil, loops: dict[Place, complex], x: float, y: float) -> float:
    """|H| in A/m at a point of the table (mm from the centre of the tile at column 0, row 0)."""
    return abs(
        sum(
            current * _unit_field(coil, abs(x - PITCH * px), abs(y - PITCH * py))
            for (px, py), current in loops.items()
            if abs(x - PITCH * px) < 200 and abs(y - PITCH * py) < 200
        )
    )


class Separation(NamedTuple):
    own: float  # A/m per ampere on air: weakest place of the own tile
    cross: float  # strongest place of any other tile
    beside: float  # current of the loop beside, relative
    diagonal: float
    second: float  # two tiles away

    @property
    def ratio(self) -> float:
        return self.own / self.cross


def _spots(reach: float = REACH) -> list[float]:
    count = round(2 * reach / STEP)
    return [-reach + 2 * reach * k / count for k in range(count + 1)]


def separation(coil: Coil, parked: complex, on_air: Place = (2, 2)) -> Separation:
    """Own and cross field with every other reader parked. Only the tiles beside, diagonal and two away are looked at:
    beyond them both the direct field and the currents are smaller."""
    loops = currents(coil, parked, on_air)
    x0, y0 = PITCH * on_air[0], PITCH * on_air[1]
    spots = _spots()
    own = min(field(coil, loops, x0 + x, y0 + y) for x in spots for y in spots)
    cross = 0.0
    for dx, dy in ((1, 0), (1, 1), (2, 0)):
        for x in spots:
            for y in spots:
                cross = max(cross, field(coil, loops, x0 + PITCH * dx + x, y0 + PITCH * dy + y))

    def share(dx: int, dy: int) -> float:
        return abs(loops[(on_air[0] + dx, on_air[1] + dy)])

    return Separation(own, cross, share(1, 0), share(1, 1), share(2, 0))
