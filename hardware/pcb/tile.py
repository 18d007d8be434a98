"""The tile board's plan. Millimetres, origin at the coil's centre, y down, seen from above.

The coil has the upper 62 x 58 mm for itself. Everything else sits on a 16 mm strip below it, which lies under the frame's
rib, so that no copper is inside the coil and the lamp shines through the rib. Nets come from the circuit.
"""

from itertools import pairwise
from typing import NamedTuple

from hardware.circuit.boards import BOARDS
from hardware.circuit.parts import KINDS
from hardware.pcb.coil import LEAD, TILE, track
from hardware.pcb.plan import BACK, BOTH, FRONT, Pad, Placed, Plan, Text, Track

LEFT, RIGHT, TOP, BOTTOM = -31.0, 31.0, -29.0, 45.0
STRIP_TOP = 29.0
GROUND_TOP = 31.0  # ground copper keeps this far from the coil
HOLES = ((-28.6, 31.2), (28.6, 32.6))
HOLE = 2.7  # M2.5 nylon


class Spot(NamedTuple):
    """Where a part lies: its middle, its side of the board, and its pads relative to the middle (number, x, y)."""

    x: float
    y: float
    layer: str
    size: tuple[float, float]
    pads: tuple[tuple[int, float, float], ...]
    drill: float = 0.0


def _two(
    x: float, y: float, apart: float, size: tuple[float, float], upright: bool = False, turned: bool = False
) -> Spot:
    """Two pads in a row; upright: above each other; turned: pad 2 first."""
    sign = -1 if turned else 1
    ends = tuple(
        (n, 0.0, s * sign * apart / 2) if upright else (n, s * sign * apart / 2, 0.0)
        for n, s in ((1, -1), (2, 1))
    )
    return Spot(x, y, BACK, (size[1], size[0]) if upright else size, ends)


# A box header on the lower face, seen from above: odd pins in the upper row, even pins in the lower one, 1 at the left.
_BOX = tuple((2 * k + row + 1, 2.54 * k, 2.54 * row) for k in range(7) for row in range(2))
_ROW = tuple((k + 1, 2.54 * k, 0.0) for k in range(13))
_LAMP = ((1, -2.45, -1.65), (2, -2.45, 1.65), (3, 2.45, 1.65), (4, 2.45, -1.65))

SPOTS: dict[str, Spot] = {
    "J1": Spot(-25.5, 37.0, BOTH, (1.7, 1.7), _BOX, 1.0),
    "M1": Spot(-2.0, 41.8, BOTH, (1.7, 1.7), _ROW, 1.0),
    "J2": Spot(0.0, 31.4, BOTH, (1.8, 1.8), ((1, -13.4, 0.0), (2, 13.4, 0.0)), 0.9),
    "C2": _two(0.0, 36.6, 2.0, (1.1, 1.4)),
    "C1": _two(0.0, 34.2, 3.4, (1.4, 1.6)),
    "R1": _two(-9.4, 31.4, 3.0, (1.2, 1.7)),
    "R2": _two(9.4, 31.4, 3.0, (1.2, 1.7), turned=True),
    "L2": _two(-4.4, 31.4, 2.4, (1.2, 2.5)),
    "L3": _two(4.4, 31.4, 2.4, (1.2, 2.5), turned=True),
    "R3": _two(28.4, 37.6, 2.0, (1.1, 1.4), upright=True, turned=True),
    "D1": Spot(17.0, 37.0, FRONT, (1.5, 1.0), _LAMP),
    "C3": _two(11.0, 34.6, 2.0, (1.1, 1.4)),
    "C4": _two(11.0, 37.4, 3.0, (1.2, 1.7)),
    "C5": _two(23.6, 36.9, 2.0, (1.1, 1.4)),
    "C6": _two(23.6, 33.6, 3.0, (1.2, 1.7)),
}

