"""The tile board's layout against the circuit, and the router on boards small enough to judge by eye."""

import json
from itertools import combinations
from math import hypot
from pathlib import Path

import pytest

from hardware.circuit.boards import BOARDS
from hardware.circuit.parts import KINDS
from hardware.pcb import layout
from hardware.pcb.judge import faults
from hardware.pcb.layout import BACK, BOTH, FRONT, Pad
from hardware.pcb.route import CLEARANCE, Router, Track, load


def test_every_pin_of_the_circuit_has_its_pad_on_its_net() -> None:
    board = BOARDS["tile"]
    wanted = {
        (reference, pin.number): board.net_of(f"{reference}.{pin.name}") or ""
        for reference, kind in board.parts.items()
        for pin in KINDS[kind].pins
    }
    assert {(pad.reference, pad.number): pad.net for pad in layout.pads()} == wanted


def test_pads_lie_on_the_board_and_keep_off_each_other() -> None:
    pads = layout.pads()
    for pad in pads:
        assert pad.x - pad.width / 2 > layout.LEFT and pad.x + pad.width / 2 < layout.RIGHT
        assert pad.y - pad.height / 2 > layout.TOP and pad.y + pad.height / 2 < layout.BOTTOM
    for a, b in combinations(pads, 2):
        if a.net != b.net and set(a.layer) & set(b.layer) and a.reference != "L1":
            gap_x = abs(a.x - b.x) - (a.width + b.width) / 2
            gap_y = abs(a.y - b.y) - (a.height + b.height) / 2
            assert max(gap_x, gap_y) > CLEARANCE, (a, b)


def test_nothing_but_the_coil_lies_inside_the_coil() -> None:
    for pad in layout.pads():
        assert pad.reference == "L1" or pad.y - pad.height / 2 > 27.5


def test_two_boards_fit_one_behind_the_other() -> None:
    assert layout.BOTTOM - layout.TOP <= 75 - 1
    assert layout.RIGHT - layout.LEFT <= 75 - 2 * 2.4


def test_a_ribbon_meets_its_own_pins() -> None:
    # On the lower face a box header is mirrored: seen from above, pin 2 lies below pin 1 and pin 3 to its right.
    at = {pad.number: (pad.x, pad.y) for pad in layout.pads() if pad.reference == "J1"}
    assert at[2] == (at[1][0], at[1][1] + 2.54)
    assert at[3] == pytest.approx((at[1][0] + 2.54, at[1][1]))


def pad(reference: str, net: str, x: float, y: float, layer: str = FRONT) -> Pad:
    return Pad(reference, 1, "1", net, x, y, 0.8, 0.8, layer)


def test_router_goes_straight_where_it_can() -> None:
    router = Router((0, 0, 10, 10), [pad("A", "N", 1, 5), pad("B", "N", 9, 5)], [])
    router.route({"N": 0.3})
    assert router.tracks == [Track("N", FRONT, 0.3, (1.0, 5.0), (9.0, 5.0))]
    assert router.vias == []


def test_router_dives_under_a_wall() -> None:
    wall = Track("W", FRONT, 0.5, (5, -1), (5, 11))
    router = Router((0, 0, 10, 10), [pad("A", "N", 1, 5), pad("B", "N", 9, 5)], [wall])
    router.route({"N": 0.3})
    assert len(router.vias) == 2
    assert any(track.layer == BACK for track in router.laid["N"].tracks)


def test_router_keeps_its_distance() -> None:
    pads = [pad("A", "N", 1, 5), pad("B", "N", 9, 5), pad("X", "O", 5, 5, BOTH)]
    router = Router((0, 0, 10, 10), pads, [])
    router.route({"N": 0.3})
    for track in router.tracks:
        for step in range(101):
            x = track.a[0] + (track.b[0] - track.a[0]) * step / 100
            y = track.a[1] + (track.b[1] - track.a[1]) * step / 100
            gap = hypot(max(abs(x - 5) - 0.4, 0), max(abs(y - 5) - 0.4, 0)) - 0.15
            assert gap >= CLEARANCE - 0.02


def test_crossed_nets_make_room_for_each_other() -> None:
    pads = [pad("A", "N", 1, 5), pad("B", "N", 9, 5), pad("C", "O", 5, 1), pad("D", "O", 5, 9)]
    router = Router((0, 0, 10, 10), pads, [])
    router.route({"N": 0.3, "O": 0.3})
    assert set(router.laid) == {"N", "O"}
    assert (
        router.others("N", 0.15)
        .keys()
        .isdisjoint({(round(t.a[0] * 5), round(t.a[1] * 5), t.layer) for t in router.laid["N"].tracks})
    )


def test_router_says_when_there_is_no_way() -> None:
    walls = [Track("W", layer, 0.5, (5, -1), (5, 11)) for layer in (FRONT, BACK)]
    router = Router((0, 0, 10, 10), [pad("A", "N", 1, 5), pad("B", "N", 9, 5)], walls)
    with pytest.raises(ValueError, match="N: no way to B"):
        router.route({"N": 0.3})


REPORT = """** Found 1 DRC violations **
[{rule}]: Something about it
    Rule: board setup constraints; Severity: {severity}
    @(1.0 mm, 2.0 mm): Track [N] on F.Cu

** Found {open} unconnected pads **
"""


def plotted(folder: Path, gerber: str = "X1Y1D01*\n", drill: str = "T1\nX1.0Y2.0\n") -> list[Path]:
    files = {"tile-F_Cu.gbr": gerber, "tile.drl": drill}
    for name, text in files.items():
        (folder / name).write_text(text)
    return [folder / name for name in files]


def test_a_clean_board_is_fit(tmp_path: Path) -> None:
    report = REPORT.format(rule="silk_overlap", severity="warning", open=0)
    assert faults(report, plotted(tmp_path), 2) == []


def test_a_rule_error_is_named(tmp_path: Path) -> None:
    report = REPORT.format(rule="clearance", severity="error", open=0)
    assert faults(report, plotted(tmp_path), 2) == ["clearance: @(1.0 mm, 2.0 mm): Track [N] on F.Cu"]


def test_unconnected_pads_and_a_missing_report_are_named(tmp_path: Path) -> None:
    report = REPORT.format(rule="silk_overlap", severity="warning", open=3)
    assert faults(report, plotted(tmp_path), 2) == ["3 unconnected pads"]
    assert faults("", plotted(tmp_path), 2) == ["KiCad gave no report"]


def test_empty_and_missing_files_are_named(tmp_path: Path) -> None:
    report = REPORT.format(rule="silk_overlap", severity="warning", open=0)
    files = plotted(tmp_path, gerber="%FSLAX46Y46*%\nM02*\n", drill="M48\nM30\n")
    assert faults(report, files, 3) == [
        "tile-F_Cu.gbr is empty",
        "tile.drl is empty",
        "2 Gerber and drill files instead of 3",
    ]


def test_tracks_survive_the_file(tmp_path: Path) -> None:
    track = Track("N", FRONT, 0.3, (1.0, 5.0), (9.0, 5.0))
    (tmp_path / "tracks.json").write_text(json.dumps({"tracks": [track], "vias": [["N", 1.0, 2.0]]}))
    laid = load(tmp_path / "tracks.json")
    assert laid.tracks == [track]
    assert laid.vias[0].y == 2.0
