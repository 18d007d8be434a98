"""Undo from here: from the log, with what it takes back; free in one's own turn, by consent across turns."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from pathlib import Path

import pytest
from naqala.dashboard import Settings, create_app
from naqala.session.session import Session
from playwright.sync_api import Page, expect

from tests.dashboard.conftest import take_seat
from tests.dashboard.stand import serving
from tests.session.conftest import Table, table, tap, until
from tests.session.test_over import LAST_TURN

__all__ = ("table",)  # the fixture


@pytest.fixture
def phones(
    table: Table, tmp_path: Path, new_page: Callable[..., Page]
) -> Iterator[tuple[Session, dict[str, Page]]]:
    """A game in play with both phones at their seats."""
    session = table.open()
    table.begin(session)
    app = create_app({"oak": session}, Settings(tmp_path / "home", journal=table.journal))
    with serving(app) as address:
        found = {name: new_page("phone") for name in table.players}
        for name, page in found.items():
            take_seat(page, address, name)
        yield session, found


def bid(session: Session, spot: int) -> str:
    name = str(session.snapshot.game.turn.player)
    assert tap(session, name, do="bid", player=name, spot=spot).accepted
    return name


def log_of(phone: Page) -> None:
    phone.get_by_role("link", name="Log and undo").click()


def test_ones_own_step_is_taken_back_at_once(phones: tuple[Session, dict[str, Page]]) -> None:
    session, pages = phones
    first = bid(session, 8)
    phone = pages[first]
    log_of(phone)
    phone.get_by_role("listitem").filter(has_text=f"{first} bids 8.").get_by_role("link").click()
    expect(phone.locator("h1")).to_have_text("This takes back 1 step")
    expect(phone.locator("ol.panel li")).to_have_text([f"{first} bids 8."])
    phone.get_by_role("button", name="Take back").click()
    phone.wait_for_url("**/seat")
    until(session, lambda shown: shown.game.track == ())
    log_of(phone)
    expect(phone.locator("s")).to_have_text(f"{first} bids 8.")  # nothing is ever deleted
    expect(phone.get_by_role("link", name="Undo from here")).to_have_count(0)


@pytest.mark.parametrize("agreed", [True, False], ids=["agreed", "refused"])
def test_across_turns_the_others_are_asked(phones: tuple[Session, dict[str, Page]], agreed: bool) -> None:
    session, pages = phones
    order = list(session.snapshot.game.bid_order)
    bids = [bid(session, spot) for spot in (8, 3, 5)]
    assert bids == order[:3]
    asker = bids[0]
    other = next(name for name in pages if name != asker)
    phone = pages[asker]
    log_of(phone)
    gone = [f"{bids[2]}'s bid", f"{bids[1]}'s bid and 1 more", f"{asker}'s bid and 2 more"]
    expect(phone.locator("ol a.button")).to_have_text([f"Undo from here: {what}" for what in gone])
    phone.get_by_role("listitem").filter(has_text=f"{asker} bids 8.").get_by_role("link").click()
    expect(phone.locator("h1")).to_have_text("This takes back 3 steps")
    wanted = [f"{name} bids {spot}." for name, spot in zip(bids, (8, 3, 5), strict=True)]
    expect(phone.locator("ol.panel li")).to_have_text(wanted)
    phone.get_by_role("button", name="Take back").click()
    expect(phone.locator("#seat-state")).to_contain_text(f"Waiting for {other}.")
    asked = pages[other]
    expect(asked.locator(".question h2")).to_have_text(f"{asker} asks to take back")
    expect(asked.locator(".question li")).to_have_text(wanted)
    assert len(session.snapshot.game.track) == 3, "nothing happens before the answer"
    asked.get_by_role("button", name="Agree" if agreed else "No, thanks").click()
    until(session, lambda shown: shown.asked is None)
    assert len(session.snapshot.game.track) == (0 if agreed else 3)
    expect(asked.locator(".question")).to_have_count(0)
    done = [line for line in session.snapshot.log if line.kind == "action"]
    assert [line.undone for line in done[:3]] == [agreed] * 3


def test_a_mistake_found_while_counting(table: Table, tmp_path: Path, new_page: Callable[..., Page]) -> None:
    """The phones are at the score sheet: who is asked comes back to the seat, and all do when the game is taken up again."""
    session = table.resume(LAST_TURN)
    app = create_app({"oak": session}, Settings(tmp_path / "home", journal=table.journal))
    with serving(app) as address:
        ann, bob = new_page("phone"), new_page("phone")
        take_seat(ann, address, "Ann")
        take_seat(bob, address, "Bob")
        assert tap(session, "Ann", do="sell", player="Ann", suits=[["fish"]]).accepted
        assert tap(session, "Ann", do="end", player="Ann").accepted
        ann.wait_for_url("**/end")
        bob.wait_for_url("**/end")
        log_of(ann)
        ann.get_by_role("link", name="Undo from here").first.click()
        ann.get_by_role("button", name="Take back").click()
        bob.wait_for_url("**/seat")
        expect(bob.locator(".question h2")).to_have_text("Ann asks to take back")
        bob.get_by_role("button", name="Agree").click()
        until(session, lambda shown: (shown.stage, shown.game.turn.phase) == ("play", "end"))
        expect(bob.locator(".question")).to_have_count(0)
        ann.goto(f"{address}/t/oak/seat")
        ann.get_by_role("button", name="End my turn").click()
        bob.wait_for_url("**/end")
