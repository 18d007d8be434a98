"""Hints and reviews: the reasons add up to points that the score sheet counts, and a blunder is found and explained."""

from __future__ import annotations

import json
import subprocess
import sys
from pathlib import Path
from random import Random

import pytest
from naqala.robots import ROBOTS
from naqala.robots.coach import coach
from naqala.robots.evaluation import Expected, expected
from naqala.robots.reasons import KINDS, Fact
from naqala.robots.review import Review, assembled, chances, decisions, judged, reviewed
from naqala.rules import position
from naqala.rules.actions import Bid, End, Place, Sow
from naqala.rules.game import play
from naqala.rules.record import Record, append, to_text
from naqala.rules.scoring import score
from naqala.simulate import simulated

from tests.robots.test_known import reshuffled

# Three viziers and the camel on C3 for whoever drops the fourth there; Bob is one vizier ahead. Elsewhere a builder.
VIZIERS = {
    "tiles": {
        "C3": {"type": "small_market", "points": 6, "meeples": "YYY"},
        "C4": {"type": "large_market", "points": 4, "meeples": "Y"},
        "A1": {"type": "small_market", "points": 6, "meeples": "B"},
        "A2": {"type": "small_market", "points": 6, "meeples": "BR"},
    },
    "players": [{"name": "Ann", "gold": 0, "viziers": 1}, {"name": "Bob", "viziers": 2}, {"name": "Cy"}],
    "turn": {"player": "Ann", "phase": "sow"},
}


def test_a_hint_says_where_to_look_then_the_move_then_why() -> None:
    game = position.from_json(VIZIERS)
    (hint,) = coach(game, 1)
    assert hint.actions[0] == Sow("Ann", "C4", (("C3", "Y"),))
    assert hint.look.tribe == "Y"
    assert {"C3", "C4"} <= set(hint.look.tiles) and "A1" not in hint.look.tiles
    # Four viziers, the tile's six, and Ann now has more viziers than Bob, too: ten on the sheet.
    assert hint.now == 4 + 6 + 10
    why = {(reason.kind, reason.player): reason for reason in hint.reasons}
    assert why["viziers", "Ann"].points == 4 and why["viziers", "Ann"].now
    assert why["viziers", "Ann"].facts == (Fact("collected", 4, "C3", "Y"),)
    assert why["tiles", "Ann"].points == 6
    assert why["tiles", "Ann"].facts[0].tile == "C3"
    assert why["viziers_ahead", "Ann"].points > 0 > why["viziers_ahead", "Bob"].points
    assert not why["viziers_ahead", "Bob"].now
    assert all(reason.kind in KINDS for reason in hint.reasons)


def test_a_position_with_one_player_has_a_hint_too() -> None:
    tiles = {"C3": {"meeples": "GR"}, "D4": {"meeples": "R"}}
    (hint,) = coach(position.from_json({"tiles": tiles, "turn": {"player": "Ann"}}))
    assert hint.actions[0] == Sow("Ann", "C3", (("C4", "G"), ("D4", "R"))) or hint.actions[0] == Sow(
        "Ann", "C3", (("D3", "G"), ("D4", "R"))
    )


def test_hints_differ_and_the_best_comes_first() -> None:
    game = position.from_json(VIZIERS)
    hints = coach(game, 5)
    assert len(hints) >= 2
    assert len({hint.actions[0].drops[-1] for hint in hints if isinstance(hint.actions[0], Sow)}) == len(
        hints
    )
    assert [hint.gain for hint in hints] == sorted((hint.gain for hint in hints), reverse=True)
    json.dumps([hint.to_json() for hint in hints])


def test_every_moment_of_a_game_has_a_legal_hint() -> None:
    record = simulated(3, 9100, None, ("greedy",))
    for number in range(len(record.steps)):
        game = record.at(number)
        hints = coach(game, 1)
        assert bool(hints) == (game.turn.player is not None)
        for hint in hints:
            assert hint.player == game.turn.player
            if isinstance(hint.actions[0], Bid | Sow | Place | End):
                play(game, hint.actions[0])


def test_a_blunder_is_found_and_its_cost_told() -> None:
    """Ann takes the builder and leaves the viziers to Bob."""
    record = Record(position.from_json(VIZIERS))
    record = append(record, Sow("Ann", "A1", (("A2", "B"),)))
    while record.game.turn.player == "Ann" and not (
        record.steps and isinstance(record.steps[-1].action, End)
    ):
        record = append(record, ROBOTS["strong"](record.game, Random(1)))
    (turn, *_) = judged(record)
    assert (turn.player, turn.first, turn.last) == ("Ann", 1, len(record.steps))
    assert turn.best[0] == Sow("Ann", "C4", (("C3", "Y"),))
    assert turn.lost > 10 > turn.uncertain > 0
    assert {reason.kind for reason in turn.reasons} >= {"viziers", "tiles", "viziers_ahead"}


