"""A real browser, a served app, phones with a seat."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest
from naqala.simulate import simulated
from playwright.sync_api import Browser, Page

from tests.conftest import PATIENCE_MS
from tests.dashboard.two_worlds import World

SIZES: dict[str, dict[str, int]] = {
    "phone": {"width": 375, "height": 812},
    "tablet": {"width": 1280, "height": 800},
    "tv": {"width": 1920, "height": 1080},
}


@pytest.fixture
def new_page(browser: Browser) -> Iterator[Callable[..., Page]]:
    """Pages of their own: each is another phone or screen. A script error or a refused resource fails the test."""
    opened: list[Page] = []
    complaints: list[str] = []

    def make(size: str = "tablet", **more: Any) -> Page:
        page = browser.new_context(viewport=SIZES[size], **more).new_page()  # type: ignore[arg-type]
        page.on("pageerror", lambda error: complaints.append(str(error)))
        page.on(
            "console", lambda said: complaints.append(said.text) if "Content Security" in said.text else None
        )
        page.set_default_timeout(PATIENCE_MS)
        opened.append(page)
        return page

    yield make
    for page in opened:
        page.context.close()
    assert complaints == []


def take_seat(page: Page, address: str, name: str, table: str = "oak") -> None:
    """Join as a phone does that scanned the code."""
    page.goto(f"{address}/t/{table}/join")
    page.get_by_role("button", name=name).click()
    page.wait_for_url("**/seat")


@pytest.fixture
def world(tmp_path: Path) -> Iterator[World]:
    """Three players in the third round of a game, with a real session, referee and journal."""
    record = simulated(3, 5)
    made = World(tmp_path, record.at(next(n for n in range(len(record.steps)) if record.at(n).round == 3)))
    yield made
    made.close()
