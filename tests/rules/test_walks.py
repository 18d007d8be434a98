"""The tables of ways over the board against walks taken step by step."""

from __future__ import annotations

from collections import Counter

import pytest
from naqala.rules import walks
from naqala.rules.board import TILES

from tests.rules.naive import beside


def taken(before: str | None, tile: str, drops: int) -> list[list[str]]:
    """Every way to go on for some drops, never straight back."""
    if not drops:
        return [[]]
    onto = [each for each in beside(tile) if each != before]
    return [[each, *rest] for each in onto for rest in taken(tile, each, drops - 1)]


@pytest.mark.parametrize("drops", range(1, 7))
def test_walks_end_where_steps_lead(drops: int) -> None:
    reach = walks.reach(drops)
    for number, (before, tile) in enumerate(walks.STANCES):
        found = taken(before, tile, drops)
        assert sorted(walks.listed(number, drops)) == sorted(
            [tuple(map(TILES.index, walk)) for walk in found]
        )
        assert tiles(reach.ends[number]) == {walk[-1] for walk in found}
        assert tiles(reach.returns[number]) == {walk[-1] for walk in found if walk[-1] in walk[:-1]}


@pytest.mark.parametrize("drops", [1, 2, 3, 4, 5, 6, 8])
def test_walks_are_counted_by_their_visits_to_the_end(drops: int) -> None:
    for start, tile in enumerate(TILES) if drops < 7 else [(0, "A1"), (12, "C3")]:
        expected = Counter((walk.count(walk[-1]) - 1, walk[-1]) for walk in taken(None, tile, drops))
        for visits, table in enumerate(walks.counts(drops)):
            row = [onto >> table.slot * start & table.mask for onto in table.onto]
            assert row == [expected[visits, end] for end in TILES]
            assert (table.home[start], table.every[start]) == (row[start], sum(row))
        assert max(visits for visits, _ in expected) < len(walks.counts(drops))


def tiles(bits: int) -> set[str]:
    return {tile for number, tile in enumerate(TILES) if bits >> number & 1}
