"""A move in flight: drops that late looks turned round, and how soon a drop out of reach is flagged."""

from __future__ import annotations

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from naqala.rules.board import NEIGHBOURS, NUMBER, TILES
from naqala.rules.sowing import Sowing, breaches
from naqala.table import timing
from naqala.table.readings import Did, Doing, Unclear, Wrong
from naqala.table.search import in_step, named
from naqala.table.watch import entered, look, tiles_of_interest

from tests.table.stage import Small, rules, sown

TABLE = {"C3": "YGR", "C4": "YG", "D4": "RW", "C2": "W", "D5": "G", "E3": "Y", "E4": "R", "F5": "BB"}


# --- the order of drops ------------------------------------------------------------------------------------------


@settings(max_examples=150, deadline=None)
@given(st.sampled_from(TILES), st.lists(st.integers(0, 3), min_size=1, max_size=6), st.data())
def test_a_walk_whose_drops_were_read_late_is_found_again(
    start: str, turns: list[int], data: st.DataObject
) -> None:
    """Drops 300 ms apart, each read up to 800 ms late: the order found is a walk over the very same drops."""
    path = [start]
    for turn in turns:
        onward = [tile for tile in NEIGHBOURS[path[-1]] if path[-2:-1] != [tile]]
        path.append(onward[turn % len(onward)])
    seen = [
        (300 * number + data.draw(st.integers(0, 800)), (NUMBER[tile], "YWGBR"[number % 5]))
        for number, tile in enumerate(path[1:])
    ]
    order = in_step(NUMBER[start], sorted(seen), timing.LATE)
    assert order is not None and sorted(order) == sorted(drop for _, drop in seen)
    assert not [
        breach
        for breach in breaches([""] * len(TILES), Sowing(start, named(order)))
        if breach.rule in ("drops_on_neighbours", "no_immediate_backtracking")
    ]


def test_an_order_that_is_a_walk_is_kept_and_one_too_long_ago_is_believed() -> None:
    c3, c4, d4, d3 = (NUMBER[tile] for tile in ("C3", "C4", "D4", "D3"))
    assert in_step(c3, [(0, (c4, "Y")), (10, (d4, "G")), (20, (d3, "R"))], 900) == (
        (c4, "Y"),
        (d4, "G"),
        (d3, "R"),
    )
    assert in_step(c3, [(0, (d4, "G")), (899, (c4, "Y"))], 900) == ((c4, "Y"), (d4, "G"))
    assert in_step(c3, [(0, (d4, "G")), (900, (c4, "Y"))], 900) is None


def test_two_drops_seen_the_wrong_way_round_are_a_path_and_no_flag_however_long_the_third_takes() -> None:
    table = Small(TABLE)
    table.lift("C3")
    table.put("D4", "R1", wait=12)
    table.put("C4", "Y1", wait=20_000)
    assert isinstance(table.last, Doing)
    assert table.last.path == ("C3", "C4", "D4") and table.last.open == (("D5", "G"),)
    assert "wrong" not in table.words


def test_a_drop_that_was_told_takes_its_place_in_the_path() -> None:
    """The reader of C4 is dead: what lies there is told after the next drop was seen."""
    table = Small(TABLE)
    table.fault("C4")
    table.lift("C3")
    table.put("D4", "R1", wait=1000)
    table.watching, said = look(entered(table.watching, "C4", "YYG"), table.now)
    last = said[-1][1]
    assert isinstance(last, Doing)
    assert last.drops == (("C4", "Y"), ("D4", "R")) and last.open == (("D5", "G"),)


# --- how soon a flag comes ---------------------------------------------------------------------------------------


def flagged_after(table: Small) -> int:
    """Milliseconds from the last line to the flag."""
    table.wait(10_000)
    at, flag = next((at, reading) for at, reading in table.said if isinstance(reading, Wrong))
    assert rules(flag) == ["drops_on_neighbours"]
    return at - (table.now - 10_000)


