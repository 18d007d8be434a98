"""Robots, coach and review on the pages of a real table: the wizard, who may do what, what nobody else sees."""

from __future__ import annotations

import json
import threading
from collections.abc import Iterator, Mapping
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest
from flask import Flask
from flask.testing import FlaskClient
from naqala.dashboard import Settings, create_app, keys
from naqala.dashboard.review import Progress, Reviews
from naqala.dashboard.robot_card import LEVELS, SENTENCES
from naqala.dashboard.stream import close_streams
from naqala.journal import Game, Journal
from naqala.robots import LEVELS as ALL_LEVELS
from naqala.robots.reasons import KINDS
from naqala.rules import notation
from naqala.rules.actions import Bid
from naqala.rules.position import to_json
from naqala.rules.record import Record
from naqala.rules.scoring import CATEGORIES
from naqala.session import commands as c
from naqala.session import robot_plan
from naqala.session.coaching import LOOK, MOVE, advice
from naqala.session.session import Session
from naqala.session.snapshot import PLAY, Snapshot
from naqala.simulate import simulated

from tests.dashboard.stand import Stand, app_for, snapshot_after
from tests.session.conftest import Table, table, until

__all__ = ("table",)  # the fixture


class Pages:
    """The dashboard of a table on a serial line."""

    def __init__(self, home: Path, session: Session, journal: Journal) -> None:
        self.session = session
        self.app: Flask = create_app({"oak": session}, Settings(home, "", journal))
        self.token = keys.load_keys(home).owner
        self.robots = self.app.extensions["naqala-robots"]

    def client(self, owner: bool = False) -> FlaskClient:
        found = self.app.test_client()
        if owner:
            found.get(f"/owner?token={self.token}")
        found.get("/t/oak/")
        return found

    def post(self, client: FlaskClient, address: str, **fields: str) -> Any:
        with client.session_transaction() as cookie:
            token = str(cookie.get("csrf", ""))
        headers = {"Origin": "http://localhost"}
        return client.post(f"/t/oak/{address}", data={"csrf": token, **fields}, headers=headers)

    def state(self, client: FlaskClient) -> dict[str, Any]:
        found: dict[str, Any] = client.get("/t/oak/state.json").get_json()
        return found


@pytest.fixture
def pages(table: Table, tmp_path: Path) -> Iterator[Pages]:
    session = table.open()
    until(session, lambda shown: bool(shown.sight and len(shown.sight.on) == 30))
    found = Pages(tmp_path / "home", session, table.journal)
    yield found
    for robots in found.robots.values():
        for name in list(robots.seats):
            robots.stand_up(name)
    close_streams(found.app)


WIZARD = {
    "name.1": "Ann",
    "colour.1": "pink",
    "robot.1": "",
    "name.2": "Robo",
    "colour.2": "blue",
    "robot.2": "easy",
    "cards": "dealt",
}


def begun(pages: Pages, **more: str) -> FlaskClient:
    """A solo evening from the wizard, on readers."""
    owner = pages.client(owner=True)
    assert pages.post(owner, "setup/new", **WIZARD | more).status_code == 303
    assert pages.session.snapshot.stage == "setup"
    assert pages.post(owner, "setup/begin", step=str(pages.session.snapshot.step)).status_code == 303
    until(pages.session, lambda shown: shown.stage == PLAY)
    return owner


def bid_for_ann(session: Session) -> Snapshot:
    """Ann takes the cheapest place each time; until the first move is asked for or hers."""
    while session.snapshot.game.turn.phase == "bid":
        shown = session.snapshot
        if shown.game.turn.player == "Ann":
            bids = [one.action for one in shown.choices if isinstance(one.action, Bid)]
            cheapest = min(bids, key=lambda bid: bid.spot)
            assert session.tell(c.Tap("Ann", shown.step, notation.to_json(cheapest))).accepted
        else:
            session.wait(shown.version, 60)
    return session.snapshot


def test_a_solo_evening_at_a_table_with_readers_begins_in_the_wizard(pages: Pages) -> None:
    owner = begun(pages)
    pages.robots["oak"].players.reading_s = 0.1
    assert dict(pages.robots["oak"].seats) == {"Robo": "easy"}
    bid_for_ann(pages.session)
    bids = [line for line in pages.session.snapshot.log if isinstance(line.action, Bid)]
    assert {line.by for line in bids} == {"Ann", "Robo"}, "the robot told its bids itself"
    if pages.session.snapshot.game.turn.player == "Robo":
        shown = until(pages.session, lambda shown: shown.plan is not None, 60)
        lines = pages.client(owner=True).get("/t/oak/").get_data(as_text=True)
        assert f"Take all meeples of {shown.plan.action.start} in hand" in lines
        assert pages.state(pages.client())["plan"]["steps"][0]["kind"] == robot_plan.LIFT
        done = {"step": str(shown.step)}
        assert pages.post(pages.client(), "done-as-told", **done).status_code == 403, "a guest is nobody"
        assert pages.post(owner, "done-as-told", **done).status_code == 303
        assert pages.session.snapshot.step > shown.step


def test_a_robot_needs_cards_that_the_companion_deals(pages: Pages) -> None:
    owner = pages.client(owner=True)
    pages.post(owner, "setup/new", **WIZARD | {"cards": "physical"})
    assert pages.session.snapshot.stage != "setup"
    assert "cannot see real cards" in owner.get("/t/oak/setup").get_data(as_text=True)


def test_the_wizard_offers_every_level_with_its_sentence_and_the_coach(pages: Pages) -> None:
    shown = pages.client(owner=True).get("/t/oak/setup").get_data(as_text=True)
    assert set(LEVELS) == set(ALL_LEVELS)
    for _, sentence in LEVELS.values():
        assert sentence in shown
    assert shown.count('value="strong"') == 5, "four seats, and the coach"
    assert 'name="hints"' in shown


