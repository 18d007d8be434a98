"""The values that stories are made of: a told story, a half-told one, and the table from which they begin.

`Root` is the record's meeples and a track for every piece; it knows what it costs that nobody moved anything. A `Node` is a
half-told story: where the hand is, where it came from, which meeples are still to be told of. An `Ending` is one told to its
end, a `Story` one with all that follows from it: the breaches, and what else the same hand did.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import NamedTuple

from naqala.rules.breach import Breach
from naqala.rules.sowing import Drop
from naqala.table.noise import FREE, Cost, Noise
from naqala.table.pieces import MEEPLE
from naqala.table.tracks import Track

NO_SCOOP, PART_SCOOP, WHOLE_SCOOP = "none", "part", "whole"


@dataclass(frozen=True, slots=True)
class Story:
    """What hands did, if this is how it was. A story without a start is that nobody has moved."""

    price: float
    rate: float = 0.0  # by how much the price grows per second while nothing new is heard
    start: str | None = None
    drops: tuple[Drop, ...] = ()  # in their order, those that nobody read too
    hand: str = ""  # meeples still in the hand
    left: str = ""  # meeples that never left the start tile
    scoop: str = NO_SCOOP
    over: bool = False  # nothing can follow: all are down, or the group is taken up
    breaches: tuple[Breach, ...] = ()
    places: tuple[tuple[str, str], ...] = ()  # (tag, tile) of the drops that were read
    taken: tuple[str, ...] = ()  # tags of meeples that were taken up with their group
    unseen: int = 0  # drops that nobody read
    hidden: int = 0  # of these, on tiles whose readers tell nothing
    awaited: bool = False  # the reader of one of these has not looked since
    wrong_group: tuple[
        Drop, ...
    ] = ()  # meeples that were taken up and do not belong to the group of the last drop
    foreign: tuple[
        tuple[str, str | None, str], ...
    ] = ()  # (from, to, letter) of meeples of other tiles; None: in the hand

    @property
    def done(self) -> bool:
        """A whole legal move."""
        return self.start is not None and self.over and not self.breaches and not self.left and not self.hand

    @property
    def outcome(self) -> tuple[str | None, Drop | None, tuple[Drop, ...]]:
        """What it makes of the board: two orders of the same drops with the same end are one."""
        return self.start, self.drops[-1] if self.drops else None, tuple(sorted(self.drops))

    def at(self, seconds: float) -> float:
        """Its price so much later, if nothing new is heard."""
        return self.price + self.rate * seconds


class Placed(NamedTuple):
    """One option of a meeple: it was dropped on `tile`, and first read there at `moment`; `until` when it was lost again."""

    tile: int
    moment: int
    cost: Cost
    until: int | None = None


@dataclass(frozen=True, slots=True)
class Meeple:
    """One meeple of the start tile and what may have become of it."""

    letter: str
    tag: str
    placed: tuple[Placed, ...]
    rest: Cost  # if it was not dropped: in the hand, or never lifted
    in_hand: bool  # which of the two

    @property
    def least(self) -> float:
        return min([self.rest.price, *(option.cost.price for option in self.placed)])

    @property
    def moment(self) -> int:
        """When it was read where it most likely lies."""
        return min(self.placed, key=lambda option: (option.cost.price, option.moment)).moment


Path = tuple[tuple[int, int, Placed | None], ...]  # (meeple, tile, how it was read; None: it was not)


class Node(NamedTuple):
    """A half-told story."""

    price: float
    rate: float
    here: int
    before: int  # the tile the hand stood on before; -1 at the start
    left: int  # bits of the meeples not yet told of
    laid: bool  # the meeples were laid down first: the order in which they were read tells nothing
    broken: bool
    path: Path


class Ending(NamedTuple):
    """A story told to its end, before it is looked at what else differs and which rules it breaks."""

    cost: Cost
    hand: str
    left: str
    scoop: str
    over: bool
    path: Path
    taken: tuple[str, ...] = ()
    lost: Cost = FREE  # what of the cost is for drops on the way that are not read any more


class Root:
    """The table from which stories begin: the record's meeples, and a track for every piece."""

    def __init__(
        self,
        meeples: Sequence[str],
        found: Sequence[Track],
        noise: Noise,
        over: bool = False,
        watched: bool = True,
    ) -> None:
        self.meeples, self.noise, self.over = tuple(meeples), noise, over
        self.watched = watched  # False: nobody saw in which order the pieces came
        self.prices = noise.prices
        self.at: dict[str, list[Track]] = {}
        self.gone: dict[
            str, dict[str, list[Track]]
        ] = {}  # tile -> letter -> natives that are read nowhere else
        self.carried: list[Track] = []  # natives that are lost at home and read on another tile
        self._absent: dict[str, Cost] = {}
        self._idle: dict[str, Cost] = {}
        for track in found:
            if track.piece.kind != MEEPLE or track.home is None:
                continue
            self.at.setdefault(track.home, []).append(track)
            if track.back:
                continue
            if track.places:
                self.carried.append(track)
            elif track.left is not None:
                self.gone.setdefault(track.home, {}).setdefault(track.piece.which, []).append(track)

    def idle(self, without: str | None = None) -> Cost:
        """What it costs that nobody has moved anything, the meeples of one tile apart."""
        cost = FREE
        for tile, there in self.at.items():
            if tile == without:
                continue
            for track in there:
                if track.places:
                    cost = cost.plus(self.misread(track))
            cost = cost.plus(self.absent(tile))
        return cost

    def misread(self, track: Track) -> Cost:
        """What it costs that a native is only read on another tile."""
        if track.tag not in self._idle:
            self._idle[track.tag] = self.noise.idle_native(track)
        return self._idle[track.tag]

    def absent(self, tile: str, explained: Sequence[Track] = ()) -> Cost:
        """What it costs that natives of a tile are not read, those that a story explains apart."""
        if not explained and tile in self._absent:
            return self._absent[tile]
        lost = [track.left for track in self.at.get(tile, ()) if not track.back and track.left is not None]
        for track in explained:
            if track.left in lost:
                lost.remove(track.left)
        found = self.noise.unread(tile, lost)
        if not explained:
            self._absent[tile] = found
        return found
