"""The database under the journal: one connection, its locks, and errors in our own words.

SQLite in WAL mode with synchronous=FULL: a commit that returned is on disk. PostgreSQL with synchronous_commit on: the
same. Rows are only ever inserted; triggers in the database refuse the rest, also to other programs. One process at a
time writes for a table: a lock file beside the SQLite file, an advisory lock in PostgreSQL; both go with the process.
"""

from __future__ import annotations

import contextlib
import logging
import os
import sqlite3
import zlib
from collections.abc import Iterator
from pathlib import Path
from typing import IO, Any

import sqlalchemy as sql
from sqlalchemy.exc import ArgumentError, DBAPIError, NoSuchModuleError, OperationalError, SQLAlchemyError

from naqala.addresses import without_secrets
from naqala.journal.errors import (
    JournalBusy,
    JournalDamaged,
    JournalError,
    JournalFull,
    JournalReadOnly,
    JournalTooNew,
    JournalUnreachable,
)
from naqala.journal.locks import LOCK, lock_files, try_lock
from naqala.journal.schema import APPEND_ONLY, APPEND_ONLY_FUNCTION, SCHEMA, about, metadata

LOCK_SPACE = 0x6E61  # the first half of our advisory locks' keys
BUSY_S = 5  # how long SQLite waits for another table's commit
ANSWER_S = 5  # a database whose cable was pulled says nothing: after so long it counts as away


log = logging.getLogger(__name__)


