"""One evening in pieces: from an empty journal to a game in play, hands and taps, undo, resume."""

from __future__ import annotations

from typing import Any

import pytest
from naqala.journal import Journal
from naqala.rules import paths
from naqala.rules.actions import Sow
from naqala.rules.board import distance
from naqala.rules.model import Game
from naqala.rules.sowing import Sowing
from naqala.session import commands as c
from naqala.session.session import Session
from naqala.table.readings import Doing, Note, Quiet, Wrong
from naqala.transcript import Piece

from tests.session.conftest import Table, bid_all, in_play, tap, until


def a_sowing(session: Session) -> Sow:
    game = session.snapshot.game
    found = next(paths.sowings(game.meeples))
    return Sow(game.turn.player, found.start, found.drops)


def test_a_game_begins_with_what_lies_there(table: Table) -> None:
    session = table.open()
    assert session.snapshot.stage == "welcome"
    shown = table.begin(session)
    assert [tile.meeples for tile in shown.game.tiles] == [tile.meeples for tile in table.layout.tiles]
    assert [tile.type for tile in shown.game.tiles] == [tile.type for tile in table.layout.tiles]
    assert len(shown.game.row) == 9
    assert shown.game.turn.phase == "bid"
    assert [seat.name for seat in shown.seats] == ["Ann", "Bob"]


def test_hands_are_followed_and_written_down(table: Table) -> None:
    session = in_play(table)
    sow = a_sowing(session)
    table.lift(sow.start)
    until(session, lambda shown: isinstance(shown.reading, Doing) and shown.reading.start == sow.start)
    for tile, letter in sow.drops:
        table.drop(tile, letter)
    table.scoop(*sow.drops[-1])
    shown = until(session, lambda shown: shown.game.turn.phase != "sow")
    assert shown.log[-1].action.start == sow.start
    assert shown.log[-1].by == "hands"
    assert table.journal.entries(1)[-1].body["do"] == "sow"


def test_an_illegal_drop_is_flagged_and_goes_away_when_repaired(table: Table) -> None:
    session = in_play(table)
    table.lift("C3")
    first = table.tags[table.aside["hand"][0]].which
    table.drop("D4", first)
    shown = until(session, lambda shown: isinstance(shown.reading, Wrong))
    assert shown.reading.breaches[0].rule == "drops_on_neighbours"
    assert shown.repair
    (step,) = shown.guide.left
    assert (step.piece, step.take_from) == (f"meeple {first}", "D4")
    tag = table.on["D4"].pop()
    table.aside["hand"].append(tag)
    table.show("D4")
    shown = until(session, lambda shown: isinstance(shown.reading, Doing))
    assert shown.guide is not None and shown.guide.eased
    assert shown.guide.left[0].onto == step.onto  # where it may go is said until it lies there
    table.drop(step.onto[0], first)
    shown = until(session, lambda shown: shown.guide is None)
    assert isinstance(shown.reading, Doing)


def test_a_group_still_to_be_taken_up_is_reminded_of(table: Table) -> None:
    session = in_play(table)
    sow = a_sowing(session)
    end, colour = sow.drops[-1]
    table.sow(sow.start, sow.drops, scoop=False)
    until(session, lambda shown: shown.log[-1].by == "hands")
    standing = sum(table.tags[tag] == Piece("meeple", colour) for tag in table.on[end])
    assert standing > 1
    until(session, lambda shown: Note("take", end, colour * standing) in shown.due)
    one = next(tag for tag in table.on[end] if table.tags[tag] == Piece("meeple", colour))
    table.on[end].remove(one)
    table.show(end)  # the last line for a while: that it is gone for good is known later
    until(session, lambda shown: Note("take", end, colour * (standing - 1)) in shown.due)
    table.aside.setdefault("bag", []).append(one)
    table.scoop(end, colour)
    shown = until(session, lambda shown: isinstance(shown.reading, Quiet))
    assert not any(note.note == "take" for note in shown.due)


