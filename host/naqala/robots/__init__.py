"""Players without a table: a game and dice in, an action out. See the README of this folder."""

from __future__ import annotations

from dataclasses import replace
from random import Random

from naqala.robots import levels
from naqala.robots.greedy import greedy
from naqala.robots.levels import LEVELS, Level, decide
from naqala.robots.robot import Robot, Stop, never
from naqala.robots.wanderer import wanderer
from naqala.robots.weights import Weights
from naqala.rules.actions import Action, Power
from naqala.rules.model import Game

__all__ = ["LEVELS", "ROBOTS", "Level", "Robot", "Stop", "kept", "never", "robot_of", "wanderer"]


def robot_of(level: Level, weights: Weights | None = None) -> Robot:
    """The robot of a level, with the weights that come with Naqala or others."""

    def robot(game: Game, dice: Random, stop: Stop = never) -> Action:
        return decide(game, dice, level, stop, weights)

    return robot


ROBOTS: dict[str, Robot] = {
    "random": wanderer,
    "greedy": greedy,
    **{name: robot_of(level) for name, level in LEVELS.items()},
}


def kept(robot: str, game: Game, power: Power, drawn: tuple[str, ...], dice: Random) -> Power:
    """The power with the djinn that a robot keeps of those that were really turned up; the wanderer takes any."""
    if robot == "random":
        return replace(power, drawn=drawn, keep=dice.choice(drawn))
    return levels.kept(game, power, drawn, LEVELS.get(robot, LEVELS["easy"]))
