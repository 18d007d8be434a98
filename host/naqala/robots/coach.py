"""The coach: what a player could do now, as hints that first say where to look and then what to do, each with its reasons.

    advice = coach(game, count=2, dice=Random(step))
    advice[0].look     # Look(tiles=("B3", "C3"), tribe="Y"): enough for a nudge
    advice[0].actions  # the whole turn: sow, kill, buy ..
    advice[0].now      # points on the score sheet at once
    advice[0].reasons  # why, in points (see `reasons.py`)

It sees what the player at that seat can know and nothing else; the same dice give the same hints, so it is alike for all.
"""

from __future__ import annotations

from dataclasses import dataclass
from random import Random
from typing import Any

from naqala.robots.bids import Auction
from naqala.robots.features import turns_left
from naqala.robots.known import known
from naqala.robots.levels import LEVELS, Level, bare
from naqala.robots.reasons import PRICE, TURN_ORDER, Reason, ledger, left_to_others, reasons
from naqala.robots.robot import Stop, never
from naqala.robots.turns import Line, Search
from naqala.robots.weights import Weights, learned
from naqala.rules import actions as a
from naqala.rules import events as e
from naqala.rules import notation
from naqala.rules.board import SURROUNDINGS, TILES
from naqala.rules.game import play
from naqala.rules.model import Game
from naqala.rules.scoring import score


@dataclass(frozen=True, slots=True)
class Look:
    """Where to look, without the move itself: tiles of an area, a tribe, or the early or late end of the turn order."""

    tiles: tuple[str, ...] = ()
    tribe: str | None = None
    order: str | None = None  # "early" or "late", for a bid


@dataclass(frozen=True, slots=True)
class Hint:
    """One piece of advice. `gain` is in expected final points against the average of the rivals."""

    player: str
    look: Look
    actions: tuple[a.Action, ...]
    now: int
    gain: float
    reasons: tuple[Reason, ...]

    def to_json(self) -> dict[str, Any]:
        """For programs."""
        return {
            "player": self.player,
            "look": {"tiles": list(self.look.tiles), "tribe": self.look.tribe, "order": self.look.order},
            "actions": [notation.to_text(action) for action in self.actions],
            "now": self.now,
            "gain": round(self.gain, 1),
            "reasons": [reason.to_json() for reason in self.reasons],
        }


def coach(
    game: Game,
    count: int = 1,
    dice: Random | None = None,
    level: Level = LEVELS["strong"],
    stop: Stop = never,
    weights: Weights | None = None,
) -> tuple[Hint, ...]:
    """Up to so many hints for whoever acts, the best first; nothing where there is nothing to decide."""
    if game.turn.player is None or count < 1:
        return ()
    dice, weights = dice or Random(0), weights or learned()
    view = known(game, game.turn.player, dice)
    if game.turn.phase == "bid":
        return _bids(view, Auction(view, weights, level.bids), count, stop)
    search = Search(view, weights, level.width, dice, stop)
    found: list[Hint] = []
    seen: set[object] = set()
    for line in search.lines():
        if (told := _aim(line)) not in seen:
            seen.add(told)
            found.append(_hint(search, line))
        if len(found) == count:
            break
    return tuple(found)


def _aim(line: Line) -> object:
    """Hints differ in where the sowing ends and what it collects; other ways to the same are one hint."""
    first = line.actions[0] if line.actions else None
    return first.drops[-1] if isinstance(first, a.Sow) else first


def _hint(search: Search, line: Line) -> Hint:
    game, me = search.game, search.me
    turns = turns_left(
        line.game, search.weights.pace
    )  # what passes with every turn is not a reason for this one
    before, after = (ledger(one, search.weights, turns) for one in (game, line.game))
    others = left_to_others(search.left(game), search.left(line.game))
    why = reasons(before, after, happened(game, line.actions), others)
    return Hint(
        me,
        _look(line),
        tuple(map(bare, line.actions)) or (a.End(me),),
        _points(line.game, me) - _points(game, me),
        line.value - search.value(game),
        why,
    )


def happened(game: Game, actions: tuple[a.Action, ...]) -> list[e.Event]:
    """The events of actions that are played one after the other."""
    found: list[e.Event] = []
    for action in actions:
        game, events = play(game, action)
        found += events
    return found


def _points(game: Game, name: str) -> int:
    return next(one.total for one in score(game) if one.name == name)


def _look(line: Line) -> Look:
    first = line.actions[0] if line.actions else None
    if isinstance(first, a.Sow):
        end, tribe = first.drops[-1]
        return Look(_area(first.start, end), tribe)
    for action in line.actions:
        if isinstance(action, a.Kill) and action.victims and action.victims[0].tile:
            return Look(SURROUNDINGS[action.victims[0].tile], action.victims[0].meeple)
        if isinstance(action, a.Place | a.Power) and action.tile:
            return Look(SURROUNDINGS[action.tile])
    return Look()


def _area(start: str, end: str) -> tuple[str, ...]:
    """The part of the board between two tiles: their rectangle, with what lies around the end tile."""
    columns, rows = sorted((start[0], end[0])), sorted((start[1], end[1]))
    return tuple(
        tile
        for tile in TILES
        if (columns[0] <= tile[0] <= columns[1] and rows[0] <= tile[1] <= rows[1])
        or tile in SURROUNDINGS[end]
    )


def _bids(view: Game, auction: Auction, count: int, stop: Stop) -> tuple[Hint, ...]:
    name = str(view.turn.player)
    offers = auction.offers(stop)
    cheapest = min((bid.spot for _, bid in offers), default=0)
    zero = next((margin for margin, bid in offers if bid.spot == cheapest and not bid.fakirs), 0.0)
    found = []
    for margin, bid in offers[:count]:
        paid = play(view, bid)[0].player(name).gold - view.player(name).gold
        why = [Reason(TURN_ORDER, name, margin - zero - paid)] if bid.spot != cheapest else []
        why += [Reason(PRICE, name, float(paid), now=True)] if paid else []
        order = "early" if bid.spot > cheapest else "late"
        found.append(Hint(name, Look(order=order), (bid,), paid, margin - zero, tuple(why)))
    return tuple(found)
