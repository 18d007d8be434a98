"""One damaged game is named and set aside; everything else works. Files are for their owner's eyes."""

from __future__ import annotations

import logging
import re
import sqlite3
import stat
import time
from dataclasses import replace
from pathlib import Path
from random import Random

import pytest
from flask import Flask
from naqala.dashboard import Settings, create_app
from naqala.dashboard.history import Archive
from naqala.journal import Journal, JournalDamaged, clock
from naqala.rules import notation, position
from naqala.simulate import simulated

from tests.dashboard.stand import Stand, snapshot_after
from tests.journal.test_journal import tamper

RECORD = simulated(2, 5)
OPENING = position.to_json(RECORD.opening) | {"companion": {}}
BODIES = [notation.to_json(step.action) for step in RECORD.steps]


def a_game(journal: Journal, entries: int, how: str = "") -> int:
    """A real game, as far as so many entries, with a raw line for each."""
    game = journal.new_game("oak", OPENING)
    for number, body in enumerate(BODIES[:entries], 1):
        journal.record(game, 1000 * number, f"seen {number} 17 -")
        journal.append(game, number, "action", "Ann", body, at_ms=1000 * number)
    if how:
        journal.close_game(game, how)
    return game


@pytest.fixture(scope="module")
def app(tmp_path_factory: pytest.TempPathFactory) -> Flask:
    return create_app({"oak": Stand(snapshot_after(RECORD, 0))}, Settings(tmp_path_factory.mktemp("home")))


def history(app: Flask, journal: Journal) -> tuple[int, str]:
    """The page of old games of this journal, as everybody sees it."""
    app.extensions["naqala-settings"] = replace(app.extensions["naqala-settings"], journal=journal)
    app.extensions["naqala-archive"] = Archive(journal)
    answer = app.test_client().get("/t/oak/history")
    return answer.status_code, answer.text


@pytest.mark.parametrize(
    "statement",
    [
        "UPDATE games SET opening = '{}' WHERE id = 1",
        "UPDATE games SET opening = '[[[[' WHERE id = 1",
        "UPDATE games SET at = 9 WHERE id = 1",
        "UPDATE entries SET body = '{}' WHERE game = 1 AND number = 3",
        "DELETE FROM entries WHERE game = 1 AND number = 3",
        "UPDATE endings SET at = 9223372036854775807 WHERE game = 1",
    ],
)
@pytest.mark.parametrize("mend", [False, True])
def test_a_damaged_old_game_is_in_nobodys_way(url: str, app: Flask, statement: str, mend: bool) -> None:
    with Journal.open(url) as journal:
        a_game(journal, 6, "finished")
        a_game(journal, 6, "finished")
        waiting = a_game(journal, 4)
    tamper(url, statement)
    with Journal.open(url, mend=mend) as journal:
        found = [game.id for game in journal.games("oak")]
        assert set(found) | {one.id for one in journal.damaged("oak")} == {1, 2, 3}
        assert found[-2:] == [2, waiting]
        assert len(journal.entries(waiting)) == 4
        status, page = history(app, journal)
        assert status == 200
        assert page.count("Replay") >= 1
        if "endings" not in statement:
            assert "damaged" in page, "it is named"


def test_damaged_bytes_in_a_text_are_one_games_affair(tmp_path: Path) -> None:
    """What is not UTF-8 any more is not readable as text, and took the whole list with it."""
    path = str(tmp_path / "journal.sqlite")
    with Journal.open(path) as journal:
        a_game(journal, 5, "aborted")
        a_game(journal, 5)
    tamper(path, "UPDATE games SET opening = CAST(X'ff7b7d' AS TEXT) WHERE id = 1")
    with Journal.open(path) as journal:
        assert [game.id for game in journal.games()] == [2]
        assert [(one.id, one.table) for one in journal.damaged()] == [(1, "oak")]


