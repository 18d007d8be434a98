"""The cut test and the bare-board test on small Gerber files that are drawn here, with and without the fault."""

from itertools import pairwise
from pathlib import Path

import pytest

from hardware.pcb.copper import BACK, FRONT, Copper, plated_holes
from hardware.pcb.plan import Pad, Plan
from hardware.pcb.proof import bare_board, cut_test

HEAD = "%FSLAX46Y46*%\n%MOMM*%\n%LPD*%\n%ADD10C,0.500000*%\n%ADD11C,1.000000*%\n%ADD12R,1.800000X0.500000*%\nD10*\n"


def at(x: float, y: float, do: int) -> str:
    return f"X{round(x * 1e6)}Y{round(-y * 1e6)}D0{do}*\n"


def line(*points: tuple[float, float]) -> str:
    return "".join(at(*a, 2) + at(*b, 1) for a, b in pairwise(points))


def spiral(turns: int) -> list[tuple[float, float]]:
    """Round (60, 60), ends on the lower side, as the coil of 0.1.0."""
    points = [(59.0, 86.75)]
    for turn in range(turns):
        h = 26.75 - turn
        points += [(60 - h, 60 + h), (60 - h, 60 - h), (60 + h, 60 - h), (60 + h, 60 + h), (61.0, 60 + h)]
        if turn + 1 < turns:
            points.append((59.0, 60 + h - 1))
    return points


def plot(folder: Path, front: str, back: str = "", holes: str = "") -> None:
    edge = line((29, 31), (91, 31), (91, 105), (29, 105), (29, 31))
    for name, text in (("F_Cu", front), ("B_Cu", back), ("Edge_Cuts", edge)):
        (folder / f"tile-{name}.gbr").write_text(HEAD + text)
    drill = "; #@! TA.AperFunction,Plated,PTH,ViaDrill\nT1C0.400\n; #@! TA.AperFunction,NonPlated,NPTH\nT2C2.700\n%\n"
    (folder / "tile.drl").write_text(drill + holes)


def coil(folder: Path, hole: tuple[float, float], strip: str) -> list[str]:
    """Four turns with the inner end in a plated hole, from where a lead goes out below."""
    front = line(*spiral(4)) + line((59, 86.75), (59, 92)) + "D11*\n" + at(*hole, 3) + strip
    plot(
        folder,
        front,
        "D11*\n" + at(*hole, 3) + "D10*\n" + line(hole, (hole[0], 92)),
        f"T1\nX{hole[0]}Y-{hole[1]}\n",
    )
    return list(cut_test(folder, "tile", ((59.0, 91.0), hole), 4, (60, 60), 28.5))


def test_the_coil_of_the_first_version_had_a_shorted_turn(tmp_path: Path) -> None:
    """Its hole lay at (-0.9, 23.75) from the centre, on the start of the innermost turn."""
    found = coil(tmp_path, (59.1, 83.75), "D12*\n" + at(60.4, 83.75, 3))
    assert len(found) == 4
    assert all(words.startswith("turn 1 from within is shorted") for words in found)


def test_with_the_hole_inside_every_cut_opens_the_coil(tmp_path: Path) -> None:
    assert coil(tmp_path, (61.0, 82.0), "D10*\n" + line((61.0, 83.75), (61.0, 82.0))) == []


def test_an_open_coil_and_a_missing_turn_are_found(tmp_path: Path) -> None:
    points = spiral(3)
    plot(tmp_path, line(*points))
    ends = (points[0], points[-1])
    assert "3 turns on the left side instead of 4" in list(
        cut_test(tmp_path, "tile", ends, 4, (60, 60), 28.5)
    )
    plot(tmp_path, line(*points[:4]) + line(*points[5:]))
    assert list(cut_test(tmp_path, "tile", ends, 3, (60, 60), 28.5)) == ["the coil's ends are not joined"]


def test_a_hole_joins_both_faces_only_when_plated(tmp_path: Path) -> None:
    plot(tmp_path, line((40, 40), (50, 40)), line((50, 40), (60, 40)), "T1\nX50.0Y-40.0\n")
    islands = Copper(tmp_path, "tile").islands()
    assert islands.island(40, 40, FRONT) == islands.island(60, 40, BACK) is not None
    plot(tmp_path, line((40, 40), (50, 40)), line((50, 40), (60, 40)), "T2\nX50.0Y-40.0\n")
    islands = Copper(tmp_path, "tile").islands()
    assert islands.island(40, 40, FRONT) != islands.island(60, 40, BACK)
    assert list(plated_holes((tmp_path / "tile.drl").read_text())) == []


def test_a_poured_area_joins_what_it_touches(tmp_path: Path) -> None:
    pour = (
        "G36*\n"
        + at(40, 40, 2)
        + "".join(at(x, y, 1) for x, y in ((50, 40), (50, 50), (40, 50), (40, 40)))
        + "G37*\n"
    )
    plot(tmp_path, pour + line((45, 45), (60, 45)) + line((45, 52), (60, 52)))
    islands = Copper(tmp_path, "tile").islands()
    assert islands.island(41, 41) == islands.island(60, 45)
    assert islands.island(60, 52) not in (None, islands.island(41, 41))
    assert islands.island(70, 70) is None


@pytest.mark.parametrize(
    ("front", "said"),
    [
        (line((40, 40), (50, 40)) + line((40, 44), (50, 44)), []),
        (
            line((40, 40), (44, 40)) + line((46, 40), (50, 40)) + line((40, 44), (50, 44)),
            ["A is in 2 pieces"],
        ),
        (
            line((40, 40), (50, 40)) + line((40, 44), (50, 44)) + line((45, 40), (45, 44)),
            ["B and A are joined"],
        ),
    ],
)
def test_bare_board(tmp_path: Path, front: str, said: list[str]) -> None:
    plot(tmp_path, front)
    pads = [
        Pad(f"P{n}", 1, "1", net, x - 60, y - 60, 0.4, 0.4, FRONT)
        for n, (net, x, y) in enumerate((("A", 40, 40), ("A", 50, 40), ("B", 40, 44), ("B", 50, 44)))
    ]
    box = (0.0, 0.0, 1.0, 1.0)
    plan = Plan("tile", "", box, (), 0, tuple(pads), (), (), (), box, box, 0.2, 0.2, 0.3, {}, ())
    assert list(bare_board(plan, Copper(tmp_path, "tile"))) == said
