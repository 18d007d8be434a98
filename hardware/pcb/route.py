"""A small two-layer router: finds tracks between pads on a grid, keeping clear of everything that belongs to another net.

In: a plan. Out: tracks and vias. A net that finds no free way may cross tracks of other nets at a price; those are taken up
again and look for another way, and where nets keep meeting the price rises. The search runs towards its goal (A*).

`python -m hardware.pcb.route BOARD` routes a board into `routes/BOARD.json`, which is kept in git beside the digest of the plan
it was made from: a board is routed again only when its plan has changed, because it can take minutes. Design rules and
bare-board test judge the result each time.
"""

import hashlib
import heapq
import json
import sys
from collections import Counter, deque
from collections.abc import Iterator
from itertools import pairwise
from math import hypot
from pathlib import Path

from hardware.pcb.boards import PLANS
from hardware.pcb.cells import FREE, POUR_HALF, POURED, STEPS, VIA, Cells, Laid, Via
from hardware.pcb.plan import BACK, FRONT, Plan, Track

ROUTES = Path(__file__).parent / "routes"
VIA_COST, TURN_COST = 5.0, 0.3  # in grid steps
CROSSING_COST, MEETING_COST = 6.0, 3.0
STIFFENING = 0.02  # crossing gets dearer by this share with every net that was laid
STITCH = 4  # grid steps from one such via to the next
LAYERS = (FRONT, BACK)


