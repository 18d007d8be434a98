"""A phone that slept for an hour is right again at once: its page was frozen, and the worker behind it has forgotten the page.

Chromium freezes a page as it does on a phone (`Page.setWebLifecycleState`); the hour passes on the clock of the shared worker alone.
A page without a window is never hidden, so Chromium sends it no `resume` event: the test does that in its place. What is not tested
here: a whole device that sleeps. Headless Chromium has no screen lock either; that is stubbed in tests/service/test_https.py.
"""

from __future__ import annotations

import json
import time
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest
from playwright.sync_api import CDPSession, Page, expect

from tests.dashboard.conftest import take_seat
from tests.dashboard.screenshots import DOING, RECORD, WRONG, state
from tests.dashboard.stand import Stand, app_for, serving, snapshot_after, step_where

NewPage = Callable[..., Page]
AN_HOUR_MS = 3_600_000


@pytest.fixture
def stand() -> Stand:
    made = Stand(snapshot_after(RECORD, 0))
    made.show(**state(RECORD, step_where(RECORD, "sow")))
    return made


@pytest.fixture
def address(stand: Stand, tmp_path: Path) -> Iterator[str]:
    with serving(app_for(tmp_path, stand)) as found:
        yield found


class Worker:
    """The shared worker of a page, reached through the browser's own tools."""

    def __init__(self, page: Page, address: str) -> None:
        browser = page.context.browser
        assert browser is not None
        self._tools: CDPSession = browser.new_browser_cdp_session()
        self._page, self._number, self._said = page, 0, {}
        self._tools.on("Target.receivedMessageFromTarget", self._heard)
        targets = self._tools.send("Target.getTargets", {"filter": [{"type": "shared_worker"}]})[
            "targetInfos"
        ]
        (mine,) = [one for one in targets if one["url"].startswith(address)]
        attached = self._tools.send("Target.attachToTarget", {"targetId": mine["targetId"], "flatten": False})
        self._session = attached["sessionId"]

    def _heard(self, event: dict[str, Any]) -> None:
        said = json.loads(event["message"])
        if "id" in said:
            self._said[said["id"]] = said

    def evaluate(self, expression: str) -> Any:
        self._number += 1
        asked = {"id": self._number, "method": "Runtime.evaluate"}
        asked["params"] = {"expression": expression, "returnByValue": True}
        self._tools.send(
            "Target.sendMessageToTarget", {"message": json.dumps(asked), "sessionId": self._session}
        )
        self.until(lambda: self._number in self._said)
        return self._said[self._number]["result"]["result"].get("value")

    def until(self, true: Callable[[], bool]) -> None:
        end = time.monotonic() + 60
        while not true():
            assert time.monotonic() < end
            self._page.wait_for_timeout(20)


def wake(page: Page, tools: CDPSession) -> None:
    tools.send("Page.setWebLifecycleState", {"state": "active"})
    page.evaluate("document.dispatchEvent(new Event('resume'))")


def test_a_phone_that_slept_for_an_hour_is_right_at_once(
    stand: Stand, address: str, new_page: NewPage
) -> None:
    phone = new_page("phone")
    take_seat(phone, address, str(stand.snapshot.game.turn.player))
    expect(phone.locator("#seat-state")).to_contain_text("Move the meeples")
    worker, tools = Worker(phone, address), phone.context.new_cdp_session(phone)
    worker.until(lambda: worker.evaluate("tabs.size") == 1)
    tools.send("Page.setWebLifecycleState", {"state": "frozen"})
    worker.evaluate(f"{{ const real = Date.now; Date.now = () => real() + {AN_HOUR_MS}; }}")
    worker.until(lambda: worker.evaluate("tabs.size") == 0)
    stand.show(reading=DOING)
    begin = time.monotonic()
    wake(phone, tools)
    expect(phone.locator("#seat-state")).to_contain_text("in hand")
    print(f"right {time.monotonic() - begin:.2f} s after waking")
    assert phone.locator("body[data-away]").count() == 0


def test_a_flag_that_came_while_a_phone_slept_is_felt_when_it_wakes(
    stand: Stand, address: str, new_page: NewPage
) -> None:
    """Vibration and sound come with what is new on the page, also when that is an hour late."""
    phone = new_page("phone")
    phone.add_init_script("window.felt = 0; navigator.vibrate = () => (window.felt += 1, true);")
    take_seat(phone, address, str(stand.snapshot.game.turn.player))
    expect(phone.locator("#seat-state")).to_contain_text("Move the meeples")
    tools = phone.context.new_cdp_session(phone)
    tools.send("Page.setWebLifecycleState", {"state": "frozen"})
    stand.show(reading=WRONG)
    wake(phone, tools)
    expect(phone.locator("#seat-state .flag")).to_be_visible()
    assert phone.evaluate("window.felt") > 0
