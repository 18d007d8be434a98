"""Lock files beside an SQLite journal: one for each table that a process writes for. They go with the process."""

from __future__ import annotations

import glob
import sys
from pathlib import Path
from typing import IO

LOCK = ".lock"  # how they end


def lock_files(journal: Path) -> list[Path]:
    """All that were ever made beside this journal, whether held or not."""
    return list(journal.parent.glob(f"{glob.escape(journal.name)}.*{LOCK}"))


def in_use(journal: Path) -> bool:
    """Whether a process writes to this journal."""
    for lock in lock_files(journal):
        with lock.open("a+") as file:
            if not try_lock(file):
                return True
    return False


def try_lock(file: IO[str]) -> bool:
    """Hold an open file until it is closed; False when another process does."""
    try:
        if sys.platform == "win32":
            import msvcrt

            msvcrt.locking(file.fileno(), msvcrt.LK_NBLCK, 1)
        else:
            import fcntl

            fcntl.flock(file, fcntl.LOCK_EX | fcntl.LOCK_NB)
    except OSError:
        return False
    return True
