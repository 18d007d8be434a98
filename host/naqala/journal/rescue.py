"""A file that SQLite cannot read to its end: everything that is whole goes into a new one, the old one is kept beside it.

    journal.sqlite                          the new file, with every game as far as it is as it was written
    journal.sqlite.damaged-20261118-011502  the old one, untouched

Pages of a database break as a whole, so rows are looked for in three ways: from the first on, from the last back, and each
entry by its number. What a row says is believed only if its digest does.
"""

from __future__ import annotations

import logging
import shutil
import sqlite3
from collections import defaultdict
from collections.abc import Iterable, Iterator
from datetime import datetime
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import sqlalchemy as sql

from naqala.journal import schema
from naqala.journal.errors import JournalBusy, JournalDamaged, JournalFull
from naqala.journal.locks import in_use, lock_files
from naqala.journal.rows import SET_ASIDE, is_a_time
from naqala.journal.salvage import Rescued, Salvaged, as_line, sorted_out
from naqala.journal.store import Store

FINISHED, ABORTED = "finished", "aborted"
HEAD = b"SQLite format 3\0"
MOST_ENTRIES = 20_000  # of one game, looked for by number

log = logging.getLogger(__name__)


def rescue(url: sql.URL, error: JournalDamaged) -> Salvaged:
    """Put a new file in the place of the damaged one. Raises the error again where there is nothing of ours to rescue."""
    path = Path(url.database or "")
    if url.get_backend_name() != "sqlite" or not _is_ours(path):
        raise error
    done = salvage(path)
    log.warning("the journal %s was damaged; %s", path, "; ".join(done.sentences()))
    return done


def salvage(path: Path) -> Salvaged:
    """Save what is whole of an SQLite journal into a new file in its place; the old one and what cannot be played stay beside it.
    Nobody may be writing to it."""
    if in_use(path):
        raise JournalBusy(f"{path} is damaged and in use; stop the other program first")
    fresh = path.with_name(f"{path.name}.mended")
    aside = _free_name(path)
    for left in _with_its_log(fresh):
        left.unlink(missing_ok=True)
    Store(str(fresh)).close()
    readable = _with_new_names(path, fresh)
    store = Store(str(fresh))
    try:
        games = sorted_out(_rows(readable, schema.games), _entries(readable))
        _write(readable, store, games)
    finally:
        store.close()
        if readable != path:
            for left in _with_its_log(readable):
                left.unlink(missing_ok=True)
    try:
        rest = _write_rest(aside.with_name(f"{aside.name}.rest.jsonl"), games)
        for old, new in zip(_with_its_log(path), _with_its_log(aside), strict=True):
            if old.exists():
                old.replace(new)
        fresh.replace(path)
    except OSError as reason:
        raise JournalFull(f"cannot set {path} aside: {reason.strerror}") from reason
    return Salvaged(aside, rest, games)


def _free_name(path: Path) -> Path:
    """Two salvages of one second keep both old files."""
    name = f"{path.name}.damaged-{datetime.now():%Y%m%d-%H%M%S}"
    again = 1
    while (found := path.with_name(name + (f"-{again}" if again > 1 else ""))).exists():
        again += 1
    return found


def _write_rest(path: Path, games: Iterable[Rescued]) -> Path | None:
    lines = [as_line(row) for game in games for row in game.rest]
    if not lines:
        return None
    path.touch(0o600)
    path.write_text("".join(lines), encoding="utf-8")
    return path


