"""What a journal promises, on both databases."""

from __future__ import annotations

import contextlib
import sqlite3
import subprocess
import sys
import threading
from pathlib import Path

import pytest
import sqlalchemy as sql
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st
from naqala.journal import (
    KINDS,
    Entry,
    Game,
    Journal,
    JournalBusy,
    JournalConflict,
    JournalDamaged,
    JournalError,
    JournalReadOnly,
    JournalTooNew,
    Line,
)
from naqala.journal.store import as_url

OPENING = {"version": 1, "players": [{"name": "Ann"}, {"name": "Зоя"}]}
BID = {"do": "bid", "player": "Ann", "spot": 3, "fakirs": 0}


def play(journal: Journal, count: int) -> int:
    game = journal.new_game("oak", OPENING, at_ms=1000)
    for number in range(1, count + 1):
        journal.append(game, number, "action", "Ann", {**BID, "spot": number}, at_ms=1000 + number)
    return game


def tamper(url: str, statement: str) -> None:
    """What a broken disk or a curious person may do: behind the triggers' back."""
    engine = sql.create_engine(as_url(url))
    with engine.begin() as connection:
        if engine.dialect.name == "sqlite":
            for table in ("about", "games", "entries", "endings"):
                connection.exec_driver_sql(f"DROP TRIGGER {table}_UPDATE")
                connection.exec_driver_sql(f"DROP TRIGGER {table}_DELETE")
        else:
            connection.exec_driver_sql("SET session_replication_role = replica")
        connection.exec_driver_sql(statement)
    engine.dispose()


def test_what_was_appended_is_read_back(url: str) -> None:
    bodies = [BID, "a note with ☕ and 'quotes'", None, [1, 2], {"undo": 3}]
    with Journal.open(url) as journal:
        game = journal.new_game("oak", OPENING, at_ms=5)
        for number, (kind, body) in enumerate(zip(KINDS, bodies, strict=True), 1):
            journal.append(game, number, kind, "Ann", body, at_ms=10 * number)
    with Journal.open(url) as journal:
        assert journal.entries(game) == tuple(
            Entry(number, 10 * number, kind, "Ann", body)
            for number, (kind, body) in enumerate(zip(KINDS, bodies, strict=True), 1)
        )
        assert journal.game(game) == Game(game, "oak", 5, OPENING, 5, None, "")


def test_games_of_a_table_and_their_end(url: str) -> None:
    with Journal.open(url) as journal:
        first = play(journal, 2)
        second = journal.new_game("elm", OPENING, at_ms=7)
        third = play(journal, 1)
        journal.close_game(first, "finished", at_ms=9)
        assert [game.id for game in journal.games()] == [first, second, third]
        assert [(game.id, game.entries, game.ended_ms, game.how) for game in journal.games("oak")] == [
            (first, 2, 9, "finished"),
            (third, 1, None, ""),
        ]
        with pytest.raises(JournalConflict, match=f"game {first} has ended already"):
            journal.close_game(first, "aborted")


def test_a_game_is_taken_up_again_after_its_end(url: str) -> None:
    def ends(journal: Journal) -> list[tuple[int | None, str]]:
        return [(game.ended_ms, game.how) for game in journal.games("oak")]

    with Journal.open(url) as journal:
        other, game = play(journal, 1), play(journal, 2)
        with pytest.raises(JournalConflict, match=f"game {game} has not ended"):
            journal.reopen(game)
        journal.close_game(game, "finished", at_ms=9)
        journal.reopen(game, at_ms=10)
        assert ends(journal) == [(None, ""), (None, "")]
        with pytest.raises(JournalConflict, match=f"game {game} has not ended"):
            journal.reopen(game)
        journal.append(game, 3, "undo", "Ann", {"do": "undo", "to": 1})
    with Journal.open(url) as journal:
        assert ends(journal) == [(None, ""), (None, "")]
        journal.close_game(game, "finished", at_ms=12)
        assert ends(journal) == [(None, ""), (12, "finished")]
        with pytest.raises(JournalConflict, match=f"game {game} has ended already"):
            journal.close_game(game, "aborted")
        journal.reopen(game, at_ms=13)
        journal.close_game(game, "aborted", at_ms=14)
        journal.close_game(other, "finished", at_ms=15)
        assert ends(journal) == [(15, "finished"), (14, "aborted")]


