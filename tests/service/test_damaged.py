"""One damaged game must not keep the program from starting: it is named, set aside, and everything else works."""

from __future__ import annotations

import logging
from pathlib import Path

import pytest
from naqala.journal import Journal

from tests.journal.test_damage import a_game
from tests.journal.test_journal import tamper
from tests.service.test_refusals import started


@pytest.mark.parametrize(
    ("statement", "entries"),
    [
        ("UPDATE games SET opening = '[]' WHERE id = 1", 12),
        ("UPDATE entries SET body = '{}' WHERE game = 1 AND number = 2", 12),
        ("UPDATE entries SET body = '{}' WHERE game = 2 AND number = 9", 8),
    ],
    ids=["the opening of an old game", "an entry of an old game", "an entry of the game that waits"],
)
def test_the_house_opens(
    tmp_path: Path, caplog: pytest.LogCaptureFixture, statement: str, entries: int
) -> None:
    path = str(tmp_path / "journal.sqlite")
    with Journal.open(path) as journal:
        a_game(journal, 6, "finished")
        a_game(journal, 12)
    tamper(path, statement)
    with caplog.at_level(logging.WARNING):
        service = started(tmp_path)
    try:
        waiting = service.sessions["oak"].snapshot.unfinished
        assert waiting is not None and waiting.entries == entries
        assert ("not as it was written" in caplog.text) is (entries == 8)
        assert service._app is not None
        page = service._app.test_client().get("/t/oak/history")
        assert page.status_code == 200 and "damaged" in page.text
    finally:
        service.stop()