@pytest.fixture(scope="module")
def game() -> Record:
    return simulated(4, 9101, {}, ("greedy", "easy"))


@pytest.fixture(scope="module")
def review(game: Record) -> Review:
    return reviewed(game)


def test_every_decision_is_reviewed_once(game: Record, review: Review) -> None:
    spans = [(turn.first, turn.last) for turn in review.turns]
    assert spans == decisions(game)
    bids = [action for action in game.actions if isinstance(action, Bid)]
    ends = [action for action in game.actions if isinstance(action, End)]
    assert len(spans) == len(bids) + len(ends)
    for turn in review.turns:
        assert turn.played == game.actions[turn.first - 1 : turn.last]
        assert turn.lost >= 0
        assert bool(turn.reasons) <= (turn.best != turn.played)


def test_the_curve_ends_at_the_final_score(game: Record, review: Review) -> None:
    last = review.curve[-1]
    assert [(one.player, one.points, one.spread) for one in last.expected] == [
        (one.name, one.total, 0) for one in score(game.game)
    ]
    assert sum(last.chances) == pytest.approx(1)
    assert review.curve[0].chances == pytest.approx((0.25,) * 4)
    assert len(review.curve) == 1 + sum(turn.kind == "turn" for turn in review.turns)


def test_turning_points_are_the_three_greatest_swings(review: Review) -> None:
    assert len(review.turning_points) == 3
    least = min(review.turns[number].swing for number in review.turning_points)
    others = [turn.swing for number, turn in enumerate(review.turns) if number not in review.turning_points]
    assert least >= max(others) >= 0


def test_a_decision_is_judged_alike_whatever_is_hidden(game: Record) -> None:
    """The same turns and bids with other cards and gold in the rivals' hands: nobody at that seat could tell."""
    dice, compared = Random(9102), 0
    for first, last in decisions(game)[6:40:3]:
        before = game.at(first - 1)
        other = reshuffled(before, str(before.turn.player), dice)
        told = []
        for opening in (before, other):
            record = Record(opening)
            for action in game.actions[first - 1 : last]:
                record = append(record, action)
            told += [turn.to_json() for turn in judged(record)]
        assert told[0] == told[1]
        compared += other != before
    assert compared > 8


def test_a_review_that_is_stopped_keeps_what_it_has(game: Record) -> None:
    asked = iter([False, False, True])
    turns = list(judged(game, stop=lambda: next(asked)))
    assert len(turns) == 2
    assert len(assembled(game, turns).turns) == 2


def test_expectations_are_honest() -> None:
    """Final points lie within the told spread about as often as a normal distribution says: two times in three."""
    within = total = 0
    for seed in range(9110, 9118):
        record = simulated(2 + seed % 3, seed, {}, ("normal",))
        final = {one.name: one.total for one in score(record.game)}
        for step in record.steps:
            if isinstance(step.action, End) and step.game.turn.phase != "over":
                for one in expected(step.game):
                    within += abs(one.points - final[one.player]) <= one.spread
                    total += 1
    assert 0.5 < within / total < 0.85


def test_chances_grow_with_the_lead_and_with_certainty() -> None:
    def of(ahead: float, spread: float) -> float:
        return chances((Expected("Ann", 100 + ahead, spread), Expected("Bob", 100, spread)))[0]

    assert of(0, 10) == 0.5
    assert 0.5 < of(5, 20) < of(5, 10) < of(15, 10) < 1
    assert of(1, 0) == 1


def test_the_command_prints_a_review(tmp_path: Path, game: Record, review: Review) -> None:
    file = tmp_path / "game"
    file.write_text(to_text(game))
    command = [str(Path(sys.executable).with_name("naqala")), "review", str(file)]
    told = subprocess.run([*command, "--json"], capture_output=True, text=True, check=True).stdout
    assert json.loads(told) == json.loads(json.dumps(review.to_json()))
    file.write_text("naqala-record 1\nnonsense\n")
    done = subprocess.run(command, capture_output=True, text=True, check=False)
    assert done.returncode == 2 and done.stderr.count("\n") == 1
