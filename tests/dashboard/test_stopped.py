"""A session that stopped, from the pages: one tap starts it again, and the host can take the report of it along. And a proxy."""

from __future__ import annotations

from pathlib import Path

import pytest
from naqala.rules.board import TILES
from naqala.session import commands as c
from naqala.session.session import HANDLERS

from tests.dashboard.stand import Stand, a_game, app_for, snapshot_after
from tests.dashboard.two_worlds import World


def stop(world: World, patch: pytest.MonkeyPatch) -> None:
    def fail(*_: object) -> None:
        raise RuntimeError("Bob holds 710 gold")

    with patch.context() as context:
        context.setitem(HANDLERS, c.SetHelp, fail)
        world.session.tell(c.SetHelp("owner", True))
    assert world.session.snapshot.stopped


def test_one_tap_starts_it_again(world: World, monkeypatch: pytest.MonkeyPatch) -> None:
    before = (world.session.snapshot.step, world.game)
    for who in ("owner", world.game.players[0].name):
        stop(world, monkeypatch)
        page = world.browsers[who].get("/t/oak/" if who == "owner" else "/t/oak/seat").text
        assert "/t/oak/setup/restart" in page
        assert world.post(world.browsers["spectator"], "/t/oak/setup/restart")[0] == 403
        assert world.session.snapshot.stopped
        assert world.post(world.browsers[who], "/t/oak/setup/restart")[0] == 200
        assert not world.session.snapshot.stopped
        assert (world.session.snapshot.step, world.game) == before
    world.rest()
    assert world.session.snapshot.sight.on.keys() == set(range(len(TILES)))


def test_the_report_is_for_the_host_and_stays_after_the_restart(
    world: World, monkeypatch: pytest.MonkeyPatch
) -> None:
    assert world.browsers["owner"].get("/t/oak/crash.txt").status_code == 404
    stop(world, monkeypatch)
    world.post(world.browsers["owner"], "/t/oak/setup/restart")
    report = world.browsers["owner"].get("/t/oak/crash.txt").text
    assert "RuntimeError in fail" in report and "in _obey" in report and "710" not in report
    assert "/t/oak/crash.txt" in world.browsers["owner"].get("/t/oak/diagnostics").text
    for who in ("spectator", world.game.players[0].name):
        assert world.browsers[who].get("/t/oak/crash.txt").status_code == 403


def test_seats_are_in_the_journal(world: World) -> None:
    name = world.game.players[0].name
    world.post(world.browsers[name], "/t/oak/stand-up", name=name)
    world.post(world.browsers["owner"], "/t/oak/sit", name=name)
    told = [entry.body for entry in world.journal.entries(world.session.game_id) if entry.kind == "note"]
    assert [body["seat"] for body in told if body.get("name") == name] == [
        "taken, admitted by host",
        "left",
        "taken by host",
    ]
    assert f"The host took the seat of {name}." in world.browsers["spectator"].get("/t/oak/log").text


def test_nobody_sits_down_when_it_cannot_be_written(world: World, monkeypatch: pytest.MonkeyPatch) -> None:
    name = world.game.players[0].name
    world.post(world.browsers[name], "/t/oak/stand-up", name=name)
    stop(world, monkeypatch)
    _, go, said = world.post(world.browsers["owner"], "/t/oak/sit", name=name)
    assert said and not go.endswith("/seat")
    assert name not in world.app.extensions["naqala-seats"].taken("oak")


# --- behind a proxy that ends TLS ---------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("proxied", "said", "status"),
    [
        (True, "https", 303),
        (True, "http, https", 303),
        (True, "http", 403),
        (True, "ftp", 403),
        (False, "https", 403),
    ],
)
def test_what_a_proxy_says_of_the_scheme_counts_where_one_is_configured(
    tmp_path: Path, proxied: bool, said: str, status: int
) -> None:
    client = app_for(tmp_path, Stand(snapshot_after(a_game(), 0)), proxied=proxied).test_client()
    token = client.get("/t/oak/join").text.partition('name="csrf" value="')[2].partition('"')[0]
    headers = {"Origin": "https://localhost", "X-Forwarded-Proto": said}
    answer = client.post("/prefer", data={"csrf": token, "back": "/"}, headers=headers)
    assert answer.status_code == status
