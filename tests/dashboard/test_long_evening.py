"""An evening of thousands of entries: answers stay small, and page by page everything is there."""

from __future__ import annotations

import re

import pytest
from flask.testing import FlaskClient
from naqala.rules.actions import Reveal
from naqala.session.snapshot import LogLine

from tests.dashboard.stand import Stand, a_game, app_for, snapshot_after

ENTRIES = 4155  # of the game in which state.json had grown to 709 KB
LARGEST_BYTES = 150_000


@pytest.fixture(scope="module")
def client(tmp_path_factory: pytest.TempPathFactory) -> FlaskClient:
    record = a_game(3)
    snapshot = snapshot_after(record, 40)
    more = tuple(
        LogLine(number, snapshot.log[-1].at_ms + number, "Ann", "action", Reveal())
        for number in range(len(snapshot.log) + 1, ENTRIES + 1)
    )
    stand = Stand(snapshot)
    stand.show(log=snapshot.log + more, step=ENTRIES + 1)
    found: FlaskClient = app_for(tmp_path_factory.mktemp("home"), stand).test_client()
    return found


def test_the_state_for_programs_has_the_newest_lines_and_all_of_them_in_turn(client: FlaskClient) -> None:
    answer = client.get("/t/oak/state.json")
    assert len(answer.data) < LARGEST_BYTES
    state = answer.json
    assert state is not None
    assert state["log_lines"] == ENTRIES
    numbers: list[int] = [line["number"] for line in state["log"]]
    assert numbers[-1] == ENTRIES
    while numbers[0] > 1:
        older = client.get(f"/t/oak/state.json?before={numbers[0]}").json
        assert older is not None
        numbers = [line["number"] for line in older["log"]] + numbers
    assert numbers == list(range(1, ENTRIES + 1))


@pytest.mark.parametrize("odd", ["0", "1", "-3", "x", "9" * 60, "", "²"])
def test_an_odd_line_is_no_error(client: FlaskClient, odd: str) -> None:
    assert client.get(f"/t/oak/state.json?before={odd}").status_code == 200


def test_the_log_comes_in_pages(client: FlaskClient) -> None:
    page = client.get("/t/oak/log")
    assert len(page.data) < LARGEST_BYTES
    pages = re.search(r"Page 1 of (\d+)", page.text)
    assert pages
    lines = 0
    for number in range(1, int(pages[1]) + 1):
        text = client.get(f"/t/oak/log?page={number}").text
        first = re.search(r'<ol class="plain-list" reversed start="(\d+)"', text)
        assert first and int(first[1]) == ENTRIES - lines
        lines += text.count('class="told-step"')
    assert lines == ENTRIES
