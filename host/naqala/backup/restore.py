"""Checking a backup, and taking it back. Nothing is overwritten unless that was asked for, and then what was there is kept.

A restore writes everything beside its place first, reads it again through the journal's own checks, and only then moves it:
a full disk in the middle leaves the house as it was.
"""

from __future__ import annotations

import contextlib
import hashlib
import os
import tempfile
import zipfile
from collections.abc import Iterator
from dataclasses import dataclass
from datetime import datetime
from itertools import islice
from pathlib import Path
from typing import Any

import sqlalchemy as sql

from naqala.backup import layout
from naqala.backup.journal_rows import KEPT, described, rows_of
from naqala.backup.layout import MANIFEST, SETTINGS, BackupError, Manifest
from naqala.backup.make import PIECE_BYTES, read_manifest
from naqala.journal import Journal, JournalError
from naqala.journal.locks import in_use
from naqala.journal.store import Store, as_url

ROWS_AT_ONCE = 2000
ASIDE = "before-restore"


@dataclass(frozen=True)
class Verified:
    """A backup that was read to its end; no problems: everything is as it was written."""

    path: Path
    manifest: Manifest
    problems: tuple[str, ...]


@dataclass(frozen=True)
class Restored:
    """What a restore did: files in their places, and the folder that keeps what was there before (None: nothing was)."""

    manifest: Manifest
    files: tuple[Path, ...]
    aside: Path | None


def verify(path: Path) -> Verified:
    """Read a backup to its end: sums of all files, and the chain of digests of every game. BackupError when it is none."""
    manifest = read_manifest(path)
    with _unpacked(path, manifest) as (parts, problems):
        kind = layout.journal_in(manifest)
        if kind in parts:
            problems += _chains(parts[kind], kind, manifest)
    return Verified(path, manifest, tuple(problems))


@contextlib.contextmanager
def _unpacked(
    path: Path, manifest: Manifest, near: Path | None = None
) -> Iterator[tuple[dict[str, Path], list[str]]]:
    """Every file of the archive that is as its manifest says, in a folder that goes away again; and what is not."""
    with tempfile.TemporaryDirectory(prefix=".naqala-backup-", dir=near) as name:
        parts: dict[str, Path] = {}
        problems: list[str] = []
        with zipfile.ZipFile(path) as packed:
            inside = [one for one in packed.infolist() if one.filename != MANIFEST]
            if len(names := {one.filename for one in inside}) < len(inside):
                problems.append("a file is there twice")
            problems += [f"{lost} is missing" for lost in sorted(manifest.files.keys() - names)]
            for one in inside:
                about = manifest.files.get(one.filename)
                if about is None or not layout.belongs(one.filename):
                    problems.append(f"{one.filename!r} does not belong into a backup")
                elif one.file_size != about.bytes or _too_large(one):
                    problems.append(f"{one.filename} has {one.file_size} bytes, not {about.bytes}")
                else:
                    to = Path(name) / one.filename
                    to.parent.mkdir(exist_ok=True)
                    if said := _extract(packed, one, to, about.sha256):
                        problems.append(said)
                    else:
                        parts[one.filename] = to
        yield parts, problems


def _too_large(one: zipfile.ZipInfo) -> bool:
    return one.filename not in (layout.SQLITE, layout.DUMP) and one.file_size > layout.LARGEST_PLAIN


def _extract(packed: zipfile.ZipFile, one: zipfile.ZipInfo, to: Path, wanted: str) -> str:
    """Write one file of an archive, for its owner's eyes; what is wrong with it."""
    digest = hashlib.sha256()
    try:
        with (
            packed.open(one) as source,
            os.fdopen(os.open(to, os.O_WRONLY | os.O_CREAT, 0o600), "wb") as target,
        ):
            while piece := source.read(PIECE_BYTES):
                digest.update(piece)
                target.write(piece)
    except (zipfile.BadZipFile, EOFError, NotImplementedError, RuntimeError, ValueError) as error:
        return f"{one.filename} cannot be read: {error}"
    except OSError as error:
        raise BackupError(f"cannot unpack {one.filename} to {to.parent}: {error.strerror}") from None
    except Exception as error:  # zlib.error has no name of its own in zipfile's contract
        return f"{one.filename} cannot be read: {error}"
    return "" if digest.hexdigest() == wanted else f"{one.filename} is not as it was written"


