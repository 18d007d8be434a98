"""Making a backup while games go on, and keeping a folder of them in order.

The journal's copy is one moment of it: SQLite's online backup reads beside the writer, pg_dump in one transaction. A backup is
written under another name first, so a full disk or a pulled plug never leaves half of one.
"""

from __future__ import annotations

import contextlib
import hashlib
import os
import shutil
import sqlite3
import subprocess
import tempfile
import zipfile
from collections.abc import Iterator
from dataclasses import dataclass
from datetime import UTC, datetime
from pathlib import Path

import naqala
from naqala.backup import layout
from naqala.backup.journal_rows import ABOUT, KEPT, described, rows_of
from naqala.backup.layout import DUMP, HTTPS, MANIFEST, PLAIN, SETTINGS, SQLITE, BackupError, Manifest, Seen
from naqala.journal import JournalError, now_ms
from naqala.journal.store import as_url

BY_HAND = "by hand"
PIECE_BYTES = 1 << 20
DUMP_S = 600  # a database that has not been dumped by then does not answer


@dataclass(frozen=True)
class Found:
    """A backup of a folder. Without a manifest it is damaged, and `problem` says so."""

    path: Path
    at: datetime
    bytes: int
    manifest: Manifest | None
    problem: str = ""


def make(
    journal: str,
    home: Path,
    folder: Path,
    settings: Path | None = None,
    why: str = BY_HAND,
    turn_over: bool = False,
) -> Path:
    """Write a backup of a journal and of the house's files into a folder; its path. `turn_over` then removes old ones."""
    made = datetime.fromtimestamp(now_ms() / 1000, UTC).replace(microsecond=0)
    try:
        folder.mkdir(mode=0o700, parents=True, exist_ok=True)
        with tempfile.TemporaryDirectory(prefix=".making-", dir=folder) as name:
            parts = _parts(journal, home, settings, Path(name))
            packed = Path(name) / "packed.zip"
            _pack(packed, parts, made, why)
            path = _free_name(folder, made)
            packed.replace(path)
        _settle(folder)
    except OSError as error:
        raise BackupError(f"cannot write a backup to {folder}: {error.strerror or error}") from None
    if turn_over:
        rotate(folder)
    return path


def _parts(journal: str, home: Path, settings: Path | None, work: Path) -> dict[str, Path]:
    """Name in the archive -> file. The journal comes first: what belongs to it (a seat, a tag) is then at least as new."""
    found = dict([_copied(journal, work)])
    for name in PLAIN:
        if (home / name).is_file():
            found[name] = home / name
    if (home / HTTPS).is_dir():
        inside = {f"{HTTPS}/{path.name}": path for path in sorted((home / HTTPS).iterdir()) if path.is_file()}
        found |= {name: path for name, path in inside.items() if layout.belongs(name)}
    if settings is not None and settings.is_file():
        found[SETTINGS] = settings
    return found


def _copied(journal: str, work: Path) -> tuple[str, Path]:
    try:
        url = as_url(journal)
    except JournalError as error:
        raise BackupError(str(error)) from None
    if url.get_backend_name() == "sqlite":
        path = Path(url.database or "")
        if not path.is_file():
            raise BackupError(f"there is no journal at {path} yet")
        return SQLITE, _copied_file(path, work / SQLITE)
    return DUMP, _dumped(
        url.set(drivername="postgresql", password=None).render_as_string(), url.password, work
    )


def _copied_file(path: Path, to: Path) -> Path:
    try:
        with (
            contextlib.closing(sqlite3.connect(f"{path.absolute().as_uri()}?mode=ro", uri=True)) as source,
            contextlib.closing(sqlite3.connect(to)) as target,
        ):
            source.backup(target)
            target.execute("PRAGMA journal_mode=DELETE")  # a copy is one file, with nothing beside it
    except sqlite3.Error as error:
        raise BackupError(f"the journal {path} cannot be copied ({error}); see `naqala doctor`") from None
    return to


