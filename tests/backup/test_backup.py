"""A backup is one file that another machine can go on from: checked here with zipfile, hashlib and sqlite3 alone, and by playing on.

What the archive says about itself is never taken as proof: files are hashed again, rows are read again, the game is told again.
"""

from __future__ import annotations

import hashlib
import json
import shutil
import sqlite3
import stat
import subprocess
import sys
import zipfile
from datetime import UTC, datetime, timedelta
from itertools import pairwise
from pathlib import Path

import pytest
from click.testing import CliRunner, Result
from naqala.backup import BackupError, kept, make, rotate, verify
from naqala.backup.layout import Seen, name_at, time_of
from naqala.backup.restore import restore
from naqala.cli import main
from naqala.journal import Journal

from tests.journal.conftest import postgres
from tests.journal.postgres import PostgresServer
from tests.journal.test_damage import BODIES, a_game
from tests.journal.test_journal import tamper

__all__ = ("postgres",)

FILES = {
    "tags.csv": "tag,piece\n04a1b2c3,meeple Y\n",
    "dashboard-keys.json": '{"signing": "s", "owner": "o"}',
    "dashboard-seats.json": "{}",
}


@pytest.fixture
def home(tmp_path: Path) -> Path:
    """A house with a finished game, one in play, and everything beside the journal."""
    folder = tmp_path / "home"
    folder.mkdir()
    for name, text in FILES.items():
        (folder / name).write_text(text)
    (folder / "https").mkdir()
    (folder / "https" / "authority.key").write_text("secret")
    (tmp_path / "naqala.toml").write_text('[tables]\noak = "virtual"\n')
    with Journal.open(str(folder / "journal.sqlite")) as journal:
        a_game(journal, 12, "finished")
        a_game(journal, 7)
    return folder


def made(home: Path, journal: str = "", **more: object) -> Path:
    url = journal or str(home / "journal.sqlite")
    return make(url, home, home / "backups", settings=home.parent / "naqala.toml", **more)  # type: ignore[arg-type]


def naqala(*arguments: object) -> Result:
    return CliRunner().invoke(main, [str(one) for one in arguments])


def rows(path: Path, query: str) -> list[tuple[object, ...]]:
    with sqlite3.connect(path) as connection:
        return connection.execute(query).fetchall()


def test_one_file_holds_journal_tags_keys_and_settings(home: Path) -> None:
    archive = made(home)
    assert stat.S_IMODE(archive.stat().st_mode) == 0o600, "keys are for their owner's eyes"
    with zipfile.ZipFile(archive) as packed:
        assert packed.testzip() is None
        names = set(packed.namelist())
        assert names == {
            "manifest.json", "journal.sqlite", "naqala.toml", "https/authority.key", *FILES
        }  # fmt: skip
        for name, text in FILES.items():
            assert packed.read(name).decode() == text
        told = json.loads(packed.read("manifest.json"))
        for name, about in told["files"].items():
            data = packed.read(name)
            assert about == {"bytes": len(data), "sha256": hashlib.sha256(data).hexdigest()}
        packed.extract("journal.sqlite", home.parent)
    copy = home.parent / "journal.sqlite"
    assert rows(copy, "PRAGMA integrity_check") == [("ok",)]
    everything = "SELECT game, number, digest, body FROM entries ORDER BY game, number"
    assert rows(copy, everything) == rows(home / "journal.sqlite", everything)
    assert [(game["entries"], game["how"]) for game in told["games"]] == [(12, "finished"), (7, "")]


def test_it_is_made_while_a_game_is_written(home: Path) -> None:
    """Every copy is one moment of the journal: entries without a gap, the newest among them."""
    with Journal.open(str(home / "journal.sqlite")) as journal:
        for number in range(8, 20):
            journal.append(2, number, "action", "Ann", BODIES[number - 1])
            found = verify(made(home))
            assert found.problems == ()
            assert [game.entries for game in found.manifest.games] == [12, number]


