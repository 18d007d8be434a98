"""Fair among players: what one seat may do to the others, seen from the pages."""

from __future__ import annotations

import json
import re
from pathlib import Path
from typing import Any

import pytest
from flask import Flask
from flask.testing import FlaskClient
from naqala.dashboard.keys import load_keys
from naqala.dashboard.seat_requests import MOST_ASKING
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
    found: Flask = app_for(tmp_path, stand, let_in=False)
    return found


def post(client: FlaskClient, address: str, **data: Any) -> Any:
    token = re.search(r'name="csrf" value="([^"]+)"', client.get("/t/oak/join").text)
    assert token
    where = address if address.startswith("/") else f"/t/oak/{address}"
    return client.post(where, data={"csrf": token[1], **data}, headers=OURS)


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
    assert "possible right now" in ann.get("/t/oak/seat").text


def test_cards_that_are_due_are_told_by_anybody(app: Flask, stand: Stand, record: Record) -> None:
    ann = seated(app, "Ann")
    due = snapshot_after(record, step_where(record, "reveal"), cards="physical")
    stand._snapshot = due
    action = {"do": "reveal", "row": ["fish"], "djinns": []}
    post(ann, "tap", step=str(due.step), action=json.dumps(action))
    assert stand.told == [c.Tap("Ann", due.step, action)]
    post(ann, "tap", step=str(due.step + 1), action=json.dumps(action))
    assert len(stand.told) == 1, "a page of another moment"


# --- seats and hands ----------------------------------------------------------------------------------------


@pytest.fixture
def later(stand: Stand, record: Record) -> Stand:
    """The second round: hands hold what is nobody else's business."""
    stand._snapshot = snapshot_after(record, next(n for n in range(99) if record.at(n).round == 2))
    return stand


@pytest.fixture
def owner(app: Flask, tmp_path: Path) -> FlaskClient:
    client: FlaskClient = app.test_client()
    client.get(f"/owner?token={load_keys(tmp_path).owner}")
    return client


def number_shown(client: FlaskClient) -> str:
    """What the phone that asks was told to show."""
    found = re.search(r"this phone shows the number (\d+)", client.get("/t/oak/join").text)
    assert found
    return found[1]


def sits(client: FlaskClient) -> bool:
    return client.get("/t/oak/seat").status_code == 200


def log_of(client: FlaskClient) -> str:
    return client.get("/t/oak/log").text


def test_before_there_are_secrets_a_phone_sits_down_by_itself(app: Flask) -> None:
    assert sits(seated(app, "Bob"))


def test_a_free_seat_of_a_game_in_play_needs_the_hosts_yes(
    app: Flask, later: Stand, owner: FlaskClient
) -> None:
    stranger: FlaskClient = app.test_client()
    assert post(stranger, "sit", name="Bob").location.endswith("/join")
    number = number_shown(stranger)
    assert not sits(stranger)
    assert "710" not in stranger.get("/t/oak/seat").text
    assert f"number {number} asks" in app.test_client().get("/t/oak/").text, (
        "everybody sees that somebody asks"
    )
    assert post(stranger, f"admit?number={number}&agreed=yes", name="Bob").status_code == 403
    assert post(owner, f"admit?number={number}&agreed=yes", name="Bob").status_code == 303
    assert not sits(stranger), "until it taps again"
    assert post(stranger, "sit", name="Bob").location.endswith("/seat")
    assert sits(stranger)
    assert "The host let a phone take the seat of Bob." in log_of(app.test_client())
    assert "The host let a phone take the seat of Bob." in app.test_client().get("/t/oak/").text


def test_the_hosts_no_is_a_no(app: Flask, later: Stand, owner: FlaskClient) -> None:
    stranger: FlaskClient = app.test_client()
    post(stranger, "sit", name="Bob")
    number = number_shown(stranger)
    post(owner, f"admit?number={number}&agreed=no", name="Bob")
    assert f"number {number} asks" not in app.test_client().get("/t/oak/").text
    assert "shows the number" not in stranger.get("/t/oak/join").text
    assert post(stranger, "sit", name="Bob").location.endswith("/join"), "it may only ask once more"
    assert not sits(stranger)


