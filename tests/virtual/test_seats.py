"""Robots at some of the seats: they come back with their game, are shown as what they are, and are taken over."""

from __future__ import annotations

import errno
import json
from pathlib import Path
from random import Random
from typing import Any

import pytest
from flask.testing import FlaskClient
from naqala.dashboard import keys
from naqala.hands.table import HAND
from naqala.rules.actions import Sow
from naqala.rules.paths import sowings
from naqala.session import commands as c
from naqala.session.snapshot import Snapshot, Unfinished
from naqala.table.readings import Doing, Quiet
from naqala.virtual.robots import Character
from naqala.virtual.seats import USUAL, RobotSeats, waiting
from naqala.virtual.standing import unlike

from tests.session.conftest import until
from tests.virtual.conftest import House


def browser(house: House, owner: bool = True) -> FlaskClient:
    client = house.app.test_client()
    if owner:
        client.get(f"/owner?token={house.token}")
    client.get("/t/oak/")
    return client


def post(client: FlaskClient, address: str, **fields: str) -> Any:
    with client.session_transaction() as cookie:
        token = str(cookie.get("csrf", ""))
    headers = {"Origin": "http://localhost"}
    return client.post(f"/t/oak/{address}", data={"csrf": token, **fields}, headers=headers)


def robots(house: House) -> RobotSeats:
    found: RobotSeats = house.app.extensions["naqala-robots"]["oak"]
    return found


def bid(house: House) -> None:
    """Whoever is to bid takes the first spot offered."""
    shown = house.session.snapshot
    choice = shown.choices[0]
    action = {"do": "bid", "player": choice.player, "spot": choice.action.spot}
    assert house.session.tell(c.Tap(str(choice.player), shown.step, action)).accepted


def test_a_robot_that_takes_over_in_the_middle_of_a_move_begins_it_anew(house: House) -> None:
    house.begin()
    player = str(house.session.snapshot.game.turn.player)
    start = next(iter(sowings(house.session.snapshot.game.meeples)))[0]
    house.table.move(house.table.at(start, "meeple"), HAND)
    until(house.session, lambda shown: isinstance(shown.reading, Doing))
    robots(house).sit(player, "random", "quick")
    shown = until(house.session, lambda shown: any(isinstance(line.action, Sow) for line in shown.log), 120)
    line = next(line for line in shown.log if isinstance(line.action, Sow))
    assert line.by == "hands", "made on the table, not told"
    assert isinstance(line.action, Sow) and line.action.player == player


def test_a_robot_comes_back_with_its_game(tmp_path: Path) -> None:
    house = House(tmp_path)
    try:
        house.open_game()
        first = str(house.session.snapshot.game.turn.player)
        second = next(name for name in ("Ann", "Bob") if name != first)
        assert (
            post(browser(house), "virtual/robot", name=second, robot="random", pace="quick").status_code
            == 302
        )
    finally:
        house.close()
    house = House(tmp_path)
    try:
        assert robots(house).seats == {second: "random"}
        assert post(browser(house), "setup/resume").headers["Location"].endswith("/t/oak/")
        while house.session.snapshot.game.turn.player == first:
            bid(house)  # by tap, for the person; who has two camels may bid twice in a row
        until(house.session, lambda shown: any(line.by == second for line in shown.log), 60)
        assert house.session.snapshot.log[0].by == first
    finally:
        house.close()


def test_a_resumed_game_finds_its_table_laid(tmp_path: Path) -> None:
    house = House(tmp_path)
    try:
        house.begin()
        shown = house.session.snapshot
        sow = next(iter(sowings(shown.game.meeples)))
        name, drops = str(shown.game.turn.player), [list(drop) for drop in sow.drops]
        told = {"do": "sow", "player": name, "start": sow.start, "drops": drops}
        assert house.session.tell(c.Tap(name, shown.step, told)).accepted
        house.table.lift("F5")  # somebody was about to move when the light went out
    finally:
        house.close()
    house = House(tmp_path)
    try:
        assert post(browser(house), "setup/resume", then="virtual").headers["Location"].endswith("/virtual")
        colours = {seat.name: seat.colour for seat in house.session.snapshot.seats}
        assert unlike(house.session.snapshot.game, house.table, colours) == []
        until(house.session, lambda shown: isinstance(shown.reading, Quiet))
        assert [line.action.start for line in house.session.snapshot.log if isinstance(line.action, Sow)] == [
            sow.start
        ]
    finally:
        house.close()


