"""Before the first turn: a table that is ready says nothing, and every trouble is said in words."""

from __future__ import annotations

from random import Random

import pytest
from naqala.hands.table import PhysicalTable, beside, laid_out
from naqala.rules.board import TILES
from naqala.rules.opening import dealt
from naqala.table.evidence import Evidence, see, turned
from naqala.table.setup_check import check_setup
from naqala.transcript import Piece
from naqala_protocol import Fault, Seen

OPENING = dealt(("Ann", "Bob", "Cy"), Random(5).randrange)


def ready() -> tuple[PhysicalTable, dict[str, list[str]]]:
    stage = laid_out(OPENING, Random(1))
    return stage, {tile: stage.at(tile) for tile in TILES}


def swept(stage: PhysicalTable, on: dict[str, list[str]], **more: object) -> Evidence:
    table = Evidence(dict(enumerate(TILES)), {**stage.tags(), **more.get("tags", {})})  # type: ignore[dict-item]
    for number, tile in enumerate(TILES):
        table = see(table, Seen(number + 1, number, tuple(on[tile])), number)
    return table


def troubles(table: Evidence, agreed: bool = False) -> list[str]:
    return [t.what for t in check_setup(table, OPENING if agreed else None)]


def test_a_table_that_is_ready() -> None:
    stage, on = ready()
    assert check_setup(swept(stage, on)) == ()
    assert check_setup(swept(stage, on), OPENING) == ()


def test_a_meeple_on_the_neighbour_and_one_missing() -> None:
    stage, on = ready()
    moved = stage.at("A1", "meeple")[0]
    on["A1"].remove(moved)
    on["A2"].append(moved)
    found = check_setup(swept(stage, on))
    assert [(t.what, t.tiles) for t in found] == [("not_three", ("A1",)), ("not_three", ("A2",))]
    assert found[0].text == "2 meeples stand on A1, not 3."
    colour = {"Y": "yellow", "W": "white", "G": "green", "B": "blue", "R": "red"}[stage.piece(moved).which]
    agreed = check_setup(swept(stage, on), OPENING)
    assert [t.text for t in agreed] == [f"Take the {colour} one from A2 and put it on A1."]
    on["A2"].remove(moved)
    assert troubles(swept(stage, on)) == ["not_three", "wrong_total"]


def test_a_stranger_a_double_and_a_camel_too_early() -> None:
    stage, on = ready()
    on["C3"].append("0badc0de")
    on["D4"].append(stage.at("D3", "meeple")[0])
    on["E5"].append(beside(stage, Piece("camel", "Ann"))[0])
    found = {t.what: t for t in check_setup(swept(stage, on))}
    assert set(found) == {"unknown_tag", "two_places", "too_early"}
    assert found["unknown_tag"].text == "Tag 0badc0de on C3 is not registered: enrol it or take it away."
    assert found["two_places"].tiles == ("D3", "D4")
    assert found["too_early"].text == "Take the camel Ann from E5: the game has not begun."


def test_a_dead_reader_a_silent_one_and_one_that_is_not_mapped() -> None:
    stage, on = ready()
    table = swept(stage, on)
    assert next(t.text for t in check_setup(see(table, Fault(99, 0, "spi"), 100))) == (
        "The reader under A1 reports a fault (spi)."
    )
    silent = Evidence({0: "A1"}, stage.tags())
    assert troubles(silent)[:1] == ["silent_reader"]
    assert "no_reader" in troubles(silent)


def test_two_tiles_swapped_and_a_board_turned_round() -> None:
    stage, on = ready()
    one, other = stage.at("B2", "tile")[0], stage.at("B3", "tile")[0]
    on["B2"].remove(one)
    on["B3"].remove(other)
    on["B2"].append(other)
    on["B3"].append(one)
    assert [t.text for t in check_setup(swept(stage, on))] == [
        "The tile of B2 lies on B3.",
        "The tile of B3 lies on B2.",
    ]
    stage, on = ready()
    around = turned(dict(enumerate(TILES)))
    everything = {around[n]: on[tile] for n, tile in enumerate(TILES)}
    assert troubles(swept(stage, everything)) == ["turned_round"]
    on["C4"].remove(stage.at("C4", "tile")[0])
    assert troubles(swept(stage, on)) == ["missing_tile"]


@pytest.mark.parametrize("kind", ["sacred_place 15"])
def test_a_tile_known_by_what_is_printed_on_it_lies_anywhere(kind: str) -> None:
    stage, on = ready()
    tag = stage.at("A1", "tile")[0]
    assert troubles(swept(stage, on, tags={tag: Piece("tile", kind)})) == []
