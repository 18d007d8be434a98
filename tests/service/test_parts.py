"""The parts put together: addresses that can be reached, tables that come while pages are made, answers that take long."""

from __future__ import annotations

import gc
import random
import threading
import urllib.request
from pathlib import Path

import pytest
from naqala import link
from naqala.dashboard.tables import sessions, setting
from naqala.journal import Journal
from naqala.service import Service
from naqala.session import commands as c
from naqala.session.session import Session
from naqala.settings import Settings

from tests.dashboard.stand import Stand, a_game, app_for, snapshot_after


def test_phones_are_told_the_port_that_the_server_was_given(tmp_path: Path) -> None:
    tables = {"oak": f"serial:{tmp_path / 'nothing'}"}
    made = Settings(tables=tables, journal=str(tmp_path / "journal.sqlite"))
    # Not the address that is for this machine alone.
    service = Service(made, tmp_path, host="127.0.0.2", port=0)
    place = service.start()
    try:
        assert place.phones.startswith("http://127.0.0.2:") and not place.phones.endswith(":0")
        with urllib.request.urlopen(f"{place.phones}/t/oak/join", timeout=60) as page:
            assert page.status == 200
        assert service._app is not None
        with service._app.app_context():
            assert setting("address") == place.phones, "what the QR code carries"
    finally:
        service.stop()


def test_a_collection_of_garbage_has_little_to_look_through(tmp_path: Path) -> None:
    """All that was loaded at the start is tens of thousands of objects, and a drop that meets a full collection waits for it."""
    tables = {"oak": f"serial:{tmp_path / 'nothing'}"}
    service = Service(Settings(tables=tables, journal=str(tmp_path / "journal.sqlite")), tmp_path, port=0)
    before = len(gc.get_objects())
    service.start()
    try:
        assert len(gc.get_objects()) < 0.1 * before
    finally:
        service.stop()
    assert len(gc.get_objects()) >= 0.9 * before, "the next service is not to inherit what this one leaves"


@pytest.mark.parametrize(("turned", "first", "last"), [(False, "A1", "F5"), (True, "F5", "A1")])
def test_a_frame_that_stands_half_round_is_followed_with_its_map(
    tmp_path: Path, turned: bool, first: str, last: str
) -> None:
    tables = {"oak": f"serial:{tmp_path / 'nothing'}"}
    made = Settings(tables=tables, journal=str(tmp_path / "journal.sqlite"))
    service = Service(made, tmp_path, port=0, turned=turned)
    service.start()
    try:
        readers = service.sessions["oak"].sight.readers
        assert (readers[0], readers[29], len(set(readers.values()))) == (first, last, 30)
    finally:
        service.stop()


def test_pages_that_are_open_at_the_end_end_before_their_server(tmp_path: Path) -> None:
    before = set(threading.enumerate())
    made = Settings(
        tables={"oak": f"serial:{tmp_path / 'nothing'}"}, journal=str(tmp_path / "journal.sqlite")
    )
    service = Service(made, tmp_path, port=0)
    place = service.start()
    with urllib.request.urlopen(f"{place.address}/t/oak/stream/screen", timeout=60) as page:
        assert page.readline(), "the stream is open"
        service.stop()
        left = {thread.name for thread in set(threading.enumerate()) - before}
    assert not [name for name in left if name == "naqala-pages"], "nobody answers without a server"


def test_a_table_that_is_plugged_in_while_a_page_is_made_disturbs_nobody(tmp_path: Path) -> None:
    stand = Stand(snapshot_after(a_game(), 3))
    app = app_for(tmp_path, stand)
    with app.test_request_context("/"):
        for number, _ in enumerate(sessions().values()):
            app.extensions["naqala-sessions"][f"new-{number}"] = stand
        assert len(sessions()) == 2


def test_an_answer_that_nobody_knows_yet_is_no_error(tmp_path: Path) -> None:
    with Journal.open(str(tmp_path / "journal.sqlite")) as journal:
        way = link.open(f"serial:{tmp_path / 'nothing'}", link.Options())
        session = Session("oak", journal, way, {}, {}, random.Random(1))  # its thread was not started
        assert session.tell(c.Look("owner"), timeout=0.01) == c.Answer(False, "slow")
