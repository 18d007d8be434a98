"""A move told on the board picture: every legal sowing can be told, every other step is refused by the rule it breaks."""

from __future__ import annotations

from random import Random

import pytest
from naqala.dashboard.telling import MOST_WAYS, Telling, told
from naqala.rules.board import TILES
from naqala.rules.opening import dealt
from naqala.rules.paths import count_per_start, sowings
from naqala.rules.sowing import Sowing

BOARD = {"C3": "GR", "C4": "W", "D4": "R", "D3": "G", "E3": "WB"}
MEEPLES = tuple(BOARD.get(tile, "") for tile in TILES)
STARTS = ("C3",)


def tell(meeples: tuple[str, ...], sowing: Sowing) -> tuple[Telling, int]:
    """Tap the tiles of a sowing, and its colours where they are asked; how it ends and how many taps that takes."""
    starts, taps = list(count_per_start(meeples)), 1
    now = told(meeples, starts, "", sowing.start)
    for tile, letter in sowing.drops:
        assert now is not None
        now, taps = told(meeples, starts, now.way, tile), taps + 1
        assert now is not None and not now.title, now
        if now.asks:
            now, taps = told(meeples, starts, dict(now.asks)[letter]), taps + 1
    assert now is not None
    return now, taps


@pytest.mark.parametrize("seed", range(4))
def test_every_legal_move_can_be_told(seed: int) -> None:
    dice = Random(seed)
    meeples = list(dealt(("Ann", "Bob"), dice.randrange).meeples)
    meeples[TILES.index("C3")] += "YWGB"[:seed]  # larger hands, later in a game
    board = tuple(meeples)
    every = [one for start in ("C3", "A1") for one in sowings(board, start)]
    for sowing in dice.sample(every, 60):
        now, taps = tell(board, sowing)
        assert now.whole and sowing.drops in now.ways and len(now.ways) <= max(MOST_WAYS, 1)
        assert all(way in {one.drops for one in every if one.start == sowing.start} for way in now.ways)
        assert taps <= 1 + 2 * len(sowing.drops)


@pytest.mark.parametrize(
    ("way", "at", "rule"),
    [
        ("", "B1", "takes_every_meeple"),
        ("", "C4", "ends_on_its_own_colour"),
        ("C3", "D4", "drops_on_neighbours"),
        ("C3", "C3", "drops_on_neighbours"),
        ("C3", "B3", "ends_on_its_own_colour"),
        ("C3>C4G", "C3", "no_immediate_backtracking"),
        ("C3>C4G", "C5", "ends_on_its_own_colour"),
    ],
)
def test_a_step_that_breaks_a_rule_is_named_and_goes_nowhere(way: str, at: str, rule: str) -> None:
    before, after = told(MEEPLES, STARTS, way), told(MEEPLES, STARTS, way, at)
    assert before is not None and after is not None
    assert (after.rule_id, after.way) == (rule, before.way)
    assert after.title and after.rule


def test_colours_are_worked_out_where_the_rules_leave_no_choice() -> None:
    now = told(MEEPLES, STARTS, "C3>C4?", "D4")  # red must come last there
    assert now is not None
    assert now.ways == ((("C4", "G"), ("D4", "R")),)
    assert (now.whole, now.back) == (True, "C3>C4?")


@pytest.mark.parametrize(
    "way", ["Z9", "C3>", "C3>C4", "C3>C4X", "C3>F5G", "D4", "C3" + ">C4G" * 200, "C3>C4G>D4R>E4B"]
)
def test_an_address_that_makes_no_sense_is_none(way: str) -> None:
    assert told(MEEPLES, STARTS, way) is None
