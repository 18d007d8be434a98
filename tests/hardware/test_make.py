"""`make hardware` fails on a shorted turn, a clash, an impossible part and a matching outside its window: each command that it runs
ends with an error on the fault itself, and make.sh stops where a command ends so."""

from __future__ import annotations

import os
import shutil
import subprocess
import sys
import zipfile
from pathlib import Path

import pytest

from hardware import bom, matching, models
from hardware.frame import clash
from hardware.pcb import proof

HARDWARE = Path(__file__).parents[2] / "hardware"


# --- the commands ---------------------------------------------------------------------------------------------


@pytest.fixture
def tile_board(tmp_path: Path) -> Path:
    """The tile board as it is ordered."""
    with zipfile.ZipFile(HARDWARE / "release/tile-gerbers.zip") as archive:
        archive.extractall(tmp_path / "gerber")
    return tmp_path


def test_the_board_as_ordered_passes_and_a_shorted_turn_does_not(
    tile_board: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(sys, "argv", ["proof", "tile", str(tile_board)])
    proof.main()
    front = tile_board / "gerber/tile-F_Cu.gbr"
    text = front.read_text()
    # A whisker of solder over the gap between both ends of the turn, 26.5 mm from the coil's centre.
    x, y = proof.ORIGIN[0], -(proof.ORIGIN[1] + 26.5)
    whisker = f"%ADD99C,0.300000*%\nD99*\nX{round((x - 6) * 1e6)}Y{round(y * 1e6)}D02*\nX{round((x + 6) * 1e6)}Y{round(y * 1e6)}D01*\n"
    front.write_text(text.replace("M02*", whisker + "M02*"))
    with pytest.raises(SystemExit, match="shorted"):
        proof.main()


def test_a_clash(monkeypatch: pytest.MonkeyPatch) -> None:
    apart = [clash.Solid("a", clash.box(0, 0, 0, 10, 10, 10)), clash.Solid("b", clash.box(10, 0, 0, 5, 5, 5))]
    monkeypatch.setattr(sys, "argv", ["clash", "no prints"])
    monkeypatch.setattr(clash, "Prints", lambda folder: {})
    monkeypatch.setattr(clash, "able_to_fail", lambda m, prints: True)
    monkeypatch.setattr(clash, "solids", lambda m, prints: apart)
    clash.main()
    apart.append(clash.Solid("c", clash.box(9, 9, 9, 5, 5, 5)))
    with pytest.raises(SystemExit, match=r"a and c share 1\.0 mm3"):
        clash.main()


def test_an_impossible_part(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    shutil.copytree(bom.FOLDER, tmp_path / "bom")
    monkeypatch.setattr(bom, "FOLDER", tmp_path / "bom")
    bom.main()
    bill = tmp_path / "bom/table.csv"
    assert "TZC3P200A110R00" in bill.read_text()
    bill.write_text(bill.read_text().replace("TZC3P200A110R00", "TZC3P250A110R00"))  # the one of 0.1.0
    with pytest.raises(SystemExit, match="TZC3 does not have"):
        bom.main()


def test_a_matching_outside_its_window(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(matching, "CHOSEN", matching.COMPARED[0])  # the one of 0.1.0
    monkeypatch.setattr(models, "PARTS", tuple(part for part in models.PARTS if part[2] == matching.main))
    with pytest.raises(SystemExit, match="the matching leaves its window"):
        models.page()


# --- the script -----------------------------------------------------------------------------------------------

PYTHON = """#!/bin/sh
echo "$2" >> "$CALLS"
[ "$2" != "$FAILS" ]
"""


@pytest.mark.parametrize(
    "module", ["hardware.bom", "hardware.models", "hardware.pcb.proof", "hardware.frame.clash"]
)
def test_make_stops_where_a_command_fails(tmp_path: Path, module: str) -> None:
    """The script itself, with a Python that does nothing but fail at one command."""
    script, bin_, calls = tmp_path / "hardware/make.sh", tmp_path / "bin", tmp_path / "calls"
    for folder in (script.parent / "drawings", bin_):
        folder.mkdir(parents=True)
    script.write_text((HARDWARE / "make.sh").read_text().replace("/usr/bin/python3", '"$bin/python"'))
    for name in ("python", "wireviz"):
        (bin_ / name).write_text(PYTHON)
        (bin_ / name).chmod(0o755)
    # What the cables' step would have drawn.
    (script.parent / "drawings/*.svg").touch()
    environ = os.environ | {"CALLS": str(calls), "FAILS": module, "CI": ""}
    done = subprocess.run(["sh", str(script), str(bin_)], env=environ, capture_output=True, text=True)
    assert done.returncode != 0, done.stdout
    assert calls.read_text().split()[-1] == module
