"""Streams over the real server: rendered once for all, woken by a change, replaced by their own successor, several in one."""

from __future__ import annotations

import json
import re
import socket
import time
from collections.abc import Iterator
from pathlib import Path
from urllib.parse import quote, urlsplit

import pytest
from naqala.dashboard.keeping import Page
from naqala.dashboard.keys import load_keys

from tests.dashboard.screenshots import DOING, RECORD
from tests.dashboard.stand import Stand, app_for, readers, serving, snapshot_after, step_where
from tests.service.attacks import Stream

SOWING = step_where(RECORD, "sow")


@pytest.fixture
def stand() -> Stand:
    return Stand(snapshot_after(RECORD, SOWING))


@pytest.fixture
def address(stand: Stand, tmp_path: Path) -> Iterator[str]:
    with serving(app_for(tmp_path, stand)) as found:
        yield found


def look(address: str, path: str = "/t/oak/stream/screen", cookie: str = "") -> Stream:
    where = urlsplit(address)
    connection = socket.create_connection((str(where.hostname), where.port), 60)
    found = Stream(connection, where.netloc, path, cookie)
    assert found.until(b"\n\n", 60)
    return found


def test_a_change_is_rendered_once_for_all_who_see_the_same(
    stand: Stand, address: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    viewers = [look(address) for _ in range(20)]
    assert all(one.until(b'"now": ', 60) for one in viewers)
    rendered: list[str] = []
    render = Page._render

    def counted(page: Page, template: str) -> str:
        rendered.append(template)
        return render(page, template)

    monkeypatch.setattr(Page, "_render", counted)
    for one in viewers:
        one.heard = b""
    stand.show(reading=DOING)
    assert all(one.until(b"in hand", 60) for one in viewers)
    assert sorted(rendered) == ["fragments/board.html", "fragments/now.html"]
    rendered.clear()
    for one in viewers:
        one.heard = b""
    stand.show(readers=readers())  # a sign of life of the controller, and nothing that anybody could see
    assert all(one.until(b"event: alive", 60) for one in viewers)
    assert rendered == [] and not any(b"data: {" in one.heard for one in viewers)
    for one in viewers:
        one.close()


def test_a_phone_that_comes_back_replaces_its_own_stream(stand: Stand, address: str) -> None:
    mine = "/t/oak/stream/screen?as=0123456789abcdef0123"
    old, other = look(address, mine), look(address)
    new = look(address, mine)
    assert not old.until(b"this never comes", 60), "it ended"
    for one in (new, other):
        one.heard = b""
    stand.show(reading=DOING)
    assert new.until(b"in hand", 60) and other.until(b"in hand", 60)


def test_several_streams_in_one_each_with_its_own_rights(stand: Stand, address: str, tmp_path: Path) -> None:
    wanted = [
        "/t/oak/stream/screen",
        "/t/oak/stream/seat?seat=Ann",
        "/t/oak/stream/setup",
        "/t/elm/stream/screen",
        "/x",
    ]
    path = "/streams?" + "&".join(f"of={quote(one)}" for one in wanted)
    stranger = look(address, path)
    assert stranger.until(b"data: 4 404", 60)
    assert re.findall(rb"event: refused\r?\ndata: (\d \d+)", stranger.heard) == [
        b"1 403",
        b"2 403",
        b"3 404",
        b"4 404",
    ]
    first = re.search(rb"data: 0 (\{.*\})", stranger.heard)
    assert first and set(json.loads(first[1])) >= {"board", "now", "cards"}
    stranger.heard = b""
    stand.show(reading=DOING)
    assert stranger.until(b"in hand", 60) and b"data: 0 {" in stranger.heard
    app = app_for(tmp_path, stand)
    assert app.test_client().get("/streams").status_code == 400
    owner = app.test_client()
    owner.get(f"/owner?token={load_keys(tmp_path).owner}")
    assert "event: refused" not in owner.get("/streams?of=/t/oak/stream/setup").text


def test_a_viewer_that_is_behind_gets_everything_at_once(stand: Stand, address: str) -> None:
    """What it missed is not kept for it: the newest state is."""
    slow = look(address)
    assert slow.until(b'"now": ', 60)
    for number in range(200):
        stand.show(reading=DOING if number % 2 else None)
    stand.show(reading=DOING)
    slow.heard = b""
    assert slow.until(b"in hand", 60)
    time.sleep(0.2)
    assert len(slow.heard) < 1 << 20


def test_a_robot_that_takes_a_seat_is_shown_at_once(tmp_path: Path, stand: Stand) -> None:
    """Neither the session nor the seats tell of it: the tap itself does."""

    class Robots:
        seats: dict[str, str]

    app = app_for(tmp_path, stand)
    robots = Robots()
    robots.seats = {}
    app.extensions["naqala-robots"] = {"oak": robots}
    with serving(app) as address:
        names = look(address, "/t/oak/stream/join")
        assert names.until(b"free", 60)
        names.heard = b""
        robots.seats = {"Bob": "greedy"}
        with app.test_request_context("/t/oak/sit", method="POST"):
            app.process_response(app.make_response(""))
        assert names.until(b"a robot plays", 60)
