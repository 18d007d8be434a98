"""The router's board: a grid of cells over both faces, what lies on it, and where a track or via may still lie.

For every width of track there is one map of walls (foreign pads, fixed tracks, holes, the edge) and one of what other nets have
laid, so that the search only looks things up.
"""

from collections.abc import Iterable, Iterator
from math import ceil, hypot
from typing import NamedTuple

from hardware.pcb.plan import BACK, FRONT, Pad, Plan, Point, Track

VIA, VIA_DRILL = 0.7, 0.35
EDGE = 0.35  # mm, copper to the board's edge
WALL = -1  # no net may lie here
FREE = 0
POURED = "GND"  # poured on both faces; where a plan does not route it, vias join the two pours
POUR_HALF = 0.125  # mm, half of the narrowest neck of a pour that counts
STEPS = ((1, 0), (-1, 0), (0, 1), (0, -1), (1, 1), (1, -1), (-1, 1), (-1, -1))


class Via(NamedTuple):
    net: str
    x: float
    y: float


class Laid(NamedTuple):
    """What a net, or all of them, has put on the board."""

    tracks: list[Track]
    vias: list[Via]


def off(track: Track, x: float, y: float) -> float:
    """Distance of a point from the track's edge."""
    (ax, ay), (bx, by) = track.a, track.b
    length2 = (bx - ax) ** 2 + (by - ay) ** 2
    t = 0.0 if length2 == 0 else max(0.0, min(1.0, ((x - ax) * (bx - ax) + (y - ay) * (by - ay)) / length2))
    return hypot(x - ax - t * (bx - ax), y - ay - t * (by - ay)) - track.width / 2


class Cells:
    """Cells are numbered: all of the upper face row by row, then all of the lower one."""

    def __init__(self, plan: Plan) -> None:
        self.plan = plan
        self.left, self.top, right, bottom = plan.area
        self.grid = plan.grid
        self.columns = round((right - self.left) / self.grid) + 1
        self.rows = round((bottom - self.top) / self.grid) + 1
        self.face = self.columns * self.rows
        self.laid: dict[str, Laid] = {}
        self.number = {net: n for n, net in enumerate((*plan.order, POURED), 1)}
        self.halves = sorted(
            {round(plan.width(net) / 2, 4) for net in plan.order}
            | {VIA / 2, POUR_HALF, round(plan.signal / 2, 4)}
        )
        self.walls = {half: self._walls(half) for half in self.halves}
        self.taken: dict[float, dict[int, list[str]]] = {half: {} for half in self.halves}
        self.marks: dict[str, list[tuple[float, set[int]]]] = {}

    @property
    def tracks(self) -> list[Track]:
        return [*self.plan.fixed, *(track for laid in self.laid.values() for track in laid.tracks)]

    @property
    def vias(self) -> list[Via]:
        return [via for laid in self.laid.values() for via in laid.vias]

    def at(self, cell: int) -> Point:
        j, i = divmod(cell % self.face, self.columns)
        return round(self.left + i * self.grid, 4), round(self.top + j * self.grid, 4)

    def _around(self, x: float, y: float, reach_x: float, reach_y: float) -> Iterator[int]:
        """Cells of the upper face in a box around a point."""
        tiny = 1e-6
        columns = range(
            max(0, ceil((x - reach_x - self.left) / self.grid - tiny)),
            min(self.columns - 1, int((x + reach_x - self.left) / self.grid + tiny)) + 1,
        )
        rows = range(
            max(0, ceil((y - reach_y - self.top) / self.grid - tiny)),
            min(self.rows - 1, int((y + reach_y - self.top) / self.grid + tiny)) + 1,
        )
        return (j * self.columns + i for j in rows for i in columns)

    def _near_track(self, track: Track, keep: float) -> Iterator[int]:
        (ax, ay), (bx, by) = track.a, track.b
        reach = keep + track.width / 2
        shift = 0 if track.layer == FRONT else self.face
        for cell in self._around(
            (ax + bx) / 2, (ay + by) / 2, abs(ax - bx) / 2 + reach, abs(ay - by) / 2 + reach
        ):
            if off(track, *self.at(cell)) < keep - 1e-6:
                yield cell + shift

    def _near_disc(self, x: float, y: float, radius: float) -> Iterator[int]:
        for cell in self._around(x, y, radius, radius):
            px, py = self.at(cell)
            if hypot(px - x, py - y) < radius - 1e-6:
                yield cell
                yield cell + self.face

    def _near_pad(self, pad: Pad, keep: float) -> Iterator[int]:
        for cell in self._around(pad.x, pad.y, pad.width / 2 + keep, pad.height / 2 + keep):
            x, y = self.at(cell)
            beside = max(abs(x - pad.x) - pad.width / 2, 0), max(abs(y - pad.y) - pad.height / 2, 0)
            if hypot(*beside) < keep - 1e-6:
                for layer, shift in ((FRONT, 0), (BACK, self.face)):
                    if layer in pad.layer:
                        yield cell + shift

    def _walls(self, half: float) -> list[int]:
        """For the middle of a track or via of this half width: FREE, the number of the one net that may lie here, or WALL."""
        keep = self.plan.clearance + half
        found = [FREE] * (2 * self.face)

        def claim(cells: Iterable[int], net: str) -> None:
            number = self.number.get(net, WALL)
            for cell in cells:
                found[cell] = number if found[cell] in (FREE, number) else WALL

        for pad in self.plan.pads:
            claim(self._near_pad(pad, keep), pad.net)
        for track in self.plan.fixed:
            claim(self._near_track(track, keep), track.net)
        for x, y in self.plan.holes:
            claim(self._near_disc(x, y, self.plan.hole / 2 + 0.2 + keep), "")
        left, top, right, bottom = self.plan.outline
        for cell in range(self.face):
            x, y = self.at(cell)
            if min(x - left, right - x, y - top, bottom - y) < EDGE + half:
                claim((cell, cell + self.face), "")
        return found

    def _cells_of(self, pad: Pad) -> set[int]:
        inside = list(self._around(pad.x, pad.y, pad.width / 2, pad.height / 2))
        near = min(inside, key=lambda cell: hypot(self.at(cell)[0] - pad.x, self.at(cell)[1] - pad.y))
        return {near + (0 if layer == FRONT else self.face) for layer in pad.layer}

    def _mark(self, net: str) -> None:
        """Notes for every width where this net's copper is too near for another net."""
        laid = self.laid[net]
        self.marks[net] = []
        for half in self.halves:
            keep = self.plan.clearance + half
            cells = {cell for track in laid.tracks for cell in self._near_track(track, keep)}
            cells |= {cell for via in laid.vias for cell in self._near_disc(via.x, via.y, VIA / 2 + keep)}
            for cell in cells:
                self.taken[half].setdefault(cell, []).append(net)
            self.marks[net].append((half, cells))

    def _take_up(self, net: str) -> None:
        del self.laid[net]
        for half, cells in self.marks.pop(net):
            for cell in cells:
                self.taken[half][cell].remove(net)
