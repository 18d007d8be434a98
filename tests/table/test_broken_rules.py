"""Every rule that hands can break, by example on a small board: the rule, the first wrong step, the way back."""

from __future__ import annotations

import pytest
from naqala.rules.actions import Correct, Sow
from naqala.rules.breach import Breach
from naqala.rules.game import play
from naqala.table.compare import guided_repair, take_over
from naqala.table.look import differing
from naqala.table.readings import Did, Doing, Quiet, Wrong
from naqala.table.watch import play_on

from tests.table.stage import BOARD, CALM, Small, plain, rules, sown

# --- broken rules ------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("drops", "wrong", "way"),
    [
        # From each neighbour of C3 the yellow one finds a tile beside one that holds a red one: B4 and D2 at the corners,
        # D4 from C4 and from D3.
        ([("D4", "G1")], 1, "Take the green one from D4 and drop it on B3, C2, C4 or D3."),
        ([("C5", "G1")], 1, "Take the green one from C5 and drop it on B3, C2, C4 or D3."),
        # Of B4, C5 and D4 only D4 has a neighbour with a red one on which the last may end: D3.
        ([("C4", "G1"), ("C4", "Y1")], 2, "Take the yellow one from C4 and drop it on D4."),
    ],
)
def test_a_drop_out_of_reach_is_flagged_by_name(drops: list[tuple[str, str]], wrong: int, way: str) -> None:
    table = Small({"C3": "GYR", "C4": "R", "D3": "R", "B4": "R", "C2": "R", "D4": "R", "B3": "W"})
    table.lift("C3")
    for tile, name in drops:
        table.put(tile, name)
    table.wait(CALM)
    assert isinstance(table.last, Wrong)
    (breach,) = table.last.breaches
    assert (breach.rule, breach.drop, breach.tiles) == ("drops_on_neighbours", wrong, (drops[-1][0],))
    assert table.last.remedy.text == way


def test_straight_back_to_the_start_tile() -> None:
    table = Small({"C3": "GYR", "C4": "R", "B3": "R", "D3": "R"})
    table.lift("C3")
    table.put("C4", "G1", wait=1500)
    table.put("C3", "Y1", wait=1500)
    table.put("B3", "R1", wait=1500)
    assert isinstance(table.last, Wrong)
    assert table.last.breaches[0].rule == "no_immediate_backtracking"
    assert (table.last.breaches[0].drop, table.last.breaches[0].tiles) == (2, ("C3",))


@pytest.mark.parametrize("pause", [1500, 500], ids=["one by one", "quickly"])
def test_two_wrong_steps_are_told_as_they_were_made(pause: int) -> None:
    """C3 itself, C4, B4 would be one wrong step only; what was seen is straight back, and then to the diagonal."""
    table = Small({"C3": "GYR", "C4": "W", "B4": "R"})
    table.lift("C3")
    for tile, name in (("C4", "G1"), ("C3", "Y1"), ("B4", "R1")):
        table.put(tile, name, wait=pause)
    table.wait(1000)
    assert isinstance(table.last, Wrong)
    named = [(breach.rule, breach.drop, breach.tiles) for breach in table.last.breaches]
    assert named == [("no_immediate_backtracking", 2, ("C3",)), ("drops_on_neighbours", 3, ("B4",))]


def test_one_left_behind_and_a_group_of_the_hand_s_colour_taken_up() -> None:
    """The end tile is emptied by the scoop. It is not the start: what it has lost is the group."""
    table = Small({"C3": "BYY", "C4": "G", "D4": "Y"})
    table.lift("C3", "Y1", "Y2")
    for tile, name in (("C4", "Y1"), ("D4", "Y2")):
        table.put(tile, name, wait=1500)
    table.lift("D4", "Y2", "Y3", wait=CALM)
    assert isinstance(table.last, Wrong) and table.last.sowing
    assert table.last.sowing.start == "C3" and rules(table.last) == ["takes_every_meeple"]


