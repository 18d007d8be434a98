"""A broken rule, and the two ways in which an action is refused."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any


@dataclass(frozen=True, slots=True)
class Breach:
    """One broken rule. `rule` is the rule's id: the name of its function, of its test, and what the flag shows.

    `drop` counts from 1 in a sowing; None where no single drop is at fault. `tiles` are the tiles to look at.
    `details` are facts for the sentence a player reads (what was owed, who is protected), as sorted pairs.
    """

    rule: str
    drop: int | None = None
    tiles: tuple[str, ...] = ()
    details: tuple[tuple[str, Any], ...] = ()

    def to_json(self) -> dict[str, Any]:
        """As `naqala rules judge` and `naqala watch` print it."""
        found: dict[str, Any] = {"rule": self.rule}
        if self.drop is not None:
            found["drop"] = self.drop
        found["tiles"] = list(self.tiles)
        return found | dict(self.details)


class InvalidAction(Exception):
    """Nonsense or out of place: no such tile, not this player's turn, not in this phase. Nothing is flagged.

    `breaches` names the rule where there is one (`plays_in_turn`), for the sentence a player reads.
    """

    def __init__(self, line: str = "", breaches: tuple[Breach, ...] = ()) -> None:
        self.breaches = breaches
        super().__init__(line)


class IllegalMove(Exception):
    """Well-formed and forbidden: every breach, lowest drop first. The game is unchanged."""

    def __init__(self, breaches: tuple[Breach, ...], action: object = None) -> None:
        self.breaches = breaches
        self.action = action
        super().__init__(f"illegal {action}: " + ", ".join(breach.rule for breach in breaches))
