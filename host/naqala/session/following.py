"""Following the table: what the referee reads from it is written down, and what lies there is compared with the record.

The referee (`naqala.table`) only reads; the session holds its memory (`Watcher`) beside the one record, and gives it both. Every
input ends in `look`: the referee looks, what its reading changes is written, and it looks again, until it has nothing new to
say. Nothing that is read can stop a session: a change that the rules refuse is logged and becomes a question.
"""

from __future__ import annotations

import logging
from collections.abc import Mapping
from dataclasses import replace
from typing import TYPE_CHECKING

from naqala_protocol import Seen

from naqala.journal import JournalError
from naqala.link import Message
from naqala.rules.actions import Action, Correct, Sow, Undo
from naqala.rules.breach import IllegalMove, InvalidAction
from naqala.rules.record import append
from naqala.session import as_it_lies, dealer, opening, showing, taps
from naqala.session.chronicle import ACTION, HANDS, UNDO, restoring, still_entered, still_lying, undoing
from naqala.table import watch
from naqala.table.due import next_reminder
from naqala.table.evidence import Evidence, see
from naqala.table.look import look as referee_looks
from naqala.table.readings import Did, Reading, Unclear, Wrong
from naqala.table.scene import differing
from naqala.transcript import Piece

if TYPE_CHECKING:
    from naqala.session.session import Session

MOST_ROUNDS = 8  # readings that may follow from one another at one moment
MOST_WAITS = 200  # looks that are made up for when nobody has looked for long: after that only now counts

log = logging.getLogger(__name__)


# --- what the table says ------------------------------------------------------------------------------------


def hear(session: Session, message: Message, at: int) -> None:
    """Take in one message of the controller, after all that was due before it."""
    said = _wait(session, at)
    before = _watcher(session)
    session.watcher = after = watch.heard(before, message, at)
    if watch.has_news(before, after) or not before.started:
        said = _look(session, at) or said
    _show_what_changed(session, said or before.evidence.on is not _watcher(session).evidence.on)


def wait(session: Session, at: int) -> None:
    """Let the clock run: readings that come with time alone are said at their own moment."""
    said = _wait(session, at)
    watcher = _watcher(session)
    session.watcher = replace(watcher, at=max(at, watcher.at))
    _show_what_changed(session, said)


def look(session: Session, at: int | None = None) -> None:
    """Let the referee look at once, though nobody speaks, and show what there is to be seen."""
    if session.watcher is not None:
        _look(session, session.clock() if at is None else at)
    showing.show(session)


def before_another_action(session: Session) -> None:
    """Somebody tells what comes after a move: one that was only waiting is recorded first."""
    if session.watcher is not None and session.in_hand.game.turn.phase == "sow":
        _look(session, session.clock(), over=True, forced=True)


def next_due(session: Session) -> int | None:
    """The next moment at which something is to be looked at though nobody speaks."""
    if session.watcher is None:
        return None
    moments = (watch.next_due(session.watcher), next_reminder(session.watcher, session.in_hand.record))
    return min((moment for moment in moments if moment is not None), default=None)


def _watcher(session: Session) -> watch.Watcher:
    assert session.watcher is not None
    return session.watcher


def _show_what_changed(session: Session, said: bool) -> None:
    if said or showing.led_on(session):
        showing.show(session)


def _wait(session: Session, at: int) -> bool:
    said = False
    for _ in range(MOST_WAITS):
        due = watch.next_due(_watcher(session))
        if due is None or due > at:
            return said
        said = _look(session, due) or said
    return _look(session, at) or said


def _look(session: Session, at: int, over: bool = False, forced: bool = False) -> bool:
    """Look and carry out what is read, until there is nothing new; whether anything was said. What the journal could not take
    is not followed either: it is said again."""
    said = False
    try:
        for _ in range(MOST_ROUNDS):
            record = session.in_hand.record
            session.watcher, reading = referee_looks(_watcher(session), record, at, over, forced)
            if session.unrecorded and session.watcher.started:
                session.unrecorded = False
                session.ledger.record_table(session.hello, session.evidence)
            if reading is None:
                break
            said = True
            if not _heed(session, reading):
                break
    except JournalError as error:
        session.watcher = replace(_watcher(session), offered=None, said=None)
        session.trouble(error)
    return said


# --- what follows from a reading ----------------------------------------------------------------------------


def _heed(session: Session, reading: Reading) -> bool:
    """Write down what a reading changes; whether it changed anything."""
    if isinstance(reading, Did) and isinstance(reading.action, Undo):
        return _taken_back(session, reading.action.to)
    if isinstance(reading, Did) or reading.withdraws:
        return _written(session, reading)
    if isinstance(reading, Wrong):
        return as_it_lies.goes_on(session, reading)
    if isinstance(reading, Unclear) and len(reading.actions) == 1 and session.snapshot.cards == "dealt":
        whole = dealer.completed(session.in_hand.game, reading.actions[0], session.pick)
        if whole != reading.actions[0]:  # the only thing not seen is a card that the companion deals
            session.write(whole, HANDS)
            session.go_on()
            return True
    return False


