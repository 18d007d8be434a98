"""A viewer of another language reads no English: not in the live set-up check, not at a flag, not when all has stopped."""

from __future__ import annotations

import re
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from naqala.dashboard import Settings, create_app
from naqala.dashboard.keys import load_keys
from naqala.session import commands as c
from naqala.session.session import Session
from naqala.table.readings import Wrong
from playwright.sync_api import Page, expect

from tests.dashboard.catalogues import TRANSLATED, sentences
from tests.dashboard.conftest import take_seat
from tests.dashboard.stand import serving
from tests.session.conftest import Table, bid_all, table, tap, until

__all__ = ("table",)  # the fixture
# Words that no French, Dutch or Russian sentence of ours has.
ENGLISH = re.compile(
    r"\b(the|are|not|and|this|has|have|with|seen|missing|stands?|reader|tiles?|from|take|put)\b",
    re.IGNORECASE,
)
PARTS = re.compile(r"%\(\w+\)s")
ROUND_UP = {
    "fr": ("2 meeples manquent en C3", "Vu : "),
    "nl": ("2 meeples ontbreken op C3", "Gezien: "),
    "ru": ("На C3 не хватает 2 миплов", "Видно: "),  # noqa: RUF001
}


def english_in(text: str) -> list[str]:
    """English words, and whole sentences of ours that were left as they are."""
    found = [match[0] for match in ENGLISH.finditer(text)]
    for sentence in sentences():
        for one in [sentence] if isinstance(sentence, str) else sentence:
            pieces = [piece.strip() for piece in PARTS.split(one) if len(piece.split()) > 3]
            found += [piece for piece in pieces if piece in text]
    return found


def test_the_search_finds_english() -> None:
    assert english_in("The reader under D4 reports a fault (busy).")
    assert english_in("Ann: No game is running at this table.")
    assert not english_in("Ann, Bob : 2 meeples manquent en C3. A1, D4.")


@pytest.mark.parametrize("language", TRANSLATED)
def test_set_up_flag_and_stop_in_ones_own_language(
    language: str,
    table: Table,
    tmp_path: Path,
    new_page: Callable[..., Page],
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    session = table.open()
    until(session, lambda shown: bool(shown.sight) and len(shown.sight.on) == 30)
    wanted = c.NewGame("owner", table.players, ("pink", "blue"), language=language)
    assert session.tell(wanted).accepted
    app = create_app({"oak": session}, Settings(tmp_path / "home", journal=table.journal))
    with serving(app) as address:
        owner, screen, phone = new_page("tablet"), new_page("tv"), new_page("phone")
        owner.goto(f"{address}/owner?token={load_keys(tmp_path / 'home').owner}")
        owner.goto(f"{address}/t/oak/setup")
        screen.goto(f"{address}/t/oak/")
        _in_disorder(table)
        for said in ROUND_UP[language]:
            expect(owner.locator("#setup-check")).to_contain_text(said)
            expect(screen.locator("#now")).to_contain_text(ROUND_UP[language][0])
        expect(owner.locator("#setup-check .problems li")).to_have_count(5)
        for page in (owner, screen):
            assert english_in(_seen(page)) == []
        _in_order(table)
        until(session, lambda shown: shown.problems == ())
        assert session.tell(c.Begin("owner", session.snapshot.step)).accepted
        bid_all(session)
        take_seat(phone, address, session.snapshot.game.turn.player)
        table.lift("C3")
        table.drop("D5", table.tags[table.aside["hand"][0]].which)
        until(session, lambda shown: isinstance(shown.reading, Wrong))
        for page in (screen, phone):
            expect(page.locator(".flag .remedy")).not_to_be_empty()
            assert english_in(_seen(page)) == []
        _stop(session, monkeypatch)
        for page in (screen, phone):
            expect(page.locator(".flag").first).not_to_contain_text("D5")
            assert english_in(_seen(page)) == []


def _seen(page: Page) -> str:
    """What stands on the page and what a screen reader says; the rule's id in small print is a name, no sentence."""
    text: Any = page.evaluate(
        """() => [document.body.innerText,
            ...[...document.querySelectorAll('[aria-label]')].map(one => one.getAttribute('aria-label'))].join('\\n')"""
    )
    return re.sub(r"\b\w+_\w+\b", "", str(text))


def _in_disorder(table: Table) -> None:
    """A little of everything: two missing, one too many, a stranger, a camel too early."""
    for _ in range(2):
        tag = next(tag for tag in table.on["C3"] if table.tags[tag].kind == "meeple")
        table.on["C3"].remove(tag)
        table.aside.setdefault("hand", []).append(tag)
    table.on["D4"].append(table.aside["hand"].pop())
    table.on["A1"].append("e004ffff00000001")
    table.on["B2"].append(table.aside["camel Ann"][-1])
    for tile in ("A1", "B2", "C3", "D4"):
        table.show(tile)


def _in_order(table: Table) -> None:
    for tile in ("A1", "B2", "D4"):
        table.aside["hand"].append(table.on[tile].pop())
        table.show(tile)
    meeples = [tag for tag in table.aside["hand"] if tag in table.tags and table.tags[tag].kind == "meeple"]
    table.on["C3"] += meeples
    table.aside["hand"].clear()
    table.show("C3")


def _stop(session: Session, monkeypatch: pytest.MonkeyPatch) -> None:
    """Something nobody expected: the session stops and says so."""

    def broken(session: Session, step: int | None = None) -> None:
        raise RuntimeError("nobody expected this")

    monkeypatch.setattr(type(session), "in_play", broken)
    name = session.snapshot.game.turn.player
    assert tap(session, name, do="pass", player=name).why == "stopped"
