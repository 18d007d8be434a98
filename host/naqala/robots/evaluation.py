"""Points out of features: what each player can expect, what a position is worth to one, and why, line by line."""

from __future__ import annotations

from dataclasses import dataclass
from math import sqrt

from naqala.robots.features import FEATURES, Holding, counted, holdings, turns_left
from naqala.robots.weights import Weights, learned
from naqala.rules.model import Game
from naqala.rules.scoring import score

COUNTED = "counted"  # the line of a player's account that is on the score sheet already
TURNS = "turns"  # and the one for the turns to come


@dataclass(frozen=True, slots=True)
class Expected:
    """Expected final points of a player, and their standard deviation."""

    player: str
    points: float
    spread: float


def worth(held: Holding, weights: Weights) -> float:
    """Expected points of one player but for the turns to come, which are about alike for all."""
    total = float(counted(held))
    for feature, weight in zip(FEATURES, weights.features, strict=True):
        if weight:
            total += weight * feature.of(held)
    return total


def standing(game: Game, seat: str, weights: Weights) -> float:
    """What a position is worth to the player of a seat: own points less those of the rivals, on average."""
    return standing_of(holdings(game, turns_left(game, weights.pace)), seat, weights)


def standing_of(held: list[Holding], seat: str, weights: Weights) -> float:
    """The same from what everybody holds."""
    mine = others = 0.0
    for one in held:
        if one.player.name == seat:
            mine = worth(one, weights)
        else:
            others += worth(one, weights)
    return mine - others / max(1, len(held) - 1)  # a position may name one player alone


def account(held: Holding, weights: Weights) -> dict[str, float]:
    """Where one player's expected final points come from: what is counted, each feature, the turns to come."""
    each, bend = weights.turn
    lines = {COUNTED: float(counted(held))}
    for feature, weight in zip(FEATURES, weights.features, strict=True):
        lines[feature.name] = weight * feature.of(held)
    lines[TURNS] = each * held.turns + bend * held.turns**2 / 10
    return lines


def expected(game: Game, weights: Weights | None = None) -> tuple[Expected, ...]:
    """Expected final points of everybody, in the order of seats; exact when the game is over."""
    weights = weights or learned()
    found = []
    for held in holdings(game, turns_left(game, weights.pace)):
        if game.turn.phase == "over":
            total = next(one.total for one in score(game) if one.name == held.player.name)
            found.append(Expected(held.player.name, float(total), 0.0))
            continue
        end, per_root = weights.spread
        points = sum(account(held, weights).values())
        found.append(Expected(held.player.name, points, end + per_root * sqrt(held.turns)))
    return tuple(found)
