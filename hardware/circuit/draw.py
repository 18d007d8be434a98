"""Schematics for people, drawn from the same data as the netlists: every part with its pins, at every pin the name of its net.

Pins with the same name are joined. `python -m hardware.circuit.draw FOLDER` writes one SVG per board and the overview.
"""

import sys
from html import escape
from pathlib import Path
from typing import NamedTuple

from hardware.circuit.board import Board
from hardware.circuit.boards import BOARDS
from hardware.circuit.parts import KINDS, Pin

STEP = 18  # from pin to pin
STUB = 16
BODY = 150  # width of a chip
LABEL = 104  # room for a net's name beside it
GAP = 26
PAGE = 1500
COLOURS = {"GND": "#222", "5V": "#b3261e", "3V3": "#b3261e", "VSYS": "#b3261e"}
OPEN = "\N{MULTIPLICATION SIGN}"  # drawn at a pin that is left open
PASSIVES = ("R", "C", "F", "L", "D", "BZ")


class Box(NamedTuple):
    reference: str
    kind: str
    left: tuple[Pin, ...]
    right: tuple[Pin, ...]

    @property
    def height(self) -> float:
        return 46 + STEP * max(len(self.left), len(self.right))


def box(reference: str, kind: str) -> Box:
    pins = KINDS[kind].pins
    if kind.startswith("idc"):  # two rows of pins: odd and even
        return Box(reference, kind, pins[0::2], pins[1::2])
    if len(pins) in (14, 16, 20, 40) or kind == "lamp":  # counted around the package
        half = len(pins) // 2
        return Box(reference, kind, pins[:half], tuple(reversed(pins[half:])))
    return Box(reference, kind, pins, ())


def _net_colour(net: str) -> str:
    return COLOURS.get(net) or ("#b3261e" if net.startswith("5V") else "#1d4f8c")


def _text(
    x: float,
    y: float,
    words: str,
    size: float = 12,
    anchor: str = "start",
    colour: str = "#222",
    bold: bool = False,
) -> str:
    weight = ' font-weight="bold"' if bold else ""
    return f'<text x="{x:.0f}" y="{y:.0f}" font-size="{size}" text-anchor="{anchor}" fill="{colour}"{weight}>{escape(words)}</text>'


def _pin(board: Board, item: Box, pin: Pin, x: float, y: float, outwards: int) -> list[str]:
    """A stub, the pin's number above it, its name inside, its net outside."""
    anchor, inside = ("end", "start") if outwards < 0 else ("start", "end")
    place = f"{item.reference}.{pin.name}"
    net = board.net_of(place)
    end = x + outwards * STUB
    name = pin.name.rstrip("0123456789") if pin.name.startswith("GND") else pin.name
    lines = [
        f'<line x1="{x:.0f}" y1="{y:.0f}" x2="{end:.0f}" y2="{y:.0f}" stroke="#444"/>',
        _text(x - outwards * 5, y + 4, name, 12, inside),
        _text(x + outwards * 3, y - 3, str(pin.number), 9, "end" if outwards < 0 else "start", "#777"),
    ]
    if net is None:
        lines.append(_text(end + outwards * 4, y + 4, OPEN, 12, anchor, "#999"))
    else:
        lines.append(_text(end + outwards * 4, y + 4, net, 12, anchor, _net_colour(net), bold=net in COLOURS))
    return lines


def draw_box(board: Board, item: Box, x: float, y: float) -> list[str]:
    """A chip, module or connector; x, y is the corner of the room it takes, labels included."""
    left = x + LABEL + STUB
    body = item.height - 26
    style = (
        'fill="#fbf8ef" stroke="#444" stroke-width="1.4"'
        if item.reference[0] in "UM"
        else 'fill="#eef4ec" stroke="#444" stroke-width="1.4"'
    )
    lines = [
        _text(left, y + 12, item.reference, 14, bold=True),
        _text(left + 34, y + 12, KINDS[item.kind].what, 12, colour="#555"),
        f'<rect x="{left:.0f}" y="{y + 20:.0f}" width="{BODY}" height="{body:.0f}" rx="3" {style}/>',
    ]
    for row, pin in enumerate(item.left):
        lines += _pin(board, item, pin, left, y + 36 + row * STEP, -1)
    for row, pin in enumerate(item.right):
        lines += _pin(board, item, pin, left + BODY, y + 36 + row * STEP, 1)
    return lines


