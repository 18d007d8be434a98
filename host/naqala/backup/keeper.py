"""Backups without anybody thinking of them: after every game, and once a night.

Whether a night's backup is due is read from the folder itself: it is, when the newest one is older than the last time at which
one should have been made. So a machine that was off at four o'clock makes up for it in the evening, and no state is kept.
"""

from __future__ import annotations

import logging
import threading
from collections.abc import Callable
from datetime import UTC, datetime, time, timedelta
from functools import partial
from pathlib import Path
from typing import Protocol

from naqala.backup import layout
from naqala.backup.layout import BackupError

AFTER_A_GAME, NIGHTLY = "after a game", "nightly"
LOOK_EVERY_S = 60.0  # whether it is night; clocks jump, so no longer sleep is planned
AGAIN_AFTER_S = 3600.0  # a backup that failed

log = logging.getLogger(__name__)


class Shown(Protocol):
    @property
    def stage(self) -> str: ...


class Table(Protocol):
    """What is needed of a session."""

    @property
    def snapshot(self) -> Shown: ...

    def listen(self, changed: Callable[[], None]) -> None: ...


def time_of_day(text: str) -> time | None:
    """The time in a setting such as "04:00"; None for an empty one. ValueError for anything else."""
    return datetime.strptime(text, "%H:%M").time() if text else None


def is_due(newest: datetime | None, now: datetime, at: time) -> bool:
    """Whether a nightly backup is missing. All times of one time zone."""
    last = now.replace(hour=at.hour, minute=at.minute, second=0, microsecond=0)
    if last > now:
        last -= timedelta(days=1)
    return newest is None or newest < last


class Keeper:
    """Makes backups in a thread of its own. `problem` is the sentence of the last failure, empty when the last one went well."""

    def __init__(
        self, make: Callable[[str], Path], folder: Path, at: time | None, look_every_s: float = LOOK_EVERY_S
    ) -> None:
        self.make, self.folder = make, folder
        self._at, self._look_every_s = at, look_every_s
        self._over: set[str] = set()
        self._after_games = 0
        self._ended = False
        self._waits_s = 0.0  # after a failure
        self._changed = threading.Condition()
        self._thread = threading.Thread(target=self._run, name="naqala-backup", daemon=True)
        self.problem = ""

    def follow(self, name: str, table: Table, over: str) -> None:
        """Make a backup whenever this table's stage becomes `over`."""
        table.listen(partial(self._look, name, table, over))

    def _look(self, name: str, table: Table, over: str) -> None:
        """In the session's own thread: only a number changes here."""
        if table.snapshot.stage != over:
            self._over.discard(name)
        elif name not in self._over:
            self._over.add(name)
            with self._changed:
                self._after_games += 1
                self._changed.notify_all()

    def start(self) -> None:
        self._thread.start()

    def stop(self) -> None:
        """End; a backup that is being made is finished first."""
        with self._changed:
            self._ended = True
            self._changed.notify_all()
        if self._thread.is_alive():
            self._thread.join()

    def _run(self) -> None:
        while True:
            with self._changed:
                if self._ended and not self._after_games:
                    return
                games, self._after_games = self._after_games, 0
            if games:
                self._try(AFTER_A_GAME)
            elif not self._waits_s and self._is_night():
                self._try(NIGHTLY)
            with self._changed:
                if not self._after_games and not self._ended:
                    self._changed.wait(self._look_every_s)
                self._waits_s = max(0.0, self._waits_s - self._look_every_s)

    def _is_night(self) -> bool:
        if self._at is None:
            return False
        newest = self.newest()
        made = None if newest is None else datetime.fromtimestamp(newest, UTC)
        return is_due(made, datetime.now().astimezone(), self._at)

    def newest(self) -> float | None:
        """When the newest backup was made, in seconds since 1970; None when there is none."""
        times = [layout.time_of(path.name) for path in self.folder.glob("naqala-*.zip")]
        return max((one.timestamp() for one in times if one is not None), default=None)

    def _try(self, why: str) -> None:
        try:
            log.info("backup %s: %s", why, self.make(why))
            self.problem = ""
        except BackupError as error:
            self.problem, self._waits_s = str(error), AGAIN_AFTER_S
            log.warning("no backup %s: %s", why, error)
