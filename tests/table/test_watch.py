"""The follower by example: moves, human hands and what is not known, on a small board."""

from __future__ import annotations

import pytest
from naqala.rules.actions import End, Sow, Undo
from naqala.rules.record import Record
from naqala.table.playback import Playback
from naqala.table.readings import Did, Doing, Quiet, Unclear, Wrong
from naqala.table.watch import entered, watcher
from naqala_protocol import Seen

from tests.table.stage import BOARD, CALM, Small, rules, sown

# --- same as now, in flight, done ------------------------------------------------------------------------------


def test_a_table_as_the_game_says_is_quiet() -> None:
    table = Small(BOARD)
    assert table.words == ["quiet"]


def test_what_the_rules_refuse_is_said_and_the_table_is_as_it_was() -> None:
    table = Small(BOARD)
    for refused in (End("Ann"), Undo(3, "Ann")):
        assert [type(reading) for reading in table.tap(refused)] == [Wrong]
        assert (table.watching.said, table.standing) == (Quiet(), table.game)
        before = len(table.said)
        table.wait(60_000)
        assert len(table.said) == before  # nothing hangs on it


def test_a_move_in_flight_shows_hand_path_and_open_drops() -> None:
    table = Small(BOARD)
    table.lift("C3")
    assert isinstance(table.last, Doing)
    assert (table.last.hand, table.last.path) == ("YGR", ("C3",))
    table.put("C4", "R1")
    assert isinstance(table.last, Doing)
    assert (table.last.hand, table.last.path) == ("YG", ("C3", "C4"))
    assert table.last.open == ()  # no yellow or green one lies two steps further


def test_a_group_taken_up_while_meeples_stayed_behind_goes_back_first() -> None:
    table = Small({"E5": "WBB", "D5": "YWR", "C5": "YGB", "B5": "BGR", "C4": "WWB"})
    table.lift("E5", "W1", "B1")
    table.put("D5", "W1", wait=1000)
    table.put("C5", "B1", wait=1000)
    table.lift("C5", "B1", "B3", wait=CALM)
    assert rules(table.last) == ["takes_every_meeple"]
    assert isinstance(table.last, Wrong)
    assert table.last.remedy.text == (
        "Put the blue one back on C5. Take the blue one from E5 as well and go on with the blue one on C5 or D4."
    )
    table.put("C5", "B1", "B3", wait=1000)
    assert isinstance(table.last, Doing)
    table.lift("E5", "B2", wait=1000)
    table.put("B5", "B2", wait=1000)
    table.lift("B5", "B2", "B4", wait=3000)
    assert table.words[-2:] == ["did", "quiet"] and table.count == 1


def test_a_move_that_only_an_unseen_drop_could_save_is_warned_of_in_time() -> None:
    """Were the red one on B1 already, unseen, the yellow one could be the last: but then B1 would have said so by now."""
    table = Small({"A1": "YBR", "A2": "Y", "B2": "B"})
    table.lift("A1")
    table.put("A2", "Y1", wait=1000)
    table.put("B2", "B1", wait=2000)
    assert isinstance(table.last, Doing)
    assert table.last.warning == "No drop from here can end on its own colour."


def test_a_move_that_cannot_end_any_more_is_warned_of() -> None:
    table = Small({"C3": "YG", "C4": "G", "A1": "Y"})
    table.lift("C3")
    table.put("B3", "G1")  # the yellow one would have to end on A1: too far
    assert isinstance(table.last, Doing)
    assert table.last.open == () and table.last.warning


def test_a_plain_move_is_done_with_its_last_drop_and_quiet_after_the_scoop() -> None:
    table = Small({"C3": "GR", "C4": "Y", "D4": "R", "A1": "WW"})
    table.lift("C3")
    table.put("C4", "G1")
    assert table.words == ["quiet", "doing", "doing"]
    table.put("D4", "R1")
    assert sown(table.last) == "C3>C4G>D4R"
    table.lift("D4", "R1", "R2")
    assert table.words[-2:] == ["did", "quiet"]
    assert table.standing.tile("D4").meeples == ""