def _written(session: Session, reading: Reading) -> bool:
    """The record follows the table. An action of the record that is played again after one that was replaced keeps its author."""
    chronicle, watcher = session.in_hand, _watcher(session)
    changes: tuple[Action, ...] = ()
    try:
        changes = watch.consequences(watcher, chronicle.record, reading)
        record = chronicle.record
        for action in changes:
            record = append(record, action)
    except (IllegalMove, InvalidAction) as refused:
        _refused(session, reading, refused)
        return False
    authors = [(HANDS, UNDO if isinstance(action, Undo) else ACTION) for action in changes[:2]]
    if len(changes) > 2 and isinstance(changes[0], Undo):
        told = chronicle.lines[changes[0].to + 1 :]
        authors += [(chronicle.log[line - 1].by, chronicle.log[line - 1].kind) for line in told]
    for action, (by, kind) in zip(changes, authors, strict=False):
        session.write(action, by, kind)
    if changes:
        session.go_on()
    return bool(changes)


def _refused(session: Session, reading: Reading, why: IllegalMove | InvalidAction) -> None:
    """The referee read something that cannot be: a defect of ours. It becomes a question, and the lines that led to it stay in
    the journal, from where the diagnostics page gives them as a transcript."""
    log.error(
        "table '%s', game %d, after entry %d: the rules refuse what was read (%s: %s). The lines that led to it: "
        "diagnostics page, 'transcript'",
        session.table,
        session.game_id,
        session.in_hand.next_number - 1,
        reading,
        why,
    )
    actions = (reading.action,) if isinstance(reading, Did) else ()
    session.watcher = replace(_watcher(session), offered=None, said=Unclear(actions=actions))


def _taken_back(session: Session, to: int) -> bool:
    """Pieces were put back to where they stood: an undo, free or by consent."""
    undo = undoing(session.in_hand, to)
    by = undo.players[0] if len(undo.players) == 1 else HANDS
    if undo.free_for(by):
        session.write(Undo(to), HANDS)
    else:
        taps.ask_consent(session, by, to)
        rewatch(session)
    return True


# --- what people say ----------------------------------------------------------------------------------------


def told(session: Session, action: Action) -> None:
    """Prepare the referee for an action that people have told: after an undo the table is to follow the record, after a
    correction only what was not corrected still differs."""
    watcher = session.watcher
    if watcher is None:
        return
    if isinstance(action, Undo):
        session.watcher = replace(watcher, restoring=True)
    elif isinstance(action, Correct) or (isinstance(action, Sow) and action.as_it_lies):
        settle(session)


def takes_the_place(session: Session, action: Action) -> Undo | None:
    """The undo that goes before a sowing that is told when one was read in this turn. Raises what the rules refuse before
    anything is written."""
    last, record = session.watcher.open if session.watcher is not None else None, session.in_hand.record
    if last is None or not isinstance(action, Sow) or not isinstance(last.action, Sow):
        return None
    if len(record.steps) != last.number + 1:
        return None
    undo = Undo(last.number)
    append(append(record, undo), action)
    return undo


def settle(session: Session, lies: Mapping[tuple[str, Piece], int] | None = None) -> None:
    """Take the table as it stands for what table and record agree on. `lies` is let lie; what differs besides is flagged. After
    a move that people let stand its group is still to be taken up."""
    watcher, record = _watcher(session), session.in_hand.record
    after_a_move = bool(record.actions) and isinstance(record.actions[-1], Sow)
    kept: Mapping[tuple[str, Piece], int] = (watcher.lies if after_a_move else {}) if lies is None else lies
    settled = replace(watch.play_on(watcher, kept), count=len(record.steps))
    flagged = {key: n for key, n in differing(settled, record.game).items() if kept.get(key) != n}
    session.watcher = replace(settled, flagged={} if after_a_move else flagged)


def rewatch(session: Session, at: int | None = None, evidence: Evidence | None = None) -> None:
    """Watch from the game as it stands: what differs now is to be put right, and is not read as a move."""
    chronicle, seen = session.in_hand, session.evidence if evidence is None else evidence
    session.watcher = replace(
        watch.watcher(seen.readers, seen.tags),
        evidence=seen,
        at=session.clock() if at is None else at,
        told=still_entered(chronicle),
        restoring=restoring(chronicle),
        lies=still_lying(chronicle),
    )
    session.guided = None


def relearn(session: Session, tags: Mapping[str, Piece]) -> None:
    """Another registry: everything on the readers is read again with it. Of a controller that restarted meanwhile some readers
    have not spoken yet: what they said before counts as the oldest."""
    session.box = tags
    old = session.evidence
    seen = Evidence(old.readers, dict(tags), faults=old.faults)
    lines = [Seen(old.last.get(reader, 0), reader, tuple(sorted(now))) for reader, now in old.on.items()]
    for line in sorted(lines):
        seen = see(seen, line, session.clock())
    seen = replace(seen, last=old.last, top=old.top, missing=old.missing, lines=old.lines)
    if session.ledger.chronicle is None:
        session.saw(seen)
        showing.show_setup(session)
        return
    rewatch(session, evidence=opening.bound(seen, session.snapshot.seats, session.in_hand.game))
    look(session)
