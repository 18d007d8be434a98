"""Nothing that a browser can send is a 500, and a full disk takes nobody's seat away."""

from __future__ import annotations

import errno
import json
import re
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from flask import Flask
from flask.testing import FlaskClient
from naqala.dashboard import keys
from naqala.dashboard.keys import KEYS, ROBOTS, SEATS, Robots, Seats, load_keys
from naqala.session import commands as c
from naqala.session.session import HANDLERS

from tests.dashboard.stand import Stand, a_game, app_for, snapshot_after
from tests.dashboard.two_worlds import World

OURS = {"Origin": "http://localhost"}
DEEP = 20_000


@pytest.fixture
def stand() -> Stand:
    return Stand(snapshot_after(a_game(("Ann", "Bob", "Cy")), 0))


@pytest.fixture
def app(tmp_path: Path, stand: Stand) -> Flask:
    found: Flask = app_for(tmp_path, stand)
    return found


def token(client: FlaskClient) -> str:
    found = re.search(r'name="csrf" value="([^"]+)"', client.get("/t/oak/join").text)
    assert found
    return found[1]


def post(client: FlaskClient, address: str, **data: Any) -> Any:
    return client.post(address, data={"csrf": token(client), **data}, headers=OURS)


@pytest.fixture
def ann(app: Flask) -> FlaskClient:
    client = app.test_client()
    assert post(client, "/t/oak/sit", name="Ann").status_code == 303
    return client


@pytest.mark.parametrize(
    "action",
    [
        '{"do":[]}',
        '{"do":{}}',
        '{"do":null}',
        '{"do":1e999}',
        '{"do":["bid"]}',
        '{"do":"bid","player":[]}',
        '{"do":"bid","player":{"a":1}}',
        "[" * DEEP,
        '{"do":' * 5_000,
        '{"do":"bid","spot":' + "[" * 5_000 + "]" * 5_000 + "}",
        '{"do":"bid","spot":' + "9" * 5_000 + "}",
        "NaN",
        '"\\ud800"',
        '{"do":"sell","suits":[["\\ud800"]]}',
    ],
    ids=lambda text: text[:24],
)
def test_a_tap_of_any_shape_is_refused(ann: FlaskClient, stand: Stand, action: str) -> None:
    assert post(ann, "/t/oak/tap", step="1", action=action).status_code in (400, 403)
    assert stand.told == []


@pytest.mark.parametrize(
    ("sent", "goes"),
    [
        ("/t/oak/log", "/t/oak/log"),
        ("/t/oak/seat?seat=Ann", "/t/oak/seat?seat=Ann"),
        ("/\n", "/"),
        ("/t/oak/\r\nSet-Cookie: a=b", "/"),
        ("/\t/evil.example", "/"),
        ("//evil.example", "/"),
        ("/\\evil.example", "/"),
        ("/t\\evil", "/"),
        ("https://evil.example", "/"),
        ("/\x00", "/"),
        ("/ü", "/"),
        ("", "/"),
        ("/" + "a" * 3000, "/"),
    ],
    ids=lambda text: text[:24],
)
def test_preferences_lead_back_into_the_house_and_nowhere_else(app: Flask, sent: str, goes: str) -> None:
    answer = post(app.test_client(), "/prefer", language="fr", back=sent)
    assert (answer.status_code, answer.location) == (303, goes)


@pytest.mark.parametrize(
    "host",
    ["a" * 5000, "a" * 64, "a." * 2000, "[" * 10, "a:99999999999", "\xff", "x" * 300 + ".local"],
    ids=lambda host: host[:12],
)
def test_a_host_of_any_length_is_refused_quietly(app: Flask, host: str) -> None:
    for address in ("/", "/t/oak/", "/nowhere", "/owner?token=x"):
        answer = app.test_client().get(address, headers={"Host": host})
        assert answer.status_code in (200, 302, 400, 403, 404), (address, answer.status_code)


def test_a_post_of_any_bytes_is_no_500(ann: FlaskClient, app: Flask) -> None:
    sent = token(ann)
    for rule in app.url_map.iter_rules():
        if "POST" not in (rule.methods or ()):
            continue
        address = rule.rule.replace("<table>", "oak").replace("<int:to>", "0")
        for junk in (b"\xff\xfe", b"%", b"a=%ff&" * 300, b"step=9" + b"9" * 30):
            data = f"csrf={sent}&".encode() + junk
            kind = "application/x-www-form-urlencoded"
            answer = ann.post(address, data=data, content_type=kind, headers=OURS)
            assert answer.status_code < 500, (address, junk[:8])