def test_the_last_meeple_need_never_be_put_down() -> None:
    table = Small({"C3": "GR", "C4": "Y", "D4": "RRB"})
    table.lift("C3")
    table.put("C4", "G1")
    table.lift("D4", "R2", "R3", wait=CALM)
    assert [sown(r) for _, r in table.said if isinstance(r, Did)] == ["C3>C4G>D4R"]


# A ring of six tiles: the five drops may go round it either way, to end on D3 with red or on C4 with green.
RING = {"C3": "YWGBR", "C4": "GG", "D3": "RR", "F5": "W"}
FORTH = (("C4", "G1"), ("C5", "W1"), ("D5", "Y1"), ("D4", "B1"), ("D3", "R1"))


def test_the_order_decides_between_two_ends_and_the_scoop_corrects_it() -> None:
    table = Small(RING)
    table.lift("C3")
    for tile, name in FORTH:
        table.put(tile, name)
    assert sown(table.last) == "C3>C4G>C5W>D5Y>D4B>D3R"
    table.lift("C4", "G1", "G2", "G3", wait=CALM)
    did = [reading for _, reading in table.said if isinstance(reading, Did)]
    assert sown(did[-1]) == "C3>D3R>D4B>D5Y>C5W>C4G"
    assert did[-1].replaces and table.count == 1
    assert isinstance(table.last, Quiet)


def all_together() -> Small:
    table = Small(RING)
    table.lift("C3")
    table.now += 500
    for tile, name in FORTH:
        table.on[tile].append(table.names[name])
    for tile, _ in FORTH:
        table.line(tile)
    return table


def test_drops_seen_together_are_one_question_with_the_legal_moves() -> None:
    table = all_together()
    table.wait(CALM)
    assert isinstance(table.last, Unclear)
    assert {str(option.sowing) for option in table.last.options} == {
        "C3>C4G>C5W>D5Y>D4B>D3R",
        "C3>D3R>D4B>D5Y>C5W>C4G",
    }


def test_the_scoop_answers_before_the_question_is_asked() -> None:
    table = all_together()
    table.wait(500)
    table.lift("D3", "R1", "R2", "R3")
    assert "unclear" not in table.words
    assert sown(next(r for _, r in table.said if isinstance(r, Did))).endswith("D3R")


def test_an_answer_to_the_question_is_the_move() -> None:
    table = all_together()
    table.wait(CALM)
    assert isinstance(table.last, Unclear)
    chosen = table.last.options[1].sowing
    said = table.tap(Sow("Ann", chosen.start, chosen.drops))
    assert table.play.record.actions[-1] == Sow("Ann", chosen.start, chosen.drops)
    assert not any(isinstance(reading, (Wrong, Unclear)) for reading in said)


# --- human hands -----------------------------------------------------------------------------------------------


def test_several_grabs_and_a_second_grab_in_the_middle() -> None:
    table = Small({"C3": "GRY", "C4": "B", "D4": "B", "D5": "Y", "A1": "W"})
    table.lift("C3", "G1", wait=900)
    table.lift("C3", "R1", wait=900)
    table.put("C4", "G1")
    table.put("D4", "R1")
    assert isinstance(table.last, Doing)  # nothing is wrong: the yellow one may still be taken
    table.lift("C3", "Y1", wait=900)
    table.put("D5", "Y1")
    assert sown(table.last) == "C3>C4G>D4R>D5Y"


def test_meeples_stood_up_at_the_end_in_any_order() -> None:
    table = Small({"C3": "GRY", "C4": "B", "D4": "B", "D5": "Y", "A1": "W"})
    table.lift("C3")
    table.wait(6000)
    table.put("D4", "R1", wait=400)
    table.put("D5", "Y1", wait=400)
    table.put("C4", "G1", wait=400)
    assert sown(table.last) == "C3>C4G>D4R>D5Y"


