"""A backup that was uploaded: looked at first, restored when the companion starts the next time.

    incoming-backup.zip      just uploaded; the page shows what is in it
    restore-at-start.zip     the host said yes

A journal cannot be replaced under a running game, so the restore happens at the next start, before anything is opened; what was
there is kept as after `naqala backup restore --replace`.
"""

from __future__ import annotations

import logging
import os
from pathlib import Path
from typing import IO

from naqala.backup.layout import BackupError
from naqala.backup.make import PIECE_BYTES
from naqala.backup.restore import Verified, restore, verify

INCOMING, PENDING, REFUSED = "incoming-backup.zip", "restore-at-start.zip", "refused-backup.zip"

log = logging.getLogger(__name__)


def receive(home: Path, source: IO[bytes]) -> Verified:
    """Keep an uploaded file and read it to its end. BackupError, and nothing is kept, when it is no backup."""
    path = home / INCOMING
    path.unlink(missing_ok=True)
    try:
        with os.fdopen(os.open(path, os.O_WRONLY | os.O_CREAT | os.O_EXCL, 0o600), "wb") as file:
            while piece := source.read(PIECE_BYTES):
                file.write(piece)
        return verify(path)
    except BackupError:
        path.unlink(missing_ok=True)
        raise
    except OSError as error:
        path.unlink(missing_ok=True)
        raise BackupError(f"it could not be kept: {error.strerror}") from None


def incoming(home: Path) -> Verified | None:
    """The backup that waits for a yes or no."""
    return _verified(home / INCOMING)


def pending(home: Path) -> Verified | None:
    """The backup that will be restored at the next start."""
    return _verified(home / PENDING)


def _verified(path: Path) -> Verified | None:
    try:
        return verify(path) if path.is_file() else None
    except BackupError:
        return None


def agree(home: Path) -> bool:
    """The host's yes to what was uploaded; False when there is nothing, or it is damaged."""
    found = incoming(home)
    if found is None or found.problems:
        return False
    (home / INCOMING).replace(home / PENDING)
    return True


def discard(home: Path) -> None:
    """Neither looked at nor restored any more."""
    for name in (INCOMING, PENDING):
        (home / name).unlink(missing_ok=True)


def restore_pending(home: Path, journal: str, settings: Path) -> bool:
    """At the start: restore what the host agreed to. It is tried once; one that cannot be restored is put aside and named."""
    path = home / PENDING
    if not path.is_file():
        return False
    try:
        done = restore(path, journal, home, settings, replace=True)
    except BackupError as error:
        path.replace(home / REFUSED)
        log.warning("the uploaded backup was not restored and is kept as %s: %s", home / REFUSED, error)
        return False
    path.unlink(missing_ok=True)
    kept = f"; what was there before is in {done.aside}" if done.aside else ""
    log.warning(
        "restored the backup of %s with %d games%s", done.manifest.made, len(done.manifest.games), kept
    )
    return True