def test_a_resumed_game_that_was_laid_out_anew_finds_its_tiles_in_place(tmp_path: Path) -> None:
    house = House(tmp_path)
    try:
        house.table.set_up(Random("not the layout that a start of the companion lays"))
        house.begin()
    finally:
        house.close()
    house = House(tmp_path)
    try:
        post(browser(house), "setup/resume", then="virtual")
        until(house.session, lambda shown: shown.reading == Quiet(), 60)
        assert house.session.evidence.shifted == {}
    finally:
        house.close()


GOOD = {"players": ["Ann", "Bob"], "seats": {"Ann": "random"}, "pace": "quick", "mistakes_per_minute": 1.0}


@pytest.mark.parametrize(
    "odd",
    [
        {"seats": {"Ann": "genius"}},
        {"seats": ["Ann"]},
        {"seats": {"Ann": []}},
        {"players": ["Ann", "Cleo"]},
        {"pace": []},
        {"pace": "hasty"},
        {"mistakes_per_minute": "often"},
    ],
    ids=str,
)
def test_what_was_kept_of_robots_is_not_trusted(odd: dict[str, Any]) -> None:
    shown = Snapshot("oak", unfinished=Unfinished(1, ("Ann", "Bob"), 3, 0))
    assert waiting(shown, GOOD) == Character({"Ann": "random"}, "quick", mistakes_per_minute=1.0)
    for kept in (GOOD | odd, None, 7):
        assert waiting(shown, kept).seats == {}
    assert waiting(Snapshot("oak"), GOOD).seats == {}, "no game waits"


def test_a_damaged_file_is_like_none(tmp_path: Path) -> None:
    keys.Robots(tmp_path).keep("oak", GOOD)
    assert keys.Robots(tmp_path).of("oak") == GOOD
    assert (tmp_path / keys.ROBOTS).stat().st_mode & 0o777 == 0o600
    (tmp_path / keys.ROBOTS).write_text("{")
    assert keys.Robots(tmp_path).of("oak") is None


def test_a_new_game_has_the_robots_of_the_wizard_and_no_others(house: House) -> None:
    owner = browser(house)
    assert 'name="robot.4"' in owner.get("/t/oak/setup").get_data(as_text=True)
    people = {"name.1": "Ann", "colour.1": "pink", "name.2": "Bob", "colour.2": "blue"}
    assert post(owner, "setup/new", **people, **{"robot.1": "", "robot.2": "greedy"}).status_code == 303
    assert robots(house).seats == {"Bob": "greedy"}
    assert post(owner, "setup/abort", step=str(house.session.snapshot.step)).status_code == 303
    assert post(owner, "setup/new", **people).status_code == 303
    assert robots(house).seats == {}
    kept = json.loads((house.home / keys.ROBOTS).read_text())["oak"]
    assert (kept["players"], kept["seats"]) == (["Ann", "Bob"], {})


def first_fragments(client: FlaskClient) -> dict[str, str]:
    """The first message of the hands' stream that is no picture."""
    with client.get("/t/oak/virtual/stream") as answer:
        for chunk in answer.response:
            text = chunk.decode() if isinstance(chunk, bytes) else str(chunk)
            if text.startswith("id: "):
                found: dict[str, str] = json.loads(text.partition("data: ")[2])
                return found
    raise AssertionError("the stream ended")


def test_two_seats_at_the_hands_each_read_their_own(house: House) -> None:
    house.open_game()
    phones = {name: browser(house, owner=False) for name in ("Ann", "Bob")}
    for name, phone in phones.items():
        assert post(phone, "sit", name=name).headers["Location"].endswith("/seat")
    for name, phone in phones.items():
        for shown in (
            phone.get("/t/oak/virtual").get_data(as_text=True),
            first_fragments(phone)["virtual-seats"],
        ):
            mine = shown.partition("that is you")[0].rpartition("<li")[2]
            assert f" {name} " in mine
            assert f'value="{name}"' in shown, "one's own seat may be given to a robot"
            assert shown.count("virtual/robot") == 1


