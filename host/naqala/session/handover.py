"""From readers to phones and back: hardware that fails is not the end of an evening.

When the controller is away, or too many readers are silent, for HOPELESS_MS, people are offered to go on with phones: the
referee stops watching and the record is the table. They may return to the readers at any time: what then differs from the
record is put right step by step, as after a resumed game. The journal notes both, so that a restart goes on the same way.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from naqala.session import following, showing, told
from naqala.session.chronicle import NOTE, Chronicle
from naqala.session.layout import Layout
from naqala.session.phone_commands import BackToReaders, GoOnWithPhones
from naqala.session.refusal import Refused
from naqala.session.snapshot import PHONES, PLAY, READERS, SETUP, Snapshot

if TYPE_CHECKING:
    from naqala.session.session import Session

HOPELESS_MS = 30_000
TOO_MANY_SILENT = 6  # readers: with fewer the game is still followed well
EVIDENCE = "evidence"  # the key of the note


def hopeless(shown: Snapshot) -> bool:
    """Whether the readers are no help as they are now."""
    silent = sum(reader.state != "ok" for reader in shown.readers)
    return not shown.link.up or silent >= TOO_MANY_SILENT


def look(session: Session) -> None:
    """Offer the phones when the readers have been hopeless for long enough; withdraw it when they are back."""
    shown = session.snapshot
    if shown.evidence != READERS or not hopeless(shown):
        session.hopeless_since = None
    elif session.hopeless_since is None:
        session.hopeless_since = session.clock()
    since = session.hopeless_since
    offered = since is not None and session.clock() - since >= HOPELESS_MS
    if offered != shown.offers_phones:
        session.publish(offers_phones=offered)


def due(session: Session) -> int | None:
    """When to look again though nothing has happened."""
    since = session.hopeless_since
    return None if since is None or session.snapshot.offers_phones else since + HOPELESS_MS


def go_on_with_phones(session: Session, asked: GoOnWithPhones) -> None:
    """From here on the record is the table."""
    if session.snapshot.evidence == PHONES:
        raise Refused("stale")
    if session.snapshot.stage == PLAY:
        session.note({EVIDENCE: PHONES}, asked.by)
    session.watcher = session.guided = session.fades_at = None
    session.publish(evidence=PHONES, offers_phones=False, problems=(), readers=(), sight=None)
    if session.snapshot.stage == SETUP:
        session.layout = Layout()
        told.show_layout(session)
    elif session.ledger.chronicle is not None:
        showing.show(session)
        session.go_on()


def back_to_readers(session: Session, asked: BackToReaders) -> None:
    """The table is read again, and compared with the record."""
    if session.snapshot.evidence == READERS or not session.sight.readers:
        raise Refused("no_readers")
    if session.snapshot.stage == PLAY:
        session.note({EVIDENCE: READERS}, asked.by)
    session.publish(evidence=READERS, layout=None)
    if session.ledger.chronicle is not None:
        session.unrecorded = True
        following.rewatch(session)
        showing.show(session)
    else:
        showing.show_setup(session)


def own(session: Session) -> str:
    """What this table has by itself."""
    return READERS if session.sight.readers else PHONES


def as_noted(session: Session, chronicle: Chronicle) -> str:
    """How the game of a journal was followed last; a table without readers has no choice."""
    notes = [line.body for line in chronicle.log if line.kind == NOTE and isinstance(line.body, dict)]
    noted = [str(body[EVIDENCE]) for body in notes if EVIDENCE in body]
    return noted[-1] if noted and own(session) == READERS else own(session)


HANDLERS: dict[type, Any] = {GoOnWithPhones: go_on_with_phones, BackToReaders: back_to_readers}
