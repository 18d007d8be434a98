"""A small two-layer router: finds tracks between pads on a grid, keeping clear of everything that belongs to another net.

In: pads, fixed tracks, holes, the area in which it may route. Out: tracks and vias. A net that finds no free way may cross
tracks of other nets at a price; those are taken up again and look for another way, and where nets keep meeting the price rises.
`python -m hardware.pcb.route FILE` routes the tile board and keeps the result, for the KiCad board and for the drawing.
"""

import heapq
import json
import sys
from collections import Counter, deque
from collections.abc import Iterable, Iterator
from itertools import pairwise
from math import ceil, hypot
from pathlib import Path
from typing import NamedTuple

from hardware.pcb import layout
from hardware.pcb.layout import BACK, FRONT, Pad

GRID = 0.2
CLEARANCE = 0.22
VIA, VIA_DRILL = 0.7, 0.35
VIA_COST, TURN_COST = 5.0, 0.3  # in grid steps
CROSSING_COST, MEETING_COST = 6.0, 3.0
PATIENCE = 150  # nets routed in all before giving up

Cell = tuple[int, int, str]
STEPS = ((1, 0), (-1, 0), (0, 1), (0, -1), (1, 1), (1, -1), (-1, 1), (-1, -1))


class Track(NamedTuple):
    net: str
    layer: str
    width: float
    a: tuple[float, float]
    b: tuple[float, float]

    def off(self, x: float, y: float) -> float:
        """Distance of a point from the track's edge."""
        (ax, ay), (bx, by) = self.a, self.b
        length2 = (bx - ax) ** 2 + (by - ay) ** 2
        t = (
            0.0
            if length2 == 0
            else max(0.0, min(1.0, ((x - ax) * (bx - ax) + (y - ay) * (by - ay)) / length2))
        )
        return hypot(x - ax - t * (bx - ax), y - ay - t * (by - ay)) - self.width / 2


class Via(NamedTuple):
    net: str
    x: float
    y: float


class Laid(NamedTuple):
    """What one net has put on the board."""

    tracks: list[Track]
    vias: list[Via]


