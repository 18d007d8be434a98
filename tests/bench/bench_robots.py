"""Robots: how long a turn takes them, how they fare against the robot of 0.1.0, how long a review takes.

The short rows of `make bench`. The long tables are made by `naqala match`, see "Strength" in BENCHMARKS.md.
"""

from __future__ import annotations

from collections.abc import Iterator
from random import Random
from statistics import median
from time import process_time
from typing import Any

from naqala.match import Match, play, standings
from naqala.robots import ROBOTS
from naqala.robots.review import reviewed
from naqala.rules import game as rules
from naqala.rules.actions import End
from naqala.rules.model import Game
from naqala.rules.opening import dealt
from naqala.simulate import simulated

GAMES = 12


def turns(level: str, players: int, seed: int) -> list[float]:
    """Seconds of thinking in each turn of a game, all its actions together."""
    dice = Random(seed)
    game: Game = dealt(("Ann", "Bob", "Cy", "Dee")[:players], dice.randrange)
    found, spent = [], 0.0
    while game.turn.phase != "over":
        begun = process_time()
        action = ROBOTS[level](game, dice)
        spent += process_time() - begun
        if isinstance(action, End):
            found.append(spent)
            spent = 0.0
        game = rules.play(game, action)[0]
    return found


def rows() -> Iterator[dict[str, Any]]:
    for level in ("easy", "normal", "strong"):
        seconds = [one for seed in range(3) for one in turns(level, 2 + seed, 91_000 + seed)]
        yield {
            "name": f"a turn of the {level} robot with its bid",
            "value": 1000 * median(seconds),
            "unit": "ms",
            "spread": None,
            "note": f"median of {len(seconds)} turns; the slowest {1000 * max(seconds):,.0f} ms, at most 6,000",
        }
    match = Match(("strong", "greedy"), GAMES, 92_000)
    strong, _ = standings([play(match, game) for game in range(GAMES)])
    yield {
        "name": f"strong against greedy, {GAMES} games",
        "value": 100 * strong.wins.share,
        "unit": "% won",
        "spread": 50 * (strong.wins.high - strong.wins.low),
        "note": "greedy is the robot of 0.1.0; the long tables are under Strength",
    }
    record = simulated(4, 93_000, {}, ("greedy",))
    begun = process_time()
    reviewed(record)
    yield {
        "name": "the review of a game of four",
        "value": process_time() - begun,
        "unit": "s",
        "spread": None,
        "note": "on one core; at most 90",
    }
