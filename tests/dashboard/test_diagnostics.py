"""Each reader in numbers, from the very firmware to the owner's page: read rate, misses, visit, last seen."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import pytest
from naqala import link as links
from naqala import transcript
from naqala.dashboard import Settings, create_app, diagnostics
from naqala.dashboard.keys import load_keys
from naqala.session.health import reader_health
from naqala.session.snapshot import LinkHealth
from naqala.table.evidence import FRAME
from naqala.table.evidence import Evidence as Sight
from naqala.virtual.box import READER_OF
from naqala.virtual.faults import Faults
from naqala.virtual.link import VirtualLink
from naqala_firmware.reader import CODES
from naqala_protocol import Stats, encode
from playwright.sync_api import Page, expect

from tests.dashboard.stand import Stand, a_game, app_for, serving, snapshot_after
from tests.session.conftest import Table, table, until

__all__ = ("table",)  # the fixture


def test_the_firmware_tells_how_well_each_reader_reads() -> None:
    """Fifty seconds of the table's own time: thirty readers, one of them dead, one that overlooks tags."""
    link = links.open("virtual:oak?seed=3&pace=fast")
    assert isinstance(link, VirtualLink)
    link.start(lambda event: None)
    try:
        link.run(25_000)
        pulses = link.health().pulses
        assert set(pulses) == set(FRAME)
        assert all(pulse.per_second and 0.2 < pulse.per_second < 50 for pulse in pulses.values())
        assert all(pulse.told_at - pulse.answered_at < 2_000 for pulse in pulses.values())
        Faults(link.table, 3).inject("dead_reader", "C3", 60_000)
        Faults(link.table, 4).inject("missed_reads", ms=20_000)
        link.run(25_000)
        after = link.health().pulses
        dead = after[READER_OF["C3"]]
        assert dead.told_at - dead.answered_at > 5_000
        assert dead.per_second is not None
        assert dead.per_second < min(p.per_second or 0 for r, p in after.items() if r != READER_OF["C3"])
        assert sum(pulse.misses for pulse in after.values()) > sum(p.misses for p in pulses.values())
        shown = reader_health(Sight(dict(FRAME), {}), after, dead.told_at)
        (silent,) = [one for one in shown if one.tile == "C3"]
        assert silent.quiet_ms is not None
        assert silent.quiet_ms > 5_000
    finally:
        link.stop()


def test_the_owner_reads_the_numbers_live(
    table: Table, tmp_path: Path, new_page: Callable[..., Page]
) -> None:
    session = table.open()
    table.begin(session)
    app = create_app({"oak": session}, Settings(tmp_path / "home", journal=table.journal))
    with serving(app) as address:
        page = new_page("tablet")
        page.goto(f"{address}/owner?token={load_keys(tmp_path / 'home').owner}")
        page.goto(f"{address}/t/oak/diagnostics")
        row = page.locator("#diagnostics-readers tbody tr", has=page.get_by_role("rowheader", name="C4"))
        expect(row.locator("td").nth(3)).to_have_text("-")  # not told yet is no zero
        reader = table.reader_of["C4"]
        table.cable.say(encode(Stats(reader, 2000, 5, 12, 300)))
        expect(row.locator("td").nth(5)).to_have_text("5 (2.5 ‰)")
        expect(row.locator("td").nth(4)).to_have_text("12")
        expect(row.locator("td").nth(6)).to_contain_text("s ago")
        expect(row.locator("td").nth(3)).to_have_text("-")  # one telling is no rate
        table.cable.say(encode(Stats(reader, 2400, 5, 12, 300)))
        until(session, lambda shown: any(one.per_second for one in shown.readers))
        expect(row.locator("td").nth(3)).not_to_have_text("-")
        expect(page.locator("#diagnostics-link")).to_contain_text("good lines")
        expect(page.locator("#diagnostics-readers")).to_contain_text("a round of all takes 90 ms")
        with page.expect_download() as caught:
            page.get_by_role("link", name="Download the transcript").click()
        assert caught.value.suggested_filename == "naqala-transcript.txt"


