"""A table without a table: sessions that hold any snapshot, for pages that must be shown in every state.

The stand keeps the contract of a session (`snapshot`, `wait`, `tell`) and remembers what it was told. Whole games with
the real session and the virtual table are in `test_evening.py`.
"""

from __future__ import annotations

import threading
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

from naqala.dashboard import Settings, create_app
from naqala.dashboard.stream import close_streams
from naqala.rules.choices import legal
from naqala.rules.game import play
from naqala.rules.record import Record
from naqala.session.commands import Answer, Command, SeatTold
from naqala.session.snapshot import OVER, PLAY, LinkHealth, LogLine, ReaderHealth, Seat, Snapshot
from naqala.simulate import simulated
from naqala.table.pieces import CAMEL_COLOURS
from naqala.web.server import Server

LINK = LinkHealth(
    "serial",
    True,
    "",
    "oak",
    "0.1.0",
    (("lines", 4100), ("bad", 2), ("gaps", 1), ("resyncs", 1), ("round_trip_ms", 3)),
    (("uptime", 3720), ("sweep", 340), ("free", 98304), ("reads", 15200), ("misses", 43)),
)


@dataclass(frozen=True)
class Reading:
    """A reading in its JSON form."""

    data: dict[str, Any]

    def to_json(self) -> dict[str, Any]:
        return self.data


class Stand:
    """A session whose snapshot is set by hand."""

    def __init__(self, snapshot: Snapshot) -> None:
        self._snapshot = snapshot
        self._changed = threading.Condition()
        self._listeners: list[Callable[[], None]] = []
        self.told: list[Command] = []
        self.answer = Answer(True)

    @property
    def snapshot(self) -> Snapshot:
        return self._snapshot

    def show(self, **changes: Any) -> None:
        """Publish a changed snapshot."""
        with self._changed:
            self._snapshot = replace(self._snapshot, version=self._snapshot.version + 1, **changes)
            self._changed.notify_all()
        for changed in self._listeners:
            changed()

    def listen(self, changed: Callable[[], None]) -> None:
        self._listeners.append(changed)

    def wait(self, version: int, timeout: float) -> Snapshot:
        with self._changed:
            self._changed.wait_for(lambda: self._snapshot.version > version, timeout)
            return self._snapshot

    def tell(self, command: Command) -> Answer:
        if isinstance(command, SeatTold):  # in a session that is a line of the log, and nothing else
            return self._noted(command)
        self.told.append(command)
        return self.answer

    def _noted(self, told: SeatTold) -> Answer:
        if self._snapshot.stage == PLAY:
            body = {"seat": told.what, "name": told.name}
            line = LogLine(len(self._snapshot.log) + 1, 1_760_000_000_000, told.by, "note", body=body)
            self.show(log=(*self._snapshot.log, line))
        return Answer(True)


def readers(silent: tuple[str, ...] = ()) -> tuple[ReaderHealth, ...]:
    tiles = [column + row for column in "ABCDEF" for row in "12345"]
    return tuple(
        ReaderHealth(number, tile, "silent", 0, 1000 + number, 0.0, 1, 900, 4, 95_000)
        if tile in silent
        else ReaderHealth(
            number, tile, "ok", 3 + number % 3, 1000 + number, 2.9, number % 4, 5000, 8 + number % 5, 340
        )
        for number, tile in enumerate(tiles)
    )


def snapshot_after(record: Record, steps: int, table: str = "oak", **more: Any) -> Snapshot:
    """The table after so many actions of a record, with its log."""
    lines: list[LogLine] = []
    at = 1_760_000_000.0
    before = record.opening
    for number, step in enumerate(record.steps[:steps], 1):
        at += 11 + (number * 7) % 23
        by = getattr(step.action, "player", None) or "owner"
        _, events = play(before, step.action)
        lines.append(LogLine(number, round(at * 1000), by, "action", step.action, events))
        before = step.game
    game = record.at(steps)
    seats = tuple(Seat(p.name, colour) for p, colour in zip(game.players, CAMEL_COLOURS, strict=False))
    facts: dict[str, Any] = {
        "version": steps + 1,
        "step": steps + 1,
        "stage": OVER if game.turn.phase == "over" else PLAY,
        "seats": seats,
        "opening": record.opening,
        "game": game,
        "choices": legal(game),
        "log": tuple(lines),
        "link": LINK,
        "readers": readers(),
    }
    return Snapshot(table, **(facts | more))


def a_game(players: int | tuple[str, ...] = 3, seed: int = 5, **more: Any) -> Record:
    return simulated(players, seed, switches=more.pop("switches", {}), **more)


def step_where(record: Record, phase: str, start: int = 0, **player: Any) -> int:
    """The first step from `start` on after which the turn is in this phase."""
    return next(n for n in range(start, len(record.steps)) if record.at(n).turn.phase == phase)


@contextmanager
def serving(app: Any, port: int = 0) -> Iterator[str]:
    """The app behind the real server on a free loopback port, as in an evening; gives its address."""
    server = Server(app, "127.0.0.1", port)
    server.start()
    try:
        yield f"http://127.0.0.1:{server.port}"
    finally:
        server.stop()
        close_streams(app)


def app_for(home: Path, *sessions: Stand, let_in: bool = True, **settings: Any) -> Any:
    """The app for these tables. Most tests begin in the middle of a game: the host has let everybody in."""
    app = create_app({session.snapshot.table: session for session in sessions}, Settings(home, **settings))
    for shown in [session.snapshot for session in sessions] if let_in else ():
        for seat in shown.seats:
            app.extensions["naqala-seats"].requests.open_to_next(shown.table, seat.name)
    return app
