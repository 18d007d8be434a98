"""The end in a browser: the sheet revealed row by row, numbers that open into their story, charts, one printed page."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator
from itertools import pairwise
from pathlib import Path

import pytest
from naqala.dashboard.charts import over_rounds
from naqala.dashboard.keys import load_keys
from naqala.rules.record import Record
from naqala.rules.scoring import CATEGORIES, score, story
from playwright.sync_api import Page, expect

from tests.dashboard.conftest import take_seat
from tests.dashboard.screenshots import RECORD, Studio, open_all, state, unveil
from tests.dashboard.stand import Stand, a_game, app_for, serving, snapshot_after

LONG_NAMES = ("Maximiliane-Wilhelmine", "Bartholomäus von Oben", "Ann", "Konstantin Alexander")


def served(tmp_path: Path, record: Record) -> Iterator[str]:
    stand = Stand(snapshot_after(record, 0))
    stand.show(**state(record, len(record.steps)))
    with serving(app_for(tmp_path, stand)) as address:
        yield f"{address}/t/oak/end"


@pytest.fixture
def sheet(tmp_path: Path) -> Iterator[str]:
    yield from served(tmp_path, RECORD)


def test_revealed_row_by_row_to_all_who_look_and_the_winner_last(
    sheet: str, tmp_path: Path, new_page: Callable[..., Page]
) -> None:
    page, phone, hasty = new_page("tablet"), new_page("phone"), new_page("phone")
    page.goto(sheet.replace("/t/oak/end", f"/owner?token={load_keys(tmp_path).owner}"))
    take_seat(phone, sheet.removesuffix("/t/oak/end"), "Ann")
    for one in (page, phone, hasty):
        one.goto(sheet)
    expect(hasty.get_by_role("button", name="Show the next row")).to_have_count(0)  # only looks on
    expect(page.locator("#end-veil p")).to_contain_text("Each tap unveils one row")
    expect(hasty.locator("#end-veil p")).to_contain_text("opens the whole sheet on this screen alone")
    hasty.get_by_role("button", name="Show all of them here").click()
    expect(hasty.locator("tr[data-veiled]:visible")).to_have_count(len(CATEGORIES))
    winner = page.locator(".winner h1")
    for shown in range(len(CATEGORIES)):
        for one in (page, phone):
            expect(one.locator("tr[data-veiled]:visible")).to_have_count(shown)
            expect(one.locator("details.story:visible")).to_have_count(shown)
            expect(one.locator(".winner h1")).to_be_hidden()
            expect(one.locator(".total")).to_be_hidden()
        (page, phone)[shown % 2].get_by_role("button", name="Show the next row").click()
    expect(phone.locator(".winner h1")).to_be_visible()
    order = page.locator("tr[data-veiled]").evaluate_all("all => all.map(one => one.dataset.veiled)")
    assert tuple(order) == CATEGORIES
    best = max(score(RECORD.game), key=lambda one: one.total)
    expect(winner).to_have_text(best.name)
    expect(page.locator(".total td")).to_have_text([str(one.total) for one in score(RECORD.game)])
    for one in (page, hasty):
        one.reload()
        expect(one.locator(".winner h1")).to_be_visible()  # the ceremony is held once


def test_each_number_opens_into_its_story(sheet: str, new_page: Callable[..., Page]) -> None:
    page = new_page("phone")
    page.goto(sheet)
    unveil(page)
    told = tuple(RECORD.told())
    for place, one in enumerate(score(RECORD.game), 1):
        parts = story(RECORD.opening, RECORD.game, told, one.name)
        for category in CATEGORIES:
            row = page.locator(f"tr[data-veiled={category}]")
            row.locator("a[data-story]").nth(place - 1).click()
            there = page.locator(f"#story-{category}-{place}")
            expect(there).to_be_visible()
            expect(there.locator("h3")).to_have_text(f"{one.name}: {getattr(one, category)}")
            points = [int(text) for text in there.locator("li b").all_text_contents()]
            assert points == [part.points for part in parts if part.category == category]
            assert sum(points) == getattr(one, category), "the parts add up to the number"


def test_charts_of_score_gold_and_time(sheet: str, new_page: Callable[..., Page]) -> None:
    page = new_page("tablet")
    page.goto(sheet)
    unveil(page)
    for title, what in (("Score over the rounds", "total"), ("Gold over the rounds", "gold")):
        drawn = page.get_by_role("img", name=re.compile(title))
        expect(drawn.locator("polyline")).to_have_count(3)
        label = drawn.get_attribute("aria-label") or ""
        for name, values in over_rounds(RECORD, what).items():
            assert f"{name} {', '.join(map(str, values))}." in label
    bars = page.get_by_role("img", name=re.compile("Time per player"))
    expect(bars.locator("rect.bar")).to_have_count(3)
    times = re.findall(r"(\w+) (\d+):(\d\d)\.", bars.get_attribute("aria-label") or "")
    lines = snapshot_after(RECORD, len(RECORD.steps)).log
    spent = {name: 60 * int(minutes) + int(seconds) for name, minutes, seconds in times}
    for name in ("Ann", "Bob", "Cleo"):
        own = sum(
            (after.at_ms - before.at_ms) / 1000
            for before, after in pairwise(lines)
            if getattr(after.action, "player", None) == name
        )
        assert spent[name] == int(own)


def test_a_replay_by_slider_and_step_by_step(tmp_path: Path, new_page: Callable[..., Page]) -> None:
    studio = Studio(tmp_path)
    page = new_page("phone")
    with serving(studio.app) as address:
        page.goto(f"{address}/t/oak/history/1")
        line, slider = page.locator("#replay-line"), page.get_by_role("slider")
        last = len(RECORD.steps)
        expect(line).to_contain_text(f"0 / {last}")
        page.get_by_role("button", name="Play").click()
        expect(line).to_contain_text(re.compile(rf"\b([3-9]|\d\d) / {last}"))  # by itself
        page.get_by_role("button", name="Pause").click()
        held = slider.input_value()
        slider.press(" ")  # and on
        expect(line).not_to_contain_text(f"{held} / {last}")
        slider.press(" ")
        expect(page.get_by_role("button", name="Play")).to_be_visible()
        slider.fill(str(last - 1))
        page.get_by_role("button", name="Play").click()  # one step to the end, and it stops there
        expect(line).to_contain_text(f"{last} / {last}")
        expect(page.get_by_role("button", name="Play")).to_be_visible()
        for step in (0, 1, 40):
            slider.fill(str(step))
            expect(line).to_contain_text(f"{step} / {last}")
            gold = [str(player.gold) for player in RECORD.at(step).players]
            expect(page.locator(".gold-of")).to_have_text(gold)
        page.get_by_label("One step on").click()
        expect(line).to_contain_text(f"41 / {last}")
        page.get_by_label("One step back").click()
        page.get_by_label("One step back").click()
        expect(line).to_contain_text(f"39 / {last}")
        expect(slider).to_have_value("39")
        slider.press("ArrowRight")
        expect(line).to_contain_text(f"40 / {last}")
    studio.journal.close()


def pages_of(pdf: bytes) -> int:
    return len(re.findall(rb"/Type\s*/Page\b(?!s)", pdf))


@pytest.mark.parametrize("size", ["A4", "Letter"])
@pytest.mark.parametrize("names", [("Ann", "Bob"), LONG_NAMES], ids=["two", "four with long names"])
def test_it_prints_on_one_page(
    tmp_path: Path, new_page: Callable[..., Page], names: tuple[str, ...], size: str
) -> None:
    for address in served(tmp_path, a_game(names, 2)):
        page = new_page("tablet", color_scheme="dark")
        page.goto(address)
        unveil(page)
        assert pages_of(page.pdf(format=size)) == 1
        open_all(page)  # what is open on the screen need not be on paper
        assert pages_of(page.pdf(format=size)) == 1
        page.goto(address.replace("/end", "/log"))
        assert pages_of(page.pdf(format=size)) > 1, "the count counts"
