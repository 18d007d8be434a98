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

import logging
import threading
from collections.abc import Mapping
from typing import Any

import sqlalchemy as sql
from sqlalchemy.exc import IntegrityError

from naqala.journal import clock, rescue, schema, store
from naqala.journal.clock import now_ms
from naqala.journal.errors import (
    JournalBusy,
    JournalConflict,
    JournalDamaged,
    JournalError,
    JournalFull,
    JournalReadOnly,
    JournalTooNew,
    JournalUnreachable,
    NoSuchGame,
)
from naqala.journal.rows import (
    SET_ASIDE,
    Damaged,
    Entry,
    Game,
    Line,
    digest_of,
    dump,
    game_of,
    is_a_time,
    whole_entries,
)

__all__ = (
    "KINDS",
    "Damaged",
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
    "NoSuchGame",
    "now_ms",
)

LARGEST_ID = 2**31  # of a game: more than a database's number holds
KINDS = ("action", "correction", "override", "undo", "note")

log = logging.getLogger(__name__)


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
    def open(cls, url: str, mend: bool = False) -> Journal:
        """The journal in this file or database, made when it is not there. JournalError says why it cannot be used.

        `mend`: do not stop because of damage. A file that SQLite cannot read to its end is set aside and copied as far as it can
        be read; an open game goes on from its last whole entry. What was done is logged, and nothing is deleted."""
        if not mend:
            return cls(url)
        try:
            return cls(url)._mended()
        except JournalDamaged as error:
            rescue.rescue(store.as_url(url), error)
            return cls(url)._mended()

    def _mended(self) -> Journal:
        """Set open games aside whose entries are damaged; what was whole of them may be resumed."""
        try:
            for game in self.games():
                if game.ended_ms is None:
                    self._set_aside(game)
        except BaseException:
            self.close()
            raise
        return self

    def _set_aside(self, game: Game) -> None:
        with self._lock:
            rows, opening = self._rows(game.id)
            whole = whole_entries(rows, opening)[0]
            if len(whole) == len(rows):
                return
            try:
                self._store.lock(game.table)
            except JournalBusy:
                return  # whoever keeps this table sees to it
            until = whole[-1].at_ms if whole else game.at_ms
            lines = [line for line in self.lines(game.id) if line.at_ms <= until]
            again = self.new_game(game.table, game.opening, game.at_ms)
            for line in lines:
                self.record(again, line.at_ms, line.text)
            for entry in whole:
                self.append(again, entry.number, entry.kind, entry.author, entry.body, entry.at_ms)
            self.flush(again)
            self._end(game.id, SET_ASIDE, None)
        what = "entry %d of game %d (table '%s') in %s is not as it was written"
        then = "the game may be resumed from the %d entries before it"
        log.warning(f"{what}; {then}", len(whole) + 1, game.id, game.table, self.name, len(whole))

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
        text = dump(opening)
        with self._lock:
            self._store.lock(table)
            at = now_ms() if at_ms is None else at_ms
            digest = digest_of("", table, at, text)
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
            text = dump(body)
            digest = digest_of(before, number, entry.at_ms, kind, author, text)
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
        """All games, or those of one table; the newest last. Those that are `damaged` are not among them."""
        return tuple(one for one in self._of(table) if isinstance(one, Game))

    def damaged(self, table: str | None = None) -> tuple[Damaged, ...]:
        """The games that cannot be read any more, and those that were set aside."""
        return tuple(one for one in self._of(table) if isinstance(one, Damaged))

    def _of(self, table: str | None) -> tuple[Game | Damaged, ...]:
        return self._games(*(() if table is None else (schema.games.c.table_name == table,)))

    def game(self, game: int) -> Game:
        """One game. NoSuchGame, or JournalDamaged when it is not as it was written."""
        found = self._games(schema.games.c.id == game) if game < LARGEST_ID else ()
        if not found:
            raise NoSuchGame(f"there is no game {game} in {self.name}")
        if isinstance(found[0], Damaged):
            raise JournalDamaged(found[0].why)
        return found[0]

    def entries(self, game: int) -> tuple[Entry, ...]:
        """The entries of a game in order. JournalDamaged names the first that is not as it was written."""
        with self._lock:
            found = self._read(game)[0]
            if found and self.game(game).ended_ms is None:
                clock.THE_CLOCK.not_before(found[-1].at_ms)
            return found

    def lines(self, game: int) -> tuple[Line, ...]:
        """The raw lines of a game in order, those not yet written included."""
        columns = schema.lines.c
        query = sql.select(columns.at, columns.text).where(columns.game == game).order_by(columns.id)
        with self._lock:
            with self._store.read() as connection:
                rows = connection.execute(query).all()
            # lines have no digest: a time that none is cannot be used
            written = tuple(Line(at, str(text)) for at, text in rows if is_a_time(at))
            return written + tuple(self._unwritten.get(game, ()))

    def _games(self, *where: sql.ColumnElement[bool]) -> tuple[Game | Damaged, ...]:
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
        return tuple(game_of(row, self.name) for row in rows)

    def _rows(self, game: int) -> tuple[list[Any], str]:
        """The rows of a game's entries, and the digest of its opening."""
        columns = schema.entries.c
        query = sql.select(schema.entries).where(columns.game == game).order_by(columns.number)
        with self._store.read() as connection:
            rows = list(connection.execute(query).all())
            opening = connection.scalar(sql.select(schema.games.c.digest).where(schema.games.c.id == game))
        if opening is None:
            raise NoSuchGame(f"there is no game {game} in {self.name}")
        return rows, opening

    def _read(self, game: int) -> tuple[tuple[Entry, ...], tuple[int, str]]:
        rows, opening = self._rows(game)
        found, last = whole_entries(rows, opening)
        if len(found) < len(rows):
            raise JournalDamaged(
                f"entry {len(found) + 1} of game {game} in {self.name} is not as it was written; "
                f"the {len(found)} before it are whole"
            )
        return tuple(found), (len(rows), last)
