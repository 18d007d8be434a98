"""The tests that a maker of boards and a knife would do, on the plotted files: `python -m hardware.pcb.proof BOARD FOLDER`.

Bare board: all pads of a net lie on one island of copper, and no two nets share one. Only the coil's two nets do, by way of
the coil; they get the cut test instead. Cut test: wherever the coil is cut, in whichever turn, its two ends come apart. A turn
that is shorted carries on past the cut: the design rules do not see it, because the coil is a net tie.
"""

import sys
from collections.abc import Iterator
from pathlib import Path

from hardware.pcb.boards import PLANS
from hardware.pcb.coil import TILE
from hardware.pcb.copper import FRONT, Copper
from hardware.pcb.plan import Pad, Plan, Point

ORIGIN = (60.0, 60.0)  # of the plotted sheet, see `kicad.py`
COIL_NETS = ("COIL_A", "COIL_B")
BLADE = 0.4  # mm, width of a cut


def _sheet(pad: Pad) -> tuple[float, float, str]:
    return ORIGIN[0] + pad.x, ORIGIN[1] + pad.y, pad.layer[0]


def bare_board(plan: Plan, copper: Copper) -> Iterator[str]:
    """Opens and shorts."""
    islands = copper.islands()
    owner: dict[int, str] = {}
    for net in sorted({pad.net for pad in plan.pads if pad.net}):
        own = {islands.island(*_sheet(pad)) for pad in plan.pads if pad.net == net}
        if None in own or len(own) > 1:
            yield f"{net} is in {len(own)} pieces"
        for island in own - {None}:
            assert island is not None
            other = owner.setdefault(island, net)
            if other != net and {net, other} != set(COIL_NETS):
                yield f"{net} and {other} are joined"


def cut_test(
    folder: Path, name: str, ends: tuple[Point, Point], turns: int, centre: Point, reach: float
) -> Iterator[str]:
    """Cuts each turn on each of the four sides; `ends` are points of copper on the upper face that the coil joins."""
    whole = Copper(folder, name)
    islands = whole.islands()
    if islands.island(*ends[0]) is None or islands.island(*ends[0]) != islands.island(*ends[1]):
        yield "the coil's ends are not joined"
        return
    aside = 8.0  # mm from the middle line, where no lead runs
    x, y = centre
    ways = {
        "left": ((x, y + aside), (x - reach, y + aside)),
        "right": ((x, y + aside), (x + reach, y + aside)),
        "upper": ((x + aside, y), (x + aside, y - reach)),
        "lower": ((x + aside, y), (x + aside, y + reach)),
    }
    for side, (start, end) in ways.items():
        crossed = whole.faces[FRONT].crossings(start, end)
        if len(crossed) != turns:
            yield f"{len(crossed)} turns on the {side} side instead of {turns}"
        for turn, point in enumerate(crossed, 1):
            copper = Copper(folder, name)
            upright = side in ("left", "right")
            copper.faces[FRONT].cut(*point, *((1.4, BLADE) if upright else (BLADE, 1.4)))
            cut = copper.islands()
            if cut.island(*ends[0]) == cut.island(*ends[1]):
                yield f"turn {turn} from within is shorted: cut on the {side} side, it still joins both ends"


def main() -> None:
    plan, folder = PLANS[sys.argv[1]], Path(sys.argv[2]) / "gerber"
    wrong = list(bare_board(plan, Copper(folder, plan.name)))
    if plan.name == "tile":
        lead = plan.fixed[0].a  # where the coil's first end leaves the strip
        tie = next(pad for pad in plan.pads if pad.reference == "L1" and pad.net == "COIL_B")
        ends = ((ORIGIN[0] + lead[0], ORIGIN[1] + lead[1]), _sheet(tie)[:2])
        wrong += cut_test(folder, plan.name, ends, TILE.turns, ORIGIN, 28.5)
    print(
        f"{plan.title}: bare-board test{' and cut test' if plan.name == 'tile' else ''}, {len(wrong)} faults"
    )
    if wrong:
        sys.exit("\n".join(wrong))


if __name__ == "__main__":
    main()
