"""What the eye asks of the pages: letters large enough, the one thing first, nothing that matters out of sight."""

from __future__ import annotations

import pytest
from playwright.sync_api import Browser, Page

from tests.dashboard.conftest import SIZES
from tests.dashboard.screenshots import Scene, Studio, scenes
from tests.dashboard.test_access import full_house, studio

__all__ = ("studio",)  # the fixture
SCENES = {scene.name: scene for scene in scenes()}
ODD = {
    "phone at twice the size": {"width": 188, "height": 406},
    "phone on its side": {"width": 812, "height": 375},
}
LETTERS = """() => [...document.querySelectorAll('.chart text')].map(one =>
  parseFloat(getComputedStyle(one).fontSize) * one.getScreenCTM().a)"""


def look(studio: tuple[Studio, str], browser: Browser, name: str, size: str) -> Page:
    made, address = studio
    page = browser.new_context(viewport=(SIZES | ODD)[size], reduced_motion="reduce").new_page()  # type: ignore[arg-type]
    made.visit(page, address, SCENES[name])
    return page


@pytest.mark.parametrize(("size", "least"), [("phone", 11), ("tablet", 11), ("tv", 16)])
def test_the_letters_of_a_chart_can_be_read(
    studio: tuple[Studio, str], browser: Browser, size: str, least: float
) -> None:
    page = look(studio, browser, "end", size)
    found = page.evaluate(LETTERS)
    assert found and min(found) >= least
    page.context.close()


@pytest.mark.parametrize("name", ["screen-flag", "seat-flag"])
def test_the_rule_s_id_is_told_in_the_details_alone(
    studio: tuple[Studio, str], browser: Browser, name: str
) -> None:
    page = look(studio, browser, name, "phone")
    assert "no_immediate_backtracking" not in page.locator(".flag").inner_text()
    page.locator("#flag-details summary").click()
    assert "no_immediate_backtracking · drop 3" in page.locator("#flag-details").inner_text()
    page.context.close()


@pytest.mark.parametrize("turn", ["90", "270"])
def test_the_board_follows_the_flag_for_who_sits_at_the_side(
    studio: tuple[Studio, str], browser: Browser, turn: str
) -> None:
    page = look(studio, browser, "screen-flag", "tablet")
    page.evaluate("turn => localStorage.setItem('naqala-turn', turn)", turn)
    page.reload()
    places = [page.locator(one).bounding_box() for one in (".flag", "#board", "#holdings")]
    down = [place["x"] for place in places if place]  # the page runs to the left or to the right now
    assert down == sorted(down, reverse=turn == "90")
    assert len(set(down)) == 3
    page.context.close()


@pytest.mark.parametrize("turn", ["90", "180", "270"])
@pytest.mark.parametrize("size", ["tablet", "tv"])
def test_nothing_is_cut_off_for_who_sits_at_another_side(
    studio: tuple[Studio, str], browser: Browser, size: str, turn: str
) -> None:
    """A rotated page cannot be scrolled to what is out of sight."""
    made, address = studio
    page = browser.new_context(viewport=SIZES[size], reduced_motion="reduce").new_page()  # type: ignore[arg-type]
    for where in (SCENES["screen-move"], Scene("four", "/t/oak/", dict(full_house())["move"])):
        made.visit(page, address, where)
        page.evaluate("turn => localStorage.setItem('naqala-turn', turn)", turn)
        page.reload()
        for part in ("#now", "#board", "#holdings", "#cards"):
            box = page.locator(part).bounding_box()
            assert box and box["width"] > 40 and box["height"] > 40, (where.name, part, box)
            assert box["x"] > -1 and box["x"] + box["width"] < SIZES[size]["width"] + 1, (
                where.name,
                part,
                box,
            )
            assert box["y"] > -1 and box["y"] + box["height"] < SIZES[size]["height"] + 1, (
                where.name,
                part,
                box,
            )
        page.evaluate("localStorage.clear()")
    page.context.close()


@pytest.mark.parametrize("size", ["tablet", "tv"])
def test_who_bids_sees_the_track_while_an_undo_is_asked(
    studio: tuple[Studio, str], browser: Browser, size: str
) -> None:
    page = look(studio, browser, "screen-bid", size)
    assert page.locator("#now .question").is_visible()
    assert page.locator(".track").is_visible()
    page.context.close()


@pytest.mark.parametrize("name", ["seat-sow", "wizard"])
def test_what_says_nothing_takes_no_room(studio: tuple[Studio, str], browser: Browser, name: str) -> None:
    """The first part that is seen stands right below the head."""
    page = look(studio, browser, name, "phone")
    gaps = page.evaluate(
        """() => { const boxes = [...document.querySelectorAll('.seat-top, .seat-body > *, main > .stack > *')]
        .map(one => one.getBoundingClientRect()).filter(box => box.height);
        return boxes.slice(1, 4).map((box, place) => box.top - boxes[place].bottom); }"""
    )
    assert gaps and max(gaps) < 20
    page.context.close()


def test_the_head_of_a_seat_stays_small_at_twice_the_size(
    studio: tuple[Studio, str], browser: Browser
) -> None:
    page = look(studio, browser, "seat-build", "phone at twice the size")
    assert page.locator(".seat-top").bounding_box()["height"] < 100  # type: ignore[index]
    assert page.locator(".seat-body > :visible").first.bounding_box()["width"] < 188  # type: ignore[index]
    page.context.close()


def test_the_way_back_is_not_cut_off_on_a_low_screen(studio: tuple[Studio, str], browser: Browser) -> None:
    page = look(studio, browser, "screen-flag", "phone on its side")
    page.locator(".flag .remedy").scroll_into_view_if_needed()
    box = page.locator(".flag .remedy").bounding_box()
    assert box
    seen = page.evaluate(
        "([x, y]) => document.elementFromPoint(x, y)?.className", [box["x"] + 5, box["y"] + box["height"] - 5]
    )
    assert seen == "remedy"
    page.context.close()


def test_the_djinns_of_each_player_are_told_in_full(studio: tuple[Studio, str], browser: Browser) -> None:
    made, address = studio
    page = browser.new_context(viewport=SIZES["tablet"], reduced_motion="reduce").new_page()  # type: ignore[arg-type]
    made.visit(page, address, Scene("four", "/t/oak/", dict(full_house())["move"]))
    side = page.locator(".side").bounding_box()
    assert side
    for one in page.locator(".djinns-of").all():
        one.locator("summary").click()
        told = one.locator(".told").bounding_box()
        assert told
        assert side["y"] <= told["y"] and told["y"] + told["height"] <= side["y"] + side["height"]
        one.locator("summary").click()  # what is open may lie over the next
    page.context.close()
