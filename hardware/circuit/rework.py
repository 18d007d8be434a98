"""The rework of a PN5180 module as a drawing: which six parts come off and where the two wires go.

A circuit, not a photograph: modules of several makers place the parts differently, but print the same names beside them.
`python -m hardware.circuit.rework FILE.svg`
"""

import sys
from pathlib import Path

WIDE, HIGH = 1180, 620
INK, OFF, WIRE = "#333", "#b3261e", "#1d6f42"


def _text(
    x: float,
    y: float,
    words: str,
    size: int = 15,
    colour: str = INK,
    anchor: str = "middle",
    bold: bool = False,
) -> str:
    weight = ' font-weight="bold"' if bold else ""
    return f'<text x="{x}" y="{y}" font-size="{size}" text-anchor="{anchor}" fill="{colour}"{weight}>{words}</text>'


def _line(*points: tuple[float, float], colour: str = INK, width: float = 2.0, more: str = "") -> str:
    path = "M" + "L".join(f"{x} {y}" for x, y in points)
    return f'<path d="{path}" stroke="{colour}" stroke-width="{width}" fill="none" {more}/>'


def _cross(x: float, y: float, size: float = 18) -> str:
    """Comes off."""
    one = _line((x - size, y - size), (x + size, y + size), colour=OFF, width=4)
    return one + _line((x - size, y + size), (x + size, y - size), colour=OFF, width=4)


def _box(x: float, y: float, name: str, value: str, below: bool = False) -> str:
    side = 34 if below else -20
    return (
        f'<rect x="{x - 26}" y="{y - 11}" width="52" height="22" fill="white" stroke="{INK}" stroke-width="2"/>'
        + _text(x, y + side, f"{name} {value}".strip(), 14)
    )


def _shunt(x: float, y: float, down: int, name: str, value: str, end: str) -> list[str]:
    """A capacitor from a node to ground or to a pin."""
    a, b = y + down * 46, y + down * 56
    anchor = y + down * 106
    return [
        _line((x, y), (x, a)),
        _line((x - 16, a), (x + 16, a), width=3),
        _line((x - 16, b), (x + 16, b), width=3),
        _line((x, b), (x, y + down * 88)),
        _text(x + 24, (a + b) / 2 + 5, f"{name} {value}".strip(), 14, anchor="start"),
        _text(x, anchor + (5 if down > 0 else 0), end, 13, "#555"),
    ]


def leg(y: float, down: int, names: dict[str, str]) -> list[str]:
    """One leg, from the transmitter at the left to the old coil at the right."""
    lines = [
        _line((150, y), (790, y)),
        _box(240, y, names["l"], "470 nH", down > 0),
        _box(430, y, names["c1"], "33 pF", down > 0),
        *_shunt(340, y, down, names["c0"], "253 pF", "GND"),
        *_shunt(530, y, down, names["c2"], "82 pF", "GND"),
        *_shunt(650, y, down, names["ant"], "82 pF", names["pin"]),
        _cross(650, y + down * 51),
    ]
    for n, (name, shift) in enumerate(zip(names["r"].split(), (-24, 24), strict=True)):
        lines += [
            _line((790, y), (790, y + shift), (820, y + shift)),
            f'<rect x="820" y="{y + shift - 9}" width="50" height="18" fill="white" stroke="{INK}" stroke-width="2"/>',
            _line((870, y + shift), (900, y + shift), (900, y)),
            _text(845, y + shift + (34 if n else -20), f"{name}  2.2 ohm", 13),
            _cross(845, y + shift, 13),
        ]
    lines += [_line((900, y), (1010, y), more='stroke-dasharray="7 6"')]
    # the new wire leaves from the resistors' pads on the network's side
    lines += [
        f'<circle cx="790" cy="{y}" r="8" fill="{WIRE}"/>',
        _line((790, y), (740, 310 + down * 14), (600, 310 + down * 14), colour=WIRE, width=4),
    ]
    return lines


def draw() -> str:
    up = {"l": "", "c1": "", "c0": "", "c2": "", "ant": "C4", "pin": "ANT1", "r": "R3 R4"}
    low = {"l": "", "c1": "", "c0": "", "c2": "", "ant": "C19", "pin": "ANT2", "r": "R5 R6"}
    lines = [
        _text(24, 36, "Naqala: rework of a PN5180 module", 22, anchor="start", bold=True),
        _text(
            24,
            60,
            "Red crosses: take these six parts off. Green: the twisted pair to J2 of the tile board.",
            15,
            "#555",
            "start",
        ),
        f'<rect x="40" y="160" width="110" height="300" fill="#f3f1ea" stroke="{INK}" stroke-width="2"/>',
        _text(95, 315, "PN5180", 17, bold=True),
        _text(130, 215, "TX1", 13, anchor="end"),
        _text(130, 415, "TX2", 13, anchor="end"),
        *leg(210, -1, up),
        *leg(410, 1, low),
        _line(
            (1010, 210), (1060, 210), (1060, 410), (1010, 410), more='stroke-dasharray="7 6"', colour="#999"
        ),
        _text(1070, 305, "the module's", 14, "#777", "start"),
        _text(1070, 325, "own coil, dead", 14, "#777", "start"),
        _text(590, 302, "feed A", 14, WIRE, "end", bold=True),
        _text(590, 330, "feed B", 14, WIRE, "end", bold=True),
        _text(
            24,
            590,
            "Printed names are those of the public schematic R1.1; on another module follow the circuit from the coil back to the chip.",
            14,
            "#555",
            "start",
        ),
    ]
    head = f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {WIDE} {HIGH}" font-family="sans-serif">'
    return "\n".join([head, f'<rect width="{WIDE}" height="{HIGH}" fill="white"/>', *lines, "</svg>\n"])


def main() -> None:
    Path(sys.argv[1]).write_text(draw())


if __name__ == "__main__":
    main()
