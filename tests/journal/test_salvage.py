"""Salvage: what is whole of a damaged journal is saved entry by entry, what is not is named, and nothing keeps the program from starting.

The truth is a list of what was written, kept here beside the journal; nothing that is read back is compared with the journal itself.
"""

from __future__ import annotations

import json
import logging
from pathlib import Path
from random import Random

import pytest
from click.testing import CliRunner, Result
from naqala.cli import main
from naqala.journal import Journal, JournalError
from naqala.service import Service
from naqala.settings import Settings

from tests.journal.test_damage import BODIES, a_game
from tests.journal.test_journal import tamper


def naqala(*arguments: object) -> Result:
    return CliRunner().invoke(main, [str(one) for one in arguments])


@pytest.fixture
def path(tmp_path: Path) -> Path:
    """A finished game of twelve entries, one in play with nine."""
    found = tmp_path / "journal.sqlite"
    with Journal.open(str(found)) as journal:
        a_game(journal, 12, "finished")
        a_game(journal, 9)
    return found


def repaired(path: Path) -> Result:
    return naqala("doctor", "--repair", "--home", path.parent)


def bodies(path: Path, game: int) -> list[object]:
    with Journal.open(str(path)) as journal:
        return [entry.body for entry in journal.entries(game)]


def test_a_whole_journal_is_left_alone(path: Path) -> None:
    before = path.read_bytes()
    done = repaired(path)
    assert done.exit_code == 0 and "nothing to repair" in done.output
    assert path.read_bytes() == before
    assert list(path.parent.glob("*.damaged-*")) == []


def test_what_is_whole_is_saved_and_what_is_lost_is_named(path: Path) -> None:
    tamper(str(path), "UPDATE entries SET body = '{}' WHERE game = 1 AND number = 5")
    done = repaired(path)
    assert done.exit_code == 0, done.output
    assert "game 1" in done.output and "4 of 12 entries" in done.output and "entry 5" in done.output
    assert "game 2" not in done.output, "what is whole is not worth a word"
    assert bodies(path, 1) == BODIES[:4]
    assert bodies(path, 2) == BODIES[:9]
    with Journal.open(str(path)) as journal:
        assert [game.how for game in journal.games()] == ["aborted", ""], "half a game has no winner"
        journal.append(2, 10, "action", "Ann", BODIES[9])
    assert naqala("doctor", "--only", "journal", "--home", path.parent).exit_code == 0
    assert len(list(path.parent.glob("journal.sqlite.damaged-*"))) >= 1


def test_entries_after_the_damage_are_kept_readable(path: Path) -> None:
    """They cannot be played without the lost one, but they were written and people may read them."""
    tamper(str(path), "UPDATE entries SET body = '{}' WHERE game = 1 AND number = 5")
    done = repaired(path)
    (rest,) = path.parent.glob("journal.sqlite.damaged-*.rest.jsonl")
    assert str(rest) in done.output
    told = [json.loads(line) for line in rest.read_text().splitlines()]
    assert [(one["game"], one["number"], one["body"]) for one in told] == [
        (1, number, BODIES[number - 1]) for number in range(6, 13)
    ]


def test_a_game_that_was_set_aside_at_a_start_is_repaired_once(path: Path) -> None:
    tamper(str(path), "UPDATE entries SET body = '{}' WHERE game = 2 AND number = 5")
    Journal.open(str(path), mend=True).close()
    assert "game 2" in repaired(path).output
    assert bodies(path, 2) == bodies(path, 3) == BODIES[:4]
    again = repaired(path)
    assert "nothing to repair" in again.output
    assert len(list(path.parent.glob("journal.sqlite.damaged-*.rest.jsonl"))) == 1


