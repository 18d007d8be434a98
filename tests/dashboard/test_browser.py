"""Pages in a real browser with a real session on a real link: hands move pieces, phones tap, screens follow."""

from __future__ import annotations

import re
import time
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest
from naqala.dashboard import Settings, create_app
from naqala.session.session import Session
from naqala.table.readings import Doing, Wrong
from playwright.sync_api import Page, expect

from tests.dashboard.conftest import take_seat
from tests.dashboard.stand import serving
from tests.session.conftest import Table, bid_all, table, until

NewPage = Callable[..., Page]
__all__ = ("table",)  # the fixture


@pytest.fixture
def evening(table: Table, tmp_path: Path) -> Iterator[tuple[Table, Session, str]]:
    """A game in play, served."""
    session = table.open()
    table.begin(session)
    app = create_app({"oak": session}, Settings(tmp_path / "home", journal=table.journal))
    with serving(app) as address:
        yield table, session, address


def test_a_wrong_drop_is_flagged_within_a_second_and_goes_away(
    evening: tuple[Table, Session, str], new_page: NewPage
) -> None:
    """The way from the session to both pages is timed five times: a machine may be busy, but not every time."""
    table, session, address = evening
    bid_all(session)
    screen, phone = new_page("tv"), new_page("phone")
    screen.goto(f"{address}/t/oak/")
    take_seat(phone, address, session.snapshot.game.turn.player)
    table.lift("C3")
    until(session, lambda shown: isinstance(shown.reading, Doing))
    expect(screen.locator("#now")).to_contain_text("3 meeples in hand")
    first = table.tags[table.aside["hand"][0]].which
    took = []
    for _ in range(5):
        table.drop("D4", first)
        until(session, lambda shown: isinstance(shown.reading, Wrong))
        seen = time.monotonic()
        for page in (screen, phone):
            expect(page.locator(".flag h2")).to_contain_text("That tile isn't adjacent")
        took.append(time.monotonic() - seen)
        expect(screen.locator("#tile-D4")).to_have_class(re.compile("is-wrong"))
        expect(phone.locator(".flag .remedy")).to_contain_text("D4")
        assert phone.locator("[data-signal]").get_attribute("data-signal") == "drops_on_neighbours-D4"
        table.aside["hand"].append(table.on["D4"].pop())
        table.show("D4")
        for page in (screen, phone):
            expect(page.locator(".flag")).to_have_count(0)
    assert min(took) < 1.0


def test_bids_by_tap_follow_on_every_screen(evening: tuple[Table, Session, str], new_page: NewPage) -> None:
    _, session, address = evening
    screen = new_page("tablet")
    screen.goto(f"{address}/t/oak/")
    phones = {name: new_page("phone") for name in ("Ann", "Bob")}
    for name, phone in phones.items():
        take_seat(phone, address, name)
    expect(screen.locator("#join")).to_be_empty()
    for count, spot in enumerate(("3", "5", "8", "1"), 1):
        step = session.snapshot.step
        phone = phones[session.snapshot.game.turn.player]
        expect(phone.locator("[name=step]").first).to_have_value(str(step))  # who bids twice sees it first
        phone.locator(".bids-grid").get_by_role("button", name=spot, exact=True).click()
        until(session, lambda shown, before=step: shown.step > before)  # type: ignore[misc]
        expect(screen.locator(".track .taken")).to_have_count(count if count < 4 else 3)
    assert session.snapshot.game.turn.phase == "sow"
    expect(screen.locator("#now .what")).to_have_text("moves the meeples of one tile")


def test_two_phones_at_once_and_a_double_tap(evening: tuple[Table, Session, str], new_page: NewPage) -> None:
    """Both phones hold the same seat; whichever comes second is told that the table has moved on."""
    _, session, address = evening
    name = session.snapshot.game.turn.player
    phone = new_page("phone")
    take_seat(phone, address, name)
    twin = phone.context.new_page()
    twin.goto(f"{address}/t/oak/seat")
    before = session.snapshot.step
    clicked = [
        page.evaluate(
            """spot => { let found = 0; for (const one of document.querySelectorAll('.bids-grid button'))
            if (one.textContent.trim() === spot) { one.click(); one.click(); found += 1; } return found; }""",
            spot,
        )
        for page, spot in ((phone, "3"), (twin, "5"))
    ]
    until(session, lambda shown: shown.step > before)
    said: list[str] = []
    for _ in range(50):  # either phone may be the second one
        said = [page.locator("#toast").text_content() or "" for page in (phone, twin)]
        if any(said) or not clicked[1]:
            break
        phone.wait_for_timeout(100)
    assert session.snapshot.step == before + 1
    assert clicked[0] == 1
    # The stream may have been quicker than the second phone, whose buttons are then gone; else it is told why.
    assert any(said) or not clicked[1]


