"""What others may suppose about a hand: they know how many cards somebody holds, not which ones they are.

A question, a refusal or a delay that depends on the cards themselves tells everybody at the table what they are. So whatever
judges pieces on the table before their player has spoken (the referee) asks what that player *could* have paid, not
what that player can pay: in `supposed` every card in the acting player's hand may be a fakir.

    supposed(game).player("Bob").fakirs   -> the number of cards that Bob holds, whichever they are
    paid_from_the_hand(game, action)      -> True for "Enki for one fakir": only Bob can say whether that was it
"""

from __future__ import annotations

from dataclasses import replace

from naqala.rules.actions import Action
from naqala.rules.model import Game


def hands_are_open(game: Game) -> bool:
    """Whether the table plays with open hands: then there is nothing to suppose."""
    return game.switch("hand_visibility") == "public"


def supposed(game: Game) -> Game:
    """The game as the others have to think of it: each card in the hand of the acting player may be a fakir."""
    if game.turn.player is None or hands_are_open(game):
        return game
    player = game.player(game.turn.player)
    return game.with_player(replace(player, fakirs=player.fakirs + len(player.goods), goods=()))


def paid_from_the_hand(game: Game, action: Action) -> bool:
    """Whether an action spends cards that only their holder can see."""
    return bool(getattr(action, "fakirs", 0)) and not hands_are_open(game)
