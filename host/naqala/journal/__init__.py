"""The journal: every action, correction, override, undo and note of every game, on disk before anyone sees it.

    journal = Journal.open("~/.local/share/naqala/journal.sqlite")       # or postgresql://user@host/naqala
    game = journal.new_game("oak", opening)
    journal.append(game, 1, "action", "Ann", {"do": "bid", "player": "Ann", "spot": 3}, at)

`append` returns when the entry is on disk; an error means that it is not there, or that nobody knows: then the very
same `append`, `at_ms` included, may be made again and finds its entry or writes it. Entries are numbered 1, 2, 3...; each
carries a digest of itself and of all before it, so that a changed or missing one is found when the game is read. Nothing is
changed or deleted, ever: an undo is one more entry. The raw lines of the controller (`record`) are written beside the
entries, with the next one.
Errors are in `errors`; the database is in `store`. Bodies are JSON, whose meaning is the rules' affair.
"""

from __future__ import annotations

import hashlib
import json
import threading
import time
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

import sqlalchemy as sql
from sqlalchemy.exc import IntegrityError

from naqala.journal import schema, store
from naqala.journal.errors import (
    JournalBusy,
    JournalConflict,
    JournalDamaged,
    JournalError,
    JournalFull,
    JournalReadOnly,
    JournalTooNew,
    JournalUnreachable,
)

__all__ = (
    "KINDS",
    "Entry",
    "Game",
    "Journal",
    "JournalBusy",
    "JournalConflict",
    "JournalDamaged",
    "JournalError",
    "JournalFull",
    "JournalReadOnly",
    "JournalTooNew",
    "JournalUnreachable",
    "Line",
)

KINDS = ("action", "correction", "override", "undo", "note")


@dataclass(frozen=True)
class Game:
    id: int
    table: str
    at_ms: int  # since 1970, like all times here
    opening: Mapping[str, Any]
    entries: int  # how many there are
    ended_ms: int | None  # None: it may be resumed
    how: str  # "finished", "aborted", ...; empty while it is open


@dataclass(frozen=True)
class Entry:
    number: int
    at_ms: int
    kind: str  # one of KINDS
    author: str
    body: Any


@dataclass(frozen=True)
class Line:
    """A raw line of the transcript."""

    at_ms: int
    text: str


