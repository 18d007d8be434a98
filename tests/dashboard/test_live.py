"""A page that changes under people's hands: what they opened, typed and scrolled stays; what is no longer true goes."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import replace
from pathlib import Path
from urllib.parse import urlsplit

import pytest
from naqala.dashboard import words
from naqala.dashboard.keys import load_keys
from playwright.sync_api import Page, expect

from tests.dashboard.conftest import take_seat
from tests.dashboard.screenshots import DOING, RECORD, state
from tests.dashboard.stand import Stand, app_for, serving, snapshot_after, step_where

NewPage = Callable[..., Page]
SOWING = step_where(RECORD, "sow")
FRESH = """<section id="trial"><details id="trial-more"><summary>More</summary></details>
  <details id="trial-tour" open><summary>Tour</summary></details>
  <p>news: %s</p><textarea name="long" rows="2"></textarea>
  <input name="half"><select name="pick"><option>a</option><option>b</option></select>
  <input type="radio" name="one" value="x"><input type="radio" name="one" value="y"></section>"""


@pytest.fixture
def stand() -> Stand:
    made = Stand(snapshot_after(RECORD, 0))
    made.show(**state(RECORD, SOWING) | {"help": True})
    return made


@pytest.fixture
def address(stand: Stand, tmp_path: Path) -> Iterator[str]:
    with serving(app_for(tmp_path, stand)) as found:
        yield found


def test_the_phone_keeps_what_was_opened_and_drops_what_is_over(
    stand: Stand, address: str, new_page: NewPage
) -> None:
    phone = new_page("phone")
    take_seat(phone, address, str(stand.snapshot.game.turn.player))
    starts = phone.get_by_text("A legal move can start from")
    expect(starts).to_be_visible()
    sultanate = phone.locator("#small-board")
    sultanate.locator("summary").click()
    expect(sultanate.locator("svg.board")).to_be_visible()
    phone.evaluate("window.kept = document.getElementById('tile-A1')")
    for number, reading in enumerate((DOING, None, DOING), 1):
        stand.show(reading=reading)
        expect(phone.locator("#seat-state")).to_contain_text("in hand" if reading else "Move the meeples")
        expect(sultanate.locator("svg.board")).to_be_visible()
        assert sultanate.locator("summary").evaluate("one => one === document.activeElement"), number
        expect(starts).to_have_count(
            0 if reading else 1
        )  # in the middle of a move nobody asks where it starts
    assert phone.evaluate("window.kept === document.getElementById('tile-A1')"), "what did not change stays"


def test_half_typed_words_focus_and_places_stay(address: str, new_page: NewPage) -> None:
    page = new_page("phone")
    page.goto(f"{address}/t/oak/join")
    page.evaluate(
        "html => document.getElementById('main').insertAdjacentHTML('beforeend', html)", FRESH % "old"
    )
    page.locator("textarea[name=long]").fill("line\n" * 30)
    page.locator("textarea[name=long]").evaluate("one => { one.scrollTop = 40; }")
    page.locator("#trial-more summary").click()
    page.locator("#trial-tour summary").click()  # folded by hand
    page.locator("select[name=pick]").select_option("b")
    page.locator("input[value=y]").check()
    page.locator("input[name=half]").fill("half a word")
    page.locator("input[name=half]").press("ArrowLeft")
    page.evaluate("html => show({ trial: html })", FRESH % "new")
    expect(page.locator("#trial")).to_contain_text("news: new")
    found = page.evaluate(
        """() => { const by = (name) => document.querySelector(`[name=${name}]`); return {
          half: by("half").value, caret: by("half").selectionStart, focus: document.activeElement === by("half"),
          more: document.getElementById("trial-more").open, tour: document.getElementById("trial-tour").open,
          pick: by("pick").value, one: document.querySelector("[name=one]:checked").value,
          lines: by("long").value.length, scrolled: by("long").scrollTop }; }"""
    )
    typed = {"half": "half a word", "caret": 10, "focus": True, "lines": 150, "scrolled": 40}
    assert found == typed | {"more": True, "tour": False, "pick": "b", "one": "y"}


def test_the_screen_tells_djinns_leads_to_the_past_and_to_the_score(
    stand: Stand, address: str, tmp_path: Path, new_page: NewPage
) -> None:
    screen = new_page("tablet")
    screen.goto(f"{address}/owner?token={load_keys(tmp_path).owner}")
    first = stand.snapshot.game.djinn_row[0]
    card = screen.locator(".djinn-row .djinn").first
    expect(card.locator(".told")).to_be_hidden()
    card.locator("summary").click()
    expect(card.locator(".told")).to_have_text(words.DJINN_WORDS[first])
    screen.get_by_text("Menu", exact=True).click()
    expect(screen.get_by_role("link", name="History")).to_be_visible()
    expect(screen.get_by_role("link", name="Seats")).to_be_visible()
    stand.show(reading=DOING)
    expect(screen.locator("#now")).to_contain_text("in hand")
    expect(card.locator(".told")).to_be_visible()

    last = len(RECORD.steps)
    expect(screen.get_by_role("link", name="Score sheet")).to_have_count(0)
    stand.show(**state(RECORD, last))
    screen.keyboard.press("Escape")  # the menu lies over it
    screen.get_by_role("link", name="Score sheet").click()  # it came by itself
    screen.wait_for_url("**/t/oak/end")
    expect(screen.get_by_role("button", name="Show the next row")).to_be_visible()
    holder = next(player for player in RECORD.game.players if player.djinns)
    screen.goto(f"{address}/t/oak/")
    held = screen.locator(".djinns-of").nth(
        [player.name for player in RECORD.game.players if player.djinns].index(holder.name)
    )
    held.locator("summary").click()
    expect(held.locator(".told")).to_contain_text(words.DJINN_WORDS[holder.djinns[0]])


def test_a_page_that_hears_nothing_does_not_say_that_all_is_well(
    stand: Stand, tmp_path: Path, new_page: NewPage
) -> None:
    screen, phone = new_page("tablet"), new_page("phone")
    app = app_for(tmp_path, stand)
    with serving(app) as address:
        screen.goto(f"{address}/t/oak/")
        take_seat(phone, address, "Ann")
        for page in (screen, phone):
            expect(page.locator("#health i")).to_be_visible()
    for page in (screen, phone):
        expect(page.locator("body[data-away]")).to_be_attached()
        expect(page.locator("#health i")).to_be_hidden()
        said = page.locator("#health").evaluate("one => getComputedStyle(one, '::after').content")
        assert said == '"Not connected"'
    with serving(app_for(tmp_path, stand), port=urlsplit(address).port or 0):
        for page in (screen, phone):
            expect(page.locator("body[data-away]")).not_to_be_attached()
            expect(page.locator("#health i")).to_be_visible()


def test_a_wrong_token_says_where_the_right_one_is(address: str, new_page: NewPage) -> None:
    page = new_page("phone")
    answer = page.goto(f"{address}/owner?token=wrong")
    assert answer is not None and answer.status == 403
    expect(page.locator("main")).to_contain_text("Open the address that was printed at the start")


def test_a_phone_of_another_game_is_asked_for_its_name(stand: Stand, address: str, new_page: NewPage) -> None:
    phone, seats = new_page("phone"), stand.snapshot.seats
    take_seat(phone, address, seats[0].name)
    stand.show(seats=(replace(seats[0], name="Zoë"), *seats[1:]))
    phone.wait_for_url("**/join")
    phone.get_by_role("button", name=seats[1].name).click()
    phone.wait_for_url("**/seat")
    expect(phone.get_by_role("button", name=f"I am {seats[0].name}")).to_have_count(0)


def test_sound_is_asked_for_again_when_the_phone_wakes(address: str, new_page: NewPage) -> None:
    """A browser takes a page's sound away while the phone sleeps; the first touch was long ago."""
    page = new_page("phone")
    page.add_init_script(
        """window.AudioContext = class {
          state = "suspended";
          constructor() { window.heard = this; }
          async resume() { this.state = "running"; }
        };"""
    )
    page.goto(f"{address}/t/oak/join")
    page.get_by_role("heading", name="Who are you?").click()
    assert page.evaluate("window.heard.state") == "running"
    page.evaluate("window.heard.state = 'interrupted'; document.dispatchEvent(new Event('visibilitychange'))")
    assert page.evaluate("window.heard.state") == "running"
    page.evaluate("window.heard.state = 'suspended'")
    page.get_by_role("heading", name="Who are you?").click()
    assert page.evaluate("window.heard.state") == "running"