class Router:
    def __init__(
        self, area: tuple[float, float, float, float], pads: Iterable[Pad], fixed: Iterable[Track]
    ) -> None:
        self.left, self.top, right, bottom = area
        self.columns, self.rows = round((right - self.left) / GRID) + 1, round((bottom - self.top) / GRID) + 1
        self.pads, self.fixed = list(pads), list(fixed)
        self.laid: dict[str, Laid] = {}
        self.met: Counter[Cell] = Counter()

    @property
    def tracks(self) -> list[Track]:
        return self.fixed + [track for laid in self.laid.values() for track in laid.tracks]

    @property
    def vias(self) -> list[Via]:
        return [via for laid in self.laid.values() for via in laid.vias]

    def at(self, i: int, j: int) -> tuple[float, float]:
        return round(self.left + i * GRID, 3), round(self.top + j * GRID, 3)

    def _around(self, x: float, y: float, reach_x: float, reach_y: float) -> Iterator[tuple[int, int]]:
        columns = range(
            max(0, ceil((x - reach_x - self.left) / GRID)),
            min(self.columns - 1, int((x + reach_x - self.left) / GRID)) + 1,
        )
        rows = range(
            max(0, ceil((y - reach_y - self.top) / GRID)),
            min(self.rows - 1, int((y + reach_y - self.top) / GRID)) + 1,
        )
        return ((i, j) for i in columns for j in rows)

    def _near_track(self, track: Track, keep: float) -> Iterator[Cell]:
        (ax, ay), (bx, by) = track.a, track.b
        reach = keep + track.width / 2
        for i, j in self._around(
            (ax + bx) / 2, (ay + by) / 2, abs(ax - bx) / 2 + reach, abs(ay - by) / 2 + reach
        ):
            if track.off(*self.at(i, j)) < keep:
                yield i, j, track.layer

    def _near_disc(self, x: float, y: float, radius: float) -> Iterator[Cell]:
        for i, j in self._around(x, y, radius, radius):
            if hypot(self.at(i, j)[0] - x, self.at(i, j)[1] - y) < radius:
                yield i, j, FRONT
                yield i, j, BACK

    def walls(self, net: str, half: float) -> set[Cell]:
        """Where the middle of a track (or via) of this half width may never lie: foreign pads, fixed tracks, holes."""
        keep = CLEARANCE + half
        found: set[Cell] = set()
        for pad in self.pads:
            if pad.net == net:
                continue
            for i, j in self._around(pad.x, pad.y, pad.width / 2 + keep, pad.height / 2 + keep):
                x, y = self.at(i, j)
                if (
                    hypot(max(abs(x - pad.x) - pad.width / 2, 0), max(abs(y - pad.y) - pad.height / 2, 0))
                    < keep
                ):
                    found |= {(i, j, layer) for layer in pad.layer}
        for track in self.fixed:
            if track.net != net:
                found.update(self._near_track(track, keep))
        for x, y in layout.HOLES:
            found.update(self._near_disc(x, y, layout.HOLE / 2 + 0.2 + keep))
        return found

    def others(self, net: str, half: float) -> dict[Cell, set[str]]:
        """Which other nets' tracks and vias are too near, cell by cell."""
        keep = CLEARANCE + half
        found: dict[Cell, set[str]] = {}
        for other, laid in self.laid.items():
            if other != net:
                cells = [cell for track in laid.tracks for cell in self._near_track(track, keep)]
                cells += [cell for via in laid.vias for cell in self._near_disc(via.x, via.y, VIA / 2 + keep)]
                for cell in cells:
                    found.setdefault(cell, set()).add(other)
        return found

    def _cells_of(self, pad: Pad) -> set[Cell]:
        inside = list(self._around(pad.x, pad.y, pad.width / 2, pad.height / 2))
        i, j = min(inside, key=lambda c: hypot(self.at(*c)[0] - pad.x, self.at(*c)[1] - pad.y))
        return {(i, j, layer) for layer in pad.layer}

    def join(self, net: str, width: float) -> set[str]:
        """Joins all pads of a net, nearest first, into one tree. Gives the nets it had to cross."""
        walls, others = self.walls(net, width / 2), self.others(net, width / 2)
        via_walls, via_others = self.walls(net, VIA / 2), self.others(net, VIA / 2)
        waiting = [pad for pad in self.pads if pad.net == net and pad.y >= self.top]
        joined = {
            cell
            for track in self.fixed
            if track.net == net
            for cell in self._near_track(track, GRID * 0.51 - track.width / 2)
        }
        waiting = [pad for pad in waiting if not self._cells_of(pad) & joined]
        if not joined:
            joined = self._cells_of(waiting.pop(0))
        laid, crossed = Laid([], []), set[str]()
        while waiting:
            goal = set[Cell]().union(*(self._cells_of(pad) for pad in waiting))
            path = self._search(joined, goal, walls, others, via_walls, via_others)
            if not path:
                raise ValueError(f"{net}: no way to {', '.join(pad.reference for pad in waiting)}")
            self._lay(laid, net, width, path)
            for before, cell in pairwise([path[0], *path]):
                meets = (
                    others.get(cell, set())
                    if before[2] == cell[2]
                    else via_others.get(cell, set()) | via_others.get(before, set())
                )
                if meets:
                    self.met[cell] += 1
                    crossed |= meets
            joined |= set(path)
            for pad in waiting:
                if path[-1] in self._cells_of(pad):
                    joined |= self._cells_of(pad)
            waiting = [pad for pad in waiting if path[-1] not in self._cells_of(pad)]
        self.laid[net] = laid
        return crossed

    def _search(
        self,
        start: set[Cell],
        goal: set[Cell],
        walls: set[Cell],
        others: dict[Cell, set[str]],
        via_walls: set[Cell],
        via_others: dict[Cell, set[str]],
    ) -> list[Cell]:
        """Cheapest way (Dijkstra)."""
        heap: list[tuple[float, Cell, Cell | None]] = [(0.0, cell, None) for cell in sorted(start)]
        came: dict[Cell, Cell | None] = {}
        cost = dict.fromkeys(start, 0.0)
        while heap:
            spent, cell, before = heapq.heappop(heap)
            if cell in came:
                continue
            came[cell] = before
            if cell in goal:
                return _back(came, cell)
            i, j, layer = cell
            steps: list[tuple[Cell, float]] = []
            for di, dj in STEPS:
                there = (i + di, j + dj, layer)
                if 0 <= there[0] < self.columns and 0 <= there[1] < self.rows and there not in walls:
                    straight = before is None or (i - before[0], j - before[1]) == (di, dj)
                    price = hypot(di, dj) + (0.0 if straight else TURN_COST) + MEETING_COST * self.met[there]
                    steps.append((there, price + CROSSING_COST * len(others.get(there, ()))))
            through = (i, j, BACK if layer == FRONT else FRONT)
            if cell not in via_walls and through not in via_walls:
                meets = via_others.get(cell, set()) | via_others.get(through, set())
                steps.append((through, VIA_COST + CROSSING_COST * len(meets)))
            for there, price in steps:
                if there not in came and spent + price < cost.get(there, 1e9):
                    cost[there] = spent + price
                    heapq.heappush(heap, (spent + price, there, cell))
        return []

    def _lay(self, laid: Laid, net: str, width: float, path: list[Cell]) -> None:
        """Straight runs of a path become tracks, changes of layer become vias."""
        run = [path[0]]
        for before, cell in pairwise(path):
            turned = len(run) > 1 and (cell[0] - before[0], cell[1] - before[1]) != (
                before[0] - run[-2][0],
                before[1] - run[-2][1],
            )
            if cell[2] != before[2] or turned:
                self._run(laid, net, width, run)
                run = [before]
            if cell[2] != before[2]:
                laid.vias.append(Via(net, *self.at(cell[0], cell[1])))
                run = [cell]
            else:
                run.append(cell)
        self._run(laid, net, width, run)

    def _run(self, laid: Laid, net: str, width: float, run: list[Cell]) -> None:
        if len(run) > 1:
            laid.tracks.append(Track(net, run[0][2], width, self.at(*run[0][:2]), self.at(*run[-1][:2])))

    def route(self, widths: dict[str, float]) -> None:
        """All nets; a net that was crossed is taken up and routed again."""
        queue = deque(widths)
        for _ in range(PATIENCE):
            if not queue:
                return
            net = queue.popleft()
            for crossed in sorted(self.join(net, widths[net])):
                del self.laid[crossed]
                queue.append(crossed)
        raise ValueError(f"gave up on {', '.join(queue)}")