def test_a_change_of_mind_is_no_breach() -> None:
    table = Small({"C3": "GR", "C4": "Y", "D4": "R", "B3": "Y", "A1": "WW"})
    table.lift("C3")
    table.put("B3", "G1")
    table.lift("B3", "G1")
    table.put("C4", "G1")
    table.put("D4", "R1")
    assert sown(table.last) == "C3>C4G>D4R"
    assert "wrong" not in table.words


def test_everything_put_back_is_quiet_again() -> None:
    table = Small(BOARD)
    table.lift("C3")
    table.put("C4", "Y1")
    table.lift("C4", "Y1")
    table.put("C3", "Y1", "G1", "R1")
    assert isinstance(table.last, Quiet)


def test_a_finished_move_that_is_changed_is_withdrawn_or_replaced() -> None:
    table = Small({"C3": "GR", "C4": "Y", "D4": "R", "C5": "R", "A1": "WW"})
    table.lift("C3")
    table.put("C4", "G1")
    table.put("D4", "R1")
    assert sown(table.last) == "C3>C4G>D4R"
    table.lift("D4", "R1", wait=300)
    table.put("C5", "R1", wait=CALM)
    assert sown(table.last) == "C3>C4G>C5R"
    assert isinstance(table.last, Did) and table.last.replaces
    assert table.count == 1


def test_meeples_put_back_one_by_one_before_the_first_drop_break_nothing() -> None:
    table = Small(BOARD)
    table.lift("C3")
    for name, hand in (("G1", "YR"), ("R1", "Y")):
        table.put("C3", name, wait=CALM)
        assert isinstance(table.last, Doing)
        assert (table.last.hand, table.last.path) == (hand, ("C3",))
    table.put("C3", "Y1")
    assert isinstance(table.last, Quiet)
    assert set(table.words) == {"quiet", "doing"}


def test_the_rest_put_back_and_the_wrong_drop_fetched_is_a_repair_begun() -> None:
    table = Small(BOARD)
    table.lift("C3")
    table.put("C4", "Y1")
    table.put("C3", "R1", "G1", wait=CALM)
    assert isinstance(table.last, Wrong)
    table.lift("C4", "Y1", wait=CALM)
    assert isinstance(table.last, Doing)
    assert (table.last.hand, table.last.drops) == ("Y", ())


def test_a_whole_move_taken_back_before_the_scoop_is_withdrawn() -> None:
    table = Small({"C3": "GR", "C4": "Y", "D4": "R", "A1": "WW"})
    table.lift("C3")
    table.put("C4", "G1")
    table.put("D4", "R1")
    table.lift("D4", "R1")
    table.lift("C4", "G1")
    table.put("C3", "G1", "R1", wait=2000)
    assert isinstance(table.last, Quiet)
    assert any(reading.withdraws for _, reading in table.said)
    assert table.standing == table.game and table.count == 0


def test_a_turn_taken_back_after_the_scoop_is_an_undo() -> None:
    table = Small({"C3": "GW", "C4": "Y", "D4": "WW", "A1": "WW"})
    table.lift("C3")
    table.put("C4", "G1")
    table.put("D4", "W1")
    table.lift("D4", "W1", "W2", "W3")
    assert isinstance(table.last, Quiet)
    table.lift("C4", "G1", wait=300)
    table.put("D4", "W2", "W3", wait=300)
    table.put("C3", "G1", "W1", wait=CALM)
    assert table.standing == table.game and table.count == 0
    assert isinstance(table.last, Quiet)
    assert "wrong" not in table.words