def _symbol(reference: str, x: float, y: float) -> list[str]:
    """A small part between x and x + 60, lying down."""
    kind = reference.rstrip("0123456789")
    wire = f'<path d="M{x} {y}h16M{x + 44} {y}h16" stroke="#444" fill="none"/>'
    shapes = {
        "R": f'<rect x="{x + 16}" y="{y - 6}" width="28" height="12" fill="#fff" stroke="#444"/>',
        "F": f'<rect x="{x + 16}" y="{y - 6}" width="28" height="12" fill="#fff" stroke="#444"/><path d="M{x + 16} {y}h28" stroke="#444"/>',
        "C": f'<path d="M{x + 16} {y}h11M{x + 33} {y}h11M{x + 27} {y - 9}v18M{x + 33} {y - 9}v18" stroke="#444" stroke-width="1.6" fill="none"/>',
        "L": f'<path d="M{x + 16} {y}a4.6 5 0 0 1 9.3 0a4.6 5 0 0 1 9.3 0a4.6 5 0 0 1 9.3 0" stroke="#444" stroke-width="1.6" fill="none"/>',
        "D": f'<path d="M{x + 16} {y}h6M{x + 38} {y}h6M{x + 22} {y - 8}v16M{x + 38} {y - 8}v16L{x + 22} {y}z" stroke="#444" fill="#fff"/>',
        "BZ": f'<circle cx="{x + 30}" cy="{y}" r="12" fill="#fff" stroke="#444"/>',
        "SW": f'<path d="M{x + 16} {y}h4M{x + 40} {y}h4M{x + 20} {y}l18 -9" stroke="#444" stroke-width="1.6" fill="none"/>',
    }
    return [wire, shapes[kind]]


def draw_small(board: Board, reference: str, x: float, y: float) -> list[str]:
    kind = board.parts[reference]
    first, second = (pin.name for pin in KINDS[kind].pins)
    nets = [board.net_of(f"{reference}.{name}") or "" for name in (first, second)]
    return [
        _text(x + LABEL - 6, y + 4, nets[0], 12, "end", _net_colour(nets[0])),
        *_symbol(reference, x + LABEL, y),
        _text(x + LABEL + 66, y + 4, nets[1], 12, "start", _net_colour(nets[1])),
        _text(x + LABEL + 168, y + 4, reference, 13, bold=True),
        _text(x + LABEL + 204, y + 4, KINDS[kind].what, 12, colour="#555"),
    ]


def _is_small(reference: str, kind: str) -> bool:
    return reference.rstrip("0123456789") in PASSIVES and len(KINDS[kind].pins) == 2