@pytest.mark.parametrize(
    ("quiet", "said"), [(None, "-"), (340, "0.3 s ago"), (59_949, "59.9 s ago"), (125_000, "2 minutes ago")]
)
def test_how_long_ago(tmp_path: Path, quiet: int | None, said: str) -> None:
    with app_for(tmp_path, Stand(snapshot_after(a_game(), 0))).test_request_context("/"):
        assert diagnostics.ago(quiet) == said


def test_free_bytes_that_nobody_counts_are_no_zero(tmp_path: Path) -> None:
    with app_for(tmp_path, Stand(snapshot_after(a_game(), 0))).test_request_context("/"):
        assert diagnostics.counted([("free", 0), ("misses", 0)]) == [
            ("free bytes", "not told"),
            ("tags overlooked", 0),
        ]
        assert diagnostics.counted([("free", 98304)]) == [("free bytes", 98304)]


def test_every_fault_of_the_firmware_has_its_words(tmp_path: Path) -> None:
    codes = {code for code, _ in CODES}
    assert codes | {"ok", "silent", "blind", "incomplete"} == set(diagnostics.STATES)
    with app_for(tmp_path, Stand(snapshot_after(a_game(), 0))).test_request_context("/"):
        assert diagnostics.state("ok") == "answers"
        assert diagnostics.state("busy") == "does not get ready (busy)"
        assert diagnostics.state("newer") == "newer"


@pytest.mark.parametrize("told", [None, 0, 1])
def test_a_broker_that_lets_anybody_publish_is_warned_of(tmp_path: Path, told: int | None) -> None:
    counters = (("lines", 7),) if told is None else (("lines", 7), ("strangers", told))
    stand = Stand(snapshot_after(a_game(2), 0, link=LinkHealth("mqtt://club/oak", True, counters=counters)))
    client = app_for(tmp_path, stand).test_client()
    client.get(f"/owner?token={load_keys(tmp_path).owner}")
    page = client.get("/t/oak/diagnostics").text
    assert ("lets anybody publish" in page) is (told == 1)
    assert "strangers" not in page, "no bare counter"


def test_why_it_stopped_can_be_taken_along_with_what_the_table_said(tmp_path: Path) -> None:
    stand = Stand(snapshot_after(a_game(2), 5))
    app = app_for(tmp_path, stand)
    owner, guest = app.test_client(), app.test_client()
    owner.get(f"/owner?token={load_keys(tmp_path).owner}")
    assert owner.get("/t/oak/crash.txt").status_code == 404, "nothing is the matter"
    assert "dot fine" in guest.get("/t/oak/").text
    stand.show(stopped="KeyError in follow, watch.py line 7")
    assert "dot down" in guest.get("/t/oak/").text, "the dot does not say that all is well"
    assert guest.get("/t/oak/crash.txt").status_code == 403
    assert "crash.txt" in owner.get("/t/oak/").text and "crash.txt" not in guest.get("/t/oak/").text
    told = owner.get("/t/oak/crash.txt").text.splitlines()
    assert told[0] == "naqala-transcript 1" and "KeyError in follow, watch.py line 7" in told[1]
    assert transcript.read("\n".join(told)).position, "a transcript that `naqala watch` reads"


def test_where_the_journal_lies_is_the_owners_affair(tmp_path: Path) -> None:
    stand = Stand(
        snapshot_after(a_game(2), 5, trouble="the disk takes no more for /home/ann/secret/journal.sqlite")
    )
    app = app_for(tmp_path, stand)
    owner, guest = app.test_client(), app.test_client()
    owner.get(f"/owner?token={load_keys(tmp_path).owner}")
    for page in ("", "state.json", "join"):
        assert "/home/ann" not in guest.get(f"/t/oak/{page}").text
    assert "/home/ann" in owner.get("/t/oak/diagnostics").text
    assert guest.get("/t/oak/state.json").json["trouble"]  # type: ignore[index]
