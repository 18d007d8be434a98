"""The check of the prints must be able to fail; the frame's measures must fit the tile board and the field model."""

import re
from pathlib import Path

import pytest

from hardware.frame import stl
from hardware.pcb import layout

FRAME = Path(stl.__file__).parent
BED = (220.0, 220.0, 250.0)


def cube(side: float) -> list[stl.Facet]:
    corners = [(x * side, y * side, z * side) for x in (0, 1) for y in (0, 1) for z in (0, 1)]
    quads = ((0, 1, 3, 2), (4, 6, 7, 5), (0, 4, 5, 1), (2, 3, 7, 6), (0, 2, 6, 4), (1, 5, 7, 3))
    return [
        (corners[a], corners[b], corners[c])
        for q in quads
        for a, b, c in ((q[0], q[1], q[2]), (q[0], q[2], q[3]))
    ]


def test_a_cube_is_printable() -> None:
    solid = stl.measure(cube(10))
    assert solid == stl.Solid(12, 0, pytest.approx(1000), (10, 10, 10))
    assert stl.faults(solid, BED) == []


def test_a_missing_facet_is_a_hole() -> None:
    assert stl.faults(stl.measure(cube(10)[:-1]), BED) == ["is not watertight: 3 open edges"]


def test_a_turned_facet_is_a_hole() -> None:
    facets = cube(10)
    a, b, c = facets[0]
    assert stl.measure([(a, c, b), *facets[1:]]).open_edges > 0


def test_nothing_is_empty() -> None:
    assert stl.faults(stl.measure([]), BED) == ["is empty"]


def test_inside_out_is_found() -> None:
    assert stl.faults(stl.measure([(a, c, b) for a, b, c in cube(10)]), BED) == ["is inside out"]


def test_too_big_is_found() -> None:
    assert stl.faults(stl.measure(cube(221)), BED) == ["is 221 x 221 x 221 mm, the bed 220 x 220 x 250"]


def test_reads_what_openscad_writes(tmp_path: Path) -> None:
    vertices = "".join(f"vertex {x} {y} {z}\n" for x, y, z in cube(1)[0])
    (tmp_path / "one.stl").write_text(
        f"solid x\nfacet normal 0 0 0\nouter loop\n{vertices}endloop\nendfacet\nendsolid x\n"
    )
    assert stl.read(tmp_path / "one.stl") == [cube(1)[0]]


def test_frame_and_tile_board_agree() -> None:
    text = (FRAME / "dimensions.scad").read_text()
    m = {name: float(value) for name, value in re.findall(r"^(\w+) = ([\d.]+);", text, re.M)}
    assert (m["board_x"], m["board_up"], m["board_down"]) == (
        layout.RIGHT - layout.LEFT,
        -layout.TOP,
        layout.BOTTOM,
    )
    lamp = re.search(r"^lamp = \[([\d.]+), ([\d.]+)\]", text, re.M)
    assert lamp
    assert (float(lamp[1]), float(lamp[2])) == (layout.SPOTS["D1"].x, layout.SPOTS["D1"].y)
    assert m["pitch"] == 75
    # the field model's tag height: air, top plate, tile, base floor, half of the tag
    assert m["air"] + m["plate"] + m["tile_thick"] + m["base_floor"] + m["tag_thick"] / 2 == pytest.approx(
        5, abs=0.25
    )
    assert 14 <= m["tag"] + m["tag_play"] + 1.6 <= 16