class Journal:
    """One open journal. May be used from several threads; `close` it, or use it in a `with`."""

    def __init__(self, url: str) -> None:
        self._store = store.Store(url)
        self._lock = threading.RLock()
        self._tables: dict[int, str] = {}  # of the games written so far
        self._tips: dict[int, tuple[int, str]] = {}  # game -> number and digest of its last entry
        self._unwritten: dict[int, list[Line]] = {}
        self._doubt: tuple[int, int, str] | None = None  # an append whose end is not known

    @classmethod
    def open(cls, url: str) -> Journal:
        """The journal in this file or database, made when it is not there. JournalError says why it cannot be used."""
        return cls(url)

    @property
    def name(self) -> str:
        """The file or database, for people; no password."""
        return self._store.name

    def close(self) -> None:
        with self._lock:
            self._store.close()

    def __enter__(self) -> Journal:
        return self

    def __exit__(self, *_error: object) -> None:
        self.close()

    # --- writing --------------------------------------------------------------------------------------------

    def claim(self, table: str) -> None:
        """Make this process the only writer for a table. Every writing method does it by itself."""
        with self._lock:
            self._store.lock(table)

    def new_game(self, table: str, opening: Mapping[str, Any], at_ms: int | None = None) -> int:
        """Begin a game; returns its id."""
        text = _dump(opening)
        with self._lock:
            self._store.lock(table)
            at = now_ms() if at_ms is None else at_ms
            digest = _digest("", table, at, text)
            with self._store.write() as connection:
                row = schema.games.insert().values(at=at, table_name=table, opening=text, digest=digest)
                made = connection.execute(row).inserted_primary_key
            assert made is not None
            game = int(made[0])
            self._tables[game] = table
            self._tips[game] = (0, digest)
            return game

    def append(
        self, game: int, number: int, kind: str, author: str, body: Any, at_ms: int | None = None
    ) -> Entry:
        """Write entry `number`; it and all lines recorded so far are on disk when this returns."""
        if kind not in KINDS:
            raise ValueError(f"no such kind of entry: '{kind}'")
        entry = Entry(number, now_ms() if at_ms is None else at_ms, kind, author, body)
        with self._lock:
            last, before = self._tip(game)
            text = _dump(body)
            digest = _digest(before, number, entry.at_ms, kind, author, text)
            if number != last + 1:
                raise JournalConflict(
                    f"entry {number} of game {game} cannot be written: the last one there is {last}"
                )
            if self._doubt == (game, number, digest) and self._is_there(game, number, digest):
                self._tips[game] = (number, digest)
                return entry
            row = schema.entries.insert().values(
                game=game, number=number, at=entry.at_ms, kind=kind, author=author, body=text, digest=digest
            )
            self._doubt = (game, number, digest)
            try:
                with self._store.write() as connection:
                    connection.execute(row)
                    self._write_lines(connection, game)
            except JournalError as error:
                if isinstance(error.__cause__, IntegrityError):
                    self._doubt = None
                    del self._tips[game]  # what is there is read anew next time
                    raise JournalConflict(f"entry {number} of game {game} is there already") from None
                raise
            self._doubt = None
            self._unwritten.pop(game, None)
            self._tips[game] = (number, digest)
            return entry

    def record(self, game: int, at_ms: int, text: str) -> None:
        """Keep a raw line; it is written with the next entry, or by `flush`."""
        with self._lock:
            self._unwritten.setdefault(game, []).append(Line(at_ms, text))

    def flush(self, game: int) -> bool:
        """Write the raw lines kept so far; whether there were any."""
        with self._lock:
            if not self._unwritten.get(game):
                return False
            self._tip(game)
            with self._store.write() as connection:
                self._write_lines(connection, game)
            self._unwritten.pop(game, None)
            return True

    def close_game(self, game: int, how: str, at_ms: int | None = None) -> None:
        """The game is over ("finished") or given up ("aborted"). It stays readable, and cannot be resumed unless it is
        reopened."""
        with self._lock:
            self.flush(game)
            self._tip(game)
            if self.game(game).ended_ms is not None:
                raise JournalConflict(f"game {game} has ended already")
            self._end(game, how, at_ms)

    def reopen(self, game: int, at_ms: int | None = None) -> None:
        """Something was found after the end: the game goes on, and its first end stays on disk."""
        with self._lock:
            self._tip(game)
            if self.game(game).ended_ms is None:
                raise JournalConflict(f"game {game} has not ended")
            self._end(game, "", at_ms)

    def _end(self, game: int, how: str, at_ms: int | None) -> None:
        with self._store.write() as connection:
            at = now_ms() if at_ms is None else at_ms
            connection.execute(schema.endings.insert().values(game=game, at=at, how=how))

    def _write_lines(self, connection: sql.Connection, game: int) -> None:
        lines = self._unwritten.get(game)
        if lines:
            rows = [{"game": game, "at": line.at_ms, "text": line.text} for line in lines]
            connection.execute(schema.lines.insert(), rows)

    def _tip(self, game: int) -> tuple[int, str]:
        """Number and digest of the last entry; claims the game's table, and checks the whole game at first."""
        if game not in self._tables:
            self._tables[game] = self.game(game).table
        self._store.lock(self._tables[game])
        if game not in self._tips:
            self._tips[game] = self._read(game)[1]
        return self._tips[game]

    def _is_there(self, game: int, number: int, digest: str) -> bool:
        columns = schema.entries.c
        with self._store.read() as connection:
            found = connection.scalar(
                sql.select(columns.digest).where(columns.game == game, columns.number == number)
            )
        return found == digest

    # --- reading --------------------------------------------------------------------------------------------

    def games(self, table: str | None = None) -> tuple[Game, ...]:
        """All games, or those of one table; the newest last."""
        where = () if table is None else (schema.games.c.table_name == table,)
        return self._games(*where)

    def game(self, game: int) -> Game:
        found = self._games(schema.games.c.id == game)
        if not found:
            raise JournalError(f"there is no game {game} in {self.name}")
        return found[0]

    def entries(self, game: int) -> tuple[Entry, ...]:
        """The entries of a game in order. JournalDamaged names the first that is not as it was written."""
        with self._lock:
            return self._read(game)[0]

    def lines(self, game: int) -> tuple[Line, ...]:
        """The raw lines of a game in order, those not yet written included."""
        columns = schema.lines.c
        query = sql.select(columns.at, columns.text).where(columns.game == game).order_by(columns.id)
        with self._lock:
            with self._store.read() as connection:
                written = tuple(Line(at, text) for at, text in connection.execute(query))
            return written + tuple(self._unwritten.get(game, ()))

    def _games(self, *where: sql.ColumnElement[bool]) -> tuple[Game, ...]:
        games, ends, entries = schema.games, schema.endings.c, schema.entries
        count = sql.select(sql.func.count()).where(entries.c.game == games.c.id).scalar_subquery()
        last = [
            sql.select(column)
            .where(ends.game == games.c.id)
            .order_by(ends.id.desc())
            .limit(1)
            .scalar_subquery()
            .label(name)
            for column, name in ((ends.at, "ended"), (ends.how, "how"))
        ]
        query = sql.select(games, *last, count.label("entries")).where(*where).order_by(games.c.id)
        with self._lock, self._store.read() as connection:
            rows = connection.execute(query).all()
        return tuple(
            Game(
                row.id,
                row.table_name,
                row.at,
                self._opening(row),
                row.entries,
                row.ended if row.how else None,
                row.how or "",
            )
            for row in rows
        )

    def _opening(self, row: Any) -> Mapping[str, Any]:
        if row.digest != _digest("", row.table_name, row.at, row.opening):
            raise JournalDamaged(f"the opening of game {row.id} in {self.name} is not as it was written")
        opening: Mapping[str, Any] = json.loads(row.opening)
        return opening

    def _read(self, game: int) -> tuple[tuple[Entry, ...], tuple[int, str]]:
        columns = schema.entries.c
        query = sql.select(schema.entries).where(columns.game == game).order_by(columns.number)
        with self._store.read() as connection:
            rows = connection.execute(query).all()
            digest = connection.scalar(sql.select(schema.games.c.digest).where(schema.games.c.id == game))
        if digest is None:
            raise JournalError(f"there is no game {game} in {self.name}")
        found = []
        for number, row in enumerate(rows, 1):
            digest = _digest(digest, row.number, row.at, row.kind, row.author, row.body)
            if row.number != number or row.digest != digest:
                raise JournalDamaged(
                    f"entry {number} of game {game} in {self.name} is not as it was written; "
                    f"the {number - 1} before it are whole"
                )
            found.append(Entry(row.number, row.at, row.kind, row.author, json.loads(row.body)))
        return tuple(found), (len(rows), digest)


def now_ms() -> int:
    """Milliseconds since 1970."""
    return time.time_ns() // 1_000_000


def _dump(value: Any) -> str:
    return json.dumps(value, ensure_ascii=False, separators=(",", ":"))


def _digest(before: str, *fields: object) -> str:
    # `repr`: what comes back from a damaged file may be of any type; it must differ, not fail
    text = json.dumps([before, *fields], default=repr)
    return hashlib.sha256(text.encode()).hexdigest()[:32]
