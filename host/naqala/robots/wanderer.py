"""The robot that takes any legal choice, so that over many games everything occurs that can.

Only Lamia and Hagis it pays just before the palm or palace that they move, as people do.
"""

from __future__ import annotations

from random import Random

from naqala.robots.robot import Stop, never
from naqala.rules import actions as a
from naqala.rules.board import NEIGHBOURS
from naqala.rules.choices import Choice, filled, legal
from naqala.rules.djinns import DJINNS
from naqala.rules.model import PIECES, Game

# How gladly the wanderer takes a kind of choice; kinds not named weigh 1. Djinns and powers are rare, so it likes them.
LIKING = {"sow": 6.0, "summon": 8.0, "power": 2.0, "buy": 2.0, "sell": 0.3}

# How often, at most, it looks again for a sowing that wins a tile: otherwise hardly anybody runs out of camels.
EAGERNESS = 8
STROLLS = 30  # ways tried at random before it looks where it is going


def wanderer(game: Game, dice: Random, stop: Stop = never) -> a.Action:
    """Any choice that is not too early: first the kind, then one of that kind."""
    by_kind: dict[str, list[Choice]] = {}
    for choice in legal(game):
        if not _too_early(game, choice):
            by_kind.setdefault(choice.do, []).append(choice)
    kinds = list(by_kind)
    kind = dice.choices(kinds, [LIKING.get(kind, 1.0) for kind in kinds])[0]
    action = _taken(game, dice.choice(by_kind[kind]), dice)
    for _ in range(dice.randrange(EAGERNESS)):
        if isinstance(action, a.Sow) and not _controls(game, action):
            action = _taken(game, dice.choice(by_kind[kind]), dice)
    return action


def _too_early(game: Game, choice: Choice) -> bool:
    """A modifier is paid just before what it changes, as people do: a palm's or palace's not before the tile's turn."""
    action = choice.action
    changes = DJINNS[action.djinn].changes if isinstance(action, a.Power) else None
    return changes in PIECES and game.turn.phase not in ("tile", "end")


def _taken(game: Game, choice: Choice, dice: Random) -> a.Action:
    """The choice with everything told. Sowings are strolled first: that is quicker than looking ahead, if it ends well."""
    if isinstance(choice.action, a.Sow):
        for _ in range(STROLLS):
            drops = _stroll(game, choice.action.start, dice)
            if drops:
                return a.Sow(choice.action.player, choice.action.start, drops)
    return filled(game, choice, dice.randrange)


def _stroll(game: Game, start: str, dice: Random) -> tuple[tuple[str, str], ...]:
    """Drop the hand at random along a way; nothing when the last meeple does not meet its colour."""
    hand = list(game.tile(start).meeples)
    dice.shuffle(hand)
    before, here, drops = "", start, []
    for meeple in hand:
        there = dice.choice([tile for tile in NEIGHBOURS[here] if tile != before])
        before, here = here, there
        drops.append((there, meeple))
    met = drops[-1] in drops[:-1] or (here != start and drops[-1][1] in game.tile(here).meeples)
    return tuple(drops) if met else ()


def _controls(game: Game, sowing: a.Sow) -> bool:
    """Whether a legal sowing empties an unowned tile."""
    end, colour = sowing.drops[-1]
    there = "" if end == sowing.start else game.tile(end).meeples
    there += "".join(meeple for tile, meeple in sowing.drops if tile == end)
    return set(there) == {colour} and game.tile(end).camel is None
