"""One evening at the table, from a fresh clone to the printed score sheet.

Three people, a screen, a phone for each; a clone of this repository started with `make play`; the controller's own
interpreter under a virtual table; an SQLite journal. The game is a whole one with every kind of djinn at work. What goes
wrong on the way is in `stations`, who decides the moves is in `director`.
"""

from __future__ import annotations

import csv
import io
import json
import re
import signal
import subprocess
import time
from collections.abc import Callable, Iterator, Mapping
from pathlib import Path
from random import Random
from urllib.parse import parse_qs, urlsplit

import pytest
from naqala.hands.styles import STYLES
from naqala.hands.table import before
from naqala.journal import Journal
from naqala.rules import actions as a
from naqala.rules.board import TILES
from naqala.rules.game import play
from naqala.rules.model import Game
from naqala.rules.scoring import score
from naqala.service import TAGS
from naqala.table.pieces import write_tags
from naqala.virtual.table import VirtualTable
from naqala.web.rates import Bounds
from playwright.sync_api import Page, expect

from tests.dashboard.conftest import new_page, take_seat
from tests.evening import director, stations
from tests.evening.distant import Distant
from tests.evening.house import House, clone
from tests.evening.people import POSTS, WAIT_MS, Hands, HandsOnThePage, People
from tests.evening.stations import Ready, Station
from tests.link.broker import PASSWORDS, Broker

__all__ = ("new_page",)  # the fixture
NewPage = Callable[..., Page]
SEED = 6
COLOURS = {"Ann": "pink", "Bob": "blue", "Cleo": "orange"}
BOUNDS = Bounds(POSTS)
SETTINGS = """
[tables]
oak = "mqtts://localhost:{broker.tls_port}/oak"
[mqtt]
user = "host"
password = "{password}"
ca = "{broker.folder}/ca.crt"
"""
AT_THE_BROKER: dict[Station, Ready] = {
    one: stations.STATIONS[one]
    for one in (stations.not_next_door, stations.a_power_cut, stations.straight_back, stations.a_phone_away)
}


@pytest.fixture(scope="module")
def cloned(tmp_path_factory: pytest.TempPathFactory, micropython: Path) -> Path:
    return clone(tmp_path_factory.mktemp("fresh") / "naqala")


@pytest.fixture
def start(cloned: Path, tmp_path: Path) -> Iterator[Callable[..., House]]:
    """A house with these arguments; it is left in the end."""
    houses: list[House] = []

    def make(*arguments: str) -> House:
        houses.append(House(cloned, tmp_path / "home", *arguments))
        return houses[-1]

    yield make
    for house in houses:
        house.end(signal.SIGTERM)


@pytest.mark.long
def test_an_evening_at_the_virtual_table(
    start: Callable[..., House], new_page: NewPage, tmp_path: Path
) -> None:
    began = time.monotonic()
    house = start("--table", f"oak=virtual:oak?micropython&seed={SEED}")
    screen = set_up_the_game(house, new_page)
    people = sit_down(house, screen, new_page, at_the_page(house, screen))
    shown = play_through(people, stations.STATIONS)
    while not director.enough(people.game, shown) or people.game.turn.phase != "bid":
        shown |= go_on(people, shown)
    it_gets_late(people)
    while people.game.turn.phase != "over":
        shown |= go_on(people, shown)
    assert shown == {*director.SHAPES}
    read_the_score_sheet(people)
    take_it_along(people, tmp_path)
    report(people, began)


@pytest.mark.long
def test_an_evening_at_a_broker(start: Callable[..., House], new_page: NewPage, tmp_path: Path) -> None:
    """The same over MQTT with password and TLS, shortened. The table is a machine of its own and outlives the host."""
    began = time.monotonic()
    (tmp_path / "broker").mkdir()
    broker = Broker(tmp_path / "broker", "IP:127.0.0.1,DNS:localhost")
    broker.start()
    table = VirtualTable(SEED, "oak", works=Distant(broker, SEED, "oak"))
    try:
        table.set_up(Random(SEED))
        (tmp_path / "home").mkdir()
        (tmp_path / "home" / TAGS).write_text(write_tags(table.tags()))
        (tmp_path / "naqala.toml").write_text(SETTINGS.format(broker=broker, password=PASSWORDS["host"]))
        house = start("--config", str(tmp_path / "naqala.toml"))
        screen = set_up_the_game(house, new_page)
        people = sit_down(house, screen, new_page, Hands(table))
        shown = play_through(people, AT_THE_BROKER)
        it_gets_late(people)
        while people.game.turn.phase != "over":
            shown |= go_on(people, shown)
        read_the_score_sheet(people)
        take_it_along(people, tmp_path)
        assert [rule for rule, _ in people.flags] == ["drops_on_neighbours", "no_immediate_backtracking"]
        report(people, began)
    finally:
        table.close()
        broker.stop()


def patient(page: Page) -> Page:
    """A slow machine may take its time."""
    page.set_default_timeout(WAIT_MS)
    return page


def set_up_the_game(house: House, new_page: NewPage) -> Page:
    """The owner's browser: the wizard, and the check of the table."""
    screen = patient(new_page("tv"))
    screen.goto(house.start())
    screen.goto(f"{house.address}/t/oak/setup")
    for seat, name in enumerate(COLOURS, 1):
        screen.get_by_label(f"Player {seat}", exact=True).fill(name)
    screen.get_by_label("the real ones, told by taps").check()
    screen.get_by_role("button", name="Set this game up").click()
    expect(screen.locator("#setup-check")).to_contain_text("Everything is in its place.", timeout=WAIT_MS)
    screen.get_by_role("button", name="Begin the game").click()
    screen.wait_for_url("**/t/oak/")
    return screen