def test_a_scoop_does_not_change_the_order_that_was_seen() -> None:
    """The first white one, two tiles off, is taken up with the last one: B4, B5, A5, A4, A4 would be wrong at its end."""
    table = Small({"C4": "GWWWW", "A4": "BY", "A5": "B", "B4": "G"})
    table.lift("C4")
    for tile, name in (("A4", "W1"), ("A5", "W2"), ("B5", "G1"), ("B4", "W3"), ("A4", "W4")):
        table.put(tile, name, wait=1500)
    flag = table.last
    table.lift("A4", "W1", "W4", wait=3000)
    for reading in (flag, table.last):
        assert isinstance(reading, Wrong) and reading.sowing
        assert "".join(tile for tile, _ in reading.sowing.drops) == "A4A5B5B4A4"
        assert [(breach.rule, breach.drop) for breach in reading.breaches] == [("drops_on_neighbours", 1)]


@pytest.mark.parametrize("taken", [("G1", "G2"), ("G1",)], ids=["its group", "alone"])
def test_a_move_read_in_another_order_ends_where_its_last_drop_is_taken_up(taken: tuple[str, ...]) -> None:
    """B2, A2, A3 would be legal, and the looks of the readers could be late. But A2 was seen last and is taken up."""
    table = Small({"B3": "BGY", "A2": "Y" + "G" * (len(taken) - 1), "A3": "B", "B2": "R"})
    table.lift("B3")
    for tile, name in (("B2", "Y1"), ("A3", "B1"), ("A2", "G1")):
        table.put(tile, name, wait=500)
    assert isinstance(table.last, Did | Doing)
    table.lift("A2", *taken, wait=3000)
    table.end()
    assert isinstance(table.last, Wrong) and table.count == 0
    assert table.last.breaches[0] == Breach("drops_on_neighbours", 2, ("A3",))


def test_the_last_meeple_alone_of_its_colour() -> None:
    table = Small({"C3": "GY", "C4": "R", "C5": "B", "D4": "Y"})
    table.lift("C3")
    table.put("C4", "G1")
    table.put("C5", "Y1", wait=2000)
    assert rules(table.last) == ["ends_on_its_own_colour"]
    assert isinstance(table.last, Wrong)
    assert table.last.remedy.text == "Take the yellow one from C5 and drop it on D4."


def test_meeples_left_behind_are_wrong_only_when_the_move_is_over() -> None:
    table = Small({"C3": "GYR", "C4": "R", "C5": "Y"})
    table.lift("C3", "G1", "Y1")
    table.put("C4", "G1")
    table.put("C5", "Y1", wait=5000)
    assert isinstance(table.last, Doing)
    table.end()
    assert rules(table.last) == ["takes_every_meeple"]
    assert isinstance(table.last, Wrong) and table.last.remedy.text == (
        "From C4 on no drop could end on its own colour. Put all meeples of the move back on C3 and begin again."
    )


def test_a_meeple_of_a_second_tile_is_sent_back() -> None:
    table = Small({"C3": "GY", "C4": "W", "C5": "Y", "D5": "B"})
    table.lift("C3")
    table.put("C4", "G1")
    table.put("C5", "Y1")
    table.lift("C4", "W1", wait=200)
    table.put("D5", "W1", wait=CALM)
    assert "takes_every_meeple" in rules(table.last)
    assert isinstance(table.last, Wrong)
    assert table.last.remedy.text == "Take the white one from D5 and put it on C4."


def test_one_of_the_group_forgotten_and_another_colour_taken() -> None:
    table = Small({"C3": "GY", "C4": "W", "C5": "YYB"})
    table.lift("C3")
    table.put("C4", "G1")
    table.put("C5", "Y1")
    table.lift("C5", "Y2", "Y3", wait=CALM)
    assert rules(table.last) == ["collects_every_one_of_its_colour"]
    assert isinstance(table.last, Wrong) and table.last.remedy.text == "Take the yellow one from C5."
    table.lift("C5", "Y1")
    assert isinstance(table.last, Quiet)
    other = Small({"C3": "GY", "C4": "W", "C5": "YYB"})
    other.lift("C3")
    other.put("C4", "G1")
    other.put("C5", "Y1")
    other.lift("C5", "B1", wait=CALM)
    assert rules(other.last) == ["collects_every_one_of_its_colour"]
    assert isinstance(other.last, Wrong)
    assert other.last.remedy.text == "Put the blue one back on C5 and take every yellow one from C5."


