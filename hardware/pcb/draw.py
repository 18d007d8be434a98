"""The tile board as a picture for people: both layers of copper, every part and connector pin named, measures.

`python -m hardware.pcb.draw TRACKS FILE.svg`, where TRACKS is what the router kept.
"""

import sys
from pathlib import Path

from hardware.pcb import layout
from hardware.pcb.layout import BOTH, FRONT
from hardware.pcb.route import VIA, Laid, load

SCALE = 14.0
MARGIN = (13.0, 6.0)  # mm left and right, above and below
COLOURS = {"F": "#c8702a", "B": "#2f6db5"}
NAMED_APART = ("J1", "M1", "J2", "D1")


class Picture:
    def __init__(self) -> None:
        self.lines: list[str] = []

    def at(self, x: float, y: float) -> tuple[float, float]:
        return (x - layout.LEFT + MARGIN[0]) * SCALE, (y - layout.TOP + MARGIN[1]) * SCALE

    def line(
        self, a: tuple[float, float], b: tuple[float, float], colour: str, width: float, more: str = ""
    ) -> None:
        (ax, ay), (bx, by) = self.at(*a), self.at(*b)
        self.lines.append(
            f'<line x1="{ax:.1f}" y1="{ay:.1f}" x2="{bx:.1f}" y2="{by:.1f}" stroke="{colour}" stroke-width="{width * SCALE:.1f}" {more}/>'
        )

    def box(self, x: float, y: float, width: float, height: float, style: str) -> None:
        left, top = self.at(x, y)
        self.lines.append(
            f'<rect x="{left:.1f}" y="{top:.1f}" width="{width * SCALE:.1f}" height="{height * SCALE:.1f}" {style}/>'
        )

    def disc(self, x: float, y: float, radius: float, colour: str) -> None:
        cx, cy = self.at(x, y)
        self.lines.append(f'<circle cx="{cx:.1f}" cy="{cy:.1f}" r="{radius * SCALE:.1f}" fill="{colour}"/>')

    def text(
        self,
        words: str,
        x: float,
        y: float,
        size: float = 1.2,
        anchor: str = "middle",
        turn: float = 0,
        colour: str = "#222",
    ) -> None:
        tx, ty = self.at(x, y)
        turned = f' transform="rotate({turn} {tx:.1f} {ty:.1f})"' if turn else ""
        self.lines.append(
            f'<text x="{tx:.1f}" y="{ty:.1f}" font-size="{size * SCALE:.1f}" text-anchor="{anchor}" dominant-baseline="middle" fill="{colour}"{turned}>{words}</text>'
        )

    def measure(self, a: tuple[float, float], b: tuple[float, float], words: str) -> None:
        self.line(a, b, "#555", 0.1, 'marker-start="url(#end)" marker-end="url(#end)"')
        upright = abs(a[0] - b[0]) < 0.1
        x, y = (a[0] + b[0]) / 2, (a[1] + b[1]) / 2
        self.text(
            words,
            x - (1.4 if upright else 0),
            y - (0 if upright else 1.3),
            1.5,
            turn=-90 if upright else 0,
            colour="#444",
        )

    def svg(self) -> str:
        width = (layout.RIGHT - layout.LEFT + 2 * MARGIN[0]) * SCALE
        height = (layout.BOTTOM - layout.TOP + 2 * MARGIN[1] + 4) * SCALE
        head = f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {width:.0f} {height:.0f}" font-family="sans-serif">'
        marker = '<defs><marker id="end" viewBox="-4 -4 8 8" markerWidth="5" markerHeight="9"><line x1="0" y1="-4" x2="0" y2="4" stroke="#555"/></marker></defs>'
        return "\n".join(
            [
                head,
                marker,
                f'<rect width="{width:.0f}" height="{height:.0f}" fill="white"/>',
                *self.lines,
                "</svg>\n",
            ]
        )


def copper(picture: Picture, laid: Laid) -> None:
    for layer in ("B", "F"):
        for track in laid.tracks:
            if track.layer == layer:
                picture.line(
                    track.a,
                    track.b,
                    COLOURS[layer],
                    track.width,
                    'stroke-linecap="round" stroke-opacity="0.85"',
                )
    for via in laid.vias:
        picture.disc(via.x, via.y, VIA / 2, "#777")
        picture.disc(via.x, via.y, VIA / 4, "white")
    for pad in layout.pads():
        if pad.layer == BOTH:
            picture.disc(pad.x, pad.y, pad.width / 2, "#b99a3a")
            picture.disc(pad.x, pad.y, pad.drill / 2, "white")
        else:
            colour = "#9c5418" if pad.layer == FRONT else "#1d4f8c"
            picture.box(
                pad.x - pad.width / 2, pad.y - pad.height / 2, pad.width, pad.height, f'fill="{colour}"'
            )


