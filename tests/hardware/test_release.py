"""What a builder downloads: complete, the same every time, and clear when the tools are of another version."""

import csv
import re
import subprocess
import sys
import zipfile
from pathlib import Path

import pytest

from hardware import release
from hardware.circuit.boards import BOARDS
from hardware.pcb.boards import PLANS

ROOT = Path(release.__file__).parents[1]
LAYERS = (
    "F_Cu",
    "B_Cu",
    "F_Mask",
    "B_Mask",
    "F_Paste",
    "B_Paste",
    "F_Silkscreen",
    "B_Silkscreen",
    "Edge_Cuts",
)


@pytest.mark.parametrize("name", PLANS)
def test_every_layer_and_the_drill_file_are_there(name: str) -> None:
    with zipfile.ZipFile(release.KEPT / f"{name}-gerbers.zip") as archive:
        assert sorted(archive.namelist()) == sorted(
            [*(f"{name}-{layer}.gbr" for layer in LAYERS), f"{name}.drl"]
        )
        for inside in archive.namelist():
            assert "CreationDate" not in archive.read(inside).decode()


@pytest.mark.parametrize("name", PLANS)
def test_the_plotted_outline_is_the_plans(name: str) -> None:
    left, top, right, bottom = PLANS[name].outline
    with zipfile.ZipFile(release.KEPT / f"{name}-gerbers.zip") as archive:
        edge = archive.read(f"{name}-Edge_Cuts.gbr").decode()
    points = [(int(x) / 1e6, int(y) / 1e6) for x, y in re.findall(r"X(-?\d+)Y(-?\d+)D0[12]", edge)]
    assert max(x for x, _ in points) - min(x for x, _ in points) == pytest.approx(right - left, abs=0.01)
    assert max(y for _, y in points) - min(y for _, y in points) == pytest.approx(bottom - top, abs=0.01)


@pytest.mark.parametrize("name", PLANS)
def test_bill_and_placement_name_the_same_parts_once(name: str) -> None:
    with (release.KEPT / f"{name}-bom.csv").open() as file:
        bill = [r for row in csv.DictReader(file) for r in row["Designator"].split(",")]
    with (release.KEPT / f"{name}-cpl.csv").open() as file:
        placed = [row["Designator"] for row in csv.DictReader(file)]
    assert sorted(bill) == sorted(placed) == sorted(set(bill))
    drilled = {pad.reference for pad in PLANS[name].pads if pad.drill}
    left = {r for r in BOARDS[name].parts if r not in drilled} - set(bill)
    assert left == ({"C2", "L1"} if name == "tile" else set())


def test_an_archive_depends_on_its_content_alone(tmp_path: Path) -> None:
    (tmp_path / "a").write_text("one")
    release.pack(tmp_path / "1.zip", [("a", tmp_path / "a")])
    (tmp_path / "a").touch()
    release.pack(tmp_path / "2.zip", [("a", tmp_path / "a")])
    assert (tmp_path / "1.zip").read_bytes() == (tmp_path / "2.zip").read_bytes()


@pytest.mark.parametrize(
    ("module", "said"),
    [
        ("raise ImportError", "pcbnew is not here: install KiCad 6"),
        ("def Version(): return '8.0.1'", "This is KiCad 8.0.1; these scripts are written for KiCad 6"),
    ],
)
def test_another_kicad_is_named_in_one_sentence(tmp_path: Path, module: str, said: str) -> None:
    (tmp_path / "pcbnew.py").write_text(module + "\n")
    done = subprocess.run(
        [sys.executable, "-m", "hardware.pcb.kicad", "tile", str(tmp_path)],
        cwd=ROOT,
        env={"PYTHONPATH": f"{tmp_path}:{ROOT}"},
        capture_output=True,
        text=True,
    )
    assert done.returncode == 1
    assert said in done.stderr and "Traceback" not in done.stderr
