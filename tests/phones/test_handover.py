"""A table with readers whose controller is lost in the middle of a game: people go on with phones, and come back."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from random import Random

import pytest
from naqala.dashboard import Settings, create_app
from naqala.robots import ROBOTS
from naqala.session import handover
from naqala.session.commands import Answer, Resume
from naqala.session.phone_commands import BackToReaders, GoOnWithPhones
from naqala.session.snapshot import PHONES, READERS
from naqala.table.readings import Wrong
from playwright.sync_api import Page, expect

from tests.dashboard.conftest import new_page, take_seat
from tests.dashboard.stand import serving
from tests.phones.fingers import Fingers
from tests.session.conftest import Table, bid_all, table, until

__all__ = ("new_page", "table")  # the fixtures


@pytest.fixture
def impatient(monkeypatch: pytest.MonkeyPatch) -> None:
    """People who do not wait for half a minute."""
    monkeypatch.setattr(handover, "HOPELESS_MS", 300)


def test_the_controller_is_lost_and_comes_back(
    table: Table, impatient: None, tmp_path: Path, new_page: Callable[..., Page]
) -> None:
    session = table.open()
    table.begin(session)
    bid_all(session)
    app = create_app({"oak": session}, Settings(tmp_path / "home", journal=table.journal))
    with serving(app) as address:
        phones = {name: new_page("phone") for name in table.players}
        for name, phone in phones.items():
            take_seat(phone, address, name)
        table.cable.pull()
        acting = phones[str(session.snapshot.game.turn.player)]
        acting.get_by_role("button", name="Go on with phones").click()
        until(session, lambda shown: shown.evidence == PHONES)
        fingers = Fingers(phones, table.journal, "oak")
        dice, turns = Random(3), 0
        while turns < 2:  # two whole turns are told
            action = ROBOTS["greedy"](fingers.game, dice)
            fingers.act(action)
            turns += type(action).__name__ == "End"
        assert session.snapshot.reading is None
        for phone in phones.values():
            expect(phone.locator(".flag")).to_have_count(0)
        table.cable.plug(reboot=True)
        until(session, lambda shown: shown.link.up)
        phones["Bob"].get_by_role("button", name="Back to the readers").click()
        until(session, lambda shown: shown.evidence == READERS and isinstance(shown.reading, Wrong))
        expect(phones["Bob"].locator(".flag .remedy")).not_to_be_empty()
        table.follow(session.snapshot.game)  # what the guided repair asks for, in any order
        until(session, lambda shown: not isinstance(shown.reading, Wrong) and shown.guide is None)
        for phone in phones.values():
            expect(phone.locator(".flag")).to_have_count(0)
        start = next(choice for choice in session.snapshot.choices if choice.do == "sow").action.start
        table.lift(start)
        until(
            session, lambda shown: shown.reading is not None and shown.reading.to_json()["reading"] == "doing"
        )


def test_nobody_is_sent_to_the_phones_while_the_table_is_well(table: Table, impatient: None) -> None:
    session = table.open()
    table.begin(session)
    until(session, lambda shown: shown.link.up and all(one.state == "ok" for one in shown.readers))
    assert not session.snapshot.offers_phones
    table.cable.pull()
    until(session, lambda shown: shown.offers_phones)
    table.cable.plug()
    until(session, lambda shown: not shown.offers_phones)
    assert session.snapshot.evidence == READERS


def test_a_restart_goes_on_with_phones(table: Table) -> None:
    """What the journal noted counts, also after a crash; a table that has readers may return to them."""
    session = table.open()
    table.begin(session)
    assert session.tell(GoOnWithPhones("Ann")) == Answer(True)
    assert session.tell(GoOnWithPhones("Ann")).why == "stale"
    table.close()
    session = table.open()
    assert session.tell(Resume("owner")) == Answer(True)
    assert (session.snapshot.evidence, session.snapshot.readers) == (PHONES, ())
    table.lift("C3")  # seen by nobody
    assert session.tell(BackToReaders("Bob")) == Answer(True)
    until(session, lambda shown: isinstance(shown.reading, Wrong))
    assert session.tell(BackToReaders("Bob")).why == "no_readers"