def test_an_open_game_goes_on_from_its_last_whole_entry(url: str, caplog: pytest.LogCaptureFixture) -> None:
    with Journal.open(url) as journal:
        game = a_game(journal, 40)
    tamper(url, f"UPDATE entries SET author = 'Bob' WHERE game = {game} AND number = 30")
    with caplog.at_level(logging.WARNING), Journal.open(url, mend=True) as journal:
        waiting = [one for one in journal.games("oak") if one.ended_ms is None]
        assert [(one.entries, one.table) for one in waiting] == [(29, "oak")]
        entries = journal.entries(waiting[0].id)
        assert [entry.body for entry in entries] == BODIES[:29]
        assert [entry.at_ms for entry in entries] == [1000 * number for number in range(1, 30)]
        assert len(journal.lines(waiting[0].id)) == 29, "what the table said after it belongs to nothing"
        journal.append(waiting[0].id, 30, "action", "Ann", BODIES[29])
        assert [one.how for one in journal.damaged("oak")] == ["damaged"]
    assert re.search(r"entry 30 of game 1 .* resumed from the 29 entries before it", caplog.text)
    with Journal.open(url, mend=True) as journal:
        assert len(journal.games("oak")) == 1, "the second start finds nothing to mend"


def test_a_file_whose_pages_are_damaged_is_copied_as_far_as_it_can_be_read(
    tmp_path: Path, app: Flask, caplog: pytest.LogCaptureFixture
) -> None:
    """Random bytes anywhere, as a dying card writes them: the program starts, and what it shows is what was written."""
    whole = tmp_path / "whole.sqlite"
    with Journal.open(str(whole)) as journal:
        for _ in range(4):
            a_game(journal, 40, "finished")
        a_game(journal, 20)
    content = whole.read_bytes()
    chance = Random(22)
    survived = 0
    for number in range(40):
        path = tmp_path / f"{number}" / "journal.sqlite"
        path.parent.mkdir()
        place = chance.randrange(100, len(content) - 64)  # the first hundred bytes make it a database at all
        junk = chance.randbytes(chance.choice((1, 16, 64)))
        path.write_bytes(content[:place] + junk + content[place + len(junk) :])
        (path.parent / "journal.sqlite.oak.lock").touch()
        with Journal.open(str(path), mend=True) as journal:
            for game in journal.games():
                assert game.opening == OPENING
                try:
                    bodies = [entry.body for entry in journal.entries(game.id)]
                except JournalDamaged:
                    continue
                assert bodies == BODIES[: len(bodies)]
                survived += len(bodies)
            assert history(app, journal)[0] == 200
            game = journal.new_game("oak", OPENING)
            journal.append(game, 1, "action", "Ann", BODIES[0])
    assert survived > 0.9 * 40 * 180
    aside = [
        one for one in tmp_path.glob("*/journal.sqlite.damaged-*") if one.name[-4:] not in ("-wal", "-shm")
    ]
    assert aside and all(stat.S_IMODE(one.stat().st_mode) == 0o600 for one in aside)
    assert "was damaged" in caplog.text and aside[0].name in caplog.text


@pytest.mark.parametrize("place", [100, 103, 108, 112, 700, 2000, 3500, 4000])
def test_a_file_that_does_not_say_any_more_where_its_tables_are(tmp_path: Path, place: int) -> None:
    """The first page names the tables: without it nothing can be read, though everything is there."""
    path = tmp_path / "journal.sqlite"
    with Journal.open(str(path)) as journal:
        game = a_game(journal, 30, "finished")
        open_game = a_game(journal, 20)
    content = bytearray(path.read_bytes())
    content[place : place + 64] = Random(place).randbytes(64)
    path.write_bytes(content)
    with Journal.open(str(path), mend=True) as journal:
        assert [entry.body for entry in journal.entries(game)] == BODIES[:30]
        assert [entry.body for entry in journal.entries(open_game)] == BODIES[:20]
        assert journal.game(game).how == "finished" and journal.game(open_game).ended_ms is None
        assert len(journal.lines(open_game)) == 20
    left = {one.name.partition(".damaged")[0] for one in tmp_path.iterdir()}
    assert left == {"journal.sqlite", "journal.sqlite.oak.lock"}, "nothing else is left behind"


def test_a_file_that_is_no_database_is_left_alone_also_when_mending(tmp_path: Path) -> None:
    path = tmp_path / "journal.sqlite"
    path.write_bytes(b"GIF89a" * 1000)
    with pytest.raises(JournalDamaged, match="keep it aside"):
        Journal.open(str(path), mend=True)
    assert path.read_bytes() == b"GIF89a" * 1000


