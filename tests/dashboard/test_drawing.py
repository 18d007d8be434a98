"""The board's drawing: nothing overlaps, crowded tiles count, the way of a hand stays off the meeples."""

from __future__ import annotations

import cmath
import math
from itertools import combinations

import pytest
from hypothesis import given
from hypothesis import strategies as st
from naqala.dashboard.drawing import GUTTER, TILE, corner, figures, steps
from naqala.rules.board import NEIGHBOURS, TILES

TRIBES = "YWGBR"
ROUND, TIP = (
    13.5,
    19,
)  # of the mark of a step in board.svg: its round body, and its tip from the middle of that


@given(st.text(TRIBES, max_size=30))
def test_every_meeple_is_drawn_or_counted(meeples: str) -> None:
    drawn = figures(meeples)
    for tribe in TRIBES:
        assert sum(figure.count for figure in drawn if figure.letter == tribe) == meeples.count(tribe)
    assert len(drawn) <= 6


@given(st.text(TRIBES, max_size=30))
def test_figures_stay_in_their_tile_and_apart(meeples: str) -> None:
    drawn = figures(meeples)
    for figure in drawn:
        assert figure.x >= 0 and figure.x + figure.size <= TILE
        assert figure.y >= 30, "the name and the points stand above"
        assert figure.size * 40 >= TILE * 6, "at least a fortieth of a screen that is seven tiles high"
    for one, other in combinations(drawn, 2):
        apart_x = abs(one.x - other.x) >= one.size - 1
        apart_y = abs(one.y - other.y) >= one.size - 1
        assert apart_x or apart_y


@given(
    st.sampled_from(TILES).flatmap(lambda tile: st.tuples(st.just(tile), st.sampled_from(NEIGHBOURS[tile])))
)
def test_a_step_stands_on_the_border_it_crosses(pair: tuple[str, str]) -> None:
    start, tile = pair
    (step,) = steps(start, [[tile, "Y"]])
    (sx, sy), (tx, ty) = corner(start), corner(tile)
    if sy == ty:
        assert step.x == pytest.approx(max(sx, tx) - GUTTER / 2)
        assert step.turn == (0 if tx > sx else 180)
    else:
        assert step.y == pytest.approx(max(sy, ty) - GUTTER / 2)
        assert step.turn == (90 if ty > sy else 270)


@given(st.text(TRIBES, max_size=30), st.sampled_from(["D3", "B3", "C2", "C4"]))
def test_a_step_stands_beside_the_meeples(meeples: str, tile: str) -> None:
    """The way of the hand covers no meeple, neither where it comes from nor where it goes."""
    (step,) = steps("C3", [[tile, "Y"]])
    assert step.turn is not None
    along = math.radians(step.turn)
    outline = [cmath.rect(ROUND, math.radians(angle)) for angle in range(0, 360, 5)]
    outline += [
        complex(-4.5 + (TIP + 4.5) * n / 20, side * 13 * (1 - n / 20)) for n in range(21) for side in (1, -1)
    ]
    for point in (complex(step.x, step.y) + one * cmath.rect(1, along) for one in outline):
        for where in ("C3", tile):
            x, y = corner(where)
            for figure in figures(meeples):
                free = figure.size / 12  # around the shape, in its square
                inside_x = x + figure.x + free < point.real < x + figure.x + figure.size - free
                inside_y = y + figure.y + free < point.imag < y + figure.y + figure.size - free
                assert not (inside_x and inside_y), (where, figure)


def test_a_border_crossed_twice_shows_both_steps() -> None:
    first, second, third = steps("C3", [["C4", "G"], ["D4", "R"], ["C4", "B"]], wrong=[3])
    assert abs(second.y - third.y) >= 2 * ROUND
    assert second.x == third.x
    assert (second.turn, third.turn) == (0, 180)
    assert [first.wrong, second.wrong, third.wrong] == [False, False, True]


def test_a_leap_is_marked_on_its_tile() -> None:
    (step,) = steps("A1", [["D4", "Y"]], wrong=[1])
    x, y = corner("D4")
    assert x < step.x < x + TILE
    assert y < step.y < y + TILE
    assert step.turn is None


def test_a_drop_on_the_tile_the_hand_is_on_points_nowhere() -> None:
    first, second = steps("C3", [["C3", "Y"], ["C4", "G"]], wrong=[1])
    x, y = corner("C3")
    assert x < first.x < x + TILE and y < first.y < y + TILE
    assert (first.turn, second.turn) == (None, 90)
