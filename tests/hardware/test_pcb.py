"""The boards' plans against the circuits, and the router on boards small enough to judge by eye."""

import json
from itertools import combinations
from math import hypot
from pathlib import Path

import pytest

from hardware.circuit.boards import BOARDS
from hardware.circuit.parts import KINDS
from hardware.pcb import tile
from hardware.pcb.boards import PLANS
from hardware.pcb.cells import Laid
from hardware.pcb.judge import faults
from hardware.pcb.plan import BACK, BOTH, FRONT, Pad, Plan, Track
from hardware.pcb.route import ROUTES, Router, digest, load


@pytest.mark.parametrize("name", PLANS)
def test_every_pin_of_the_circuit_has_its_pad_on_its_net(name: str) -> None:
    board = BOARDS[name]
    wanted = {
        (reference, pin.number): board.net_of(f"{reference}.{pin.name}") or ""
        for reference, kind in board.parts.items()
        for pin in KINDS[kind].pins
    }
    assert {(pad.reference, pad.number): pad.net for pad in PLANS[name].pads} == wanted


@pytest.mark.parametrize("name", PLANS)
def test_pads_lie_on_the_board_and_keep_off_each_other(name: str) -> None:
    """Only the coil's own two pads touch: the net tie. The cut test is theirs."""
    plan = PLANS[name]
    left, top, right, bottom = plan.outline
    for pad in plan.pads:
        assert pad.x - pad.width / 2 > left and pad.x + pad.width / 2 < right
        assert pad.y - pad.height / 2 > top and pad.y + pad.height / 2 < bottom
    for a, b in combinations(plan.pads, 2):
        if a.net != b.net and set(a.layer) & set(b.layer) and not a.reference == b.reference == "L1":
            gap_x = abs(a.x - b.x) - (a.width + b.width) / 2
            gap_y = abs(a.y - b.y) - (a.height + b.height) / 2
            assert max(gap_x, gap_y) > 0.2, (a, b)


@pytest.mark.parametrize("name", ["row", "controller"])
def test_no_part_lies_on_another(name: str) -> None:
    for a, b in combinations(PLANS[name].placed, 2):
        apart = max(a.body[0], b.body[0]) >= min(a.body[2], b.body[2]) - 0.01
        apart |= max(a.body[1], b.body[1]) >= min(a.body[3], b.body[3]) - 0.01
        assert apart, (a, b)
    for pad in PLANS[name].pads:
        for part in PLANS[name].placed:
            left, top, right, bottom = part.body
            inside = left < pad.x < right and top < pad.y < bottom
            assert pad.reference == part.reference or not inside, (pad, part)


@pytest.mark.parametrize("name", PLANS)
def test_the_kept_route_belongs_to_the_plan_of_today(name: str) -> None:
    """Otherwise: `python -m hardware.pcb.route BOARD`, and look at the board."""
    assert json.loads((ROUTES / f"{name}.json").read_text())["plan"] == digest(PLANS[name])


def test_nothing_but_the_coil_lies_inside_the_coil() -> None:
    for pad in PLANS["tile"].pads:
        assert pad.reference == "L1" or pad.y - pad.height / 2 > 27.5


def test_two_boards_fit_one_behind_the_other() -> None:
    assert tile.BOTTOM - tile.TOP <= 75 - 1
    assert tile.RIGHT - tile.LEFT <= 75 - 2 * 2.4


def test_the_row_board_fits_its_cable_way() -> None:
    left, top, right, bottom = PLANS["row"].outline
    assert bottom - top < 44
    assert right - left < 160


def test_a_ribbon_meets_its_own_pins() -> None:
    # On the lower face a box header is mirrored: seen from above, pin 2 lies below pin 1 and pin 3 to its right.
    at = {pad.number: (pad.x, pad.y) for pad in PLANS["tile"].pads if pad.reference == "J1"}
    assert at[2] == (at[1][0], pytest.approx(at[1][1] + 2.54))
    assert at[3] == pytest.approx((at[1][0] + 2.54, at[1][1]))
    # On the upper face pin 2 lies above pin 1.
    up = {pad.number: (pad.x, pad.y) for pad in PLANS["row"].pads if pad.reference == "J1"}
    assert up[2] == (up[1][0], pytest.approx(up[1][1] - 2.54))
    assert up[3] == pytest.approx((up[1][0] + 2.54, up[1][1]))