def test_two_turns_taken_back_are_an_undo() -> None:
    table = Small({"C3": "GW", "C4": "Y", "D4": "WW", "A1": "WW"})
    table.lift("C3")
    table.put("C4", "G1")
    table.put("D4", "W1")
    table.lift("D4", "W1", "W2", "W3")
    table.tap(End("Ann"))
    assert table.standing.turn.player == "Bob"
    table.lift("C4", "G1", wait=300)
    table.put("D4", "W2", "W3", wait=300)
    table.put("C3", "G1", "W1", wait=CALM)
    undone = [reading.action for _, reading in table.said if isinstance(reading, Did)][-1]
    assert undone == Undo(0, "Ann")
    assert table.standing == table.game


def test_a_bumped_neighbour_and_two_alike_that_swap_places() -> None:
    table = Small({"C3": "GR", "C4": "Y", "D4": "R", "B3": "YW", "A1": "YW"})
    table.lift("C3")
    table.lift("B3", "Y2", wait=1500)
    table.lift("A1", "Y3", wait=300)
    table.put("A1", "Y2", wait=300)
    table.put("B3", "Y3", wait=300)
    table.put("C4", "G1")
    table.put("D4", "R1")
    assert sown(table.last) == "C3>C4G>D4R"
    assert "wrong" not in table.words


def test_another_hand_elsewhere_does_not_disturb_the_move() -> None:
    table = Small({"C3": "GR", "C4": "Y", "D4": "R", "F5": "BYW"})
    table.lift("C3")
    table.put("C4", "G1")
    table.lift("F5", wait=1000)
    table.put("D4", "R1")
    assert [sown(reading) for _, reading in table.said if isinstance(reading, Did)] == ["C3>C4G>D4R"]
    table.put("F5", "B1", "Y2", "W1")
    table.lift("D4", "R1", "R2")
    assert isinstance(table.last, Quiet)


# --- what is not known ------------------------------------------------------------------------------------------


def test_a_missed_read_is_not_noticed() -> None:
    table = Small(BOARD)
    table.wait(1000)
    table.lift("A1", "W3", wait=300)
    table.put("A1", "W3")
    assert table.words == ["quiet"]


def test_a_repeated_line_and_an_older_one_change_nothing() -> None:
    table = Small(BOARD)
    table.lift("C3")
    before = table.words
    table.seq -= 10
    table.on["C3"] = [table.names["Y1"]]
    table.line("C3")
    assert table.words == before


def test_an_unknown_tag_is_said_and_is_no_piece() -> None:
    table = Small(BOARD)
    table.on["A2"].append("0badc0de")
    table.line("A2")
    table.wait(CALM)
    assert isinstance(table.last, Quiet)
    assert [(note.note, note.tile) for note in table.last.notes] == [("unknown_tag", "A2")]


def test_a_piece_read_by_the_neighbour_too_stays_where_it_was() -> None:
    table = Small(BOARD)
    table.put("A2", "Y3", wait=5000)  # A1 still sees it
    assert isinstance(table.last, Quiet)
    assert [(note.note, note.tile) for note in table.last.notes] == [("two_places", "A1")]


def test_a_late_absence_after_a_lost_line_is_still_a_legal_move() -> None:
    table = Small({"C3": "R", "D3": "R", "A1": "W"})
    table.put("D3", "R1", wait=CALM)  # C3's line was lost: it still seems to see it
    assert "wrong" not in table.words and "did" not in table.words
    table.lift("C3", "R1", wait=1000)  # the line comes after all
    assert [sown(reading) for _, reading in table.said if isinstance(reading, Did)] == ["C3>D3R"]


def test_a_dead_reader_is_no_empty_tile_and_play_goes_on() -> None:
    table = Small({"C3": "GR", "C4": "Y", "D4": "R", "A1": "WW"})
    table.fault("A1")
    table.wait(CALM)
    assert isinstance(table.last, Quiet) and table.last.notes[0].note == "silent_reader"
    table.lift("C3")
    table.put("C4", "G1")
    table.put("D4", "R1")
    assert sown(table.last) == "C3>C4G>D4R"


