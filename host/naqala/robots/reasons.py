"""Reasons as values: where the points of a decision come from, line by line of the score sheet and of the evaluation.

    Ann collects three viziers on C3, which she then controls:
    Reason("viziers", "Ann", +3.0, now=True, facts=(Fact("collected", 3, "C3", "Y"),))
    Reason("tiles", "Ann", +6.0, now=True, facts=(Fact("controlled", 1, "C3"),))
    Reason("viziers_ahead", "Bob", -8.7)

A page turns a reason into a sentence; none is made here. `kind` is a category of the score sheet (points that are counted
now), a feature's name (points that are expected), or one of TURN_ORDER, LEFT_TO_OTHERS.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from typing import Any

from naqala.robots.features import FEATURES, Holding, holdings, turns_left
from naqala.robots.weights import Weights
from naqala.rules import events as e
from naqala.rules.board import ELDER, VIZIER
from naqala.rules.goods import FAKIR
from naqala.rules.model import PALACE, PALM, Game
from naqala.rules.scoring import CATEGORIES, FEWER_VIZIERS, score

LEFT_TO_OTHERS = "left_to_others"  # what the players who come next can take from the board
TURN_ORDER = "turn_order"  # what a place in the turn order brings
PRICE = "price"  # what it costs
KINDS: tuple[str, ...] = (
    *CATEGORIES,
    *(feature.name for feature in FEATURES),
    LEFT_TO_OTHERS,
    TURN_ORDER,
    PRICE,
)
SMALLEST = 0.5  # points; what is less is not a reason that anybody would name


@dataclass(frozen=True, slots=True)
class Fact:
    """Something that happens in the turn: so many of `what` (a tribe's letter, a card, a djinn) on a tile."""

    kind: str  # collected, controlled, gold, card, djinn, placed, killed, spent
    count: int = 1
    tile: str | None = None
    what: str | None = None
    player: str | None = None  # whose vizier or elder is killed


@dataclass(frozen=True, slots=True)
class Reason:
    """Points that a decision adds to a player's expected final points, or takes away."""

    kind: str
    player: str
    points: float
    now: bool = False  # on the score sheet at once
    facts: tuple[Fact, ...] = ()

    def to_json(self) -> dict[str, Any]:
        """For programs."""
        facts = [
            {key: value for key in Fact.__slots__ if (value := getattr(fact, key)) is not None}
            for fact in self.facts
        ]
        return {
            "kind": self.kind,
            "player": self.player,
            "points": round(self.points, 1),
            "now": self.now,
            "facts": facts,
        }


def from_json(data: Mapping[str, Any]) -> Reason:
    """A reason as `to_json` told it."""
    facts = tuple(Fact(**fact) for fact in data["facts"])
    return Reason(data["kind"], data["player"], data["points"], data["now"], facts)


Ledger = dict[tuple[str, str], float]  # (player, kind) -> points


def ledger(game: Game, weights: Weights, turns: Mapping[str, float] | None = None) -> Ledger:
    """Everybody's expected points, line by line, but for the turns to come; as many as these, or as the game tells."""
    held = holdings(game, turns or turns_left(game, weights.pace))
    found: Ledger = {}
    for one, sheet in zip(held, score(game), strict=True):
        name = one.player.name
        for category in CATEGORIES:
            found[name, category] = float(getattr(sheet, category))
        fewer = sum(rival < one.player.viziers for rival in one.rivals)
        found[name, "viziers"] -= FEWER_VIZIERS * fewer  # the tens are an expectation until the end
        found.update(_expected(one, weights))
    return found


def _expected(held: Holding, weights: Weights) -> Iterable[tuple[tuple[str, str], float]]:
    for feature, weight in zip(FEATURES, weights.features, strict=True):
        yield (held.player.name, feature.name), weight * feature.of(held)


def reasons(
    before: Ledger, then: Ledger, events: Iterable[e.Event] = (), others: Iterable[Reason] = ()
) -> tuple[Reason, ...]:
    """Why `then` is better or worse than `before`, what weighs most first; events become facts of their categories."""
    facts = facts_of(events)
    found = [*others]
    for (player, kind), points in then.items():
        change = points - before[player, kind]
        told = tuple(fact for about, fact in facts if about == (player, kind))
        if abs(change) >= SMALLEST:
            found.append(Reason(kind, player, change, kind in CATEGORIES, told))
    return tuple(sorted(found, key=lambda one: -abs(one.points)))


def left_to_others(before: Mapping[str, float], then: Mapping[str, float]) -> tuple[Reason, ...]:
    """What players who come next can take from the board, more or less than before."""
    changes = ((name, points - before[name]) for name, points in then.items())
    return tuple(Reason(LEFT_TO_OTHERS, name, change) for name, change in changes if abs(change) >= SMALLEST)


# --- facts --------------------------------------------------------------------------------------------------

_OF_MEEPLE = {VIZIER: "viziers", ELDER: "elders"}
_OF_PIECE = {PALM: "palms", PALACE: "palaces"}

Told = tuple[tuple[str, str], Fact]  # about whose line of the sheet, and what


def facts_of(events: Iterable[e.Event]) -> list[Told]:
    """What happened, each with the line of the score sheet that it changes."""
    return [told for event in events for told in _told(event)]


def _told(event: e.Event) -> Iterable[Told]:
    match event:
        case e.Collected(player, tile, meeple, count):
            yield (player, _OF_MEEPLE.get(meeple, "gold")), Fact("collected", count, tile, meeple)
        case e.Controlled(player, tile, cause):
            yield (player, "tiles"), Fact("controlled", 1, tile, cause)
        case e.GoldMoved(player, amount, cause, tile):
            yield (player, "gold"), Fact("gold", amount, tile, cause)
        case e.CardTaken(player, card, _) | e.CardDrawn(player, card, _):
            yield (player, "fakirs" if card == FAKIR else "goods"), Fact("card", 1, None, card)
        case e.DjinnGained(player, djinn, _):
            yield (player, "djinns"), Fact("djinn", 1, None, djinn)
        case e.Placed(player, what, tile, _):
            yield (player, _OF_PIECE[what]), Fact("placed", 1, tile, what)
        case e.Killed(player, meeple, _, tile, of) | e.Kept(player, meeple, _, tile, of):
            line = (of, _OF_MEEPLE[meeple]) if of else (player, "tiles")
            yield line, Fact("killed", 1, tile, meeple, of)
        case e.Spent(player, elders, fakirs, cause):
            if elders:
                yield (player, "elders"), Fact("spent", elders, None, cause)
            if fakirs:
                yield (player, "fakirs"), Fact("spent", fakirs, None, cause)
        case _:
            pass