def test_an_empty_file_where_games_were_is_told(tmp_path: Path, caplog: pytest.LogCaptureFixture) -> None:
    path = tmp_path / "journal.sqlite"
    with Journal.open(str(path)) as journal:
        a_game(journal, 3)
    path.write_bytes(b"")
    with Journal.open(str(path)) as journal:
        assert journal.games() == ()
    assert "is empty" in caplog.text and "oak" in caplog.text
    caplog.clear()
    Journal.open(str(tmp_path / "fresh.sqlite")).close()
    assert caplog.text == ""


# --- for their owner only -----------------------------------------------------------------------------------


def mode(path: Path) -> int:
    return stat.S_IMODE(path.stat().st_mode)


def test_a_journal_is_for_its_owner_only_with_all_that_belongs_to_it(tmp_path: Path) -> None:
    path = tmp_path / "home" / "journal.sqlite"
    with Journal.open(str(path)) as journal:
        a_game(journal, 3)
        files = [one for one in path.parent.iterdir() if one.is_file()]
        assert {one.name for one in files} >= {path.name, f"{path.name}-wal", f"{path.name}-shm"}
        assert {one.name: oct(mode(one)) for one in files} == {one.name: "0o600" for one in files}
    assert mode(path.parent) == 0o700


def test_a_journal_that_others_could_read_is_closed_to_them(tmp_path: Path) -> None:
    path = tmp_path / "journal.sqlite"
    sqlite3.connect(path).close()
    with Journal.open(str(path)) as journal:
        a_game(journal, 1)
    path.chmod(0o644)
    Journal.open(str(path)).close()
    assert mode(path) == 0o600


# --- a clock that jumps -------------------------------------------------------------------------------------


@pytest.fixture
def wall(monkeypatch: pytest.MonkeyPatch) -> dict[str, int]:
    """Two clocks to be set by hand: that on the wall, and the one that only counts."""
    hands = {"wall": 1_790_000_000_000, "counts": 0}
    monkeypatch.setattr(clock.time, "time_ns", lambda: hands["wall"] * 1_000_000)
    monkeypatch.setattr(clock.time, "monotonic_ns", lambda: hands["counts"] * 1_000_000)
    monkeypatch.setattr(clock, "THE_CLOCK", clock.Clock())
    return hands


def go(hands: dict[str, int], milliseconds: int) -> None:
    hands["wall"] += milliseconds
    hands["counts"] += milliseconds


def test_times_never_go_back_while_the_program_runs(wall: dict[str, int]) -> None:
    before = clock.now_ms()
    wall["wall"] -= 1_800_000
    go(wall, 2_000)
    assert clock.now_ms() == before + 2_000
    go(wall, 5_000)
    assert clock.now_ms() == before + 7_000, "what passes is still measured"
    wall["wall"] += 86_400_000 * 365  # the network told the time: from 1970 to today, say
    assert clock.now_ms() == wall["wall"]


def test_times_of_a_game_go_on_after_a_power_cut_with_an_earlier_clock(
    tmp_path: Path, wall: dict[str, int], monkeypatch: pytest.MonkeyPatch
) -> None:
    path = str(tmp_path / "journal.sqlite")
    with Journal.open(path) as journal:
        game = journal.new_game("oak", OPENING)
        journal.append(game, 1, "action", "Ann", BODIES[0])
        last = journal.entries(game)[0].at_ms
    wall["wall"] -= 1_800_000
    monkeypatch.setattr(clock, "THE_CLOCK", clock.Clock())  # another process
    with Journal.open(path) as journal:
        journal.entries(game)  # the game is taken up again
        go(wall, 3_000)
        journal.append(game, 2, "action", "Bob", BODIES[1])
        journal.close_game(game, "finished")
        assert journal.entries(game)[1].at_ms == last + 3_000
        assert (journal.game(game).ended_ms or 0) >= last + 3_000


def test_an_old_game_that_was_read_does_not_set_the_clock(tmp_path: Path, wall: dict[str, int]) -> None:
    with Journal.open(str(tmp_path / "journal.sqlite")) as journal:
        game = journal.new_game("oak", OPENING)
        journal.append(game, 1, "action", "Ann", BODIES[0], at_ms=wall["wall"] + 10**9)
        journal.close_game(game, "aborted", at_ms=wall["wall"] + 10**9)
        journal.entries(game)
        assert clock.now_ms() == wall["wall"]


def test_the_clock_is_the_one_that_stamps_entries() -> None:
    assert abs(clock.now_ms() - time.time_ns() // 1_000_000) < 60_000