def test_a_drop_behind_a_dead_reader_is_worked_out_or_told() -> None:
    table = Small({"C3": "GR", "C4": "Y", "D4": "R", "A1": "WW"})
    table.fault("C4")
    table.lift("C3")
    table.put("D4", "R1", wait=CALM)
    assert sown(table.last) == "C3>C4G>D4R"
    told = Small({"C3": "GR", "C4": "G", "D4": "R", "A1": "WW"})
    told.fault("C4")
    told.lift("C3")
    told.put("D4", "R1", wait=200)
    told.look(entered(told.watching, "C4", "GG"))
    told.wait(CALM)
    assert [sown(reading) for _, reading in told.said if isinstance(reading, Did)] == ["C3>C4G>D4R"]


def test_a_reader_that_no_longer_sees_its_own_tile_is_blind() -> None:
    table = Small(BOARD, others={"tile": "tile A1"})
    table.put("A1", "tile")
    everything = list(table.on["A1"])
    table.on["A1"] = []
    table.line("A1")
    table.wait(9000)
    assert isinstance(table.last, Quiet) and table.last.notes[0].note == "silent_reader"
    table.on["A1"] = everything
    table.line("A1")
    assert table.last == Quiet()


def test_a_reader_that_never_speaks_does_not_stop_the_others() -> None:
    table = Small(BOARD)
    quiet = Playback(watcher(table.readers, table.pieces), Record(table.game))
    for number, tile in table.readers.items():
        if tile != "A1":
            assert not list(quiet.hear(Seen(number + 1, number, tuple(table.on[tile])), 10 * number))
    assert [type(reading) for _, reading in quiet.wait(10 + CALM)] == [Quiet]


def test_hands_do_not_wait_for_a_reader_that_never_speaks() -> None:
    """A move in the first seconds, while one mapped reader has said nothing: blind, not empty, and no reason to wait."""
    table = Small({"C3": "GR", "C4": "Y", "D4": "R", "A1": "WW"})
    early = Playback(watcher(table.readers, table.pieces), Record(table.game))
    number = 0
    for reader, tile in table.readers.items():
        if tile != "A1":
            number += 1
            assert not list(early.hear(Seen(number, reader, tuple(table.on[tile])), 0))
    table.play, table.said, table.seq, table.now = early, [], number, 1000
    table.lift("C3")
    assert isinstance(table.last, Doing)
    table.put("C4", "G1")
    table.put("D4", "R1")
    assert sown(table.last) == "C3>C4G>D4R"
    table.line("A1")  # it speaks after all: what it shows stood there from the beginning
    table.lift("D4", "R1", "R2")
    table.wait(CALM)
    assert isinstance(table.last, Quiet) and "wrong" not in table.words


def test_what_differs_at_the_first_sweep_is_a_flag_until_it_is_put_right() -> None:
    table = Small(BOARD, others={"blue": "meeple B"}, record={"A1": "YWBB"})
    table.wait(CALM)
    assert rules(table.last) == []
    assert isinstance(table.last, Wrong) and table.last.remedy.text == "Put a blue one on A1."
    table.put("A1", "blue")
    assert isinstance(table.last, Quiet)


def test_a_flag_of_the_first_sweep_does_not_stop_play() -> None:
    table = Small(
        {"C3": "GW", "C4": "Y", "D4": "WB", "A1": "YW"}, others={"b": "meeple B"}, record={"A1": "YWB"}
    )
    table.wait(CALM)
    assert isinstance(table.last, Wrong)
    table.lift("C3")
    assert isinstance(table.last, Doing) and table.last.path == ("C3",)
    table.put("C4", "G1")
    table.put("D4", "W1")
    assert sown(table.last) == "C3>C4G>D4W"
    table.lift("D4", "W1", "W2", wait=CALM)
    assert "wrong" not in table.words[-2:]  # it is still owed, and said so by those who keep the reminders
    table.put("A1", "b")
    assert isinstance(table.last, Quiet)