def at_the_page(house: House, screen: Page) -> HandsOnThePage:
    """Hands at the page of the virtual table; where everything lies follows from its seed."""
    page = patient(screen.context.new_page())
    page.set_viewport_size({"width": 1500, "height": 1000})
    page.goto(f"{house.address}/t/oak/virtual")
    table = VirtualTable(SEED)
    table.set_up(Random(SEED))
    return HandsOnThePage(page, table, BOUNDS)


def sit_down(house: House, screen: Page, new_page: NewPage, hands: Hands) -> People:
    """A phone for everybody; Cleo reads French."""
    phones = {name: patient(new_page("phone")) for name in COLOURS}
    for name, phone in phones.items():
        take_seat(phone, house.address, name)
    phones["Cleo"].locator("#pick-language").select_option("fr")
    expect(phones["Cleo"].locator("html")).to_have_attribute("lang", "fr", timeout=WAIT_MS)
    return People(house, screen, phones, hands, COLOURS, Journal.open(house.journal), BOUNDS, "Cleo")


def play_through(people: People, all_stations: Mapping[Station, Ready]) -> frozenset[str]:
    """Each station as soon as the game gives an occasion; the kinds of djinns seen at work meanwhile."""
    shown: frozenset[str] = frozenset()
    left = dict(all_stations)
    while left:
        record = people.chronicle.record
        action = director.decide(record.game, shown)
        station = next((one for one, ready in left.items() if ready(record, action)), None)
        if station is None:
            shown |= go_on(people, shown)
            continue
        del left[station]
        began = time.monotonic()
        assert isinstance(action, a.Sow)
        if station(people, action):
            shown |= at_work(record.game, action)
        print(f"{station.__name__}: {time.monotonic() - began:.1f} s", flush=True)
    return shown


def go_on(people: People, shown: frozenset[str]) -> frozenset[str]:
    """The next action, with hands as human as robots have them; the kinds of djinns that did something."""
    game = people.game
    action = director.decide(game, shown)
    people.act(action, min(STYLES, key=lambda manner: people.manners[manner]))
    return at_work(game, action)


def at_work(game: Game, action: a.Action) -> frozenset[str]:
    after, events = play(game, action)
    return frozenset(director.at_work(game, action, events, after))


def it_gets_late(people: People) -> None:
    """The friends agree to make it short: one of them lays all camels but one, and the owner says that the table is right."""
    game = people.game
    player = min(game.players, key=lambda one: one.camels)
    free = [tile for tile in TILES if game.tile(tile).camel is None]
    free.sort(key=lambda tile: -len(game.tile(tile).meeples))
    given = free[: player.camels - 1]
    camels = people.hands.table.at(before(people.colours[player.name]), "camel")
    for camel, tile in zip(camels, given, strict=False):
        people.hands.move([camel], tile)
    people.until(lambda state: len(state["repair"]) == len(given), "all camels")
    with people.a_post():
        people.screen.get_by_role("button", name="Use what's on the table").click()
    for phone in people.phones.values():  # it changes points, so everybody is asked
        phone.locator("#asked button[value=yes]").click(timeout=WAIT_MS)
    people.until(lambda state: people.game != game, "the correction")
    assert [people.game.tile(tile).camel for tile in given] == [player.name] * len(given)
    assert people.game.player(player.name).camels == 1
    people.settled()


def read_the_score_sheet(people: People) -> None:
    for phone in people.phones.values():
        phone.wait_for_url("**/end", timeout=WAIT_MS)
    people.screen.goto(f"{people.address}/end")
    people.screen.locator("[data-show-all]").click()
    totals = [str(one.total) for one in score(people.game)]
    assert people.screen.locator(".sheet-table .total td").all_text_contents() == totals


def take_it_along(people: People, folder: Path) -> None:
    """Printed on one page, as CSV, as JSON, as a link to BG Stats; and the record, replayed to the same score."""
    screen, totals = people.screen, {one.name: one.total for one in score(people.game)}
    printed = screen.pdf()
    assert printed.startswith(b"%PDF-") and len(re.findall(rb"/Type\s*/Page\b", printed)) == 1
    rows = csv.DictReader(io.StringIO(downloaded(screen, "Table (CSV)").decode("utf-8-sig")))
    assert {row["name"]: int(row["total"]) for row in rows} == totals
    told = json.loads(downloaded(screen, "Score (JSON)"))
    assert {one["name"]: one["total"] for one in told["scores"]} == totals
    link = urlsplit(screen.get_by_role("link", name="Send to BG Stats").get_attribute("href") or "")
    assert link.netloc == "app.bgstatsapp.com"
    sent = json.loads(parse_qs(link.query)["data"][0])
    assert {one["name"]: int(one["score"]) for one in sent["players"]} == totals
    record = folder / "record.txt"
    record.write_bytes(downloaded(screen, "Record"))
    command = [people.house.folder / ".venv/bin/naqala", "replay", record, "--json"]
    replayed = json.loads(subprocess.run(command, capture_output=True, check=True, timeout=120).stdout)
    assert {one["name"]: one["total"] for one in replayed["scores"]} == totals


def downloaded(page: Page, name: str) -> bytes:
    with page.expect_download() as found:
        page.get_by_role("link", name=name, exact=True).click()
    return Path(found.value.path()).read_bytes()


def report(people: People, began: float) -> None:
    """How long it took, and how long each flag from drop to screen."""
    print(f"\nan evening of {len(people.chronicle.log)} entries in {time.monotonic() - began:.0f} s")
    print(f"hands: {dict(people.manners)}, {people.questions} questions")
    for rule, ms in people.flags:
        print(f"{rule}: {ms} ms from drop to screen")
    people.journal.close()
