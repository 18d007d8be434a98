"""The virtual page in a real browser by finger and by keys alone: every gesture, and that the table has heard of it."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import pytest
from naqala.hands.table import BAG, HAND, SUPPLY, before
from naqala.virtual import evening
from playwright.sync_api import Browser, Page, expect

from tests.virtual.conftest import House

PATIENCE_MS = 60_000
NAMES = {"Y": "a vizier", "W": "an elder", "G": "a merchant", "B": "a builder", "R": "an assassin"}


class Fingers:
    """One finger on a touch screen: the events a phone sends, not a mouse in disguise."""

    def __init__(self, page: Page) -> None:
        self.page = page
        self._screen = page.context.new_cdp_session(page)

    def _touch(self, what: str, *points: tuple[float, float]) -> None:
        touched = [{"x": x, "y": y} for x, y in points]
        self._screen.send("Input.dispatchTouchEvent", {"type": what, "touchPoints": touched})

    def middle(self, what: str) -> tuple[float, float]:
        expect(self.page.locator(what).first).to_be_visible()  # it may just be drawn again
        box = self.page.locator(what).first.bounding_box()
        assert box, what
        return box["x"] + box["width"] / 2, box["y"] + box["height"] / 2

    def corner(self, spot: str) -> tuple[float, float]:
        """The lower right of a place, where no piece is."""
        box = self.page.locator(f"[data-spot='{spot}']").bounding_box()
        assert box, spot
        return box["x"] + box["width"] - 8, box["y"] + box["height"] - 6

    def drag(self, what: str, to: tuple[float, float], end: str = "touchEnd") -> None:
        x, y = self.middle(what)
        self._touch("touchStart", (x, y))
        for step in range(1, 6):
            self._touch("touchMove", (x + (to[0] - x) * step / 5, y + (to[1] - y) * step / 5))
        self._touch(end)

    def put(self, what: str, spot: str) -> None:
        self.drag(what, self.corner(spot))

    def tap(self, what: str) -> None:
        self._touch("touchStart", self.middle(what))
        self._touch("touchEnd")


def piece(tag: str) -> str:
    return f"[data-tag='{tag}']"


@pytest.fixture
def page(house: House, browser: Browser) -> Iterator[Page]:
    """The page on a touch screen; a script error fails the test."""
    address = house.serve()
    context = browser.new_context(viewport={"width": 1400, "height": 1200}, has_touch=True, is_mobile=True)
    context.set_default_timeout(PATIENCE_MS)
    expect.set_options(timeout=PATIENCE_MS)
    made = context.new_page()
    troubles: list[str] = []
    made.on("pageerror", lambda error: troubles.append(str(error)))
    made.goto(f"{address}/owner?token={house.token}")
    made.goto(f"{address}/t/oak/virtual")
    expect(made.locator("#virtual")).to_have_attribute("data-version", str(house.table.version))
    yield made
    context.close()
    assert not troubles


def stands(page: Page, tag: str, spot: str) -> Any:
    """Wait until the page shows a piece there: it has come back from the table."""
    expect(page.locator(f"[data-spot='{spot}'] {piece(tag)}")).to_be_visible()


def test_every_gesture_by_finger(page: Page, house: House) -> None:
    table, finger = house.table, Fingers(page)

    # Lift a whole tile by its name, drop one by one.
    meeples = table.at("C3", "meeple")
    finger.drag("[data-lift='C3']", finger.corner(HAND))
    expect(page.locator("[data-spot='hand'] [data-tag]")).to_have_count(3)
    assert table.at(HAND) == meeples
    for tag, tile in zip(meeples, ("C4", "D4", "D5"), strict=True):
        finger.put(piece(tag), tile)
        stands(page, tag, tile)
        assert table.where(tag) == tile

    # Tap a piece, lay it down, stand it up; take that back, and the last drop, too.
    last = meeples[-1]
    finger.tap(piece(last))
    expect(page.locator(piece(last))).to_have_attribute("aria-pressed", "true")
    finger.tap("[data-lay]")
    expect(page.locator(f"{piece(last)}.lying")).to_be_visible()
    assert table.lying(last) and table.where(last) == "D5"
    finger.tap("[data-lay]")
    expect(page.locator(f"{piece(last)}.lying")).to_have_count(0)
    assert not table.lying(last)
    finger.tap("[data-post='back']")
    expect(page.locator(f"{piece(last)}.lying")).to_be_visible()
    finger.tap("[data-post='back']")
    expect(page.locator(f"{piece(last)}.lying")).to_have_count(0)
    finger.tap("[data-post='back']")
    stands(page, last, HAND)

    # A camel of the player's own, a palm and a palace of the supply.
    for spot, name in ((before("pink"), "camel pink"), (SUPPLY, "palm"), (SUPPLY, "palace")):
        shown = page.locator(f"[data-spot='{spot}'] [data-piece='{name}']")
        tag = str(shown.get_attribute("data-tag"))
        finger.put(f"[data-spot='{spot}'] {piece(tag)}", "B2")
        stands(page, tag, "B2")
        assert table.where(tag) == "B2" and str(table.piece(tag)) == name

    # Into the bag and, drawn unseen, out of it again: the only one inside.
    finger.put(piece(meeples[0]), BAG)
    stands(page, meeples[0], BAG)
    finger.tap("[data-post='draw']")
    stands(page, meeples[0], HAND)
    assert table.at(BAG) == []


def test_a_drag_that_ends_nowhere_moves_nothing(page: Page, house: House) -> None:
    table, finger = house.table, Fingers(page)
    version, tag = table.version, table.at("B3", "meeple")[0]
    finger.drag(piece(tag), finger.middle("h1"))
    finger.drag(piece(tag), finger.corner("E4"), end="touchCancel")
    expect(page.locator(".dragged")).to_have_count(0)
    # The next gesture is the first that the table hears of, and what was dragged can be dragged again.
    finger.put(piece(tag), "E4")
    stands(page, tag, "E4")
    assert table.version == version + 1


def test_a_picked_piece_is_put_down_where_the_finger_meets_another(page: Page, house: House) -> None:
    table, finger = house.table, Fingers(page)
    mine, there = table.at("B3", "meeple")[0], table.at("E4", "meeple")[1]
    finger.tap(piece(mine))
    expect(page.locator(piece(mine))).to_have_attribute("aria-pressed", "true")
    finger.tap(piece(there))
    stands(page, mine, "E4")
    assert table.where(there) == "E4" and page.locator("[aria-pressed='true']").count() == 0
    # On its own tile a tap picks another one, and on itself lets it go.
    finger.tap(piece(mine))
    finger.tap(piece(there))
    expect(page.locator(piece(there))).to_have_attribute("aria-pressed", "true")
    finger.tap(piece(there))
    expect(page.locator("[aria-pressed='true']")).to_have_count(0)


def test_escape_lets_go(page: Page, house: House) -> None:
    table, finger = house.table, Fingers(page)
    version, tag = table.version, table.at("B3", "meeple")[0]
    finger.tap(piece(tag))
    expect(page.locator(piece(tag))).to_have_attribute("aria-pressed", "true")
    page.keyboard.press("Escape")
    expect(page.locator("[aria-pressed='true']")).to_have_count(0)
    # In the middle of a drag, too.
    page.mouse.move(*finger.middle(piece(tag)))
    page.mouse.down()
    page.mouse.move(*finger.corner("E4"), steps=4)
    expect(page.locator(".dragged")).to_have_count(1)
    page.keyboard.press("Escape")
    expect(page.locator(".dragged")).to_have_count(0)
    page.mouse.up()
    finger.put(piece(tag), "C4")
    stands(page, tag, "C4")
    assert table.version == version + 1, "only the last drop has reached the table"


@pytest.mark.parametrize(("players", "camels"), [(("Ann", "Bob"), 11), (("Ann", "Bob", "Cem"), 8)])
def test_each_player_has_the_camels_of_such_a_game(
    page: Page, house: House, players: tuple[str, ...], camels: int
) -> None:
    """rules.md: eleven each for two players, eight each for three and four."""
    evening.begin(house.link, house.session, players)
    for colour in [seat.colour for seat in house.session.snapshot.seats]:
        heap = page.locator(f"[data-spot='before {colour}'] .virtual-piece")
        expect(heap.locator(".many")).to_have_text(str(camels))


def test_every_gesture_by_keys(page: Page, house: House) -> None:
    """Reached by Tab, done without any pointer."""
    table, key = house.table, page.keyboard
    while page.evaluate("document.activeElement.dataset.spot || ''") != "A1":
        key.press("Tab")
    letters = [table.piece(tag).which for tag in table.at("A1", "meeple")]
    key.press("l")
    expect(page.locator("[data-spot='hand'] [data-tag]")).to_have_count(3)
    for letter, step, tile in zip(
        letters, ("ArrowDown", "ArrowRight", "ArrowUp"), ("A2", "B2", "B1"), strict=True
    ):
        count = len(table.at(tile, "meeple", letter))
        key.press(step)
        key.press(letter.lower())
        expect(page.locator("#virtual-picked")).to_have_text(NAMES[letter])
        key.press("Enter")
        there = page.locator(f"[data-spot='{tile}'] [data-piece='meeple {letter}']")
        expect(there).to_have_count(count + 1)
        assert len(table.at(tile, "meeple", letter)) == count + 1
    assert table.at(HAND) == []

    # On B1: take up one that stands there, lay it down, stand it up, put it away into the bag, draw it, take that back.
    letter = letters[-1]
    key.press(f"Shift+{letter}")
    tag = page.locator("[data-spot='B1'] [aria-pressed='true']").get_attribute("data-tag")
    assert tag and table.where(tag) == "B1"
    key.press("d")
    expect(page.locator(f"{piece(tag)}.lying")).to_be_visible()
    key.press("d")
    expect(page.locator(f"{piece(tag)}.lying")).to_have_count(0)
    key.press("Backspace")
    stands(page, tag, BAG)
    key.press("t")
    stands(page, tag, HAND)
    key.press("z")
    stands(page, tag, BAG)
    assert table.where(tag) == BAG

    # A camel, a palm, a palace onto B1, and the palm away again.
    for pressed, name, said in (
        ("1", "camel pink", "a camel (Pink)"),
        ("p", "palm", "a palm tree"),
        ("h", "palace", "a palace"),
    ):
        key.press(pressed)
        expect(page.locator("#virtual-picked")).to_have_text(said)
        key.press("Enter")
        expect(page.locator(f"[data-spot='B1'] [data-piece='{name}']")).to_be_visible()
    key.press("Shift+P")
    key.press("Backspace")
    expect(page.locator("[data-spot='B1'] [data-piece='palm']")).to_have_count(0)
    kinds = sorted(table.piece(tag).kind for tag in table.at("B1") if table.piece(tag).kind != "meeple")
    assert kinds == ["camel", "palace", "tile"]
