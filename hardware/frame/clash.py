"""Does anything stand where something else stands? Every solid of the table against every other.

Solids are those of a middle row with its neighbours and of the controller's bay: prints from their STL files, boards from their
plans with every part's body and height, modules at the sizes seen on photographs (the larger where they differ). Boxes meet
boxes exactly. A print becomes columns of 0.25 x 0.25 mm with the heights between which they are filled, and columns are
compared. Two solids may touch; where they share volume, the check fails and says how much and where. Nothing is exempt.

`python -m hardware.frame.clash STL` reads the prints from that folder. It first proves that it can fail.
"""

import re
import sys
from collections.abc import Iterator
from itertools import combinations
from pathlib import Path
from typing import NamedTuple

import numpy as np
import numpy.typing as npt

from hardware.circuit.boards import BOARDS
from hardware.circuit.parts import KINDS
from hardware.frame import stl
from hardware.pcb.boards import PLANS
from hardware.pcb.footprints import LANDS

HERE = Path(__file__).parent
COLUMN = 0.25  # mm
LEAST = 0.5  # mm3: less is the roundness of a drawing
BOX_PLUG = 15.0  # mm, box header with its ribbon socket
Corner = tuple[float, float, float]
Reals = npt.NDArray[np.float64]


class Box(NamedTuple):
    low: Corner
    high: Corner


class Columns(NamedTuple):
    """Filled stretches: in which column (as two whole numbers), from which height to which."""

    x: npt.NDArray[np.int64]
    y: npt.NDArray[np.int64]
    low: Reals
    high: Reals

    def moved(self, x: float, y: float, z: float) -> "Columns":
        """By whole columns, which all places of the table are."""
        return Columns(self.x + round(x / COLUMN), self.y + round(y / COLUMN), self.low + z, self.high + z)

    @property
    def bounds(self) -> Box:
        low = (self.x.min() * COLUMN, self.y.min() * COLUMN, self.low.min())
        high = ((self.x.max() + 1) * COLUMN, (self.y.max() + 1) * COLUMN, self.high.max())
        return Box(tuple(map(float, low)), tuple(map(float, high)))  # type: ignore[arg-type]


class Solid(NamedTuple):
    name: str
    shape: Box | Columns

    @property
    def bounds(self) -> Box:
        return self.shape if isinstance(self.shape, Box) else self.shape.bounds


class Clash(NamedTuple):
    a: str
    b: str
    volume: float

    def __str__(self) -> str:
        return f"{self.a} and {self.b} share {self.volume:.1f} mm3"


def columns(facets: list[stl.Facet]) -> Columns:
    """A closed print as columns: a column is filled between its first and second facet, third and fourth, and so on."""
    found_x, found_y, found_z = [], [], []
    for a, b, c in facets:
        area = (b[0] - a[0]) * (c[1] - a[1]) - (c[0] - a[0]) * (b[1] - a[1])
        if abs(area) < 1e-9:
            continue  # upright
        xs, ys = [p[0] for p in (a, b, c)], [p[1] for p in (a, b, c)]
        i = np.arange(np.floor(min(xs) / COLUMN), np.ceil(max(xs) / COLUMN))
        j = np.arange(np.floor(min(ys) / COLUMN), np.ceil(max(ys) / COLUMN))
        # a little off the middle, so that no column runs along an edge between two facets
        x, y = np.meshgrid((i + 0.5003) * COLUMN, (j + 0.5007) * COLUMN)
        u = ((x - a[0]) * (c[1] - a[1]) - (c[0] - a[0]) * (y - a[1])) / area
        v = ((b[0] - a[0]) * (y - a[1]) - (x - a[0]) * (b[1] - a[1])) / area
        inside = (u >= 0) & (v >= 0) & (u + v <= 1)
        if inside.any():
            found_z.append((a[2] + u * (b[2] - a[2]) + v * (c[2] - a[2]))[inside])
            found_x.append(np.floor(x[inside] / COLUMN).astype(np.int64))
            found_y.append(np.floor(y[inside] / COLUMN).astype(np.int64))
    x, y, z = np.concatenate(found_x), np.concatenate(found_y), np.concatenate(found_z)
    order = np.lexsort((z, y, x))
    x, y, z = x[order], y[order], z[order]
    if len(z) % 2 or (x[0::2] != x[1::2]).any() or (y[0::2] != y[1::2]).any():
        raise ValueError("not a closed solid")
    return Columns(x[0::2], y[0::2], z[0::2], z[1::2])


def shared(a: Solid, b: Solid) -> float:
    """Volume that two solids share, in mm3."""
    one, other = a.bounds, b.bounds
    sides = [min(one.high[k], other.high[k]) - max(one.low[k], other.low[k]) for k in range(3)]
    if min(sides) <= 1e-6:
        return 0.0
    if isinstance(a.shape, Box) and isinstance(b.shape, Box):
        return sides[0] * sides[1] * sides[2]
    if isinstance(a.shape, Box):
        a, b = b, a
    assert isinstance(a.shape, Columns)
    if isinstance(b.shape, Box):
        return _with_box(a.shape, b.shape)
    return _with_columns(a.shape, b.shape)


