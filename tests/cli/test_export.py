"""`naqala export` on a journal with a finished, a given-up and an open game."""

from __future__ import annotations

import csv
import io
import json
import subprocess
import sys
from pathlib import Path

import pytest
from naqala.journal import Journal
from naqala.rules import notation, position
from naqala.rules.scoring import score, winners
from naqala.simulate import simulated

NAQALA = Path(sys.executable).parent / "naqala"
RECORD = simulated(("Ann", "=Bob"), 3, {})


@pytest.fixture(scope="module")
def journal(tmp_path_factory: pytest.TempPathFactory) -> Path:
    path = tmp_path_factory.mktemp("export") / "journal.sqlite"
    with Journal.open(str(path)) as journal:
        for how in ("finished", "aborted", ""):
            game = journal.new_game("oak", position.to_json(RECORD.opening), at_ms=1_790_000_000_000)
            actions = RECORD.actions if how == "finished" else RECORD.actions[:3]
            for number, action in enumerate(actions, 1):
                journal.append(game, number, "action", "Ann", notation.to_json(action))
            if how:
                journal.close_game(game, how, at_ms=1_790_003_600_000)
    return path


def run(journal: Path, *arguments: str, code: int = 0) -> str:
    command = [NAQALA, "export", "--journal", journal, *arguments]
    done = subprocess.run(command, capture_output=True, text=True, timeout=60, check=False)
    assert done.returncode == code, done.stderr
    assert "Traceback" not in done.stderr
    return done.stdout if code == 0 else done.stderr


def test_the_games_are_listed(journal: Path) -> None:
    lines = run(journal).splitlines()
    assert [line.split()[0] for line in lines] == ["1", "2", "3"]
    assert lines[0].endswith("oak  Ann, =Bob  finished")
    assert [line.rpartition("  ")[2] for line in lines] == ["finished", "aborted", "not over yet"]


def test_a_journal_without_games(tmp_path: Path) -> None:
    Journal.open(str(tmp_path / "new.sqlite")).close()
    assert run(tmp_path / "new.sqlite") == "No game was played yet.\n"


def test_every_form_says_the_same(journal: Path, tmp_path: Path) -> None:
    scores = score(RECORD.game)
    totals = {one.name: one.total for one in scores}
    whole = json.loads(run(journal, "1"))
    assert len(whole["actions"]) == len(RECORD.actions)
    assert {one["name"]: one["total"] for one in whole["scores"]} == totals
    assert json.loads(run(journal, "1", "--as", "score"))["winners"] == list(winners(scores))
    rows = list(csv.DictReader(io.StringIO(run(journal, "1", "--as", "csv"))))
    assert [int(row["total"]) for row in rows] == list(totals.values())
    assert rows[1]["name"] == "'=Bob", "a spreadsheet must not take a name for a formula"
    play = json.loads(run(journal, "1", "--as", "bgstats"))
    assert {one["name"]: int(one["score"]) for one in play["players"]} == totals
    assert play["durationMin"] == 60
    out = tmp_path / "evening.txt"
    run(journal, "1", "--as", "record", "--out", str(out))
    done = subprocess.run([NAQALA, "replay", out, "--json"], capture_output=True, text=True, check=True)
    assert {one["name"]: one["total"] for one in json.loads(done.stdout)["scores"]} == totals


def test_the_link_as_a_picture(journal: Path, tmp_path: Path) -> None:
    picture = tmp_path / "play.svg"
    link = run(journal, "1", "--as", "bgstats-link", "--qr", str(picture))
    assert link.startswith("https://app.bgstatsapp.com/")
    assert "<svg" in picture.read_text()


@pytest.mark.parametrize(
    ("arguments", "words"),
    [
        (("2",), "game 2 is given up"),
        (("3",), "game 3 is not over yet"),
        (("9",), "no game 9"),
        (("99999999999999999999",), "GAME is a number from the list that `naqala export` shows, not '999"),
        (("evening.csv",), "GAME is a number from the list that `naqala export` shows, not 'evening.csv'"),
        (("0",), "GAME is a number"),
        (("1", "--out", "/nowhere/x"), "cannot use '/nowhere/x': no such file"),
        (("1", "--qr", "x.doc"), "should end with .svg or .png"),
    ],
)
def test_one_clear_line(journal: Path, arguments: tuple[str, ...], words: str) -> None:
    said = run(journal, *arguments, code=2)
    assert words in said
    assert said.count("\n") == 1


def test_the_home_of_play_is_found_again(journal: Path) -> None:
    done = subprocess.run(
        [NAQALA, "export", "--home", journal.parent], capture_output=True, text=True, timeout=60, check=True
    )
    assert done.stdout == run(journal)


def test_no_journal(tmp_path: Path) -> None:
    assert "there is no journal" in run(tmp_path / "none.sqlite", code=2)
