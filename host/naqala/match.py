"""Matches between robots: which games are played, how a game is written down, and what all of them say.

Every deal is played once for each place around the table, so luck of the deal and of the seat falls on all alike:

    strong greedy greedy greedy, seed 7:  deal 7 S G G G, deal 7 G S G G, deal 7 G G S G, deal 7 G G G S, deal 8 S G G G ..

A match is a text of JSON lines, first its head and then a line per game in any order, so that an interrupted one goes on.
"""

from __future__ import annotations

import json
from collections.abc import Iterable, Sequence
from dataclasses import asdict, dataclass
from itertools import permutations
from math import log10, sqrt
from statistics import fmean
from typing import Any
from zlib import crc32

from naqala.robots import LEVELS, ROBOTS, robot_of
from naqala.robots.weights import Weights, learned
from naqala.rules.scoring import score
from naqala.simulate import simulated

Z95 = 1.96
TRIAL = "trial"


class BadMatch(Exception):
    """A text is not a match, or another one than is asked for."""


@dataclass(frozen=True, slots=True)
class Match:
    """Who plays (one robot per seat), how many games, and the seed of the first deal."""

    robots: tuple[str, ...]
    games: int
    seed: int
    trial: Weights | None = None  # of the robot called "trial": the strong one with other weights

    def seats(self, game: int) -> tuple[str, ...]:
        """Who sits where in a game."""
        turned = game % len(self.robots)
        return self.robots[-turned:] + self.robots[:-turned] if turned else self.robots

    def deal(self, game: int) -> int:
        """The seed of a game."""
        return self.seed + game // len(self.robots)

    def head(self) -> dict[str, Any]:
        """The first line. The weights belong to it: games of two different robots are not one match."""
        known = crc32(repr((learned(), self.trial)).encode())
        return {"naqala-match": 1, "robots": list(self.robots), "seed": self.seed, "weights": f"{known:08x}"}


@dataclass(frozen=True, slots=True)
class Played:
    """One game: its number, who sat where, everybody's points."""

    game: int
    robots: tuple[str, ...]
    points: tuple[int, ...]

    def won(self, robot: str) -> float:
        """The share of the victory that seats with this robot had."""
        best = [
            one for one, points in zip(self.robots, self.points, strict=True) if points == max(self.points)
        ]
        return best.count(robot) / len(best)

    def line(self) -> str:
        """As it stands in the text of a match."""
        return json.dumps(asdict(self))


def play(match: Match, game: int) -> Played:
    """Play one game of a match, by the default house rules."""
    seats = match.seats(game)
    trial = robot_of(LEVELS["strong"], match.trial)
    table = simulated(
        len(seats), match.deal(game), {}, [trial if robot == TRIAL else ROBOTS[robot] for robot in seats]
    )
    return Played(game, seats, tuple(one.total for one in score(table.game)))


def read(match: Match, text: str) -> list[Played]:
    """The games of a match that are played already. A last line that was cut off is left out; BadMatch for another match."""
    lines = text.splitlines(keepends=True)
    if lines and not lines[-1].endswith("\n"):
        lines.pop()
    if not lines:
        return []
    try:
        head, *games = (json.loads(line) for line in lines)
        if not isinstance(head, dict) or head.get("naqala-match") != 1:
            raise BadMatch("the first line is not the head of a match")
        for key, wanted in match.head().items():
            if head.get(key) != wanted:
                raise BadMatch(f"it is a match with {key} {head.get(key)}, not {wanted}")
        found = [Played(one["game"], tuple(one["robots"]), tuple(one["points"])) for one in games]
    except (ValueError, TypeError, KeyError) as error:
        raise BadMatch(f"a line is not a game of a match ({error})") from None
    return [one for one in found if one.game < match.games]


# --- what the games say -------------------------------------------------------------------------------------


@dataclass(frozen=True, slots=True)
class Rate:
    """A share with its interval of 95 %."""

    share: float
    low: float
    high: float


@dataclass(frozen=True, slots=True)
class Standing:
    """How one robot fared: wins, chance (what equal robots would win), points, and Elo above the others at the table."""

    robot: str
    wins: Rate
    chance: float
    points: float
    margin: float  # points more than the others' on average
    elo: Rate


def wilson(successes: float, games: int) -> Rate:
    """Wilson's interval, which also holds near 0 and 1."""
    if not games:
        return Rate(0.0, 0.0, 1.0)
    share, square = successes / games, Z95 * Z95
    middle = (share + square / (2 * games)) / (1 + square / games)
    half = Z95 * sqrt(share * (1 - share) / games + square / (4 * games * games)) / (1 + square / games)
    return Rate(share, max(0.0, middle - half), min(1.0, middle + half))


def elo(share: float) -> float:
    """Points of Elo that a share of won duels stands for; at most 800 either way."""
    kept = min(0.99, max(0.01, share))
    return 400 * log10(kept / (1 - kept))


def standings(games: Sequence[Played]) -> list[Standing]:
    """How every robot of a match fared, in the order of the first game's seats."""
    if not games:
        return []
    first = min(games, key=lambda one: one.game).robots
    return [_standing(games, robot, first.count(robot) / len(first)) for robot in dict.fromkeys(first)]


def _standing(games: Sequence[Played], robot: str, chance: float) -> Standing:
    own = [points for game in games for one, points in _seated(game) if one == robot]
    others = [points for game in games for one, points in _seated(game) if one != robot]
    wins = wilson(sum(game.won(robot) for game in games), len(games))
    # Elo is of duels: each game counts once, with the share of its pairs of seats that this robot won.
    duels = wilson(sum(_duels(game, robot) for game in games), len(games))
    rated = Rate(elo(duels.share), elo(duels.low), elo(duels.high))
    margin = fmean(own) - fmean(others) if others else 0.0
    return Standing(robot, wins, chance, fmean(own), margin, rated)


def _seated(game: Played) -> Iterable[tuple[str, int]]:
    return zip(game.robots, game.points, strict=True)


def _duels(game: Played, robot: str) -> float:
    pairs = [
        1.0 if mine > theirs else 0.5 if mine == theirs else 0.0
        for (one, mine), (other, theirs) in permutations(_seated(game), 2)
        if one == robot and other != robot
    ]
    return fmean(pairs) if pairs else 0.5
