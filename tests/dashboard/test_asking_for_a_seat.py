"""A phone asks for a seat of a game in play, the host says yes to the number it shows: in a real browser."""

from __future__ import annotations

import re
from collections.abc import Callable
from pathlib import Path

from naqala.dashboard.keys import load_keys
from playwright.sync_api import Page, expect

from tests.dashboard.stand import Stand, a_game, app_for, serving, snapshot_after


def test_the_host_lets_a_phone_in_by_its_number(tmp_path: Path, new_page: Callable[..., Page]) -> None:
    record = a_game(("Ann", "Bob"))
    stand = Stand(snapshot_after(record, next(n for n in range(99) if record.at(n).round == 2)))
    with serving(app_for(tmp_path, stand, let_in=False)) as address:
        host, phone = new_page("tv"), new_page("phone")
        host.goto(f"{address}/owner?token={load_keys(tmp_path).owner}")
        host.goto(f"{address}/t/oak/")
        phone.goto(f"{address}/t/oak/join")
        phone.get_by_role("button", name="Bob").click()
        expect(phone.get_by_text(re.compile(r"this phone shows the number \d\d"))).to_be_visible()
        number = (phone.locator("#join-seats").text_content() or "").partition("the number ")[2][:2]
        question = host.locator("#join .notice")
        expect(question).to_contain_text(f"A phone that shows the number {number} asks for the seat of Bob.")
        question.get_by_role("button", name="Let Bob in").click()
        expect(question).to_have_count(0)
        expect(phone.get_by_text("the host said yes: tap again")).to_be_visible()
        phone.get_by_role("button", name="Bob").click()
        phone.wait_for_url("**/seat")
        expect(phone.locator("h1")).to_have_text("Bob")
        expect(host.locator("#log")).to_contain_text("The host let a phone take the seat of Bob.")
