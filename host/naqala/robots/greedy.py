"""The robot of release 0.1.0, kept unchanged as the yardstick: how much stronger the others are is measured against it.

It is greedy on the score after its turn, less a share of the best reply that it leaves to the next player. It reads every
hand, which the levels of `levels.py` never do.
"""

from __future__ import annotations

from collections.abc import Iterable
from random import Random

from naqala.robots.robot import Stop, never
from naqala.rules import actions as a
from naqala.rules.board import ASSASSIN, BUILDER, ELDER, MERCHANT, VIZIER
from naqala.rules.choices import Choice, filled, legal
from naqala.rules.game import play
from naqala.rules.model import PALACE, Game
from naqala.rules.paths import open_drops, outcomes, possible_ends
from naqala.rules.scoring import score
from naqala.rules.tiles import blue_around, kind_of

CONSIDERED = 10  # outcomes that are played through to the end of the turn
REPLY = 0.4  # how much the best reply of the next player weighs
Outcome = tuple[str, str, str]


def greedy(game: Game, dice: Random, stop: Stop = never) -> a.Action:
    """Greedy on the score after its turn, the best reply discounted."""
    choices = legal(game)
    phase = game.turn.phase
    if phase == "bid":
        return _bid(game, choices)
    if phase == "sow" and choices[0].do == "sow":
        return _sow(game)
    return filled(game, _best_choice(game, choices), dice.randrange)


def _bid(game: Game, choices: Iterable[Choice]) -> a.Action:
    """Pay for an early turn what the best move is worth more than those that will be left."""
    assert game.turn.player is not None
    worth = sorted(
        (_promise(game, game.turn.player, outcome) for outcome in outcomes(game.meeples)), reverse=True
    )
    margin = (worth[0] - worth[min(len(worth) - 1, 2 * len(game.players))]) / 2 if worth else 0
    offers = [choice for choice in choices if dict(choice.pays).get("gold", 0) <= margin]
    return max(offers or list(choices), key=lambda choice: dict(choice.pays).get("gold", 0)).action


def _sow(game: Game) -> a.Action:
    player = game.turn.player
    assert player is not None
    ranked = sorted(outcomes(game.meeples), key=lambda one: (-_promise(game, player, one), one))
    best: tuple[float, a.Action] | None = None
    for outcome in ranked[:CONSIDERED]:
        action = a.Sow(player, outcome[0], _way(game, outcome))
        after = _turn_played(play(game, action)[0], player)
        value = _standing(after, player) - REPLY * _best_promise(after)
        if best is None or value > best[0]:
            best = (value, action)
    assert best is not None
    return best[1]


def _way(game: Game, outcome: Outcome) -> tuple[tuple[str, str], ...]:
    """Drops that lead from the start to the wanted last drop."""
    start, end, colour = outcome
    drops: tuple[tuple[str, str], ...] = ()
    for left in range(len(game.tile(start).meeples), 0, -1):
        open_now = sorted(open_drops(game.meeples, start, drops))
        if left == 1:
            return (*drops, (end, colour))
        drops = next(
            (*drops, drop)
            for drop in open_now
            if (end, colour) in possible_ends(game.meeples, start, (*drops, drop))
        )
    return drops


def _turn_played(game: Game, player: str) -> Game:
    """The rest of the turn by best single choices, up to (not with) its end."""
    while game.turn.player == player and game.turn.phase in ("build", "kill", "tile", "end"):
        choice = _best_choice(game, legal(game))
        if choice.do == "end":
            break
        game = play(game, filled(game, choice, Random(0).randrange))[0]
    return game


def _best_choice(game: Game, choices: Iterable[Choice]) -> Choice:
    """The choice after which the player stands best; ending the turn is standing still."""
    player = game.turn.player
    if player is None:
        return next(iter(choices))
    now = _standing(game, player)
    best: tuple[float, Choice] | None = None
    for choice in choices:
        if choice.do in ("sell", "sow") or (choice.do == "power" and choice.asks and not _likes(choice)):
            continue
        after = game if choice.do == "end" else play(game, filled(game, choice, Random(1).randrange))[0]
        value = now if choice.do == "end" else _standing(after, player)
        if choice.must and choice.do != "pass":
            value += 1000  # what is owed comes before what is offered
        if best is None or value > best[0]:
            best = (value, choice)
    assert best is not None
    return best[1]


def _likes(choice: Choice) -> bool:
    return isinstance(choice.action, a.Power) and choice.action.djinn in ("Sloar", "Sibittis")


def _standing(game: Game, name: str) -> float:
    """The score, with what helps later: fakirs, and rivals' scores held against them."""
    scores = {one.name: one.total for one in score(game)}
    others = [total for rival, total in scores.items() if rival != name]
    return scores[name] + 1.5 * game.player(name).fakirs - 0.3 * sum(others) / max(1, len(others))


def _best_promise(game: Game) -> float:
    """What the next player can hope for on this board."""
    if not game.track:
        return 0.0
    return max((_promise(game, game.track[0][1], one) for one in outcomes(game.meeples)), default=0.0)


def _promise(game: Game, name: str, outcome: Outcome) -> float:
    """A quick guess at what an outcome brings: tribe, control and tile, by rule of thumb."""
    start, end, colour = outcome
    there = game.tile(end).meeples if start != end else ""
    count = there.count(colour) + 1 if start != end else 2
    tile, kind = game.tile(end), kind_of(game, end)
    controls = tile.camel is None and len(there) == there.count(colour) and game.player(name).camels > 0
    own = controls or tile.camel == name
    tribe = {
        VIZIER: 3.0 * count,
        ELDER: 2.5 * count,
        MERCHANT: 3.5 * min(count, len(game.row)),
        BUILDER: float(count * blue_around(game, end)),
        ASSASSIN: 4.0 + count,
    }[colour]
    control = tile.points + 3 * tile.palms + 5 * tile.palaces if controls else 0
    placed = (5 if kind.places == PALACE else 3) if kind.places and own else 0
    return tribe + control + placed + (2 if kind.price or kind.summons else 0)
