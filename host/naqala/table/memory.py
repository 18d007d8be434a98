"""What a follower remembers of one table, as frozen values: the record, the open move, decisions, what was said last."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field

from naqala.rules.actions import Sow
from naqala.rules.model import Game
from naqala.rules.sowing import Sowing
from naqala.table.pieces import MEEPLE
from naqala.table.readings import Explanation, Reading
from naqala.table.remedy import Surplus
from naqala.table.sight import Place, Table
from naqala.transcript import Piece


@dataclass(frozen=True, slots=True)
class Move:
    """A sowing that was read as done: the game before it, the action, and where each tag stood before. Open until the
    table shows its result. What was `told` by a tap is not read anew from pieces that are still on their way."""

    before: Game
    sow: Sow
    homes: Mapping[str, Place] = field(default_factory=dict)
    told: bool = False

    def same(self, other: Sow | Sowing) -> bool:
        """Whether another reading is this move, whatever order of drops it found."""
        mine, theirs = self.sow, other
        return (mine.start, mine.drops[-1:], sorted(mine.drops)) == (
            theirs.start,
            theirs.drops[-1:],
            sorted(theirs.drops),
        )


@dataclass(frozen=True, slots=True)
class Watcher:
    """All that is remembered. `game` is the record's, the sowing of an open `move` included; `recent` is the move closed
    last, while nothing has followed: it may prove to be closed too early; `homes` is where each tag was when table and game
    last agreed; `past` are the games that stood before each action, `shown` is how many stood when the table last showed
    their result; `lies` are differences that people decided to leave ("play on as it lies") and `flagged` those found at
    the first sweep; `told` is what taps say of tiles with a dead reader. While `restoring` after an undo, pieces are put back
    to the record and nothing else is read."""

    table: Table
    game: Game
    seeable: frozenset[Piece] = frozenset()
    move: Move | None = None
    recent: Move | None = None
    homes: Mapping[str, Place] = field(default_factory=dict)
    past: tuple[Game, ...] = ()
    shown: int = 0
    lies: Surplus = field(default_factory=dict)
    flagged: Surplus = field(default_factory=dict)
    told: Mapping[str, str] = field(default_factory=dict)
    restoring: bool = False
    lifted: Mapping[int, int] = field(default_factory=dict)
    explanation: Explanation | None = None
    since: int = 0
    said: Reading | None = None
    started: bool = False
    at: int = 0

    @property
    def count(self) -> int:
        """Actions that stand since this watcher began."""
        return len(self.past)

    @property
    def came_last(self) -> tuple[str, str] | None:
        """The meeple that was seen to come last and where, whether it still lies there or not."""
        table, homes = self.table, self.homes
        came = [
            (place.seq, (place.tile, table.tags[tag].which))
            for tag, place in table.places.items()
            if table.tags[tag].kind == MEEPLE and (tag not in homes or homes[tag].seq != place.seq)
        ]
        return max(came)[1] if came else None
