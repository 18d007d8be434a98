"""What a half-told story has still to tell: the meeples of its start tile that it has not placed yet.

In: the meeples with their options, and a set of them as bits. Out: a `Rest`. Many half-told stories of one start tile share
the same set, so that it is worked out once.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import NamedTuple

from naqala.rules.board import TILES, distance
from naqala.table.noise import Noise
from naqala.table.story import Meeple, Path

DISTANCE = tuple(tuple(distance(one, other) for other in TILES) for one in TILES)


class Rest(NamedTuple):
    """The meeples that a half-told story has still to tell of."""

    bits: tuple[int, ...]
    least: float  # what telling of them costs at least
    read: tuple[tuple[int, int], ...]  # (moment, meeple) of those that were read anywhere
    unread: tuple[int, ...]  # of each colour the one that most likely was dropped without being read
    since: int  # when the next drop was read: one that nobody has read was made before
    within: frozenset[int]  # tiles from which the unread ones can lead to a drop that was read


def remaining(meeples: Sequence[Meeple], left: int, others: float, now: int) -> Rest:
    """The meeples whose bits are set in `left`; `others` is what all else on the table costs at least."""
    bits = tuple(bit for bit in range(len(meeples)) if left >> bit & 1)
    read = sorted((meeples[bit].moment, bit) for bit in bits if meeples[bit].placed)
    # Of alike meeples the one that is read nowhere is the one that nobody has read.
    held = [bit for bit in bits if meeples[bit].in_hand]
    dearest = sorted(held, key=lambda bit: -meeples[bit].rest.price)
    unread = {meeples[bit].letter: bit for bit in dearest}
    later = [
        (option.moment, option.tile)
        for bit in bits
        for option in meeples[bit].placed[:1]
        if meeples[bit].least == option.cost.price
    ]
    within = frozenset(
        onto for onto in range(len(TILES)) if any(DISTANCE[onto][tile] <= len(held) for _, tile in later)
    )
    since = min((moment for moment, _ in later), default=now)
    least = sum(meeples[bit].least for bit in bits) + others
    return Rest(bits, least, tuple(read), tuple(unread.values()), since, within)


def awaited(noise: Noise, path: Path) -> bool:
    """Whether a drop that nobody has read was followed by one that was read, and its reader has not looked since."""
    read: int | None = None
    for _, tile, option in reversed(path):
        if option is not None:
            read = option.moment if read is None else min(read, option.moment)
        elif (
            read is not None
            and TILES[tile] not in noise.silent
            and noise.looks(TILES[tile], read, noise.now) < 1
        ):
            return True
    return False
