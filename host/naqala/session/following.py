"""Following the table: what the referee reads from it is written down, and what lies there is compared with the record.

The referee is `naqala.table.watch`, a value; the session holds the newest one. These functions carry out what it says, in the
session's own thread.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace
from typing import TYPE_CHECKING

from naqala_protocol import Seen

from naqala.journal import JournalError
from naqala.rules.actions import Undo
from naqala.session import as_it_lies, dealer, opening, showing, taps
from naqala.session.chronicle import HANDS, restoring, still_entered, still_lying, undoing
from naqala.session.snapshot import PHONES
from naqala.table import watch
from naqala.table.readings import Did, Reading, Unclear, Wrong
from naqala.table.sight import Table, see
from naqala.transcript import Piece

if TYPE_CHECKING:
    from naqala.session.session import Session


def follow(session: Session, watcher: watch.Watcher, said: list[watch.Said]) -> None:
    """Carry out what the referee said. What cannot be written down is not followed either: it is said again."""
    before, session.watcher = session.watcher, watcher
    seen_before, session.sight = session.sight, watcher.table
    chronicle = session.ledger.chronicle
    if session.unrecorded and watcher.started:
        session.unrecorded = False
        session.ledger.record_table(session.hello, session.sight)
    try:
        for _, reading in said:
            _heed(session, reading)
    except JournalError as error:
        assert before is not None
        if session.ledger.chronicle is chronicle:
            session.watcher = replace(before, table=watcher.table)
        else:
            showing.show(session)
        session.trouble(error)
        return
    moved_on = session.ledger.chronicle is not chronicle
    if session.watcher is watcher and watcher.told and watcher.move is None and moved_on:
        session.watcher = replace(watcher, told={})  # the record knows that tile again
    if said or watcher.table.on is not seen_before.on or showing.led_on(session):
        showing.show(session)


def _heed(session: Session, reading: Reading) -> None:
    if reading.withdraws or (isinstance(reading, Did) and reading.replaces):
        session.write(Undo(len(session.in_hand.record.steps) - 1), HANDS)
    if isinstance(reading, Did) and isinstance(reading.action, Undo):
        _taken_back(session, session.first + reading.action.to)
    elif isinstance(reading, Did):
        session.write(reading.action, HANDS)
        session.go_on()
    elif isinstance(reading, Wrong):
        as_it_lies.goes_on(session, reading)
    elif isinstance(reading, Unclear) and len(reading.actions) == 1 and session.snapshot.cards == "dealt":
        whole = dealer.completed(session.in_hand.game, reading.actions[0], session.pick)
        if whole != reading.actions[0]:  # the only thing not seen is a card that the companion deals
            session.accept(whole, HANDS)
            session.go_on()


def _taken_back(session: Session, to: int) -> None:
    """Pieces were put back to where they stood: an undo, free or by consent."""
    undo = undoing(session.in_hand, to)
    by = undo.players[0] if len(undo.players) == 1 else HANDS
    if undo.free_for(by):
        session.write(Undo(to), HANDS)
    else:
        taps.ask_consent(session, by, to)
        rewatch(session)


def look(session: Session) -> None:
    """Let the referee look at once, though nobody speaks."""
    assert session.watcher is not None
    follow(session, *watch.look(session.watcher, session.clock()))


def rewatch(session: Session, at: int | None = None) -> None:
    """Watch anew from the game as it stands: what differs now is to be put right, not read as a move."""
    if session.snapshot.evidence == PHONES:  # nothing is seen: there is nothing to watch
        session.watcher = session.guided = None
        return
    chronicle = session.in_hand
    session.watcher = replace(
        watch.watcher(chronicle.game, session.sight.readers, session.sight.tags),
        table=session.sight,
        at=session.clock() if at is None else at,
        told=still_entered(chronicle),
        restoring=restoring(chronicle),
        lies=still_lying(chronicle),
    )
    session.guided = None
    session.first = len(chronicle.record.steps)
    follow(session, *watch.look(session.watcher, session.watcher.at))


def look_afresh(session: Session, tags: Mapping[str, Piece]) -> None:
    """See what is on the readers as if it had just been said."""
    session.box = tags
    old = session.sight
    session.sight = Table(old.readers, dict(tags), faults=old.faults)
    lines = [Seen(old.last.get(reader, 0), reader, tuple(sorted(seen))) for reader, seen in old.on.items()]
    for line in sorted(lines):
        session.sight = see(session.sight, line, session.clock())


def relearn(session: Session, tags: Mapping[str, Piece]) -> None:
    """Another registry: everything on the readers is looked at anew with it. Of a controller that restarted meanwhile some
    readers have not spoken yet: what they said before counts as the oldest."""
    look_afresh(session, tags)
    if session.ledger.chronicle is None:
        showing.show_setup(session)
        return
    session.sight = opening.bound(session.sight, session.snapshot.seats, session.in_hand.game)
    rewatch(session)
    showing.show(session)
