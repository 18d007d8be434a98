"""One record: the referee reads, the session writes; what is told and what is read meet in the same list of actions."""

from __future__ import annotations

import pytest
from naqala.rules import notation, paths
from naqala.rules.actions import Action, Kill, Sow, Undo, Victim
from naqala.rules.breach import InvalidAction
from naqala.session.session import Session
from naqala.table import watch
from naqala.table.readings import Did, Reading, Unclear

from tests.session.conftest import Table, in_play, tap, until


def two_sowings(session: Session) -> tuple[Sow, Sow]:
    """Two legal moves of the player whose turn it is, from different tiles."""
    game = session.snapshot.playing
    found = list(paths.sowings(game.meeples))
    first = found[0]
    other = next(one for one in found if one.start != first.start)
    player = str(game.turn.player)
    return Sow(player, first.start, first.drops), Sow(player, other.start, other.drops)


def test_a_reading_that_the_rules_refuse_is_a_question_and_stops_nobody(
    table: Table, monkeypatch: pytest.MonkeyPatch, caplog: pytest.LogCaptureFixture
) -> None:
    session = in_play(table)
    sow, _ = two_sowings(session)
    before = session.snapshot

    def nonsense(watching: object, record: object, reading: Reading) -> tuple[Action, ...]:
        return (Kill(sow.player, (Victim("Y", tile="A1"),)),) if isinstance(reading, Did) else ()

    with monkeypatch.context() as patched:
        patched.setattr(watch, "consequences", nonsense)
        table.sow(sow.start, sow.drops, scoop=False)
        shown = until(session, lambda shown: isinstance(shown.reading, Unclear))
        assert (shown.log, shown.stopped) == (before.log, "")
        assert "the rules refuse what was read" in caplog.text and "diagnostics page" in caplog.text
    table.scoop(*sow.drops[-1])
    shown = until(session, lambda shown: shown.playing.turn.phase != "sow")
    assert isinstance(shown.log[-1].action, Sow) and shown.log[-1].action.start == sow.start


def test_nor_does_one_that_raises(table: Table, monkeypatch: pytest.MonkeyPatch) -> None:
    session = in_play(table)
    sow, _ = two_sowings(session)

    def raises(*given: object) -> tuple[Action, ...]:
        raise InvalidAction("nothing stands")

    monkeypatch.setattr(watch, "consequences", raises)
    table.sow(sow.start, sow.drops, scoop=False)
    assert not until(session, lambda shown: isinstance(shown.reading, Unclear)).stopped


def test_a_sowing_that_is_told_takes_the_place_of_the_one_that_was_read(table: Table) -> None:
    session = in_play(table)
    seen, told = two_sowings(session)
    stood = len(session.snapshot.log)
    table.sow(seen.start, seen.drops, scoop=False)
    until(session, lambda shown: len(shown.log) > stood)
    assert tap(session, "owner", **notation.to_json(told)).accepted
    new = session.snapshot.log[stood:]
    assert [(line.action, line.by, line.undone) for line in new][1:] == [
        (Undo(stood), "owner", False),
        (told, "owner", False),
    ]
    assert new[0].undone


def test_a_sowing_that_the_rules_refuse_leaves_the_one_that_was_read(table: Table) -> None:
    session = in_play(table)
    seen, _ = two_sowings(session)
    stood = len(session.snapshot.log)
    table.sow(seen.start, seen.drops, scoop=False)
    shown = until(session, lambda shown: len(shown.log) > stood)
    bad = Sow(
        seen.player,
        seen.start,
        tuple(("F5" if seen.start != "F5" else "A1", letter) for _, letter in seen.drops),
    )
    answer = tap(session, "owner", **notation.to_json(bad))
    assert (answer.accepted, answer.why) == (False, "illegal")
    assert session.snapshot.log == shown.log
