"""Killed, full, read-only, damaged, gone: what a journal does when the world around it fails."""

from __future__ import annotations

import os
import shutil
import signal
import socket
import subprocess
import sys
from itertools import pairwise
from pathlib import Path
from random import Random

import pytest
from naqala.journal import (
    Journal,
    JournalBusy,
    JournalConflict,
    JournalDamaged,
    JournalError,
    JournalFull,
    JournalUnreachable,
)
from sqlalchemy.engine.default import DefaultDialect

from tests.conftest import ROOT
from tests.journal.postgres import PostgresServer

PATIENCE = {"TCP_USER_TIMEOUT": 5000, "TCP_KEEPIDLE": 5, "TCP_KEEPINTVL": 1}  # milliseconds, seconds, seconds
BID = {"do": "bid", "player": "Ann", "spot": 3}


@pytest.mark.long
def test_killed_at_random_moments_nothing_reported_is_lost(url: str) -> None:
    kills = 30 if url.startswith("postgresql") else 300
    with Journal.open(url) as journal:
        game = journal.new_game("oak", {})
    command = [sys.executable, "-m", "tests.journal.writer", url, str(game), str(kills), "6"]
    done = subprocess.run(command, cwd=ROOT, capture_output=True, text=True, timeout=300, check=False)
    assert done.returncode == 0, done.stderr
    lives = [tuple(map(int, line.split())) for line in done.stdout.splitlines()]
    assert len(lives) == kills
    with Journal.open(url) as journal:
        last = len(journal.entries(game))
        assert [line.at_ms for line in journal.lines(game)] == list(range(1, last + 1))
    for (_, begun, reported), (found, _, _) in zip(lives, [*lives[1:], (last, 0, 0)], strict=True):
        assert reported <= found <= begun
    inside = sum(begun > reported for _, begun, reported in lives)
    kept = sum(found > reported for (_, _, reported), (found, _, _) in pairwise(lives))
    print(f"{kills} kills, {inside} inside an append, {kept} of those after the commit; {last} entries")
    assert inside > kills / 2


FILL = """
import resource, sys
from naqala.journal import Journal, JournalFull
journal = Journal.open(sys.argv[1])
game = journal.new_game("oak", {})
soft, hard = resource.getrlimit(resource.RLIMIT_FSIZE)
resource.setrlimit(resource.RLIMIT_FSIZE, (300_000, hard))
number = 1
while True:
    try:
        journal.append(game, number, "action", "Ann", "x" * 1000, at_ms=number)
    except JournalFull as error:
        print(number, error)
        break
    number += 1
try:
    journal.append(game, number, "action", "Ann", "x" * 1000, at_ms=number)
    raise SystemExit("the second try must fail like the first")
except JournalFull:
    pass
assert len(journal.entries(game)) == number - 1, "play goes on: what is there can be read"
resource.setrlimit(resource.RLIMIT_FSIZE, (soft, hard))
journal.append(game, number, "action", "Ann", "x" * 1000, at_ms=number)
print(len(journal.entries(game)))
"""


