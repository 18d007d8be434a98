"""The levels: how far a robot looks and what it overlooks. One table; a level's mistakes are those of people who learn."""

from __future__ import annotations

from dataclasses import dataclass, field, replace
from random import Random

from naqala.robots.bids import Auction
from naqala.robots.known import known
from naqala.robots.robot import Stop, never
from naqala.robots.turns import Search, Width, best_kept
from naqala.robots.weights import Weights, learned
from naqala.rules import actions as a
from naqala.rules.breach import InvalidAction
from naqala.rules.choices import filled, legal
from naqala.rules.model import Game


@dataclass(frozen=True, slots=True)
class Level:
    """How a robot plays."""

    name: str
    says: str
    width: Width = field(default_factory=Width)
    bids: float = 0.5  # share of a place's estimated worth that is believed when bidding; 0: never pays
    foresight: bool = True  # False: only what is on the score sheet counts, nothing that may come


LEVELS: dict[str, Level] = {
    level.name: level
    for level in (
        Level(
            "easy",
            "takes points that are near: overlooks long sowings, never pays to be early, does not think of later turns",
            Width(outcomes=3, ways=1, played=1, improved=1, rest=1, hand=3, reply=0.0),
            bids=0.0,
            foresight=False,
        ),
        Level(
            "normal",
            "values what will pay off later, but looks at few turns, and neither at what it leaves to others nor at bids",
            Width(outcomes=4, ways=1, played=2, improved=1, rest=3, reply=0.0),
            bids=0.0,
        ),
        Level(
            "strong", "looks at the whole board, at what it leaves to others, and at what a place is worth"
        ),
    )
}
# Who plays the games from which the weights are learned: as well as is quick.
LEARNER = Level("learner", "quick", Width(outcomes=6, ways=1, played=3, rest=4, reply=0.0), bids=0.3)


def decide(
    game: Game, dice: Random, level: Level, stop: Stop = never, weights: Weights | None = None
) -> a.Action:
    """An action of whoever acts."""
    weights = weights or learned()
    if not level.foresight:
        weights = replace(weights, features=(0.0,) * len(weights.features))
    name, choices = game.turn.player, legal(game)
    if name is None or (len(choices) == 1 and choices[0].do != "sow"):
        return filled(game, choices[0], dice.randrange)
    thoughts = Random(dice.getrandbits(64))
    view = known(game, name, thoughts)
    if game.turn.phase == "bid":
        if not level.bids:
            return min(choices, key=lambda choice: dict(choice.pays).get("gold", 0)).action
        return Auction(view, weights, level.bids).offers(stop)[0][1]
    line = Search(view, weights, level.width, thoughts, stop).lines()[0]
    action = with_facts(game, line.actions[0] if line.actions else a.End(name), dice)
    return best_kept(game, action, weights)


def kept(game: Game, power: a.Power, drawn: tuple[str, ...], level: Level) -> a.Power:
    """Which of the djinns that a paid power turned up is kept: the one worth most as the level sees it."""
    weights = learned()
    if not level.foresight:
        weights = replace(weights, features=(0.0,) * len(weights.features))
    best = best_kept(game, replace(power, drawn=drawn, keep=drawn[0]), weights)
    assert isinstance(best, a.Power)
    return best


def bare(action: a.Action) -> a.Action:
    """The decision alone, without cards, djinns and meeples that are then drawn."""
    if isinstance(action, a.Kill):
        return replace(action, card=())
    if isinstance(action, a.Power):
        return replace(action, card=(), meeples="", drawn=(), keep=None)
    return action


def with_facts(game: Game, action: a.Action, dice: Random) -> a.Action:
    """The action with what is really drawn: cards and meeples of a thought were guesses."""
    if not isinstance(action, a.Kill | a.Power):
        return action
    for choice in legal(game):
        if choice.action == bare(action):
            return filled(game, choice, dice.randrange)
    raise InvalidAction(f"{bare(action)} is not open")