def test_after_an_undo_the_table_is_led_back_step_by_step(table: Table) -> None:
    session = in_play(table)
    before = session.snapshot
    sow = a_sowing(session)
    table.sow(sow.start, sow.drops)
    done = until(session, lambda shown: isinstance(shown.reading, Quiet) and shown.game is not before.game)
    table.aside["hand"] = table.aside.pop("bag")
    assert session.tell(c.UndoTo(sow.player, done.step, len(before.log))).accepted
    shown = session.snapshot
    assert shown.game == before.game
    assert shown.guide is not None and shown.guide.undone, "at once, and no question"
    lists = []
    while shown.guide is not None:
        lists.append(len(shown.guide.left))
        step = shown.guide.left[0]
        if step.take_from:
            table.move(step.piece[-1], step.take_from, step.onto[0])
        else:
            table.drop(step.onto[0], step.piece[-1])
        shown = until(session, lambda shown: shown.guide is None or len(shown.guide.left) < lists[-1])
    assert lists == sorted(set(lists), reverse=True)
    until(session, lambda shown: isinstance(shown.reading, Quiet))
    assert session.snapshot.log[-1].kind == "undo", "nothing was read from the pieces on their way back"


def test_a_stale_or_double_tap_is_refused(table: Table) -> None:
    session = table.open()
    shown = table.begin(session)
    bidder = shown.game.turn.player
    action = {"do": "bid", "player": bidder, "spot": 5}
    assert session.tell(c.Tap(bidder, shown.step, action)).accepted
    again = session.tell(c.Tap(bidder, shown.step, action))
    assert (again.accepted, again.why) == (False, "stale")
    assert len(table.journal.entries(1)) == 1


def test_nobody_acts_for_another(table: Table) -> None:
    session = table.open()
    shown = table.begin(session)
    bidder = shown.game.turn.player
    other = next(name for name in table.players if name != bidder)
    answer = tap(session, other, do="bid", player=bidder, spot=5)
    assert (answer.accepted, answer.why) == (False, "not_yours")


def test_an_illegal_tap_names_the_rule_and_changes_nothing(table: Table) -> None:
    session = table.open()
    bidder = table.begin(session).game.turn.player
    assert tap(session, bidder, do="bid", player=bidder, spot=5).accepted
    bidder = session.snapshot.game.turn.player
    answer = tap(session, bidder, do="bid", player=bidder, spot=5)
    assert answer.why == "illegal"
    assert dict(answer.facts)["breaches"][0].rule == "bids_on_a_free_spot"
    assert len(table.journal.entries(1)) == 1


def test_undo_is_free_for_ones_own_and_by_consent_for_others(table: Table) -> None:
    session = table.open()
    first = table.begin(session).game.turn.player
    assert tap(session, first, do="bid", player=first, spot=5).accepted
    assert session.tell(c.UndoTo(first, session.snapshot.step, 0)).accepted
    assert session.snapshot.game.turn.player == first
    assert [line.undone for line in session.snapshot.log] == [True, False]
    bid_all(session)
    other = next(name for name in table.players if name != first)
    assert session.tell(c.UndoTo(first, session.snapshot.step, 0)).accepted
    asked = session.snapshot.asked
    assert asked and asked.waiting_for == (other,)
    assert session.snapshot.game.turn.phase == "sow"
    assert not session.tell(c.Consent(first, session.snapshot.step, asked.number, True)).accepted
    assert session.tell(c.Consent(other, session.snapshot.step, asked.number, True)).accepted
    assert session.snapshot.game == session.snapshot.opening


def test_the_end_of_ones_turn_is_taken_back_by_consent_once_another_has_begun(table: Table) -> None:
    tiles = {"C3": {"meeples": "WWG"}, "D3": {"meeples": "G"}}
    turn = {"player": "Ann", "phase": "end", "tile": "D3"}
    players = [{"name": "Ann", "goods": {"fish": 1}}, {"name": "Bob"}, {"name": "Cy"}]
    markers = {"track": [{"player": "Bob", "spot": 1}, {"player": "Cy", "spot": 0}], "bid_order": ["Ann"]}
    session = table.resume({"tiles": tiles, "players": players, "turn": turn} | markers)
    assert tap(session, "Ann", do="sell", player="Ann", suits=[["fish"]]).accepted
    assert session.tell(c.UndoTo("Ann", session.snapshot.step, 0)).accepted
    assert session.snapshot.asked is None, "within one's own turn it is free"
    assert tap(session, "Ann", do="sell", player="Ann", suits=[["fish"]]).accepted
    assert tap(session, "Ann", do="end", player="Ann").accepted
    assert session.snapshot.game.turn.player == "Bob"
    assert session.tell(c.UndoTo("Ann", session.snapshot.step, 0)).accepted
    asked = session.snapshot.asked
    assert asked is not None and asked.waiting_for == ("Bob", "Cy")
    assert session.snapshot.game.turn.player == "Bob"
    also = session.tell(c.UndoTo("Bob", session.snapshot.step, 1))
    assert (also.accepted, also.why) == (False, "question_open"), "one question at a time"
    assert session.tell(c.Consent("Bob", session.snapshot.step, asked.number, False)).accepted
    assert session.tell(c.UndoTo("Bob", session.snapshot.step, 1)).accepted
    late = session.tell(c.Consent("Cy", session.snapshot.step, asked.number, True))
    assert (late.accepted, late.why) == (False, "nothing_asked"), "it was meant for what Ann asked"
    now = session.snapshot.asked
    assert now is not None and (now.by, now.to, now.waiting_for) == ("Bob", 1, ("Ann", "Cy"))


