"""What players tap: actions of the rules, answers to a question, undo and consent. Each function is one command."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING

from naqala.rules import notation
from naqala.rules.actions import Action, Correct, Power, Reveal, Sow, Undo
from naqala.session import commands as c
from naqala.session import dealer, following, showing
from naqala.session.chronicle import undoing
from naqala.session.refusal import Refused
from naqala.session.snapshot import DjinnsDrawn, UndoAsked
from naqala.table.readings import Unclear

if TYPE_CHECKING:
    from naqala.session.session import Session


def tap(session: Session, asked: c.Tap) -> None:
    """An action. In a game with dealt cards the companion draws what it draws."""
    session.in_play(asked.step)
    action = notation.from_json(asked.action)
    if isinstance(action, Undo):
        raise Refused("ask_for_undo")
    if isinstance(action, Correct) or (isinstance(action, Sow) and action.as_it_lies):
        raise Refused("invalid", reason="people decide against the record with buttons of their own")
    player = getattr(action, "player", None)
    if not isinstance(action, Reveal):
        _allowed(asked.by, player)
    if not isinstance(action, Sow):
        following.before_another_action(session)
    chronicle = session.in_hand
    if session.snapshot.drawn:
        action = _kept(action, session.snapshot.drawn)
    elif session.snapshot.cards == "dealt":
        drawn = dealer.djinns_turned_up(chronicle.game, action, session.pick)
        if drawn:
            assert isinstance(action, Power)
            _turn_up(session, replace(action, drawn=(), keep=None), drawn, asked.by)
            return
        action = dealer.completed(chronicle.game, action, session.pick)
    session.accept(action, asked.by)


def _allowed(by: str, player: str | None) -> None:
    if by not in (c.OWNER, player):
        raise Refused("not_yours", player=player)


def _kept(action: Action, waiting: DjinnsDrawn) -> Action:
    """Which of the djinns turned up is kept; nothing else may happen before."""
    if not isinstance(action, Power) or (action.player, action.djinn) != (waiting.player, waiting.djinn):
        raise Refused("choose_a_djinn", player=waiting.player)
    kept: Action = replace(waiting.power, drawn=waiting.drawn, keep=action.keep)
    return kept


def _turn_up(session: Session, power: Power, drawn: tuple[str, ...], by: str) -> None:
    """Djinns are turned up: that is on disk before their player sees them, so nobody draws twice."""
    session.note({"drawn": list(drawn), "power": notation.to_json(power)}, by)
    showing.show(session, drawn=DjinnsDrawn(power.player, power.djinn, drawn, power))


def choose(session: Session, asked: c.Choose) -> None:
    """Which of several legal readings was the move."""
    chronicle = session.in_play(asked.step)
    reading = session.snapshot.reading
    if not isinstance(reading, Unclear):
        raise Refused("stale", now=chronicle.next_number)
    player = str(chronicle.game.turn.player)
    _allowed(asked.by, player)
    sows = [Sow(player, option.sowing.start, option.sowing.drops) for option in reading.options]
    actions: list[Action] = [*sows, *reading.actions]
    if not 0 <= asked.option < len(actions):
        raise Refused("invalid", reason="no such option")
    action = actions[asked.option]
    if session.snapshot.cards == "dealt":
        action = dealer.completed(chronicle.game, action, session.pick)
    session.accept(action, asked.by)


def undo_to(session: Session, asked: c.UndoTo) -> None:
    """Take back: at once within one's own turn, else when the others agree."""
    chronicle = session.in_play(asked.step)
    standing = len(chronicle.record.steps)
    if not 0 <= asked.to < standing:
        raise Refused("invalid", reason=f"{standing} actions stand")
    if undoing(chronicle, asked.to).free_for(asked.by):
        session.accept(Undo(asked.to), asked.by)
    else:
        ask_consent(session, asked.by, asked.to)


def ask_consent(session: Session, by: str, to: int) -> None:
    """An undo that reaches into another's turn waits until all the others agree."""
    others = tuple(seat.name for seat in session.snapshot.seats if seat.name != by)
    showing.show(session, undo_asked=UndoAsked(by, to, (), others))


def consent(session: Session, answer: c.Consent) -> None:
    """Yes or no to an undo. The owner answers for everybody who has no phone."""
    session.in_play(answer.step)
    asked = session.snapshot.undo_asked
    if asked is None or answer.to != asked.to or answer.by not in (c.OWNER, *asked.waiting_for):
        raise Refused("nothing_asked")
    if not answer.agreed:
        session.publish(undo_asked=None)
        return
    waiting = () if answer.by == c.OWNER else tuple(name for name in asked.waiting_for if name != answer.by)
    if waiting:
        session.publish(undo_asked=replace(asked, agreed=(*asked.agreed, answer.by), waiting_for=waiting))
    else:
        session.accept(Undo(asked.to), asked.by)
