"""Strangers stay outside: token, origin, host, sizes, rates, headers; keys for their owner's eyes only."""

from __future__ import annotations

import re
import stat
from pathlib import Path
from typing import Any

import pytest
from flask import Flask
from flask.testing import FlaskClient
from naqala.dashboard.keys import KEYS, SEATS, Seats, load_keys
from naqala.session import commands as c
from naqala.session.snapshot import Unfinished

from tests.dashboard.stand import Stand, a_game, app_for, snapshot_after

OURS = {"Origin": "http://localhost"}


@pytest.fixture
def stand() -> Stand:
    return Stand(snapshot_after(a_game(("Ann", "Bob <b>", "Cy")), 0))


@pytest.fixture
def app(tmp_path: Path, stand: Stand) -> Flask:
    found: Flask = app_for(tmp_path, stand)
    return found


def token(client: FlaskClient) -> str:
    found = re.search(r'name="csrf" value="([^"]+)"', client.get("/t/oak/join").text)
    assert found
    return found[1]


def seated(app: Flask, name: str) -> FlaskClient:
    client = app.test_client()
    sent = {"csrf": token(client), "name": name}
    assert client.post("/t/oak/sit", data=sent, headers=OURS).status_code == 303
    return client


def bid(client: FlaskClient, action: str = '{"do":"bid","spot":3}', **changes: Any) -> int:
    data = {"csrf": token(client), "step": "1", "action": action} | changes.pop("data", {})
    return client.post("/t/oak/tap", data=data, headers=changes.pop("headers", OURS)).status_code


def test_a_seat_bids(app: Flask, stand: Stand) -> None:
    assert bid(seated(app, "Ann")) == 303
    (command,) = stand.told
    assert (command.by, command.action) == ("Ann", {"do": "bid", "spot": 3, "player": "Ann"})  # type: ignore[union-attr]


@pytest.mark.parametrize(
    ("what", "changes"),
    [
        ("no token", {"data": {"csrf": ""}}),
        ("another's token", {"data": {"csrf": "x" * 24}}),
        ("no origin", {"headers": {}}),
        ("a strange origin", {"headers": {"Origin": "http://evil.example"}}),
        ("a hidden origin", {"headers": {"Origin": "null"}}),
        ("another player", {"action": '{"do":"bid","player":"Cy","spot":3}'}),
    ],
)
def test_a_post_that_is_not_ours_changes_nothing(
    app: Flask, stand: Stand, what: str, changes: dict[str, Any]
) -> None:
    assert bid(seated(app, "Ann"), **changes) == 403, what
    assert stand.told == []


def test_a_game_that_waits_is_resumed_by_who_has_a_seat_in_it(app: Flask, stand: Stand) -> None:
    ann, cy, stranger = seated(app, "Ann"), seated(app, "Cy"), app.test_client()
    stand.show(stage="welcome", seats=(), game=None, unfinished=Unfinished(1, ("Ann", "Bob <b>"), 31, 0))

    def resume(client: FlaskClient) -> int:
        sent = {"csrf": token(client), "then": "seat"}
        return client.post("/t/oak/setup/resume", data=sent, headers=OURS).status_code

    assert (resume(stranger), resume(cy), stand.told) == (403, 403, [])
    assert "Resume it" in ann.get("/t/oak/join").text
    assert "Resume it" not in cy.get("/t/oak/join").text
    assert resume(ann) == 303
    assert stand.told == [c.Resume("Ann")]


@pytest.mark.parametrize(
    "action",
    ['{"do":"correct","tiles":[]}', '{"do":"undo","to":0}', '{"do":"sow","as_it_lies":true}', "[]", "{", ""],
)
def test_a_phone_cannot_post_corrections_or_nonsense(app: Flask, stand: Stand, action: str) -> None:
    assert bid(seated(app, "Ann"), action) == 400
    assert stand.told == []


def test_a_dead_readers_tile_is_told_by_its_meeples_and_nothing_else_is_asked(
    app: Flask, stand: Stand
) -> None:
    client = seated(app, "Ann")
    page = client.get("/t/oak/tile/C3").text
    asked = set(re.findall(r'name="([^"]+)"', page.partition("<fieldset>")[2].partition("</fieldset>")[0]))
    assert asked == {f"count.{letter}" for letter in "YWGBR"}
    sent = {"csrf": token(client), "step": "1", "tile": "C3", "count.Y": "2", "count.R": "999999999"}
    assert client.post("/t/oak/enter", data=sent, headers=OURS).status_code == 303
    (command,) = stand.told
    assert command == c.EnterTile("Ann", 1, "C3", "YY" + "R" * 18), "no more than the box holds"


def test_nothing_works_without_a_seat(app: Flask, stand: Stand) -> None:
    client = app.test_client()
    sent = {"csrf": token(client), "step": "1", "to": "0", "option": "0", "agreed": "yes", "tile": "A1"}
    for rule in app.url_map.iter_rules():
        if "POST" not in (rule.methods or ()) or rule.rule in (
            "/prefer",
            "/t/<table>/sit",
            "/t/<table>/together",
        ):
            continue
        address = rule.rule.replace("<table>", "oak").replace("<int:question>", "0")
        refused = 401 if address.startswith("/api/") else 403  # a program needs a key, a browser a seat
        assert client.post(address, data=sent, headers=OURS).status_code == refused, address
    assert stand.told == []


