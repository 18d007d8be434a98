"""A move in flight: the drops so far in the order in which hands made them, and how long a gap between them waits.

In: a `Scene` and a `Guess`. Out: the order, a `Doing`, a waiting time. Readers speak of two drops in the order of their
looks, so that the second may be seen first: that is no gap. A drop out of reach is one, and waiting changes it only while
a drop that was made may still be unseen.
"""

from __future__ import annotations

from collections.abc import Sequence
from itertools import pairwise

from naqala.rules.board import TILES, distance
from naqala.rules.model import in_tribe_order
from naqala.rules.paths import open_drops
from naqala.rules.sowing import Sowing
from naqala.table import timing
from naqala.table.difference import UNKNOWN, Guess, Scene
from naqala.table.readings import Doing
from naqala.table.search import Drop, in_step, named

SLIP = 2  # tiles from one drop to the next in the plain mistakes: diagonal, one skipped
CANNOT_END = "No drop from here can end on its own colour."


def so_far(guess: Guess) -> tuple[Drop, ...]:
    """The drops as they were seen, unless late looks can have made a gap of what was none."""
    seen = [(None if one.moment == UNKNOWN else one.moment[1], one.drop) for one in guess.seen]
    return in_step(guess.start, seen, timing.LATE) or guess.drops


def doing(scene: Scene, guess: Guess, joined: bool = True, drops: Sequence[Drop] | None = None) -> Doing:
    """The move as far as it is seen, and the drops that keep it legal."""
    start, dropped = TILES[guess.start], named(guess.drops if drops is None else drops)
    following = open_drops(scene.before, start, dropped)
    hand = in_tribe_order(guess.missing)
    joined = joined or (not dropped and bool(guess.untouched))  # one piece gone is hardly a move yet
    return Doing(hand, start, dropped, tuple(sorted(following)), "" if joined else CANNOT_END)


def gap_waits(scene: Scene, guess: Guess, begun: Sowing) -> int:
    """How long a drop out of reach waits for one that would join it to the path.

    A drop made before it is read within a look of its reader, in the time that every flag waits. Longer only when all the
    meeples may lie on their tiles, to be stood up in any order (the hand has shown nothing for long), or when the drop is
    further off than a slip of the hand: several are not seen yet, or it is misread.
    """
    leaps = any(distance(one, other) > SLIP for one, other in pairwise(begun.path))
    return timing.GAP if laid_down(scene, guess) or leaps else timing.SETTLES


def laid_down(scene: Scene, guess: Guess) -> bool:
    """Whether the hand has shown nothing for so long that all its meeples may lie on their tiles."""
    first = guess.seen[0].moment[1]
    return first - scene.lifted.get(guess.start, first) >= timing.LAYS
