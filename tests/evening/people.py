"""The people of the evening: hands at the table, a screen beside it, a phone for everybody. All in a real browser.

`People` makes one action of the game happen as people would: taps on the acting phone, pieces moved on the virtual
table's own page, and a look at the screen before going on. Nothing waits for a time: what is awaited is what the
companion shows. What the game is by now is told anew from the journal on disk.
"""

from __future__ import annotations

import json
import time
from collections import Counter
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, field
from random import Random
from typing import Any

from naqala.hands.people import Person
from naqala.hands.styles import scoop, sowing
from naqala.hands.table import BAG, HAND, SUPPLY, Motion
from naqala.journal import Journal
from naqala.rules import actions as a
from naqala.rules import notation
from naqala.rules.game import play
from naqala.rules.model import Game
from naqala.session.chronicle import Chronicle, retold
from naqala.session.robot_plan import same
from naqala.virtual.paces import PACES
from naqala.virtual.standing import put_right, unlike
from naqala.virtual.table import VirtualTable
from naqala.web.rates import Bounds, Rate
from playwright.sync_api import Page, expect

from tests.evening.house import House
from tests.virtual.test_page import Hands as Mouse

LIMIT_S = 120  # for anything to be shown; a slow machine may take its time
WAIT_MS = 1000 * LIMIT_S
LOOK_MS = 100
POSTS = Rate(25, 7.0)  # less than the companion takes of one browser at once, and a second

LET_GO = (
    "() => addEventListener('pointerup', () => { window.letGo = Date.now(); }, { capture: true, once: true })"
)
ASKED = ("row", "djinns", "card")  # what only the players know, of the choices that come in this evening

State = dict[str, Any]


class Hands:
    """Moves pieces and remembers where they are. `table` is the virtual table itself, or a mirror of it."""

    def __init__(self, table: VirtualTable) -> None:
        self.table = table

    def move(self, tags: Sequence[str], spot: str, lying: bool = False) -> None:
        """Put pieces somewhere."""
        self.table.move(tags, spot, lying)

    def lay(self, tags: Sequence[str], spot: str) -> float:
        """Put pieces somewhere, and say at which millisecond since 1970."""
        now = time.time() * 1000
        self.move(tags, spot)
        return now

    def lift(self, tile: str) -> None:
        self.move(self.table.at(tile, "meeple"), HAND)

    def drop(self, tile: str, letter: str) -> None:
        self.move(self.table.at(HAND, "meeple", letter)[:1], tile)

    def after_a_power_cut(self) -> None:
        """A table of its own stands as it stood."""


class HandsOnThePage(Hands):
    """Moves pieces on the virtual table's own page: by posts as its script makes them, or with the mouse."""

    def __init__(self, page: Page, table: VirtualTable, bounds: Bounds) -> None:
        super().__init__(table)
        self.page, self._bounds = page, bounds

    def move(self, tags: Sequence[str], spot: str, lying: bool = False) -> None:
        if tags:
            self.post("move", tags=",".join(tags), spot=spot, lying="yes" if lying else "no")
            super().move(tags, spot, lying)

    def lay(self, tags: Sequence[str], spot: str) -> float:
        """A single piece is dragged with the mouse; when the button was let go is what counts."""
        if len(tags) != 1:
            return super().lay(tags, spot)
        patiently(self.page, self._bounds)
        self.page.evaluate(LET_GO)
        Mouse(self, self.page).drag(f"[data-tag='{tags[0]}']", spot)  # type: ignore[arg-type]
        super().move(tags, spot)
        return float(self.page.evaluate("() => window.letGo"))

    def after_a_power_cut(self) -> None:
        """The table is in the machine that failed and fell with it; the companion has laid it as the record has it. Which
        of the pieces that are alike stands where is seen on the page."""
        self.page.reload()
        picture = json.loads(self.page.locator("#virtual").get_attribute("data-state") or "{}")
        for spot, pieces in picture["spots"].items():
            self.table.move([one["tag"] for one in pieces], spot)

    def post(self, what: str, **fields: str) -> None:
        patiently(self.page, self._bounds)
        token = self.page.locator("#tap input[name=csrf]").first.input_value()
        answer = self.page.request.post(
            f"{self.page.url}/{what}",
            form={"csrf": token, **fields},
            headers={"Origin": self.page.url.partition("/t/")[0], "Accept": "application/json"},
        )
        assert answer.ok, f"{what} {fields}: {answer.status}"