def test_two_seats_in_two_windows_of_one_browser(app: Flask, stand: Stand) -> None:
    browser = seated(app, "Ann")
    browser.post("/t/oak/sit", data={"csrf": token(browser), "name": "Cy"}, headers=OURS)
    for window, by in (("Ann", "Ann"), ("Cy", "Cy"), ("Bob <b>", "Cy"), ("", "Cy")):
        page = browser.get(f"/t/oak/seat?seat={window}").text
        assert f'name="seat" value="{by}"' in page and f"stream/seat?seat={by}" in page
        stand.told.clear()
        bid(browser, data={"seat": window})
        assert [command.by for command in stand.told] == [by]


def test_a_taken_seat_is_taken_until_it_is_freed(app: Flask) -> None:
    ann = seated(app, "Ann")
    other = app.test_client()
    answer = other.post("/t/oak/sit", data={"csrf": token(other), "name": "Ann"}, headers=OURS)
    assert answer.location.endswith("/join")
    assert other.get("/t/oak/seat").status_code == 302
    ann.post("/t/oak/stand-up", data={"csrf": token(ann), "name": "Ann"}, headers=OURS)
    assert ann.get("/t/oak/seat").status_code == 302
    assert seated(app, "Ann").get("/t/oak/seat").status_code == 200


def test_a_seat_survives_a_restart(tmp_path: Path, stand: Stand) -> None:
    ann = seated(app_for(tmp_path, stand), "Ann")
    again = app_for(tmp_path, stand).test_client()
    again._cookies = ann._cookies
    assert again.get("/t/oak/seat").status_code == 200


def test_a_forged_cookie_is_nobody(app: Flask) -> None:
    client = app.test_client()
    name = app.session_interface.name("owner")  # type: ignore[attr-defined]
    client.set_cookie(name, "eyJvd25lciI6dHJ1ZX0.bbbbbbbbbbbbbbbbbbbbbbbbbbb")
    assert client.get("/t/oak/diagnostics").status_code == 403


def test_the_owner_shows_the_token(app: Flask, tmp_path: Path) -> None:
    client = app.test_client()
    assert client.get("/t/oak/setup").status_code == 403
    assert client.get("/owner?token=wrong").status_code == 403
    assert client.get(f"/owner?token={load_keys(tmp_path).owner}").status_code == 302
    for page in ("setup", "diagnostics", "enrol", "touch"):
        assert client.get(f"/t/oak/{page}").status_code == 200


def test_names_with_markup_stay_text(app: Flask) -> None:
    page = app.test_client().get("/t/oak/").text
    assert "Bob <b>" not in page
    assert "Bob &lt;b&gt;" in page


def test_every_answer_has_its_headers(app: Flask) -> None:
    for address in ("/t/oak/", "/nowhere", "/t/oak/state.json", "/static/naqala.js"):
        headers = app.test_client().get(address).headers
        policy = headers["Content-Security-Policy"]
        assert "default-src 'none'" in policy
        assert "unsafe" not in policy
        assert headers["X-Content-Type-Options"] == "nosniff"


def test_no_page_has_inline_script_or_style(app: Flask) -> None:
    for path in (Path(app.root_path) / "templates").rglob("*.*"):
        text = path.read_text()
        assert not re.search(r"<script(?![^>]* src=)", text), path.name
        assert not re.search(r"\s(style|on\w+)=\"", text), path.name


@pytest.mark.parametrize("host", ["evil.example", "naqala.evil.example:8000"])
def test_a_name_from_elsewhere_is_refused(app: Flask, host: str) -> None:
    assert app.test_client().get("/t/oak/", headers={"Host": host}).status_code == 400


@pytest.mark.parametrize(
    "host",
    ["localhost", "192.168.1.5:8000", "[::1]:8000", "raspberrypi.local", "pi.lan", "pi.fritz.box", "table"],
)
def test_a_local_name_is_welcome(app: Flask, host: str) -> None:
    assert app.test_client().get("/t/oak/", headers={"Host": host}).status_code == 200


def test_a_large_post_is_refused(app: Flask, stand: Stand) -> None:
    assert bid(seated(app, "Ann"), "x" * 100_000) == 413
    assert stand.told == []


def test_keys_are_for_their_owner_only_and_last(tmp_path: Path) -> None:
    keys = load_keys(tmp_path / "home")
    Seats(tmp_path / "home").claim("oak", "Ann")
    for name in (KEYS, SEATS):
        assert stat.S_IMODE((tmp_path / "home" / name).stat().st_mode) == 0o600
    assert load_keys(tmp_path / "home") == keys
    (tmp_path / "home" / KEYS).write_text("damaged")
    assert load_keys(tmp_path / "home") != keys
