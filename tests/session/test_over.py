"""After the last turn: the score is on show, and a mistake that is found while people count can still be put right."""

from __future__ import annotations

from typing import Any

import pytest
from naqala.journal import Journal, JournalFull
from naqala.session import commands as c
from naqala.session.session import Session

from tests.session.conftest import Table, tap, until

LAST_TURN: dict[str, Any] = {
    "tiles": {"C3": {"meeples": "WWG"}, "D3": {"meeples": "G"}},
    "players": [{"name": "Ann", "goods": {"fish": 1}}, {"name": "Bob"}],
    "bid_order": ["Bob", "Bob", "Ann", "Ann"],
    "turn": {"player": "Ann", "phase": "end", "tile": "D3"},
    "ending": "last_camel",
}


def over(table: Table) -> Session:
    """A game that has just ended: Ann has sold her fish and ended her turn."""
    session = table.resume(LAST_TURN)
    assert tap(session, "Ann", do="sell", player="Ann", suits=[["fish"]]).accepted
    assert tap(session, "Ann", do="end", player="Ann").accepted
    assert session.snapshot.stage == "over"
    assert table.journal.game(1).how == "finished"
    return session


def agreeing(session: Session) -> c.Consent:
    """Bob's yes to what is asked."""
    asked = session.snapshot.asked
    assert asked is not None
    return c.Consent("Bob", session.snapshot.step, asked.number, True)


def take_back(session: Session) -> None:
    """Ann asks, Bob agrees: the last turn has been Ann's, and yet everybody has seen the score."""
    assert session.tell(c.UndoTo("Ann", session.snapshot.step, 0)).accepted
    asked = session.snapshot.asked
    assert asked is not None and asked.waiting_for == ("Bob",)
    assert session.snapshot.stage == "over", "nothing is taken back before the others agree"
    assert session.tell(agreeing(session)).accepted


def test_an_undo_takes_the_game_up_again_and_it_ends_anew(table: Table) -> None:
    session = over(table)
    take_back(session)
    shown = session.snapshot
    assert (shown.stage, shown.game.turn.phase, shown.game.turn.player) == ("play", "end", "Ann")
    assert table.journal.game(1).ended_ms is None
    assert tap(session, "Ann", do="end", player="Ann").accepted
    assert (session.snapshot.stage, table.journal.game(1).how) == ("over", "finished")
    assert session.snapshot.game.player("Ann").goods == ("fish",)


def test_a_game_taken_up_again_is_resumed_by_another_host(table: Table) -> None:
    session = over(table)
    take_back(session)
    table.close()
    session = table.open()
    assert session.snapshot.unfinished is not None
    assert session.tell(c.Resume("owner")).accepted
    assert (session.snapshot.stage, session.snapshot.game.turn.phase) == ("play", "end")
    assert tap(session, "Ann", do="end", player="Ann").accepted
    assert table.journal.game(1).how == "finished"


def test_a_host_that_ends_between_reopening_and_undo_finds_the_game_over(table: Table) -> None:
    over(table)
    table.journal.reopen(1)
    table.close()
    session = table.open()
    assert session.tell(c.Resume("owner")).accepted
    assert (session.snapshot.stage, table.journal.game(1).how) == ("over", "finished")


def test_an_undo_that_cannot_be_written_leaves_the_game_over(
    table: Table, monkeypatch: pytest.MonkeyPatch
) -> None:
    session = over(table)
    assert session.tell(c.UndoTo("Ann", session.snapshot.step, 0)).accepted

    def full(*entry: object, **more: object) -> object:
        raise JournalFull("the disk is full")

    with monkeypatch.context() as patched:
        patched.setattr(Journal, "append", full)
        assert session.tell(agreeing(session)).why == "journal"
    until(session, lambda shown: shown.stage == "over")
    until(session, lambda shown: table.journal.game(1).how == "finished")


def test_nothing_is_played_in_a_game_that_is_over(table: Table) -> None:
    session = over(table)
    answer = tap(session, "Ann", do="end", player="Ann")
    assert (answer.accepted, answer.why) == (False, "invalid")
    assert len(table.journal.entries(1)) == 2
