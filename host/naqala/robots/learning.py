"""Learning the weights of the evaluation from finished games: positions in, numbers out. Nothing is played here.

After every turn of a game each player has some points counted, and in the end so many more. The weights are those with which
the features explain best how much more, by least squares, over all positions of all games. Only the difference to the other
players of the same position is explained, because whether a game as a whole is rich or poor says nothing about a decision;
what a turn brings on average is fitted afterwards (`Weights.turn`), and how far off the whole is (`Weights.spread`).

Positions with better weights come from better games, so one learns, plays with what was learned, and learns again.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from math import pi, sqrt

from naqala.robots.features import FEATURES, Pace, counted, holdings, signs, turns_left
from naqala.robots.weights import Weights
from naqala.rules import actions as a
from naqala.rules.model import Game
from naqala.rules.record import Record
from naqala.rules.scoring import score

# Before anything is seen a weight is thought to be off its guess by about half of it. Final points are about 15 off, and the
# some ten positions that share a stretch of a game say one thing: the evidence that outweighs a guess is in these units.
OFF_BY = 0.5
LEAST_OFF = 0.1
NOISE = 15.0**2 * 10

Row = tuple[tuple[float, ...], float]  # what is known, and what came of it


@dataclass(frozen=True, slots=True)
class Position:
    """A game at the end of a turn, the rounds that then still came, and everybody's final points."""

    game: Game
    rounds: int
    final: tuple[int, ...]


def positions(record: Record) -> list[Position]:
    """What can be learned from a finished game."""
    final = tuple(one.total for one in score(record.game))
    last = record.game.round
    return [
        Position(step.game, last - step.game.round, final)
        for step in record.steps
        if isinstance(step.action, a.End) and step.game.turn.phase != "over"
    ]


def learn(found: Sequence[Position]) -> Weights:
    """The weights that explain best what came of these positions."""
    pace = Pace(*least_squares(_pace_rows(found)))
    alike: list[Row] = []
    seats: list[tuple[tuple[float, ...], float, float]] = []
    for position in found:
        here = [
            (tuple(feature.of(held) for feature in FEATURES), final - counted(held), held.turns)
            for held, final in zip(
                holdings(position.game, turns_left(position.game, pace)), position.final, strict=True
            )
        ]
        seats += here
        # Who has a turn of this round still to come expects more: that is not to be taken for a feature's work.
        alike += _differences([((*known, turns), came) for known, came, turns in here])
    features, errors = _weights(alike)
    left = [
        ((turns, turns * turns / 10), came - sum(w * x for w, x in zip(features, known, strict=True)))
        for known, came, turns in seats
    ]
    each, bend = least_squares(left)
    # The mean distance of a normal distribution is its standard deviation times the root of 2 / pi.
    off = [
        ((1.0, sqrt(turns)), abs(came - each * turns - bend * square) * sqrt(pi / 2))
        for (turns, square), came in left
    ]
    end, per_root = least_squares(off)
    return Weights(features, errors, pace, (each, bend), (max(0.0, end), max(0.0, per_root)))


def _weights(rows: Sequence[Row]) -> tuple[tuple[float, ...], tuple[float, ...]]:
    """The features' weights, their guesses moved by what the rows say beyond them, and the standard error of each.

    The last column of the rows, the turns to come, is fitted along and not kept.
    """
    guesses = [feature.guess for feature in FEATURES]
    beyond = [(x, came - sum(g * one for g, one in zip(guesses, x, strict=False))) for x, came in rows]
    ridge = [NOISE / max(OFF_BY * guess, LEAST_OFF) ** 2 for guess in guesses]
    evidence, right = _normal_equations(beyond, [*ridge, 0.0])
    moved = _solved(evidence, right)
    errors = []
    for place in range(len(guesses)):
        unit = [float(place == one) for one in range(len(right))]
        errors.append(sqrt(NOISE * _solved(evidence, unit)[place]))
    return tuple(g + one for g, one in zip(guesses, moved, strict=False)), tuple(errors)


def _pace_rows(found: Iterable[Position]) -> list[Row]:
    return [
        ((1.0, *signs(position.game)), float(position.rounds))
        for position in found
        if position.game.ending is None
    ]


def _differences(rows: Sequence[Row]) -> list[Row]:
    """Each player's row less the mean of all at the table."""
    size = len(rows)
    mean = tuple(sum(column) / size for column in zip(*(known for known, _ in rows), strict=True))
    came = sum(one for _, one in rows) / size
    return [(tuple(x - m for x, m in zip(known, mean, strict=True)), one - came) for known, one in rows]


def least_squares(rows: Sequence[Row]) -> list[float]:
    """The coefficients with the least squared error."""
    return _solved(*_normal_equations(rows, [0.0] * len(rows[0][0])))


def _normal_equations(rows: Sequence[Row], ridge: Sequence[float]) -> tuple[list[list[float]], list[float]]:
    """Products of the columns with each other and with what came; `ridge` pulls each coefficient to 0."""
    size = len(ridge)
    matrix = [[ridge[i] if i == j else 0.0 for j in range(size)] for i in range(size)]
    right = [0.0] * size
    for known, came in rows:
        for i, x in enumerate(known):
            if x:
                line = matrix[i]
                for j, y in enumerate(known):
                    line[j] += x * y
                right[i] += x * came
    for i in range(size):
        matrix[i][i] = matrix[i][i] or 1.0  # a column that never varied gets the coefficient 0
    return matrix, right


def _solved(matrix: Sequence[Sequence[float]], right: Sequence[float]) -> list[float]:
    """Gauss's elimination with the largest pivot."""
    size = len(right)
    lines = [[*line, end] for line, end in zip(matrix, right, strict=True)]
    for i in range(size):
        pivot = max(range(i, size), key=lambda row: abs(lines[row][i]))
        lines[i], lines[pivot] = lines[pivot], lines[i]
        for row in range(i + 1, size):
            factor = lines[row][i] / lines[i][i]
            for column in range(i, size + 1):
                lines[row][column] -= factor * lines[i][column]
    found = [0.0] * size
    for i in reversed(range(size)):
        rest = sum(lines[i][j] * found[j] for j in range(i + 1, size))
        found[i] = (lines[i][size] - rest) / lines[i][i]
    return found
