"""Nothing that a table says stops the new referee, over generated evenings with seeds that nothing was fitted to."""

from __future__ import annotations

import pytest
from naqala.hands.evening import evening
from naqala.hands.noise import LEVELS

from tests.table.judge import Follow


@pytest.mark.parametrize("level", LEVELS)
def test_nothing_raises(level: str) -> None:
    for seed in range(7_000, 7_002):
        made = evening(seed, level)
        result = Follow(level, seed, made.text, made.turns, "stories").run()
        assert not result.crash, f"{level} seed {seed}: {result.crash}"
        assert result.turns >= 1


def test_human_hands_are_read_without_a_wrong_flag() -> None:
    made = evening(6_000, "human")
    result = Follow("human", 6_000, made.text, made.turns, "stories").run()
    assert (result.lasting_flags, result.replaced, result.not_caught) == ([], [], [])
