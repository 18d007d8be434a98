"""A table without readers: the record is the table. People lay the board out and tell their moves on phones.

What is different from a table with readers is one value, `Snapshot.evidence`. While it is PHONES there is no referee that
watches (`Session.watcher` is None), so nothing is flagged, reminded or asked for; what a layout is belongs to `layout`.
A table with readers comes here when these fail (see `handover`). Each function runs in the session's own thread.
"""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING, Any

from naqala.rules.actions import Action, Place
from naqala.rules.choices import legal
from naqala.rules.model import Game
from naqala.session import opening
from naqala.session.health import link_health
from naqala.session.layout import DEALT, Layout, drawn
from naqala.session.phone_commands import Stroke, TakeBack
from naqala.session.refusal import Refused
from naqala.session.snapshot import PHONES, PLAY, SETUP

if TYPE_CHECKING:
    from naqala.session.session import Session


# --- laying out -----------------------------------------------------------------------------------------------


def lay_out(session: Session, stroke: Stroke) -> None:
    """One stroke of the layout; what the companion deals, it draws itself."""
    _laying_out(session)
    if stroke.do == DEALT:
        stroke = replace(stroke, what=drawn(session.pick))
    _keep(session, session.layout.after(stroke))


def take_back(session: Session, asked: TakeBack) -> None:
    """One's own last stroke is gone."""
    _laying_out(session)
    _keep(session, session.layout.without_last(asked.by))


def _laying_out(session: Session) -> None:
    if session.wanted is None or session.snapshot.stage != SETUP or session.snapshot.evidence != PHONES:
        raise Refused("no_setup")


def _keep(session: Session, layout: Layout) -> None:
    """On disk first, then for everybody to see."""
    assert session.wanted is not None
    session.draft.keep(session.wanted, layout)
    session.layout = layout
    show_layout(session)


def show_layout(session: Session) -> None:
    """Publish what lies there so far."""
    session.publish(layout=session.layout.lying, problems=(), readers=(), sight=None)


def begin_anew(session: Session) -> None:
    """A game was asked for: its board is empty yet."""
    _keep(session, Layout())


def take_up(session: Session) -> None:
    """At the start: go on with what was being laid out when the program ended."""
    if session.snapshot.evidence != PHONES:
        return
    session.publish(link=link_health(session.link.health()))
    found = session.draft.read()
    if found is not None:
        wanted, session.layout = found
        session.wanted = wanted
        session.publish(**opening.asked_for(wanted), stage=SETUP)
        show_layout(session)


def opened(session: Session) -> Game:
    """The game that begins with the board as it was laid out."""
    assert session.wanted is not None
    lying = session.layout.lying
    if not lying.complete:
        raise Refused("layout_open")
    return opening.from_layout(session.wanted, lying.printed, lying.meeples, session.pick)


# --- playing --------------------------------------------------------------------------------------------------


def forced(session: Session) -> Action | None:
    """The palm or palace that the end tile asks for, when nothing else can be done: nobody has to tell it. At a table with
    readers it is seen instead."""
    if session.snapshot.evidence != PHONES or session.snapshot.stage != PLAY:
        return None
    choices = legal(session.in_hand.game)
    return choices[0].action if len(choices) == 1 and isinstance(choices[0].action, Place) else None


HANDLERS: dict[type, Any] = {Stroke: lay_out, TakeBack: take_back}
