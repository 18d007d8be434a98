"""Whole games played by robots from one seed: the same seed, players and switches give the same game."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from random import Random

from naqala.robots import ROBOTS, Robot
from naqala.rules.game import play
from naqala.rules.model import EDITIONS, SWITCHES, Game
from naqala.rules.opening import dealt
from naqala.rules.record import Record, Step

NAMES = ("Ann", "Bob", "Cy", "Dee")
MOST_ACTIONS = 5000  # no game comes near; a robot that never ends its turn would


def any_switches(dice: Random) -> dict[str, str]:
    """House rules of some table: every value of every switch may occur."""
    return {name: dice.choice(values) for name, values in SWITCHES.items()}


def simulated(
    players: int | Sequence[str],
    seed: int,
    switches: Mapping[str, str] | None = None,
    robots: Sequence[str | Robot] = ("random",),
    *,
    edition: str = EDITIONS[0],
    any_house: bool = False,
    watch: Callable[[Game], object] = lambda game: None,
) -> Record:
    """A whole game as a record; robots, by name or themselves, repeat around the table.

    Where no `switches` are given, or with `any_house` those that are not given, the seed chooses them.
    """
    dice = Random(seed)
    names = NAMES[:players] if isinstance(players, int) else tuple(players)
    chosen = any_switches(dice)
    house = chosen if switches is None else (chosen if any_house else {}) | dict(switches)
    opening = dealt(names, dice.randrange, edition=edition, switches=house)
    seated = [ROBOTS[robot] if isinstance(robot, str) else robot for robot in robots]
    seats = {name: seated[seat % len(seated)] for seat, name in enumerate(names)}
    game = opening
    steps: list[Step] = []
    while game.turn.phase != "over":
        if len(steps) == MOST_ACTIONS:
            raise RuntimeError(f"no end after {MOST_ACTIONS} actions with seed {seed}")
        action = seats[game.turn.player or names[0]](game, dice)
        game, events = play(game, action)
        steps.append(Step(action, game, events))
        watch(game)
    return Record(opening, tuple(steps), tuple(step.action for step in steps))