def test_a_meeple_of_the_way_taken_instead_of_the_group() -> None:
    table = Small({"C3": "YWB", "C4": "W", "D4": "G", "D3": "B"})
    table.lift("C3")
    table.put("C4", "W1")
    table.put("D4", "Y1")
    table.put("D3", "B1", wait=1500)
    assert sown(table.last) == "C3>C4W>D4Y>D3B"
    said = len(table.said)
    table.lift("D4", "Y1", wait=CALM)
    assert table.words[said:].count("wrong") == 1  # one flag for one fact
    assert rules(table.last) == ["collects_every_one_of_its_colour"]
    assert isinstance(table.last, Wrong) and not table.last.withdraws
    assert table.last.remedy.text == "Put the yellow one back on D4 and take every blue one from D3."
    table.put("D4", "Y1", wait=1000)
    table.lift("D3", "B1", "B2")
    assert isinstance(table.last, Quiet) and table.count == 1


def test_a_flag_goes_when_the_difference_goes() -> None:
    table = Small({"C3": "GY", "C4": "R", "C5": "B", "D4": "Y"})
    table.lift("C3")
    table.put("C4", "G1")
    table.put("C5", "Y1", wait=1000)
    table.lift("C5", "Y1", wait=1000)
    assert isinstance(table.last, Doing)
    table.put("D4", "Y1")
    assert sown(table.last) == "C3>C4G>D4Y"


def test_a_flag_stands_while_hands_go_on_and_goes_when_the_repair_begins() -> None:
    """With red on D3, unread so far, it could still be C3>D3R>D4G>E4Y>E3W: so it is not flagged at once."""
    table = Small({"C3": "GYRW", "D3": "B", "D4": "B", "E4": "B", "E3": "W"})
    table.lift("C3")
    table.put("D4", "G1", wait=1500)
    assert table.words[-2:] == ["doing", "wrong"] and rules(table.last) == ["drops_on_neighbours"]
    said = len(table.said)
    table.put("E4", "Y1", wait=CALM)
    assert set(table.words[said:]) == {"wrong"} and rules(table.last) == ["drops_on_neighbours"]
    table.lift("E4", "Y1", wait=CALM)
    table.lift("D4", "G1", wait=1000)
    assert table.words[-1] == "doing"


def test_a_move_before_the_bids_are_complete() -> None:
    table = Small(BOARD, turn={"player": "Ann", "phase": "bid"})
    plain(table)
    table.wait(CALM)
    assert rules(table.last) == ["plays_in_turn"]


def test_play_on_as_it_lies_and_the_table_is_right() -> None:
    table = Small(BOARD, turn={"player": "Ann", "phase": "bid"})
    table.lift("A1", "W3")
    table.put("B1", "W3", wait=CALM)
    assert rules(table.last) == ["plays_in_turn"]
    assert [step.to_json() for step in guided_repair(table.game, table.watching.evidence)] == [
        {"piece": "meeple W", "from": "B1", "onto": ["A1"]}
    ]
    said = table.look(play_on(table.watching, differing(table.watching, table.game)))
    assert [type(reading) for reading in said] == [Quiet]
    correction = take_over(table.game, table.watching.evidence)
    assert isinstance(correction, Correct)
    game, _ = play(table.game, correction)
    assert (game.tile("A1").meeples, game.tile("B1").meeples) == ("YB", "W")


def test_an_illegal_move_that_people_let_stand_is_not_judged_again() -> None:
    table = Small({"C3": "GY", "C4": "R", "C5": "BY", "D5": "Y", "A1": "WW"})
    table.lift("C3")
    table.put("C4", "G1")
    table.put("D5", "Y1", wait=1500)
    assert isinstance(table.last, Wrong) and table.last.sowing
    sow = Sow("Ann", "C3", table.last.sowing.drops, as_it_lies=True)
    table.tap(sow)
    table.lift("D5", "Y1", "Y3")
    assert isinstance(table.last, Quiet)
