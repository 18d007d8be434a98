"""A service that cannot start says why in one clear line, and leaves nothing running."""

from __future__ import annotations

import os
import re
import subprocess
import sys
from pathlib import Path

import pytest
from naqala.house_files import TAGS
from naqala.journal import JournalBusy
from naqala.service import Service
from naqala.settings import Settings, SettingsError


def started(home: Path, journal: Path | None = None) -> Service:
    tables = {"oak": f"serial:{home / 'nothing'}"}
    service = Service(Settings(tables=tables, journal=str(journal or home / "journal.sqlite")), home, port=0)
    service.start()
    return service


def test_a_home_that_cannot_be_made(tmp_path: Path) -> None:
    (tmp_path / "file").write_text("")
    with pytest.raises(
        SettingsError, match=r"cannot make the folder .*/file/x: .*; choose another with --home"
    ):
        started(tmp_path / "file" / "x", tmp_path / "journal.sqlite")


def test_a_registry_of_tags_that_is_no_text(tmp_path: Path) -> None:
    (tmp_path / TAGS).write_bytes(b"\xff\xfe\x00")
    with pytest.raises(SettingsError, match=f"cannot read .*{re.escape(TAGS)}: it is no text"):
        started(tmp_path)


def test_a_registry_of_tags_that_is_a_folder(tmp_path: Path) -> None:
    (tmp_path / TAGS).mkdir()
    with pytest.raises(SettingsError, match=r"cannot read .*: Is a directory"):
        started(tmp_path)


def test_two_services_on_one_journal(tmp_path: Path) -> None:
    first = started(tmp_path)
    try:
        with pytest.raises(JournalBusy, match=f"table 'oak' is kept by naqala process {os.getpid()}"):
            started(tmp_path)
    finally:
        first.stop()
    started(tmp_path).stop()


def play(home: Path, *before: str) -> tuple[int, list[str]]:
    """`naqala play` at this home, which must end by itself: its exit code and what it said."""
    command = [
        *before,
        str(Path(sys.executable).parent / "naqala"),
        "play",
        "--home",
        str(home),
        "--port",
        "0",
    ]
    command += ["--no-lan", "--no-browser", "--table", f"oak=serial:{home / 'nothing'}"]
    ended = subprocess.run(command, capture_output=True, text=True, timeout=120, check=False)
    return ended.returncode, ended.stderr.splitlines()


def test_two_programs_on_one_journal_and_the_second_says_so(tmp_path: Path) -> None:
    first = started(tmp_path)
    try:
        code, said = play(tmp_path)
    finally:
        first.stop()
    assert code == 2
    assert said == [
        f"naqala: table 'oak' is kept by naqala process {os.getpid()}; stop that one first, "
        f"or use another journal than {tmp_path / 'journal.sqlite'}"
    ]


def test_a_full_disk_at_the_start(tmp_path: Path) -> None:
    """Files may not grow: what a full disk does, without filling one. Afterwards the journal is as it was."""
    started(tmp_path).stop()
    code, said = play(tmp_path, sys.executable, "-c", NO_ROOM)
    assert code == 2
    assert len(said) == 1
    assert said[0].startswith(f"naqala: the disk takes no more for {tmp_path / 'journal.sqlite'}")
    started(tmp_path).stop()


NO_ROOM = """
import os, resource, sys
resource.setrlimit(resource.RLIMIT_FSIZE, (0, 0))
os.execv(sys.argv[1], sys.argv[1:])
"""
