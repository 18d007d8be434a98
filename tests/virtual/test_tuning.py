"""Tuning a coil on the owner's page, in a real browser: from the firmware's measurement over link and session to the number
that moves, started and stopped by buttons. The trimmer is the simulated coil's voltage."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import pytest
from naqala.session import commands as c
from naqala.session import tuning
from naqala.virtual.works import SameProcess
from playwright.sync_api import Page, expect

from tests.conftest import PATIENCE_MS
from tests.session.conftest import until
from tests.virtual.conftest import House

READER, TILE = 17, "F3"
OURS = {"Origin": "http://localhost"}
WORDS = {  # start, stop, what stands before the number
    "en": ("Start measuring", "Stop measuring", "Gain of reader 17 (F3)"),
    "fr": ("Commencer la mesure", "Arrêter la mesure", "Gain du lecteur 17 (F3)"),
    "nl": ("Meten starten", "Meten stoppen", "Versterking van lezer 17 (F3)"),
    "ru": ("Начать измерение", "Остановить измерение", "Усиление считывателя 17 (F3)"),
}


@pytest.fixture
def air(house: House) -> Any:
    """What the chip of the reader feels of its coil."""
    assert isinstance(house.table.works, SameProcess)
    until(house.session, lambda shown: shown.link.up)
    return house.table.works.table.bench.airs[READER]


@pytest.fixture
def new_page(browser: Any) -> Any:
    opened: list[Page] = []

    def make(house: House) -> Page:
        page: Page = browser.new_context(viewport={"width": 1280, "height": 800}).new_page()
        page.set_default_timeout(PATIENCE_MS)
        opened.append(page)
        address = house.serve()
        page.goto(f"{address}/owner?token={house.token}")
        page.goto(f"{address}/t/oak/diagnostics")
        return page

    yield make
    for page in opened:
        page.context.close()


def test_the_owner_sees_the_gain_follow_the_trimmer(
    house: House, air: Any, new_page: Callable[[House], Page]
) -> None:
    page = new_page(house)
    gauge = page.locator("#diagnostics-tune")
    expect(gauge).to_be_empty()
    page.locator("#tune-reader").select_option(str(READER))
    page.get_by_role("button", name="Start measuring").click()
    expect(gauge).to_contain_text(f"Gain of reader {READER} ({TILE})", timeout=PATIENCE_MS)
    usual = int(gauge.locator("b").inner_text())
    assert 400 < usual <= 600, "600 at the coil, less what the tags over it take"
    air.voltage += 60
    expect(gauge.locator("b")).to_have_text(str(usual + 60), timeout=PATIENCE_MS)
    air.voltage -= 100
    expect(gauge.locator("b")).to_have_text(str(usual - 40), timeout=PATIENCE_MS)
    expect(gauge).to_contain_text(f"highest so far: {usual + 60}")
    meter = gauge.get_by_role("meter", name="Gain, against the highest so far")
    assert meter.get_attribute("max") == str(usual + 60)
    page.get_by_role("button", name="Stop measuring").click()
    expect(gauge).to_be_empty(timeout=PATIENCE_MS)
    # The controller has heard it: the lamp is a lamp again.
    lamps = house.table.works.table.strip  # type: ignore[attr-defined]
    end = house.link.clock() + 20_000
    while lamps.colours[READER] != (0, 0, 0):
        assert house.link.clock() < end, lamps.colours[READER]
        house.link.rest(100)


def test_it_is_said_in_four_languages(house: House, air: Any, new_page: Callable[[House], Page]) -> None:
    page = new_page(house)
    for language, (start, stop, gain) in WORDS.items():
        page.locator("#pick-language").select_option(language)
        page.locator("html").and_(page.locator(f"[lang={language}]")).wait_for()
        page.locator("#tune-reader").select_option(str(READER))
        page.get_by_role("button", name=start).click()
        expect(page.locator("#diagnostics-tune")).to_contain_text(gain, timeout=PATIENCE_MS)
        page.get_by_role("button", name=stop).click()
        expect(page.locator("#diagnostics-tune")).to_be_empty(timeout=PATIENCE_MS)


def test_only_the_owner_measures(house: House, air: Any) -> None:
    guest, owner = house.app.test_client(), house.app.test_client()
    owner.get(f"/owner?token={house.token}")
    for client, code in ((guest, 403), (owner, 303)):
        token = client.get("/t/oak/join").text.partition('name="csrf" value="')[2].partition('"')[0]
        asked = {"reader": READER, "csrf": token}
        assert client.post("/t/oak/tune", data=asked, headers=OURS).status_code == code
        assert (house.session.snapshot.tuning is None) is (code == 403)


def test_it_is_repeated_and_ends_by_itself(house: House, air: Any, monkeypatch: pytest.MonkeyPatch) -> None:
    """The firmware forgets an order after ten seconds: figures after that show that the session repeats it."""
    monkeypatch.setattr(tuning, "LONGEST_MS", 16_000)
    session = house.session
    assert session.tell(c.TuneCoil("owner", READER)).accepted
    began = house.link.clock()
    until(session, lambda shown: shown.tuning is not None and shown.tuning.gain is not None, 60)
    while house.link.clock() < began + 12_000:
        house.link.rest(500)
    air.voltage += 33
    most = session.snapshot.tuning.best if session.snapshot.tuning else 0
    until(session, lambda shown: shown.tuning is not None and shown.tuning.best >= most + 33, 60)
    until(session, lambda shown: shown.tuning is None, 60)


def test_what_cannot_be_measured_is_refused(house: House, air: Any) -> None:
    session = house.session
    assert session.tell(c.TuneCoil("owner", 64)).why == "invalid"
    house.table.line.pull()
    until(session, lambda shown: not shown.link.up, 60)
    assert session.tell(c.TuneCoil("owner", READER)).why == "not_connected"
