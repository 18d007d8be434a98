"""The stack under a tile as a drawing with its heights, from the frame's own measures; and names on the exploded view.

`python -m hardware.frame.draw FOLDER` writes `stack.svg` and labels `table_open.png` there.
"""

import re
import sys
from pathlib import Path

from PIL import Image, ImageDraw, ImageFont

HERE = Path(__file__).parent
SCALE = 9.0  # drawing units per mm
NAMES = (  # what it is, where its label stands and where its line ends on the exploded view (1400 x 1150)
    ("tiles and pieces, a tag in every base", (900, 30), (1010, 285)),
    ("grid: ribs, recesses, light holes", (960, 96), (1086, 395)),
    ("top plate, 1.5 mm, no metal", (1080, 162), (1122, 420)),
    ("30 tile boards with their coils", (40, 540), (180, 615)),
    ("30 printed cells", (40, 900), (81, 722)),
    ("PN5180 modules, 20.5 mm below", (40, 990), (440, 735)),
    ("row boards, below the modules", (380, 1070), (570, 912)),
    ("controller board", (1150, 620), (1130, 850)),
    ("base plate, 6 mm", (1130, 1040), (1010, 1020)),
)


def measures() -> dict[str, float]:
    """The plain numbers of `dimensions.scad`."""
    found = re.findall(r"^(\w+) = ([\d.]+);", (HERE / "dimensions.scad").read_text(), re.M)
    return {name: float(value) for name, value in found}


def layers(m: dict[str, float]) -> list[tuple[str, float, str]]:
    """From the base plate up: what, how high, colour; air is white."""
    return [
        ("base plate", 6, "#cba877"),
        ("row boards, plugs, cables", m["under_module"], "#ffffff"),
        ("PN5180 module", m["module_thick"], "#2f5fa8"),
        ("air, long pins and a printed post", m["module_depth"], "#ffffff"),
        ("tile board, coil on top", m["board_thick"], "#2c7a4b"),
        ("air, flat solder joints", m["air"], "#ffffff"),
        ("top plate", m["plate"], "#bcd6e0"),
        ("cardboard tile in the grid", m["tile_thick"], "#e6cf94"),
        ("base: roof, tag below it", m["base_thick"], "#d8d8dc"),
    ]


def coil_to_tag(m: dict[str, float]) -> float:
    """From the coil's copper to the middle of the tag."""
    return m["air"] + m["plate"] + m["tile_thick"] + m["base_floor"] + m["tag_thick"] / 2


