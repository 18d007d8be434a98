"""The physical table: where every tagged piece is, and a scene in which hands move them while time passes.

A piece stands on a tile (`C4`) or is beside the board: in the `hand`, the `bag`, the `supply`, or before a player
(`before Ann`). It may lie on its side, where no reader can read it. A `Motion` is what a person does: wait, then put some
pieces somewhere. Motions are values, so whoever makes them (this scene, or the virtual table) decides on the clock.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from random import Random
from typing import NamedTuple, Protocol

from naqala.rules.board import COLUMNS, MEEPLES, NUMBER, ROWS, TILES
from naqala.rules.model import PIECES, Game
from naqala.transcript import Piece

HAND, BAG, SUPPLY = "hand", "bag", "supply"
KEPT = "YW"  # viziers and elders stay before their player, the others go back into the bag

# Reader -> tile as the frame is wired: row by row, six columns each.
FRAME: dict[int, str] = dict(enumerate(column + row for row in ROWS for column in COLUMNS))


def before(who: str) -> str:
    """The place of a player's own things."""
    return f"before {who}"


def kept_at(letter: str, who: str) -> str:
    """Where the meeples of a tribe go when a player takes them up."""
    return before(who) if letter in KEPT else BAG


def home(piece: Piece) -> str:
    """Where a piece goes that leaves the board."""
    if piece.kind == "camel":
        return before(piece.which)
    return BAG if piece.kind == "meeple" else SUPPLY


class Pieces(Protocol):
    """What hands must know of a table: which piece a tag is, where it is, and what is at a place."""

    def piece(self, tag: str) -> Piece: ...

    def where(self, tag: str) -> str: ...

    def at(self, spot: str, kind: str | None = None, which: str | None = None) -> list[str]: ...

    def tags(self) -> dict[str, Piece]: ...


def beside(table: Pieces, piece: Piece) -> list[str]:
    """Pieces of that kind off the board and in no hand, where people would take them from first."""
    off = [tag for tag, other in table.tags().items() if other == piece and _is_beside(table.where(tag))]
    return sorted(off, key=lambda tag: (table.where(tag) != home(piece), tag))


def _is_beside(spot: str) -> bool:
    return spot not in NUMBER and spot != HAND


@dataclass(frozen=True, slots=True)
class Standing:
    """Where one piece is, and whether it lies on its side."""

    spot: str
    lying: bool = False


@dataclass(frozen=True, slots=True)
class Motion:
    """After a wait, put these pieces there, standing or on their side."""

    wait_ms: int
    tags: tuple[str, ...]
    spot: str
    lying: bool = False


class PhysicalTable:
    """Tagged pieces and where each of them is."""

    def __init__(self, pieces: Mapping[str, Piece], spots: Mapping[str, str]) -> None:
        self._pieces = dict(pieces)
        self._where = {tag: Standing(spots[tag]) for tag in pieces}

    def piece(self, tag: str) -> Piece:
        return self._pieces[tag]

    def tags(self) -> dict[str, Piece]:
        """Tag -> piece."""
        return dict(self._pieces)

    def where(self, tag: str) -> str:
        """The place of a piece."""
        return self._where[tag].spot

    def lying(self, tag: str) -> bool:
        return self._where[tag].lying

    def at(self, spot: str, kind: str | None = None, which: str | None = None) -> list[str]:
        """The tags at a place, of one kind if it is named; in the order of the box."""
        return [
            tag
            for tag, piece in self._pieces.items()
            if self._where[tag].spot == spot and kind in (None, piece.kind) and which in (None, piece.which)
        ]

    def readable(self, tag: str) -> str | None:
        """The tile on which a reader can read this piece."""
        standing = self._where[tag]
        return standing.spot if standing.spot in NUMBER and not standing.lying else None

    def snapshot(self) -> dict[str, Change]:
        """Where everything is now, as changes that happened at the very beginning."""
        return {tag: Change(0, tag, self.readable(tag), place.spot) for tag, place in self._where.items()}

    def move(self, tags: Iterable[str], spot: str, lying: bool = False) -> None:
        """Put pieces somewhere, standing or on their side."""
        self._where |= {tag: Standing(spot, lying) for tag in tags}


def laid_out(game: Game, dice: Random) -> PhysicalTable:
    """The pieces of a game where its position says; tag ids as they come off a roll."""
    pieces: dict[str, Piece] = {}
    places: dict[str, str] = {}
    first = dice.randrange(1 << 28)

    def put(piece: Piece, spot: str, count: int = 1) -> None:
        for _ in range(count):
            tag = f"e00401{(first + 7 * len(pieces)) % (1 << 40):010x}"
            pieces[tag], places[tag] = piece, spot

    left = Counter(MEEPLES)
    for tile, here in zip(TILES, game.tiles, strict=True):
        put(Piece("tile", tile), tile)
        for letter in here.meeples:
            put(Piece("meeple", letter), tile)
            left[letter] -= 1
        for what, count in zip(PIECES, (here.palms, here.palaces), strict=True):
            put(Piece(what), tile, count)
        if here.camel:
            put(Piece("camel", here.camel), tile)
    for player in game.players:
        put(Piece("camel", player.name), before(player.name), player.camels)
        for letter, count in zip(KEPT, (player.viziers, player.elders), strict=True):
            put(Piece("meeple", letter), before(player.name), count)
            left[letter] -= count
    for letter, count in left.items():
        put(Piece("meeple", letter), BAG, count)
    for what in PIECES:
        put(Piece(what), SUPPLY, game.supply(what))
    return PhysicalTable(pieces, places)


class Change(NamedTuple):
    """From this moment on a tag is at a spot, and can be read on a tile or (None) nowhere."""

    at_ms: int
    tag: str
    tile: str | None
    spot: str


@dataclass
class Scene:
    """Hands at work: a table, the time that motions take, and what a reader could have seen of them."""

    table: PhysicalTable
    now_ms: int = 0
    changes: list[Change] = field(default_factory=list)

    def make(self, motions: Iterable[Motion]) -> list[int]:
        """Make them one after the other; the moments at which each was done."""
        done = []
        for motion in motions:
            self.now_ms += motion.wait_ms
            self.table.move(motion.tags, motion.spot, motion.lying)
            readable = self.table.readable
            self.changes += [Change(self.now_ms, tag, readable(tag), motion.spot) for tag in motion.tags]
            done.append(self.now_ms)
        return done

    def wait(self, milliseconds: int) -> None:
        self.now_ms += milliseconds
