"""The director of the evening: which legal action comes next, so that one game shows every kind of djinn and ends.

In: a game. Out: an action, the same for the same game. It listens to many suggestions of a robot that tries anything and
takes the one that serves the story best; the cards are the real ones, so it also decides which turn up.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable
from dataclasses import replace
from random import Random

from naqala.robots import ROBOTS
from naqala.rules import actions as a
from naqala.rules import events as e
from naqala.rules.choices import legal
from naqala.rules.djinns import DJINNS
from naqala.rules.game import play
from naqala.rules.model import Game, Player
from naqala.rules.scoring import score
from naqala.rules.tiles import kind_of

SUGGESTIONS = {"sow": 240}
OTHERWISE = 40
# In the order in which they turn up: one of each shape, the ones that are easy to see at work first.
CAST = ("Ba'al", "Kumarbi", "Sloar", "Boaz", "Hagis", "Jafaar", "Enki", "Lamia", "Nekir", "Iblis", "Bouraq")
ROW = ("fakir",) * 3 + ("ivory", "jewels", "gold")
SHAPES = ("scoring", "reaction", "permission", "modifier", "bidding", "power")


def shape(djinn: str) -> str:
    return DJINNS[djinn].shape


def at_work(before: Game, action: a.Action, events: Iterable[e.Event], after: Game) -> set[str]:
    """The shapes of djinns that did something in this action."""
    found = set()
    if isinstance(action, a.Power):
        found.add(shape(action.djinn))
    if isinstance(action, a.Bid) and action.fakirs:
        found.add("bidding")
    if isinstance(action, a.Kill) and any(shielded(one) for one in rivals(before, action.player)):
        found.add("permission")
    if any(isinstance(event, e.GoldMoved) and event.cause in DJINNS for event in events):
        found.add("reaction")
    if after.turn.phase == "over" and any(gains_at_the_end(after, one) for one in after.players):
        found.add("scoring")
    return found


def rivals(game: Game, name: str) -> list[Player]:
    return [player for player in game.players if player.name != name]


def shielded(player: Player) -> bool:
    """Whether assassins would find somebody here, were it not for a djinn."""
    held = player.viziers + player.elders
    return held > 0 and any(DJINNS[name].protects for name in player.djinns)


def gains_at_the_end(game: Game, player: Player) -> bool:
    """Whether a djinn makes this player's own things worth more."""
    scoring = tuple(name for name in player.djinns if shape(name) == "scoring")
    plain = replace(player, djinns=tuple(name for name in player.djinns if name not in scoring))
    without = replace(game, players=tuple(plain if one is player else one for one in game.players))
    place = game.players.index(player)
    points = sum(DJINNS[name].points for name in scoring)
    return score(game)[place].total - points > score(without)[place].total


def enough(game: Game, shown: frozenset[str]) -> bool:
    """Every shape was seen at work, or will be on the score sheet: the story may end."""
    return {*SHAPES} - {"scoring"} <= shown and any(gains_at_the_end(game, one) for one in game.players)


def decide(game: Game, shown: frozenset[str]) -> a.Action:
    """The next action, when these shapes were already seen at work."""
    if game.turn.phase == "reveal":
        return turn_up(game)
    dice = Random(f"{game.round} {game.turn} {game.meeples}")
    suggested = {
        ROBOTS["random"](game, dice): None for _ in range(SUGGESTIONS.get(game.turn.phase, OTHERWISE))
    }
    return max(suggested, key=lambda action: worth(game, action, shown))


def turn_up(game: Game) -> a.Reveal:
    """Fakirs first, and the djinns of the cast in their order; then whatever is left."""
    (choice,) = legal(game)
    asked = {ask.field: ask for ask in choice.asks}
    return a.Reveal(
        *(
            wanted(asked[field].options, asked[field].count, first) if field in asked else ()
            for field, first in (("row", ROW), ("djinns", CAST))
        )
    )


def wanted(options: Iterable[str], count: int, first: Iterable[str]) -> tuple[str, ...]:
    left = Counter(options)
    found: list[str] = []
    for card in (*first, *sorted(left.elements())):
        if len(found) < count and left[card]:
            left[card] -= 1
            found.append(card)
    return tuple(found)


def worth(game: Game, action: a.Action, shown: frozenset[str]) -> float:
    """How much an action serves the story: a djinn at work, a djinn gained, what pays for one, a camel placed."""
    player = game.turn.player
    assert player is not None
    after, events = play(game, action)
    new = at_work(game, action, events, after) - shown
    held = {shape(name) for one in after.players for name in one.djinns}
    mine = after.player(player)
    value = 300.0 * len(new) + 200 * len(held) + 12 * min(mine.elders, 4) + 10 * min(mine.fakirs, 4)
    value += 40 * gains_at_the_end(after, mine) + 100 * (mine.camels == 0)
    value -= 4 * mine.camels + len(getattr(action, "drops", ()))
    if isinstance(action, a.Sow):
        value += promise(after, mine, shown)
    if isinstance(action, a.Bid):
        value -= action.spot
    if isinstance(action, a.Sell | a.Power | a.Buy):
        value -= 8  # what brings the story no further only takes time
    return value


def promise(after: Game, mine: Player, shown: frozenset[str]) -> float:
    """What the rest of the turn may still bring: a djinn, a palm or palace elsewhere, a victim that is protected."""
    tile = after.turn.tile
    if tile is None:
        return 0.0
    kind = kind_of(after, tile)
    held = {shape(name) for player in after.players for name in player.djinns}
    pays = mine.elders >= 2 or (mine.elders >= 1 and mine.fakirs >= 1)
    value = 150.0 if kind.summons and pays and {shape(name) for name in after.djinn_row} - held else 0.0
    if "modifier" not in shown and mine.elders + mine.fakirs and kind.places:
        value += 120 * any(DJINNS[name].changes == kind.places for name in mine.djinns)
    if after.turn.phase == "kill":  # assassins are few: they wait until there is somebody they may not touch
        useful = "permission" not in shown and any(shielded(one) for one in rivals(after, mine.name))
        value += 200 if useful else -100
    return value
