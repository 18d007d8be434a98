"""What happens when the others have answered a question (`consent`): one command, and one row per kind of question.

What was agreed to is what is written. When the table has changed since the question was asked, it is withdrawn, and whoever answered
last is told; who wants it asks again.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING

from naqala.rules.actions import Action, Undo
from naqala.session import commands as c
from naqala.session import consent, mending, showing
from naqala.session.as_it_lies import let_stand
from naqala.session.chronicle import CORRECTION
from naqala.session.refusal import Refused
from naqala.session.snapshot import Question

if TYPE_CHECKING:
    from naqala.session.session import Session


def answer(session: Session, told: c.Consent) -> None:
    """Yes or no to what somebody asked."""
    before = session.snapshot.asked
    asked = consent.answered(session, told)
    if asked is not None:
        proposed, carry_out = CARRIED_OUT[asked.kind]
        if proposed(session, asked) != asked.actions:
            session.publish(asked=None)
            raise Refused("table_changed")
        session.note({"agreed": list(asked.agreed), "to": asked.kind}, asked.by)
        carry_out(session, asked)
        session.publish(asked=None)
    elif before is not None and before.kind == consent.OVERRIDE and not told.agreed:
        # A move that was let go on is let go on no longer: else the same would be asked for again and again.
        session.note({"not_agreed": before.kind}, told.by)
        showing.show(session)


def _as_asked(session: Session, asked: Question) -> tuple[Action, ...]:
    """An undo depends on the record alone, and the question is withdrawn when that moves on."""
    return asked.actions


def _taken_back(session: Session, asked: Question) -> None:
    (undo,) = asked.actions
    assert isinstance(undo, Undo)
    session.accept(undo, asked.by)


def _corrected(session: Session, asked: Question) -> None:
    session.accept(asked.actions[0], asked.by, CORRECTION)


def _let_stand(session: Session, asked: Question) -> None:
    mending.note_breaches(session, asked.by)
    let_stand(session, asked.actions, asked.by)


# For each kind: what would be written now, and how it is written.
CARRIED_OUT: dict[
    str, tuple[Callable[[Session, Question], tuple[Action, ...]], Callable[[Session, Question], None]]
] = {
    consent.UNDO: (_as_asked, _taken_back),
    consent.CORRECTION: (mending.correction_now, _corrected),
    consent.OVERRIDE: (mending.override_now, _let_stand),
    consent.TILE: (mending.readings_now, mending.enter_as_agreed),
}
