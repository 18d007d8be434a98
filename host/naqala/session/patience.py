"""How often one seat may do what needs no turn: ask the others, correct, tell a tile. Each of these is written down or calls for an
answer, so that one seat without manners could keep all others busy.

A bucket per seat: it holds a few, and fills up again slowly. Moves and bids are not counted, the rules bound those.
"""

from __future__ import annotations

from naqala.session.commands import OWNER
from naqala.session.refusal import Refused

MOST_AT_ONCE = 8
ANOTHER_AFTER_MS = 4_000


class Patience:
    """Touched by the session's own thread only."""

    def __init__(self) -> None:
        self._used: dict[str, tuple[float, int]] = {}  # by seat: how many are used up, and when that was so

    def spend(self, by: str, now: int) -> None:
        """Count one of a seat, or refuse it. The host, who acts for all players without a phone, is not counted."""
        if by == OWNER:
            return
        used, at = self._used.get(by, (0.0, now))
        used = max(0.0, used - max(0, now - at) / ANOTHER_AFTER_MS)
        if used + 1 > MOST_AT_ONCE:
            raise Refused("slow_down")
        self._used[by] = (used + 1, now)