def _with_box(print_: Columns, box: Box) -> float:
    middle_x, middle_y = (print_.x + 0.5) * COLUMN, (print_.y + 0.5) * COLUMN
    hit = (
        (middle_x > box.low[0])
        & (middle_x < box.high[0])
        & (middle_y > box.low[1])
        & (middle_y < box.high[1])
    )
    high = np.minimum(print_.high[hit], box.high[2])
    low = np.maximum(print_.low[hit], box.low[2])
    return float(np.clip(high - low, 0, None).sum()) * COLUMN**2


def _with_columns(a: Columns, b: Columns) -> float:
    key_a, key_b = (c.x * 1_000_000 + c.y for c in (a, b))
    total = 0.0
    order = np.argsort(key_b, kind="stable")
    start = np.searchsorted(key_b[order], key_a, "left")
    end = np.searchsorted(key_b[order], key_a, "right")
    for step in range(int((end - start).max(initial=0))):
        rows = np.nonzero(start + step < end)[0]
        mates = order[start[rows] + step]
        overlap = np.minimum(a.high[rows], b.high[mates]) - np.maximum(a.low[rows], b.low[mates])
        total += float(np.clip(overlap, 0, None).sum())
    return total * COLUMN**2


def clashes(things: list[Solid]) -> Iterator[Clash]:
    for a, b in combinations(things, 2):
        volume = shared(a, b)
        if volume > LEAST:
            yield Clash(a.name, b.name, volume)


def measures() -> dict[str, float]:
    """The plain numbers of `dimensions.scad`, and those that follow."""
    text = (HERE / "dimensions.scad").read_text()
    m = {name: float(value) for name, value in re.findall(r"^(\w+) = ([\d.-]+);", text, re.M)}
    m["offset"] = (m["board_down"] - m["board_up"]) / 2
    m["skirt"] = m["module_depth"] + m["module_thick"] + m["under_module"] + m["board_thick"] + m["air"]
    return m


def box(x: float, y: float, z: float, wide: float, deep: float, high: float) -> Box:
    return Box((x, y, z), (x + wide, y + deep, z + high))


class Prints(dict[str, Columns]):
    """The prints by name, read once."""

    def __init__(self, folder: Path) -> None:
        self.folder = folder

    def __missing__(self, name: str) -> Columns:
        self[name] = columns(stl.read(self.folder / f"{name}.stl"))
        return self[name]


def tile_solids(m: dict[str, float], prints: Prints, column: int, row: int) -> Iterator[Solid]:
    """A cell and everything that hangs in it. The origin is the centre of tile A1."""
    x, y, name = column * m["pitch"], row * m["pitch"], f"{'ABCDEF'[column]}{row + 1}"
    face = m["skirt"] - m["board_thick"] - m["air"]  # the tile board's lower face
    deep = m["board_up"] + m["board_down"]
    yield Solid(f"cell {name}", prints["cell"].moved(x, y - m["offset"], 0))
    yield Solid(
        f"tile board {name}",
        box(x - m["board_x"] / 2, y - m["board_down"], face, m["board_x"], deep, m["board_thick"]),
    )
    yield Solid(f"lamp {name}", box(x + 14.5, y - 39.5, face + m["board_thick"], 5, 5, 1.6))
    yield Solid(f"tile cable's plug {name}", box(x - 30.6, y - 42.8, face - BOX_PLUG, 25.4, 9, BOX_PLUG))
    yield Solid(
        f"long pins {name}", box(x - 3.3, y - 43.1, face - m["module_depth"], 33, 2.5, m["module_depth"])
    )
    yield Solid(f"post {name}", prints["post"].moved(x + 13, y + 16, face - m["module_depth"]))
    low = face - m["module_depth"] - m["module_thick"]
    left, front = x + m["module_x"], y - m["module_edge"]
    yield Solid(
        f"module {name}", box(left, front, low, m["module_wide"], m["module_long"], m["module_thick"])
    )
    inset = 3.0  # chips and crystal on its lower face keep from its edges
    wide, long = m["module_wide"] - 2 * inset, m["module_long"] - 2 * inset
    yield Solid(
        f"module's parts {name}",
        box(left + inset, front + inset, low - m["module_parts"], wide, long, m["module_parts"]),
    )
    top = m["skirt"] + m["plate"]
    yield Solid(
        f"tile {name}", box(x - m["tile"] / 2, y - m["tile"] / 2, top, m["tile"], m["tile"], m["tile_thick"])
    )
    for n, (dx, dy, piece) in enumerate(((0, 0, "meeple"), (16, 0, "meeple"), (18, 18, "camel"))):
        yield Solid(
            f"piece {n} on {name}", prints[f"base_{piece}"].moved(x + dx, y + dy, top + m["tile_thick"])
        )