def test_a_disk_that_takes_no_more(tmp_path: Path) -> None:
    """The kernel refuses further bytes; when there is room again the same entry goes in."""
    path = tmp_path / "journal.sqlite"
    done = subprocess.run([sys.executable, "-c", FILL, path], capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stderr
    refused, kept = done.stdout.splitlines()
    assert f"the disk takes no more for {path}" in refused and f"make room in {tmp_path}" in refused
    assert int(kept) == int(refused.split()[0]) > 20
    with Journal.open(str(path)) as journal:
        assert len(journal.entries(1)) == int(kept)


def test_a_full_database(tmp_path: Path) -> None:
    """SQLite's own limit, the same error as a full disk."""
    with Journal.open(str(tmp_path / "journal.sqlite")) as journal:
        game = journal.new_game("oak", {})
        with journal._store.read() as connection:
            pages = connection.exec_driver_sql("PRAGMA page_count").scalar()
            connection.exec_driver_sql(f"PRAGMA max_page_count = {pages + 2}")
        with pytest.raises(JournalFull, match="database or disk is full"):
            for number in range(1, 100):
                journal.append(game, number, "note", "Ann", "x" * 2000)
        kept = len(journal.entries(game))
        with journal._store.read() as connection:
            connection.exec_driver_sql("PRAGMA max_page_count = 100000")
        journal.append(game, kept + 1, "note", "Ann", "there is room again")


READ_ONLY = """
import os, sys
from naqala.journal import Journal, JournalReadOnly
Journal.open(sys.argv[2]).close()  # imports all it needs while it may
if os.getuid() == 0:
    os.setgid(65534); os.setuid(65534)
try:
    journal = Journal.open(sys.argv[1])
except JournalReadOnly as error:
    raise SystemExit(print(error))
print(len(journal.entries(1)))
for write in (lambda: journal.append(1, 2, "note", "Ann", ""), lambda: journal.new_game("oak", {})):
    try:
        write()
    except JournalReadOnly as error:
        print(error)
"""


@pytest.mark.parametrize(
    ("folder_mode", "readable"),
    [(0o777, True), (0o555, False)],  # SQLite cannot even read in WAL mode where it may not put its index
)
def test_a_read_only_journal(tmp_path: Path, open_folder: Path, folder_mode: int, readable: bool) -> None:
    folder = open_folder
    path = folder / "journal.sqlite"
    with Journal.open(str(path)) as journal:
        journal.append(journal.new_game("oak", {}), 1, "action", "Ann", BID)
    (folder / "journal.sqlite.oak.lock").chmod(0o666)
    path.chmod(0o444)
    folder.chmod(folder_mode)
    command = [sys.executable, "-c", READ_ONLY, path, tmp_path / "other.sqlite"]
    done = subprocess.run(command, capture_output=True, text=True, check=False)
    folder.chmod(0o755)
    assert done.returncode == 0, done.stderr
    said = done.stdout.splitlines()
    assert said.count("1") == readable
    refused = [line for line in said if line.startswith(f"cannot write {path} (attempt to write a readonly")]
    assert len(refused) == (2 if readable else 1)
    with Journal.open(str(path)) as journal:
        assert len(journal.entries(1)) == 1


def test_a_damaged_file_never_passes_for_a_whole_one(tmp_path: Path) -> None:
    """Random bytes anywhere: either the damage is told, or it hit nothing that counts."""
    whole = tmp_path / "whole.sqlite"
    with Journal.open(str(whole)) as journal:
        game = journal.new_game("oak", {"players": ["Ann"]})
        for number in range(1, 201):
            journal.record(game, number, f"seen {number} 17 -")
            journal.append(game, number, "action", "Ann", {"spot": number})
        entries = journal.entries(game)
    size = whole.stat().st_size
    chance = Random(4)
    told = 0
    for _ in range(60):
        path = tmp_path / "damaged.sqlite"
        shutil.copy(whole, path)
        with path.open("r+b") as file:
            file.seek(chance.randrange(size - 64))
            file.write(chance.randbytes(chance.choice((1, 16, 64))))
        try:
            with Journal.open(str(path)) as journal:
                assert journal.games()[0].opening == {"players": ["Ann"]}
                assert journal.entries(game) == entries
        except JournalDamaged as error:
            told += 1
            assert "damaged" in str(error) or "is not as it was written" in str(error)
        except JournalError as error:
            raise AssertionError(f"damage must be called damage: {error}") from error
        path.unlink()
    assert told > 20


@pytest.mark.parametrize("content", [b"GIF89a" * 1000, b"naqala-transcript 1\n" * 300])
def test_a_file_that_is_no_journal(tmp_path: Path, content: bytes) -> None:
    path = tmp_path / "journal.sqlite"
    path.write_bytes(content)
    with pytest.raises(JournalDamaged, match="is damaged; keep it aside"):
        Journal.open(str(path))
    assert path.read_bytes() == content


def test_a_power_cut_at_the_postgresql_server(postgres: PostgresServer) -> None:
    """The server dies at once and comes back: the journal says so, then goes on with the very same entry."""
    with Journal.open(postgres.fresh()) as journal:
        game = journal.new_game("oak", {})
        journal.append(game, 1, "action", "Ann", BID)
        postgres.stop(signal.SIGQUIT)
        for _ in range(2):
            with pytest.raises(JournalUnreachable, match="does not answer"):
                journal.append(game, 2, "action", "Ann", BID, at_ms=7)
        postgres.start()
        journal.append(game, 2, "action", "Ann", BID, at_ms=7)
        assert [entry.number for entry in journal.entries(game)] == [1, 2]


def test_a_table_that_another_took_while_the_server_was_away_is_not_written(postgres: PostgresServer) -> None:
    """The lock went with the connection: who comes second stays out, however often the entry is tried; its other tables play on."""
    url = postgres.fresh()
    with Journal.open(url) as first:
        first.claim("elm")
        game = first.new_game("oak", {})
        postgres.stop(signal.SIGQUIT)
        with pytest.raises(JournalUnreachable):
            first.append(game, 1, "action", "Ann", BID, at_ms=7)
        postgres.start()
        with Journal.open(url) as second:
            second.claim("oak")
            for _ in range(3):
                with pytest.raises(JournalBusy, match="table 'oak' is kept by"):
                    first.append(game, 1, "action", "Ann", BID, at_ms=7)
            with pytest.raises(JournalBusy, match="table 'oak' is kept by"):
                first.new_game("oak", {})
            assert first.append(first.new_game("elm", {}), 1, "action", "Ann", BID).number == 1
            with pytest.raises(JournalBusy, match="table 'elm' is kept by"):
                second.claim("elm")


def test_an_append_whose_end_was_not_heard_may_be_made_again(
    url: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The commit is on disk but its confirmation got lost: the same append again is the same entry."""
    with Journal.open(url) as journal:
        game = journal.new_game("oak", {})
        commit = DefaultDialect.do_commit

        def cut(dialect: DefaultDialect, connection: object) -> None:
            commit(dialect, connection)
            raise JournalUnreachable("the line was cut")

        with monkeypatch.context() as patched:
            patched.setattr(DefaultDialect, "do_commit", cut)
            with pytest.raises(JournalUnreachable):
                journal.append(game, 1, "action", "Ann", BID, at_ms=7)
        journal.append(game, 1, "action", "Ann", BID, at_ms=7)
        with pytest.raises(JournalConflict):
            journal.append(game, 1, "action", "Ann", BID, at_ms=7)
        journal.append(game, 2, "action", "Bob", BID, at_ms=8)
        assert [entry.author for entry in journal.entries(game)] == ["Ann", "Bob"]


def test_a_database_whose_cable_is_pulled_is_not_waited_for(postgres: PostgresServer) -> None:
    """It says nothing at all, and only the operating system can tell that nobody is there: what it is told to do about it."""
    with Journal.open(postgres.fresh()) as journal:
        raw = journal._store._connection.connection.driver_connection
        assert raw is not None
        with socket.socket(fileno=os.dup(raw.fileno())) as way:
            asked = {name: way.getsockopt(socket.IPPROTO_TCP, getattr(socket, name)) for name in PATIENCE}
    assert asked == PATIENCE
