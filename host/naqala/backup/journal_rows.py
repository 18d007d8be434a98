"""The rows of a journal inside a backup: of a SQLite file, or of what `pg_dump --data-only` wrote. Both give the same rows.

    for table, row in rows_of(path, "journal.sql"): ...     # ("entries", {"game": 1, "number": 1, ...})

A dump is plain text: `COPY schema.entries (game, number, ...) FROM stdin;`, a line for each row with tabs between its values,
then `\\.`. So a club's journal can be read, checked and moved into a file without a PostgreSQL at hand.
"""

from __future__ import annotations

import json
import re
import sqlite3
from collections import defaultdict
from collections.abc import Iterable, Iterator
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import sqlalchemy as sql

from naqala.backup.layout import DUMP, BackupError, GameInside
from naqala.journal import schema
from naqala.journal.rows import opening_is_whole, whole_entries

Row = dict[str, Any]
KEPT = (
    schema.games,
    schema.entries,
    schema.endings,
    schema.lines,
)  # in an order in which they can be written
ABOUT = schema.about.name

_COPY = re.compile(r'COPY (?:"?[^ "]+"?\.)?"?(\w+)"? \(([^)]*)\) FROM stdin;')
_ESCAPED = re.compile(r"\\(.)")
_SIGNS = {"b": "\b", "f": "\f", "n": "\n", "r": "\r", "t": "\t", "v": "\v"}


def rows_of(path: Path, kind: str) -> Iterator[tuple[str, Row]]:
    """Every row with its table's name. BackupError when the file is no journal, or one of a newer form."""
    if kind != DUMP:
        yield from _of_sqlite(path)
        return
    with path.open(encoding="utf-8", newline="\n") as lines:
        try:
            yield from of_dump(lines)
        except (UnicodeDecodeError, ValueError) as error:
            raise BackupError(f"its {DUMP} cannot be read: {error}") from None


def _of_sqlite(path: Path) -> Iterator[tuple[str, Row]]:
    connection = sqlite3.connect(f"{path.absolute().as_uri()}?mode=ro&immutable=1", uri=True)
    connection.text_factory = lambda raw: raw.decode("utf-8", "surrogateescape")
    try:
        for table in (schema.about, *KEPT):
            names = [column.name for column in table.columns]
            order = ", ".join(column.name for column in table.primary_key)
            for values in connection.execute(f"SELECT {', '.join(names)} FROM {table.name} ORDER BY {order}"):
                yield table.name, dict(zip(names, values, strict=True))
    except sqlite3.Error as error:
        raise BackupError(f"its journal cannot be read: {error}") from None
    finally:
        connection.close()


def of_dump(lines: Iterable[str]) -> Iterator[tuple[str, Row]]:
    """The rows of a dump's text; ValueError for a row that does not fit its columns."""
    tables = {table.name: table for table in (schema.about, *KEPT)}
    table: sql.Table | None = None
    names: list[str] = []
    for line in lines:
        line = line.removesuffix("\n")
        if table is None:
            if (found := _COPY.fullmatch(line)) and found[1] in tables:
                table = tables[found[1]]
                names = [name.strip().strip('"') for name in found[2].split(",")]
        elif line == "\\.":
            table = None
        else:
            values = dict(zip(names, map(_value, line.split("\t")), strict=True))
            yield table.name, {column.name: _typed(column, values[column.name]) for column in table.columns}
    if table is not None:
        raise ValueError(f"it ends in the middle of {table.name}")


def _value(text: str) -> str | None:
    return None if text == "\\N" else _ESCAPED.sub(lambda one: _SIGNS.get(one[1], one[1]), text)


def _typed(column: sql.Column[Any], text: str | None) -> Any:
    return int(text) if isinstance(column.type, sql.Integer) and text is not None else text


def described(rows: Iterable[tuple[str, Row]]) -> tuple[GameInside, ...]:
    """The games of a journal: how far their chains of digests hold. BackupError for a journal of a newer form."""
    games: list[Any] = []
    entries: dict[int, list[Any]] = defaultdict(list)
    hows: dict[int, str] = {}
    for table, row in rows:
        if table == ABOUT and row["schema"] != schema.SCHEMA:
            raise BackupError(f"its journal has form {row['schema']}, this program knows {schema.SCHEMA}")
        if table == schema.games.name:
            games.append(SimpleNamespace(**row))
        elif table == schema.entries.name:
            entries[row["game"]].append(SimpleNamespace(**row))
        elif table == schema.endings.name:
            hows[row["game"]] = row["how"]
    return tuple(_described(game, entries[game.id], hows.get(game.id, "")) for game in games)


def _described(game: Any, rows: list[Any], how: str) -> GameInside:
    rows.sort(key=lambda row: row.number)
    whole, digest = whole_entries(rows, game.digest) if opening_is_whole(game) else ([], "")
    try:
        players = tuple(str(one["name"]) for one in json.loads(game.opening)["players"])
    except (ValueError, KeyError, TypeError):
        players = ()
    # An opening that is not as it was written leaves nothing to play from: a game without entries then lacks one as well.
    entries = max(len(rows), 1) if not digest else len(rows)
    return GameInside(game.id, str(game.table_name), game.at, players, entries, len(whole), how, digest)