def test_a_chip_is_counted_around() -> None:
    at = {(pad.reference, pad.number): (pad.x, pad.y) for pad in PLANS["row"].pads}
    x, y = at["U1", 1]
    assert at["U1", 8] == pytest.approx((x + 7 * 1.27, y))
    assert at["U1", 9] == pytest.approx((x + 7 * 1.27, y - 5.08))  # opposite
    assert at["U1", 16] == pytest.approx((x, y - 5.08))


def pad(reference: str, net: str, x: float, y: float, layer: str = FRONT) -> Pad:
    return Pad(reference, 1, "1", net, x, y, 0.8, 0.8, layer)


def small(pads: list[Pad], fixed: tuple[Track, ...] = ()) -> Router:
    nets = tuple(dict.fromkeys(p.net for p in pads))
    nets = tuple(net for net in nets if sum(p.net == net for p in pads) > 1)
    box = (0.0, 0.0, 10.0, 10.0)
    return Router(
        Plan(
            "small",
            "",
            (-1, -1, 11, 11),
            (),
            0,
            tuple(pads),
            (),
            (),
            fixed,
            box,
            box,
            0.2,
            0.22,
            0.3,
            {},
            nets,
        )
    )


def routed(router: Router) -> Laid:
    for net in router.plan.order:
        for crossed in router.join(net):
            router._take_up(crossed)
            router.join(crossed)
    return Laid(router.tracks, router.vias)


def test_router_goes_straight_where_it_can() -> None:
    laid = routed(small([pad("A", "N", 1, 5), pad("B", "N", 9, 5)]))
    assert laid.tracks == [Track("N", FRONT, 0.3, (1.0, 5.0), (9.0, 5.0))]
    assert laid.vias == []


def test_router_dives_under_a_wall() -> None:
    wall = Track("W", FRONT, 0.5, (5, -1), (5, 11))
    laid = routed(small([pad("A", "N", 1, 5), pad("B", "N", 9, 5)], (wall,)))
    assert len(laid.vias) == 2
    assert any(track.layer == BACK for track in laid.tracks)


def test_router_keeps_its_distance() -> None:
    laid = routed(small([pad("A", "N", 1, 5), pad("B", "N", 9, 5), pad("X", "O", 5, 5, BOTH)]))
    for track in laid.tracks:
        for step in range(101):
            x = track.a[0] + (track.b[0] - track.a[0]) * step / 100
            y = track.a[1] + (track.b[1] - track.a[1]) * step / 100
            gap = hypot(max(abs(x - 5) - 0.4, 0), max(abs(y - 5) - 0.4, 0)) - 0.15
            assert gap >= 0.2


def test_crossed_nets_make_room_for_each_other() -> None:
    router = small([pad("A", "N", 1, 5), pad("B", "N", 9, 5), pad("C", "O", 5, 1), pad("D", "O", 5, 9)])
    laid = routed(router)
    assert set(router.laid) == {"N", "O"}
    for a, b in combinations(laid.tracks, 2):
        if a.net != b.net and a.layer == b.layer:
            flat, steep = (a, b) if a.net == "N" else (b, a)
            assert not (
                min(flat.a[0], flat.b[0]) <= steep.a[0] <= max(flat.a[0], flat.b[0])
                and min(steep.a[1], steep.b[1]) <= flat.a[1] <= max(steep.a[1], steep.b[1])
            )


def test_router_says_when_there_is_no_way() -> None:
    walls = tuple(Track("W", layer, 0.5, (5, -1), (5, 11)) for layer in (FRONT, BACK))
    with pytest.raises(ValueError, match="N: no way to B"):
        routed(small([pad("A", "N", 1, 5), pad("B", "N", 9, 5)], walls))


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
