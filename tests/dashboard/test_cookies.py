"""What a browser keeps: it survives any jump of a clock, two companions share a machine, and a late answer takes nothing away."""

from __future__ import annotations

import re
import time
from collections.abc import Callable
from http.cookies import SimpleCookie
from pathlib import Path

import pytest
from flask import Flask
from flask.testing import FlaskClient
from naqala.dashboard.keys import load_keys
from werkzeug.test import TestResponse

from tests.dashboard.stand import Stand, a_game, app_for, snapshot_after

OURS = {"Origin": "http://localhost"}
HALF_AN_HOUR_S, A_DAY_S = 1800, 86_400


class Browser:
    """Keeps cookies as browsers do: by host, whatever the port, so both companions of one machine get all of them."""

    def __init__(self) -> None:
        self.kept: dict[str, str] = {}

    def ask(self, app: Flask, method: str, address: str, **more: object) -> TestResponse:
        """One request, and what its answer says about cookies."""
        answer = self.sent(app, method, address, **more)
        self.take(answer)
        return answer

    def sent(self, app: Flask, method: str, address: str, **more: object) -> TestResponse:
        """An answer that is still on its way: the cookies of now went with the question."""
        told = "; ".join(f"{name}={value}" for name, value in self.kept.items())
        client = app.test_client(use_cookies=False)
        return client.open(address, method=method, headers={**OURS, "Cookie": told}, **more)  # type: ignore[arg-type]

    def take(self, answer: TestResponse) -> None:
        for line in answer.headers.getlist("Set-Cookie"):
            for name, morsel in SimpleCookie(line).items():
                if morsel["max-age"] == "0" or not morsel.value:
                    self.kept.pop(name, None)
                else:
                    self.kept[name] = morsel.value

    def token(self, app: Flask) -> str:
        found = re.search(r'name="csrf" value="([^"]+)"', self.ask(app, "GET", "/t/oak/join").text)
        assert found
        return found[1]

    def sit(self, app: Flask, name: str) -> None:
        self.ask(app, "POST", "/t/oak/sit", data={"csrf": self.token(app), "name": name})

    def is_seated(self, app: Flask) -> bool:
        return self.sent(app, "GET", "/t/oak/seat").status_code == 200

    def become_owner(self, app: Flask, home: Path) -> None:
        self.ask(app, "GET", f"/owner?token={load_keys(home).owner}")

    def is_owner(self, app: Flask) -> bool:
        return self.sent(app, "GET", "/t/oak/setup").status_code == 200


@pytest.fixture
def make(tmp_path: Path) -> Callable[[str], Flask]:
    """A companion with a home of its own."""

    def made(home: str) -> Flask:
        found: Flask = app_for(tmp_path / home, Stand(snapshot_after(a_game(("Ann", "Bob", "Cy")), 0)))
        return found

    return made


@pytest.mark.parametrize("jump_s", [-HALF_AN_HOUR_S, -400 * A_DAY_S, 400 * A_DAY_S])
def test_seats_and_owner_survive_any_jump_of_the_clock(
    make: Callable[[str], Flask], tmp_path: Path, monkeypatch: pytest.MonkeyPatch, jump_s: int
) -> None:
    phone, host = Browser(), Browser()
    app = make("home")
    phone.sit(app, "Ann")
    host.become_owner(app, tmp_path / "home")
    real = time.time
    monkeypatch.setattr(time, "time", lambda: real() + jump_s)
    app = make("home")  # a power cut, and a computer without a battery clock
    assert phone.is_seated(app)
    assert host.is_owner(app)


def test_a_cookie_says_how_long_it_lasts_and_never_until_which_date(make: Callable[[str], Flask]) -> None:
    """A date would be the server's: to a phone whose clock is months ahead it has passed when it arrives."""
    app, phone = make("home"), Browser()
    answer = phone.sent(app, "GET", "/t/oak/join")
    for line in answer.headers.getlist("Set-Cookie"):
        assert "Max-Age=" in line and "expires" not in line.lower()
        assert "HttpOnly" in line and "SameSite=Lax" in line
    assert answer.headers.getlist("Set-Cookie")


def test_two_companions_on_one_machine_leave_each_others_people_alone(
    make: Callable[[str], Flask], tmp_path: Path
) -> None:
    one, other, browser = make("one"), make("other"), Browser()
    browser.become_owner(one, tmp_path / "one")
    browser.sit(one, "Ann")
    browser.become_owner(other, tmp_path / "other")
    browser.sit(other, "Bob")
    for app in (one, other):
        assert browser.is_owner(app)
        assert browser.is_seated(app)


def test_only_an_answer_that_changed_something_sets_a_cookie(make: Callable[[str], Flask]) -> None:
    app, phone = make("home"), Browser()
    phone.sit(app, "Ann")
    for address in ("/static/naqala.js", "/t/oak/", "/t/oak/seat", "/t/oak/state.json", "/nowhere"):
        assert phone.sent(app, "GET", address).headers.getlist("Set-Cookie") == [], address


@pytest.mark.parametrize("late", ["/static/naqala.js", "/t/oak/", "/t/oak/join"])
def test_an_answer_that_comes_late_does_not_take_a_seat_away(make: Callable[[str], Flask], late: str) -> None:
    app, phone = make("home"), Browser()
    other = Browser()
    other.sit(app, "Bob")
    token = phone.token(app)
    # a sentence waits for the next page: that page takes it off, and so changes what this browser keeps
    phone.ask(app, "POST", "/t/oak/sit", data={"csrf": token, "name": "Bob"})
    on_its_way = phone.sent(app, "GET", late)
    phone.sit(app, "Ann")
    phone.take(on_its_way)
    assert phone.is_seated(app)


def test_a_forged_or_damaged_cookie_is_nobody(make: Callable[[str], Flask]) -> None:
    app, phone = make("home"), Browser()
    phone.sit(app, "Ann")
    for name, value in list(phone.kept.items()):
        stranger = Browser()
        place = value.rindex(".") + 5  # within the signature; its last letter holds bits that mean nothing
        stranger.kept = {name: value[:place] + ("A" if value[place] != "A" else "B") + value[place + 1 :]}
        assert not stranger.is_seated(app)
    assert phone.is_seated(app)


def test_a_cookie_moved_into_another_ones_place_is_nobody(make: Callable[[str], Flask]) -> None:
    app, phone = make("home"), Browser()
    phone.sit(app, "Ann")
    values = list(phone.kept.values())
    assert len(values) == 2
    swapped = Browser()
    swapped.kept = dict(zip(phone.kept, reversed(values), strict=True))
    assert not swapped.is_seated(app)


def test_the_test_clients_of_flask_can_look_inside(make: Callable[[str], Flask]) -> None:
    client: FlaskClient = make("home").test_client()
    with client.session_transaction() as kept:
        kept["owner"] = True
    assert client.get("/t/oak/setup").status_code == 200