def test_the_seat_of_a_robot_is_not_free_and_the_owner_takes_it_over(house: House) -> None:
    house.open_game()
    owner, phone = browser(house), browser(house, owner=False)
    bidder = str(house.session.snapshot.game.turn.player)
    other = next(name for name in ("Ann", "Bob") if name != bidder)  # who waits: nothing moves meanwhile
    assert post(owner, "virtual/robot", name=other).status_code == 302
    assert robots(house).seats == {other: "greedy"}

    offered = phone.get("/t/oak/join").get_data(as_text=True)
    assert f'value="{other}" disabled' in offered and "a robot plays" in offered
    assert "virtual/person" not in offered, "not offered to whoever comes by"
    assert "the host can let you take over" in offered
    assert "battery empty" not in owner.get("/t/oak/join").get_data(as_text=True), "nobody's phone is lost"
    assert post(phone, "sit", name=other).headers["Location"].endswith("/join")
    assert "A robot plays there" in phone.get("/t/oak/join").get_data(as_text=True)
    assert "a robot plays" in phone.get("/t/oak/").get_data(as_text=True), "the screen shows it"
    assert post(phone, "virtual/person", name=other).status_code == 403, "not without a seat"

    assert f'value="{other}" disabled' not in owner.get("/t/oak/join").get_data(as_text=True)
    assert post(owner, "sit", name=other).headers["Location"].endswith("/seat")
    assert robots(house).seats == {}
    assert post(phone, "sit", name=bidder).headers["Location"].endswith("/seat")
    assert post(phone, "virtual/robot", name=other).status_code == 403, "a person sits there"
    assert post(phone, "virtual/robot", name=bidder).status_code == 302, "one's own seat"
    assert "A robot plays for you." in phone.get("/t/oak/seat").get_data(as_text=True)
    assert post(phone, "virtual/person", name=bidder).status_code == 302
    assert robots(house).seats == {}


def test_a_players_phone_has_no_hand_in_a_robots_seat_or_an_empty_one(house: House) -> None:
    """Whoever may put a robot down may sit there next and read its hand; who may put one up plays for an absent player."""
    house.open_game()
    ann, owner = browser(house, owner=False), browser(house)
    assert post(ann, "sit", name="Ann").location.endswith("/seat")
    assert post(ann, "virtual/robot", name="Bob").status_code == 403, "nobody sits there, and it is not hers"
    assert post(owner, "virtual/robot", name="Bob").status_code == 302
    assert post(ann, "virtual/person", name="Bob").status_code == 403
    assert robots(house).seats == {"Bob": USUAL}
    for page in ("join", "virtual"):
        offered = ann.get(f"/t/oak/{page}").get_data(as_text=True)
        assert "virtual/person" not in offered and offered.count("virtual/robot") == 1
    assert post(owner, "virtual/person", name="Bob").status_code == 302
    told = ann.get("/t/oak/log").get_data(as_text=True)
    assert "A robot plays for Bob now." in told and "A person plays for Bob again." in told


def test_a_robot_that_could_not_be_written_down_does_not_play(
    house: House, monkeypatch: pytest.MonkeyPatch
) -> None:
    house.open_game()
    owner = browser(house)

    def full(_: int) -> None:
        raise OSError(errno.ENOSPC, "No space left on device")

    with monkeypatch.context() as patch:
        patch.setattr(keys.os, "fsync", full)
        assert post(owner, "virtual/robot", name="Bob").status_code == 303
        assert "could not be written" in owner.get("/t/oak/join").get_data(as_text=True)
        assert robots(house).seats == {}
    assert post(owner, "virtual/robot", name="Bob").status_code == 302
    assert robots(house).seats == {"Bob": USUAL}


def test_robots_agree_to_what_people_take_back(house: House) -> None:
    house.open_game()
    asker = str(house.session.snapshot.game.turn.player)
    robot = next(name for name in ("Ann", "Bob") if name != asker)
    while house.session.snapshot.game.turn.player == asker:
        bid(house)
    robots(house).sit(robot, "random", "quick")
    shown = until(house.session, lambda shown: shown.game.turn.player == asker, 60)
    assert any(line.by == robot for line in shown.log)
    assert house.session.tell(c.UndoTo(asker, shown.step, 0)).accepted
    shown = until(house.session, lambda shown: shown.log[0].undone, 60)
    assert all(line.undone for line in shown.log if line.by == robot), "nobody had to answer for it"