def test_the_yes_is_for_the_phone_that_shows_the_number(app: Flask, later: Stand, owner: FlaskClient) -> None:
    """A stranger may ask first: whoever reads out the number is let in."""
    stranger, bob = app.test_client(), app.test_client()
    for phone in (stranger, bob, bob):  # and tapping twice asks once
        post(phone, "sit", name="Bob")
    number = number_shown(bob)
    assert number != number_shown(stranger)
    assert owner.get("/t/oak/setup").text.count("asks for the seat of Bob") == 2
    post(owner, f"admit?number={number}&agreed=yes", name="Bob")
    post(stranger, "sit", name="Bob")
    assert not sits(stranger)
    post(bob, "sit", name="Bob")
    assert sits(bob)
    assert "asks for the seat" not in app.test_client().get("/t/oak/").text


def test_so_many_phones_may_ask_and_no_more(app: Flask, later: Stand, owner: FlaskClient) -> None:
    crowd = [app.test_client() for _ in range(MOST_ASKING + 1)]
    for phone in crowd:
        post(phone, "sit", name="Bob")
    assert "Too many phones" in post_and_read(crowd[-1], "sit", name="Bob")
    numbers = {number_shown(phone) for phone in crowd[:-1]}
    assert len(numbers) == MOST_ASKING


def post_and_read(client: FlaskClient, address: str, **data: Any) -> str:
    post(client, address, **data)
    return client.get("/t/oak/join").text


def test_an_old_number_admits_nobody(app: Flask, later: Stand, owner: FlaskClient) -> None:
    stranger: FlaskClient = app.test_client()
    post(stranger, "sit", name="Bob")
    number = number_shown(stranger)
    other = str(int(number) % 99 + 1)
    assert post(owner, f"admit?number={other}&agreed=yes", name="Bob").status_code == 303
    post(stranger, "sit", name="Bob")
    assert not sits(stranger)


def test_a_seat_that_the_host_frees_is_for_the_next_phone(
    app: Flask, stand: Stand, record: Record, owner: FlaskClient
) -> None:
    """A battery is empty: the host frees the seat, and has said yes with it."""
    lost = seated(app, "Bob")
    stand._snapshot = snapshot_after(record, next(n for n in range(99) if record.at(n).round == 2))
    post(owner, "stand-up", name="Bob")
    assert not sits(lost)
    assert sits(seated(app, "Bob"))
    assert "The host freed the seat of Bob." in log_of(owner)


def test_who_stands_up_by_oneself_leaves_a_closed_seat(app: Flask, stand: Stand, record: Record) -> None:
    bob = seated(app, "Bob")
    stand._snapshot = snapshot_after(record, next(n for n in range(99) if record.at(n).round == 2))
    post(bob, "stand-up", name="Bob")
    assert "The phone of Bob left its seat." in log_of(bob)
    post(app.test_client(), "sit", name="Bob")
    assert not sits(app.test_client())


def test_the_host_sits_down_without_asking_and_the_log_says_so(later: Stand, owner: FlaskClient) -> None:
    assert post(owner, "sit", name="Cy").location.endswith("/seat")
    assert "The host took the seat of Cy." in log_of(owner)


def test_what_was_said_of_seats_survives_a_restart(app: Flask, tmp_path: Path, stand: Stand) -> None:
    seated(app, "Bob")
    again = app_for(tmp_path, stand)
    assert "A phone took the seat of Bob." in log_of(again.test_client())


# --- who is the host ----------------------------------------------------------------------------------------


def test_a_browser_stops_being_the_hosts(owner: FlaskClient) -> None:
    assert owner.get("/t/oak/setup").status_code == 200
    post(owner, "/owner/leave")
    assert owner.get("/t/oak/setup").status_code == 403


def test_a_new_token_puts_every_other_browser_out(app: Flask, tmp_path: Path, owner: FlaskClient) -> None:
    ann = seated(app, "Ann")
    other: FlaskClient = app.test_client()
    before = load_keys(tmp_path).owner
    other.get(f"/owner?token={before}")
    assert other.get("/t/oak/setup").status_code == 200
    assert post(ann, "/owner/renew").status_code == 403
    post(owner, "/owner/renew")
    assert load_keys(tmp_path).owner != before
    assert other.get("/t/oak/setup").status_code == 403
    assert app.test_client().get(f"/owner?token={before}").status_code == 403
    assert owner.get("/t/oak/setup").status_code == 200
    assert sits(ann), "seats are not touched"
    assert load_keys(tmp_path).owner in owner.get("/t/oak/setup").text, "the new address is told"
