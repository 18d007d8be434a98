"""The levels: legal whole games, better ones win, thinking that can be interrupted, mistakes that have a reason."""

from __future__ import annotations

from itertools import count
from random import Random

import pytest
from naqala.match import Match, play, standings
from naqala.robots import LEVELS, ROBOTS
from naqala.rules import position
from naqala.rules.actions import Action, Bid, Kill, Sow
from naqala.rules.events import Event
from naqala.rules.game import play as played
from naqala.rules.model import Game
from naqala.rules.opening import dealt
from naqala.simulate import simulated

from tests.rules.test_naive_game import assert_same_game


@pytest.mark.parametrize("level", LEVELS)
@pytest.mark.parametrize("players", [2, 3, 4])
def test_games_with_any_house_rules_reach_their_end_in_both_engines(level: str, players: int) -> None:
    """`simulated` plays by the rulebook, and the second, naive engine agrees with every action."""
    assert_same_game(simulated(players, 5200 + players, None, (level, "greedy")))


def test_the_same_dice_give_the_same_choice() -> None:
    game = dealt(("Ann", "Bob"), Random(5301).randrange)
    for level in LEVELS:
        assert ROBOTS[level](game, Random(4)) == ROBOTS[level](game, Random(4))


@pytest.mark.parametrize("asked", [0, 1, 2, 5])
def test_a_robot_that_is_stopped_still_gives_a_legal_action(asked: int) -> None:
    game = dealt(("Ann", "Bob", "Cy"), Random(5302).randrange)
    while game.turn.phase == "bid":
        game = played(game, ROBOTS["strong"](game, Random(1), lambda: True))[0]
    calls = count()
    action = ROBOTS["strong"](game, Random(1), lambda: next(calls) >= asked)
    assert isinstance(action, Sow)
    assert played(game, action)[0] != game


def test_a_stopped_robot_stops_early(monkeypatch: pytest.MonkeyPatch) -> None:
    """Counted in actions that it tried out, which is what takes its time."""
    game = dealt(("Ann", "Bob", "Cy"), Random(5303).randrange)
    while game.turn.phase == "bid":
        game = played(game, ROBOTS["strong"](game, Random(1)))[0]
    tried: list[Action] = []

    def counted(game: Game, action: Action) -> tuple[Game, tuple[Event, ...]]:
        tried.append(action)
        return played(game, action)

    monkeypatch.setattr("naqala.robots.turns.play", counted)
    ROBOTS["strong"](game, Random(1))
    whole = len(tried)
    tried.clear()
    ROBOTS["strong"](game, Random(1), lambda: True)
    assert 0 < len(tried) < whole / 2


def test_strong_beats_easy_clearly() -> None:
    """A smoke test; the tables of BENCHMARKS.md are the measure."""
    match = Match(("strong", "easy"), 8, 5400)
    strong, _ = standings([play(match, game) for game in range(match.games)])
    assert strong.wins.share >= 0.75
    assert strong.margin > 10


# --- what a level sees and what it overlooks ----------------------------------------------------------------

BOARD = {
    "players": [{"name": "Ann", "gold": 5}, {"name": "Bob", "gold": 50}],
    "turn": {"player": "Ann", "phase": "sow"},
}


def test_easy_overlooks_a_long_sowing_that_others_see() -> None:
    tiles = {
        "A1": {"type": "oasis", "points": 8, "meeples": "GGRB"},
        "E1": {"type": "sacred_place", "points": 15, "meeples": "B"},
        "F5": {"type": "small_market", "points": 6, "meeples": "R"},
        "F4": {"type": "small_market", "points": 6, "meeples": "RG"},
    }
    game = position.from_json({**BOARD, "tiles": tiles})
    strong, easy = (ROBOTS[level](game, Random(1)) for level in ("strong", "easy"))
    assert isinstance(strong, Sow) and isinstance(easy, Sow)
    assert (strong.start, strong.drops[-1]) == ("A1", ("E1", "B"))
    assert easy.start != "A1"


def test_an_assassin_takes_the_tile_rather_than_a_meeple() -> None:
    tiles = {
        "C3": {"type": "small_market", "points": 6, "meeples": "R"},
        "C4": {"type": "small_market", "points": 6, "meeples": "RYY"},
        "C5": {"type": "sacred_place", "points": 15, "meeples": "G"},
        "B4": {"type": "large_market", "points": 4, "meeples": "W"},
    }
    game = position.from_json({**BOARD, "tiles": tiles})
    game = played(game, Sow("Ann", "C3", (("C4", "R"),)))[0]
    for level in ("normal", "strong"):
        kill = ROBOTS[level](game, Random(2))
        assert isinstance(kill, Kill)
        assert [(victim.tile, victim.meeple) for victim in kill.victims] == [("C5", "G")]


def test_a_bid_pays_for_a_place_only_where_it_is_worth_it() -> None:
    """One great turn on the board: worth gold to be first. All turns alike: worth nothing."""
    alike = {
        tile: {"type": "small_market", "points": 6, "meeples": "RG"}
        for tile in ("A1", "A2", "C1", "C2", "E1", "E2")
    }
    great = {**alike, "C3": {"type": "sacred_place", "points": 15, "meeples": "YYYYY", "palms": 4}}
    great["C4"] = {"type": "small_market", "points": 6, "meeples": "Y"}
    bids = {}
    for name, tiles in {"alike": alike, "great": great}.items():
        data = {
            "tiles": tiles,
            "players": [{"name": "Ann"}, {"name": "Bob"}, {"name": "Cy"}],
            "bid_order": ["Ann", "Bob", "Cy"],
            "turn": {"player": "Ann", "phase": "bid"},
        }
        bids[name] = ROBOTS["strong"](position.from_json(data), Random(1))
    assert isinstance(bids["alike"], Bid) and isinstance(bids["great"], Bid)
    assert bids["alike"].spot <= 1
    assert bids["great"].spot >= 5