# --- the disk is full ---------------------------------------------------------------------------------------


@pytest.fixture
def full(monkeypatch: pytest.MonkeyPatch) -> Iterator[pytest.MonkeyPatch]:
    """No byte goes to the disk any more, as long as this is not undone."""

    def fsync(_: int) -> None:
        raise OSError(errno.ENOSPC, "No space left on device")

    with monkeypatch.context() as patch:
        patch.setattr(keys.os, "fsync", fsync)
        yield patch


def test_a_seat_that_could_not_be_written_is_still_free(app: Flask, full: pytest.MonkeyPatch) -> None:
    ann = app.test_client()
    answer = post(ann, "/t/oak/sit", name="Ann")
    assert answer.status_code == 303 and answer.location.endswith("/join")
    assert "could not be written" in ann.get("/t/oak/join").text
    assert ann.get("/t/oak/seat").status_code == 302
    full.undo()
    assert post(ann, "/t/oak/sit", name="Ann").location.endswith("/seat")
    assert ann.get("/t/oak/seat").status_code == 200


def test_who_leaves_a_seat_on_a_full_disk_keeps_it_and_hears_why(
    ann: FlaskClient, app: Flask, full: pytest.MonkeyPatch
) -> None:
    assert post(ann, "/t/oak/stand-up", name="Ann").status_code == 303
    assert "could not be written" in ann.get("/t/oak/join").text
    assert ann.get("/t/oak/seat").status_code == 200
    full.undo()
    post(ann, "/t/oak/stand-up", name="Ann")
    assert ann.get("/t/oak/seat").status_code == 302


def test_robots_that_could_not_be_written_are_as_before(tmp_path: Path, full: pytest.MonkeyPatch) -> None:
    robots = Robots(tmp_path)
    with pytest.raises(keys.NotKept):
        robots.keep("oak", {"seats": {"Bob": "greedy"}})
    assert robots.of("oak") is None
    full.undo()
    robots.keep("oak", {"seats": {}})
    assert Robots(tmp_path).of("oak") == {"seats": {}}


# --- damaged files ------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    "text", ["[" * DEEP, '{"a":' * DEEP, "", "null", "\x00", '{"signing": 5}'], ids=lambda text: text[:8]
)
def test_damaged_keys_and_seats_only_mean_to_join_again(tmp_path: Path, text: str) -> None:
    for name in (KEYS, SEATS, ROBOTS):
        (tmp_path / name).write_text(text)
    assert load_keys(tmp_path).owner
    assert Seats(tmp_path).claim("oak", "Ann")
    assert Robots(tmp_path).of("oak") is None


def test_an_error_nobody_expected_is_a_page_without_values(
    app: Flask, ann: FlaskClient, stand: Stand, caplog: pytest.LogCaptureFixture
) -> None:
    secret = "purse of 710093"

    def tell(_: object) -> None:
        raise RuntimeError(secret)

    stand.tell = tell  # type: ignore[method-assign, assignment]
    app.config["PROPAGATE_EXCEPTIONS"] = False
    answer = post(ann, "/t/oak/tap", step="1", action=json.dumps({"do": "bid", "spot": 3}))
    assert answer.status_code == 500
    assert secret not in answer.text and "Go back and try again" in answer.text
    assert "RuntimeError" in caplog.text and "test_no_500.py" in caplog.text, "where it was is told"
    assert secret not in caplog.text


def test_a_session_that_stops_tells_the_terminal_no_values(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, caplog: pytest.LogCaptureFixture
) -> None:
    secret = "Ann holds 710093"
    world = World(tmp_path, a_game(2).at(3))

    def fail(*_: object) -> None:
        raise RuntimeError(secret)

    try:
        monkeypatch.setitem(HANDLERS, c.SetHelp, fail)
        assert not world.session.tell(c.SetHelp("owner", True)).accepted
        assert "RuntimeError" in world.session.snapshot.stopped
        assert "table 'oak' stopped" in caplog.text and "RuntimeError" in caplog.text
        assert secret not in caplog.text and secret not in world.session.snapshot.stopped
    finally:
        world.close()