@pytest.mark.parametrize(
    ("held", "onto", "wait"),
    (
        (900, "D4", timing.SETTLES),  # diagonal
        (900, "E3", timing.SETTLES),  # a tile skipped
        (900, "E4", timing.GAP),  # no slip of the hand: it may be misread
        (timing.LAYS - 1, "D4", timing.SETTLES),
        (timing.LAYS, "D4", timing.GAP),  # all may lie on their tiles, to be stood up in any order
    ),
)
def test_a_first_drop_out_of_reach_is_flagged_as_soon_as_waiting_changes_nothing(
    held: int, onto: str, wait: int
) -> None:
    table = Small(TABLE)
    table.lift("C3", wait=held)
    table.put(onto, "R1" if onto == "E4" else "G1", wait=0)  # the red one may be the last
    assert isinstance(table.last, Doing) and not table.last.open
    assert flagged_after(table) == wait


def test_a_drop_that_its_reader_sees_no_more_is_not_flagged() -> None:
    """A neighbour's reader picked the piece up before it was lifted, and says so for a moment longer."""
    table = Small(TABLE)
    table.put("D3", "G1", wait=1200)  # C3 sees it as well
    table.lift("C3", wait=50)
    table.lift("D3", "G1", wait=5000)
    assert "wrong" not in table.words


# --- where to look first -----------------------------------------------------------------------------------------


def looked_at(table: Small) -> list[str]:
    return [table.readers[reader] for reader in tiles_of_interest(table.watching)]


def test_the_focus_follows_the_hand_into_a_gap_and_out_of_a_flag() -> None:
    table = Small(TABLE)
    assert looked_at(table) == []
    table.lift("C3", wait=900)
    assert isinstance(table.last, Doing)
    steps = sorted({tile for tile, _ in table.last.open})
    assert steps == ["B3", "C4", "D3"]
    assert looked_at(table)[:3] == steps  # first the drops that are open, then all within a slip
    assert set(looked_at(table)[3:]) == {"A3", "B2", "B4", "C1", "C2", "C3", "C5", "D2", "D4", "E3"}
    table.put("D4", "G1", wait=0)
    assert looked_at(table)[:3] == ["C4", "D3", "D4"]  # what would close the gap, and the drop itself
    table.wait(timing.SETTLES)
    assert isinstance(table.last, Wrong)
    assert looked_at(table) == ["B3", "C4", "D3", "D4"]  # the way back


# --- an order that was seen, and a result that another order would make legal --------------------------------------

BACKWARDS = {"B4": "YWR", "A4": "YY", "A5": "G", "B5": "B"}


def test_drops_seen_one_by_one_are_not_read_backwards() -> None:
    """B5, A5, A4 would end on viziers; what was seen is A4, A5, B5. So it is asked, with the way back beside it."""
    table = Small(BACKWARDS)
    table.lift("B4")
    for tile, name in (("A4", "Y1"), ("A5", "W1"), ("B5", "R1")):
        table.put(tile, name, wait=4_000)
    assert "did" not in table.words
    assert isinstance(table.last, Unclear)
    assert [option.sowing.drops for option in table.last.options] == [(("B5", "R"), ("A5", "W"), ("A4", "Y"))]
    table.end()  # nobody said otherwise
    assert sown(table.last) == "B4>B5R>A5W>A4Y"


def test_the_scoop_says_which_was_the_last() -> None:
    table = Small(BACKWARDS)
    table.lift("B4")
    for tile, name in (("A4", "Y1"), ("A5", "W1"), ("B5", "R1")):
        table.put(tile, name, wait=1_000)
    table.lift("A4", "Y1", "Y2", "Y3")
    (did,) = [reading for _, reading in table.said if isinstance(reading, Did)]
    assert sown(did) == "B4>B5R>A5W>A4Y" and "unclear" not in table.words