def patiently(page: Page, bounds: Bounds) -> None:
    """Not faster than the companion lets one address ask."""
    while bounds.left("", time.monotonic()) < 1:
        page.wait_for_timeout(LOOK_MS)
    bounds.take("", time.monotonic())


@dataclass
class People:
    """Everybody, and the evening's game."""

    house: House
    screen: Page
    phones: Mapping[str, Page]
    hands: Hands
    colours: Mapping[str, str]
    journal: Journal
    bounds: Bounds
    reads_french: str
    flags: list[tuple[str, int]] = field(default_factory=list)  # rule, milliseconds from drop to screen
    manners: Counter[str] = field(default_factory=Counter)  # how sowings were made
    questions: int = 0
    dice: Random = field(default_factory=lambda: Random(1))
    _told: Chronicle | None = None

    @property
    def address(self) -> str:
        return f"{self.house.address}/t/oak"

    # --- looking ----------------------------------------------------------------------------------------------

    @property
    def chronicle(self) -> Chronicle:
        """The newest game of the journal, told anew from disk."""
        newest = self.journal.games("oak")[-1]
        if self._told is None or newest.entries >= self._told.next_number:
            self._told = retold(newest.opening, self.journal.entries(newest.id))
        return self._told

    @property
    def game(self) -> Game:
        return self.chronicle.game

    def state(self) -> State:
        """What the screen may see, for programs."""
        found: State = self.screen.request.get(f"{self.address}/state.json").json()
        return found

    def until(self, wanted: Callable[[State], object], why: str) -> State:
        """The state as soon as it is as wanted."""
        for _ in range(LIMIT_S * 1000 // LOOK_MS):
            state = self.state()
            if wanted(state):
                return state
            self.screen.wait_for_timeout(LOOK_MS)
        raise AssertionError(f"never came: {why}; {json.dumps(state['reading'])} {state.get('turn')}")

    @contextmanager
    def a_post(self) -> Iterator[None]:
        """What is pressed inside is one more post, in its own time."""
        patiently(self.screen, self.bounds)
        yield

    def settled(self) -> None:
        """Until the companion has nothing to say and the board stands as the game has it."""
        assert not unlike(self.game, self.hands.table, self.colours)
        self.until(lambda state: state["reading"]["kind"] == "quiet", "quiet")

    # --- acting -----------------------------------------------------------------------------------------------

    def act(self, action: a.Action, manner: str = "") -> bool:
        """Let an action happen, and what follows from it on the board. True, for it has happened."""
        game = self.game
        if isinstance(action, a.Sow) and manner:
            self.manners[manner] += 1
            self.sow_like(action, manner)
        elif isinstance(action, a.Sow):
            self.sow(action)
        elif isinstance(action, a.Place):
            self.hands.move(self.hands.table.at(SUPPLY, action.what)[:1], action.tile)
        elif isinstance(action, a.Kill) and seen_on_the_table(action):
            self.hands.move(self.victims(action), BAG)
        else:
            self.tap(action)
        return self.recorded(action, game)

    def recorded(self, action: a.Action, game: Game) -> bool:
        """Until the journal has what was done in this game, and the board has what follows. A question is answered."""
        after = play(game, action)[0]

        def written(state: State) -> bool:
            if state["reading"]["kind"] == "unclear":
                self.answer(action, state)
            return self.game == after

        self.until(written, notation.to_text(action))
        table, person = self.hands.table, Person(self.dice, PACES["quick"], "")
        self.make(put_right(after, table, self.colours, person, unlike(after, table, self.colours)))
        self.settled()
        return True

    def answer(self, action: a.Action, state: State) -> None:
        """Tap on the option that is meant."""
        assert isinstance(action, a.Sow)
        options = [
            a.Sow(action.player, one["start"], tuple((tile, letter) for tile, letter in one["drops"]))
            for one in state["reading"]["options"]
        ]
        number = next((number for number, option in enumerate(options) if same(option, action)), None)
        if number is None:
            return  # the scoop has not been seen yet: people look again
        with self.a_post():
            self.phones[action.player].locator(f"button[name=option][value='{number}']").click()
        self.questions += 1
        self.until(lambda now: now["reading"]["kind"] != "unclear", "an answer")

    def make(self, gestures: Sequence[Motion]) -> None:
        for gesture in gestures:
            self.screen.wait_for_timeout(gesture.wait_ms)
            self.hands.move(gesture.tags, gesture.spot, gesture.lying)

    def victims(self, kill: a.Kill) -> list[str]:
        found: list[str] = []
        for victim in kill.victims:
            there = self.hands.table.at(str(victim.tile), "meeple", victim.meeple)
            found.append(next(tag for tag in there if tag not in found))
        return found

    def sow(self, sow: a.Sow) -> None:
        """Lift, drop one by one, scoop; each gesture when the screen has followed the last."""
        self.begin(sow, len(sow.drops))
        self.scoop(sow)

    def sow_like(self, sow: a.Sow, manner: str) -> None:
        """As people do, in one of their manners, at their own pace."""
        person = Person(self.dice, PACES["quick"], self.colours[sow.player])
        self.make(sowing(self.hands.table, person, sow.start, sow.drops, manner))

    def begin(self, sow: a.Sow, drops: int) -> None:
        """Lift all, and drop so many."""
        self.hands.lift(sow.start)
        self.until(lambda state: len(state["reading"]["hand"]) == len(sow.drops), "the hand")
        self.go_on(sow, 0, drops)

    def go_on(self, sow: a.Sow, first: int, last: int) -> None:
        """The drops from one number to another."""
        for number in range(first, last):
            self.hands.drop(*sow.drops[number])
            done = number + 1
            self.until(lambda state, done=done: drops_seen(state) == done, f"drop {done}")

    def scoop(self, sow: a.Sow) -> None:
        person = Person(self.dice, PACES["quick"], self.colours[sow.player])
        self.make(scoop(self.hands.table, person, sow.drops[-1], {}))

    # --- phones -----------------------------------------------------------------------------------------------

    def tap(self, action: a.Action) -> None:
        """Press the button of the acting phone that does this; what it asks for is picked first."""
        told = notation.to_json(action)
        name = told.get("player") or self.dice.choice(sorted(self.phones))
        phone, step = self.phones[name], self.chronicle.next_number
        expect(phone.locator("input[name=step]").first).to_have_value(str(step), timeout=1000 * LIMIT_S)
        if isinstance(action, a.Reveal):
            self.turn_up(phone, action)
        values = phone.locator("button[name=action]").evaluate_all("all => all.map(one => one.value)")
        value = next(value for value in values if does(json.loads(value), told))
        fill = json.loads(value).get("fill")
        button = phone.locator(f"button[name=action][value={json.dumps(value)}]")
        button.evaluate(OPEN)
        for asked in ASKED if fill is not None else ():
            told_there = told.get(asked, ())
            for place, card in enumerate([told_there] if isinstance(told_there, str) else told_there):
                phone.locator(f"select[name='fill.{fill}.{asked}.{place}']").select_option(card)
        with self.a_post():
            button.click()
        self.until(lambda state: state["step"] > step, f"{value} on the phone of {name}")

    def turn_up(self, phone: Page, reveal: a.Reveal) -> None:
        """Tap the cards and djinns that were turned up, in their order."""
        for count, card in enumerate(reveal.row, 1):
            phone.locator(f"#card-{card}").click()
            expect(phone.locator(".told-cards li")).to_have_count(count)
        for djinn in reveal.djinns:
            there = phone.locator(f'#all-djinns [data-name="{djinn}"]')
            there.click()
            expect(there).to_have_count(0)
        expect(phone.locator("#seat-cards button.first")).to_be_visible()


OPEN = "one => { const at = one.closest('.at-tile'); if (at) location.hash = at.id; for (let up = one.closest('details'); up; up = up.parentElement.closest('details')) up.open = true; }"


def drops_seen(state: State) -> int:
    return len(state["reading"]["drops"])


def seen_on_the_table(kill: a.Kill) -> bool:
    """A killing that hands show by themselves."""
    return bool(kill.victims) and not kill.fakirs and not kill.card and all(one.tile for one in kill.victims)


def does(button: dict[str, Any], told: dict[str, Any]) -> bool:
    """Whether a button does what is told, but for what it asks."""
    return plain(button) == plain(told)


def plain(action: dict[str, Any]) -> dict[str, Any]:
    return {key: value for key, value in action.items() if key not in (*ASKED, "fill")}