def test_a_seat_is_given_to_a_robot_and_taken_back(pages: Pages) -> None:
    owner = begun(pages)
    assert pages.post(pages.client(), "robot", name="Ann", robot="strong").status_code == 403
    assert pages.post(owner, "robot", name="Ann", robot="genius").status_code == 400
    assert pages.post(owner, "robot", name="Zoe", robot="strong").status_code == 400
    assert pages.post(owner, "robot", name="Ann", robot="strong").status_code == 303
    assert dict(pages.robots["oak"].seats) == {"Robo": "easy", "Ann": "strong"}
    assert pages.post(owner, "person", name="Robo").status_code == 303
    assert dict(pages.robots["oak"].seats) == {"Ann": "strong"}


def test_hints_are_counted_limited_and_for_ones_own_eyes(pages: Pages) -> None:
    owner = begun(pages, **{"robot.2": "", "coach": "strong", "hints": "1"})
    session = pages.session
    acting = str(session.snapshot.game.turn.player)
    other = next(name for name in ("Ann", "Robo") if name != acting)
    phone, rival = pages.client(), pages.client()
    pages.post(phone, "sit", name=acting)
    pages.post(rival, "sit", name=other)
    assert pages.post(pages.client(), "coach", step="1").status_code == 403
    pages.post(rival, "coach", step=str(session.snapshot.step))
    assert not [line for line in session.snapshot.log if "coach" in (line.body or {})], "not the rival's turn"
    assert pages.state(phone)["coach"]["following"] == LOOK
    pages.post(phone, "coach", step=str(session.snapshot.step))
    first = pages.state(phone)["coach"]
    assert first["following"] == MOVE and first["shown"][0]["actions"] == []
    assert all(reason["facts"] == [] for reason in first["shown"][0]["reasons"])
    pages.post(phone, "coach", step=str(session.snapshot.step))
    second = pages.state(phone)["coach"]
    assert second["following"] == "" and second["shown"][0]["actions"]
    pages.post(phone, "coach", step=str(session.snapshot.step))
    assert pages.state(phone)["coach"] == second, "one hint a turn was agreed on"
    for one in (rival, owner, pages.client()):
        assert pages.state(one)["coach"] is None
        assert second["shown"][0]["actions"][0] not in json.dumps(pages.state(one))
    move = notation.from_text(second["shown"][0]["actions"][0])
    assert session.tell(c.Tap(acting, session.snapshot.step, notation.to_json(move))).accepted
    assert advice(session.snapshot, acting).used in (0, 1)
    assert pages.state(phone)["coach"] is None or pages.state(phone)["coach"]["shown"] == []


def test_without_a_coach_nobody_is_told_anything(pages: Pages) -> None:
    begun(pages, **{"robot.2": ""})
    acting = str(pages.session.snapshot.game.turn.player)
    told = pages.session.tell(c.AskCoach(acting, pages.session.snapshot.step))
    assert (told.accepted, told.why) == (False, "no_coach")


def test_without_readers_a_tap_says_that_it_was_done_as_told(tmp_path: Path) -> None:
    record = simulated(2, 4, {}, ("easy",))
    step = next(n for n in range(len(record.steps)) if record.at(n).turn.phase == "sow")
    game = record.at(step)
    robot = str(game.turn.player)
    person = next(player.name for player in game.players if player.name != robot)
    plan = robot_plan.planned(game, record.actions[step], "easy", step)
    stand = Stand(replace(snapshot_after(record, step), plan=plan, reading=None))
    app = app_for(tmp_path, stand)
    phone = app.test_client()
    phone.get("/t/oak/join")
    with phone.session_transaction() as cookie:
        csrf = str(cookie["csrf"])
    headers = {"Origin": "http://localhost"}
    phone.post("/t/oak/sit", data={"csrf": csrf, "name": person}, headers=headers)
    shown = phone.get("/t/oak/seat").get_data(as_text=True)
    assert "Done as told" in shown and f"Please move for {robot}" in shown
    told = {"csrf": csrf, "step": str(stand.snapshot.step)}
    assert phone.post("/t/oak/done-as-told", data=told, headers=headers).status_code == 303
    assert stand.told[-1] == c.DoneAsTold(person, stand.snapshot.step)


def test_every_kind_of_step_and_reason_has_words() -> None:
    from naqala.dashboard.reasons import EXPECTED

    assert set(SENTENCES) == set(robot_plan.KINDS)
    assert set(EXPECTED) | set(CATEGORIES) >= set(KINDS)


def waited_for(reviews: Reviews, game: Game, record: Record) -> Mapping[str, Any]:
    """The review, once its thread is done."""
    while isinstance(found := reviews.of(game, record), Progress):
        assert not found.failed
        for thread in threading.enumerate():
            if thread.name == "naqala-review":
                thread.join(60)
    return found


def test_a_review_is_made_once_kept_and_read_again(tmp_path: Path) -> None:
    record = simulated(3, 4, {}, ("easy",))
    with Journal.open(str(tmp_path / "journal.sqlite")) as journal:
        journal.claim("oak")
        number = journal.new_game("oak", to_json(record.opening))
        journal.close_game(number, "finished")
        game = journal.game(number)
    reviews = Reviews(tmp_path)
    made = waited_for(reviews, game, record)
    assert made["turns"] and len(made["turning_points"]) <= 3
    again = Reviews(tmp_path)
    assert again.of(game, record) == made, "from the home folder, at once"
    next((tmp_path / "reviews").iterdir()).write_text("{damaged")
    assert waited_for(Reviews(tmp_path), game, record) == made
