"""Backups: one file with everything that a house would miss, made while it is in use, and checked before anybody relies on it.

    path = make("~/naqala/journal.sqlite", home, home / "backups")   # naqala-20261118-031509.zip
    verify(path).problems                                            # () when every digest fits
    restore(path, "/elsewhere/journal.sqlite", Path("/elsewhere"), Path("/elsewhere/naqala.toml"))

`layout` says what is inside and which files of a folder stay (no I/O), `journal_rows` reads the journal in an archive, `make`
and `restore` touch the disk, `keeper` makes one after every game and every night.
"""

from naqala.backup.layout import BackupError, Manifest, kept
from naqala.backup.make import Found, in_folder, make, rotate
from naqala.backup.restore import Verified, restore, verify

__all__ = (
    "BackupError",
    "Found",
    "Manifest",
    "Verified",
    "in_folder",
    "kept",
    "make",
    "restore",
    "rotate",
    "verify",
)
