"""Commands about a robot's turn at a table where people move its pieces: a plan to show, done as told, strayed from."""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING, Any

from naqala.rules.actions import Undo
from naqala.session import coaching, dealer, showing
from naqala.session import commands as c
from naqala.session.chronicle import COMPANION
from naqala.session.refusal import Refused

if TYPE_CHECKING:
    from naqala.session.session import Session


def show_plan(session: Session, asked: c.ShowPlan) -> None:
    """A robot has made up its mind: the plan stands on all pages until the record has it."""
    session.in_play(asked.step)
    session.publish(plan=asked.plan)
    showing.direct(session)


def done_as_told(session: Session, asked: c.DoneAsTold) -> None:
    """The pieces were moved as the plan says: its action goes to the record. What people did not do is flagged as ever."""
    chronicle = session.in_play(asked.step)
    plan = session.snapshot.plan
    if plan is None or plan.strayed:
        raise Refused("nothing_asked")
    session.publish(plan=None)
    if plan.action is None:
        showing.direct(session)
        return
    action = plan.action
    if session.snapshot.cards == "dealt":
        action = dealer.completed(chronicle.game, action, session.pick)
    session.accept(action, asked.by)
    session.go_on()


def strayed(session: Session, asked: c.Strayed) -> None:
    """Another move than the robot's was made for it: people take it back, or let it stand."""
    session.in_play(asked.step)
    plan = session.snapshot.plan
    if plan is None or not plan.strayed:
        raise Refused("nothing_asked")
    session.publish(plan=None)
    if asked.stands:
        showing.direct(session)
    else:
        session.accept(Undo(plan.standing), COMPANION)


HANDLERS: dict[type, Callable[[Session, Any], None]] = {
    c.ShowPlan: show_plan,
    c.DoneAsTold: done_as_told,
    c.Strayed: strayed,
    c.AskCoach: coaching.ask,
}