def stack() -> str:
    m = measures()
    lines = []
    bottom, left, wide = 720.0, 330.0, 420.0
    at = 0.0
    heights = {}
    for name, high, colour in layers(m):
        top = bottom - (at + high) * SCALE
        narrow = 120 if name.startswith("base:") else 66 if name == "PN5180 module" else 0
        lines.append(
            f'<rect x="{left + narrow}" y="{top:.1f}" width="{wide - 2 * narrow}" height="{high * SCALE:.1f}" fill="{colour}" stroke="#444"/>'
        )
        heights[name] = (at, at + high, top, high)
        at += high
    for x in (left, left + wide - 22):  # the cell's walls
        foot = bottom - (6 + m["under_module"] + m["module_thick"] + m["module_depth"]) * SCALE
        lines.append(
            f'<rect x="{x}" y="{foot:.1f}" width="22" height="{bottom - 6 * SCALE - foot:.1f}" fill="#9aa3ad" stroke="#444"/>'
        )
    module_top = heights["PN5180 module"][2]
    board_low = heights["tile board, coil on top"][2] + m["board_thick"] * SCALE
    lines.append(
        f'<rect x="{left + 80}" y="{board_low:.1f}" width="14" height="{module_top - board_low:.1f}" fill="#333"/>'
    )
    lines.append(
        f'<rect x="{left + 300}" y="{board_low:.1f}" width="26" height="{module_top - board_low:.1f}" fill="#dddddd" stroke="#444"/>'
    )
    row = bottom - 6 * SCALE
    lines.append(
        f'<rect x="{left + 60}" y="{row - 50:.1f}" width="300" height="12" fill="#2c7a4b" stroke="#444"/>'
    )
    lines.append(f'<rect x="{left + 90}" y="{row - 131:.1f}" width="90" height="81" fill="#333"/>')
    copper = heights["tile board, coil on top"][2]
    turns = (left + 40, left + wide - 49)
    lines += [f'<rect x="{x}" y="{copper - 2:.1f}" width="9" height="3" fill="#c8702a"/>' for x in turns]
    tag = heights["base: roof, tag below it"][2] + m["base_roof"] * SCALE
    lines.append(
        f'<rect x="{left + 150}" y="{tag:.1f}" width="120" height="{m["tag_thick"] * SCALE:.1f}" fill="#e8a64a" stroke="#444"/>'
    )
    lines.append(
        f'<path d="M{left + 160} {heights["base: roof, tag below it"][2]:.1f}l20 -60a34 34 0 1 1 60 0l20 60z" fill="#c23b32" stroke="#444"/>'
    )
    spread = _spread([(t + h * SCALE / 2) for _, _, t, h in heights.values()])
    for (name, (_, _, top, high)), y in zip(heights.items(), spread, strict=True):
        middle = top + high * SCALE / 2
        lines.append(
            f'<path d="M{left + wide} {middle:.1f}L{left + wide + 40} {y:.1f}h14" stroke="#777" fill="none"/>'
        )
        lines.append(
            f'<text x="{left + wide + 60}" y="{y + 5:.1f}" font-size="15">{name}, {high:g} mm</text>'
        )
    lines += _height(
        left - 26, copper, tag + m["tag_thick"] * SCALE / 2, f"coil to tag {coil_to_tag(m):.1f} mm"
    )
    lines += _height(
        left - 26,
        bottom,
        bottom - (at - m["base_thick"]) * SCALE,
        f"table {at - m['base_thick']:.0f} mm",
        shift=-190,
    )
    lines.append(
        '<text x="24" y="36" font-size="22" font-weight="bold">Naqala: what lies under a tile</text>'
    )
    return (
        '<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 1240 750" font-family="sans-serif"><rect width="1240" height="750" fill="white"/>\n'
        + "\n".join(lines)
        + "\n</svg>\n"
    )


def _spread(wanted: list[float], least: float = 23) -> list[float]:
    """Label heights from bottom to top, none nearer than `least` to the one below."""
    placed: list[float] = []
    for y in wanted:
        placed.append(min(y, placed[-1] - least) if placed else y)
    return placed


def _height(x: float, low: float, high: float, words: str, shift: float = 0) -> list[str]:
    x += shift
    middle = (low + high) / 2
    return [
        f'<path d="M{x - 6} {low:.1f}h12M{x - 6} {high:.1f}h12M{x} {low:.1f}V{high:.1f}" stroke="#b3261e" fill="none" stroke-width="1.6"/>',
        f'<text x="{x - 12}" y="{middle + 5:.1f}" font-size="15" text-anchor="end" fill="#b3261e">{words}</text>',
    ]


def label(path: Path) -> None:
    """Writes the names onto the exploded view."""
    picture = Image.open(path).convert("RGB")
    pen = ImageDraw.Draw(picture)
    font = ImageFont.load_default(size=24)
    for words, (x, y), end in NAMES:
        box = pen.textbbox((x, y), words, font=font)
        start = (min(max(end[0], box[0]), box[2]), box[3] + 6 if end[1] > box[3] else box[1] - 6)
        pen.line([start, end], fill=(60, 60, 60), width=2)
        pen.ellipse([end[0] - 4, end[1] - 4, end[0] + 4, end[1] + 4], fill=(60, 60, 60))
        pen.rectangle(
            [box[0] - 7, box[1] - 6, box[2] + 7, box[3] + 6], fill=(255, 255, 255), outline=(120, 120, 120)
        )
        pen.text((x, y), words, font=font, fill=(20, 20, 20))
    picture.save(path, optimize=True)


def main() -> None:
    folder = Path(sys.argv[1])
    (folder / "stack.svg").write_text(stack())
    label(folder / "table_open.png")


if __name__ == "__main__":
    main()
