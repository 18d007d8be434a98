"""What players tap: actions of the rules, answers to a question, undo. Each function is one command."""

from __future__ import annotations

import contextlib
from dataclasses import replace
from typing import TYPE_CHECKING

from naqala.rules import notation
from naqala.rules.actions import Action, Correct, Power, Reveal, Sow, Undo
from naqala.rules.choices import Choice, legal
from naqala.rules.model import Game
from naqala.session import commands as c
from naqala.session import consent, dealer, showing
from naqala.session.chronicle import ACTION, COMPANION, CORRECTION, HANDS, Chronicle, undoing
from naqala.session.refusal import Refused
from naqala.session.snapshot import DjinnsDrawn
from naqala.table.readings import Unclear

if TYPE_CHECKING:
    from naqala.session.session import Session


def tap(session: Session, asked: c.Tap) -> None:
    """An action. In a game with dealt cards the companion draws what it draws."""
    chronicle = session.in_play()
    action = notation.from_json(asked.action)
    if not _still_asked(chronicle, asked.step, action):
        raise Refused("stale", now=chronicle.next_number)
    if isinstance(action, Undo):
        raise Refused("ask_for_undo")
    if isinstance(action, Correct) or (isinstance(action, Sow) and action.as_it_lies):
        raise Refused("invalid", reason="people decide against the record with buttons of their own")
    if isinstance(action, Reveal) and chronicle.game.turn.phase != "reveal":
        raise Refused(
            "invalid", reason="no card is to be turned up"
        )  # rules and old records allow an empty one
    if not isinstance(action, Reveal):
        _allowed(asked.by, getattr(action, "player", None))
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
    session.go_on()


def _still_asked(chronicle: Chronicle, step: int, action: Action) -> bool:
    """Whether a tap answers what is still asked. A page may be some moments old: what was written since does not matter, as long
    as the same player is at the same point of the same turn and is offered the same, with the same consequences.

    So that a double tap counts once, nothing may have been tapped for this player since the page was made, and nothing taken
    back: then the same button may be there again, but this tap was not made on it.
    """
    if not 0 < step <= chronicle.next_number:
        return False
    since = chronicle.changed_since(step)
    player = getattr(action, "player", None)
    for line in since:
        tapped_by_the_same = (
            line.by not in (HANDS, COMPANION) and getattr(line.action, "player", None) == player
        )
        if line.kind not in (ACTION, CORRECTION) or (line.kind == ACTION and tapped_by_the_same):
            return False
    if not since:
        return True
    then, now = chronicle.at(step), chronicle.game
    return (then.turn, then.round) == (now.turn, now.round) and _offered(then, action) == _offered(
        now, action
    )


def _offered(game: Game, action: Action) -> list[Choice]:
    """The choices with this very action, with what they cost and bring."""
    return [choice for choice in legal(game) if choice.action == action]


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
    session.go_on()


def undo_to(session: Session, asked: c.UndoTo) -> None:
    """Take back: at once within one's own turn, else when the others agree."""
    chronicle = session.in_play(asked.step)
    standing = len(chronicle.record.steps)
    if not 0 <= asked.to < standing:
        raise Refused("invalid", reason=f"{standing} actions stand")
    if undoing(chronicle, asked.to).free_for(asked.by):
        session.accept(Undo(asked.to), asked.by)
    else:
        session.patience.spend(asked.by, session.clock())
        consent.ask(session, asked.by, consent.UNDO, [Undo(asked.to)])


def ask_consent(session: Session, by: str, to: int) -> None:
    """Pieces were put back into another's turn: the others are asked. Not while they are asked something else: the table differs
    from the record then, and says so."""
    with contextlib.suppress(Refused):
        consent.ask(session, by, consent.UNDO, [Undo(to)])