class Store:
    """One open database. `write` gives a transaction that is on disk when its block has ended."""

    def __init__(self, url: str) -> None:
        self.url = as_url(url)
        self.sqlite = self.url.get_backend_name() == "sqlite"
        self.path = Path(self.url.database or "") if self.sqlite else None
        self.name = str(
            self.path or without_secrets(self.url.set(drivername="postgresql").render_as_string(False))
        )
        self._locks: dict[str, IO[str] | None] = {}
        self._mode = "DEFERRED"
        if self.path is not None:
            self._make_place(self.path)
        self._engine = sql.create_engine(
            self.url, poolclass=sql.StaticPool, connect_args=self._connect_args()
        )
        sql.event.listen(self._engine, "connect", self._set_up)
        if self.sqlite:
            # sqlite3 would begin a transaction only at the first write; we say when, and whether it will write.
            sql.event.listen(self._engine, "begin", lambda c: c.exec_driver_sql(f"BEGIN {self._mode}"))
        try:
            with self.words():
                self._connection = self._engine.connect()
            self._check()
        except BaseException:
            self._engine.dispose()
            raise

    def close(self) -> None:
        self._connection.close()
        self._engine.dispose()
        for lock in self._locks.values():
            if lock is not None:
                lock.close()
        self._locks.clear()

    @contextlib.contextmanager
    def write(self) -> Iterator[sql.Connection]:
        """A transaction: all of it is on disk afterwards, or none of it and a JournalError is raised."""
        with self._transaction("IMMEDIATE") as connection:
            yield connection

    @contextlib.contextmanager
    def read(self) -> Iterator[sql.Connection]:
        """A transaction that writes nothing: one moment of the database."""
        with self._transaction("DEFERRED") as connection:
            yield connection

    @contextlib.contextmanager
    def _transaction(self, mode: str) -> Iterator[sql.Connection]:
        with self.words():
            self._reach()
            self._mode = mode
            try:
                with self._connection.begin():
                    yield self._connection
            except DBAPIError as error:
                if error.connection_invalidated:
                    self._connection.close()
                raise

    def _reach(self) -> None:
        """When the server was away, come back to it. The locks went with the connection: a table that somebody else has taken
        since is theirs, and `lock` says so to whoever wants to write for it."""
        if not self._connection.invalidated and not self._connection.closed:
            return
        self._connection.close()
        self._engine.dispose()
        self._connection = self._engine.connect()
        tables, self._locks = list(self._locks), {}
        for table in tables:
            with contextlib.suppress(JournalBusy):
                self.lock(table)

    # --- opening ------------------------------------------------------------------------------------------

    def _make_place(self, path: Path) -> None:
        """Folder and file, for their owner only: a journal holds everybody's hands. SQLite gives the files beside it the same mode."""
        try:
            path.parent.mkdir(mode=0o700, parents=True, exist_ok=True)
        except OSError as error:
            raise JournalReadOnly(f"cannot make the folder {path.parent}: {error.strerror}") from None
        used = [one.name[len(path.name) + 1 : -len(LOCK)] for one in lock_files(path)]
        if used and path.exists() and not path.stat().st_size:
            log.warning(
                "the journal %s is empty, though games of %s were kept in it: look for a copy of the file",
                *(path, ", ".join(sorted(used))),
            )
        with contextlib.suppress(OSError):  # if it cannot be written, SQLite says so in its turn
            os.close(os.open(path, os.O_RDWR | os.O_CREAT, 0o600))
        with contextlib.suppress(OSError):  # of another user: theirs to close
            path.chmod(path.stat().st_mode & 0o700)

    def _connect_args(self) -> dict[str, Any]:
        if self.sqlite:
            return {"timeout": BUSY_S, "check_same_thread": False, "isolation_level": None}
        return {
            "connect_timeout": ANSWER_S,
            "tcp_user_timeout": 1000 * ANSWER_S,
            "keepalives_idle": ANSWER_S,  # while we wait for an answer there is nothing else that could go unanswered
            "keepalives_interval": 1,
            "application_name": f"naqala process {os.getpid()}",
        }

    def _set_up(self, connection: Any, _record: object) -> None:
        cursor = connection.cursor()
        if self.sqlite:
            # Bytes that are no text any more are the affair of the row they stand in, whose digest tells.
            connection.text_factory = lambda raw: raw.decode("utf-8", "surrogateescape")
            for pragma in ("journal_mode=WAL", "synchronous=FULL", "foreign_keys=ON"):
                cursor.execute(f"PRAGMA {pragma}")
        else:
            cursor.execute("SET synchronous_commit = on")
            connection.commit()
        cursor.close()

    def _check(self) -> None:
        if self.sqlite:
            with self.read() as connection:
                problems = [row[0] for row in connection.exec_driver_sql("PRAGMA quick_check")]
            if problems != ["ok"]:
                raise JournalDamaged(f"{self._damaged()} SQLite says: {problems[0].splitlines()[-1]}")
        with self.read() as connection:
            made = sql.inspect(connection).get_table_names()
        if self.sqlite and made and about.name not in made:
            raise JournalDamaged(
                f"{self.name} belongs to another program, or is damaged; choose another (`--journal`)"
            )
        if about.name in made:
            self._check_form()  # before anything is added: a newer journal may keep otherwise what we know
        if set(metadata.tables) - set(made):
            with self.write() as connection:
                self._create(connection)

    def _check_form(self) -> None:
        with self.read() as connection:
            schema = connection.scalar(sql.select(about.c.schema))
        if not isinstance(schema, int):
            raise JournalDamaged(f"{self._damaged()} It does not say of which form it is.")
        if schema > SCHEMA:
            raise JournalTooNew(
                f"the journal {self.name} was written by a newer Naqala (its form is {schema}, this program knows "
                f"{SCHEMA}); update Naqala or choose another journal"
            )

    def _create(self, connection: sql.Connection) -> None:
        if not self.sqlite:
            connection.execute(sql.text("SELECT pg_advisory_xact_lock(:key)"), {"key": LOCK_SPACE})
        made = sql.inspect(connection).get_table_names()  # another process may have been faster
        metadata.create_all(connection)
        backend = self.url.get_backend_name()
        if backend == "postgresql":
            connection.exec_driver_sql(APPEND_ONLY_FUNCTION)
        for table in set(metadata.tables) - set(made):
            for verb in ("UPDATE", "DELETE"):
                connection.exec_driver_sql(APPEND_ONLY[backend].format(table=table, verb=verb))
        if about.name not in made:
            connection.execute(about.insert().values(schema=SCHEMA))

    # --- one writer per table -------------------------------------------------------------------------------

    def lock(self, table: str) -> None:
        """Make this process the only writer for a table; JournalBusy names the one that is. Asked before every write."""
        with self.words():
            self._reach()
        if table in self._locks:
            return
        if self.path is not None:
            file = self._lock_file(table, self.path)
            try:
                with self.write():
                    pass  # a journal that cannot be written is better known now than at the first move
            except JournalError:
                file.close()
                raise
            self._locks[table] = file
            return
        keys = {"space": LOCK_SPACE, "key": zlib.crc32(table.encode())}
        with self.read() as connection:
            if not connection.scalar(_TRY_LOCK, keys):
                raise JournalBusy(
                    _busy(table, self.name, connection.scalar(_HOLDER, keys) or "another program")
                )
        self._locks[table] = None

    def _lock_file(self, table: str, path: Path) -> IO[str]:
        name = "".join(letter if letter.isalnum() else f"%{ord(letter):x}" for letter in table)
        lock_path = path.with_name(f"{path.name}.{name}{LOCK}")
        try:
            file = os.fdopen(os.open(lock_path, os.O_RDWR | os.O_CREAT | os.O_APPEND, 0o600), "a+")
        except OSError as error:
            raise JournalReadOnly(f"cannot write {lock_path}: {error.strerror}") from None
        if not try_lock(file):
            file.seek(0)
            holder = file.read().strip() or "another program"
            file.close()
            raise JournalBusy(_busy(table, self.name, holder))
        file.truncate(0)
        file.write(f"naqala process {os.getpid()}")
        file.flush()
        return file

    # --- errors in our own words ------------------------------------------------------------------------------

    @contextlib.contextmanager
    def words(self) -> Iterator[None]:
        """Turn the database's errors into ours."""
        try:
            yield
        except SQLAlchemyError as error:
            raise self._say(error) from error
        except UnicodeDecodeError as error:  # of the tables' own names, which the driver reads unasked
            raise JournalDamaged(f"{self._damaged()} It says: {error}") from error

    def _say(self, error: SQLAlchemyError) -> JournalError:
        text = str(getattr(error, "orig", None) or error).strip().splitlines()[0]
        origin = getattr(error, "orig", None)
        if isinstance(origin, sqlite3.Error):
            return self._say_sqlite(getattr(origin, "sqlite_errorcode", 0) & 0xFF, text)
        if "No space left" in text or getattr(origin, "sqlstate", None) in ("53100", "53000"):
            return JournalFull(f"the database {self.name} has no room left ({text})")
        if getattr(origin, "sqlstate", None) == "25006":
            return JournalReadOnly(f"the database {self.name} takes no writing now ({text})")
        if isinstance(error, OperationalError) or getattr(error, "connection_invalidated", False):
            return JournalUnreachable(f"the database {self.name} does not answer ({text}); is it running?")
        return JournalError(f"the journal {self.name} failed: {text}")

    def _say_sqlite(self, code: int, text: str) -> JournalError:
        folder = self.path.parent if self.path else ""
        if code in (sqlite3.SQLITE_FULL, sqlite3.SQLITE_IOERR):
            return JournalFull(f"the disk takes no more for {self.name} ({text}); make room in {folder}")
        if code in (sqlite3.SQLITE_READONLY, sqlite3.SQLITE_CANTOPEN, sqlite3.SQLITE_PERM):
            return JournalReadOnly(
                f"cannot write {self.name} ({text}); make it and its folder {folder} writable"
            )
        if code in (sqlite3.SQLITE_CORRUPT, sqlite3.SQLITE_NOTADB) or text.startswith("Could not decode"):
            return JournalDamaged(f"{self._damaged()} SQLite says: {text}")
        if code == sqlite3.SQLITE_BUSY:
            return JournalBusy(f"another program holds {self.name} ({text}); close it and try again")
        return JournalError(f"the journal {self.name} failed: {text}")

    def _damaged(self) -> str:
        return f"the journal {self.name} is damaged; keep it aside and start with another (`--journal`)."