def _chains(path: Path, kind: str, manifest: Manifest) -> list[str]:
    """What the journal inside says itself, beside what the manifest says."""
    try:
        found = {game.id: game for game in described(rows_of(path, kind))}
    except BackupError as error:
        return [str(error)]
    problems = [f"game {game.id} is not in its journal" for game in manifest.games if game.id not in found]
    for game in found.values():
        if game.whole < game.entries:
            where = f"game {game.id} of table '{game.table}'"
            problems.append(f"entry {game.whole + 1} of {where} is not as it was written")
        elif game not in manifest.games:
            problems.append(f"game {game.id} is not the one that the manifest names")
    return problems


# --- taking it back ---------------------------------------------------------------------------------------------------------


def restore(path: Path, journal: str, home: Path, settings: Path, replace: bool = False) -> Restored:
    """Put everything of a backup into its place: the journal (a file or a database), the house's files, the settings.

    BackupError, and nothing has changed, when the backup is damaged, when something else is there and `replace` was not
    asked for, or when the journal is in use. What is replaced goes into a folder `before-restore-<time>`."""
    manifest = read_manifest(path)
    try:
        url = as_url(journal)
        home.mkdir(mode=0o700, parents=True, exist_ok=True)
        with _unpacked(path, manifest, home) as (parts, problems):
            kind = layout.journal_in(manifest)
            problems += _chains(parts[kind], kind, manifest) if kind in parts else []
            if problems:
                raise BackupError(f"{path.name} is damaged and was not restored: {'; '.join(problems[:3])}")
            to_file = Path(url.database or "") if url.get_backend_name() == "sqlite" else None
            places = {
                part: settings if name == SETTINGS else home / name
                for name, part in parts.items()
                if name != kind
            }
            if to_file is not None:
                fresh = parts[kind].with_name("fresh.sqlite")
                _write_rows(parts[kind], kind, str(fresh))
                places[fresh] = to_file
            differ = [place for part, place in places.items() if _differs(part, place, to_file)]
            _refuse(differ, to_file, replace)
            if to_file is None:
                _write_rows(parts[kind], kind, journal)
            aside = _move_aside(differ, home) if differ else None
            for part, place in places.items():
                place.parent.mkdir(mode=0o700, parents=True, exist_ok=True)
                part.replace(place)
    except JournalError as error:
        raise BackupError(str(error)) from None
    except OSError as error:
        raise BackupError(f"cannot restore to {home}: {error.strerror or error}") from None
    return Restored(manifest, tuple(places.values()), aside)


def _differs(part: Path, place: Path, journal: Path | None) -> bool:
    """Whether something else is there. A journal is one if it has any game."""
    if not place.exists():
        return False
    if place != journal:
        return place.read_bytes() != part.read_bytes()
    return place.stat().st_size > 0


def _refuse(differ: list[Path], journal: Path | None, replace: bool) -> None:
    if differ and not replace:
        there = ", ".join(str(place) for place in differ)
        raise BackupError(
            f"{there} would be overwritten; --replace does it and keeps what is there now, or choose another --home"
        )
    if journal is not None and in_use(journal):
        raise BackupError(f"{journal} is in use; stop Naqala first")


def _move_aside(differ: list[Path], home: Path) -> Path:
    aside = home / f"{ASIDE}-{datetime.now():%Y%m%d-%H%M%S}"
    aside.mkdir(mode=0o700)
    for place in differ:
        for beside in ("", "-wal", "-shm"):
            old = place.with_name(place.name + beside)
            if old.exists():
                to = aside / (old.relative_to(home) if old.is_relative_to(home) else old.name)
                to.parent.mkdir(exist_ok=True)
                old.replace(to)
    return aside


def _write_rows(path: Path, kind: str, to: str) -> None:
    """Make a journal of these rows, then read it as it will be read: every game to its last entry."""
    store = Store(to)
    try:
        with store.write() as connection:
            if connection.scalar(sql.select(sql.func.count()).select_from(KEPT[0])):
                raise BackupError(f"{store.name} has games already; restore into an empty database")
            for table in KEPT:  # one after the other: an entry needs its game
                rows = (row for name, row in rows_of(path, kind) if name == table.name)
                while some := list(islice(rows, ROWS_AT_ONCE)):
                    connection.execute(table.insert(), some)
            if not store.sqlite:
                _go_on_counting(connection)
    finally:
        store.close()
    with Journal.open(to) as journal:
        for game in journal.games():
            journal.entries(game.id)


def _go_on_counting(connection: Any) -> None:
    """PostgreSQL counts apart from the rows: the next game gets the number after the last one restored."""
    for table in KEPT:
        if "id" in table.columns:
            last = connection.scalar(sql.select(sql.func.max(table.c.id)))
            if last is not None:
                number = sql.func.pg_get_serial_sequence(table.name, "id")
                connection.execute(sql.select(sql.func.setval(number, last)))
