"""Whole evenings at a table without readers, by scripted fingers on real browsers: taps are counted, and the score sheet is
held against `naqala replay`."""

from __future__ import annotations

import json
import statistics
from collections.abc import Callable, Iterator
from pathlib import Path
from random import Random
from typing import Any

import pytest
from click.testing import CliRunner
from naqala.cli import main
from naqala.journal import Journal
from naqala.robots import ROBOTS
from naqala.rules.actions import Reveal
from naqala.rules.choices import legal
from naqala.rules.piles import DJINN_PILE, RESOURCE_PILE, drawn_by, missing
from naqala.service import Service
from naqala.settings import Settings
from playwright.sync_api import Page, expect

from tests.dashboard.conftest import new_page
from tests.phones.fingers import Board, Fingers

__all__ = ("new_page",)  # the fixture
NewPage = Callable[..., Page]
MOST_LAYOUT_TAPS, MOST_TURN_TAPS = 130, 8


@pytest.fixture
def house(tmp_path: Path) -> Iterator[tuple[str, str, Path]]:
    """The companion for a board without readers: its owner's address, its address, its home."""
    home = tmp_path / "home"
    settings = Settings(tables={"board": "phones"}, journal=str(home / "journal.sqlite"))
    service = Service(settings, home, "127.0.0.1", 0)
    place = service.start()
    yield place.owner, place.address, home
    service.stop()


def set_up(owner: Page, address: str, players: tuple[str, ...], cards: str) -> None:
    """From the first page to the empty board."""
    owner.get_by_role("link", name="Set up a game").click()
    for number, name in enumerate(players, 1):
        owner.locator(f"#name-{number}").fill(name)
    owner.locator(f"input[name=cards][value={cards}]").check(force=True)
    owner.get_by_role("button", name="Set this game up").click()
    owner.wait_for_url("**/layout")


def finish(fingers: Fingers, most: int = 10_000) -> None:
    """Play to the end as robots would, by taps. Cards that the real piles turn up are drawn by the test's own dice."""
    for _ in range(most):
        game = fingers.game
        if game.turn.phase == "over":
            return
        dealt = game.turn.phase == "reveal" and fingers.dealt
        if dealt or [choice.do for choice in legal(game)] == ["place"]:  # nobody has to tell it
            next(iter(fingers.phones.values())).wait_for_timeout(50)
            continue
        fingers.act(chosen(game, fingers.dice))
    raise AssertionError("no end")


def chosen(game: Any, dice: Random) -> Any:
    if game.turn.phase == "reveal":
        cards, spirits = missing(game)
        pick = dice.randrange
        return Reveal(drawn_by(game, RESOURCE_PILE, cards, pick), drawn_by(game, DJINN_PILE, spirits, pick))
    return ROBOTS["greedy"](game, dice)


def replayed(page: Page, home: Path) -> dict[str, int]:
    """The scores as `naqala replay` counts them from the record that the score sheet offers."""
    record = home / "record.txt"
    record.write_bytes(page.request.get(page.url.rstrip("/") + "/record.txt").body())
    told = CliRunner().invoke(main, ["replay", str(record), "--json"])
    assert told.exit_code == 0, told.output
    return {one["name"]: one["total"] for one in json.loads(told.output)["scores"]}


def sheet(page: Page) -> dict[str, int]:
    """The totals of the score sheet."""
    page.locator("[data-show-all]").click()
    names = page.locator(".sheet-table thead th").all_inner_texts()[1:]
    totals = page.locator(".sheet-table .total td").all_inner_texts()
    return {
        name.split()[-1]: int(total) for name, total in zip(names, totals, strict=True)
    }  # after the initial


@pytest.mark.long
def test_three_phones_and_a_screen_with_a_painted_board_and_real_cards(
    house: tuple[str, str, Path], new_page: NewPage
) -> None:
    owner_address, address, home = house
    players = ("Ann", "Bob", "Cleo")
    screen = new_page("tv")
    screen.goto(owner_address)
    set_up(screen, address, players, "physical")
    phones = {}
    for name in players:
        phone = phones[name] = new_page("phone")
        phone.goto(f"{address}/t/board/join")
        phone.get_by_role("button", name=name).click()
        phone.wait_for_url("**/seat")
        phone.get_by_role("link", name="Lay out the board").click()
        phone.wait_for_url("**/layout")
    with Journal.open(str(home / "journal.sqlite")) as journal:
        fingers = Fingers(phones, journal)
        fingers.tap(phones["Ann"].get_by_role("button", name="It is laid out already"))
        board = Board.dealt(Random(9))
        fingers.paint(board, list(phones.values()))
        fingers.no_word_of_readers()
        fingers.tap(phones["Bob"].get_by_role("button", name="Begin the game"))
        for phone in phones.values():
            phone.wait_for_url("**/seat")
        layout_taps = fingers.taps
        opening = fingers.game
        assert {
            name: f"{opening.tile(name).type}_{opening.tile(name).points}" for name in board.tiles
        } == board.tiles
        assert all(
            sorted(opening.tile(name).meeples) == sorted(three) for name, three in board.meeples.items()
        )
        finish(fingers)
        for phone in phones.values():
            phone.wait_for_url("**/end")
        median = statistics.median(fingers.per_turn)
        print(f"layout {layout_taps} taps; a turn {median:g} in the median of {len(fingers.per_turn)}")
        assert layout_taps <= MOST_LAYOUT_TAPS
        assert median <= MOST_TURN_TAPS
    assert sheet(phones["Ann"]) == replayed(phones["Ann"], home)


@pytest.mark.long
def test_two_players_on_one_tablet(house: tuple[str, str, Path], new_page: NewPage) -> None:
    """Dealt board, dealt cards, one tablet for all: its pages hold nobody's gold, but for who keeps a finger on it."""
    owner_address, address, home = house
    tablet = new_page("tablet")
    tablet.goto(owner_address)
    set_up(tablet, address, ("Ann", "Bob"), "dealt")
    tablet.get_by_role("button", name="The companion deals").click()
    for row in "12345":
        tablet.locator(f"#done-{row}").click()
        expect(tablet.locator(f"#done-{row}")).to_have_attribute("aria-pressed", "true")
    tablet.get_by_role("button", name="Begin the game").click()
    tablet.wait_for_url("**/t/board/")
    tablet.get_by_role("button", name="One device for all").click()
    tablet.wait_for_url("**/together")
    assert tablet.locator(".purse").count() == 0
    hold = tablet.locator(".hold", has_text="Bob")
    hold.hover()
    tablet.mouse.down()
    expect(tablet.locator("#held-hand .purse")).to_contain_text("50")
    tablet.mouse.up()
    expect(tablet.locator("#held-hand .purse")).to_have_count(0)
    with Journal.open(str(home / "journal.sqlite")) as journal:
        fingers = Fingers({"Ann": tablet, "Bob": tablet}, journal, together=True, dealt=True)
        finish(fingers)
        fingers.no_word_of_readers()
        tablet.wait_for_url("**/end")
        print(f"one tablet: a turn {statistics.median(fingers.per_turn):g} taps in the median")
    assert sheet(tablet) == replayed(tablet, home)
