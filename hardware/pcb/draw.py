"""A board as a picture for people: both layers of copper, every part named, measures; on the tile board every connector pin too.

`python -m hardware.pcb.draw BOARD FILE.svg` draws what the router kept.
"""

import sys
from pathlib import Path

from hardware.circuit.boards import BOARDS
from hardware.circuit.parts import KINDS
from hardware.pcb import tile
from hardware.pcb.boards import PLANS
from hardware.pcb.cells import VIA, Laid
from hardware.pcb.plan import BOTH, FRONT, Plan
from hardware.pcb.route import ROUTES, load

SCALE = 14.0
MARGIN = (13.0, 6.0)  # mm left and right, above and below
COLOURS = {"F": "#c8702a", "B": "#2f6db5"}
NAMED_APART = ("J1", "M1", "J2", "D1")


class Picture:
    def __init__(self, plan: Plan) -> None:
        self.left, self.top, self.right, self.bottom = plan.outline
        self.lines: list[str] = []

    def at(self, x: float, y: float) -> tuple[float, float]:
        return (x - self.left + MARGIN[0]) * SCALE, (y - self.top + MARGIN[1]) * SCALE

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
        width = (self.right - self.left + 2 * MARGIN[0]) * SCALE
        height = (self.bottom - self.top + 2 * MARGIN[1] + 4) * SCALE
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


def copper(picture: Picture, plan: Plan, laid: Laid) -> None:
    for layer in ("B", "F"):
        for track in laid.tracks:
            if track.layer == layer:
                style = 'stroke-linecap="round" stroke-opacity="0.85"'
                picture.line(track.a, track.b, COLOURS[layer], track.width, style)
    for via in laid.vias:
        picture.disc(via.x, via.y, VIA / 2, "#9db59a" if via.net == "GND" else "#777")
        picture.disc(via.x, via.y, VIA / 4, "white")
    for pad in plan.pads:
        if pad.layer == BOTH:
            picture.disc(pad.x, pad.y, pad.width / 2, "#b99a3a")
            picture.disc(pad.x, pad.y, pad.drill / 2, "white")
        else:
            colour = "#9c5418" if pad.layer == FRONT else "#1d4f8c"
            left, top = pad.x - pad.width / 2, pad.y - pad.height / 2
            picture.box(left, top, pad.width, pad.height, f'fill="{colour}"')


def tile_names(picture: Picture, plan: Plan) -> None:
    for pad in plan.pads:
        if pad.reference == "M1":
            picture.text(pad.name, pad.x, 43.5, 0.8)
        elif pad.reference == "J1":
            name = pad.name.rstrip("0123456789") if pad.name.startswith("GND") else pad.name
            y, anchor = (35.8, "start") if pad.number % 2 else (40.7, "end")
            picture.text(name, pad.x, y, 0.75, anchor, turn=-90)
        elif pad.reference == "J2":
            picture.text(f"J2 {pad.name}", pad.x, pad.y + 1.6, 0.9)
    for part in plan.placed:
        if part.reference not in NAMED_APART:
            left, top, right, bottom = part.body
            style = 'fill="none" stroke="#333" stroke-width="1.5"'
            picture.box(left - 0.2, top - 0.2, right - left + 0.4, bottom - top + 0.4, style)
            picture.text(part.reference, part.x, part.y, 0.85, colour="#000")
    picture.box(14.5, 34.5, 5, 5, 'fill="none" stroke="#333" stroke-width="1.5"')
    picture.text("D1", 17, 37, 1.0)
    picture.box(-30.6, 33.8, 25.4, 9, 'fill="none" stroke="#333" stroke-width="1.5" stroke-dasharray="6 4"')
    picture.text("1", -26.9, 37.0, 0.9)
    picture.text("L1: one turn of copper, 1 mm wide", 0, -6, 1.7)
    picture.text("no copper inside, no metal within 6 mm", 0, -2.5, 1.4, colour="#555")
    picture.measure((tile.LEFT - 3, -27), (tile.LEFT - 3, 27), "54 mm")
    picture.measure((tile.RIGHT + 3, 0), (tile.RIGHT + 3, tile.BOTTOM), "45 mm from the tile's centre")
    picture.measure(
        (tile.RIGHT + 8, tile.STRIP_TOP), (tile.RIGHT + 8, tile.BOTTOM), "strip under the rib, 16 mm"
    )


def logic_names(picture: Picture, plan: Plan) -> None:
    for part in plan.placed:
        left, top, right, bottom = part.body
        picture.box(
            left,
            top,
            right - left,
            bottom - top,
            'fill="white" fill-opacity="0.55" stroke="#333" stroke-width="1.5"',
        )
        what = KINDS[BOARDS[plan.name].parts[part.reference]].what.removeprefix("Raspberry Pi ")
        wide = right - left
        if wide > 7 and part.reference[0] in "UJFQ":
            whole = part.reference[0] == "J" or what.startswith("Pico")
            words = f"{part.reference}  {what if whole else what.split()[0]}"
            picture.text(words, part.x, part.y, min(1.5, wide / (0.62 * len(words))), colour="#000")
        else:
            upright = bottom - top > wide
            size = min(1.1, max(wide, bottom - top) / (0.62 * len(part.reference)))
            picture.text(part.reference, part.x, part.y, size, turn=-90 if upright else 0, colour="#000")


def draw(plan: Plan, laid: Laid) -> str:
    picture = Picture(plan)
    left, top, right, bottom = plan.outline
    picture.box(left, top, right - left, bottom - top, 'fill="#eef4ec" stroke="#222" stroke-width="2.5"')
    g_left, g_top, g_right, g_bottom = plan.ground
    picture.box(g_left, g_top, g_right - g_left, g_bottom - g_top, 'fill="#d9e6d4"')
    copper(picture, plan, laid)
    for x, y in plan.holes:
        picture.disc(x, y, plan.hole / 2, "#fff")
        picture.line((x - 1.6, y), (x + 1.6, y), "#555", 0.08)
        picture.line((x, y - 1.6), (x, y + 1.6), "#555", 0.08)
    (tile_names if plan.name == "tile" else logic_names)(picture, plan)
    picture.measure((left, top - 2.2), (right, top - 2.2), f"{right - left:.0f} mm")
    picture.measure((left - 8, top), (left - 8, bottom), f"{bottom - top:.0f} mm")
    words = "Seen from above. Orange: copper on top. Blue: copper below. Pale green: ground on both sides."
    picture.text(words, (left + right) / 2, bottom + 3.0, 1.25)
    more = "All parts sit on top."
    if plan.name == "tile":
        more = "J1, M1 and the small parts sit below; the lamp sits on top. Dashed: body of the box header."
    picture.text(more, (left + right) / 2, bottom + 5.2, 1.25)
    return picture.svg()


def main() -> None:
    plan = PLANS[sys.argv[1]]
    Path(sys.argv[2]).write_text(draw(plan, load(ROUTES / f"{plan.name}.json")))


if __name__ == "__main__":
    main()