def test_a_double_or_early_append_is_refused(url: str) -> None:
    with Journal.open(url) as journal:
        game = play(journal, 3)
        for number in (0, 1, 3, 5):
            with pytest.raises(JournalConflict, match=f"entry {number} of game {game} cannot be written"):
                journal.append(game, number, "action", "Bob", BID)
        journal.append(game, 4, "action", "Bob", BID)
        assert len(journal.entries(game)) == 4


def test_the_number_is_refused_by_the_database_too(url: str) -> None:
    with Journal.open(url) as journal:
        game = play(journal, 1)
        tamper(url, f"INSERT INTO entries VALUES ({game}, 2, 1, 'note', 'x', '1', 'x')")
        with pytest.raises(JournalConflict, match=f"entry 2 of game {game} is there already"):
            journal.append(game, 2, "action", "Ann", BID)
        with pytest.raises(JournalDamaged, match=f"entry 2 of game {game}"):
            journal.append(game, 3, "action", "Ann", BID)


def test_a_game_that_is_not_there(url: str) -> None:
    with Journal.open(url) as journal:
        for ask in (journal.game, journal.entries, lambda game: journal.append(game, 1, "note", "Ann", "")):
            with pytest.raises(JournalError, match="there is no game 77"):
                ask(77)
        with pytest.raises(ValueError, match="no such kind of entry: 'scribble'"):
            journal.append(1, 1, "scribble", "Ann", "")


def test_a_game_goes_on_after_a_restart(url: str) -> None:
    with Journal.open(url) as journal:
        game = play(journal, 5)
    with Journal.open(url) as journal:
        journal.append(game, 6, "undo", "Ann", {"to": 4})
        assert [entry.number for entry in journal.entries(game)] == [1, 2, 3, 4, 5, 6]


def test_raw_lines_are_written_with_the_next_entry(url: str) -> None:
    with Journal.open(url) as journal:
        game = play(journal, 1)
        journal.record(game, 3, "seen 1 17 04a1b2c3")
        journal.record(game, 4, "seen 2 17 -")
        with Journal.open(url) as other:
            assert other.lines(game) == ()
            journal.append(game, 2, "action", "Ann", BID)
            assert other.lines(game) == (Line(3, "seen 1 17 04a1b2c3"), Line(4, "seen 2 17 -"))
            journal.record(game, 5, "seen 3 17 -")
            assert len(journal.lines(game)) == 3
            journal.flush(game)
            assert other.lines(game) == journal.lines(game)


def test_nothing_is_changed_or_deleted(url: str) -> None:
    with Journal.open(url) as journal:
        play(journal, 1)
    engine = sql.create_engine(as_url(url))
    for statement in ("UPDATE entries SET author = 'Bob'", "DELETE FROM entries", "DELETE FROM games"):
        with (
            pytest.raises(sql.exc.DBAPIError, match="the journal is append-only"),
            engine.begin() as connection,
        ):
            connection.exec_driver_sql(statement)
    engine.dispose()


@pytest.mark.parametrize(
    ("statement", "sentence"),
    [
        (
            'UPDATE entries SET body = \'{"do":"bid","spot":9}\' WHERE number = 3',
            "entry 3 of game 1 in .* is not as",
        ),
        ("UPDATE entries SET author = 'Bob' WHERE number = 1", "entry 1 .* the 0 before it are whole"),
        ("DELETE FROM entries WHERE number = 2", "entry 2 .* the 1 before it are whole"),
        ("UPDATE games SET opening = '{}'", "the opening of game 1 in .* is not as it was written"),
    ],
)
def test_a_changed_or_missing_entry_is_found_and_named(url: str, statement: str, sentence: str) -> None:
    with Journal.open(url) as journal:
        play(journal, 4)
    tamper(url, statement)
    with Journal.open(url) as journal:
        with pytest.raises(JournalDamaged, match=sentence):
            journal.game(1), journal.entries(1)
        with pytest.raises(JournalDamaged, match=sentence):
            journal.append(1, 5, "action", "Ann", BID)


def test_a_newer_journal_is_left_alone(url: str) -> None:
    """Also one that keeps what we know elsewhere: nothing is added to it."""
    Journal.open(url).close()
    tamper(url, "UPDATE about SET schema = 99")
    engine = sql.create_engine(as_url(url))
    with engine.begin() as connection:
        connection.exec_driver_sql("DROP TABLE endings")
        there = sql.inspect(connection).get_table_names()
    with pytest.raises(JournalTooNew, match=r"newer Naqala \(its form is 99, this program knows 1\)"):
        Journal.open(url)
    assert sql.inspect(engine).get_table_names() == there
    engine.dispose()


