"""The four rules of sowing, each by example, and a sowing's text and JSON both ways."""

from __future__ import annotations

import json
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st
from naqala.rules.board import TILES, TRIBES
from naqala.rules.breach import Breach, InvalidAction
from naqala.rules.sowing import RULES, Sowing, breaches, breaches_so_far


def board(**tiles: str) -> tuple[str, ...]:
    return tuple(tiles.get(tile, "") for tile in TILES)


def broken(meeples: tuple[str, ...], text: str) -> list[tuple[str, int | None, str]]:
    """The breaches of a sowing, short enough to compare by eye."""
    return [
        (each.rule, each.drop, " ".join(each.tiles)) for each in breaches(meeples, Sowing.from_text(text))
    ]


# --- the rules, by name -------------------------------------------------------------------------------------


def test_a_legal_sowing_breaks_nothing() -> None:
    assert broken(board(C3="RGB", D4="B"), "C3>C4R>C5G>D5B") == [("ends_on_its_own_colour", 3, "D5")]
    assert broken(board(C3="RGB", D5="B"), "C3>C4R>C5G>D5B") == []
    assert broken(board(C3="R", C2="GR"), "C3>C2R") == []


@pytest.mark.parametrize(
    ("taken", "text"),
    [
        ("GGR", "C3>C4G>D4R"),  # one left behind
        ("R", "C3>C4G>D4R"),  # one from nowhere
        ("GB", "C3>C4G>D4R"),  # another colour
        ("GGR", "C3>C4G>C5R>D5R>D4R"),  # four of three
        ("", "C3>C4G>D4R"),  # an empty tile
        ("GR", "C3"),  # nothing moved
        ("", "C3"),  # nothing moved from nothing
    ],
)
def test_takes_every_meeple(taken: str, text: str) -> None:
    assert broken(board(C3=taken, D4="R"), text) == [("takes_every_meeple", None, "C3")]
    assert "drop" not in breaches(board(C3=taken, D4="R"), Sowing.from_text(text))[0].to_json()


def test_takes_every_meeple_whatever_their_order() -> None:
    assert broken(board(C3="RGG", D5="R"), "C3>C4G>C5G>D5R") == []


def test_drops_on_neighbours() -> None:
    meeples = board(C3="GR", A1="R", C4="R", D4="R", E3="R", C5="R", D5="R", F1="GR", F2="R")
    assert broken(meeples, "C3>C4G>D4R") == []
    assert broken(meeples, "C3>D4G>C4R") == [("drops_on_neighbours", 1, "D4")]  # diagonal
    assert broken(meeples, "C3>C4G>D5R") == [("drops_on_neighbours", 2, "D5")]
    assert broken(meeples, "C3>E3G>D3R")[0] == ("drops_on_neighbours", 1, "E3")  # a tile skipped
    assert broken(meeples, "C3>C4G>C4R") == [("drops_on_neighbours", 2, "C4")]  # two on one tile
    assert broken(meeples, "C3>C3G>C4R") == [
        ("drops_on_neighbours", 1, "C3")
    ]  # the start tile is no neighbour of itself
    assert broken(meeples, "F1>A1G>A1R") == [
        ("drops_on_neighbours", 1, "A1"),
        ("drops_on_neighbours", 2, "A1"),
    ]
    assert broken(board(C5="R", D1="R"), "C5>D1R") == [
        ("drops_on_neighbours", 1, "D1")
    ]  # columns do not wrap


def test_no_immediate_backtracking() -> None:
    meeples = board(C3="GGR", C4="R", D3="R", D4="R")
    assert broken(meeples, "C3>C4G>C5G>C4R") == [("no_immediate_backtracking", 3, "C4")]
    # The second drop may not go back to the start tile either.
    assert broken(meeples, "C3>C4G>C3G>D3R") == [("no_immediate_backtracking", 2, "C3")]
    assert broken(board(C3="GR", D4="R"), "C3>C4G>C3R") == [
        ("no_immediate_backtracking", 2, "C3"),
        ("ends_on_its_own_colour", 2, "C3"),
    ]


def test_no_immediate_backtracking_lets_a_loop_re_enter() -> None:
    # Start tile from the 4th drop on, first drop's tile from the 5th.
    assert broken(board(C3="GGGR", C4="R"), "C3>D3G>D4G>C4G>C3R") == [("ends_on_its_own_colour", 4, "C3")]
    assert broken(board(C3="GGGRR"), "C3>D3R>D4G>C4G>C3G>D3R") == []


def test_ends_on_its_own_colour() -> None:
    assert broken(board(C3="GR", D4="R"), "C3>C4G>D4R") == []
    assert broken(board(C3="GR", D4="GBYW"), "C3>C4G>D4R") == [("ends_on_its_own_colour", 2, "D4")]
    assert broken(board(C3="GR"), "C3>C4G>D4R") == [("ends_on_its_own_colour", 2, "D4")]
    # Its own start tile's meeples are in the hand.
    assert broken(board(C3="RRRR"), "C3>D3R>D4R>C4R>C3R") == [("ends_on_its_own_colour", 4, "C3")]


