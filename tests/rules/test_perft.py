"""Every position of positions.txt, counted by the engine and by the naive counter that shares no code with it."""

from __future__ import annotations

from pathlib import Path
from typing import NamedTuple

import pytest
from naqala.rules import paths
from naqala.rules.board import MEEPLES, TILES

from tests.rules import naive


class Position(NamedTuple):
    name: str
    board: str
    starts: dict[str, int]
    sowings: int
    outcomes: int

    @property
    def meeples(self) -> tuple[str, ...]:
        lying = dict(word.split("=") for word in self.board.split())
        return tuple(lying.get(tile, "") for tile in TILES)


def positions() -> list[Position]:
    text = Path(__file__).with_name("positions.txt").read_text()
    found = []
    for block in text.split("\n\n")[1:]:  # the first is the file's own explanation
        name, *lines = block.strip().splitlines()
        fields = {key: value for key, _, value in (line.strip().partition(" ") for line in lines)}
        starts = {tile: int(count) for tile, count in (word.split("=") for word in fields["starts"].split())}
        found.append(Position(name, fields["board"], starts, int(fields["sowings"]), int(fields["outcomes"])))
    return found


POSITIONS = positions()
by_name = pytest.mark.parametrize("position", POSITIONS, ids=[position.name for position in POSITIONS])


def test_the_file_is_whole() -> None:
    assert len(POSITIONS) >= 40
    assert (
        len({position.name for position in POSITIONS})
        == len({each.board for each in POSITIONS})
        == len(POSITIONS)
    )
    assert max(len(hand) for position in POSITIONS for hand in position.meeples) == 9
    for position in POSITIONS:
        assert sum(position.starts.values()) == position.sowings >= position.outcomes
        for colour, number in MEEPLES.items():
            assert sum(hand.count(colour) for hand in position.meeples) <= number, position.name


@by_name
def test_the_engine_counts(position: Position) -> None:
    assert paths.count_per_start(position.meeples) == position.starts
    assert len(paths.outcomes(position.meeples)) == position.outcomes
    assert paths.any_sowing(position.meeples) == (position.sowings > 0)


@by_name
def test_the_engine_lists(position: Position) -> None:
    listed = list(paths.sowings(position.meeples))
    assert len(listed) == len(set(listed)) == position.sowings
    assert {(sowing.start, *sowing.drops[-1]) for sowing in listed} == paths.outcomes(position.meeples)


@by_name
def test_the_naive_counter_agrees(position: Position) -> None:
    assert naive.counted(position.board) == (position.starts, position.outcomes)
