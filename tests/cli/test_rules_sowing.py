"""What `naqala rules sowings` and `judge` answer."""

from __future__ import annotations

import json

import pytest
from naqala.cli.rules_sowing import AT_ONCE, judge_answer, sowings_answer
from naqala.rules.board import TILES
from naqala.rules.breach import InvalidAction


def board(**tiles: str) -> tuple[str, ...]:
    return tuple(tiles.get(tile, "") for tile in TILES)


def test_sowings_in_numbers() -> None:
    # From C3 the green one opens the way for the red one, by C4 or D3; the red one on D4 has nowhere to go.
    assert (
        "".join(sowings_answer(board(C3="GR", D4="R")))
        == '{"count": 2, "outcomes": 1, "per_start": {"C3": 2}}\n'
    )


def test_sowings_listed() -> None:
    told = "".join(sowings_answer(board(C3="GR", D4="R"), listed=True))
    assert json.loads(told) == {
        "count": 2,
        "outcomes": 1,
        "per_start": {"C3": 2},
        "sowings": [
            {"start": "C3", "drops": [["C4", "G"], ["D4", "R"]]},
            {"start": "C3", "drops": [["D3", "G"], ["D4", "R"]]},
        ],
    }
    assert told.count("\n") == 1 + 2  # one sowing a line


def test_no_sowings_at_all() -> None:
    none = {"count": 0, "outcomes": 0, "per_start": {}}
    assert json.loads("".join(sowings_answer(board()))) == none
    assert json.loads("".join(sowings_answer(board(), listed=True))) == {**none, "sowings": []}


def test_a_long_list_comes_in_pieces_and_whole() -> None:
    pieces = list(sowings_answer(board(C3="YYYYYYYYB", E2="B", F4="B"), listed=True))
    told = json.loads("".join(pieces))
    assert len(told["sowings"]) == told["count"] > 5 * AT_ONCE
    assert max(piece.count("\n") for piece in pieces) == AT_ONCE


def test_an_endless_list_begins_at_once() -> None:
    pieces = sowings_answer(board(C3="YYYWWWGGGBBBRRR", E2="B"), listed=True)
    assert [next(pieces)[:10], next(pieces)[:12]] == ['{"count": ', '\n{"start": "']


def test_judge_of_the_design_page() -> None:
    sowing = {"start": "C3", "drops": [["C4", "G"], ["C3", "R"], ["D3", "R"]]}
    assert judge_answer(board(C3="GRR", D3="R"), sowing) == {
        "legal": False,
        "breaches": [{"rule": "no_immediate_backtracking", "drop": 2, "tiles": ["C3"]}],
    }


def test_judge_of_a_legal_sowing() -> None:
    sowing = {"start": "C3", "drops": [["C4", "G"], ["D4", "R"]]}
    assert judge_answer(board(C3="GR", D4="R"), sowing) == {"legal": True, "breaches": []}


def test_judge_names_all_breaches() -> None:
    sowing = {"start": "C3", "drops": [["D4", "G"]]}
    assert judge_answer(board(C3="GR", D4="R"), sowing) == {
        "legal": False,
        "breaches": [
            {"rule": "drops_on_neighbours", "drop": 1, "tiles": ["D4"]},
            {"rule": "ends_on_its_own_colour", "drop": 1, "tiles": ["D4"]},
            {"rule": "takes_every_meeple", "tiles": ["C3"]},
        ],
    }


def test_judge_refuses_what_is_no_sowing() -> None:
    with pytest.raises(InvalidAction, match="no tile 'Z9'"):
        judge_answer(board(C3="GR"), {"start": "Z9", "drops": []})
