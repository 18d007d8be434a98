"""The virtual table: where every piece of the box is, moved by hands, page and robots; the chips below hear of it.

A piece is on a tile (`C4`), in the `hand`, in the `bag`, in the `supply`, `before pink` (a player's own things), or still
in the `box`. Moving it is all that can be done to it, besides laying it on its side and standing it up. Nothing here knows
a rule: whatever people do is done. The line to the host can be pulled out or disturbed (`line`).
"""

from __future__ import annotations

import threading
from collections.abc import Callable, Iterable, Mapping
from random import Random
from typing import Any

from naqala.hands.table import BAG, HAND, SUPPLY, PhysicalTable, Standing, before, home
from naqala.rules.board import TILES
from naqala.table.evidence import FRAME
from naqala.table.pieces import CAMEL_COLOURS
from naqala.transcript import Piece
from naqala.virtual.box import READER_OF, tagged
from naqala.virtual.line import Line
from naqala.virtual.works import SameProcess, Works

BOX = "box"
ASIDE = (HAND, BAG, SUPPLY, BOX)
ON_EACH_TILE = 3
MOST_REMEMBERED = 200  # gestures that can be taken back


class NoSuchGesture(ValueError):
    """A gesture that cannot be made: no such piece, no such place."""


OWN_PLACES = frozenset(map(before, CAMEL_COLOURS))


def is_spot(spot: str) -> bool:
    """A place where a piece can be."""
    return spot in READER_OF or spot in ASIDE or spot in OWN_PLACES


class VirtualTable(PhysicalTable):
    """A box of tagged pieces on thirty readers. All methods are for any thread."""

    def __init__(
        self, seed: int = 1, name: str = "virtual", misses: float = 0.0, works: Works | None = None
    ) -> None:
        self.name = name
        self.seed = seed
        self.works: Works = works or SameProcess(seed, name, misses)
        self.line = Line(seed)
        pieces = tagged(seed)
        super().__init__(pieces, {tag: _home(piece) for tag, piece in pieces.items()})
        self._done: list[dict[str, Standing]] = []  # what taking back a gesture restores
        self._changed = threading.Condition()
        self._listeners: tuple[Callable[[], None], ...] = ()
        self.version = 0

    # --- for the session --------------------------------------------------------------------------------------

    def readers(self) -> dict[int, str]:
        """Reader -> tile."""
        return dict(FRAME)

    # --- looking ----------------------------------------------------------------------------------------------

    def picture(self) -> dict[str, Any]:
        """Everything for a page: tag, piece and posture by place."""
        with self._changed:
            spots: dict[str, list[dict[str, Any]]] = {}
            for tag, standing in self._where.items():
                shown = {"tag": tag, "piece": str(self._pieces[tag]), "lying": standing.lying}
                spots.setdefault(standing.spot, []).append(shown)
            return {"version": self.version, "spots": spots, "line": self.line.state()}

    def wait(self, version: int, timeout: float) -> int:
        """The newest version, as soon as it is newer than this one; after the timeout as it is."""
        with self._changed:
            self._changed.wait_for(lambda: self.version > version, timeout)
            return self.version

    def listen(self, changed: Callable[[], None]) -> None:
        """Call this after every gesture, in the thread that made it: it must not wait for anything."""
        self._listeners = (*self._listeners, changed)

    # --- hands ------------------------------------------------------------------------------------------------

    def move(self, tags: Iterable[str], spot: str, lying: bool = False) -> None:
        """Put pieces somewhere, standing or on their side. NoSuchGesture when there is no such piece or place."""
        chosen = list(tags)
        for tag in chosen:
            self._check(tag)
        if not is_spot(spot):
            raise NoSuchGesture(f"no such place: '{spot[:20]}'")
        self._put(dict.fromkeys(chosen, Standing(spot, lying)))

    def lift(self, tile: str) -> list[str]:
        """Take all meeples of a tile into the hand; their tags."""
        tags = self.at(tile, "meeple")
        self.move(tags, HAND)
        return tags

    def lay_down(self, tag: str) -> None:
        """Lay a piece on its side where it is: it cannot be read."""
        self._check(tag)
        self._put({tag: Standing(self.where(tag), True)})

    def stand_up(self, tag: str) -> None:
        self._check(tag)
        self._put({tag: Standing(self.where(tag))})

    def take_back(self) -> bool:
        """Undo the last gesture of any hand; False when there is none."""
        with self._changed:
            if not self._done:
                return False
            self._put(self._done.pop())
            self._done.pop()  # taking back is no gesture
        return True

    def set_up(self, chance: Random) -> None:
        """Lay out tiles and meeples as people do: shuffled, three meeples on each tile, the rest in its place."""
        tiles = [tag for tag, piece in self._pieces.items() if piece.kind == "tile"]
        meeples = [tag for tag, piece in self._pieces.items() if piece.kind == "meeple"]
        chance.shuffle(tiles)
        chance.shuffle(meeples)
        places = dict(zip(tiles, TILES, strict=True))
        places |= {tag: TILES[number // ON_EACH_TILE] for number, tag in enumerate(meeples)}
        self._put({tag: Standing(places.get(tag, _home(piece))) for tag, piece in self._pieces.items()})
        self._done.clear()

    def disturb(self, *words: str) -> None:
        """Tell the chips below what else happens to them; see `faults`."""
        for line in words:
            self.works.tell(line)

    def touch(self) -> None:
        """Something that a page shows has changed."""
        with self._changed:
            self._new_version()

    def close(self) -> None:
        self.works.close()

    # --- inside -----------------------------------------------------------------------------------------------

    def _new_version(self) -> None:
        """For the holder of the lock."""
        self.version += 1
        self._changed.notify_all()
        for changed in self._listeners:
            changed()

    def _check(self, tag: str) -> None:
        if tag not in self._pieces:
            raise NoSuchGesture(f"no such piece: '{tag[:20]}'")

    def _put(self, gesture: Mapping[str, Standing]) -> None:
        with self._changed:
            changed = {tag: to for tag, to in gesture.items() if self._where[tag] != to}
            self._done.append({tag: self._where[tag] for tag in changed})
            del self._done[:-MOST_REMEMBERED]
            for tag, to in changed.items():
                for line in _words(tag, self._where[tag], to):
                    self.works.tell(line)
                self._where[tag] = to
            self._new_version()


def _home(piece: Piece) -> str:
    """Where a piece is before anybody laid out anything."""
    return BOX if piece.kind == "tile" else home(piece)


def _words(tag: str, old: Standing, to: Standing) -> Iterable[str]:
    """What the chips below hear of it."""
    if to.spot in READER_OF:
        if to.spot != old.spot:
            yield f"place {tag} {READER_OF[to.spot]}"
        if to.lying or old.lying:
            yield f"lay {tag}" if to.lying else f"stand {tag}"
    elif old.spot in READER_OF:
        yield f"remove {tag}"
