"""A session that stopped goes on with one tap; a game that was in play goes on by itself when table and record agree."""

from __future__ import annotations

from typing import Any

import pytest
from naqala.journal import Journal, JournalDamaged
from naqala.session import commands as c
from naqala.session.session import HANDLERS, Session

from tests.session.conftest import Table, tap, until
from tests.session.test_session import a_sowing, in_play


def stopped(session: Session, patch: pytest.MonkeyPatch) -> Session:
    """An exception nobody expected, with a secret in its message."""

    def fail(*_: object) -> None:
        raise RuntimeError("Bob holds 710 gold")

    with patch.context() as context:
        context.setitem(HANDLERS, c.SetHelp, fail)
        assert session.tell(c.SetHelp("owner", True)).why == "stopped"
    assert session.snapshot.stopped
    return session


def test_a_session_that_stopped_goes_on_with_one_tap(table: Table, monkeypatch: pytest.MonkeyPatch) -> None:
    session = stopped(in_play(table), monkeypatch)
    before = session.snapshot
    assert session.tell(c.Restart("owner")).accepted
    after = session.snapshot
    assert (after.stopped, after.stage, after.step, after.game) == ("", "play", before.step, before.game)
    assert session.tell(c.Restart("owner")).accepted, "a second tap does no harm"
    sow = a_sowing(session)
    table.sow(sow.start, sow.drops)
    until(session, lambda shown: shown.game.turn.phase != "sow")


def test_the_report_of_a_crash_stays_and_holds_no_values(
    table: Table, monkeypatch: pytest.MonkeyPatch
) -> None:
    session = stopped(in_play(table), monkeypatch)
    session.tell(c.Restart("owner"))
    crash = session.snapshot.crash
    assert crash is not None and crash.what.startswith("RuntimeError in fail")
    assert crash.frames and "710" not in repr(crash)


def test_what_hands_did_while_it_stood_still_is_seen(table: Table, monkeypatch: pytest.MonkeyPatch) -> None:
    session = in_play(table)
    sow = a_sowing(session)
    stopped(session, monkeypatch)
    table.lift(sow.start)
    assert session.tell(c.Look("owner")).why == "stopped"
    assert session.tell(c.Restart("owner")).accepted
    until(session, lambda shown: sow.start in repr(shown.reading) + repr(shown.repair))


def test_a_set_up_goes_on_where_it_was(table: Table, monkeypatch: pytest.MonkeyPatch) -> None:
    session = table.open()
    until(session, lambda shown: bool(shown.sight and len(shown.sight.on) == 30))
    assert session.tell(c.NewGame("owner", table.players, ("pink", "blue"))).accepted
    stopped(session, monkeypatch)
    assert session.tell(c.Restart("owner")).accepted
    assert (session.snapshot.stage, [seat.name for seat in session.snapshot.seats]) == (
        "setup",
        list(table.players),
    )
    assert session.tell(c.Begin("owner", session.snapshot.step)).accepted


# --- after a start of the program ---------------------------------------------------------------------------


def test_a_game_goes_on_by_itself_when_the_table_lies_as_the_record_has_it(table: Table) -> None:
    session = in_play(table)
    before = session.snapshot
    table.close()
    session = table.open()
    after = until(session, lambda shown: shown.stage == "play")
    assert (after.game, after.step) == (before.game, before.step)
    assert session.tell(c.Resume("owner")).accepted, "somebody may tap at the same moment"
    player = str(after.game.turn.player)
    assert tap(session, player, do="end", player=player).why != "no_game"


def test_a_table_that_lies_otherwise_waits_for_one_tap(table: Table) -> None:
    session = in_play(table)
    sow = a_sowing(session)
    table.close()
    table.lift(sow.start)
    session = table.open()
    until(session, lambda shown: bool(shown.sight and len(shown.sight.on) == 30))
    assert session.tell(c.Look("owner")).accepted
    assert (session.snapshot.stage, session.snapshot.unfinished is not None) == ("welcome", True)
    assert session.tell(c.Resume("owner")).accepted
    assert session.snapshot.stage == "play"


def test_a_game_that_was_given_up_does_not_come_back(table: Table) -> None:
    session = in_play(table)
    assert session.tell(c.Abort("owner", session.snapshot.step)).accepted
    table.show("C3")
    assert session.tell(c.Look("owner")).accepted
    assert session.snapshot.stage == "welcome"


def test_a_damaged_journal_is_called_so(table: Table, monkeypatch: pytest.MonkeyPatch) -> None:
    session = in_play(table)

    def damaged(*_: Any) -> None:
        raise JournalDamaged("entry 3 is not what was written")

    monkeypatch.setattr(Journal, "append", damaged)
    player = str(session.snapshot.game.turn.player)
    told = session.tell(c.SeatTold("left", player))
    assert (told.accepted, told.why) == (False, "damaged")
