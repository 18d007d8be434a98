"""Help for all or for none, a signal only for whom it concerns, hands off for those who only look on."""

from __future__ import annotations

import re
from collections.abc import Callable
from pathlib import Path

import pytest
from naqala.dashboard import Settings, create_app
from naqala.dashboard.keys import load_keys
from naqala.rules.paths import open_drops
from naqala.session import commands as c
from naqala.table.readings import Doing, Wrong
from playwright.sync_api import Page, expect

from tests.dashboard.conftest import take_seat
from tests.dashboard.stand import serving
from tests.session.conftest import Table, bid_all, table, until

__all__ = ("table",)  # the fixture
NewPage = Callable[..., Page]
# Counts what a phone would make its owner feel and hear.
LISTEN = """
  const counted = { felt: 0, heard: 0 };
  const count = (what) => { document.documentElement.dataset[what] = counted[what] += 1; };
  navigator.vibrate = () => { count("felt"); return true; };
  const start = OscillatorNode.prototype.start;
  OscillatorNode.prototype.start = function (...when) { count("heard"); return start.apply(this, when); };
"""


def marked(page: Page, mark: str) -> list[str]:
    """Tiles with this mark, by name."""
    ids = page.locator(f"#board .is-{mark}").evaluate_all("all => all.map(one => one.id)")
    return sorted(name.removeprefix("tile-") for name in ids)


def test_tiles_open_to_the_hand_only_when_help_is_on(table: Table, tmp_path: Path, new_page: NewPage) -> None:
    session = table.open()
    table.begin(session)
    bid_all(session)
    app = create_app({"oak": session}, Settings(tmp_path / "home", journal=table.journal))
    with serving(app) as address:
        screen = new_page("tablet")
        screen.goto(f"{address}/t/oak/")
        table.lift("C3")
        until(session, lambda shown: isinstance(shown.reading, Doing))
        expect(screen.locator("#now")).to_contain_text("3 meeples in hand")
        assert marked(screen, "open") == []
        assert session.tell(c.SetHelp("owner", True)).accepted
        wanted = {tile for tile, _ in open_drops(session.snapshot.game.meeples, "C3")}
        expect(screen.locator("#board .is-open")).to_have_count(len(wanted))
        assert marked(screen, "open") == sorted(wanted)
        expect(screen.locator("#now .more")).to_contain_text("Next may be")
        first = table.tags[table.aside["hand"][0]].which
        onto = min(
            tile for tile, letter in open_drops(session.snapshot.game.meeples, "C3") if letter == first
        )
        table.drop(onto, first)
        then = {tile for tile, _ in open_drops(session.snapshot.game.meeples, "C3", ((onto, first),))}
        assert "C3" not in then, "never straight back"
        until(session, lambda shown: isinstance(shown.reading, Doing) and len(shown.reading.path) == 2)
        expect(screen.locator(f"#tile-{min(then)}")).to_have_class(re.compile("is-open"))
        expect(screen.locator("#board .is-open")).to_have_count(len(then))
        assert marked(screen, "open") == sorted(then)
        assert session.tell(c.SetHelp("owner", False)).accepted
        expect(screen.locator("#board .is-open")).to_have_count(0)


def test_only_the_player_concerned_feels_and_hears_a_flag(
    table: Table, tmp_path: Path, new_page: NewPage
) -> None:
    session = table.open()
    table.begin(session)
    bid_all(session)
    app = create_app({"oak": session}, Settings(tmp_path / "home", journal=table.journal))
    acting = session.snapshot.game.turn.player
    other = next(name for name in table.players if name != acting)
    with serving(app) as address:
        pages = {name: new_page("phone") for name in (acting, other)} | {"screen": new_page("tv")}
        for name, page in pages.items():
            page.context.add_init_script(LISTEN)
            if name == "screen":
                page.goto(f"{address}/t/oak/")
            else:
                take_seat(page, address, name)
            page.mouse.click(5, 400)  # a browser lets nobody make a sound before the first touch
        table.lift("C3")
        until(session, lambda shown: isinstance(shown.reading, Doing))
        for turn in (1, 2):
            table.drop("E5", table.tags[table.aside["hand"][0]].which)
            until(session, lambda shown: isinstance(shown.reading, Wrong))
            for page in pages.values():
                expect(page.locator(".flag")).to_have_count(1)
            expect(pages[acting].locator("html")).to_have_attribute("data-felt", str(turn))
            expect(pages[acting].locator("html")).to_have_attribute("data-heard", str(2 * turn))  # two tones
            table.aside["hand"].append(table.on["E5"].pop())
            table.show("E5")
            for page in pages.values():
                expect(page.locator(".flag")).to_have_count(0)
        for name in (other, "screen"):
            assert pages[name].evaluate("({...document.documentElement.dataset})") == {}


@pytest.mark.parametrize("page", ["", "log", "tile/C3", "join", "end", "history"])
def test_who_only_looks_on_finds_no_button_that_changes_the_game(
    table: Table, tmp_path: Path, page: str
) -> None:
    session = table.open()
    table.begin(session)
    bid_all(session)
    table.lift("C3")
    table.drop("E5", table.tags[table.aside["hand"][0]].which)
    until(session, lambda shown: isinstance(shown.reading, Wrong))
    home = tmp_path / "home"
    app = create_app({"oak": session}, Settings(home, journal=table.journal))
    spectator, owner = app.test_client(), app.test_client()
    owner.get(f"/owner?token={load_keys(home).owner}")

    def buttons(text: str) -> list[str]:
        """Addresses that the page's forms and buttons post to, but for language and seats."""
        found = re.findall(r'(?:formaction|action)="([^"]+)"', text) + re.findall(
            r'href="(/t/oak/log/\d+)"', text
        )
        return [address for address in found if not address.endswith(("/prefer", "/sit", "/together"))]

    assert buttons(spectator.get(f"/t/oak/{page}").text) == []
    if page in ("", "log", "tile/C3"):
        assert buttons(owner.get(f"/t/oak/{page}").text), "the search finds what is there"