# An advisory lock has two signed halves and is listed with unsigned ones.
_TRY_LOCK = sql.text(
    "SELECT pg_try_advisory_lock(:space, CAST(CAST(:key AS bigint) - 2147483648 AS integer))"
)
_HOLDER = sql.text(
    """SELECT application_name FROM pg_stat_activity JOIN pg_locks USING (pid)
       WHERE locktype = 'advisory' AND granted AND CAST(classid AS bigint) = :space
       AND CAST(objid AS bigint) = (CAST(:key AS bigint) + 2147483648) % 4294967296"""
)


def _busy(table: str, name: str, holder: str) -> str:
    return f"table '{table}' is kept by {holder}; stop that one first, or use another journal than {name}"


def as_url(url: str) -> sql.URL:
    """A path or `sqlite:///path` for SQLite; `postgresql://...` for PostgreSQL, always with psycopg."""
    try:
        made = (
            sql.make_url(url)
            if "://" in url
            else sql.URL.create("sqlite", database=str(Path(url).expanduser()))
        )
        if made.get_backend_name() == "postgresql":
            made = made.set(drivername="postgresql+psycopg")
        elif made.get_backend_name() != "sqlite" or not made.database:
            raise ArgumentError
        made.get_dialect().import_dbapi()
    except (ValueError, ArgumentError, NoSuchModuleError):
        raise JournalError(
            f"a journal is a file or postgresql://user@host/name, not '{without_secrets(url)}'"
        ) from None
    except ModuleNotFoundError:
        raise JournalError("a PostgreSQL journal needs psycopg: pip install 'naqala[postgresql]'") from None
    return made
