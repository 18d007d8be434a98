"""Makes every print of the frame and the bases with OpenSCAD, checks them, weighs them, and renders the pictures.

`python -m hardware.frame.build FOLDER [PICTURES]` writes the STL files, and the pictures when a second folder is given.
"""

import subprocess
import sys
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from typing import NamedTuple

from hardware.bom import TAGGED
from hardware.bom import read as read_bom
from hardware.frame import stl

HERE = Path(__file__).parent
BED = (220.0, 220.0, 250.0)  # the common small printer
PLA = 1.24e-3  # g / mm3
USED = 1.15  # brim, first lines, a failed print now and then


class Print(NamedTuple):
    name: str
    source: str
    many: int
    settings: tuple[str, ...] = ()
    fill: float = 1.0  # share of the volume that is plastic


PRINTS = (
    Print("cell", "cell", 30, fill=0.75),
    Print("grid_2x2", "grid", 6),
    Print("grid_2x1_edge", "grid", 3, ("ny=1", "edge=true")),
    Print("post", "post", 30),
    Print("bay_cover", "bay", 1),
    Print("relief", "bay", 3, ('part="relief"',)),
    *(
        Print(f"base_{piece}", "base", TAGGED[piece], (f'piece="{piece}"',))
        for piece in ("meeple", "camel", "palm", "palace")
    ),
)

VIEW = ("--colorscheme=Tomorrow",)
PICTURES: dict[str, tuple[str, ...]] = {
    "table": ("table.scad", "--imgsize=1400,840", "--camera=60,-12,20,52,0,22,1180"),
    "table_open": ("table.scad", "-Dopen=90", "--imgsize=1400,1150", "--camera=52,0,85,62,0,25,1540"),
    "bases": ("bases.scad", "--imgsize=1200,520", "--camera=0,10,0,42,0,8,150"),
    "cell": ("cell.scad", "--render", "--imgsize=1000,760", "--camera=0,0,22,62,0,28,330"),
}


def make(part: Print, folder: Path) -> tuple[Print, stl.Solid, list[str]]:
    target = folder / f"{part.name}.stl"
    defines = [f"-D{setting}" for setting in part.settings]
    done = subprocess.run(
        ["openscad", "-q", "-o", target, *defines, HERE / f"{part.source}.scad"],
        capture_output=True,
        text=True,
    )
    if done.returncode:
        return part, stl.measure([]), [done.stderr.strip().splitlines()[-1]]
    solid = stl.measure(stl.read(target))
    return part, solid, stl.faults(solid, BED)


def picture(name: str, folder: Path) -> None:
    source, *view = PICTURES[name]
    target = folder / f"{name}.png"
    command = ["xvfb-run", "-a", "openscad", "-q", "-o", str(target), *view, *VIEW, str(HERE / source)]
    subprocess.run(command, check=True, capture_output=True)
    if target.stat().st_size < 10_000:
        sys.exit(f"picture {name} came out empty")


def main() -> None:
    folder = Path(sys.argv[1])
    folder.mkdir(parents=True, exist_ok=True)
    wrong, grams = [], 0.0
    with ThreadPoolExecutor(2) as pool:
        for part, solid, faults in pool.map(lambda part: make(part, folder), PRINTS):
            wrong += [f"{part.name} {fault}" for fault in faults]
            weight = solid.volume * part.fill * PLA
            grams += weight * part.many
            size = "{:.1f} x {:.1f} x {:.1f} mm".format(*solid.size)
            print(f"{part.many:3} x {part.name:14} {size:24} {weight:6.1f} g each, {solid.facets} facets")
    bought = 1000 * next(line.quantity for line in read_bom("table") if line.line == "filament")
    print(f"{grams:.0f} g in all, {grams * USED:.0f} g with losses; the bill has {bought} g")
    if grams * USED > bought:
        wrong.append(f"the bill has {bought} g of filament, {grams * USED:.0f} g are needed")
    if wrong:
        sys.exit("\n".join(wrong))
    if len(sys.argv) > 2:
        for name in PICTURES:
            picture(name, Path(sys.argv[2]))


if __name__ == "__main__":
    main()
