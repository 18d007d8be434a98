"""Where everything lies on the tile board: outline, holes, pads. Millimetres, origin at the coil's centre, y down, seen from above.

The coil has the upper 62 x 58 mm for itself. Everything else sits on a 16 mm strip below it, which lies under the frame's
rib, so that no copper is inside the coil and the lamp shines through the rib. Nets come from the circuit.
"""

from typing import NamedTuple

from hardware.circuit.boards import BOARDS
from hardware.circuit.parts import KINDS
from hardware.pcb.coil import LEAD, TILE, track

LEFT, RIGHT, TOP, BOTTOM = -31.0, 31.0, -29.0, 45.0
STRIP_TOP = 29.0
GROUND_TOP = 31.0  # ground copper keeps this far from the coil
HOLES = ((-28.6, 31.2), (28.6, 32.6))
HOLE = 2.7  # M2.5 nylon

FRONT, BACK, BOTH = "F", "B", "FB"


class Pad(NamedTuple):
    reference: str
    number: int
    name: str
    net: str  # "" for a pin that is left open
    x: float
    y: float
    width: float
    height: float
    layer: str
    drill: float = 0.0


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

SPOTS: dict[str, Spot] = {
    "J1": Spot(-25.5, 37.0, BOTH, (1.7, 1.7), _BOX, 1.0),
    "M1": Spot(-2.0, 41.8, BOTH, (1.7, 1.7), _ROW, 1.0),
    "J2": Spot(0.0, 31.3, BOTH, (1.8, 1.8), ((1, -9.0, 0.0), (2, 9.0, 0.0)), 0.9),
    "C2": _two(0.0, 30.6, 2.0, (1.1, 1.4)),
    "C1": _two(0.0, 33.2, 3.4, (1.4, 1.6)),
    "R1": _two(-5.2, 30.2, 3.0, (1.2, 1.7)),
    "R2": _two(-5.2, 32.4, 3.0, (1.2, 1.7)),
    "R3": _two(5.2, 30.2, 3.0, (1.2, 1.7), turned=True),
    "R4": _two(5.2, 32.4, 3.0, (1.2, 1.7), turned=True),
    "D1": Spot(
        17.0,
        37.0,
        FRONT,
        (1.5, 1.0),
        ((1, -2.45, -1.65), (2, -2.45, 1.65), (3, 2.45, 1.65), (4, 2.45, -1.65)),
    ),
    "C3": _two(11.4, 33.4, 2.0, (1.1, 1.4)),
    "C4": _two(11.4, 36.6, 3.0, (1.2, 1.7)),
    "C5": _two(23.6, 36.9, 2.0, (1.1, 1.4)),
    "C6": _two(23.6, 33.6, 3.0, (1.2, 1.7)),
}

# The coil's inner end: a strip of copper on top that runs into a plated hole, from where the way out is on the lower face.
INNER = track(TILE)[-1]
COIL_PADS = (
    Pad("L1", 1, "1", "COIL_A", INNER[0] - 0.6, INNER[1], 1.8, TILE.width, FRONT),
    Pad("L1", 2, "2", "COIL_B", INNER[0] - 1.9, INNER[1], 1.0, 1.0, BOTH, 0.4),
)
# Fixed tracks: (net, layer, width, points). The outer end comes down on top, the inner one on the lower face.
TRACKS: tuple[tuple[str, str, float, tuple[tuple[float, float], ...]], ...] = (
    ("COIL_A", FRONT, TILE.width, tuple(track(TILE))),
    ("COIL_A", FRONT, TILE.width, ((-LEAD, track(TILE)[0][1]), (-LEAD, 29.0))),
    ("COIL_B", BACK, TILE.width, ((COIL_PADS[1].x, INNER[1]), (LEAD, INNER[1] + 1.9), (LEAD, 30.6))),
)
# Width of each net's tracks; ground is poured on top of its tracks.
WIDTHS = {"5V": 0.8, "3V3": 0.6, "COIL_A": 0.5, "COIL_B": 0.5, "FEED_A": 0.5, "FEED_B": 0.5, "GND": 0.5}
SIGNAL = 0.3
# The order in which the router begins: it finds a way for all from any order, from this one soon.
ORDER = (
    "COIL_A",
    "COIL_B",
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
)


def pads() -> list[Pad]:
    board = BOARDS["tile"]
    found = list(COIL_PADS)
    for reference, spot in SPOTS.items():
        names = {pin.number: pin.name for pin in KINDS[board.parts[reference]].pins}
        for number, dx, dy in spot.pads:
            net = board.net_of(f"{reference}.{names[number]}") or ""
            place = (spot.x + dx, spot.y + dy)
            found.append(
                Pad(reference, number, names[number], net, *place, *spot.size, spot.layer, spot.drill)
            )
    return found
