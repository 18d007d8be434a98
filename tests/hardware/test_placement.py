"""The hand-wired boards: every part has its place, none lies on another."""

from itertools import combinations

import pytest

from hardware.circuit import placement
from hardware.circuit.boards import BOARDS


@pytest.mark.parametrize("board", placement.PLACES)
def test_every_part_has_its_place(board: str) -> None:
    assert set(placement.PLACES[board]) == set(BOARDS[board].parts)
    pins = {f"{place}" for places in BOARDS[board].nets.values() for place in places} | BOARDS[
        board
    ].open_pins
    assert set(placement.pin_holes(board).values()) == pins


@pytest.mark.parametrize("board", placement.PLACES)
def test_no_part_lies_on_another(board: str) -> None:
    bodies = placement.bodies(board)
    for (a, first), (b, second) in combinations(bodies.items(), 2):
        apart = (
            first[2] <= second[0] or second[2] <= first[0] or first[3] <= second[1] or second[3] <= first[1]
        )
        assert apart, (a, b)
    for (x, y), place in placement.pin_holes(board).items():
        for reference, (left, top, right, bottom) in bodies.items():
            assert place.startswith(f"{reference}.") or not (left < x < right and top < y < bottom), (
                place,
                reference,
            )


def test_two_pins_in_one_hole_are_refused(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(placement.PLACES["row"], "R2", placement.PLACES["row"]["R1"])
    with pytest.raises(ValueError, match="R2"):
        placement.pin_holes("row")


def test_a_chip_is_counted_around() -> None:
    holes = {place: hole for hole, place in placement.pin_holes("row").items()}
    x, y = placement.PLACES["row"]["U1"]
    assert holes["U1.A"] == (x, y)
    assert holes["U1.GND"] == (x + 7, y)  # pin 8
    assert holes["U1.Y6"] == (x + 7, y - 3)  # pin 9, opposite
    assert holes["U1.VCC"] == (x, y - 3)  # pin 16


def test_the_row_board_fits_its_cable_way() -> None:
    assert placement.SIZES["row"][1] * 2.54 < 44
    assert placement.SIZES["row"][0] * 2.54 < 160


def test_the_wire_list_has_every_net() -> None:
    wires = dict(placement.wires("row"))
    assert wires["EN"] == "J0.EN (7), U1.G2A (4), U3.OE3 (10), R4.1 (1)"
    assert len(wires) == len(BOARDS["row"].nets)