def test_a_lost_opening_loses_its_game_and_says_so(path: Path) -> None:
    tamper(str(path), "UPDATE games SET opening = '{' WHERE id = 1")
    done = repaired(path)
    assert "game 1" in done.output and "opening" in done.output
    with Journal.open(str(path)) as journal:
        assert [game.id for game in journal.games()] == [2]
    told = [json.loads(line) for line in next(path.parent.glob("*.rest.jsonl")).read_text().splitlines()]
    assert [one["body"] for one in told] == BODIES[:12]


def test_a_journal_in_use_is_not_repaired(path: Path) -> None:
    tamper(str(path), "UPDATE entries SET body = '{}' WHERE game = 1 AND number = 5")
    with Journal.open(str(path)) as journal:
        journal.append(2, 10, "action", "Ann", BODIES[9])
        done = repaired(path)
    assert done.exit_code == 1 and "in use" in done.output
    assert list(path.parent.glob("*.damaged-*")) == []


def test_broken_pages_anywhere(path: Path, tmp_path: Path) -> None:
    """A page of garbage at any place of the file: the command ends with a sentence, and nothing is saved that was not written."""
    with Journal.open(str(path)) as journal:
        for _ in range(6):
            a_game(journal, 40, "finished")
    sound = path.read_bytes()
    saved_at_all = 0
    for seed in range(12):
        folder = tmp_path / f"seed{seed}"
        folder.mkdir()
        chance = Random(seed)
        data = bytearray(sound)
        for _ in range(chance.choice((1, 1, 2, 4))):
            page = chance.randrange(len(data) // 4096)
            data[page * 4096 : page * 4096 + 4096] = chance.randbytes(4096)
        broken = folder / path.name
        broken.write_bytes(data)
        for lock in path.parent.glob("*.lock"):
            (folder / lock.name).touch()
        done = repaired(broken)
        assert ("Traceback" not in done.output and done.exception is None) or isinstance(
            done.exception, SystemExit
        )
        with Journal.open(str(broken)) as journal:
            for game in journal.games():
                found = [entry.body for entry in journal.entries(game.id)]
                assert found == BODIES[: len(found)]
                saved_at_all += len(found)
    assert saved_at_all > 500


@pytest.mark.parametrize("bytes_lost", [100, 4096, 10_000], ids=str)
def test_a_lost_beginning_does_not_prevent_the_start(path: Path, bytes_lost: int) -> None:
    data = path.read_bytes()
    path.write_bytes(bytes(bytes_lost) + data[bytes_lost:])
    service = Service(
        Settings(tables={"oak": "virtual"}, journal=str(path), backup_at=""), path.parent, port=0
    )
    service.start()
    service.stop()
    assert len(list(path.parent.glob("journal.sqlite.damaged-*"))) >= 1


@pytest.mark.parametrize("left", [1, 50, 5000])
def test_a_file_cut_short_does_not_prevent_the_start(path: Path, left: int) -> None:
    path.write_bytes(path.read_bytes()[:left])
    with Journal.open(str(path), mend=True) as journal:
        game = journal.new_game("oak", {})
        assert [one.id for one in journal.games("oak")][-1] == game, "it takes new games"


def test_a_newer_journal_does_not_prevent_the_start(path: Path, caplog: pytest.LogCaptureFixture) -> None:
    tamper(str(path), "UPDATE about SET schema = 99")
    before = path.read_bytes()
    service = Service(
        Settings(tables={"oak": "virtual"}, journal=str(path), backup_at=""), path.parent, port=0
    )
    with caplog.at_level(logging.WARNING):
        service.start()
    service.stop()
    assert "newer Naqala" in caplog.text and "journal-form-1.sqlite" in caplog.text
    assert path.read_bytes() == before, "it waits for the update"
    assert (path.parent / "journal-form-1.sqlite").is_file()


def test_a_file_of_another_program_is_still_refused(tmp_path: Path) -> None:
    other = tmp_path / "thesis.odt"
    other.write_bytes(b"PK\x03\x04 years of work")
    with pytest.raises(JournalError):
        Journal.open(str(other), mend=True)
    assert other.read_bytes() == b"PK\x03\x04 years of work"
