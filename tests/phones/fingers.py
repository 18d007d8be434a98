"""Fingers on real browsers, at a table without readers: every tap is counted, nothing is told in any other way.

`Fingers` makes the actions of a game happen as people would, on the phone of the player who acts. What the game is by now is
told from the journal on disk; what was dealt on the real table (layout, cards) is the test's own knowledge.
"""

from __future__ import annotations

import json
from collections import Counter
from collections.abc import Mapping
from dataclasses import dataclass, field
from random import Random
from typing import Any

from naqala.journal import Journal
from naqala.rules import actions as a
from naqala.rules import notation
from naqala.rules.board import TILES
from naqala.rules.model import Game
from naqala.rules.opening import BOX_MEEPLES, BOX_TILES
from naqala.session.chronicle import retold
from playwright.sync_api import Locator, Page, expect

READERS = (
    "reader",
    "Reader",
    "tag nobody",
    "offline",
    "Still to be",
    "table is right",
    "allowed anyway",
    "Check of the table",
)


@dataclass
class Board:
    """A board as people have laid it out."""

    tiles: dict[str, str]  # "village_5" by place
    meeples: dict[str, str]

    @classmethod
    def dealt(cls, dice: Random) -> Board:
        tiles, bag = list(BOX_TILES), list(BOX_MEEPLES)
        dice.shuffle(tiles)
        dice.shuffle(bag)
        return cls(
            {place: f"{kind}_{points}" for place, (kind, points) in zip(TILES, tiles, strict=True)},
            {place: "".join(bag[3 * at : 3 * at + 3]) for at, place in enumerate(TILES)},
        )