class Router(Cells):
    """Lays all nets of a plan."""

    def __init__(self, plan: Plan) -> None:
        super().__init__(plan)
        self.met: Counter[int] = Counter()
        self.crossing = CROSSING_COST
        across = plan.across
        self.prices = (
            {(di, dj): hypot(di, dj) + across * (dj != 0) for di, dj in STEPS},
            {(di, dj): hypot(di, dj) + across * (di != 0) for di, dj in STEPS},
        )

    def join(self, net: str) -> set[str]:
        """Joins all pads of a net, nearest first, into one tree. Gives the nets it had to cross."""
        width = self.plan.width(net)
        half = round(width / 2, 4)
        waiting = [
            (pad, self._cells_of(pad)) for pad in self.plan.pads if pad.net == net and pad.y >= self.top
        ]
        joined = {
            cell
            for track in self.plan.fixed
            if track.net == net
            for cell in self._near_track(track, self.grid * 0.51 - track.width / 2)
        }
        waiting = [(pad, cells) for pad, cells in waiting if not cells & joined]
        if not joined:
            joined = waiting.pop(0)[1]
        laid, crossed = Laid([], []), set[str]()
        taken, via_taken = self.taken[half], self.taken[VIA / 2]
        while waiting:
            goal = set[int]().union(*(cells for _, cells in waiting))
            path = self._search(net, half, joined, goal)
            if not path:
                raise ValueError(f"{net}: no way to {', '.join(pad.reference for pad, _ in waiting)}")
            self._lay(laid, net, width, path)
            for before, cell in pairwise([path[0], *path]):
                through = before != cell and before % self.face == cell % self.face
                meets = (
                    {*via_taken.get(cell, ()), *via_taken.get(before, ())}
                    if through
                    else set(taken.get(cell, ()))
                )
                if meets:
                    self.met[cell] += 1
                    crossed |= meets
            joined |= set(path)
            reached = [cells for _, cells in waiting if path[-1] in cells]
            joined = joined.union(*reached)
            waiting = [(pad, cells) for pad, cells in waiting if path[-1] not in cells]
        self.laid[net] = laid
        self._mark(net)
        self.crossing += CROSSING_COST * STIFFENING
        return crossed

    def _search(self, net: str, half: float, start: set[int], goal: set[int]) -> list[int]:
        """Cheapest way from any start to any goal. What is still to go is at least the way to the box around the goals."""
        own, columns, face = self.number[net], self.columns, self.face
        walls, via_walls = self.walls[half], self.walls[VIA / 2]
        taken, via_taken, met = self.taken[half], self.taken[VIA / 2], self.met
        spots = [divmod(cell % face, columns) for cell in goal]
        low_j, high_j = min(j for j, _ in spots), max(j for j, _ in spots)
        low_i, high_i = min(i for _, i in spots), max(i for _, i in spots)

        def left(cell: int) -> float:
            j, i = divmod(cell % face, columns)
            di, dj = max(low_i - i, i - high_i, 0), max(low_j - j, j - high_j, 0)
            return max(di, dj) + 0.41 * min(di, dj)

        prices, crossing = self.prices, self.crossing
        heap = [(left(cell), 0.0, cell, -1) for cell in sorted(start)]
        heapq.heapify(heap)
        came: dict[int, int] = {}
        cost = dict.fromkeys(start, 0.0)
        while heap:
            _, spent, cell, before = heapq.heappop(heap)
            if cell in came:
                continue
            came[cell] = before
            if cell in goal:
                return _back(came, cell)
            j, i = divmod(cell % face, columns)
            base = cell - cell % face
            for di, dj in STEPS:
                x, y = i + di, j + dj
                if not (0 <= x < columns and 0 <= y < self.rows):
                    continue
                there = base + y * columns + x
                if there in came or walls[there] not in (FREE, own):
                    continue
                if di and dj:  # a slanting track comes near what lies beside it
                    beside = (base + j * columns + x, base + y * columns + i)
                    if any(
                        walls[b] not in (FREE, own) or any(n != net for n in taken.get(b, ())) for b in beside
                    ):
                        continue
                price = spent + prices[base > 0][di, dj] + MEETING_COST * met[there]
                if before >= 0 and cell - before != dj * columns + di:
                    price += TURN_COST
                if there in taken:
                    price += crossing * sum(other != net for other in taken[there])
                if price < cost.get(there, 1e9):
                    cost[there] = price
                    heapq.heappush(heap, (price + left(there), price, there, cell))
            through = (cell + face) % (2 * face)
            if through not in came and via_walls[cell] in (FREE, own) and via_walls[through] in (FREE, own):
                meets = sum(other != net for c in (cell, through) for other in via_taken.get(c, ()))
                price = spent + VIA_COST + crossing * meets
                if price < cost.get(through, 1e9):
                    cost[through] = price
                    heapq.heappush(heap, (price + left(through), price, through, cell))
        return []

    def _lay(self, laid: Laid, net: str, width: float, path: list[int]) -> None:
        """Straight runs of a path become tracks, changes of layer become vias."""
        run = [path[0]]
        for before, cell in pairwise(path):
            through = before % self.face == cell % self.face
            if through or (len(run) > 1 and cell - before != before - run[-2]):
                self._run(laid, net, width, run)
                run = [before]
            if through:
                laid.vias.append(Via(net, *self.at(cell)))
                run = [cell]
            else:
                run.append(cell)
        self._run(laid, net, width, run)

    def _run(self, laid: Laid, net: str, width: float, run: list[int]) -> None:
        if len(run) > 1:
            layer = LAYERS[run[0] // self.face]
            laid.tracks.append(Track(net, layer, width, self.at(run[0]), self.at(run[-1])))

    def keep(self, kept: Laid) -> None:
        """Begins with an earlier route: nets that still fit stay as they lie, the others are routed."""
        for net in self.plan.order:
            tracks = [track for track in kept.tracks if track.net == net and track not in self.plan.fixed]
            vias = [via for via in kept.vias if via.net == net]
            if tracks and self._fits(net, Laid(tracks, vias)):
                self.laid[net] = Laid(tracks, vias)
                self._mark(net)

    def _fits(self, net: str, laid: Laid) -> bool:
        """Does this copper keep clear of everything that is there, and does it join all pads of its net?"""
        own, half = self.number[net], round(self.plan.width(net) / 2, 4)
        groups: list[set[int]] = [
            self._cells_of(pad) for pad in self.plan.pads if pad.net == net and pad.y >= self.top
        ]
        for track in laid.tracks:
            if round(track.width / 2, 4) != half:
                return False
            groups.append(set(self._near_track(track._replace(width=0.0), self.grid * 0.49)))
            near = self._near_track(track._replace(width=0.0), self.grid * 0.72)
            slant = track.a[0] != track.b[0] and track.a[1] != track.b[1]
            for cell in near if slant else groups[-1]:
                if self.walls[half][cell] not in (FREE, own) or self.taken[half].get(cell):
                    return False
        for via in laid.vias:
            cells = set(self._near_disc(via.x, via.y, self.grid * 0.49))
            groups.append(cells)
            if any(self.walls[VIA / 2][c] not in (FREE, own) or self.taken[VIA / 2].get(c) for c in cells):
                return False
        joined = groups.pop()
        while touching := [group for group in groups if group & joined]:
            groups = [group for group in groups if not group & joined]
            joined = joined.union(*touching)
        return not groups

    def route(self) -> None:
        """All nets; a net that was crossed is taken up and routed again. Last the pads that no pour of ground reaches."""
        queue = deque(net for net in self.plan.order if net not in self.laid)
        for _ in range(self.plan.patience):
            last = not queue
            crossed = self._reach_ground() if last else self.join(queue.popleft())
            for net in sorted(crossed):
                self._take_up(net)
                if net in self.plan.order:
                    queue.append(net)
            if last and not crossed:
                break
        else:
            raise ValueError(f"gave up on {', '.join(queue)}")
        if POURED not in self.plan.order:
            kept = self.laid.get(POURED, Laid([], []))
            main = self._pours()[0]
            useful = [
                via for via in self._stitches() if main.issuperset(self._around(via.x, via.y, 0.01, 0.01))
            ]
            self.laid[POURED] = Laid(kept.tracks, [*kept.vias, *useful])

    def _open_to_ground(self, cell: int) -> bool:
        if self.walls[POUR_HALF][cell] not in (FREE, self.number[POURED]):
            return False
        return all(net == POURED for net in self.taken[POUR_HALF].get(cell, ()))

    def _stitches(self) -> Iterator[Via]:
        """A via wherever there is room for one, so that no part of a pour hangs on a single neck."""
        walls, taken = self.walls[VIA / 2], self.taken[VIA / 2]
        for j in range(1, self.rows - 1, STITCH):
            for i in range(1, self.columns - 1, STITCH):
                cells = (j * self.columns + i, j * self.columns + i + self.face)
                if all(walls[cell] == FREE and not taken.get(cell) for cell in cells):
                    yield Via(POURED, *self.at(cells[0]))

    def _pours(self) -> list[set[int]]:
        """Which cells the poured ground will reach from one another, the largest such region first."""
        joints = {cell for via in self._stitches() for cell in self._around(via.x, via.y, 0.01, 0.01)}
        for pad in self.plan.pads:
            if pad.net == POURED and pad.drill:
                joints |= {cell % self.face for cell in self._cells_of(pad)}
        for via in self.laid.get(POURED, Laid([], [])).vias:
            joints |= set(self._around(via.x, via.y, 0.01, 0.01))
        waiting = {cell for cell in range(2 * self.face) if self._open_to_ground(cell)}
        regions = []
        while waiting:
            region, edge = set[int](), [waiting.pop()]
            while edge:
                cell = edge.pop()
                region.add(cell)
                i = cell % self.columns
                near = (
                    [cell - self.columns, cell + self.columns]
                    + [cell - 1] * (i > 0)
                    + [cell + 1] * (i + 1 < self.columns)
                )
                near = [n for n in near if n // self.face == cell // self.face]
                if cell % self.face in joints:
                    near.append((cell + self.face) % (2 * self.face))
                fresh = [n for n in near if n in waiting]
                waiting.difference_update(fresh)
                edge += fresh
            regions.append(region)
        return sorted(regions, key=len, reverse=True)

    def _reach_ground(self) -> set[str]:
        """Tracks that join the pours which have ground pads in them. Gives the nets they had to cross."""
        if POURED in self.plan.order:
            return set()
        pads = set[int]().union(*(self._cells_of(pad) for pad in self.plan.pads if pad.net == POURED))
        main, *others = self._pours()
        crossed = set[str]()
        width = self.plan.signal
        half = round(width / 2, 4)
        laid = self.laid.get(POURED, Laid([], []))
        if POURED in self.laid:
            self._take_up(POURED)
        for region in others:
            if not region & pads:
                continue
            path = self._search(POURED, half, region, main)
            if not path:
                raise ValueError(f"{POURED}: no way between two pours")
            self._lay(laid, POURED, width, path)
            for before, cell in pairwise([path[0], *path]):
                through = before != cell and before % self.face == cell % self.face
                meets = self.taken[half].get(cell, [])
                if through:
                    meets = [net for c in (cell, before) for net in self.taken[VIA / 2].get(c, ())]
                crossed |= set(meets)
            main |= region | set(path)
        self.laid[POURED] = laid
        self._mark(POURED)
        self.crossing += CROSSING_COST * STIFFENING
        return crossed


def _back(came: dict[int, int], cell: int) -> list[int]:
    path = []
    while cell >= 0:
        path.append(cell)
        cell = came[cell]
    return path[::-1]


def digest(plan: Plan) -> str:
    """Changes whenever something changes that a route depends on."""
    seen = repr(plan._replace(texts=(), placed=(), title="", patience=0))
    return hashlib.sha256(seen.encode()).hexdigest()[:16]


def load(file: Path) -> Laid:
    """What `main` kept."""
    kept = json.loads(file.read_text())
    tracks = [
        Track(net, layer, width, (a[0], a[1]), (b[0], b[1])) for net, layer, width, a, b in kept["tracks"]
    ]
    return Laid(tracks, [Via(*via) for via in kept["vias"]])


def main() -> None:
    plan = PLANS[sys.argv[1]]
    file = ROUTES / f"{plan.name}.json"
    if not file.exists() or json.loads(file.read_text())["plan"] != digest(plan):
        router = Router(plan)
        if file.exists():
            router.keep(load(file))
        print(f"{plan.title}: {len(router.laid)} of {len(plan.order)} nets fit as they lie", flush=True)
        router.route()
        lines = [json.dumps(item) for item in (*router.tracks, *router.vias)]
        cut = len(router.tracks)
        body = '{{"plan": "{}",\n"tracks": [\n{}],\n"vias": [\n{}]}}\n'
        file.write_text(body.format(digest(plan), ",\n".join(lines[:cut]), ",\n".join(lines[cut:])))
    laid = load(file)
    print(f"{plan.title}: {len(plan.order)} nets, {len(laid.tracks)} tracks, {len(laid.vias)} vias")


if __name__ == "__main__":
    main()
