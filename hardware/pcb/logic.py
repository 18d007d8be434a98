"""The row board and the controller board: where their parts lie. Places are in rasters of 0.635 mm from the upper left corner,
of pin 1, with quarter turns to the left. All parts sit on the upper face."""

from typing import NamedTuple

from hardware.circuit.boards import BOARDS, COLUMNS, ROWS
from hardware.circuit.parts import KINDS
from hardware.pcb.footprints import LANDS, RASTER, turned
from hardware.pcb.plan import BOTH, FRONT, Box, Pad, Placed, Plan, Text

Place = tuple[float, float, int]


class Sheet(NamedTuple):
    size: tuple[int, int]  # rasters
    holes: tuple[tuple[float, float], ...]
    places: dict[str, Place]
    widths: dict[str, float]
    notes: tuple[tuple[str, float, float], ...]


def _row() -> Sheet:
    places: dict[str, Place] = {}
    for n in range(COLUMNS):
        left = 9 + 41 * n
        places |= {f"J{n + 1}": (left, 12, 0), f"R{11 + n}": (left, 21, 0), f"R{21 + n}": (left + 18, 21, 0)}
    for chip, cap, left in (
        ("U2", "C4", 12),
        ("U1", "C5", 42),
        ("U6", "C6", 72),
        ("U5", "C7", 102),
        ("U3", "C8", 132),
    ):
        places |= {chip: (left, 42, 0), cap: (left - 3, 28, 0)}
    places |= {"J0": (70, 60, 0), "J7": (228, 56, 0), "C1": (204, 54, 0), "U4": (180, 46, 0)}
    places |= {
        "R1": (112, 28, 0),
        "R2": (119, 28, 0),
        "R3": (139, 28, 0),
        "R4": (126, 49, 0),
        "R5": (146, 28, 0),
    }
    places |= {"R6": (22, 49, 0), "C2": (193, 46, 1), "C3": (172, 50, 1)}
    widths = {"5V": 1.4, "3V3": 0.6, "GND": 0.5}
    notes = (("5V", 226, 48), ("GND", 237, 48), ("row cable", 88, 50))
    return Sheet((250, 65), ((4.5, 60), (245.5, 60)), places, widths, notes)


def _controller() -> Sheet:
    places: dict[str, Place] = {}
    for n in range(ROWS):
        left = 10 + 54 * n
        places |= {f"J{n}": (left, 12, 0), f"R{11 + n}": (left - 2, 21, 0), f"R{21 + n}": (left + 5, 21, 0)}
        places |= {f"R{41 + n}": (left + 13, 21, 0), f"R{31 + n}": (96 + 7 * n, 84, 0)}
    for n in range(6):
        places |= {f"U{n + 2}": (16 + 44 * n, 44, 0), f"C{n + 2}": (15 + 44 * n, 30, 0)}
    for chip, left in (("U10", 98), ("U11", 150), ("U12", 196)):
        places |= {chip: (left, 74, 0), f"C{chip[1:]}": (left - 6, 58, 1)}
    places |= {
        "U1": (6, 98, 0),
        "U8": (150, 98, 0),
        "C8": (145, 89, 1),
        "R3": (170, 92, 0),
        "R4": (186, 92, 0),
    }
    places |= {
        "R5": (135, 84, 0),
        "BZ1": (214, 94, 0),
        "U9": (100, 100, 0),
        "C9": (112, 96, 1),
        "C13": (117, 96, 1),
    }
    places |= {
        "D1": (92, 92, 1),
        "J10": (8, 149, 0),
        "Q1": (24, 138, 0),
        "R6": (40, 138, 1),
        "D2": (30, 121, 0),
    }
    places |= {"C1": (50, 128, 0), "F0": (92, 113, 0), "F1": (142, 113, 0), "F2": (192, 113, 0)}
    places |= {"F3": (92, 130, 0), "F4": (142, 130, 0), "F5": (192, 130, 0)}
    places |= {f"J{n + 11}": (90 + 32 * n, 149, 0) for n in range(ROWS)}
    widths = {"5V_IN": 2.4, "5V": 2.4, **{f"5V_ROW{n}": 1.4 for n in range(ROWS)}}
    widths |= {"5V_C": 1.0, "VSYS": 0.8, "3V3_T": 0.6, "3V3": 0.5, "GND": 0.6}
    notes = (
        ("supply 5 V: left +, right -", 30, 154),
        *((f"row {n + 1}", 78 + 32 * n + 8, 154) for n in range(ROWS)),
    )
    return Sheet((272, 157), ((4.5, 106), (267, 152), (4.5, 27), (267, 27)), places, widths, notes)


