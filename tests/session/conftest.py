"""A table to sit at: a session on a real serial link over a pseudo-terminal, a real journal, hands that move pieces."""

from __future__ import annotations

import random
import time
from collections import Counter
from collections.abc import Callable, Iterator, Mapping
from pathlib import Path
from typing import Any

import pytest
from naqala import link
from naqala.journal import Journal
from naqala.rules.board import TILES
from naqala.rules.model import Game
from naqala.rules.opening import dealt
from naqala.session.commands import Answer, Begin, NewGame, Resume, Tap
from naqala.session.missed import mark
from naqala.session.session import Session
from naqala.session.snapshot import Snapshot
from naqala.table.pieces import CAMEL_COLOURS
from naqala.transcript import Piece

from tests.link.conftest import PtyController
from tests.link.model import ModelController

READERS = dict(enumerate(TILES))


class Table:
    """Tagged pieces on thirty readers, moved by hand. `session` follows them."""

    def __init__(
        self,
        folder: Path,
        seed: int = 1,
        players: tuple[str, ...] = ("Ann", "Bob"),
        readers: Mapping[int, str] = READERS,
    ) -> None:
        self.folder = folder
        self.players = players
        self.reader_of = {tile: reader for reader, tile in readers.items()}
        self.layout: Game = dealt(players, random.Random(seed).randrange)
        self.tags: dict[str, Piece] = {}
        self.on: dict[str, list[str]] = {tile: [] for tile in TILES}
        self.aside: dict[str, list[str]] = {}
        self.spare: dict[Piece, list[str]] = {}  # beside the board, for `follow`
        self.colour_of = dict(zip(players, CAMEL_COLOURS, strict=False))
        for tile, printed in zip(TILES, self.layout.tiles, strict=True):
            self.on[tile].append(self._tag(Piece("tile", f"{printed.type} {printed.points}")))
            self.on[tile] += [self._tag(Piece("meeple", letter)) for letter in printed.meeples]
        for name, colour in zip(players, CAMEL_COLOURS, strict=False):
            self.aside[f"camel {name}"] = [self._tag(Piece("camel", colour)) for _ in range(11)]
        for what in ("palm", "palace"):
            self.aside[what] = [self._tag(Piece(what)) for _ in range(12)]
        self.controller = ModelController("oak", len(TILES))
        for tile, reader in self.reader_of.items():
            self.controller.state[reader] = tuple(self.on[tile])
        self.cable: Any = PtyController(folder / "tty-oak", self.controller)
        self.sessions: list[Session] = []

    def _tag(self, piece: Piece) -> str:
        tag = f"e00401{len(self.tags):010x}"
        self.tags[tag] = piece
        return tag

    # --- the host's side --------------------------------------------------------------------------------------

    def open(self, seed: int = 5, journal: str | None = None) -> Session:
        self.journal = Journal.open(journal or str(self.folder / "journal.sqlite"))
        serial = link.open(f"serial:{self.cable.path}", link.Options(mark=mark(self.journal, "oak")))
        session = Session("oak", self.journal, serial, READERS, self.tags, random.Random(seed))
        session.start()
        self.sessions.append(session)
        return session

    def resume(self, position: dict[str, Any], **settings: Any) -> Session:
        """A session in a game that stands like this, whatever lies on the table."""
        with Journal.open(str(self.folder / "journal.sqlite")) as journal:
            journal.new_game("oak", position | {"companion": settings})
        session = self.open()
        assert session.tell(Resume("owner")) == Answer(True)
        return session

    def close(self) -> None:
        while self.sessions:
            self.sessions.pop().stop()
            self.journal.close()

    def begin(self, session: Session, **wanted: Any) -> Snapshot:
        """A game in play, set up on the table as it lies."""
        until(
            session, lambda shown: bool(shown.sight and shown.sight.complete(0)) and len(shown.sight.on) == 30
        )
        assert session.tell(
            NewGame("owner", self.players, CAMEL_COLOURS[: len(self.players)], **wanted)
        ).accepted
        assert session.tell(Begin("owner", session.snapshot.step)) == Answer(True)
        return until(session, lambda shown: shown.stage == "play")

    # --- the hands' side --------------------------------------------------------------------------------------

    def show(self, tile: str) -> None:
        self.cable.put(self.reader_of[tile], *self.on[tile])

    def lift(self, tile: str) -> None:
        """Take up all meeples of a tile."""
        meeples = [tag for tag in self.on[tile] if self.tags[tag].kind == "meeple"]
        self.on[tile] = [tag for tag in self.on[tile] if tag not in meeples]
        self.aside["hand"] = self.aside.get("hand", []) + meeples
        self.show(tile)

    def drop(self, tile: str, letter: str) -> None:
        """Put down a meeple of that colour from the hand."""
        tag = next(tag for tag in self.aside["hand"] if self.tags[tag].which == letter)
        self.aside["hand"].remove(tag)
        self.on[tile].append(tag)
        self.show(tile)

    def scoop(self, tile: str, letter: str) -> None:
        """Take every meeple of a colour from a tile."""
        gone = [tag for tag in self.on[tile] if self.tags[tag] == Piece("meeple", letter)]
        self.on[tile] = [tag for tag in self.on[tile] if tag not in gone]
        self.aside["bag"] = self.aside.get("bag", []) + gone
        self.show(tile)

    def move(self, letter: str, tile: str, onto: str) -> None:
        """Take the meeple of that colour that came last from a tile, and put it on another."""
        tag = [tag for tag in self.on[tile] if self.tags[tag] == Piece("meeple", letter)][-1]
        self.on[tile].remove(tag)
        self.on[onto].append(tag)
        self.show(tile)
        self.show(onto)

    def place(self, what: str, tile: str) -> None:
        """Put a camel, palm or palace on a tile."""
        self.on[tile].append(self.aside[what].pop())
        self.show(tile)

    def follow(self, game: Game) -> None:
        """Move pieces, however, until the table is as this game has it: what hands do beside the moves."""
        short: list[tuple[str, Piece]] = []
        for tile, wanted in zip(TILES, game.tiles, strict=True):
            should = Counter(Piece("meeple", letter) for letter in wanted.meeples)
            should += Counter({Piece("palm"): wanted.palms, Piece("palace"): wanted.palaces})
            should += Counter([Piece("camel", self.colour_of[wanted.camel])] if wanted.camel else [])
            for tag in [tag for tag in self.on[tile] if self.tags[tag].kind != "tile"]:
                if should[self.tags[tag]]:
                    should[self.tags[tag]] -= 1
                else:
                    self.on[tile].remove(tag)
                    self.spare.setdefault(self.tags[tag], []).append(tag)
            short += [(tile, piece) for piece in should.elements()]
        for pieces in self.aside.values():
            while pieces:
                tag = pieces.pop()
                self.spare.setdefault(self.tags[tag], []).append(tag)
        for tile, piece in short:
            self.on[tile].append(self.spare[piece].pop())
        for tile, reader in self.reader_of.items():
            if set(self.controller.state[reader]) != set(self.on[tile]):
                self.show(tile)

    def sow(self, start: str, drops: tuple[tuple[str, str], ...], scoop: bool = True) -> None:
        """A whole move, as careful hands make it."""
        self.lift(start)
        for tile, letter in drops:
            self.drop(tile, letter)
        if scoop:
            self.scoop(*drops[-1])


