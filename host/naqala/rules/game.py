"""Playing: `play(game, action)` gives the new game and the events that followed, or refuses with every reason.

An action is first asked whether it is in place (phase and player: InvalidAction), then whether a rule forbids it
(IllegalMove with all breaches), then told as events. Games are frozen, so nothing is ever half applied. The phases
are one table, ALLOWED; each kind of action is one function, in STEPS: here what belongs to the round, in `turn.py`
what belongs to one marker's turn.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from naqala.rules import actions as a
from naqala.rules import bidding, corrections, djinns, piles, turn
from naqala.rules import events as e
from naqala.rules.breach import Breach, InvalidAction
from naqala.rules.model import Game
from naqala.rules.paths import any_sowing
from naqala.rules.telling import Telling, refuse

# What may be done in each phase. In `bid`, `reveal` is only for the empty one that other programs write down.
ALLOWED: dict[str, tuple[str, ...]] = {
    "bid": ("bid", "reveal"),
    "sow": ("sow", "pass", "power"),
    "build": ("build", "power"),
    "kill": ("kill", "power"),
    "tile": ("place", "buy", "summon", "power", "sell", "end"),
    "end": ("power", "sell", "end"),
    "reveal": ("reveal",),
    "over": (),
}


def play(game: Game, action: a.Action) -> tuple[Game, tuple[e.Event, ...]]:
    """The game after the action and what happened. InvalidAction or IllegalMove leave everything as it was."""
    word = a.verb(action)
    if isinstance(action, a.Undo):
        raise InvalidAction("undo belongs to the record, a single game has no past")
    plays_in_turn(game, action)
    if isinstance(action, a.Correct):
        return corrections.correct(game, action)
    if word not in ALLOWED[game.turn.phase]:
        raise InvalidAction(f"{word} has no place now: {_due(game)}")
    telling = Telling(game)
    STEPS[word](telling, action)
    return telling.game, tuple(telling.events)


def plays_in_turn(game: Game, action: a.Action) -> None:
    """Only the player whose turn it is acts; anybody may turn up cards."""
    player = getattr(action, "player", None)
    if player is None:
        return
    names = [one.name for one in game.players]
    if player not in names:
        raise InvalidAction(f"nobody is called {player!r}")
    if player != game.turn.player:
        breach = Breach("plays_in_turn", details=(("player", game.turn.player),))
        raise InvalidAction(f"it is not {player}'s turn: {_due(game)}", (breach,))


def _due(game: Game) -> str:
    turn = game.turn
    if turn.phase == "over":
        return "the game is over"
    if turn.phase == "reveal":
        return "{} cards and {} djinns have to be turned up".format(*piles.missing(game))
    return f"phase {turn.phase} of {turn.player}"


# --- bidding ------------------------------------------------------------------------------------------------


def bid(telling: Telling, action: a.Bid) -> None:
    """Pay, put the marker on the track; after the last marker the first turn begins."""
    game, player = telling.game, telling.game.player(action.player)
    if action.spot not in bidding.PRICES:
        raise InvalidAction(f"no spot costs {action.spot}")
    refuse(
        action,
        bidding.bids_on_a_free_spot(game, action.spot),
        bidding.pays_the_spot(game, player, action.spot, action.fakirs),
    )
    helper = djinns.cheaper_bids(player) if action.fakirs else None
    if helper:
        telling.tell(e.Spent(action.player, 0, action.fakirs, helper))
        if game.switch("djinn_once_per") == "round":
            telling.tell(e.DjinnUsed(action.player, helper))
    gold = bidding.to_pay(game, player, action.spot, action.fakirs)
    if gold:
        telling.tell(e.GoldMoved(action.player, -gold, "bid"))
    telling.tell(e.MarkerPlaced(action.player, action.spot))
    if not telling.game.bid_order:
        _next_turn(telling)


def _next_turn(telling: Telling) -> None:
    spot, player = telling.game.track[0]
    telling.tell(e.TurnBegun(player, spot))
    if not any_sowing(telling.game.meeples):
        telling.end_is_near("no_sowing", player)


# --- the end of a turn and of a round ------------------------------------------------------------------------


def end(telling: Telling, action: a.End) -> None:
    """The next marker plays; after the last one the round is over."""
    turn.owes_no_placement(telling.game, action)
    if telling.game.track:
        _next_turn(telling)
        return
    if not any_sowing(telling.game.meeples):
        telling.end_is_near("no_sowing", None)
    if telling.game.ending:
        telling.tell(e.PhaseBegun("over"))
    elif any(piles.missing(telling.game)):
        telling.tell(e.PhaseBegun("reveal"))
    else:
        telling.tell(e.RoundBegun(telling.game.round + 1))


def reveal(telling: Telling, action: a.Reveal) -> None:
    """Clean-up: both rows are filled from the piles, as far as they go, before anybody bids."""
    game = telling.game
    if game.turn.phase == "bid":
        if action.row or action.djinns or game.track:
            raise InvalidAction("no card has to be turned up now")
        return
    cards, spirits = piles.missing(game)
    nothing = not action.row and not action.djinns
    if len(action.row) > cards or len(action.djinns) > spirits or (nothing and (cards or spirits)):
        raise InvalidAction(_due(game))
    first, more = piles.split_draw(game, piles.RESOURCE_PILE, action.row)
    djinn, others = piles.split_draw(game, piles.DJINN_PILE, action.djinns)
    if first or djinn:
        telling.tell(e.Revealed(first, djinn))
    if more:
        telling.tell(e.Reshuffled(piles.RESOURCE_PILE))
        telling.tell(e.Revealed(more, ()))
    if others:
        telling.tell(e.Reshuffled(piles.DJINN_PILE))
        telling.tell(e.Revealed((), others))
    if not any(piles.missing(telling.game)):
        telling.tell(e.RoundBegun(game.round + 1))


STEPS: dict[str, Callable[[Telling, Any], None]] = {
    "bid": bid,
    "sow": turn.sow,
    "pass": turn.pass_turn,
    "build": turn.build,
    "kill": turn.kill,
    "place": turn.place,
    "buy": turn.buy,
    "summon": turn.summon,
    "power": turn.power,
    "sell": turn.sell,
    "end": end,
    "reveal": reveal,
}