def test_a_game_is_resumed_as_it_was(table: Table) -> None:
    session = in_play(table)
    sow = a_sowing(session)
    table.sow(sow.start, sow.drops)
    before = until(session, lambda shown: shown.game.turn.phase != "sow")
    table.close()
    session = table.open()
    assert session.snapshot.unfinished is not None
    assert session.snapshot.unfinished.players == table.players
    assert session.tell(c.Resume("owner")).accepted
    assert session.snapshot.game == before.game
    assert session.snapshot.log == before.log


def test_a_game_is_given_up_on_purpose_only(table: Table) -> None:
    session = table.open()
    table.begin(session)
    assert session.tell(c.NewGame("owner", ("A", "B"), ())).why == "game_in_play"
    assert session.tell(c.Abort("owner", session.snapshot.step)).accepted
    assert (session.snapshot.stage, session.snapshot.unfinished) == ("welcome", None)
    assert table.journal.games("oak")[0].how == "aborted"


def test_a_set_up_that_is_given_up_leaves_the_unfinished_game_alone(table: Table) -> None:
    table.begin(table.open())
    table.close()
    session = table.open()
    waits = session.snapshot.unfinished
    assert waits is not None
    assert session.tell(c.NewGame("owner", ("Cleo", "Dan"), ("pink", "blue"))).accepted
    assert session.tell(c.Abort("owner", session.snapshot.step)).accepted
    assert (session.snapshot.stage, session.snapshot.unfinished) == ("welcome", waits)
    assert session.tell(c.Resume("owner")).accepted


@pytest.mark.parametrize(
    ("why", "players", "wanted"),
    [
        ("players", ("Ann", "Bob "), {}),
        ("players", ("Ann", "B\u200dob"), {}),
        ("players", ("Ann", ""), {}),
        ("players", ("Ann", "B" * 25), {}),
        ("players", ("Ann", "Ann"), {}),
        ("players", ("Ann", "hands"), {}),
        ("players", ("Ann", "companion"), {}),
        ("players", ("Ann", "owner"), {}),
        ("invalid", ("Ann", "Bob"), {"switches": (("wind", "east"),)}),
        ("invalid", ("Ann", "Bob"), {"switches": (("djinn_once_per", "hour"),)}),
        ("invalid", ("Ann", "Bob"), {"edition": "gold"}),
        ("invalid", ("Ann", "Bob"), {"cards": "marked"}),
        ("invalid", ("Ann", "Bob"), {"colours": ("pink", "pink")}),
    ],
)
def test_a_game_that_could_not_be_resumed_does_not_begin(
    table: Table, why: str, players: tuple[str, ...], wanted: dict[str, Any]
) -> None:
    session = table.open()
    asked = c.NewGame("owner", players, **({"colours": ("pink", "blue")} | wanted))
    answer = session.tell(asked)
    assert (answer.accepted, answer.why, session.snapshot.stage) == (False, why, "welcome")
    assert not session.snapshot.stopped


def test_an_opening_that_cannot_be_read_stops_nobody(table: Table) -> None:
    with Journal.open(str(table.folder / "journal.sqlite")) as journal:
        journal.new_game("oak", {"players": [{"name": "Ann "}, {"name": "Bob"}]})
    session = table.open()
    answer = session.tell(c.Resume("owner"))
    assert (answer.accepted, answer.why) == (False, "invalid")
    assert session.tell(c.Abort("owner", session.snapshot.step)).accepted
    assert session.snapshot.unfinished is None


