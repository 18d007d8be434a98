"""A wrong drop on the virtual table, and how long until the flag is on the screen and on a phone: real browsers, real time.

The way is the whole one: tags in simulated air, the firmware's round of the readers, the referee's wait, the stream to the
pages. It is gone several times and the quickest counts: a machine may be busy, and a reader may just have been looked at.
"""

from __future__ import annotations

import time
from collections.abc import Callable

import pytest
from naqala.hands.table import HAND
from naqala.rules.board import NEIGHBOURS, TILES, distance
from naqala.rules.sowing import Sowing
from naqala.table.readings import Doing, Wrong
from playwright.sync_api import Page

from tests.dashboard.conftest import new_page, take_seat
from tests.session.conftest import until
from tests.virtual.conftest import House
from tests.virtual.test_page import harmless

__all__ = ("new_page",)  # the fixture
LIMIT_MS = 1000
TRIES = 40  # the first that is quick enough ends it
WAIT_MS = 60_000
AWAY_S = 1.2  # a hand is away from its tile for longer than a missed read
# When the flag of this rule came to stand on the page; asked for before it does.
FLAGGED = """(rule) => { window.flagged = new Promise((done) => {
  const look = () => {
    if (document.querySelector(`.flag[data-rule~="${rule}"]`)) { seen.disconnect(); done(Date.now()); }
  };
  const seen = new MutationObserver(look);
  seen.observe(document.body, { childList: true, subtree: true });
  setTimeout(() => done(null), 60000);
}); }"""


def in_hand(house: House, count: int) -> None:
    """Wait until the referee knows that so many are in the hand, and no flag stands."""
    until(house.session, lambda shown: isinstance(shown.reading, Doing) and len(shown.reading.hand) == count)


def took(house: House, pages: tuple[Page, ...], rule: str, tag: str, onto: str) -> list[float]:
    """Milliseconds from the drop to the flag, on each page. The piece is taken up again."""
    for page in pages:
        page.locator(".flag").wait_for(state="detached", timeout=WAIT_MS)
        page.evaluate(FLAGGED, rule)
    dropped = time.time() * 1000
    house.table.move([tag], onto)
    came = [page.evaluate("() => window.flagged") for page in pages]
    assert None not in came, f"no flag of {rule}: {house.session.snapshot.reading}"
    found = [at - dropped for at in came]
    reading = house.session.snapshot.reading
    assert isinstance(reading, Wrong) and reading.breaches[0].rule == rule
    house.table.move([tag], HAND)
    return found


@pytest.mark.long
@pytest.mark.parametrize("rule", ("drops_on_neighbours", "no_immediate_backtracking"))
def test_a_wrong_drop_is_on_screen_and_phone_within_a_second(
    house: House, new_page: Callable[..., Page], rule: str
) -> None:
    house.begin()
    address = house.serve()
    screen, phone = new_page("tv"), new_page("phone")
    screen.goto(f"{address}/t/oak/")
    take_seat(phone, address, str(house.session.snapshot.game.turn.player))
    sowing: Sowing = harmless(house)
    (first, letter), start = sowing.drops[0], sowing.start
    hand = house.table.at(start, "meeple")
    house.table.move(hand, HAND)
    in_hand(house, len(hand))
    here, back = start, ""
    if rule == "no_immediate_backtracking":
        house.table.move(house.table.at(HAND, "meeple", letter)[:1], first)
        in_hand(house, len(hand) - 1)
        here, back = first, start
        time.sleep(AWAY_S)
    onto = back or next(tile for tile in TILES if distance(here, tile) == 2 and tile not in NEIGHBOURS[here])
    tag, left = house.table.at(HAND, "meeple")[0], len(house.table.at(HAND, "meeple"))
    best = [float("inf")] * 2
    for _ in range(TRIES):
        best = [min(pair) for pair in zip(best, took(house, (screen, phone), rule, tag, onto), strict=True)]
        if max(best) <= LIMIT_MS:
            break
        in_hand(house, left)
    print(f"\n{rule}: {best[0]:.0f} ms from drop to screen, {best[1]:.0f} ms to the phone")
    assert max(best) <= LIMIT_MS
