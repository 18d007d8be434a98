"""All 22 djinns from a phone: each is summoned, and each that is paid for is called, with dealt and with own cards.

Which djinns are called, and when, is written down here from the card list of the rulebook, not asked of the rules.
"""

from __future__ import annotations

import random
import time
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import pytest
from naqala.dashboard import Settings, create_app
from naqala.journal import Journal
from naqala.link import Health
from naqala.rules.model import Player
from naqala.session.commands import Resume
from naqala.session.session import Session
from playwright.sync_api import Page

from tests.conftest import PATIENCE_MS
from tests.dashboard.conftest import take_seat
from tests.dashboard.stand import serving

NewPage = Callable[..., Page]
NEVER_CALLED = (
    "Al-Amin",
    "Ba'al",
    "Boaz",
    "Haurvatat",
    "Jafaar",
    "Kandicha",
    "Marid",
    "Monkir",
    "Nekir",
    "Shamhat",
)
# When each of the others can be called: the turn, beside the player.
END = {"phase": "end", "tile": "D3"}
CALLED: dict[str, dict[str, Any]] = {
    "Anun-Nak": END,
    "Bouraq": END,
    "Echidna": {"phase": "build", "tile": "D3", "collected": "BB"},
    "Enki": END,
    "Hagis": {"phase": "tile", "tile": "C3"},
    "Iblis": {"phase": "kill", "tile": "D3", "collected": "RR"},
    "Lamia": {"phase": "tile", "tile": "B3"},
    "Leta": END,
    "Sibittis": END,
    "Sloar": END,
    "Utug": END,
}
TILES = {
    "B3": {"meeples": "G", "type": "oasis", "points": 8},
    "C3": {"meeples": "WW", "type": "village", "points": 5},
    "D3": {"meeples": "GG", "type": "sacred_place", "points": 6},
    "E3": {"meeples": "", "type": "small_market", "points": 6},
}


class NoLink:
    """A link on which nothing is ever heard."""

    def start(self, inbox: Any) -> None: ...
    def send(self, message: object) -> bool:
        return False

    def publish(self, snapshot: Mapping[str, Any]) -> None: ...
    def stop(self) -> None: ...
    def health(self) -> Health:
        return Health("serial", False, "")


def position(turn: dict[str, Any], djinns: tuple[str, ...] = (), row: tuple[str, ...] = ()) -> dict[str, Any]:
    players = [
        {"name": "Ann", "djinns": list(djinns), "fakirs": 3, "elders": 3},
        {"name": "Bob", "elders": 2},
    ]
    return {
        "tiles": TILES,
        "players": players,
        "turn": {"player": "Ann"} | turn,
        "bag": "YYGGR",
        "djinn_row": list(row),
    }


@contextmanager
def tables(
    folder: Path, standing: dict[str, dict[str, Any]], cards: str
) -> Iterator[tuple[dict[str, Session], str]]:
    """A table for each of these positions, all in one house."""
    journal = Journal.open(str(folder / "journal.sqlite"))
    sessions = {}
    for name, where in standing.items():
        journal.new_game(name, where | {"companion": {"cards": cards}})
        sessions[name] = Session(name, journal, NoLink(), {}, {}, random.Random(5))
        sessions[name].start()
        assert sessions[name].tell(Resume("owner")).accepted
    with serving(create_app(sessions, Settings(folder / "home", journal=journal))) as address:
        yield sessions, address
    for session in sessions.values():
        session.stop()
    journal.close()


def word(djinn: str) -> str:
    """A table's name for a djinn: letters alone."""
    return "".join(letter for letter in djinn.lower() if letter.isalpha())


def call(page: Page, djinn: str) -> None:
    """Press the djinn's first button, with what it asks as it stands there: what is preset can be true."""
    page.locator("#group-power summary").click()
    spots = page.locator("#group-power a.spot, #group-power button.spot")
    if spots.count():  # on the board picture: its first tile, and there the first way to pay
        spots.first.click()
        if page.locator("#group-power a.spot").count():
            page.locator("#group-power .at-tile:visible button.choice").first.click()
    else:
        page.locator("#group-power button.choice").filter(has_text=djinn).first.click()


def heard(page: Page, session: Session, done: Callable[[Player], Any]) -> None:
    """Wait until the tap is in the record; a refusal on the phone fails at once."""
    end = time.monotonic() + PATIENCE_MS / 1000
    while not done(session.snapshot.game.player("Ann")):
        assert not page.locator("#toast").is_visible(), page.locator("#toast").inner_text()
        assert time.monotonic() < end
        session.wait(session.snapshot.version, 0.2)


@pytest.mark.parametrize("cards", ["dealt", "physical"])
def test_every_djinn_that_is_paid_for_is_called(tmp_path: Path, new_page: NewPage, cards: str) -> None:
    standing = {word(djinn): position(turn, (djinn,)) for djinn, turn in CALLED.items()}
    page = new_page("phone")
    with tables(tmp_path, standing, cards) as (sessions, address):
        for djinn in CALLED:
            session = sessions[word(djinn)]
            take_seat(page, address, "Ann", word(djinn))
            call(page, djinn)
            if djinn == "Sibittis" and cards == "dealt":
                page.get_by_text("Keep one of these djinns").wait_for()
                page.locator("h2:has-text('Keep one') ~ button.choice").first.click()
            heard(page, session, lambda ann, djinn=djinn: djinn in ann.used)
            log = session.snapshot.log[-1]
            assert (log.by, log.action.djinn) == ("Ann", djinn)


def test_kumarbi_is_called_in_the_bidding(tmp_path: Path, new_page: NewPage) -> None:
    """The one that is called in the bidding: a fakir for a dearer spot."""
    bidding = position({"phase": "bid"}, ("Kumarbi",)) | {"bid_order": ["Ann", "Bob", "Ann", "Bob"]}
    page = new_page("phone")
    with tables(tmp_path, {"kumarbi": bidding}, "dealt") as (sessions, address):
        take_seat(page, address, "Ann", "kumarbi")
        page.locator(".bids-grid button").filter(has_text="fakir").first.click()
        heard(page, sessions["kumarbi"], lambda ann: ann.used)
        assert sessions["kumarbi"].snapshot.game.player("Ann").fakirs < 3


def test_every_djinn_is_summoned(tmp_path: Path, new_page: NewPage) -> None:
    every = (*NEVER_CALLED, *CALLED, "Kumarbi")
    assert len(every) == 22
    summoning = {"phase": "tile", "tile": "D3"}
    standing = {word(djinn): position(summoning, row=(djinn,)) for djinn in every}
    page = new_page("phone")
    with tables(tmp_path, standing, "dealt") as (sessions, address):
        for djinn in every:
            session = sessions[word(djinn)]
            take_seat(page, address, "Ann", word(djinn))
            page.locator("#seat-choices button.choice").filter(has_text=djinn).first.click()
            heard(page, session, lambda ann, djinn=djinn: djinn in ann.djinns)