def _dumped(url: str, password: str | None, work: Path) -> Path:
    program = shutil.which("pg_dump")
    if program is None:
        raise BackupError("a backup of a PostgreSQL journal needs pg_dump: apt install postgresql-client")
    tables = [f"--table={name}" for name in (ABOUT, *(table.name for table in KEPT))]
    command = [program, "--data-only", "--no-password", "--encoding=UTF8", *tables, f"--dbname={url}"]
    # The password goes through the environment: everybody on this machine may read a program's arguments.
    environment = os.environ | ({"PGPASSWORD": password} if password else {})
    with (work / DUMP).open("wb") as out:
        try:
            done = subprocess.run(
                command, stdout=out, stderr=subprocess.PIPE, env=environment, timeout=DUMP_S, check=False
            )
        except subprocess.TimeoutExpired:
            raise BackupError(f"pg_dump took longer than {DUMP_S // 60} minutes") from None
    if done.returncode:
        said = done.stderr.decode("utf-8", "replace").strip().splitlines() or ["it said nothing"]
        raise BackupError(f"pg_dump failed: {said[0]}")
    return work / DUMP


def _pack(to: Path, parts: dict[str, Path], made: datetime, why: str) -> None:
    kind = next(iter(parts))
    games = described(rows_of(parts[kind], kind))
    files: dict[str, layout.File] = {}
    with (
        os.fdopen(os.open(to, os.O_RDWR | os.O_CREAT | os.O_EXCL, 0o600), "w+b") as file,
        zipfile.ZipFile(file, "w", zipfile.ZIP_DEFLATED) as packed,
    ):
        for name, path in parts.items():
            files[name] = _add(packed, name, path)
        packed.writestr(MANIFEST, Manifest(made, naqala.__version__, why, files, games).to_json())
        packed.close()
        file.flush()
        os.fsync(file.fileno())


def _add(packed: zipfile.ZipFile, name: str, path: Path) -> layout.File:
    """Pack a file that somebody may replace meanwhile: the sum is of the very bytes that went in."""
    digest, count = hashlib.sha256(), 0
    with path.open("rb") as source, packed.open(name, "w", force_zip64=True) as target:
        while piece := source.read(PIECE_BYTES):
            digest.update(piece)
            count += len(piece)
            target.write(piece)
    return layout.File(count, digest.hexdigest())


def _free_name(folder: Path, made: datetime) -> Path:
    again = 1
    while (path := folder / layout.name_at(made, again)).exists():
        again += 1
    return path


def _settle(folder: Path) -> None:
    """A new name is on disk when its folder is; Windows does that by itself."""
    with contextlib.suppress(OSError):
        opened = os.open(folder, os.O_RDONLY)
        try:
            os.fsync(opened)
        finally:
            os.close(opened)


def in_folder(folder: Path) -> tuple[Found, ...]:
    """The backups of a folder, newest first, as their manifests tell."""
    return tuple(sorted(_looked(folder), key=lambda one: (one.at, one.path.name), reverse=True))


def _looked(folder: Path) -> Iterator[Found]:
    for path in folder.iterdir() if folder.is_dir() else ():
        at = layout.time_of(path.name)
        if at is None:
            continue
        try:
            yield Found(path, at, path.stat().st_size, read_manifest(path))
        except BackupError as error:
            yield Found(path, at, path.stat().st_size, None, str(error))
        except OSError:
            continue  # it was removed while we looked


def read_manifest(path: Path) -> Manifest:
    """What an archive says of itself; nothing is compared yet."""
    try:
        with zipfile.ZipFile(path) as packed:
            if packed.getinfo(MANIFEST).file_size > layout.LARGEST_MANIFEST:
                raise BackupError(f"its {MANIFEST} is too large")
            return layout.manifest_from(packed.read(MANIFEST).decode("utf-8"))
    except KeyError:
        raise BackupError(f"it has no {MANIFEST}: it is no backup of Naqala") from None
    except (zipfile.BadZipFile, zipfile.LargeZipFile, EOFError, UnicodeDecodeError, NotImplementedError):
        raise BackupError("it is damaged, or no backup of Naqala") from None
    except (OSError, ValueError, RuntimeError) as error:
        raise BackupError(f"it cannot be read: {getattr(error, 'strerror', None) or error}") from None


def rotate(folder: Path) -> tuple[Path, ...]:
    """Remove the backups that `layout.kept` does not name; files that are not ours stay. Those removed."""
    found = in_folder(folder)
    stay = layout.kept(
        Seen(one.path.name, one.at, bool(one.manifest and one.manifest.is_whole)) for one in found
    )
    gone = [one.path for one in found if one.path.name not in stay]
    for path in gone:
        with contextlib.suppress(OSError):
            path.unlink()
    return tuple(gone)