def schematic(board: Board) -> str:
    """Boxes in columns, the shortest column first; then the small parts in columns below."""
    width = 2 * (LABEL + STUB) + BODY + GAP
    boxes = [
        box(reference, kind) for reference, kind in board.parts.items() if not _is_small(reference, kind)
    ]
    small = [reference for reference, kind in board.parts.items() if _is_small(reference, kind)]
    columns = max(1, min(PAGE // width, len(boxes)))
    floor = [70.0] * columns
    lines: list[str] = []
    for item in sorted(
        boxes,
        key=lambda item: (item.reference[0] not in "UM", item.reference[0], -item.height, item.reference),
    ):
        column = floor.index(min(floor))
        lines += draw_box(board, item, 20 + column * width, floor[column])
        floor[column] += item.height + GAP
    top = max(floor) + 10
    small_width = 470
    per_row = max(1, (20 + columns * width) // small_width)
    for n, reference in enumerate(small):
        lines += draw_small(board, reference, 20 + n % per_row * small_width, top + n // per_row * 34 + 14)
    bottom = top + -(-len(small) // per_row) * 34 + 30
    page = max(20 + columns * width, per_row * small_width + 20)
    head = [
        _text(24, 34, f"Naqala: {board.title}", 22, bold=True),
        _text(
            24,
            54,
            f"Pins that carry the same name are joined. {OPEN} is left open. Drawn from the data the netlist is made of.",
            12,
            colour="#555",
        ),
    ]
    return _page(page, bottom, head + lines)


def _page(width: float, height: float, lines: list[str]) -> str:
    head = f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {width:.0f} {height:.0f}" font-family="sans-serif">'
    return "\n".join(
        [head, f'<rect width="{width:.0f}" height="{height:.0f}" fill="white"/>', *lines, "</svg>\n"]
    )


def _block(
    x: float, y: float, width: float, height: float, title: str, words: list[str], fill: str
) -> list[str]:
    lines = [
        f'<rect x="{x}" y="{y}" width="{width}" height="{height}" rx="5" fill="{fill}" stroke="#444" stroke-width="1.5"/>'
    ]
    lines.append(_text(x + width / 2, y + 24, title, 16, "middle", bold=True))
    return lines + [
        _text(x + width / 2, y + 46 + 18 * n, line, 13, "middle", "#444") for n, line in enumerate(words)
    ]


def _arrow(x: float, y: float, length: float, words: list[str], colour: str) -> list[str]:
    lines = [
        f'<line x1="{x}" y1="{y}" x2="{x + length}" y2="{y}" stroke="{colour}" stroke-width="3"/>',
        f'<path d="M{x + length} {y}l-9 -5v10z" fill="{colour}"/>',
    ]
    return lines + [
        _text(x + length / 2, y - 8 - 16 * n, line, 12, "middle", colour)
        for n, line in enumerate(reversed(words))
    ]


RED = "#b3261e"
# x, y, width, height, title, words, fill
BLOCKS = (
    (30, 100, 170, 120, "Host computer", "naqala|rules, dashboard", "#eef1f8"),
    (30, 320, 170, 84, "Supply", "5 V / 5 A", "#f8ece9"),
    (
        380, 80, 250, 330, "Controller board (1)",
        "Pico 2 W|3 x 74LVC541: a driver per row|6 x 74HC595: 30 resets,|5 x 3 column address bits|74AHCT125: lamps at 5 V|sounder||"
        "a 1 A fuse per row and|one for the board itself",
        "#fbf8ef",
    ),
    (
        830, 80, 250, 330, "Row board (5)",
        "2 x 74LVC14: Schmitt inputs|74HC138: which tile listens|74HC151: whose BUSY is read|74LVC125: MISO only|"
        "when enabled||3.3 V regulator|1000 uF",
        "#fbf8ef",
    ),
    (
        1240, 80, 230, 330, "Tile board (30)",
        "one turn of 54 mm,|two inductors, trimmer|lamp||PN5180 module|20.5 mm below||tags on the tile|0 to 14 at once",
        "#eef4ec",
    ),
)  # fmt: skip
# x, y, length, words, colour
ARROWS = (
    (200, 150, 180, "USB serial|or Wi-Fi, MQTT", "#1d4f8c"),
    (200, 362, 180, "5 V|up to 2.0 A", RED),
    (630, 180, 200, "20-way ribbon, one per row:|bus, enable, BUSY, address,|six resets, lamps", "#1d4f8c"),
    (630, 362, 200, "2 x 0.5 mm2, one per row:|5 V, fused", RED),
    (
        1080, 200, 160, "14-way ribbon,|six per row:|bus, select, BUSY, reset,|5 V, 3.3 V, lamp", "#1d4f8c",
    ),
)  # fmt: skip


def overview() -> str:
    """How the boards of the full table hang together."""
    lines = [_text(24, 36, "Naqala: the electronics of the full table", 22, bold=True)]
    for x, y, width, height, title, words, fill in BLOCKS:
        lines += _block(x, y, width, height, title, words.split("|"), fill)
    for x, y, length, words, colour in ARROWS:
        lines += _arrow(x, y, length, words.split("|"), colour)
    return _page(1500, 440, lines)


def main() -> None:
    folder = Path(sys.argv[1])
    folder.mkdir(parents=True, exist_ok=True)
    for board in BOARDS.values():
        (folder / f"schematic_{board.name}.svg").write_text(schematic(board))
    (folder / "overview.svg").write_text(overview())


if __name__ == "__main__":
    main()
