"""The whole companion is killed in the middle of a game that browsers play, and started again: nothing is lost.

The process is `naqala play` as a person starts it, on a real serial link, with its journal; it dies by SIGKILL. Screen
and phones stay open and come back by themselves.
"""

from __future__ import annotations

import json
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest
from naqala.rules import paths
from naqala.rules.board import TILES
from naqala.service import TAGS
from naqala.table.evidence import FRAME
from naqala.table.pieces import write_tags
from playwright.sync_api import Page, expect

from tests.cli.test_play import playing
from tests.dashboard.conftest import take_seat
from tests.session.conftest import Table

LASTING = (
    "round",
    "turn",
    "board",
    "track",
    "bid_order",
    "row",
    "djinn_row",
    "piles",
    "players",
    "log",
    "step",
)


@pytest.fixture
def framed(tmp_path: Path) -> Iterator[Table]:
    """A table wired like the frame, its tags known to the companion."""
    table = Table(tmp_path, 3, readers=FRAME)
    (tmp_path / TAGS).write_text(write_tags(table.tags))
    table.cable.plug()
    yield table
    table.cable.pull()


def seen(page: Page, address: str) -> dict[str, Any]:
    """What this viewer may see of the game."""
    shown = page.request.get(f"{address}/t/oak/state.json").json()
    return {name: shown.get(name) for name in LASTING}


def set_up(owner: Page, address: str) -> None:
    owner.goto(f"{address}/t/oak/touch")
    expect(owner.locator("#touch-grid .failed")).to_have_count(0)  # every reader has spoken
    owner.goto(f"{address}/t/oak/setup")
    for seat, name in enumerate(("Ann", "Bob"), 1):
        owner.get_by_label(f"Player {seat}", exact=True).fill(name)
    owner.get_by_role("button", name="Set this game up").click()
    expect(owner.locator("#setup-check")).to_contain_text("Everything is in its place.")
    owner.get_by_role("button", name="Begin the game").click()
    owner.wait_for_url("**/t/oak/")


def bid(phones: dict[str, Page], address: str, spot: int) -> None:
    """Who is to bid takes this spot."""
    before = seen(phones["Ann"], address)
    phone = phones[before["turn"]["player"]]
    expect(phone.locator('input[name="step"]')).to_have_value(str(before["step"]))
    phone.locator(".bids-grid").get_by_role("button", name=str(spot), exact=True).click()
    for page in phones.values():
        expect(page.locator('input[name="step"]')).not_to_have_value(str(before["step"]))


def sow(table: Table, shown: dict[str, Any]) -> None:
    """Any legal move, by hand."""
    sowing = next(iter(paths.sowings(tuple(shown["board"][tile]["meeples"] for tile in TILES))))
    table.sow(sowing.start, sowing.drops)


@pytest.mark.parametrize("moved", [False, True], ids=["while bids are made", "after a move"])
def test_the_companion_is_killed_and_started_again(
    framed: Table, tmp_path: Path, new_page: Callable[..., Page], moved: bool
) -> None:
    wired = ("--table", f"oak=serial:{framed.cable.path}", "--port")
    owner, phones = new_page("tv"), {name: new_page("phone") for name in ("Ann", "Bob")}
    with playing(tmp_path, *wired, "0") as (process, printed):
        address = printed.partition("/owner")[0]
        owner.goto(printed)
        set_up(owner, address)
        for name, phone in phones.items():
            take_seat(phone, address, name)
        spots = (3, 8, 5, 12)
        for spot in spots if moved else spots[:2]:
            bid(phones, address, spot)
        if moved:
            step = seen(owner, address)["step"]
            sow(framed, seen(owner, address))
            for page in phones.values():
                expect(page.locator('input[name="step"]')).to_have_value(str(step + 1))
        viewers = {"owner": owner, **phones}
        before = {name: seen(page, address) for name, page in viewers.items()}
        gold = {name: phone.locator(".purse li").first.text_content() or "" for name, phone in phones.items()}
        process.kill()  # no word of farewell
        process.wait()
    for page in viewers.values():
        expect(page.locator("#offline")).to_be_visible()
    with playing(tmp_path, *wired, address.rpartition(":")[2]) as (_, printed):
        assert printed.startswith(f"{address}/"), "the same port as before"
        for page in viewers.values():
            expect(page.locator("#offline")).to_be_hidden()
        if moved:  # whoever has a seat in it may, also when the phone has lost its page
            phones["Ann"].reload()
            expect(phones["Ann"].get_by_text("A game of Ann and Bob waits to be resumed.")).to_be_visible()
            expect(phones["Bob"].get_by_role("button", name="Resume it")).to_be_visible()
            phones["Ann"].get_by_role("button", name="Resume it").click()
            phones["Ann"].wait_for_url("**/t/oak/seat")
        else:
            owner.goto(f"{address}/t/oak/setup")
            expect(owner.get_by_text("Ann and Bob")).to_be_visible()
            owner.get_by_role("button", name="Resume it").click()
            owner.wait_for_url("**/t/oak/")
        for name, phone in phones.items():
            if moved:
                phone.reload()  # once by itself, once by hand
            expect(phone.locator("h1")).to_have_text(name)
            expect(phone.locator('input[name="step"]')).to_have_value(str(before[name]["step"]))
            expect(phone.locator(".purse li").first).to_have_text(gold[name])
        after = {name: seen(page, address) for name, page in viewers.items()}
        for name in viewers:
            assert json.dumps(after[name]) == json.dumps(before[name])
        if moved:
            actor = phones[after["owner"]["turn"]["player"]]
            actor.locator("button[name=action]").first.click()
        else:
            bid(phones, address, 5)
        for page in phones.values():
            expect(page.locator('input[name="step"]')).to_have_value(str(before["owner"]["step"] + 1))