def test_ends_on_its_own_colour_dropped_earlier_in_the_move() -> None:
    # Five in hand end on a tile that was empty (designer's guide); another colour dropped there does not help.
    assert broken(board(B2="GYRYG"), "B2>C2G>C3Y>B3R>B2Y>C2G") == []
    assert broken(board(B2="GYRYG"), "B2>C2Y>C3G>B3R>B2Y>C2G") == [("ends_on_its_own_colour", 5, "C2")]
    # The last drop does not meet itself, nor a meeple of its colour that was dropped elsewhere.
    assert broken(board(B2="GG"), "B2>C2G>C3G") == [("ends_on_its_own_colour", 2, "C3")]


def test_the_five_meeple_loop_of_the_guide() -> None:
    """Green on the oasis, blue, red, yellow back on the start tile, green on the oasis, where one green lay."""
    meeples = board(C3="GBRYG", C4="G")
    assert broken(meeples, "C3>C4G>D4B>D3R>C3Y>C4G") == []


def test_all_breaches_lowest_drop_first() -> None:
    assert broken(board(C3="GGR", D4="B"), "C3>D4G>C3G>E5B") == [
        ("drops_on_neighbours", 1, "D4"),
        ("drops_on_neighbours", 2, "C3"),
        ("no_immediate_backtracking", 2, "C3"),
        ("drops_on_neighbours", 3, "E5"),
        ("ends_on_its_own_colour", 3, "E5"),
        ("takes_every_meeple", None, "C3"),
    ]


def test_the_rules_go_by_their_names() -> None:
    assert [rule.__name__ for rule in RULES] == [
        "takes_every_meeple",
        "drops_on_neighbours",
        "no_immediate_backtracking",
        "ends_on_its_own_colour",
    ]


def test_breaches_so_far_judges_only_what_no_drop_can_mend() -> None:
    meeples = board(C3="GGR")
    assert breaches_so_far(meeples, Sowing.from_text("C3")) == ()
    assert breaches_so_far(meeples, Sowing.from_text("C3>C4G>D4R")) == ()
    assert breaches_so_far(meeples, Sowing.from_text("C3>C4R>C3R>E3G")) == (
        Breach("no_immediate_backtracking", 2, ("C3",)),
        Breach("drops_on_neighbours", 3, ("E3",)),
        Breach("takes_every_meeple", tiles=("C3",)),
    )
    assert breaches_so_far(meeples, Sowing.from_text("A1")) == (Breach("takes_every_meeple", tiles=("A1",)),)


# --- both ways ----------------------------------------------------------------------------------------------

tile_names = st.sampled_from(TILES)
any_sowings = st.builds(
    Sowing, tile_names, st.lists(st.tuples(tile_names, st.sampled_from(TRIBES))).map(tuple)
)


@given(any_sowings)
def test_text_and_json_both_ways(sowing: Sowing) -> None:
    assert Sowing.from_text(str(sowing)) == sowing
    assert Sowing.from_json(json.loads(json.dumps(sowing.to_json()))) == sowing


def test_forms_by_hand() -> None:
    sowing = Sowing("C3", (("C4", "G"), ("D4", "R")))
    assert str(sowing) == "C3>C4G>D4R"
    assert sowing.to_json() == {"start": "C3", "drops": [["C4", "G"], ["D4", "R"]]}
    assert (sowing.path, sowing.hand, sowing.end) == (("C3", "C4", "D4"), "GR", "D4")
    assert (Sowing("C3", ()).path, Sowing("C3", ()).hand, Sowing("C3", ()).end) == (("C3",), "", "C3")


@pytest.mark.parametrize(
    "value",
    [
        None,
        [],
        "C3>C4G",
        {},
        {"start": "C3"},
        {"drops": []},
        {"start": "G1", "drops": []},
        {"start": "c3", "drops": []},
        {"start": ["C3"], "drops": []},
        {"start": "C3", "drops": {}},
        {"start": "C3", "drops": "C4G"},
        {"start": "C3", "drops": ["C4"]},
        {"start": "C3", "drops": [["C4"]]},
        {"start": "C3", "drops": [["C4", "G", "R"]]},
        {"start": "C3", "drops": [["C6", "G"]]},
        {"start": "C3", "drops": [["C4", "K"]]},
        {"start": "C3", "drops": [["C4", ""]]},
        {"start": "C3", "drops": [["C4", "GR"]]},
        {"start": "C3", "drops": [["C4", None]]},
        {"start": "C3", "drops": [["C4", "G"]] * 91},
        {"start": "x" * 10_000, "drops": []},
    ],
)
def test_nonsense_is_invalid_not_illegal(value: Any) -> None:
    with pytest.raises(InvalidAction) as refused:
        Sowing.from_json(value)
    assert len(str(refused.value)) < 120
    assert "\n" not in str(refused.value)


@pytest.mark.parametrize("text", ["", "C3>", "C3>C4", "C3>C4GR", "C3 C4G", "Z9>C4G", "C3>C4g", "C3>>C4G"])
def test_nonsense_in_text_is_invalid(text: str) -> None:
    with pytest.raises(InvalidAction):
        Sowing.from_text(text)