def test_restored_elsewhere_the_same_game_goes_on(home: Path, tmp_path: Path) -> None:
    archive = made(home)
    elsewhere = tmp_path / "elsewhere"
    restore(archive, str(elsewhere / "journal.sqlite"), elsewhere, elsewhere / "naqala.toml")
    for name, text in FILES.items():
        assert (elsewhere / name).read_text() == text
        assert stat.S_IMODE((elsewhere / name).stat().st_mode) == 0o600
    assert (elsewhere / "naqala.toml").read_text() == (home.parent / "naqala.toml").read_text()
    with (
        Journal.open(str(home / "journal.sqlite")) as old,
        Journal.open(str(elsewhere / "journal.sqlite")) as new,
    ):
        assert new.games() == old.games()
        for game in old.games():
            assert new.entries(game.id) == old.entries(game.id)
            assert new.lines(game.id) == old.lines(game.id)
        new.append(2, 8, "action", "Ann", BODIES[7])
        assert len(new.entries(2)) == 8


def test_nothing_is_overwritten_silently(home: Path, tmp_path: Path) -> None:
    archive = made(home)
    with Journal.open(str(home / "journal.sqlite")) as journal:
        journal.append(2, 8, "action", "Ann", BODIES[7])
    (home / "tags.csv").write_text("tag,piece\n")
    before = {path: path.read_bytes() for path in home.rglob("*") if path.is_file()}
    refused = naqala("backup", "restore", archive, "--home", home)
    assert refused.exit_code == 2
    assert "journal.sqlite" in refused.output and "tags.csv" in refused.output
    assert "--replace" in refused.output
    assert {path: path.read_bytes() for path in home.rglob("*") if path.is_file()} == before

    done = naqala("backup", "restore", archive, "--home", home, "--replace")
    assert done.exit_code == 0, done.output
    with Journal.open(str(home / "journal.sqlite")) as journal:
        assert len(journal.entries(2)) == 7
    assert (home / "tags.csv").read_text() == FILES["tags.csv"]
    (aside,) = home.glob("before-restore-*")
    with Journal.open(str(aside / "journal.sqlite")) as journal:
        assert len(journal.entries(2)) == 8, "what was there before can be taken back"
    assert (aside / "tags.csv").read_text() == "tag,piece\n"


def test_a_journal_in_use_is_not_replaced(home: Path) -> None:
    archive = made(home)
    with Journal.open(str(home / "journal.sqlite")) as journal:
        journal.append(2, 8, "action", "Ann", BODIES[7])
        refused = naqala("backup", "restore", archive, "--home", home, "--replace")
    assert refused.exit_code == 2
    assert "in use" in refused.output


