"""Fair among players: what one seat may do to the others, seen from the pages."""

from __future__ import annotations

import json
import re
from pathlib import Path
from typing import Any

import pytest
from flask import Flask
from flask.testing import FlaskClient
from naqala.rules.record import Record
from naqala.session import commands as c

from tests.dashboard.stand import Stand, a_game, app_for, snapshot_after, step_where

OURS = {"Origin": "http://localhost"}
NAMES = ("Ann", "Bob", "Cy")


@pytest.fixture(scope="module")
def record() -> Record:
    return a_game(NAMES)


@pytest.fixture
def stand(record: Record) -> Stand:
    return Stand(snapshot_after(record, 0))


@pytest.fixture
def app(tmp_path: Path, stand: Stand) -> Flask:
    found: Flask = app_for(tmp_path, stand)
    return found


def post(client: FlaskClient, address: str, **data: Any) -> Any:
    token = re.search(r'name="csrf" value="([^"]+)"', client.get("/t/oak/join").text)
    assert token
    return client.post(f"/t/oak/{address}", data={"csrf": token[1], **data}, headers=OURS)


def seated(app: Flask, name: str) -> FlaskClient:
    client: FlaskClient = app.test_client()
    assert post(client, "sit", name=name).location.endswith("/seat")
    return client


# --- nobody stops the bidding -------------------------------------------------------------------------------


@pytest.mark.parametrize("action", [{"do": "reveal"}, {"do": "reveal", "row": [], "djinns": []}])
def test_an_empty_reveal_while_bids_are_made_never_reaches_the_table(
    app: Flask, stand: Stand, action: dict[str, Any]
) -> None:
    """The rules accept it, for records of other programs; each one would make the taps of all others stale."""
    ann = seated(app, "Ann")
    answer = post(ann, "tap", step=str(stand.snapshot.step), action=json.dumps(action))
    assert answer.status_code == 303
    assert stand.told == []
    assert "no place right now" in ann.get("/t/oak/seat").text


def test_cards_that_are_due_are_told_by_anybody(app: Flask, stand: Stand, record: Record) -> None:
    ann = seated(app, "Ann")
    due = snapshot_after(record, step_where(record, "reveal"), cards="physical")
    stand._snapshot = due
    action = {"do": "reveal", "row": ["fish"], "djinns": []}
    post(ann, "tap", step=str(due.step), action=json.dumps(action))
    assert stand.told == [c.Tap("Ann", due.step, action)]
    post(ann, "tap", step=str(due.step + 1), action=json.dumps(action))
    assert len(stand.told) == 1, "a page of another moment"
