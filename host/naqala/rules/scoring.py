"""The final score, and its story: for each number its parts, and for each part the events behind it."""

from __future__ import annotations

from collections import defaultdict, deque
from collections.abc import Iterable, Iterator
from dataclasses import dataclass, fields
from typing import Any

from naqala.rules import djinns
from naqala.rules import events as e
from naqala.rules.board import ELDER, TILES, VIZIER
from naqala.rules.djinns import DJINNS
from naqala.rules.goods import FAKIR, SUIT_VALUES, best_split, split_value
from naqala.rules.model import PALACE, PALM, Game, Player

# Printed points of one vizier, elder, palm and palace, and of each opponent with fewer viziers.
PRINTED: dict[str, int] = {VIZIER: 1, ELDER: 2, PALM: 3, PALACE: 5}
FEWER_VIZIERS = 10


@dataclass(frozen=True, slots=True)
class Score:
    """One player's points by category, in the order of the score sheet."""

    name: str
    gold: int
    viziers: int
    elders: int
    djinns: int
    tiles: int
    palms: int
    palaces: int
    goods: int

    @property
    def total(self) -> int:
        """The sum of all categories."""
        return sum(getattr(self, category) for category in CATEGORIES)

    def to_json(self) -> dict[str, Any]:
        """As `naqala rules score` prints it."""
        return {"name": self.name, "total": self.total, **{key: getattr(self, key) for key in CATEGORIES}}


CATEGORIES: tuple[str, ...] = tuple(field.name for field in fields(Score) if field.name != "name")


def score(game: Game) -> tuple[Score, ...]:
    """Everybody's points as the game stands, in the order of seats."""
    return tuple(_score(game, player) for player in game.players)


def winners(scores: Iterable[Score]) -> tuple[str, ...]:
    """Who has most; ties share the victory."""
    scores = tuple(scores)
    best = max((one.total for one in scores), default=0)
    return tuple(one.name for one in scores if one.total == best)


def _score(game: Game, player: Player) -> Score:
    own = [tile for tile in game.tiles if tile.camel == player.name]
    fewer = sum(other.viziers < player.viziers for other in game.opponents(player.name))
    return Score(
        name=player.name,
        gold=player.gold,
        viziers=player.viziers * _worth(player, VIZIER) + FEWER_VIZIERS * fewer,
        elders=player.elders * _worth(player, ELDER),
        djinns=sum(DJINNS[name].points for name in player.djinns),
        tiles=sum(tile.points for tile in own),
        palms=sum(tile.palms for tile in own) * _worth(player, PALM),
        palaces=sum(tile.palaces for tile in own) * _worth(player, PALACE),
        goods=split_value(best_split(player.goods, djinns.wilds(player))),
    )


def _worth(player: Player, what: str) -> int:
    return djinns.worth(player, what, PRINTED[what])


# --- the story ----------------------------------------------------------------------------------------------


@dataclass(frozen=True, slots=True)
class Told:
    """An event with the number of its action and its round, as a record keeps them."""

    action: int
    round: int
    event: e.Event


@dataclass(frozen=True, slots=True)
class Part:
    """A piece of one number: so many points for `what`, and the events that brought it."""

    category: str
    points: int
    what: str
    told: tuple[Told, ...] = ()


def story(opening: Game, game: Game, told: Iterable[Told], name: str) -> tuple[Part, ...]:
    """Where every point of a player comes from; the parts of a category add up to its number."""
    player, history = game.player(name), tuple(told)
    return (
        *_gold(opening.player(name), history),
        *_held(game, player, history),
        *_djinns(player, history),
        *_board(game, player, history),
        *_goods(player, history),
    )


def _of(history: Iterable[Told], kinds: type | tuple[type, ...], name: str) -> tuple[Told, ...]:
    return tuple(one for one in history if isinstance(one.event, kinds) and _belongs(one.event, name))


def _belongs(event: e.Event, name: str) -> bool:
    return name in (getattr(event, "player", None), getattr(event, "of", None))


