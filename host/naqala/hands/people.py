"""How quick people are. A pace is a span from the shortest to the longest wait, in milliseconds, for each thing hands do.

`quick` is a practised player who drops four to five meeples a second; readers that are not in focus see such drops out of
order. `slow` people explain their move to the others while they make it.
"""

from __future__ import annotations

from dataclasses import dataclass
from random import Random

Span = tuple[int, int]


@dataclass(frozen=True, slots=True)
class Pace:
    """Waits before a drop, before a grab, before a move, before a drop is taken up again, and before the next tap (time to see
    on a screen that the move was read). `read` is how long somebody looks at a flag before doing something about it."""

    drop: Span = (450, 900)
    grab: Span = (250, 700)
    think: Span = (2_000, 5_000)
    hesitate: Span = (900, 1_800)
    read: int = 5_000
    look_up: Span = (4_000, 6_000)


PACES = {
    "slow": Pace((700, 1500), (300, 900), (3_000, 7_000), (1_500, 3_000), 8_000, (4_500, 7_000)),
    "brisk": Pace(),
    "quick": Pace((200, 250), (120, 250), (400, 1_200), (400, 800), 4_000, (3_500, 5_000)),
}


@dataclass(frozen=True, slots=True)
class Person:
    """Whose hands: dice, a pace, and whose place before the board is theirs (a name, or the colour of the camels)."""

    dice: Random
    pace: Pace
    colour: str

    def between(self, span: Span) -> int:
        return self.dice.randint(*span)