DAMAGE = {
    "a byte of the journal": lambda data: data[:3000] + bytes([data[3000] ^ 64]) + data[3001:],
    "half of it is gone": lambda data: data[: len(data) // 2],
    "nothing": lambda data: b"",
    "another file": lambda data: b"PK\x03\x04 but no backup",
}


@pytest.mark.parametrize("what", DAMAGE)
def test_a_damaged_backup_is_found_and_not_restored(home: Path, what: str) -> None:
    archive = made(home)
    archive.write_bytes(DAMAGE[what](archive.read_bytes()))
    found = naqala("backup", "verify", archive, "--home", home)
    assert found.exit_code == 1, found.output
    refused = naqala("backup", "restore", archive, "--home", home.parent / "new")
    assert refused.exit_code == 2
    assert not (home.parent / "new" / "journal.sqlite").exists()
    assert "Traceback" not in found.output + refused.output


def packed_again(archive: Path, change: dict[str, bytes]) -> None:
    """The same archive with other contents and sums that fit: what only the journal's own chain can find."""
    with zipfile.ZipFile(archive) as packed:
        parts = {name: packed.read(name) for name in packed.namelist()} | change
    told = json.loads(parts["manifest.json"])
    for name, data in change.items():
        told["files"][name] = {"bytes": len(data), "sha256": hashlib.sha256(data).hexdigest()}
    parts["manifest.json"] = json.dumps(told).encode()
    with zipfile.ZipFile(archive, "w") as packed:
        for name, data in parts.items():
            packed.writestr(name, data)


def test_a_changed_entry_is_found_by_the_chain(home: Path, tmp_path: Path) -> None:
    archive = made(home)
    with zipfile.ZipFile(archive) as packed:
        packed.extract("journal.sqlite", tmp_path)
    tamper(
        str(tmp_path / "journal.sqlite"), "UPDATE entries SET author = 'Bob' WHERE game = 1 AND number = 5"
    )
    packed_again(archive, {"journal.sqlite": (tmp_path / "journal.sqlite").read_bytes()})
    found = verify(archive)
    assert any("game 1" in one and "5" in one for one in found.problems), found.problems


@pytest.mark.parametrize("name", ["../outside", "/etc/naqala", "https/../../outside", "unknown.txt", "https"])
def test_an_archive_writes_nowhere_else(home: Path, name: str) -> None:
    archive = made(home)
    packed_again(archive, {name: b"x"})
    with pytest.raises(BackupError):
        restore(archive, str(home.parent / "n" / "journal.sqlite"), home.parent / "n", home.parent / "n.toml")
    assert not (home.parent / "outside").exists()


def test_a_bomb_is_refused_before_it_is_unpacked(home: Path) -> None:
    archive = made(home)
    with zipfile.ZipFile(archive, "a", zipfile.ZIP_DEFLATED) as packed:
        packed.writestr("dashboard-robots.json", b"0" * 40_000_000)
    found = verify(archive)
    assert any("dashboard-robots.json" in one for one in found.problems)


def test_a_newer_backup_says_so(home: Path) -> None:
    archive = made(home)
    with zipfile.ZipFile(archive) as packed:
        parts = {name: packed.read(name) for name in packed.namelist()}
    parts["manifest.json"] = json.dumps(json.loads(parts["manifest.json"]) | {"naqala-backup": 2}).encode()
    with zipfile.ZipFile(archive, "w") as packed:
        for name, data in parts.items():
            packed.writestr(name, data)
    assert "newer" in naqala("backup", "verify", archive, "--home", home).output


# --- PostgreSQL, with the real server and the real pg_dump ---------------------------------------------------------------


def test_a_club_s_database_travels_to_a_file_and_back(
    postgres: PostgresServer, home: Path, tmp_path: Path
) -> None:
    url = postgres.fresh()
    with Journal.open(url) as journal:
        a_game(journal, 12, "finished")
        game = journal.new_game("oak", {"players": [{"name": "Ünï\tTab\\Back"}]})
        journal.append(game, 1, "note", "owner", {"text": "line\nbreak \\. \\N"})
        journal.record(game, 5, "seen 1 2 -")
        journal.flush(game)
        wanted = [(one, journal.entries(one.id), journal.lines(one.id)) for one in journal.games()]
    archive = made(home, url)
    assert verify(archive).problems == ()
    with zipfile.ZipFile(archive) as packed:
        assert b"PostgreSQL database dump" in packed.read("journal.sql")
    other = postgres.fresh()
    for target in (str(tmp_path / "there" / "journal.sqlite"), other):
        restore(archive, target, tmp_path / "there", tmp_path / "there" / "naqala.toml", replace=True)
        with Journal.open(target) as journal:
            assert [
                (one, journal.entries(one.id), journal.lines(one.id)) for one in journal.games()
            ] == wanted
            assert journal.new_game("oak", {}) == 3, "numbers go on after the last one"
    with pytest.raises(BackupError, match="games"):
        restore(archive, other, tmp_path / "there", tmp_path / "there" / "naqala.toml", replace=True)


def test_a_file_goes_into_a_database(postgres: PostgresServer, home: Path) -> None:
    url = postgres.fresh()
    restore(made(home), url, home.parent / "there", home.parent / "there" / "naqala.toml")
    with Journal.open(url) as journal:
        assert [game.entries for game in journal.games()] == [12, 7]
        journal.append(2, 8, "action", "Ann", BODIES[7])


# --- the rotating folder -------------------------------------------------------------------------------------------------


def test_names_carry_their_time() -> None:
    at = datetime(2026, 11, 18, 3, 15, 9, tzinfo=UTC)
    assert name_at(at) == "naqala-20261118-031509.zip"
    assert time_of("naqala-20261118-031509.zip") == time_of("naqala-20261118-031509-2.zip") == at
    assert time_of("naqala-20261399-031509.zip") is None and time_of("holiday.zip") is None


def test_old_ones_go_and_a_year_stays_covered() -> None:
    """Four backups a day for two years: the newest, the days of a fortnight, weeks, months. Told without the code's own sums."""
    now = datetime(2026, 11, 18, 22, 0, tzinfo=UTC)
    seen = [Seen(f"n{hours}", now - timedelta(hours=hours), True) for hours in range(0, 24 * 730, 6)]
    left = kept(seen)
    ages = sorted((now - one.at).days for one in seen if one.name in left)
    assert len(left) <= 45
    assert {one.name for one in seen[:10]} <= left
    assert set(range(14)) <= set(ages)
    gaps = [later - earlier for earlier, later in pairwise(ages)]
    assert max(gaps) <= 31 and ages[-1] >= 330


def test_the_newest_whole_one_is_never_pushed_out_by_damaged_ones() -> None:
    now = datetime(2026, 11, 18, tzinfo=UTC)
    seen = [Seen(f"bad{n}", now - timedelta(minutes=n), False) for n in range(500)]
    seen.append(Seen("good", now - timedelta(days=900), True))
    assert "good" in kept(seen)


def test_the_folder_is_turned_over(home: Path) -> None:
    archive = made(home)
    folder = archive.parent
    for day in range(60):
        shutil.copy(archive, folder / name_at(datetime(2020, 1, 1, tzinfo=UTC) + timedelta(hours=day)))
    (folder / "holiday.zip").write_bytes(b"not ours")
    rotate(folder)
    names = {path.name for path in folder.iterdir()}
    assert archive.name in names and "holiday.zip" in names
    assert len(names) < 20


# --- the command ---------------------------------------------------------------------------------------------------------


def test_now_list_verify_as_people_type_them(home: Path) -> None:
    assert "no backup" in naqala("backup", "list", "--home", home).output
    now = naqala("backup", "now", "--home", home)
    assert now.exit_code == 0, now.output
    path = Path(now.output.strip().splitlines()[-1])
    assert path.is_file()
    listed = naqala("backup", "list", "--home", home)
    assert path.name in listed.output and "2 games" in listed.output
    told = json.loads(naqala("backup", "list", "--home", home, "--json").output)
    assert told["file"] == str(path) and told["games"] == 2
    assert "is whole" in naqala("backup", "verify", "--home", home).output
    to = home.parent / "usb stick"
    to.mkdir()
    assert Path(naqala("backup", "now", "--home", home, "--to", to).output.strip()).parent == to
    nothing = naqala("backup", "now", "--home", home.parent / "empty")
    assert nothing.exit_code == 2 and "no journal" in nothing.output
    assert not (home.parent / "empty").exists()


def test_without_pg_dump_the_sentence_says_what_to_install(home: Path) -> None:
    code = "import sys; from naqala.cli import main; main()"
    done = subprocess.run(
        [sys.executable, "-c", code, "backup", "now", "--home", home, "--journal", "postgresql://a@127.0.0.1:1/b"],
        env={"PATH": "/nowhere"}, capture_output=True, text=True, timeout=60, check=False,
    )  # fmt: skip
    assert done.returncode == 2
    assert "pg_dump" in done.stderr and "postgresql-client" in done.stderr
