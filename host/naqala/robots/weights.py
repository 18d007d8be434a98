"""The learned numbers of the evaluation, as text: one line per feature with its weight and standard error.

    viziers_ahead            0.930   0.040  # the 10 points per rival with fewer viziers, as likely as they look now
    pace base               -0.310

`learned()` are those that come with Naqala; `parsed` and `to_text` are the two ways between text and numbers.
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass, field, fields
from functools import cache
from importlib.resources import files
from math import isfinite

from naqala.robots.features import FEATURES, NAMES, Pace


class BadWeights(Exception):
    """A text is not the numbers of an evaluation: the line, counted from 1, and why."""


@dataclass(frozen=True, slots=True)
class Weights:
    """`features` in the order of FEATURES; `turn` is what one more turn brings; `spread` how far off it all is.

    The defaults are the guesses with which learning begins.
    """

    features: tuple[float, ...] = tuple(feature.guess for feature in FEATURES)
    errors: tuple[float, ...] = (0.3,) * len(FEATURES)  # standard error of each
    pace: Pace = field(default_factory=Pace)
    turn: tuple[float, float] = (8.0, 0.0)  # points of each turn to come, and of a tenth of their square
    spread: tuple[float, float] = (
        3.0,
        4.0,
    )  # standard deviation at the end, and more per root of a turn to come


_OTHERS: dict[str, tuple[str, ...]] = {
    "pace": tuple(one.name for one in fields(Pace)),
    "turn": ("each", "bend"),
    "spread": ("end", "per_root_turn"),
}


def parsed(text: str) -> Weights:
    """Read the text form. BadWeights names the line."""
    found: dict[str, tuple[float, ...]] = {}
    for number, line in enumerate(text.splitlines(), 1):
        words = line.split("#")[0].split()
        if not words:
            continue
        width = 2 if words[0] in _OTHERS else 1
        name, numbers = " ".join(words[:width]), words[width:]
        if name not in _names():
            raise BadWeights(f"line {number}: no such weight {name!r}")
        if name in found:
            raise BadWeights(f"line {number}: {name!r} stands there twice")
        wanted = 1 if name not in NAMES else 2
        if len(numbers) != wanted or not all(map(_a_number, numbers)):
            raise BadWeights(f"line {number}: {name!r} needs {'a number' if wanted == 1 else 'two numbers'}")
        found[name] = tuple(map(float, numbers))
    missing = [name for name in _names() if name not in found]
    if missing:
        raise BadWeights(f"no weight for {', '.join(missing)}")
    pace, turn, spread = ([found[f"{kind} {name}"][0] for name in names] for kind, names in _OTHERS.items())
    return Weights(
        tuple(found[name][0] for name in NAMES),
        tuple(found[name][1] for name in NAMES),
        Pace(*pace),
        (turn[0], turn[1]),
        (spread[0], spread[1]),
    )


def _a_number(word: str) -> bool:
    try:
        return isfinite(float(word))
    except ValueError:
        return False


def to_text(weights: Weights, comments: Iterable[str]) -> str:
    """The text form, with what should be known about it at the top."""
    lines = [f"# {comment}" for comment in comments]
    for feature, weight, error in zip(FEATURES, weights.features, weights.errors, strict=True):
        lines.append(f"{feature.name:<22}{weight:8.3f}{error:8.3f}  # {feature.says}")
    others = (
        tuple(getattr(weights.pace, name) for name in _OTHERS["pace"]),
        weights.turn,
        weights.spread,
    )
    for (kind, names), values in zip(_OTHERS.items(), others, strict=True):
        lines += [f"{kind + ' ' + name:<22}{value:8.3f}" for name, value in zip(names, values, strict=True)]
    return "\n".join(lines) + "\n"


def _names() -> tuple[str, ...]:
    return (*NAMES, *(f"{kind} {name}" for kind, names in _OTHERS.items() for name in names))


@cache
def learned() -> Weights:
    """The numbers that come with Naqala."""
    return parsed(files("naqala.robots").joinpath("weights.txt").read_text(encoding="utf-8"))
