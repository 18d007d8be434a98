"""The companion as the one who shuffles and draws, when the cards are dealt and not physical.

The rules know no chance: what is drawn enters as a fact of an action. Which cards a pile still holds follows from the
game, so a draw is any of those with equal chance; nothing has to be kept beside the game.
"""

from __future__ import annotations

from dataclasses import replace

from naqala.rules.actions import Action, Kill, Power, Reveal
from naqala.rules.choices import Choice, filled, legal
from naqala.rules.model import Game
from naqala.rules.piles import Pick

DRAWN_FROM_A_PILE = {"card", "row", "djinns", "drawn"}


def completed(game: Game, action: Action, pick: Pick) -> Action:
    """The action with the cards it draws filled in by a die, whatever it names itself; as it is when it draws none."""
    action = _unnamed(action)
    choice = _asking(game, action)
    return filled(game, choice, pick) if choice else action


def _unnamed(action: Action) -> Action:
    """Nobody names the card that is drawn from a pile of the companion's."""
    if isinstance(action, Reveal):
        return Reveal()
    if isinstance(action, Kill):
        return replace(action, card=())
    return replace(action, card=(), drawn=(), keep=None) if isinstance(action, Power) else action


def djinns_turned_up(game: Game, action: Action, pick: Pick) -> tuple[str, ...]:
    """The djinns a power turns up before its player says which to keep; nothing for any other action."""
    if not isinstance(action, Power):
        return ()
    choice = _asking(game, _unnamed(action))
    if choice is None or "drawn" not in {ask.field for ask in choice.asks}:
        return ()
    whole = filled(game, choice, pick)
    assert isinstance(whole, Power)
    return whole.drawn


def _asking(game: Game, action: Action) -> Choice | None:
    for choice in legal(game):
        if choice.action == action and DRAWN_FROM_A_PILE & {ask.field for ask in choice.asks}:
            return choice
    return None
