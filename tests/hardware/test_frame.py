"""The check of the prints must be able to fail; the frame's measures must fit the tile board and the field model."""

import re
from pathlib import Path

import pytest

from hardware.frame import stl
from hardware.frame.clash import Box, Solid, clashes, columns, measures, shared
from hardware.pcb import tile as layout
from hardware.pcb.boards import PLANS

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
    assert m["base_floor"] == pytest.approx(m["base_thick"] - m["base_roof"] - m["tag_thick"])


def test_frame_and_logic_boards_agree() -> None:
    text = (FRAME / "dimensions.scad").read_text()
    for name in ("row", "controller"):
        found = re.search(rf"^{name}_board = \[([\d.]+), ([\d.]+)\]", text, re.M)
        assert found
        assert (float(found[1]), float(found[2])) == pytest.approx(PLANS[name].outline[2:], abs=0.01)


def solid(name: str, low: tuple[float, float, float], high: tuple[float, float, float]) -> Solid:
    return Solid(name, Box(low, high))


def test_boxes_that_touch_do_not_clash_and_those_that_overlap_do() -> None:
    a = solid("a", (0, 0, 0), (10, 10, 10))
    assert shared(a, solid("b", (10, 0, 0), (20, 10, 10))) == 0
    assert shared(a, solid("c", (9.5, 2, 2), (20, 4, 4))) == pytest.approx(0.5 * 2 * 2)
    assert [(c.a, c.b) for c in clashes([a, solid("c", (9.5, 2, 2), (20, 4, 4))])] == [("a", "c")]


def test_a_print_and_a_box() -> None:
    print_ = Solid("cube", columns(cube(10)))
    assert shared(print_, solid("in", (2, 2, 2), (4, 4, 4))) == pytest.approx(8)
    assert shared(print_, solid("beside", (10, 0, 0), (12, 10, 10))) == 0
    assert shared(print_, solid("on top", (0, 0, 10), (10, 10, 12))) == 0
    assert shared(print_, solid("half a millimetre in", (9.5, 0, 0), (20, 10, 1.6))) == pytest.approx(
        0.5 * 10 * 1.6
    )


def test_two_prints() -> None:
    cubes = columns(cube(10))
    a, b = Solid("a", cubes), Solid("b", cubes.moved(5, 5, 5))
    assert shared(a, b) == pytest.approx(125)
    assert shared(a, Solid("c", cubes.moved(10, 0, 0))) == 0


def test_an_open_print_is_refused() -> None:
    with pytest.raises(ValueError, match="closed"):
        columns(cube(10)[:8] + cube(10)[10:])  # without its floor


def test_the_module_and_wall_of_the_first_version_clash() -> None:
    """0.1.0: the module's edge 43.6 mm from the coil's centre, the wall's face at 43.1."""
    m = measures()
    face = -(m["pitch"] / 2 - m["wall"]) - m["offset"]
    wall = solid("wall", (-37, face - m["wall"], 0), (37, face, 48))
    module = solid("module", (-5.3, -43.6, 24), (31.7, 22.4, 25.6))
    assert shared(wall, module) == pytest.approx(37 * 0.5 * 1.6)
