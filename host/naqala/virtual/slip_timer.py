"""When a robot slips, and how: about so often, every kind once before any comes again. What a slip is: `naqala.hands.slips`."""

from __future__ import annotations

from collections.abc import Sequence
from random import Random

from naqala.hands.slips import SLIPS, Meant, Slip, Spoilt
from naqala.rules.model import Game

OVERDUE_MS = 20_000  # then a kind may come again though others still wait for their occasion
# Slips whose flag leads a robot back step by step. A turn that is ended without its palm is refused by the rules before any
# flag, and after one that goes on to its end people begin once more, which robots do not do.
ROBOT_SLIPS = tuple(
    name
    for name, slip in SLIPS.items()
    if not name.endswith("_and_on") and name not in ("carried_along", "placement_missing", "victim_too_far")
)


class SlipTimer:
    """Says when it is time for a slip, and which of those that are possible then it is."""

    def __init__(self, kinds: Sequence[str], per_minute: float, seed: int, now: int) -> None:
        self._kinds = tuple(kinds)
        self._gap_ms = round(60_000 / per_minute) if per_minute else 0
        self._dice = Random(seed)
        self._waiting: list[str] = []
        self._due = now + self._gap_ms

    def next(self, game: Game, meant: Meant, now: int) -> tuple[Slip, Spoilt] | None:
        """What goes wrong now, if it is time for it and something of this can."""
        if not self._gap_ms or now < self._due:
            return None
        self._waiting = self._waiting or self._dice.sample(self._kinds, len(self._kinds))
        again = [kind for kind in self._kinds if kind not in self._waiting]
        for kind in (*self._waiting, *(again if now > self._due + OVERDUE_MS else ())):
            slip = SLIPS[kind]
            spoilt = slip.spoil(game, meant, self._dice) if isinstance(meant, slip.of) else None
            if spoilt is not None:
                self._waiting = [other for other in self._waiting if other != kind]
                self._due = now + self._gap_ms
                return slip, spoilt
        return None