def _with_new_names(path: Path, fresh: Path) -> Path:
    """The file itself, if it still says where its tables begin; else a copy in which the pages that say so are those of a new
    journal: all journals of one form are made in the same order, so their tables begin in the same places."""
    if schema.games.name in _names(path):
        return path
    new, old = fresh.read_bytes(), bytearray(path.read_bytes())
    size = int.from_bytes(new[16:18], "big")
    old += bytes(-len(old) % size)  # the last page may have been cut off
    old += bytes(max(0, len(new) - len(old)))
    for page in _pages_of_names(new, size):
        old[(page - 1) * size : page * size] = new[(page - 1) * size : page * size]
    old[28:32] = (len(old) // size).to_bytes(4, "big")  # how many pages there are
    copy = path.with_name(f"{path.name}.readable")
    copy.touch(0o600)
    copy.write_bytes(old)
    log_of_both = [one.with_name(one.name + "-wal") for one in (path, copy)]
    if log_of_both[0].exists():
        shutil.copyfile(*log_of_both)
    return copy


def _pages_of_names(data: bytes, size: int) -> list[int]:
    """The pages of the tree that begins on the first page: the names of all tables. Leaves of a tree are of kind 13, the others
    of kind 5 and name the pages below them (https://www.sqlite.org/fileformat2.html, "B-tree Pages")."""
    found, left = [], [1]
    while left:
        number = left.pop()
        found.append(number)
        page = data[(number - 1) * size : number * size]
        head = 100 if number == 1 else 0
        if page[head] != 5:
            continue
        cells = int.from_bytes(page[head + 3 : head + 5], "big")
        places = [head + 12 + 2 * cell for cell in range(cells)]
        starts = [int.from_bytes(page[place : place + 2], "big") for place in places]
        below = [head + 8, *starts]
        left += [int.from_bytes(page[start : start + 4], "big") for start in below]
    return found


def _names(path: Path) -> list[str]:
    return [name for (name,) in _read(path, "SELECT name FROM sqlite_master")]


def _with_its_log(path: Path) -> list[Path]:
    """A database and what SQLite keeps beside it."""
    return [path.with_name(path.name + ending) for ending in ("", "-wal", "-shm")]


def _is_ours(path: Path) -> bool:
    """Whether this is a journal: by its tables, and where they cannot be read by the locks of its tables. Nobody may be
    writing to it."""
    locks = lock_files(path)
    try:
        if in_use(path):
            raise JournalBusy(f"{path} is damaged and in use; stop the other program first")
        if path.read_bytes()[: len(HEAD)] != HEAD:
            return bool(locks)  # nobody else makes these
        names = _names(path)
    except OSError:
        return False
    return schema.games.name in names or (not names and bool(locks))


def _read(path: Path, query: str, *values: object) -> Iterator[Any]:
    """The rows of a query up to the first that cannot be read."""
    try:
        connection = sqlite3.connect(f"{path.absolute().as_uri()}?mode=ro", uri=True)
    except sqlite3.Error:
        return
    try:
        connection.text_factory = lambda raw: raw.decode("utf-8", "surrogateescape")
        yield from connection.execute(query, values)
    except (sqlite3.Error, UnicodeDecodeError):  # the second from a damaged name of a table or column
        return
    finally:
        connection.close()


def _write(path: Path, store: Store, games: Iterable[Rescued]) -> None:
    """Everything that is whole, with the numbers it has. A finished game that lost entries has no winner: it counts as given up."""
    saved = {game.id: game for game in games if game.game is not None}
    ends: dict[int, Any] = {}
    with store.write() as connection:
        for game in saved.values():
            connection.execute(schema.games.insert().values(**vars(game.game)))
            for row in game.whole:
                connection.execute(schema.entries.insert().values(**vars(row)))
        for table in (schema.endings, schema.lines):
            for row in _rows(path, table):
                if row.game in saved and is_a_time(row.at) and _is_text(row):
                    connection.execute(table.insert().values(**vars(row)))
                    ends |= {row.game: row} if table is schema.endings else {}
        for number, end in ends.items():
            if saved[number].is_cut and end.how in (FINISHED, SET_ASIDE):
                connection.execute(schema.endings.insert().values(game=number, at=end.at, how=ABORTED))


def _entries(path: Path) -> dict[int, dict[int, Any]]:
    """All rows of entries that can be read, by game and number: as they lie there, then one by one along the index."""
    found: dict[int, dict[int, Any]] = defaultdict(dict)
    for row in _rows(path, schema.entries):
        if isinstance(row.game, int) and isinstance(row.number, int) and 0 < row.number < MOST_ENTRIES:
            found[row.game][row.number] = row
    for game in list(found):
        _look_up(path, game, found[game])
    return found


def _look_up(path: Path, game: int, known: dict[int, Any]) -> None:
    """Rows of a broken page may still be found by their number. The first that is not is not looked for any further."""
    names = [column.name for column in schema.entries.columns]
    query = "SELECT {} FROM entries WHERE game = ? AND number = ?".format(", ".join(names))
    for number in range(1, MOST_ENTRIES):
        if number in known:
            continue
        told = next(_read(path, query, game, number), None)
        if told is None:
            break
        known[number] = SimpleNamespace(**dict(zip(names, told, strict=True)))


def _rows(path: Path, table: sql.Table) -> list[Any]:
    """The rows of a table from both ends to where it breaks."""
    names = [column.name for column in table.columns]
    found: dict[int, Any] = {}
    for order in ("ASC", "DESC"):
        query = f"SELECT rowid, {', '.join(names)} FROM {table.name} NOT INDEXED ORDER BY rowid {order}"
        for number, *values in _read(path, query):
            if number in found:
                break  # both ends have met
            found[number] = SimpleNamespace(**dict(zip(names, values, strict=True)))
    return [found[number] for number in sorted(found)]


def _is_text(row: Any) -> bool:
    """Whether every text of it can be written."""
    texts = [value for value in vars(row).values() if isinstance(value, str)]
    return all(text.isascii() or not any("\ud800" <= letter <= "\udfff" for letter in text) for text in texts)