def _parts(name: str, sheet: Sheet) -> tuple[tuple[Pad, ...], tuple[Placed, ...]]:
    board = BOARDS[name]
    pads, placed = [], []
    for reference, (column, row, quarters) in sheet.places.items():
        kind = KINDS[board.parts[reference]]
        land = LANDS[kind.footprint]
        special = {number: (w, h) for number, w, h in land.sizes}
        own = []
        for pin, spot in zip(kind.pins, land.pads, strict=True):
            dx, dy = turned(spot, quarters)
            width, height = special.get(pin.number, land.size)
            if quarters % 2:
                width, height = height, width
            net = board.net_of(f"{reference}.{pin.name}") or ""
            at = (round((column + dx) * RASTER, 4), round((row + dy) * RASTER, 4))
            layer = BOTH if land.drill else FRONT
            own.append(Pad(reference, pin.number, pin.name, net, *at, width, height, layer, land.drill))
        left, top, right, bottom = land.body
        corners = [turned((x, y), quarters) for x, y in ((left, top), (right, bottom))]
        xs = sorted((column + x) * RASTER for x, _ in corners)
        ys = sorted((row + y) * RASTER for _, y in corners)
        body: Box = (xs[0], ys[0], xs[1], ys[1])
        middle = ((xs[0] + xs[1]) / 2, (ys[0] + ys[1]) / 2)
        placed.append(Placed(reference, *middle, 90.0 * quarters, FRONT, body))
        pads += own
    return tuple(pads), tuple(placed)


def _order(pads: tuple[Pad, ...], widths: dict[str, float]) -> tuple[str, ...]:
    """Wide nets first, then short ones. Ground is poured, not routed."""
    spans: dict[str, list[Pad]] = {}
    for pad in pads:
        if pad.net:
            spans.setdefault(pad.net, []).append(pad)

    def length(net: str) -> float:
        own = spans[net]
        return max(p.x for p in own) - min(p.x for p in own) + max(p.y for p in own) - min(p.y for p in own)

    nets = [net for net, own in spans.items() if len(own) > 1 and net != "GND"]
    return tuple(sorted(nets, key=lambda net: (-widths.get(net, 0), length(net), net)))


def _texts(name: str, sheet: Sheet, placed: tuple[Placed, ...]) -> tuple[Text, ...]:
    found = []
    for part in placed:
        left, top, right, bottom = part.body
        upright = right - left < 2.0 and bottom - top > right - left
        small = part.reference[0] in "RCD" and (right - left) * (bottom - top) < 20
        size = 0.8 if small else 1.2
        if small:  # beside its pads, not on them
            where = (part.x, bottom + 0.75) if not upright else (right + 0.75, part.y)
        elif part.reference.startswith("J") and len(KINDS[BOARDS[name].parts[part.reference]].pins) > 2:
            where = (left + 1.6, part.y)
        else:
            where = (part.x, part.y)
        found.append(Text(part.reference, *where, True, size, upright))
    found += [Text(words, x * RASTER, y * RASTER, True, 1.0) for words, x, y in sheet.notes]
    return tuple(found)


def plan(name: str) -> Plan:
    sheet = {"row": _row, "controller": _controller}[name]()
    pads, placed = _parts(name, sheet)
    width, height = sheet.size[0] * RASTER, sheet.size[1] * RASTER
    title = Text(
        f"Naqala {name} board, CERN-OHL-P-2.0, unverified prototype", width / 2, height - 1.2, False, 1.0
    )
    edge = RASTER
    return Plan(
        name=name,
        title=BOARDS[name].title,
        outline=(0.0, 0.0, round(width, 3), round(height, 3)),
        holes=tuple((x * RASTER, y * RASTER) for x, y in sheet.holes),
        hole=3.2,
        pads=pads,
        placed=placed,
        texts=(*_texts(name, sheet, placed), title),
        fixed=(),
        area=(edge, edge, width - edge, height - edge),
        ground=(0.5, 0.5, width - 0.5, height - 0.5),
        grid=RASTER,
        clearance=0.2,
        signal=0.25,
        widths=sheet.widths,
        order=_order(pads, sheet.widths),
        across=0.5,
        patience=2500,
    )