def _gold(at_first: Player, history: tuple[Told, ...]) -> Iterator[Part]:
    yield Part("gold", at_first.gold, "at the start")
    moved = _of(history, e.GoldMoved, at_first.name)
    for cause in dict.fromkeys(getattr(one.event, "cause", "") for one in moved):
        told = tuple(one for one in moved if getattr(one.event, "cause", "") == cause)
        yield Part("gold", sum(getattr(one.event, "amount", 0) for one in told), cause, told)


def _held(game: Game, player: Player, history: tuple[Told, ...]) -> Iterator[Part]:
    for category, meeple, count in (("viziers", VIZIER, player.viziers), ("elders", ELDER, player.elders)):
        moved = _of(history, (e.Collected, e.Killed, e.Kept, e.Spent), player.name)
        told = tuple(one for one in moved if _touches(one.event, meeple, player.name))
        if count:
            yield Part(category, count * _worth(player, meeple), f"{count} held", told)
    for other in game.opponents(player.name):
        if other.viziers < player.viziers:
            yield Part("viziers", FEWER_VIZIERS, f"{other.name} has fewer")


def _touches(event: e.Event, meeple: str, name: str) -> bool:
    """Whether an event changed how many viziers or elders a player holds."""
    if isinstance(event, e.Spent):
        return meeple == ELDER and event.elders > 0
    if isinstance(event, e.Killed):
        return event.meeple == meeple and event.of == name
    return getattr(event, "meeple", None) == meeple


def _djinns(player: Player, history: tuple[Told, ...]) -> Iterator[Part]:
    gained = _of(history, e.DjinnGained, player.name)
    for djinn in player.djinns:
        told = tuple(one for one in gained if getattr(one.event, "djinn", None) == djinn)
        yield Part("djinns", DJINNS[djinn].points, djinn, told)


def _board(game: Game, player: Player, history: tuple[Told, ...]) -> Iterator[Part]:
    own = [(name, tile) for name, tile in zip(TILES, game.tiles, strict=True) if tile.camel == player.name]
    for name, tile in own:
        told = tuple(one for one in history if _camel_on(one.event, name, player.name))
        yield Part("tiles", tile.points, name, told)
    for category, what in (("palms", PALM), ("palaces", PALACE)):
        for name, tile in own:
            count = getattr(tile, category)
            told = tuple(one for one in history if _placed(one.event, what, name))
            if count:
                yield Part(category, count * _worth(player, what), name, told)


def _camel_on(event: e.Event, tile: str, name: str) -> bool:
    """The camel was put there by the rules, or people said that it stands there."""
    if isinstance(event, e.Controlled):
        return (event.player, event.tile) == (name, tile)
    return isinstance(event, e.Corrected) and (event.camel, event.tile) == (name, tile)


def _placed(event: e.Event, what: str, tile: str) -> bool:
    if isinstance(event, e.Placed):
        return (event.what, event.tile) == (what, tile)
    return isinstance(event, e.Corrected) and event.tile == tile and getattr(event, f"{what}s") > 0


def _goods(player: Player, history: tuple[Told, ...]) -> Iterator[Part]:
    held = _cards_held(player.name, history)
    for suit, wild in best_split(player.goods, djinns.wilds(player)):
        cards = (*suit, *[FAKIR] * (djinns.FAKIRS_OF_A_WILD * wild))
        told = sorted((held[card].popleft() for card in cards if held[card]), key=lambda one: one.action)
        what = "+".join((*suit, *["wild"] * wild))
        yield Part("goods", SUIT_VALUES[len(suit) + wild], what, tuple(told))


def _cards_held(name: str, history: tuple[Told, ...]) -> dict[str, deque[Told]]:
    """How each card came that is still in the hand. Cards of a kind are alike: the one that came first was sold first."""
    held: dict[str, deque[Told]] = defaultdict(deque)
    for one in _of(history, (e.CardTaken, e.CardDrawn, e.Sold, e.Spent), name):
        event = one.event
        if isinstance(event, e.CardTaken | e.CardDrawn):
            held[event.card].append(one)
            continue
        gone = event.suit if isinstance(event, e.Sold) else [FAKIR] * getattr(event, "fakirs", 0)
        for card in gone:
            if held[card]:
                held[card].popleft()
    return held
