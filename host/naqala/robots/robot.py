"""What a robot is: a game and dice in, a legal action of the acting player out.

Thinking is interrupted by `stop`: a robot asks it now and then, and once it says True returns the best action found so far.
The robots know no clock; a deadline is the caller's, such as `lambda: monotonic() > end`.
"""

from __future__ import annotations

from collections.abc import Callable
from random import Random
from typing import Protocol

from naqala.rules.actions import Action
from naqala.rules.model import Game

Stop = Callable[[], bool]


def never() -> bool:
    """Think to the end."""
    return False


class Robot(Protocol):
    """Anything that plays."""

    def __call__(self, game: Game, dice: Random, stop: Stop = never) -> Action: ...
