"""Small tables for tests by example: a few tiles, tags with speaking names, lines as a reader would send them."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import replace
from typing import Any

from naqala.rules.actions import Action, Sow
from naqala.rules.board import TILES
from naqala.rules.model import Game
from naqala.rules.position import from_json
from naqala.rules.record import Record
from naqala.table.playback import Playback, Said
from naqala.table.readings import Did, Reading, Wrong
from naqala.table.watch import Watcher, watcher
from naqala.transcript import Piece
from naqala_protocol import Fault, Seen

CALM = 15_000  # milliseconds after which nothing comes any more that waits for time alone


class Small:
    """A board of which only some tiles hold anything, followed from its first sweep on. Every tile has its reader.

    `on` is what lies where: tile -> tags. A tag is a letter and a digit ("Y1") for a meeple, and any name in `others`.
    `record` is what the game says where it differs.
    """

    def __init__(
        self,
        tiles: Mapping[str, str],
        player: str = "Ann",
        others: Mapping[str, str] | None = None,
        record: Mapping[str, str] | None = None,
        **position: Any,
    ) -> None:
        self.names: dict[str, str] = {}
        self.pieces: dict[str, Piece] = {}
        self.on: dict[str, list[str]] = {tile: [] for tile in TILES}
        self.readers = dict(enumerate(TILES))
        self.seq = 0
        extra = position.pop("extra", {})
        count: dict[str, int] = {}
        for tile, letters in tiles.items():
            for letter in letters:
                count[letter] = count.get(letter, 0) + 1
                self.on[tile].append(self.tag(f"{letter}{count[letter]}", Piece("meeple", letter)))
        for name, words in (others or {}).items():
            kind, _, which = words.partition(" ")
            self.tag(name, Piece(kind, which))
        data = {
            "tiles": {t: {"meeples": m} | extra.get(t, {}) for t, m in {**tiles, **(record or {})}.items()}
            | {t: e for t, e in extra.items() if t not in tiles},
            "turn": {"player": player, "phase": "sow"},
            "players": [{"name": "Ann"}, {"name": "Bob"}, {"name": "Cy"}],
        }
        self.game = from_json(data | position)
        self.play = Playback(watcher(self.readers, self.pieces), Record(self.game))
        self.said: list[Said] = []
        self.now = 0
        for tile in TILES:
            self.line(tile)

    def tag(self, name: str, piece: Piece) -> str:
        self.names[name] = f"04{len(self.names):06x}"
        self.pieces[self.names[name]] = piece
        return self.names[name]

    # --- what happens ---

    def line(self, tile: str) -> None:
        """The reader under this tile says what it sees."""
        self.seq += 1
        number = next(n for n, t in self.readers.items() if t == tile)
        self.hear(Seen(self.seq, number, tuple(self.on[tile])))

    def fault(self, tile: str) -> None:
        self.seq += 1
        number = next(n for n, t in self.readers.items() if t == tile)
        self.hear(Fault(self.seq, number, "spi"))

    def hear(self, message: object) -> None:
        """The controller says something."""
        self._take(self.play.hear(message, self.now))

    def wait(self, milliseconds: int) -> None:
        self.now += milliseconds
        self._take(self.play.wait(self.now))
        self.play.watching = replace(self.play.watching, at=self.now)

    def lift(self, tile: str, *names: str, wait: int = 700) -> None:
        """Take these off the tile, or everything."""
        for tag in [self.names[name] for name in names] if names else list(self.on[tile]):
            self.on[tile].remove(tag)
        self.line(tile)
        self.wait(wait)

    def put(self, tile: str, *names: str, wait: int = 700) -> None:
        self.on[tile] += [self.names[name] for name in names]
        self.line(tile)
        self.wait(wait)

    def end(self) -> None:
        self._take(self.play.finish())

    def tap(self, action: Action) -> list[Reading]:
        """Somebody tells an action. Returns what is said to it."""
        before = len(self.said)
        self._take(self.play.tap(action, self.now))
        return [reading for _, reading in self.said[before:]]

    def look(self, watching: Watcher) -> list[Reading]:
        """The referee looks with what people have decided."""
        before = len(self.said)
        self.play.watching = watching
        self._take(self.play.look(self.now))
        return [reading for _, reading in self.said[before:]]

    def _take(self, said: Iterable[Said]) -> None:
        self.said += said

    @property
    def watching(self) -> Watcher:
        return self.play.watching

    @property
    def standing(self) -> Game:
        """The game as the record has it now."""
        return self.play.record.game

    @property
    def count(self) -> int:
        """Actions of the record."""
        return len(self.play.record.steps)

    @property
    def last(self) -> Reading:
        return self.said[-1][1]

    @property
    def words(self) -> list[str]:
        """The kinds of all readings, in order."""
        return [type(reading).__name__.lower() for _, reading in self.said]


# Three on C3; C4 holds a green one, D4 a red one. C3>C4Y>D4.. and so on.
BOARD = {"C3": "YGR", "C4": "YG", "D4": "RW", "C2": "W", "A1": "YWB", "F5": "BB"}


def rules(reading: object) -> list[str]:
    assert isinstance(reading, Wrong), reading
    return [breach.rule for breach in reading.breaches]


def sown(reading: object) -> str:
    assert isinstance(reading, Did) and isinstance(reading.action, Sow), reading
    return ">".join([reading.action.start, *(tile + letter for tile, letter in reading.action.drops)])


def plain(table: Small) -> None:
    table.lift("C3")
    table.put("C4", "Y1")
    table.put("C5", "G1")
    table.put("D5", "R1")
