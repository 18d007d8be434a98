"""From the virtual table to a real one: who answers is listed, what to do when nobody does, and one button connects it."""

from __future__ import annotations

import re
from collections.abc import Iterator
from http.client import HTTPResponse
from pathlib import Path
from random import Random
from urllib.error import HTTPError
from urllib.parse import urlencode
from urllib.request import HTTPCookieProcessor, Request, build_opener

import pytest
from naqala.service import Place, Service
from naqala.settings import Settings
from naqala.virtual.table import VirtualTable
from playwright.sync_api import Browser, expect

from tests.virtual.terminal import on_a_terminal


class Owner:
    """A browser of the owner's, with what it needs of HTTP."""

    def __init__(self, place: Place) -> None:
        self.place = place
        self._opener = build_opener(HTTPCookieProcessor())
        self.get(place.owner.removeprefix(place.address))

    def get(self, path: str) -> str:
        with self._opener.open(self.place.address + path, timeout=60) as answer:
            return str(answer.read().decode())

    def post(self, path: str, **fields: str) -> HTTPResponse:
        csrf = re.search(r'name="csrf" value="([^"]+)"', self.get(path))
        assert csrf
        data = urlencode({"csrf": csrf[1], **fields}).encode()
        headers = {"Origin": self.place.address}
        found: HTTPResponse = self._opener.open(Request(self.place.address + path, data, headers), timeout=60)
        return found


@pytest.fixture
def port(tmp_path: Path) -> Path:
    """Where a controller will be plugged in."""
    return tmp_path / "ttyACM7"


@pytest.fixture
def service(tmp_path: Path, port: Path) -> Iterator[Service]:
    settings = Settings(
        tables={"table": "virtual"}, journal=str(tmp_path / "journal.sqlite"), ports=(str(port),)
    )
    service = Service(settings, tmp_path, port=0)
    yield service
    service.stop()


def test_nobody_is_there_and_the_page_says_what_to_do(service: Service) -> None:
    owner = Owner(service.start())
    assert "/t/table/real" in owner.get("/t/table/")
    shown = owner.get("/t/table/real")
    assert "ttyACM7" not in shown
    assert "naqala flash" in shown and "must carry data" in shown


def test_a_port_where_nobody_answers_is_named(service: Service, port: Path) -> None:
    port.touch()
    shown = Owner(service.start()).get("/t/table/real")
    assert str(port) in shown and "cannot be opened as a serial port" in shown
    assert "Play on this table" not in shown and "naqala flash" in shown


def test_a_controller_that_is_plugged_in_becomes_a_table(service: Service, port: Path) -> None:
    """It appears while everything runs; one button, and the companion follows it beside the virtual table."""
    owner = Owner(service.start())
    table = VirtualTable(seed=8, name="elm")
    table.set_up(Random(8))
    with on_a_terminal(table, port):
        shown = owner.get("/t/table/real")
        assert "elm" in shown and 'value="elm"' in shown and "naqala flash" not in shown
        assert owner.post("/t/table/real", controller="elm").url == f"{owner.place.address}/t/elm/"
        session = service.sessions["elm"]
        shown_now = session.snapshot
        while not (shown_now.link.up and len(shown_now.sight.on if shown_now.sight else ()) == 30):
            newer = session.wait(shown_now.version, 60)
            assert newer.version > shown_now.version
            shown_now = newer
        assert shown_now.link.controller == "elm" and set(service.sessions) == {"table", "elm"}
        # Once is enough, also for those who press twice.
        assert owner.post("/t/table/real", controller="elm").url == f"{owner.place.address}/t/elm/"
        assert set(service.sessions) == {"table", "elm"}
        assert "/t/elm/" in owner.get("/t/table/real")
        session.stop()


def test_the_page_shows_a_controller_by_itself(service: Service, port: Path, browser: Browser) -> None:
    """In a real browser, nobody reloads: it is plugged in, the button appears, a click leads to its screen."""
    place = service.start()
    table = VirtualTable(seed=8, name="elm")
    table.set_up(Random(8))
    context = browser.new_context()
    context.set_default_timeout(60_000)
    page = context.new_page()
    troubles: list[str] = []
    page.on("pageerror", lambda error: troubles.append(str(error)))
    try:
        page.goto(place.owner)
        page.get_by_role("link", name="Connect a real table").click()
        expect(page.get_by_text("naqala flash")).to_be_visible(timeout=60_000)
        with on_a_terminal(table, port):
            page.get_by_role("button", name="Play on this table").click()
            page.wait_for_url("**/t/elm/")
            service.sessions["elm"].stop()
    finally:
        context.close()
    assert not troubles


def test_only_the_owner_connects_and_nonsense_is_refused(service: Service) -> None:
    place = service.start()
    with pytest.raises(HTTPError, match="403"):
        build_opener().open(f"{place.address}/t/table/real", timeout=60)
    owner = Owner(place)
    for name in ("", "x" * 40, "a/b", "a\nb"):
        with pytest.raises(HTTPError, match="400"):
            owner.post("/t/table/real", controller=name)
    assert set(service.sessions) == {"table"}
