"""Where the parts of the hand-wired boards go on prototype board, and the list of wires between them.

Places are holes of the 2.54 mm raster, counted from the upper left corner of the component side: column, row of pin 1.
`python -m hardware.circuit.placement DRAWINGS FOLDER` draws each board and writes its wires as CSV.
"""

import csv
import sys
from pathlib import Path
from typing import NamedTuple

from hardware.circuit.boards import BOARDS
from hardware.circuit.parts import KINDS

HOLE = 22  # drawing units from hole to hole
SIZES = {"row": (62, 16), "controller": (62, 38)}  # holes


class Shape(NamedTuple):
    """Holes of the pins relative to pin 1, and the body: left, top, right, bottom, in holes relative to pin 1."""

    pins: tuple[tuple[int, int], ...]
    body: tuple[float, float, float, float]


def _dip(count: int, across: int = 3) -> Shape:
    """Pin 1 at the lower left, counted to the right, then back along the upper side."""
    half = count // 2
    low = tuple((k, 0) for k in range(half))
    return Shape(
        low + tuple((half - 1 - k, -across) for k in range(half)), (-0.4, -across + 0.4, half - 0.6, -0.4)
    )


def _box(columns: int) -> Shape:
    """Pin 1 at the lower left, pin 2 above it."""
    return Shape(
        tuple((k, -row) for k in range(columns) for row in range(2)), (-1.6, -2.4, columns + 0.6, 1.4)
    )


def _line(*columns: int, body: tuple[float, float, float, float]) -> Shape:
    return Shape(tuple((column, 0) for column in columns), body)


SHAPES: dict[str, Shape] = {
    "DIP-14": _dip(14),
    "DIP-16": _dip(16),
    "Module:Pico_SMD_TH": _dip(40, 7)._replace(body=(-0.7, -7.6, 19.7, 0.6)),
    "IDC-Header_2x07_P2.54mm": _box(7),
    "IDC-Header_2x10_P2.54mm": _box(10),
    "SIP-9": _line(*range(9), body=(-0.5, -0.5, 8.5, 0.5)),
    "TO-220-3": _line(0, 1, 2, body=(-1.0, -1.0, 3.0, 0.8)),
    "TerminalBlock_1x02_P5.08mm": _line(0, 2, body=(-1, -1.6, 3, 1.6)),
    "R_Axial": _line(0, 4, body=(0.5, -0.4, 3.5, 0.4)),
    "DO-41": _line(0, 4, body=(0.6, -0.4, 3.4, 0.4)),
    "DO-15": _line(0, 4, body=(0.6, -0.4, 3.4, 0.4)),
    "C_Disc": Shape(((0, 0), (0, 2)), (-0.4, -0.4, 0.4, 2.4)),
    "CP_Radial": _line(0, 2, body=(-1.0, -1.9, 3.0, 1.9)),
    "Fuse_Radial": _line(0, 2, body=(-0.6, -0.5, 2.6, 0.5)),
    "Fuseholder_5x20": _line(0, 9, body=(-0.6, -1.6, 9.6, 1.6)),
    "Buzzer_12x9.5": _line(0, 2, body=(-1.4, -2.4, 3.4, 2.4)),
}

PLACES: dict[str, dict[str, tuple[int, int]]] = {
    "row": {
        **{f"J{n + 1}": (3 + 10 * n, 3) for n in range(6)},
        "U1": (3, 11),
        "C4": (12, 9),
        "U2": (14, 11),
        "C5": (23, 9),
        "U3": (25, 11),
        "C6": (33, 9),
        "RN1": (36, 7),
        "RN2": (36, 10),
        **{f"R{n + 1}": (47, 7 + n) for n in range(5)},
        "U4": (55, 8),
        "C2": (60, 7),
        "C3": (56, 11),
        "C1": (36, 14),
        "J0": (43, 15),
        "J7": (58, 15),
    },
    "controller": {
        **{f"J{n}": (4 + 15 * n, 3) for n in range(4)},
        **{f"U{n + 2}": (3 + 10 * n, 11) for n in range(6)},
        **{f"C{n + 2}": (12 + 10 * n, 8) for n in range(6)},
        "U1": (3, 24),
        "U8": (27, 20),
        "C8": (35, 17),
        "RN1": (38, 17),
        "RN2": (38, 20),
        **{f"R{n + 1}": (49, 16 + n) for n in range(5)},
        "D1": (49, 22),
        "D2": (49, 24),
        "BZ1": (57, 17),
        "F0": (27, 26),
        "C1": (41, 26),
        "J10": (3, 36),
        **{f"J{n + 11}": (10 + 6 * n, 36) for n in range(5)},
        **{f"F{n + 1}": (10 + 6 * n, 32) for n in range(5)},
        "J4": (46, 36),
    },
}