@dataclass
class Fingers:
    """The phones by player, and a count of taps."""

    phones: Mapping[str, Page]
    journal: Journal
    table: str = "board"
    dice: Random = field(default_factory=lambda: Random(4))
    together: bool = False  # one device for all: it turns to who acts by itself
    dealt: bool = False  # the companion turns up the cards
    taps: int = 0
    per_turn: list[int] = field(default_factory=list)
    _turn_began: int = 0

    # --- looking ----------------------------------------------------------------------------------------------

    @property
    def game(self) -> Game:
        kept = self.journal.games(self.table)[-1]
        return retold(kept.opening, self.journal.entries(kept.id)).game

    @property
    def step(self) -> int:
        kept = self.journal.games(self.table)[-1]
        return kept.entries + 1

    def phone(self, name: str | None) -> Page:
        return self.phones[name] if name else next(iter(self.phones.values()))

    def tap(self, what: Locator) -> None:
        what.click()
        self.taps += 1

    def no_word_of_readers(self) -> None:
        """Nothing on any page speaks of readers, flags or pieces that were not seen to move."""
        for page in {id(one): one for one in self.phones.values()}.values():
            said = page.locator("body").inner_text()
            assert not [word for word in READERS if word in said], said
            assert page.locator("#health i, #health .unseen").count() == 0
            assert page.locator(".now .due").count() == 0

    # --- the layout -------------------------------------------------------------------------------------------

    def paint(self, board: Board, pages: list[Page]) -> None:
        """Paint everything: each page takes its rows, all leave the kind of which there are most to the companion."""
        rows = {row: pages[at % len(pages)] for at, row in enumerate("12345")}
        kinds = [kind for kind, _ in Counter(board.tiles.values()).most_common()][1:]
        for page in pages:
            for kind in kinds:
                places = [t for t in TILES if board.tiles[t] == kind and rows[t[1]] is page]
                self._brush(page, f"tile {kind}", places)
        tribes = "YGBR"  # elders are the most
        for page in pages:
            for tribe in tribes:
                places = [
                    t for t in TILES if rows[t[1]] is page for _ in range(board.meeples[t].count(tribe))
                ]
                self._brush(page, f"meeple {tribe}", places)

    def _brush(self, page: Page, brush: str, places: list[str]) -> None:
        if not places:
            return
        held = page.locator("input[name=brush]:checked")
        if held.input_value() != brush:
            self.tap(page.locator(f"input[name=brush][value='{brush}']"))
        for place in places:
            before = page.locator(f"#spot-{place}").get_attribute("aria-label")
            self.tap(page.locator(f"#spot-{place}"))
            expect(page.locator(f"#spot-{place}")).not_to_have_attribute("aria-label", str(before))

    # --- a game -----------------------------------------------------------------------------------------------

    def act(self, action: a.Action) -> None:
        """Make an action happen by taps, and wait until it is on disk."""
        step = self.step
        player = getattr(action, "player", None)
        page = self.phone(player)
        if self.together and player:
            expect(page.locator(".seat-top h1")).to_have_text(player)
        expect(page.locator("input[name=step]").first).to_have_value(str(step))
        if isinstance(action, a.Bid):
            self._turn_began = self.taps
        if isinstance(action, a.Sow):
            self._sow(page, action)
        elif isinstance(action, a.Reveal):
            self._turn_up(page, action)
        else:
            self._choose(page, action)
        self._written(page, step)
        if isinstance(action, a.End):
            self.per_turn.append(self.taps - self._turn_began)
            self._turn_began = self.taps

    def _written(self, page: Page, step: int) -> None:
        for _ in range(600):
            if self.step > step:
                return
            page.wait_for_timeout(100)
        raise AssertionError(page.locator("body").inner_text())

    def _sow(self, page: Page, sow: a.Sow) -> None:
        self.tap(page.locator(f"#spot-{sow.start}"))
        expect(page.locator("#seat-teller .in-hand .icon")).to_have_count(len(sow.drops))
        for number, (tile, letter) in enumerate(sow.drops, 1):
            self.tap(page.locator(f"#spot-{tile}"))
            asked = page.locator("#seat-teller .first-colour")
            told = page.locator(f"#spot-{tile} .step text", has_text=str(number))
            expect(asked.first.or_(told.first)).to_be_visible()
            if asked.count():
                self.tap(asked.filter(has=page.locator(f"use[href='#meeple-{letter}']")))
                expect(told.first).to_be_visible()
        expect(page.locator("#seat-teller .outcome").first).to_contain_text(sow.drops[-1][0])
        offered = page.locator("#seat-teller .move-told")
        values = [json.loads(value) for value in offered.evaluate_all("all => all.map(one => one.value)")]
        self.tap(offered.nth(values.index(notation.to_json(sow))))

    def _turn_up(self, page: Page, reveal: a.Reveal) -> None:
        for count, card in enumerate(reveal.row, 1):
            self.tap(page.locator(f"#card-{card}"))
            expect(page.locator(".told-cards li")).to_have_count(count)
        for name in reveal.djinns:
            page.locator("#find-djinn").fill(name[:3].lower())
            self.tap(page.locator(f'#all-djinns [data-name="{name}"]'))
            expect(page.locator(f'#all-djinns [data-name="{name}"]')).to_have_count(0)
        self.tap(page.locator("#seat-cards button.first"))

    def _choose(self, page: Page, action: a.Action) -> None:
        """Press the button of this action; what is folded away, or a tile with several choices, is opened first."""
        wanted = notation.to_json(action)
        buttons = page.locator("button[name=action]")
        values = [json.loads(value) for value in buttons.evaluate_all("all => all.map(one => one.value)")]
        place = next(at for at, value in enumerate(values) if matches(value, wanted))
        button = buttons.nth(place)
        if not button.is_visible():
            fold = button.locator("xpath=ancestor::details[not(@open)]/summary")
            for one in fold.all():
                self.tap(one)
        if not button.is_visible():
            self.tap(page.locator(f"[href='#{button.evaluate('one => one.closest(`.at-tile`).id')}']"))
        for name, value in fills(values[place], wanted).items():
            page.locator(f"[name='{name}']").select_option(value)
            self.taps += 2
        self.tap(button)


def matches(value: dict[str, Any], wanted: dict[str, Any]) -> bool:
    """Whether a button stands for this action: equal, but for what its fields tell or the companion draws."""
    ignored = {"fill", "player", "card", "drawn", "keep", "meeples"}

    def core(one: dict[str, Any]) -> dict[str, Any]:
        kept = {key: item for key, item in one.items() if key not in ignored}
        return kept | ({"cards": sorted(one["cards"])} if "cards" in one else {})

    return core(value) == core(wanted)


def fills(value: dict[str, Any], wanted: dict[str, Any]) -> dict[str, str]:
    """What has to be chosen in the fields of a button."""
    if "fill" not in value:
        return {}
    number, found = value["fill"], {}
    for key in ("card", "drawn", "meeples"):
        for place, item in enumerate(wanted.get(key, ())):
            found[f"fill.{number}.{key}.{place}"] = item
    if wanted.get("keep"):
        found[f"fill.{number}.keep.0"] = wanted["keep"]
    return found