def until(session: Session, wanted: Callable[[Snapshot], bool], timeout: float = 60) -> Snapshot:
    """The first snapshot that is as wanted."""
    end = time.monotonic() + timeout
    shown = session.snapshot
    while not wanted(shown):
        assert not shown.stopped, shown.stopped
        assert time.monotonic() < end, (
            f"waited in vain; the reading is {shown.reading}, trouble {shown.trouble!r}"
        )
        shown = session.wait(shown.version, 0.2)
    return shown


def tap(session: Session, by: str, **action: Any) -> Answer:
    """A tap on a phone."""
    return session.tell(Tap(by, session.snapshot.step, action))


def bid_all(session: Session) -> None:
    """Everybody bids the cheapest free spot."""
    while session.snapshot.game.turn.phase == "bid":
        choice = session.snapshot.choices[0]
        answer = tap(session, choice.player, do="bid", player=choice.player, spot=choice.action.spot)
        assert answer.accepted, answer


def in_play(table: Table) -> Session:
    """A game at this table, before its first sowing."""
    session = table.open()
    table.begin(session)
    bid_all(session)
    return session


@pytest.fixture
def table(tmp_path: Path, request: pytest.FixtureRequest) -> Iterator[Table]:
    table = Table(tmp_path, getattr(request, "param", 1))
    table.cable.plug()
    yield table
    table.close()
    if table.cable.path.is_symlink():
        table.cable.pull()