def test_reload_and_restart_lose_nothing(table: Table, tmp_path: Path, new_page: NewPage) -> None:
    session = table.open()
    table.begin(session)
    settings = Settings(tmp_path / "home", journal=table.journal)
    phone = new_page("phone")
    with serving(create_app({"oak": session}, settings)) as address:
        port = int(address.rpartition(":")[2])
        name = session.snapshot.game.turn.player
        take_seat(phone, address, name)
        phone.locator(".bids-grid").get_by_role("button", name="3", exact=True).click()
        until(session, lambda shown: len(shown.game.track) == 1)
        gold = phone.locator(".purse li").first
        expect(gold).to_contain_text("47")
        phone.reload()
        expect(gold).to_contain_text("47")
    expect(phone.locator("#offline")).to_be_visible()
    with serving(create_app({"oak": session}, settings), port=port):
        expect(phone.locator("#offline")).to_be_hidden(timeout=20_000)
        phone.reload()
        expect(phone.locator("h1")).to_have_text(name)
        expect(gold).to_contain_text("47")


def test_an_offline_phone_comes_back(evening: tuple[Table, Session, str], new_page: NewPage) -> None:
    _, session, address = evening
    phone = new_page("phone")
    take_seat(phone, address, "Ann")
    phone.context.set_offline(True)
    expect(phone.locator("#offline")).to_be_visible(timeout=20_000)
    bid_all(session)
    phone.context.set_offline(False)
    expect(phone.locator("#offline")).to_be_hidden(timeout=20_000)
    expect(phone.locator(".bids-grid")).to_have_count(0)
    who = session.snapshot.game.turn.player
    expect(phone.locator("#seat-state .who")).to_have_text("Your turn" if who == "Ann" else who)


def test_a_move_told_by_taps(evening: tuple[Table, Session, str], new_page: NewPage) -> None:
    """A table without readers: start, drops and the move itself by links and one button."""
    _, session, address = evening
    bid_all(session)
    phone = new_page("phone")
    take_seat(phone, address, session.snapshot.game.turn.player)
    phone.get_by_role("link", name="Enter the move by tapping instead").click()
    before = session.snapshot.step
    phone.locator(".choice-grid a").first.click()
    while phone.locator(".choice-grid a").count():
        phone.locator(".choice-grid a").first.click()
    phone.get_by_role("button", name="That is my move").click()
    shown = until(session, lambda shown: shown.step > before)
    assert shown.log[-1].action.drops
    phone.wait_for_url("**/seat")


def test_the_keyboard_reaches_every_choice(evening: tuple[Table, Session, str], new_page: NewPage) -> None:
    _, session, address = evening
    phone = new_page("phone")
    take_seat(phone, address, session.snapshot.game.turn.player)
    reached = set()
    for _ in range(12):
        phone.keyboard.press("Tab")
        reached.add(phone.evaluate("document.activeElement.textContent.trim()"))
    assert {"0", "1", "3", "5", "8", "12", "18"} <= reached
    phone.locator(".bids-grid button").first.focus()
    phone.keyboard.press("Enter")
    until(session, lambda shown: len(shown.game.track) == 1)


def test_the_view_turns_for_who_sits_opposite(evening: tuple[Table, Session, str], new_page: NewPage) -> None:
    _, _, address = evening
    page = new_page("tablet")
    page.goto(f"{address}/t/oak/")
    for turned in ("90", "180", "270"):
        page.locator("[data-turn-view]").dispatch_event("click")
        assert page.evaluate("document.body.dataset.turn") == turned
    box = page.locator("#board svg").bounding_box()
    assert box
    assert box["height"] > box["width"], "the long side of the board runs down the screen now"
    page.reload()
    assert page.evaluate("document.body.dataset.turn") == "270"


def test_a_menu_closes_by_escape_and_by_a_click_elsewhere(
    evening: tuple[Table, Session, str], new_page: NewPage
) -> None:
    _, _, address = evening
    page = new_page("tablet")
    page.goto(f"{address}/t/oak/")
    menu, shown = page.locator("#menu summary"), page.locator("#menu ul")
    menu.click()
    expect(shown).to_be_visible()
    page.keyboard.press("Escape")
    expect(shown).to_be_hidden()
    expect(menu).to_be_focused()
    menu.click()
    page.locator("#board").click(position={"x": 5, "y": 5})
    expect(shown).to_be_hidden()
