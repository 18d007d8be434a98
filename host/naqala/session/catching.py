"""Catching up: a game is resumed, and its hands are followed from the last entry on, as if somebody had looked all the time.

What is known and what may be trusted is in `missed`; these functions carry it out, in the session's own thread.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from naqala_protocol import Fault, Seen

from naqala.link import Message
from naqala.session import following, opening, showing
from naqala.session.missed import PACE_MS, Known
from naqala.table.evidence import Evidence

if TYPE_CHECKING:
    from naqala.session.session import Session


def prepare(session: Session) -> None:
    """A game is about to be taken up again: see what is on disk of its lines."""
    session.missed.known = session.ledger.known(Evidence(session.evidence.readers, session.box))


def greeted(session: Session) -> None:
    """If the controller has spoken: does it say what follows on the lines on disk? Else table and game are only compared."""
    known, arrived = session.missed.known, tuple(session.missed.unplayed)
    if known is None or session.hello is None:
        return
    session.missed.known = None
    session.missed.unplayed.clear()
    if known.continued(session.hello, arrived):
        _go_on_from(session, known, arrived)
    else:
        _compare(session)


def _go_on_from(session: Session, known: Known, arrived: tuple[Message, ...]) -> None:
    first = known.mark.seq + 1
    top = max((message.seq for message in arrived), default=0)
    at = session.missed.expect(first, max(top, session.hello.seq), session.clock()) - PACE_MS
    begun = at - (known.later[-1][0] - known.later[0][0] if known.later else 0)
    evidence = opening.bound(known.table, session.snapshot.seats, session.in_hand.game)
    following.rewatch(session, begun - PACE_MS, evidence)
    following.look(session, begun - PACE_MS)
    for said_ms, message in known.later:
        following.hear(session, message, begun + said_ms - known.later[0][0])
    for message in arrived:
        session.ledger.record(message)
        following.hear(session, message, moment(session, message, at))
    showing.show(session)


def moment(session: Session, message: Message, at: int) -> int:
    """The moment of a line: its own while lines come late, else `at`."""
    if not session.missed.late:
        return at
    assert session.watcher is not None
    if not isinstance(message, Seen | Fault):
        return session.watcher.at
    said = session.missed.moment(message.seq)
    if said is None:  # some are gone for good, and with them the order: only compare what will be seen
        _compare(session, Evidence(session.evidence.readers, session.evidence.tags))
        return at
    return said


def _compare(session: Session, evidence: Evidence | None = None) -> None:
    """The order is lost: what differs when the whole table was seen is to be put right, and is read as no move."""
    session.unrecorded = True
    following.rewatch(session, evidence=evidence)
    following.look(session)