def names(picture: Picture) -> None:
    for pad in layout.pads():
        if pad.reference == "M1":
            picture.text(pad.name, pad.x, 43.5, 0.8)
        elif pad.reference == "J1":
            picture.text(
                pad.name.rstrip("0123456789") if pad.name.startswith("GND") else pad.name,
                pad.x,
                *((35.8, 0.75, "start") if pad.number % 2 else (40.7, 0.75, "end")),
                turn=-90,
            )
        elif pad.reference == "J2":
            picture.text(f"J2 {pad.name}", pad.x, pad.y - 1.5, 0.9)
    for reference in layout.SPOTS:
        own = [pad for pad in layout.pads() if pad.reference == reference]
        x, y = sum(p.x for p in own) / len(own), sum(p.y for p in own) / len(own)
        if reference not in NAMED_APART:
            left, top = min(p.x - p.width / 2 for p in own), min(p.y - p.height / 2 for p in own)
            right, low = max(p.x + p.width / 2 for p in own), max(p.y + p.height / 2 for p in own)
            picture.box(
                left - 0.2,
                top - 0.2,
                right - left + 0.4,
                low - top + 0.4,
                'fill="none" stroke="#333" stroke-width="1.5"',
            )
            picture.text(reference, x, y, 0.85, colour="#000")
    picture.box(14.5, 34.5, 5, 5, 'fill="none" stroke="#333" stroke-width="1.5"')
    picture.text("D1", 17, 37, 1.0)
    picture.box(-30.6, 33.8, 25.4, 9, 'fill="none" stroke="#333" stroke-width="1.5" stroke-dasharray="6 4"')
    picture.text("1", -26.9, 37.0, 0.9)


def draw(laid: Laid) -> str:
    picture = Picture()
    width, height = layout.RIGHT - layout.LEFT, layout.BOTTOM - layout.TOP
    picture.box(layout.LEFT, layout.TOP, width, height, 'fill="#eef4ec" stroke="#222" stroke-width="2.5"')
    picture.box(
        layout.LEFT + 0.5,
        layout.GROUND_TOP,
        width - 1,
        layout.BOTTOM - layout.GROUND_TOP - 0.5,
        'fill="#d9e6d4"',
    )
    copper(picture, laid)
    for x, y in layout.HOLES:
        picture.disc(x, y, layout.HOLE / 2, "#fff")
        picture.line((x - 1.6, y), (x + 1.6, y), "#555", 0.08)
        picture.line((x, y - 1.6), (x, y + 1.6), "#555", 0.08)
    names(picture)
    picture.text("L1: coil, 4 turns, 0.5 mm wide, 0.5 mm apart", 0, -6, 1.7)
    picture.text("no copper inside, no metal within 6 mm", 0, -2.5, 1.4, colour="#555")
    picture.measure((layout.LEFT, layout.TOP - 2.2), (layout.RIGHT, layout.TOP - 2.2), "62 mm")
    picture.measure((layout.LEFT - 8, layout.TOP), (layout.LEFT - 8, layout.BOTTOM), "74 mm")
    picture.measure((layout.LEFT - 3, -27), (layout.LEFT - 3, 27), "54 mm")
    picture.measure((layout.RIGHT + 3, 0), (layout.RIGHT + 3, layout.BOTTOM), "45 mm from the tile's centre")
    picture.measure(
        (layout.RIGHT + 8, layout.STRIP_TOP), (layout.RIGHT + 8, layout.BOTTOM), "strip under the rib, 16 mm"
    )
    picture.text(
        "Seen from above. Orange: copper on top. Blue: copper below. Pale green: ground on both sides.",
        0,
        layout.BOTTOM + 3.0,
        1.25,
    )
    picture.text(
        "J1, M1 and the small parts sit below; the lamp sits on top. Dashed: body of the box header.",
        0,
        layout.BOTTOM + 5.2,
        1.25,
    )
    return picture.svg()


def main() -> None:
    Path(sys.argv[2]).write_text(draw(load(Path(sys.argv[1]))))


if __name__ == "__main__":
    main()
