"""The engine against a second reading of the rules that shares no code: the same game after every action."""

from __future__ import annotations

import json
from typing import Any

import pytest
from naqala.rules import position
from naqala.rules.record import Record, to_json_lines
from naqala.rules.scoring import score
from naqala.simulate import simulated

from tests.rules.naive_game import NaiveGame


def ours(data: dict[str, Any]) -> dict[str, Any]:
    """A position of the engine in the form of `NaiveGame.public`."""
    for player in data["players"]:
        player.pop("used", None)
        player["djinns"].sort()
    keys = ("tiles", "players", "bag", "row", "djinn_row", "supply", "discards", "djinn_discards")
    found = {key: data[key] for key in keys}
    return found | {"ending": data.get("ending"), "player": data["turn"]["player"]}


@pytest.mark.parametrize("players", [2, 3, 4])
@pytest.mark.parametrize("seed", range(1000, 1012))
def test_a_second_reading_gives_the_same_game(players: int, seed: int) -> None:
    assert_same_game(simulated(players, seed))


def test_a_second_reading_gives_the_same_game_of_thinking_robots() -> None:
    assert_same_game(simulated(2, 1, None, ("greedy",)))


def assert_same_game(record: Record) -> None:
    opening, *actions, _ = (json.loads(line) for line in to_json_lines(record))
    naive = NaiveGame(opening)
    for action, after in zip(actions, record.steps, strict=True):
        naive.do(action)
        assert naive.public() == ours(position.to_json(after.game)), action
    assert naive.phase == "over"
    assert [naive.points(name) for name in naive.names] == [one.total for one in score(record.game)]
