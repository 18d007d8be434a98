"""Games of the past: true after a game was taken up again, quick to look at however many there are, never in the way."""

from __future__ import annotations

import re
import threading
from collections.abc import Iterator
from pathlib import Path

import pytest
from flask import Flask
from naqala.dashboard import Settings, charts, create_app
from naqala.dashboard.end import span
from naqala.dashboard.history import GAMES_A_PAGE
from naqala.journal import Journal, JournalUnreachable
from naqala.rules import notation, position
from naqala.rules.scoring import score
from naqala.session.snapshot import LogLine
from naqala.simulate import simulated

from tests.dashboard.stand import Stand, snapshot_after

RECORD = simulated(2, 5)
OPENING = position.to_json(RECORD.opening) | {"companion": {}}
BODIES = [notation.to_json(step.action) for step in RECORD.steps]
MINUTE_MS = 60_000


@pytest.fixture
def journal(tmp_path: Path) -> Iterator[Journal]:
    with Journal.open(str(tmp_path / "journal.sqlite")) as opened:
        yield opened


@pytest.fixture
def app(tmp_path: Path, journal: Journal) -> Flask:
    return create_app({"oak": Stand(snapshot_after(RECORD, 0))}, Settings(tmp_path, journal=journal))


def played(journal: Journal, entries: int = 0, how: str = "finished") -> int:
    game = journal.new_game("oak", OPENING, 0)
    for number, body in enumerate(BODIES[: entries or len(BODIES)], 1):
        journal.append(game, number, "action", "Ann", body, at_ms=number * MINUTE_MS)
    journal.close_game(game, how, (entries + 1) * MINUTE_MS)
    return game


def counted(app: Flask) -> str:
    """The page, when everything was counted."""
    text = app.test_client().get("/t/oak/history").text
    for thread in threading.enumerate():
        if thread.name == "naqala-history":
            thread.join(60)
    assert "still being counted" not in app.test_client().get("/t/oak/history").text, text
    return app.test_client().get("/t/oak/history").text


def totals(text: str) -> list[tuple[str, int]]:
    return [(name, int(total)) for name, total in re.findall(r"(Ann|Bob) (\d+)", text)]


def test_a_game_that_was_taken_up_again_shows_its_new_end(app: Flask, journal: Journal) -> None:
    game = played(journal)
    before = counted(app)
    journal.reopen(game)
    # the last round is taken back and, say, nobody found the mistake again: the game ends in the middle of it
    to = len(BODIES) - 12
    journal.append(game, len(BODIES) + 1, "undo", "Ann", {"do": "undo", "to": to})
    journal.close_game(game, "finished")
    expected = [(one.name, one.total) for one in score(RECORD.at(to))]
    assert expected != [(one.name, one.total) for one in score(RECORD.game)]
    now = counted(app)
    assert totals(now)[:2] == expected != totals(before)[:2]
    client = app.test_client()
    exported = client.get(f"/t/oak/history/{game}/score.json").json
    assert exported is not None
    assert [(one["name"], one["total"]) for one in exported["scores"]] == expected
    sheet = client.get(f"/t/oak/history/{game}/sheet").text
    assert all(f">{total}<" in sheet for _, total in expected)


def test_many_games_come_in_pages_and_all_of_them_count(app: Flask, journal: Journal) -> None:
    games = [played(journal, 8) for _ in range(GAMES_A_PAGE + 3)]
    text = counted(app)
    assert re.findall(r"/history/(\d+)\"", text) == [str(game) for game in games[:2:-1]]
    assert f'data-label="Games">{len(games)}<' in text
    older = app.test_client().get("/t/oak/history?page=2").text
    assert re.findall(r"/history/(\d+)\"", older) == [str(game) for game in games[2::-1]]
    for odd in ("0", "99", "-1", "x", "9" * 40):
        assert app.test_client().get(f"/t/oak/history?page={odd}").status_code == 200


def test_a_first_look_waits_for_one_page_only(
    app: Flask, journal: Journal, monkeypatch: pytest.MonkeyPatch
) -> None:
    for _ in range(GAMES_A_PAGE + 3):
        played(journal, 2)
    monkeypatch.setattr(threading.Thread, "start", lambda thread: None)  # the rest is never counted
    text = app.test_client().get("/t/oak/history").text
    assert "3 games are still being counted" in text
    assert f'data-label="Games">{GAMES_A_PAGE}<' in text


def test_only_games_of_this_table_that_have_ended(app: Flask, journal: Journal) -> None:
    waiting = journal.new_game("oak", OPENING)
    elsewhere = journal.new_game("elm", OPENING)
    journal.close_game(elsewhere, "finished")
    for game in (waiting, elsewhere, 77, 10**30):
        for address in ("", "/sheet", "/score.csv"):
            assert app.test_client().get(f"/t/oak/history/{game}{address}").status_code == 404


def test_a_database_that_is_away_is_told_and_is_no_fault_of_ours(
    app: Flask, journal: Journal, monkeypatch: pytest.MonkeyPatch
) -> None:
    game = played(journal, 2)

    def away(*_: object) -> None:
        raise JournalUnreachable("the database does not answer")

    monkeypatch.setattr(Journal, "_games", away)
    for address in ("/t/oak/history", f"/t/oak/history/{game}", f"/t/oak/history/{game}/score.csv"):
        answer = app.test_client().get(address)
        assert answer.status_code == 503
        assert "cannot be read now" in answer.text


# --- times after a clock was set ----------------------------------------------------------------------------

AT_S = (0.0, 60.0, 1_790_000_000.0, 1_790_000_030.0, 1_789_998_230.0, 1_789_998_290.0)


def test_minutes_are_those_that_passed_whatever_was_done_to_the_clock() -> None:
    """One minute, then the network told the time, half a minute, then a power cut and half an hour less, one minute."""
    lines = [(at, "Ann") for at in AT_S]
    assert charts.time_played(lines) == 150
    assert charts.time_per_player(lines) == {"Ann": 150}


def test_a_game_began_as_long_before_its_end_as_it_took() -> None:
    log = [
        LogLine(number, round(at * 1000), "Ann", "action", RECORD.steps[0].action)
        for number, at in enumerate(AT_S)
    ]
    assert span(AT_S[0], AT_S[-1], log) == (AT_S[-1] - 150, AT_S[-1])
    assert span(100.0, 3700.0, log) == (100.0, 3700.0), "breaks belong to an evening"
