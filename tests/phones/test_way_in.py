"""The way in: three doors, phones let in from the page, and no word of readers on any page of such a table."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest
from click.testing import CliRunner
from naqala import link, service
from naqala.cli import main
from naqala.link import LinkError
from naqala.service import Service
from naqala.settings import Settings
from playwright.sync_api import Page, expect

from tests.dashboard.conftest import new_page

__all__ = ("new_page",)  # the fixture
NewPage = Callable[..., Page]


@pytest.fixture
def place(tmp_path: Path) -> Iterator[service.Place]:
    """What `naqala play` starts where no controller answers."""
    tables = {"table": "virtual", "board": "phones"}
    made = Service(
        Settings(tables=tables, journal=str(tmp_path / "j.sqlite")), tmp_path / "home", "127.0.0.1", 0
    )
    yield made.start()
    made.stop()


def test_from_the_first_page_to_the_first_tile_lifted(place: service.Place, new_page: NewPage) -> None:
    """As a new user would: the first door, two names, dealt board, one device, bids, the start of a move. Nothing is read but the page."""
    page = new_page("tablet")
    page.goto(place.owner)
    expect(page.locator("main")).to_contain_text("Five Tribes")
    expect(page.locator(".way-in")).to_have_count(3)
    for door in page.locator(".way-in").all():
        expect(door.locator("svg.door-picture")).to_be_visible()
    page.get_by_role("link", name="Our board, no readers").click()
    page.locator("#name-1").fill("Ann")
    page.locator("#name-2").fill("Bob")
    page.get_by_role("button", name="Set this game up").click()
    page.get_by_role("button", name="The companion deals").click()
    page.get_by_role("button", name="Begin the game").click()
    page.wait_for_url("**/t/board/")
    page.get_by_role("button", name="One device for all").click()
    for spot in ("3", "5", "8", "1"):
        page.locator(".bids-grid").get_by_role("button", name=spot, exact=True).click()
        expect(page.locator(".bids-grid").get_by_role("button", name=spot, exact=True)).to_have_count(0)
    expect(page.locator("#seat-teller .picker .spot")).to_have_count(30)
    assert not re.search(r"\breaders?\b|\btags?\b", page.locator("body").inner_text())
    page.keyboard.press("Tab")
    page.locator("#spot-C3").focus()
    page.keyboard.press("ArrowDown")
    expect(page.locator("#spot-C4")).to_be_focused()
    page.keyboard.press("Space")
    expect(page.locator("#seat-teller .in-hand, #seat-teller .flag").first).to_be_visible()


@pytest.mark.parametrize("door", ["A table with readers", "No board here"])
def test_the_other_doors_lead_somewhere(place: service.Place, new_page: NewPage, door: str) -> None:
    page = new_page("tablet")
    page.goto(place.owner)
    page.get_by_role("link", name=door).click()
    expect(page.locator("h1, h2").first).to_be_visible()
    assert "/t/table/" in page.url


def test_phones_are_let_in_without_a_restart(
    place: service.Place, new_page: NewPage, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Another address of this very machine stands for its place in the network."""
    monkeypatch.setattr(service, "own_address", lambda: "127.0.0.2")
    page, phone = new_page("tablet"), new_page("phone")
    page.goto(place.owner)
    page.get_by_role("link", name="Our board, no readers").click()
    page.locator("#name-1").fill("Ann")
    page.locator("#name-2").fill("Bob")
    page.get_by_role("button", name="Set this game up").click()
    page.get_by_role("button", name="Let phones join").click()
    page.wait_for_url("**/t/board/")
    code = place.codes["board"]  # not on the screen here: an address of this machine alone is shown to nobody
    port = place.address.rpartition(":")[2]
    phone.goto(f"http://127.0.0.2:{port}/{code.lower()}")
    phone.get_by_role("button", name="Bob").click()
    phone.get_by_role("link", name="Lay out the board").click()
    phone.get_by_role("button", name="It is laid out already").click()
    phone.locator("#spot-A1").click()
    expect(phone.locator("#spot-A1")).to_have_attribute("aria-label", re.compile("Village"))
    expect(page.locator("#board #tile-A1")).to_have_attribute("aria-label", re.compile("Village"))


def test_where_there_is_no_network_the_page_says_so(
    place: service.Place, new_page: NewPage, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(service, "own_address", lambda: "127.0.0.1")
    page = new_page("tablet")
    page.goto(place.owner)
    page.get_by_role("link", name="Our board, no readers").click()
    page.locator("#name-1").fill("Ann")
    page.locator("#name-2").fill("Bob")
    page.get_by_role("button", name="Set this game up").click()
    page.get_by_role("button", name="Let phones join").click()
    expect(page.locator("#toast")).to_contain_text("no network")


def test_the_link_is_one_word() -> None:
    assert link.open("phones").health().up
    with pytest.raises(LinkError, match="just 'phones'"):
        link.open("phones:3")


@pytest.mark.parametrize("more", [["--link", "virtual"], ["--table", "oak=serial"]])
def test_phones_and_another_link_say_two_things(more: list[str], tmp_path: Path) -> None:
    told = CliRunner().invoke(main, ["play", "--phones", *more, "--home", str(tmp_path), "--no-lan"])
    assert told.exit_code == 2
    assert "two different things" in told.output
