"""The table speaks: turn, flag, question and the end of the game by the browser's own voice, opt-in, never a secret.

Headless Chromium has no voices, so the voice is replaced by one that writes down what it is told to say.
"""

from __future__ import annotations

import re
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path

import pytest
from naqala.rules.scoring import score, winners
from playwright.sync_api import Page, expect

from tests.dashboard.conftest import take_seat
from tests.dashboard.screenshots import RECORD, UNCLEAR, WRONG, Studio, at, crowded, state
from tests.dashboard.stand import serving

NewPage = Callable[..., Page]
VOICE = """() => {
  window.said = [];
  const voices = ["en-GB", "fr-FR", "nl-NL", "ru-RU"].map((lang) => ({ lang, localService: true, name: lang }));
  Object.defineProperty(window, "speechSynthesis", { value: {
    getVoices: () => voices, cancel() {}, addEventListener() {},
    speak(words) { window.said.push({ text: words.text, lang: words.voice?.lang, volume: words.volume }); },
  } });
  window.SpeechSynthesisUtterance = class { constructor(text) { this.text = text; } };
}"""
LAST = len(RECORD.steps)


@pytest.fixture
def studio(tmp_path: Path):  # type: ignore[no-untyped-def]
    made = Studio(tmp_path)
    with serving(made.app) as address:
        yield made, address
    made.journal.close()


def said(page: Page) -> list[str]:
    return [one["text"] for one in page.evaluate("said")]


def heard(page: Page, words: str) -> None:
    page.wait_for_function("words => said.some((one) => one.text.includes(words))", arg=words)


def speak(page: Page) -> None:
    """Turn it on as a person does."""
    if page.locator("#menu").count():
        page.locator("#menu summary").click()
    page.get_by_label("Speak").check()


def test_it_is_silent_until_somebody_wants_it(studio: tuple[Studio, str], new_page: NewPage) -> None:
    made, address = studio
    page = new_page()
    page.add_init_script(f"({VOICE})()")
    made.stand.show(**at("bid"))
    page.goto(f"{address}/t/oak/")
    made.stand.show(**crowded() | {"reading": WRONG})
    expect(page.locator(".flag")).to_be_visible()
    assert said(page) == []
    speak(page)
    heard(page, "That meeple went straight back. Take the builder off D4.")


def test_turn_flag_and_question_are_said_once_each(studio: tuple[Studio, str], new_page: NewPage) -> None:
    made, address = studio
    page = new_page()
    page.add_init_script(f"({VOICE})()")
    made.stand.show(**at("sow"))
    page.goto(f"{address}/t/oak/")
    speak(page)
    name = made.stand.snapshot.game.turn.player
    heard(page, name)
    made.stand.show(**crowded() | {"reading": WRONG})
    heard(page, "straight back")
    made.stand.show(readers=())  # something else has changed: nothing new is to be said
    made.stand.show(**crowded() | {"reading": UNCLEAR})
    heard(page, "Which move was it?")
    assert sum("straight back" in one for one in said(page)) == 1
    page.reload()  # it is remembered
    expect(page.get_by_label("Speak")).to_be_checked()


def test_it_is_repeated_and_made_quieter(studio: tuple[Studio, str], new_page: NewPage) -> None:
    made, address = studio
    page = new_page()
    page.add_init_script(f"({VOICE})()")
    made.stand.show(**crowded() | {"reading": WRONG})
    page.goto(f"{address}/t/oak/")
    speak(page)
    heard(page, "straight back")
    page.get_by_label("Volume").fill("0.3")
    page.get_by_role("button", name="Say it again").click()
    page.wait_for_function("said.length >= 2")
    assert page.evaluate("said.at(-1).volume") == 0.3


@pytest.mark.parametrize(
    ("language", "words"),
    [("fr", "arrière"), ("nl", "rechtstreeks|meteen|terug"), ("ru", "назад|обратно")],
)
def test_it_speaks_the_viewer_s_language(
    studio: tuple[Studio, str], new_page: NewPage, language: str, words: str
) -> None:
    made, address = studio
    page = new_page()
    page.add_init_script(f"({VOICE})(); localStorage.setItem('naqala-speak', 'yes')")
    made.stand.show(**crowded() | {"reading": WRONG, "language": language})
    page.goto(f"{address}/t/oak/")
    page.wait_for_function("said.length > 0")
    one = page.evaluate("said[0]")
    assert re.search(words, one["text"]) and one["lang"].startswith(language)


def test_a_phone_says_its_own_turn_and_no_secret(studio: tuple[Studio, str], new_page: NewPage) -> None:
    """Two worlds that differ in gold and goods alone sound alike, on the phone and on the screen."""
    made, address = studio
    shown = at("end")
    name = shown["game"].turn.player
    heard_in: list[list[list[str]]] = []
    for gold, goods in ((17, ("fish",)), (93, ("ivory", "ivory", "silk"))):
        players = tuple(replace(one, gold=gold, goods=goods) for one in shown["game"].players)
        made.stand.show(**shown | {"game": replace(shown["game"], players=players)})
        phone, screen = new_page("phone"), new_page()
        for page in (phone, screen):
            page.add_init_script(f"({VOICE})(); localStorage.setItem('naqala-speak', 'yes')")
        made.app.extensions["naqala-seats"].free("oak", name)
        take_seat(phone, address, name)
        screen.goto(f"{address}/t/oak/")
        for page in (phone, screen):
            page.wait_for_function("said.length > 0")
        heard_in.append([said(phone), said(screen)])
    assert heard_in[0] == heard_in[1]
    assert heard_in[0][0][0].startswith("Your turn")


def test_the_winner_is_said_when_the_last_row_is_open(studio: tuple[Studio, str], new_page: NewPage) -> None:
    made, address = studio
    made.stand.show(**state(RECORD, LAST))
    page = new_page()
    page.add_init_script(f"({VOICE})(); localStorage.setItem('naqala-speak', 'yes')")
    page.goto(f"{address}/t/oak/end")
    assert not any(char.isdigit() for char in "".join(said(page))), "no points before the rows are open"
    page.get_by_role("button", name="Show all of them here").click()
    results = score(RECORD.game)
    best = max(one.total for one in results)
    heard(page, f"{' and '.join(winners(results))}: {best} points")