# The coil is one track of the net COIL_A. Where it ends, pad 1 touches pad 2, which begins COIL_B: a net tie. What a net tie
# hides from the design rules, the cut test sees. One turn needs no hole and no crossing.
END_Y = 28.0
COIL_PADS = (
    Pad("L1", 1, "1", "COIL_A", LEAD, END_Y, TILE.width, 1.2, FRONT),
    Pad("L1", 2, "2", "COIL_B", LEAD, END_Y + 1.4, TILE.width, 1.8, FRONT),
)
WIDTHS = {"5V": 0.8, "3V3": 0.6, "GND": 0.5}
WIDTHS |= dict.fromkeys(("COIL_A", "COIL_B", "LEG_A", "LEG_B", "FEED_A", "FEED_B"), 0.6)
# The order in which the router begins: it finds a way for all from any order, from this one soon.
ORDER = [
    "COIL_A",
    "COIL_B",
    "LEG_A",
    "LEG_B",
    "FEED_A",
    "FEED_B",
    "SCK",
    "MOSI",
    "MISO",
    "GND",
    "RESET",
    "3V3",
    "LAMP_OUT",
    "LAMP_IN",
    "NSS",
    "BUSY",
    "5V",
    "REQ",
]


def pads() -> list[Pad]:
    board = BOARDS["tile"]
    found = list(COIL_PADS)
    for reference, spot in SPOTS.items():
        names = {pin.number: pin.name for pin in KINDS[board.parts[reference]].pins}
        for number, dx, dy in spot.pads:
            net = board.net_of(f"{reference}.{names[number]}") or ""
            place = (round(spot.x + dx, 3), round(spot.y + dy, 3))
            found.append(
                Pad(reference, number, names[number], net, *place, *spot.size, spot.layer, spot.drill)
            )
    return found


def coil_tracks() -> tuple[Track, ...]:
    """The turn, its lead down to the strip, and its other end down to the net tie."""
    points = [(-LEAD, STRIP_TOP), *track(TILE), (LEAD, END_Y)]
    return tuple(Track("COIL_A", FRONT, TILE.width, a, b) for a, b in pairwise(points))


def _placed() -> tuple[Placed, ...]:
    found = []
    for reference, spot in SPOTS.items():
        own = [pad for pad in pads() if pad.reference == reference]
        left, right = min(p.x - p.width / 2 for p in own), max(p.x + p.width / 2 for p in own)
        top, bottom = min(p.y - p.height / 2 for p in own), max(p.y + p.height / 2 for p in own)
        body = (left, top, right, bottom)
        upright = len(spot.pads) == 2 and spot.pads[0][1] == spot.pads[1][1]
        first = next((x, y) for number, x, y in spot.pads if number == 1)
        turn = (270.0 if first[1] < 0 else 90.0) if upright else (180.0 if first[0] > 0 else 0.0)
        side = FRONT if spot.layer == FRONT else BACK
        found.append(Placed(reference, (left + right) / 2, (top + bottom) / 2, turn, side, body))
    return tuple(found)


def _texts() -> tuple[Text, ...]:
    found = []
    for reference, spot in SPOTS.items():
        front = spot.layer == FRONT
        if reference not in ("M1", "J1", "J2"):
            low = max(pad.y + pad.height / 2 for pad in pads() if pad.reference == reference)
            beside = reference in ("C3", "C4", "C5", "C6")
            where = (spot.x - 3.3, spot.y) if beside else (spot.x, 33.0 if front else low + 0.75)
            found.append(Text(reference, *where, front, 0.8))
    found += [Text(pad.name, pad.x, 39.4, False, 0.65, True) for pad in pads() if pad.reference == "M1"]
    found += [
        Text("M1 PN5180 module below", 12.2, 43.9, True, 0.8),
        Text("J1 row cable", -17.9, 34.9, True, 0.8),
        Text("J2 feed A", -13.4, 33.2, True, 0.7),
        Text("J2 feed B", 13.4, 33.2, True, 0.7),
        Text("1", -27.2, 37.0, False, 0.9),
        Text("Naqala tile board, coil 54 mm, CERN-OHL-P-2.0", 0, -2, True, 1.2),
        Text("unverified prototype", 0, 1.5, True, 1.2),
    ]
    return tuple(found)


def plan() -> Plan:
    edge = 0.6
    return Plan(
        name="tile",
        title=BOARDS["tile"].title,
        outline=(LEFT, TOP, RIGHT, BOTTOM),
        holes=HOLES,
        hole=HOLE,
        pads=tuple(pads()),
        placed=_placed(),
        texts=_texts(),
        fixed=coil_tracks(),
        area=(LEFT + edge, STRIP_TOP, RIGHT - edge, BOTTOM - edge),
        ground=(LEFT + 0.5, GROUND_TOP, RIGHT - 0.5, BOTTOM - 0.5),
        grid=0.2,
        clearance=0.24,
        signal=0.3,
        widths=WIDTHS,
        order=tuple(ORDER),
    )