def pin_holes(board: str) -> dict[tuple[int, int], str]:
    """Every hole that holds a pin; ValueError when two pins want one hole or a pin lies off the board."""
    columns, rows = SIZES[board]
    found: dict[tuple[int, int], str] = {}
    for reference, (column, row) in PLACES[board].items():
        kind = KINDS[BOARDS[board].parts[reference]]
        for pin, (dx, dy) in zip(kind.pins, SHAPES[kind.footprint].pins, strict=True):
            hole = (column + dx, row + dy)
            if hole in found or not (1 <= hole[0] <= columns and 1 <= hole[1] <= rows):
                raise ValueError(
                    f"{board} board: {reference}.{pin.name} cannot be at {hole}, {found.get(hole, 'which is off the board')}"
                )
            found[hole] = f"{reference}.{pin.name}"
    return found


def bodies(board: str) -> dict[str, tuple[float, float, float, float]]:
    """Left, top, right, bottom of every part's body, in holes."""
    found = {}
    for reference, (column, row) in PLACES[board].items():
        left, top, right, bottom = SHAPES[KINDS[BOARDS[board].parts[reference]].footprint].body
        found[reference] = (column + left, row + top, column + right, row + bottom)
    return found


def draw(board: str) -> str:
    columns, rows = SIZES[board]
    width, height = (columns + 2) * HOLE, (rows + 4) * HOLE
    lines = [
        f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {width} {height}" font-family="sans-serif">',
        f'<rect width="{width}" height="{height}" fill="white"/>',
        f'<text x="{HOLE}" y="26" font-size="20" font-weight="bold">Naqala: {BOARDS[board].title}, component side, {columns} x {rows} holes</text>',
        f'<g transform="translate({HOLE / 2} {HOLE * 1.5})"><rect x="8" y="8" width="{columns * HOLE + 6}" height="{rows * HOLE + 6}" fill="#f3ead7" stroke="#8a7a55"/>',
    ]
    for x in range(1, columns + 1):
        lines += [
            f'<circle cx="{x * HOLE}" cy="{y * HOLE}" r="2.2" fill="#cdbf9c"/>' for y in range(1, rows + 1)
        ]
    for reference, (left, top, right, bottom) in bodies(board).items():
        lines.append(
            f'<rect x="{left * HOLE:.0f}" y="{top * HOLE:.0f}" width="{(right - left) * HOLE:.0f}" height="{(bottom - top) * HOLE:.0f}" rx="3" '
            f'fill="{"#e4e9e1" if reference[0] == "J" else "#fdfaf2"}" fill-opacity="0.85" stroke="#444" stroke-width="1.4"/>'
        )
    for (x, y), place in pin_holes(board).items():
        first = BOARDS[board].pin(place).number == 1
        shape = (
            f'<rect x="{x * HOLE - 6}" y="{y * HOLE - 6}" width="12" height="12"'
            if first
            else f'<circle cx="{x * HOLE}" cy="{y * HOLE}" r="5"'
        )
        lines.append(shape + ' fill="#b99a3a"/>')
    lines += [_name(board, reference, body) for reference, body in bodies(board).items()]
    lines.append("</g>")
    lines.append(
        f'<text x="{HOLE}" y="{height - 14}" font-size="15" fill="#444">A square is pin 1. One hole is 2.54 mm. Wires: {board}_wires.csv, or the schematic.</text>'
    )
    return "\n".join([*lines, "</svg>\n"])


def _name(board: str, reference: str, body: tuple[float, float, float, float]) -> str:
    """The reference, and what it is where there is room; beside the pins where these fill the body."""
    left, top, right, bottom = (side * HOLE for side in body)
    kind = KINDS[BOARDS[board].parts[reference]]
    x, y = (left + right) / 2, (top + bottom) / 2 + 5
    words = reference if right - left < 5.5 * HOLE else f"{reference}  {kind.what.split(' with ')[0]}"
    if kind.footprint.startswith("DIP"):
        words = f"{reference}  {kind.what.split()[0]}"
    elif kind.footprint.startswith("IDC"):
        y = bottom - 7
    elif kind.footprint.startswith("TO"):
        y = top - 6
    elif kind.footprint.startswith("SIP"):
        y = bottom + 16
    turned = f' transform="rotate(-90 {x:.0f} {(top + bottom) / 2:.0f})"' if right - left < 1.5 * HOLE else ""
    return f'<text x="{x:.0f}" y="{y:.0f}" font-size="14" text-anchor="middle" font-weight="bold"{turned}>{words}</text>'


def wires(board: str) -> list[tuple[str, str]]:
    """Each net with the pins it joins, as reference.pin (number)."""
    found = []
    for net, places in BOARDS[board].nets.items():
        pins = [f"{place} ({BOARDS[board].pin(place).number})" for place in places]
        found.append((net, ", ".join(pins)))
    return found


def main() -> None:
    for board in PLACES:
        (Path(sys.argv[1]) / f"placement_{board}.svg").write_text(draw(board))
        with (Path(sys.argv[2]) / f"{board}_wires.csv").open("w", newline="") as file:
            writer = csv.writer(file)
            writer.writerow(("net", "joins"))
            writer.writerows(wires(board))


if __name__ == "__main__":
    main()