def load(file: Path) -> Laid:
    """What `main` kept."""
    kept = json.loads(file.read_text())
    tracks = [
        Track(net, layer, width, (a[0], a[1]), (b[0], b[1])) for net, layer, width, a, b in kept["tracks"]
    ]
    return Laid(tracks, [Via(*via) for via in kept["vias"]])


def _back(came: dict[Cell, Cell | None], cell: Cell) -> list[Cell]:
    path: list[Cell] = []
    at: Cell | None = cell
    while at is not None:
        path.append(at)
        at = came[at]
    return path[::-1]


def tile_board() -> Router:
    """The tile board with all its tracks; ground is poured later."""
    fixed = [
        Track(net, layer, width, a, b)
        for net, layer, width, points in layout.TRACKS
        for a, b in pairwise(points)
    ]
    edge = 0.6
    area = (layout.LEFT + edge, layout.STRIP_TOP, layout.RIGHT - edge, layout.BOTTOM - edge)
    router = Router(area, layout.pads(), fixed)
    router.route({net: layout.WIDTHS.get(net, layout.SIGNAL) for net in layout.ORDER})
    return router


def main() -> None:
    router = tile_board()
    Path(sys.argv[1]).write_text(json.dumps({"tracks": router.tracks, "vias": router.vias}))
    print(f"tile board: {len(layout.ORDER)} nets, {len(router.tracks)} tracks, {len(router.vias)} vias")


if __name__ == "__main__":
    main()
