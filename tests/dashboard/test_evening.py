"""A whole evening: from the wizard to the score sheet on one screen and two phones, while hands move the meeples.

Everything is real: the session on its serial link, the journal, the server, the browser. What a player does with a
phone is a click on a button of the page; what hands do is a change of tags on the readers.
"""

from __future__ import annotations

import json
from collections import Counter
from collections.abc import Callable
from pathlib import Path

import pytest
from naqala.dashboard import Settings, create_app
from naqala.dashboard.keys import load_keys
from naqala.rules import paths
from naqala.rules.model import Game
from naqala.rules.scoring import score
from naqala.rules.sowing import Sowing
from naqala.rules.tiles import asked_for
from naqala.session.session import Session
from playwright.sync_api import Page, expect

from tests.dashboard.conftest import take_seat
from tests.dashboard.stand import serving
from tests.session.conftest import Table, table, until

__all__ = ("table",)  # the fixture
NAMES = ("Ann", "Bob")


def a_conquest(game: Game) -> Sowing:
    """A legal sowing, one that wins a tile if there is one: so the camels run out and the evening ends."""
    best = None
    for sowing in paths.sowings(game.meeples):
        end, colour = sowing.drops[-1]
        there = Counter(game.tile(end).meeples if end != sowing.start else "")
        there.update(letter for tile, letter in sowing.drops if tile == end)
        best = best or sowing
        if set(there) == {colour} and game.tile(end).camel is None:
            return sowing
    assert best is not None
    return best


class Evening:
    """Two players with phones, hands at the table."""

    def __init__(self, table: Table, session: Session, phones: dict[str, Page]) -> None:
        self.table, self.session, self.phones = table, session, phones

    @property
    def game(self) -> Game:
        game = self.session.snapshot.game
        assert isinstance(game, Game)
        return game

    def tap(self, *wanted: str) -> None:
        """Press the first button of the acting phone that does one of these, in the order given."""
        step = self.session.snapshot.step
        phone = self.phones[str(self.game.turn.player)]
        expect(phone.locator('input[name="step"]')).to_have_value(str(step))
        found = [
            json.loads(value)
            for value in phone.locator('button[name="action"]').evaluate_all(
                "all => all.map(one => one.value)"
            )
        ]
        value = next(one for do in wanted for one in found if one["do"] == do)
        phone.locator(
            f"button[name=action][value={json.dumps(json.dumps(value, separators=(',', ':')))}]"
        ).evaluate(
            "one => { for (let up = one.closest('details'); up; up = up.parentElement.closest('details')) up.open = true; one.click(); }"
        )
        until(self.session, lambda shown: shown.step > step)

    def catch_up(self, before: Game) -> None:
        """Put on the table what the record owes it: camels won, meeples struck."""
        for name, old, new in zip(paths.TILES, before.tiles, self.game.tiles, strict=True):
            if new.camel and not old.camel:
                self.table.place(f"camel {new.camel}", name)
            for letter in (Counter(old.meeples) - Counter(new.meeples)).elements():
                tag = next(tag for tag in self.table.on[name] if self.table.tags[tag].which == letter)
                self.table.on[name].remove(tag)
                self.table.show(name)

    def sow(self) -> None:
        """A move by hand; the companion writes it down by itself."""
        before, step = self.game, self.session.snapshot.step
        sowing = a_conquest(before)
        self.table.sow(sowing.start, sowing.drops)
        until(self.session, lambda shown: shown.step > step)
        end = sowing.drops[-1][0]
        if self.game.tile(end).camel and not before.tile(end).camel:
            self.table.place(f"camel {self.game.tile(end).camel}", end)

    def go_on(self) -> None:
        """The next thing somebody does. Cards are turned up by the companion."""
        until(self.session, lambda shown: shown.game.turn.phase != "reveal")
        phase, before, step = self.game.turn.phase, self.game, self.session.snapshot.step
        if phase == "sow":
            self.sow()
        elif phase == "kill":
            self.tap("kill")
            self.catch_up(before)
        elif phase == "tile" and asked_for(self.game):
            self.table.place(str(asked_for(self.game)), str(self.game.turn.tile))
            until(self.session, lambda shown: shown.step > step)
        else:
            self.tap("bid", "build", "pass", "buy", "summon", "sell", "end")


@pytest.mark.long
def test_from_the_wizard_to_the_score_sheet(
    table: Table, tmp_path: Path, new_page: Callable[..., Page]
) -> None:
    session = table.open()
    app = create_app({"oak": session}, Settings(tmp_path / "home", journal=table.journal))
    with serving(app) as address:
        screen = new_page("tv")
        screen.goto(f"{address}/owner?token={load_keys(tmp_path / 'home').owner}")
        screen.goto(f"{address}/t/oak/setup")
        until(session, lambda shown: bool(shown.sight) and len(shown.sight.on) == 30)
        for seat, name in enumerate(NAMES, 1):
            screen.get_by_label(f"Player {seat}", exact=True).fill(name)
        screen.get_by_role("button", name="Set this game up").click()
        expect(screen.locator("#setup-check")).to_contain_text("Everything is in its place.")
        screen.get_by_role("button", name="Begin the game").click()
        screen.wait_for_url("**/t/oak/")
        phones = {name: new_page("phone") for name in NAMES}
        for name, phone in phones.items():
            take_seat(phone, address, name)
        evening = Evening(table, session, phones)
        for _ in range(600):
            if evening.game.turn.phase == "over":
                break
            evening.go_on()
        until(session, lambda shown: shown.stage == "over")
        for phone in phones.values():
            phone.wait_for_url("**/end")
        screen.goto(f"{address}/t/oak/end")
        screen.locator("[data-show-all]").click()
        totals = [str(one.total) for one in score(evening.game)]
        assert screen.locator(".sheet-table .total td").all_text_contents() == totals
        screen.get_by_role("link", name="History").click()
        expect(screen.locator("main")).to_contain_text(f"{NAMES[0]} {totals[0]}")
        screen.get_by_role("link", name="Replay").click()
        steps = sum(
            line.kind == "action" for line in session.snapshot.log
        )  # seats taken are lines of the log, too
        expect(screen.locator("#replay-line")).to_contain_text(f"0 / {steps}")
