"""Robots: who plays when nobody does. Each takes a game and dice and gives a legal action of the acting player.

`wanderer` takes any legal choice, so that over many games everything occurs that can; only Lamia and Hagis it pays just
before the palm or palace that they move, as people do. `merchant_prince` looks at the score after its turn, less a share of
the best reply that it leaves to the next player.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable
from random import Random

from naqala.rules import actions as a
from naqala.rules.board import ASSASSIN, BUILDER, ELDER, MERCHANT, NEIGHBOURS, VIZIER
from naqala.rules.choices import Choice, filled, legal
from naqala.rules.djinns import DJINNS
from naqala.rules.game import play
from naqala.rules.model import PALACE, PIECES, Game
from naqala.rules.paths import open_drops, outcomes, possible_ends
from naqala.rules.scoring import score
from naqala.rules.tiles import blue_around, kind_of

Robot = Callable[[Game, Random], a.Action]

# How gladly the wanderer takes a kind of choice; kinds not named weigh 1. Djinns and powers are rare, so it likes them.
LIKING = {"sow": 6.0, "summon": 8.0, "power": 2.0, "buy": 2.0, "sell": 0.3}

# How often, at most, it looks again for a sowing that wins a tile: otherwise hardly anybody runs out of camels.
EAGERNESS = 8
STROLLS = 30  # ways tried at random before it looks where it is going


def wanderer(game: Game, dice: Random) -> a.Action:
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


# --- the one that thinks ------------------------------------------------------------------------------------

CONSIDERED = 10  # outcomes that are played through to the end of the turn
REPLY = 0.4  # how much the best reply of the next player weighs
Outcome = tuple[str, str, str]


def merchant_prince(game: Game, dice: Random) -> a.Action:
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


ROBOTS: dict[str, Robot] = {"random": wanderer, "greedy": merchant_prince}
