"""A backup after every game and every night, made by the running service; one that fails is told and tried again."""

from __future__ import annotations

import threading
from collections.abc import Callable
from dataclasses import dataclass, replace
from datetime import UTC, datetime, time, timedelta
from pathlib import Path
from queue import Queue

import pytest
from naqala.backup import BackupError, in_folder, verify
from naqala.backup.keeper import AFTER_A_GAME, NIGHTLY, Keeper, is_due, time_of_day
from naqala.backup.layout import name_at
from naqala.service import Service
from naqala.settings import Settings, SettingsError

from tests.dashboard.stand import Stand, a_game, snapshot_after

PATIENCE_S = 60


@dataclass
class Counted:
    """Stands for the making of a backup: tells why one was asked for, and may fail."""

    folder: Path
    asked: Queue[str]
    fails: int = 0

    def __call__(self, why: str) -> Path:
        if self.fails:
            self.fails -= 1
            self.asked.put(f"failed {why}")
            raise BackupError("the disk is full")
        path = self.folder / name_at(datetime.now(UTC))
        path.touch()
        self.asked.put(why)
        return path


@pytest.fixture
def stand() -> Stand:
    return Stand(snapshot_after(a_game(2), 3))


def test_one_after_every_game_and_only_one(tmp_path: Path, stand: Stand) -> None:
    making = Counted(tmp_path, Queue())
    keeper = Keeper(making, tmp_path, None)
    keeper.follow("oak", stand, "over")
    keeper.start()
    try:
        for _ in range(2):
            stand.show(stage="play")
            stand.show(stage="over")
            assert making.asked.get(timeout=PATIENCE_S) == AFTER_A_GAME
            stand.show(help=True)  # the sheet is looked at
    finally:
        keeper.stop()
    assert making.asked.empty()


def test_the_end_waits_for_the_last_one(tmp_path: Path, stand: Stand) -> None:
    making = Counted(tmp_path, Queue())
    keeper = Keeper(making, tmp_path, None)
    keeper.follow("oak", stand, "over")
    stand.show(stage="over")
    keeper.start()
    keeper.stop()
    assert making.asked.get(timeout=0) == AFTER_A_GAME


def test_a_night_that_was_slept_through_is_made_up_for(tmp_path: Path) -> None:
    (tmp_path / name_at(datetime.now(UTC) - timedelta(days=2))).touch()
    making = Counted(tmp_path, Queue())
    keeper = Keeper(making, tmp_path, time(4, 0), look_every_s=0.05)
    keeper.start()
    assert making.asked.get(timeout=PATIENCE_S) == NIGHTLY
    keeper.stop()
    assert making.asked.empty()


def test_a_failure_is_told_and_the_next_game_tries_again(tmp_path: Path, stand: Stand) -> None:
    making = Counted(tmp_path, Queue(), fails=1)
    keeper = Keeper(making, tmp_path, time(4, 0), look_every_s=0.05)
    keeper.follow("oak", stand, "over")
    keeper.start()
    try:
        assert making.asked.get(timeout=PATIENCE_S) == f"failed {NIGHTLY}"
        stand.show(stage="over")
        assert making.asked.get(timeout=PATIENCE_S) == AFTER_A_GAME
    finally:
        keeper.stop()
    assert keeper.problem == ""


NOON = datetime(2026, 11, 18, 12, 0, tzinfo=UTC)


@pytest.mark.parametrize(
    ("newest", "now", "due"),
    [
        (None, NOON, True),
        (NOON.replace(hour=4), NOON, False),
        (NOON.replace(hour=3, minute=59), NOON, True),
        (NOON - timedelta(days=1), NOON.replace(hour=3), False),
        (NOON - timedelta(days=2), NOON.replace(hour=3), True),
        (NOON + timedelta(days=400), NOON, False),  # the clock went back
    ],
)
def test_when_one_is_due(newest: datetime | None, now: datetime, due: bool) -> None:
    assert is_due(newest, now, time(4, 0)) is due


@pytest.mark.parametrize("text", ["4 o'clock", "25:00", "04:00:00"])
def test_a_time_that_is_none_is_refused_at_the_start(tmp_path: Path, text: str) -> None:
    settings = Settings(tables={"oak": "virtual"}, journal=str(tmp_path / "j.sqlite"), backup_at=text)
    with pytest.raises(SettingsError, match=r"backup\.at"):
        Service(settings, tmp_path, port=0).start()
    assert time_of_day("") is None


def listening_for(service: Service, table: str, wanted: Callable[[str], bool]) -> threading.Event:
    found = threading.Event()
    session = service.sessions[table]
    session.listen(lambda: found.set() if wanted(session.snapshot.stage) else None)
    return found


def test_the_running_service_backs_up_a_game_that_ends(tmp_path: Path) -> None:
    """A table says that its game is over; then the backup is there, and is verified and read."""
    settings = Settings(tables={"oak": "virtual"}, journal=str(tmp_path / "journal.sqlite"), backup_at="")
    service = Service(settings, tmp_path, port=0)
    service.start()
    try:
        session = service.sessions["oak"]
        session.publish(replace(session.snapshot, stage="over"))  # as the end of a game does
    finally:
        service.stop()
    (found,) = in_folder(tmp_path / "backups")
    assert verify(found.path).problems == ()
    assert found.manifest is not None and found.manifest.why == AFTER_A_GAME
