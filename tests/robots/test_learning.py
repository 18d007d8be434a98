"""Learning: made-up games whose weights are known are learned back; the text of the weights is read as it was written."""

from __future__ import annotations

import os
import re
import subprocess
import sys
from dataclasses import replace
from importlib.resources import files
from pathlib import Path
from random import Random

import pytest
from naqala.robots.features import FEATURES, NAMES, Pace, counted, holdings, turns_left
from naqala.robots.learning import Position, learn, least_squares, positions
from naqala.robots.weights import BadWeights, Weights, learned, parsed, to_text
from naqala.rules.scoring import score
from naqala.simulate import simulated

NAQALA = str(Path(sys.executable).with_name("naqala"))
TRUE = tuple(1.3 * feature.guess for feature in FEATURES)


def made_up() -> list[Position]:
    """Positions of real games whose players then got exactly what the weights TRUE say, 10 points a turn, and luck."""
    luck = Random(8100)
    found: list[Position] = []
    for seed in range(8101, 8107):
        found += positions(simulated(2 + seed % 3, seed, {}, ("greedy",)))
    pace = learn(found).pace
    for number, one in enumerate(found):
        final = []
        for held in holdings(one.game, turns_left(one.game, pace)):
            more = sum(weight * feature.of(held) for weight, feature in zip(TRUE, FEATURES, strict=True))
            final.append(counted(held) + more + 10 * held.turns + luck.gauss(0, 1))
        found[number] = replace(one, final=tuple(final))  # type: ignore[arg-type]
    return found


def test_weights_that_made_the_points_are_found_again(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("naqala.robots.learning.NOISE", 1.0)  # so little luck that the guesses do not matter
    weights = learn(made_up())
    for name, weight, error, true in zip(NAMES, weights.features, weights.errors, TRUE, strict=True):
        assert abs(weight - true) < 4 * error, name
        assert error < 0.3, name
    assert weights.turn[0] == pytest.approx(10, abs=0.2)
    assert weights.spread[0] + weights.spread[1] == pytest.approx(1, abs=0.2)


def test_few_games_leave_the_guesses_nearly_alone() -> None:
    weights = learn(positions(simulated(3, 8120, {}, ("greedy",))))
    for feature, weight, error in zip(FEATURES, weights.features, weights.errors, strict=True):
        assert abs(weight - feature.guess) <= feature.guess + 0.1
        assert error > 0


def test_least_squares_of_a_worked_example() -> None:
    """The line through (1, 6), (2, 5), (3, 7), (4, 10) is 3.5 + 1.4 x, in every textbook."""
    rows = [((1.0, x), y) for x, y in ((1.0, 6.0), (2.0, 5.0), (3.0, 7.0), (4.0, 10.0))]
    assert least_squares(rows) == pytest.approx([3.5, 1.4])


def test_what_is_counted_is_the_score_sheet_without_the_tens() -> None:
    record = simulated(4, 8121, None, ("random",))
    for step in record.steps[::7]:
        held = holdings(step.game, turns_left(step.game, Pace()))
        viziers = [player.viziers for player in step.game.players]
        for one, sheet in zip(held, score(step.game), strict=True):
            tens = 10 * sum(other < one.player.viziers for other in viziers)
            assert counted(one) == sheet.total - tens


def test_the_text_is_read_as_it_was_written() -> None:
    assert to_text(parsed(to_text(Weights(), ("hello",))), ("hello",)) == to_text(Weights(), ("hello",))
    assert len(learned().features) == len(FEATURES)


@pytest.mark.parametrize(
    ("change", "told"),
    [
        (lambda text: text.replace("fakirs", "slaves"), "no such weight 'slaves'"),
        (lambda text: text + text, "stands there twice"),
        (lambda text: text.replace("pace base", "pace base x"), "'pace base' needs a number"),
        (lambda text: "\n".join(text.splitlines()[1:]), "no weight for viziers_ahead"),
        (lambda text: text.replace("turn each", "turn each nan #"), "'turn each' needs a number"),
    ],
)
def test_bad_weights_are_named(change: object, told: str) -> None:
    with pytest.raises(BadWeights, match=told):
        parsed(change(to_text(Weights(), ())))  # type: ignore[operator]


def test_the_command_learns_the_same_again(tmp_path: Path) -> None:
    words = (NAQALA, "learn", "--games", "3", "--rounds", "1", "--seed", "8130", "--jobs", "1")
    first = subprocess.run([*words, "--out", str(tmp_path / "weights")], check=True)
    assert first.returncode == 0
    text = (tmp_path / "weights").read_text()
    other_hashes = {**os.environ, "PYTHONHASHSEED": "77"}  # nothing may depend on the order of a set
    again = subprocess.run(
        [*words, "--out", "-"], capture_output=True, text=True, check=True, env=other_hashes
    )
    assert again.stdout == text
    assert "naqala learn --games 3 --rounds 1 --seed 8130" in text
    assert parsed(text).features != Weights().features
    done = subprocess.run([*words, "--out", "/nowhere/x"], capture_output=True, text=True, check=False)
    assert done.returncode == 2 and "cannot write /nowhere/x" in done.stderr


def test_the_weights_that_come_with_naqala_say_how_they_were_learned() -> None:
    text = files("naqala.robots").joinpath("weights.txt").read_text()
    assert re.search(r"^# Learned by: naqala learn --games \d+ --rounds \d+ --seed \d+$", text, re.MULTILINE)
