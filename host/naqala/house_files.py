"""What a house keeps on disk, for the service: its journal, its backups, its list of tags. One folder, one journal."""

from __future__ import annotations

import logging
import threading
from collections.abc import Mapping
from pathlib import Path

from naqala import backup
from naqala.backup import pending
from naqala.backup.keeper import Keeper, time_of_day
from naqala.journal import Journal, JournalTooNew
from naqala.journal.schema import SCHEMA
from naqala.settings import FILE, Settings, SettingsError
from naqala.table.pieces import read_tags, write_tags
from naqala.transcript import Piece

TAGS = "tags.csv"

log = logging.getLogger(__name__)


class HouseFiles:
    """The files of one house. SettingsError when the folder or a setting cannot be used."""

    def __init__(self, settings: Settings, home: Path) -> None:
        self._settings, self._home, self._journal_url = settings, home, settings.journal_url
        self._enrolling = threading.Lock()
        try:
            at = time_of_day(settings.backup_at)
        except ValueError:
            raise SettingsError(
                f"'backup.at' should be a time such as 04:00, or empty, not '{settings.backup_at}'"
            ) from None
        self.keeper = Keeper(self.back_up, settings.backups(home), at)
        try:
            home.mkdir(parents=True, exist_ok=True)
        except OSError as error:
            raise SettingsError(
                f"cannot make the folder {home}: {error.strerror}; choose another with --home"
            ) from None

    def open_journal(self) -> Journal:
        """The journal of the settings, after a restore that the host agreed to. One that a newer Naqala wrote waits for the
        update, and games go into another file."""
        # The settings of this start stay in force: those of the backup are put into the home folder, for people to look at.
        pending.restore_pending(self._home, self._journal_url, self._home / FILE)
        try:
            return Journal.open(self._journal_url, mend=True)
        except JournalTooNew as error:
            self._journal_url = str(self._home / f"journal-form-{SCHEMA}.sqlite")
            log.warning("%s; until then games are kept in %s", error, self._journal_url)
            return Journal.open(self._journal_url, mend=True)

    def back_up(self, why: str) -> Path:
        """Make a backup now; its path. BackupError when it cannot be made."""
        folder = self._settings.backups(self._home)
        return backup.make(self._journal_url, self._home, folder, self._settings.file, why, turn_over=True)

    def tags(self) -> Mapping[str, Piece]:
        path = self._home / TAGS
        try:
            return read_tags(path.read_text(encoding="utf-8")) if path.exists() else {}
        except OSError as error:
            raise SettingsError(f"cannot read {path}: {error.strerror}") from None
        except UnicodeDecodeError:
            raise SettingsError(f"cannot read {path}: it is no text") from None

    def keep_tags(self, changes: Mapping[str, Piece]) -> Mapping[str, Piece]:
        """Pieces were enrolled: they go into the file, with all that it holds by now; what it holds then. The new file is written
        beside the old one, so that a full disk leaves the old one whole."""
        path, fresh = self._home / TAGS, self._home / f"{TAGS}.new"
        with self._enrolling:
            before = path.read_text(encoding="utf-8") if path.exists() else ""
            tags = {**read_tags(before), **changes}
            fresh.write_text(write_tags(tags, before), encoding="utf-8")
            fresh.replace(path)
            return tags