def test_the_table_is_right(table: Table) -> None:
    session = in_play(table)
    was = session.snapshot.game.tile("C3").meeples
    tag = next(tag for tag in table.on["C3"] if table.tags[tag].kind == "meeple")
    table.on["C3"].remove(tag)
    table.on["F5"].append(tag)
    table.show("C3")
    table.show("F5")
    until(session, lambda shown: isinstance(shown.reading, Wrong))
    assert session.tell(c.TableIsRight("Ann", session.snapshot.step)).accepted
    game = session.snapshot.game
    assert len(game.tile("C3").meeples) == len(was) - 1
    assert len(game.tile("F5").meeples) == 4
    assert (session.snapshot.log[-1].kind, session.snapshot.log[-1].by) == ("correction", "Ann")


def test_the_cable_is_pulled_in_the_middle_of_a_move(table: Table) -> None:
    session = in_play(table)
    sow = a_sowing(session)
    table.lift(sow.start)
    table.drop(*sow.drops[0])
    until(session, lambda shown: isinstance(shown.reading, Doing) and len(shown.reading.drops) == 1)
    table.cable.pull()
    until(session, lambda shown: not shown.link.up)
    for tile, letter in sow.drops[1:]:
        table.drop(tile, letter)
    table.scoop(*sow.drops[-1])
    table.cable.plug(reboot=False)
    shown = until(session, lambda shown: shown.game.turn.phase != "sow")
    assert shown.log[-1].action == sow


@pytest.mark.parametrize("table", [2], indirect=True)  # a layout with three viziers on one tile
def test_an_owed_camel_is_reminded_of_and_a_wrong_one_flagged(table: Table) -> None:
    session = in_play(table)
    game = session.snapshot.game
    player = game.turn.player
    sow = next(s for s in paths.sowings(game.meeples) if empties(game, s))
    table.sow(sow.start, sow.drops)
    shown = until(session, lambda shown: shown.game.turn.phase != "sow")
    assert shown.game.tile(sow.end).camel == player
    until(session, lambda shown: [note.note for note in shown.reading.notes if note.note == "owed"] != [])
    other = next(name for name in table.players if name != player)
    table.place(f"camel {other}", sow.end)
    shown = until(session, lambda shown: isinstance(shown.reading, Wrong))
    assert shown.reading.breaches[0].rule == "marks_control"
    table.aside[f"camel {other}"].append(table.on[sow.end].pop())
    table.place(f"camel {player}", sow.end)
    until(session, lambda shown: isinstance(shown.reading, Quiet) and not shown.repair)


def empties(game: Game, sowing: Sowing) -> bool:
    """Whether the sowing takes the last meeples of its end tile."""
    end, colour = sowing.drops[-1]
    there = game.tile(end).meeples + "".join(letter for tile, letter in sowing.drops if tile == end)
    return sowing.start != end and set(there) == {colour}


def test_a_crafted_tap_cannot_correct_the_record(table: Table) -> None:
    session = table.open()
    player = table.begin(session).game.turn.player
    bid_all(session)
    for action in (
        {"do": "correct", "tiles": {"C3": {"meeples": ""}}},
        {"do": "sow", "player": player, "start": "C3", "drops": [["F5", "Y"]], "as_it_lies": True},
    ):
        answer = session.tell(c.Tap(c.OWNER, session.snapshot.step, action))
        assert (answer.accepted, answer.why) == (False, "invalid")


def test_a_dead_readers_tile_is_entered_by_taps(table: Table) -> None:
    """The last meeple goes where nobody can see it, and might as well go elsewhere: people say what lies there."""
    session = in_play(table)
    game = session.snapshot.game
    sowing = next(
        one
        for one in paths.sowings(game.meeples)
        if len({tile for tile, _ in paths.possible_ends(game.meeples, one.start, one.drops[:-1])}) > 1
        and distance(one.start, one.end) == len(one.drops)  # a straight walk: its drops have one order only
    )
    end, letter = sowing.drops[-1]
    table.cable.put(table.reader_of[end])  # blind: not even the tile itself
    until(session, lambda shown: end in shown.sight.silent, 60)
    refused = session.tell(c.EnterTile("Ann", session.snapshot.step, sowing.start, "YW"))
    assert (refused.accepted, refused.why) == (False, "reader_works")
    table.lift(sowing.start)
    for tile, dropped in sowing.drops[:-1]:
        table.drop(tile, dropped)
    until(session, lambda shown: getattr(shown.reading, "hand", "") == letter, 60)
    told = c.EnterTile("Ann", session.snapshot.step, end, game.tile(end).meeples + letter)
    assert session.tell(told).accepted
    shown = until(session, lambda shown: shown.game.turn.phase != "sow", 60)
    assert (shown.log[-1].action.start, shown.log[-1].action.drops) == (sowing.start, sowing.drops)