def board_solids(name: str, x: float, y: float, z: float, turned: bool) -> Iterator[Solid]:
    """A row or controller board with its parts, its upper left corner at (x, y). Turned: a quarter to the left, so that its
    upper edge faces left."""

    def place(left: float, top: float, right: float, low: float, bottom: float, high: float) -> Box:
        if turned:
            return box(x + top, y + left, bottom, low - top, right - left, high)
        return box(x + left, y - low, bottom, right - left, low - top, high)

    plan = PLANS[name]
    yield Solid(f"{name} board", place(*plan.outline, z, 1.6))
    for part in plan.placed:
        land = LANDS[KINDS[BOARDS[name].parts[part.reference]].footprint]
        yield Solid(f"{name} board's {part.reference}", place(*part.body, z + 1.6, land.height))


def top_plate(m: dict[str, float], left: float, low: float, wide: float, deep: float) -> Columns:
    """The sheet over the cells with a hole of 7.5 mm over each lamp."""
    i = np.arange(round(left / COLUMN), round((left + wide) / COLUMN))
    j = np.arange(round(low / COLUMN), round((low + deep) / COLUMN))
    x, y = (grid.ravel() for grid in np.meshgrid(i, j))
    keep = np.ones(len(x), dtype=bool)
    for column in range(6):
        for row in range(5):
            dx, dy = (x + 0.5) * COLUMN - column * m["pitch"] - 17, (y + 0.5) * COLUMN - row * m["pitch"] + 37
            keep &= dx**2 + dy**2 > 3.75**2
    x, y = x[keep], y[keep]
    return Columns(x, y, np.full(len(x), m["skirt"]), np.full(len(x), m["skirt"] + m["plate"]))


def solids(m: dict[str, float], prints: Prints) -> list[Solid]:
    """B3 to E3 over the row board, their neighbours C2 and C4, plates, grid, and the bay."""
    found: list[Solid] = []
    for column, row in ((1, 2), (2, 2), (3, 2), (4, 2), (2, 1), (2, 3)):
        found += tile_solids(m, prints, column, row)
    pitch = m["pitch"]
    left, low, wide, deep = -pitch / 2, -pitch / 2 - m["offset"], 6 * pitch, 5 * pitch
    base = box(left - 4, low - 20, -m["base_plate"], wide + m["bay"] + 8, deep + 40, m["base_plate"])
    found.append(Solid("base plate", base))
    found.append(Solid("top plate", top_plate(m, left - 5, low - 4, wide + 10, deep + 15)))
    top = m["skirt"] + m["plate"]
    for column in (0, 2, 4):
        for row in (1, 3):
            found.append(
                Solid(f"grid {column}{row}", prints["grid_2x2"].moved(column * pitch, row * pitch, top))
            )
        found.append(Solid(f"grid {column} edge", prints["grid_2x1_edge"].moved(column * pitch, 0, top)))
    row_plan, control = PLANS["row"].outline, PLANS["controller"].outline
    middle = 2.5 * pitch, 2 * pitch - m["offset"]
    found += board_solids(
        "row", middle[0] - row_plan[2] / 2, middle[1] + row_plan[3] / 2, m["row_height"], False
    )
    bay = left + wide
    found += board_solids("controller", bay + 6, middle[1] - control[2] / 2, m["controller_height"], True)
    found.append(Solid("bay cover", prints["bay_cover"].moved(bay + 1, middle[1], 0)))
    for n, x in enumerate((68.0, 100.0)):
        found.append(Solid(f"strain relief {n}", prints["relief"].moved(bay + x, middle[1] - 112, 0)))
    return found


def able_to_fail(m: dict[str, float], prints: Prints) -> bool:
    """A module that stands half a millimetre in the wall and an upright TO-220 under a module must both be found."""
    cell = Solid("cell", prints["cell"].moved(0, -m["offset"], 0))
    low = m["skirt"] - m["board_thick"] - m["air"] - m["module_depth"] - m["module_thick"]
    edge = m["pitch"] / 2 + m["offset"] - m["wall"] + m["notch"] + 0.5
    module = Solid(
        "module", box(m["module_x"], -edge, low, m["module_wide"], m["module_long"], m["module_thick"])
    )
    regulator = Solid("regulator", box(0, 0, m["row_height"] + 1.6, 10, 4.5, 19.5))
    pairs = {frozenset((clash.a, clash.b)) for clash in clashes([cell, module, regulator])}
    return pairs == {frozenset(("cell", "module")), frozenset(("module", "regulator"))}


def main() -> None:
    m, prints = measures(), Prints(Path(sys.argv[1]))
    if not able_to_fail(m, prints):
        sys.exit("the clash test let a module in the wall or a regulator in the module pass")
    things = solids(m, prints)
    found = list(clashes(things))
    print(f"{len(things)} solids, {len(things) * (len(things) - 1) // 2} pairs, {len(found)} clashes")
    if found:
        sys.exit("\n".join(map(str, found)))


if __name__ == "__main__":
    main()
