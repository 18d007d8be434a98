"""The layout of a board without readers, told on phones: which tile lies where, and which meeples stand on it.

A layout is its list of strokes, oldest first; what lies where is folded from them, so an undo takes one stroke away and a
file of strokes is the whole layout. Several people paint at once, each takes back their own last stroke.

    paint - - Ann            the board is painted as it really lies
    tile A1 village_5 Ann    a village of 5 points lies on A1
    meeple A1 Y Bob          one more vizier stands there
    clear A1 - Bob           no meeple stands there; or, where none stands, no tile lies there
    take 3 - Cleo            Cleo looks after row 3
    done 3 yes Cleo          and has finished it
    deal - village_5:YWB,... owner   the companion drew all tiles and meeples: people lay them out as shown

When the box holds only one kind of tile, or one tribe, for all places that are left, these are filled by themselves.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable
from dataclasses import dataclass, replace
from functools import cached_property

from naqala.rules.board import COLUMNS, MEEPLES, NUMBER, ROWS, TILES, TRIBES
from naqala.rules.model import in_tribe_order
from naqala.rules.opening import BOX_MEEPLES, BOX_TILES, ON_EACH_TILE, Printed, shuffled
from naqala.rules.piles import Pick
from naqala.session.phone_commands import Stroke
from naqala.session.refusal import Refused

DEALT, PAINTED = WAYS = ("deal", "paint")
KINDS: tuple[str, ...] = tuple(dict.fromkeys(f"{kind}_{points}" for kind, points in BOX_TILES))
IN_THE_BOX: Counter[str] = Counter(f"{kind}_{points}" for kind, points in BOX_TILES)
PAINTS = ("tile", "meeple", "clear")  # the strokes that an undo takes back
MOST_STROKES = 2_000


@dataclass(frozen=True)
class Lying:
    """What lies where so far, in the order of TILES; None and "" where nobody has told. `rows` says who looks after each row,
    `done` which rows are finished."""

    way: str = ""
    tiles: tuple[str | None, ...] = (None,) * len(TILES)
    meeples: tuple[str, ...] = ("",) * len(TILES)
    rows: tuple[str, ...] = ("",) * len(ROWS)
    done: frozenset[str] = frozenset()

    @cached_property
    def tiles_left(self) -> Counter[str]:
        """Tiles that are still in the box, by kind."""
        return IN_THE_BOX - Counter(one for one in self.tiles if one)

    @cached_property
    def meeples_left(self) -> Counter[str]:
        """Meeples that are still in the bag, by tribe."""
        return Counter(MEEPLES) - Counter("".join(self.meeples))

    @property
    def complete(self) -> bool:
        """Whether every tile lies and bears three meeples."""
        return None not in self.tiles and all(len(one) == ON_EACH_TILE for one in self.meeples)

    @property
    def printed(self) -> tuple[Printed, ...]:
        """Type and points of every tile, once it is complete."""
        return tuple((one.rpartition("_")[0], int(one.rpartition("_")[2])) for one in self.tiles if one)

    def after(self, stroke: Stroke) -> Lying:
        """What lies there after one more stroke. Refused says why it cannot be."""
        if stroke.do not in STROKES:
            raise Refused("invalid", reason=f"no stroke '{stroke.do}'")
        return STROKES[stroke.do](self, stroke)

    def with_tile(self, tile: str, kind: str | None) -> Lying:
        at = NUMBER[tile]
        return replace(self, tiles=(*self.tiles[:at], kind, *self.tiles[at + 1 :]))

    def with_meeples(self, tile: str, meeples: str) -> Lying:
        at = NUMBER[tile]
        return replace(self, meeples=(*self.meeples[:at], in_tribe_order(meeples), *self.meeples[at + 1 :]))

    def filled(self) -> Lying:
        """The same with the places filled for which only one kind is left."""
        tiles, meeples = self.tiles, self.meeples
        if len(self.tiles_left) == 1:
            (kind,) = self.tiles_left
            tiles = tuple(one or kind for one in tiles)
        if len(self.meeples_left) == 1:
            (tribe,) = self.meeples_left
            meeples = tuple(in_tribe_order(one + tribe * (ON_EACH_TILE - len(one))) for one in meeples)
        return replace(self, tiles=tiles, meeples=meeples)


# --- one function per stroke ----------------------------------------------------------------------------------


def _deal(lying: Lying, stroke: Stroke) -> Lying:
    """Everything again, as the companion drew it."""
    pairs = [part.partition(":") for part in stroke.what.split(",")]
    tiles, meeples = tuple(pair[0] for pair in pairs), tuple(pair[2] for pair in pairs)
    if Counter(tiles) != IN_THE_BOX or Counter("".join(meeples)) != Counter(BOX_MEEPLES):
        raise Refused("invalid", reason="this is not what the box holds")
    return Lying(DEALT, tiles, meeples, lying.rows)


def _paint(lying: Lying, stroke: Stroke) -> Lying:
    """An empty board, to be painted as it really lies."""
    return Lying(PAINTED, rows=lying.rows)


def _painted(lying: Lying, stroke: Stroke) -> str:
    if lying.way != PAINTED or stroke.at not in NUMBER:
        raise Refused("invalid", reason="nothing is painted now")
    return stroke.at


def _tile(lying: Lying, stroke: Stroke) -> Lying:
    tile = _painted(lying, stroke)
    if stroke.what not in KINDS:
        raise Refused("invalid", reason=f"no tile '{stroke.what}'")
    without = lying.with_tile(tile, None)
    if not without.tiles_left[stroke.what]:
        raise Refused("no_tile_left", kind=stroke.what)
    return without.with_tile(tile, stroke.what).filled()


def _meeple(lying: Lying, stroke: Stroke) -> Lying:
    tile = _painted(lying, stroke)
    if len(stroke.what) != 1 or stroke.what not in TRIBES:
        raise Refused("invalid", reason=f"no meeple '{stroke.what}'")
    there = lying.meeples[NUMBER[tile]]
    if len(there) >= ON_EACH_TILE:
        raise Refused("tile_is_full", tile=tile)
    if not lying.meeples_left[stroke.what]:
        raise Refused("no_meeple_left", tribe=stroke.what)
    return lying.with_meeples(tile, there + stroke.what).filled()


def _clear(lying: Lying, stroke: Stroke) -> Lying:
    """Nothing is filled here: whoever erases means to paint something else."""
    tile = _painted(lying, stroke)
    return lying.with_meeples(tile, "") if lying.meeples[NUMBER[tile]] else lying.with_tile(tile, None)


def _take(lying: Lying, stroke: Stroke) -> Lying:
    at = _row(stroke)
    who = "" if lying.rows[at] == stroke.by else stroke.by  # a second tap gives the row back
    return replace(lying, rows=(*lying.rows[:at], who, *lying.rows[at + 1 :]))


def _done(lying: Lying, stroke: Stroke) -> Lying:
    row = ROWS[_row(stroke)]
    return replace(lying, done=lying.done | {row} if stroke.what == "yes" else lying.done - {row})


def _row(stroke: Stroke) -> int:
    if len(stroke.at) != 1 or stroke.at not in ROWS:
        raise Refused("invalid", reason=f"no row '{stroke.at}'")
    return ROWS.index(stroke.at)


STROKES = {
    "deal": _deal,
    "paint": _paint,
    "tile": _tile,
    "meeple": _meeple,
    "clear": _clear,
    "take": _take,
    "done": _done,
}


# --- all strokes ----------------------------------------------------------------------------------------------


@dataclass(frozen=True)
class Layout:
    """The strokes so far, and what they make. In text a stroke a line."""

    strokes: tuple[Stroke, ...] = ()
    lying: Lying = Lying()

    def after(self, stroke: Stroke) -> Layout:
        """One stroke more; Refused says why not."""
        if len(self.strokes) >= MOST_STROKES:
            raise Refused("invalid", reason="so many strokes make no layout; begin again")
        lying = self.lying.after(stroke)
        # What came before a new beginning is not needed any more, but who looks after which row is.
        before = self.strokes
        if stroke.do in WAYS:
            before = tuple(one for one in before if one.do == "take")
        return Layout((*before, stroke), lying)

    def without_last(self, by: str) -> Layout:
        """Without the last thing that this person painted. What others painted since stays, unless it can no longer be."""
        mine = [place for place, one in enumerate(self.strokes) if one.by == by and one.do in PAINTS]
        if not mine:
            raise Refused("nothing_to_take_back")
        return folded(self.strokes[: mine[-1]] + self.strokes[mine[-1] + 1 :])

    def __str__(self) -> str:
        return "".join(f"{stroke}\n" for stroke in self.strokes)

    @classmethod
    def from_text(cls, text: str) -> Layout:
        """The other way; ValueError for what is no layout."""
        return folded(Stroke.from_text(line) for line in text.splitlines() if line)


def folded(strokes: Iterable[Stroke]) -> Layout:
    """The layout of these strokes; those that cannot be are left out."""
    layout = Layout()
    for stroke in strokes:
        try:
            layout = layout.after(stroke)
        except Refused:
            continue
    return layout


def drawn(pick: Pick) -> str:
    """Tiles and meeples by a die, as the `what` of a `deal`."""
    tiles = [f"{kind}_{points}" for kind, points in shuffled(BOX_TILES, pick)]
    bag = shuffled(BOX_MEEPLES, pick)
    each = ["".join(bag[at : at + ON_EACH_TILE]) for at in range(0, len(bag), ON_EACH_TILE)]
    return ",".join(f"{tile}:{in_tribe_order(three)}" for tile, three in zip(tiles, each, strict=True))


def row_complete(lying: Lying, row: str) -> bool:
    """Whether every place of a row is told."""
    places = [NUMBER[column + row] for column in COLUMNS]
    return all(lying.tiles[at] and len(lying.meeples[at]) == ON_EACH_TILE for at in places)
