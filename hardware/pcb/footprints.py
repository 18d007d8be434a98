"""Lands of the parts on the row and controller boards: where each pad lies from pin 1, and the body around them.

All on a raster of half a SOIC pitch (0.635 mm), so that a coarse grid is enough for the router. Seen from above, y down; a
chip lies with pin 1 at its lower left.
"""

from typing import NamedTuple

RASTER = 0.635  # mm


class Land(NamedTuple):
    """Pads as (x, y) from pin 1 in rasters, their size and drill in mm; body as left, top, right, bottom in rasters."""

    pads: tuple[tuple[float, float], ...]
    size: tuple[float, float]
    body: tuple[float, float, float, float]
    drill: float = 0.0
    sizes: tuple[tuple[int, float, float], ...] = ()  # pads of another size: number, width, height
    height: float = 2.0  # mm above the board


def _chip(count: int, across: int) -> Land:
    half = count // 2
    low = tuple((2.0 * k, 0.0) for k in range(half))
    high = tuple((2.0 * (half - 1 - k), -float(across)) for k in range(half))
    return Land(low + high, (0.6, 1.9), (-0.9, -across + 1.6, 2 * half - 1.1, -1.6), height=2.7)


def _two(apart: int, size: tuple[float, float], body: float, height: float = 1.3) -> Land:
    return Land(((0, 0), (float(apart), 0)), size, (-1.0, -body, apart + 1.0, body), height=height)


def _box(columns: int) -> Land:
    """Box header: pin 1 at the lower left, pin 2 above it; with a plug on it 15 mm high."""
    pads = tuple((4.0 * k, -4.0 * row) for k in range(columns) for row in range(2))
    return Land(pads, (1.7, 1.7), (-8, -9, 4 * (columns - 1) + 8, 5), 1.0, height=15.0)


LANDS: dict[str, Land] = {
    "SOIC-8": _chip(8, 8),
    "SOIC-14": _chip(14, 8),
    "SOIC-16": _chip(16, 8),
    "SOIC-20W": _chip(20, 15),
    "SOT-223": Land(
        ((0, 0), (3.62, 0), (7.24, 0), (3.62, -9.92)),
        (1.3, 2.0),
        (-2, -7.5, 9.3, -2.4),
        sizes=((4, 3.6, 2.0),),
    ),
    "R_0805": _two(3, (1.1, 1.4), 1.0),
    "C_0805": _two(3, (1.1, 1.4), 1.0),
    "C_1206": _two(5, (1.2, 1.8), 1.3, 1.8),
    "D_SMA": _two(6, (2.3, 1.8), 2.1, 2.4),
    "D_SMB": _two(7, (2.3, 2.3), 2.9, 2.5),
    "IDC-Header_2x07_P2.54mm": _box(7),
    "IDC-Header_2x10_P2.54mm": _box(10),
    "TerminalBlock_1x02_P5.08mm": Land(((0, 0), (8, 0)), (2.4, 2.4), (-4, -7, 12, 6), 1.3, height=10.0),
    "CP_Radial": Land(((0, 0), (6, 0)), (1.6, 1.6), (-3.5, -6.5, 9.5, 6.5), 0.9, height=15.0),
    "Fuseholder_5x20": Land(((0, 0), (36, 0)), (2.6, 2.6), (-2, -7, 38, 7), 1.4, height=12.0),
    "Buzzer_12x9.5": Land(((0, 0), (8, 0)), (1.8, 1.8), (-5.6, -9.6, 13.6, 9.6), 1.0, height=6.5),
    "Module:Pico_SMD_TH": Land(
        tuple((4.0 * k, 0.0) for k in range(20)) + tuple((4.0 * (19 - k), -28.0) for k in range(20)),
        (1.7, 1.7),
        (-2.2, -30.6, 78.2, 2.6),
        1.0,
        height=13.0,
    ),
}


def turned(point: tuple[float, float], quarters: int) -> tuple[float, float]:
    """A point after so many quarter turns to the left (as KiCad turns)."""
    x, y = point
    for _ in range(quarters % 4):
        x, y = y, -x
    return x, y