def test_a_told_sowing_explains_what_was_flagged_at_the_first_sweep() -> None:
    """As after an undo: the pieces of the move lie there already. It stands, whatever moves next."""
    others = {"y": "meeple Y", "z": "meeple Y"}
    table = Small({"C4": "B", "A1": "YWB"}, others=others, record={"C3": "Y", "C4": "YB"})
    table.wait(CALM)
    assert isinstance(table.last, Unclear)
    assert isinstance(table.tap(Sow("Ann", "C3", (("C4", "Y"),)))[0], Did)
    table.wait(CALM)
    assert not any(reading.withdraws for _, reading in table.said)
    assert table.standing.tile("C4").meeples == "B" and table.count == 1


# --- a table that moved while nobody looked ------------------------------------------------------------------------


def moved(tiles: dict[str, str], record: dict[str, str]) -> Small:
    """A table taken up after something happened: `record` is what the game still says."""
    beside = {f"beside {letter}": f"meeple {letter}" for letter in "GR"}
    return Small({**dict.fromkeys(record, ""), **tiles}, record=record, others=beside)


def test_a_move_made_while_nobody_looked_is_asked_about() -> None:
    table = moved({"C4": "YG", "D4": "RR"}, {"C3": "GR", "C4": "Y", "D4": "R"})
    table.wait(CALM)
    assert isinstance(table.last, Unclear)
    assert str(table.last.options[0].sowing) == "C3>C4G>D4R"
    chosen = table.last.options[0].sowing
    table.tap(Sow("Ann", chosen.start, chosen.drops))
    table.lift("D4", wait=1000)
    assert isinstance(table.last, Quiet) and table.count == 1


def test_of_two_moves_that_explain_an_unwatched_table_none_is_guessed() -> None:
    table = moved({"A1": "W"}, {"C3": "G", "C4": "G"})  # either met the other and both were scooped
    table.wait(60_000)
    assert table.words == ["unclear"]
    assert isinstance(table.last, Unclear)
    assert {str(option.sowing) for option in table.last.options} == {"C3>C4G", "C4>C3G"}
    table.end()
    assert table.words == ["unclear"] and table.count == 0


def test_a_move_half_made_when_the_watching_began_is_read_when_it_is_finished() -> None:
    table = moved({"C4": "YG", "D4": "R"}, {"C3": "GR", "C4": "Y"})
    table.wait(CALM)
    assert isinstance(table.last, Wrong)  # the red one is nowhere: a flag, as for any such first sweep
    table.put("D4", "beside R", wait=CALM)
    assert sown(table.last) == "C3>C4G>D4R"
    table.lift("D4", wait=1000)
    assert isinstance(table.last, Quiet) and table.count == 1


@pytest.mark.xfail(reason="what is lifted now is read as the only move")
def test_a_second_move_does_not_hide_the_one_nobody_saw() -> None:
    """Bob's piece is gone since before the watching began; what is seen now could be finished by either of two moves."""
    table = moved({"C4": "G", "A1": "W"}, {"C3": "G"})  # the green one of C3 was in the hand already
    table.wait(500)
    table.lift("C4", wait=60_000)
    assert "did" not in table.words
    assert isinstance(table.last, Unclear)
    assert {str(option.sowing) for option in table.last.options} == {"C3>C4G", "C4>C3G"}


def test_two_single_meeples_that_meet_are_told_apart_by_who_was_lifted_first() -> None:
    for start, end in (("C3", "C4"), ("C4", "C3")):
        table = Small({"C3": "G", "C4": "G", "A1": "W"})
        first, second = ("G1", "G2") if start == "C3" else ("G2", "G1")
        table.lift(start, first, wait=900)
        table.put(end, first, wait=300)
        table.lift(end, first, second, wait=900)
        assert [sown(r) for _, r in table.said if isinstance(r, Did)][-1] == f"{start}>{end}G"