def test_a_database_of_another_program_is_left_alone(tmp_path: Path) -> None:
    path = tmp_path / "shopping.sqlite"
    with contextlib.closing(sqlite3.connect(path)) as other:
        other.execute("CREATE TABLE games (title TEXT)")
        with pytest.raises(JournalDamaged, match=r"shopping.sqlite belongs to another program"):
            Journal.open(str(path))
        assert other.execute("SELECT name FROM sqlite_master").fetchall() == [("games",)]


def test_two_processes_on_one_table(url: str) -> None:
    """The second is told who the first is, may read, may keep another table; and gets its turn when the first is gone."""
    code = (
        "import sys\nfrom naqala.journal import Journal\n"
        "journal = Journal.open(sys.argv[1]); journal.claim('oak'); print('mine', flush=True); sys.stdin.read()"
    )
    command = [sys.executable, "-c", code, url]
    with subprocess.Popen(command, stdin=subprocess.PIPE, stdout=subprocess.PIPE) as other:
        assert other.stdout is not None and other.stdout.readline() == b"mine\n"
        with Journal.open(url) as journal:
            with pytest.raises(
                JournalBusy, match=f"table 'oak' is kept by naqala process {other.pid}; stop that"
            ):
                journal.new_game("oak", OPENING)
            assert journal.games() == ()
            elm = journal.new_game("elm", OPENING)
            journal.append(elm, 1, "action", "Ann", BID)
            other.kill()
            other.wait()
            for _ in range(100):  # PostgreSQL needs a moment to notice
                try:
                    assert play(journal, 1)
                    break
                except JournalBusy:
                    threading.Event().wait(0.05)
            assert len(journal.games()) == 2


def test_many_threads_many_tables(url: str) -> None:
    """One process, several tables: every thread's game is whole."""
    with Journal.open(url) as journal, Journal.open(url) as second:

        def evening(table: str, mine: Journal) -> None:
            game = mine.new_game(table, OPENING)
            for number in range(1, 31):
                mine.append(game, number, "action", table, {"number": number})

        threads = [
            threading.Thread(target=evening, args=(f"table {number}", (journal, second)[number % 2]))
            for number in range(6)
        ]
        for thread in threads:
            thread.start()
        for thread in threads:
            thread.join()
        assert [game.entries for game in journal.games()] == [30] * 6
        for game in journal.games():
            assert {entry.author for entry in journal.entries(game.id)} == {game.table}


json_values = st.recursive(
    st.none()
    | st.booleans()
    | st.integers(-(2**53), 2**53)
    | st.text(st.characters(codec="utf-8", exclude_characters="\0")),
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.text(max_size=5), inner, max_size=3),
    max_leaves=5,
)


@settings(max_examples=25, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(
    st.lists(
        st.tuples(
            st.sampled_from(KINDS),
            st.text(st.characters(codec="utf-8", exclude_characters="\0"), max_size=9),
            json_values,
        ),
        max_size=4,
    )
)
def test_any_entries_survive(url: str, made: list[tuple[str, str, object]]) -> None:
    with Journal.open(url) as journal:
        game = journal.new_game("oak", OPENING)
        for number, (kind, author, body) in enumerate(made, 1):
            journal.append(game, number, kind, author, body)
    with Journal.open(url) as journal:
        assert [(entry.kind, entry.author, entry.body) for entry in journal.entries(game)] == made


@pytest.mark.parametrize("url", ["mysql://x/y", "sqlite://", "://"])
def test_an_address_that_makes_no_sense(url: str) -> None:
    with pytest.raises(JournalError, match="a journal is a file or postgresql://"):
        Journal.open(url)


def test_a_folder_that_cannot_be_made() -> None:
    with pytest.raises(JournalReadOnly, match="cannot make the folder /proc/nowhere: "):
        Journal.open("/proc/nowhere/journal.sqlite")


def test_the_folder_is_made(tmp_path: Path) -> None:
    Journal.open(str(tmp_path / "a/b/journal.sqlite")).close()
    assert (tmp_path / "a/b/journal.sqlite").exists()
