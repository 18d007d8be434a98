"""What a builder downloads: everything that is needed to order and to make, so that nobody needs KiCad, OpenSCAD or this code.

`python -m hardware.release BUILD` fills `hardware/release` (small, kept in git: Gerber and drill files, bills and placement files
for assembly, cut list) and makes `BUILD/naqala-hardware.zip`, which also has the KiCad boards, schematics as PDF, STL files,
drawings and documents. Made twice from the same sources, both are the same to the byte.
"""

import csv
import os
import subprocess
import sys
import zipfile
from collections.abc import Iterable
from pathlib import Path

from hardware.bom import read
from hardware.circuit.boards import BOARDS
from hardware.circuit.parts import KINDS
from hardware.pcb.boards import PLANS
from hardware.pcb.plan import FRONT

HERE = Path(__file__).parent
KEPT = HERE / "release"
EPOCH = (2026, 1, 1, 0, 0, 0)  # of every file in an archive
NOT_FITTED = ("C2",)  # of the tile board: only if tuning asks for it


def pack(target: Path, files: Iterable[tuple[str, Path]]) -> None:
    """A zip that depends on its content alone."""
    with zipfile.ZipFile(target, "w", zipfile.ZIP_DEFLATED, compresslevel=9) as archive:
        for name, path in sorted(files):
            entry = zipfile.ZipInfo(name, EPOCH)
            entry.compress_type = zipfile.ZIP_DEFLATED
            entry.external_attr = 0o644 << 16
            archive.writestr(entry, path.read_bytes())


def table(target: Path, head: tuple[str, ...], rows: Iterable[tuple[object, ...]]) -> None:
    with target.open("w", newline="") as file:
        writer = csv.writer(file, lineterminator="\n")
        writer.writerow(head)
        writer.writerows(rows)


def assembly(name: str) -> None:
    """Bill and placement of the parts a board maker can fit: those without holes."""
    board, plan = BOARDS[name], PLANS[name]
    numbers = {line.line: line.mpn for line in read("table")}
    drilled = {pad.reference for pad in plan.pads if pad.drill}
    fitted = [part for part in plan.placed if part.reference not in drilled]
    if name == "tile":
        fitted = [part for part in fitted if part.reference not in NOT_FITTED]
    groups: dict[str, list[str]] = {}
    for part in fitted:
        groups.setdefault(board.parts[part.reference], []).append(part.reference)
    table(
        KEPT / f"{name}-bom.csv",
        ("Comment", "Designator", "Footprint", "Quantity", "Part number"),
        (
            (
                KINDS[kind].what,
                ",".join(own),
                KINDS[kind].footprint,
                len(own),
                numbers.get(KINDS[kind].bom, ""),
            )
            for kind, own in groups.items()
        ),
    )
    left, top, _, _ = plan.outline
    table(
        KEPT / f"{name}-cpl.csv",
        ("Designator", "Mid X", "Mid Y", "Layer", "Rotation"),
        (
            (
                part.reference,
                f"{part.x - left:.3f}mm",
                f"{-(part.y - top):.3f}mm",
                "Top" if part.side == FRONT else "Bottom",
                f"{part.turn:.0f}",
            )
            for part in fitted
        ),
    )


def pdf(source: Path, target: Path) -> None:
    env = os.environ | {"SOURCE_DATE_EPOCH": "1767225600"}
    subprocess.run(["rsvg-convert", "-f", "pdf", "-o", target, source], check=True, env=env)


def main() -> None:
    build = Path(sys.argv[1])
    KEPT.mkdir(exist_ok=True)
    files: list[tuple[str, Path]] = []
    for name in PLANS:
        assembly(name)
        gerbers = sorted((build / name / "gerber").glob("*.*"))
        pack(KEPT / f"{name}-gerbers.zip", ((path.name, path) for path in gerbers))
        files.append((f"boards/{name}.kicad_pcb", build / name / f"{name}.kicad_pcb"))
    (KEPT / "cut_list.csv").write_text((build / "harness" / "cut_list.csv").read_text())
    files += [(f"boards/{path.name}", path) for path in KEPT.iterdir() if path.name != "README.md"]
    sheets = build / "pdf"
    sheets.mkdir(exist_ok=True)
    for drawing in sorted((HERE / "drawings").glob("*.svg")):
        pdf(drawing, sheets / f"{drawing.stem}.pdf")
        files.append((f"drawings/{drawing.stem}.pdf", sheets / f"{drawing.stem}.pdf"))
    files += [(f"drawings/{path.name}", path) for path in (HERE / "drawings").glob("*.png")]
    files += [(f"prints/{path.name}", path) for path in (build / "stl").glob("*.stl")]
    files += [(f"bills/{path.name}", path) for path in (HERE / "bom").glob("*.csv")]
    files += [(f"configs/{path.name}", path) for path in (HERE / "configs").glob("*.json")]
    files += [(path.name, path) for path in (*HERE.glob("*.md"), HERE / "LICENSE")]
    target = build / "naqala-hardware.zip"
    pack(target, files)
    print(
        f"{target.name}: {len(files)} files, {target.stat().st_size // 1024} KB; {len(list(KEPT.iterdir()))} small ones are in {KEPT.name}/"
    )


if __name__ == "__main__":
    main()
