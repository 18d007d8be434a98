"""In a real browser: a solo game where people move the robot's pieces, a hint of the coach, and the review of that game.

The game begins one round before its end, in a position that robots have played to, so that it is over in a minute.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from pathlib import Path
from random import Random
from time import monotonic
from typing import Any

import pytest
from naqala.hands.people import PACES, Person
from naqala.robots import ROBOTS, kept
from naqala.rules import notation, position
from naqala.rules.record import Record
from naqala.session import commands as c
from naqala.session.robot_plan import by_hand, planned
from naqala.session.snapshot import OVER, PLAY, Snapshot
from naqala.simulate import simulated
from naqala.table.readings import Quiet, Wrong
from naqala.virtual.box import READER_OF
from naqala.virtual.standing import put_right, unlike
from playwright.sync_api import Browser, Page, expect

from tests.dashboard.test_no_english import english_in
from tests.robots.hands import Told, colours_of, obey
from tests.session.conftest import until
from tests.virtual.conftest import House

LONGEST_S = 600  # the game takes a minute, on a busy machine several
COACHED = {"colours": ["pink", "blue"], "coach": {"level": "strong", "hints": 1}}


def late_game(rounds: int) -> dict[str, Any]:
    """A position so many rounds before the end, as an opening for the journal."""
    record: Record = simulated(("Ann", "Robo"), 77, {}, ("normal",))
    last = record.game.round
    for number in range(len(record.steps)):
        game = record.at(number)
        if game.round == last - rounds + 1 and game.turn.phase == "bid":
            return position.to_json(game) | {"companion": COACHED}
    raise AssertionError("too short a game")


@pytest.fixture
def late(tmp_path: Path) -> Iterator[House]:
    house = House(tmp_path, more="&pace=2")
    house.journal.new_game("oak", late_game(1))
    house.session.publish(unfinished=house.session.ledger.unfinished())
    assert house.session.tell(c.Resume(c.OWNER)).accepted
    robots = house.app.extensions["naqala-robots"]["oak"]
    robots.players.reading_s, robots.players.dice = 0.2, Random(2)
    robots.resumed()
    robots.new_game({"Ann": "", "Robo": "normal"}, told=True)
    yield house
    robots.stand_up("Robo")
    house.close()


class Solo:
    """One person at the table: plays Ann, and moves for the robot what its card on her phone says."""

    def __init__(self, house: House, phone: Page) -> None:
        self.house, self.phone = house, phone
        self.dice = Random(1)
        self.obeyed = 0

    @property
    def shown(self) -> Snapshot:
        return self.house.session.snapshot

    def seen(self) -> None:
        """The readers have seen what lies there."""
        table = self.house.table
        until(
            self.house.session,
            lambda shown: all(
                set(shown.sight.on.get(reader, ())) == set(table.at(tile))
                for tile, reader in READER_OF.items()
            ),
            LONGEST_S,
        )

    def play(self) -> None:
        end = monotonic() + LONGEST_S
        while (shown := self.shown).stage != OVER:
            assert monotonic() < end, f"never over: {shown.reading} {shown.due} {shown.plan}"
            acting = shown.game.turn.player
            if shown.plan is not None:
                self.follow_the_card(shown)
            elif self.remind(shown):
                continue
            elif acting == "Ann" and isinstance(shown.reading, Quiet | Wrong):
                self.own_turn(shown)
            else:
                self.house.session.wait(shown.version, 5)

    def follow_the_card(self, shown: Snapshot) -> None:
        lines = self.phone.locator("#robot-card li")
        expect(lines).to_have_count(len(shown.plan.steps))
        told: list[Told] = lines.evaluate_all(
            "all => all.map(one => [one.dataset.kind, one.dataset.tile, one.dataset.what])"
        )
        assert all(line.strip() for line in lines.all_inner_texts())
        obey(self.house.table, colours_of(shown)[shown.plan.player], told, self.seen)
        until(self.house.session, lambda now: now.plan is None, LONGEST_S)
        self.obeyed += 1

    def own_turn(self, shown: Snapshot) -> None:
        drawn = shown.drawn
        if drawn is None:
            action = ROBOTS["easy"](shown.game, self.dice)
        else:
            action = kept("easy", shown.game, drawn.power, drawn.drawn, self.dice)
        if by_hand(action):
            steps = planned(shown.game, action, "", 0).steps
            told = [(step.kind, step.tile, step.what) for step in steps]
            obey(self.house.table, colours_of(shown)["Ann"], told, self.seen)
            until(self.house.session, lambda now: now.step > shown.step, LONGEST_S)
        else:
            self.house.session.tell(c.Tap("Ann", shown.step, notation.to_json(action)))

    def remind(self, shown: Snapshot) -> bool:
        """What is due by the record is done; False when nothing is."""
        colours = colours_of(shown)
        if not shown.due or not unlike(shown.game, self.house.table, colours):
            return False
        person = Person(self.dice, PACES["quick"], "pink")
        tiles = unlike(shown.game, self.house.table, colours)
        for motion in put_right(shown.game, self.house.table, colours, person, tiles):
            self.house.table.move(motion.tags, motion.spot)
        self.seen()
        return True


def test_a_solo_evening_with_a_hint_to_its_review(late: House, browser: Browser) -> None:
    address = late.serve()
    context = browser.new_context(viewport={"width": 390, "height": 844})
    phone = context.new_page()
    try:
        phone.goto(f"{address}/owner?token={late.token}")
        phone.goto(f"{address}/t/oak/join")
        phone.get_by_role("button", name="Ann").first.click()
        expect(phone.locator("#seat-state")).to_be_visible()
        one = Solo(late, phone)
        ask_the_coach(one)
        one.play()
        assert one.obeyed >= 1, "the robot asked for its moves"
        expect(phone).to_have_url(re.compile("/t/oak/end$"))  # the phone is led there by itself
        expect(phone.locator("tr.hints td")).to_have_text(["1", "0"])
        read_the_review(phone)
    finally:
        context.close()


def ask_the_coach(one: Solo) -> None:
    """The first hint says where to look, the second tap the move; no other page shows any of it."""
    until(
        one.house.session, lambda now: (now.stage == PLAY and now.game.turn.player == "Ann") or now.plan, 120
    )
    while one.shown.game.turn.player != "Ann":
        if one.shown.plan is not None:
            one.follow_the_card(one.shown)
        elif not one.remind(one.shown):
            one.house.session.wait(one.shown.version, 5)
    phone = one.phone
    phone.get_by_role("button", name="A hint, please").click()
    hint = phone.locator("#seat-coach .hint")
    expect(hint).to_have_count(1)
    expect(hint.locator("p")).to_have_count(1)
    phone.get_by_role("button", name="Tell me the move").click()
    expect(hint.locator("p.strong")).to_be_visible()
    told = hint.locator("p.strong").inner_text()
    expect(phone.get_by_role("button", name="Another hint")).to_have_count(0)  # one a turn was agreed on
    guest = one.house.app.test_client()
    for page in ("/t/oak/", "/t/oak/state.json", "/t/oak/log"):
        assert told not in guest.get(page).get_data(as_text=True)
    assert guest.get("/t/oak/state.json").get_json()["coach"] is None


def read_the_review(page: Page) -> None:
    page.get_by_role("button", name="Show all").click()
    page.get_by_role("link", name="Review of the game").click()
    expect(page.locator(".turning-point").first).to_be_visible()
    english = whys(page)
    assert english, "there are reasons to read"
    for language in ("fr", "nl", "ru"):
        with page.expect_navigation():
            page.locator("#pick-language").select_option(language)
        assert page.locator("html").get_attribute("lang") == language
        told = whys(page)
        assert [numbers(line) for line in told] == [numbers(line) for line in english]
        assert not any(english_in(line) for line in told), told
    page.locator(".turning-point a").first.click()
    expect(page.locator("input[data-replay]")).to_be_visible()


def whys(page: Page) -> list[str]:
    return page.locator(".review-why li").all_inner_texts()


def numbers(line: str) -> list[str]:
    """The points of a reason."""
    return re.findall(r"[+\N{MINUS SIGN}]\d+", line)
