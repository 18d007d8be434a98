"""Every page in every state, in both lights: axe finds no violation of WCAG 2 A or AA, nothing scrolls sideways at
320 pixels, and what can be tapped is large enough for a finger."""

from __future__ import annotations

import json
import math
from collections.abc import Iterator
from random import Random
from typing import Any

import pytest
from naqala.robots import ROBOTS
from naqala.session.robot_plan import planned
from naqala.session.snapshot import UndoAsked
from playwright.sync_api import Browser

from tests.conftest import ROOT
from tests.dashboard.conftest import SIZES
from tests.dashboard.screenshots import DOING, UNCLEAR, WRONG, Scene, Studio, scenes, state
from tests.dashboard.stand import a_game, serving

AXE = ROOT / ".tools/axe/node_modules/axe-core/axe.min.js"
LEVELS = ["wcag2a", "wcag2aa", "wcag21a", "wcag21aa", "wcag22aa"]
# In the dark nothing but the colours differs.
LIGHTS: dict[Any, list[str]] = {"light": LEVELS, "dark": ["color-contrast"]}
NARROW = {"width": 320, "height": 640}
SMALL = """() => [...document.querySelectorAll('button, a.button, select, summary, input')]
  .filter(one => one.type !== 'hidden' && one.offsetParent !== null && !one.closest('.unseen') && !one.classList.contains('unseen'))
  .map(one => [one.outerHTML.slice(0, 90), (one.closest('label') || one).getBoundingClientRect()])
  .filter(([, box]) => box.height < 43.5 || box.width < 43.5).map(([html, box]) => `${html} ${box.width}x${box.height}`)"""


@pytest.fixture(scope="module")
def studio(tmp_path_factory: pytest.TempPathFactory) -> Iterator[tuple[Studio, str]]:
    made = Studio(tmp_path_factory.mktemp("studio"))
    with serving(made.app) as address:
        yield made, address
    made.journal.close()


def test_the_checker_is_there() -> None:
    assert AXE.exists(), "run `make needs`"


@pytest.mark.parametrize("scene", list(scenes()), ids=lambda scene: scene.name)
def test_everybody_can_use_it(studio: tuple[Studio, str], browser: Browser, scene: Scene) -> None:
    made, address = studio
    context = browser.new_context(
        viewport=SIZES[scene.sizes[0]],  # type: ignore[arg-type]
        bypass_csp=True,
        reduced_motion="reduce",
    )
    page = context.new_page()
    made.visit(page, address, scene)
    page.add_script_tag(path=AXE)
    for light, rules in LIGHTS.items():
        page.emulate_media(color_scheme=light)
        found = page.evaluate("rules => axe.run(document, {runOnly: rules})", rules)
        told = [
            (one["id"], one["nodes"][0]["html"][:160], one["nodes"][0]["failureSummary"][:300])
            for one in found["violations"]
        ]
        assert told == [], f"{light}: " + json.dumps(told, indent=1)
        assert found["passes"], "axe looked at nothing"
    assert page.evaluate(SMALL) == []
    page.set_viewport_size(NARROW)  # type: ignore[arg-type]
    assert page.evaluate("document.documentElement.scrollWidth") <= NARROW["width"]
    context.close()


CUT = """() => {
  const side = document.querySelector('.side').getBoundingClientRect();
  const parts = [...document.querySelectorAll('.side > section > *, .side > section .qr, .cards > *')];
  return parts.filter(one => one.offsetParent !== null && !one.closest('#log'))
    .map(one => [one.className, one.getBoundingClientRect(), one.closest('.cards')])
    .filter(([, box]) => box.height && box.left < side.right) // what found no room beside a flag is out of sight as a whole
    .filter(([, box, below]) => (box.right > innerWidth + 1 || box.bottom > (below ? innerHeight : side.bottom) + 1))
    .map(([name, box]) => `${name} ends at ${Math.round(box.right)},${Math.round(box.bottom)}; side ends at ${Math.round(side.bottom)}`);
}"""


def full_house() -> Iterator[tuple[str, dict[str, Any]]]:
    """What fills the table screen most: four players with djinns, everybody's seat free."""
    record = a_game(("Ann", "Bartholomea", "Cleo", "Dietlinde"), 3)
    late = next(
        step
        for step in range(len(record.steps) - 1, 0, -1)
        if record.at(step).turn.phase == "sow" and sum(bool(p.djinns) for p in record.at(step).players) >= 3
    )
    bids = next(step for step in range(late, 0, -1) if record.at(step).turn.phase == "bid")
    yield "move", state(record, late) | {"reading": DOING, "help": True}
    yield "flag", state(record, late) | {"reading": WRONG}
    yield "question", state(record, late) | {"reading": UNCLEAR}
    asked = UndoAsked("Ann", 3, (), ("Bartholomea", "Cleo", "Dietlinde"))
    yield "undo asked", state(record, bids) | {"undo_asked": asked}
    plan = planned(record.at(late), ROBOTS["strong"](record.at(late), Random(1)), "strong", late)
    yield "robot", state(record, late) | {"plan": plan}
    yield "over", state(record, len(record.steps))


@pytest.mark.parametrize("language", ["en", "ru"])
@pytest.mark.parametrize("size", ["tablet", "tv"])
def test_nothing_on_the_table_screen_is_cut(
    studio: tuple[Studio, str], browser: Browser, size: str, language: str
) -> None:
    made, address = studio
    context = browser.new_context(viewport=SIZES[size])  # type: ignore[arg-type]
    page = context.new_page()
    for name in ("Ann", "Bob", "Cleo"):
        made.app.extensions["naqala-seats"].free("oak", name)
    for owner in (False, True):
        for name, shown in full_house():
            scene = Scene(name, "/t/oak/", shown | {"language": language}, owner=owner)
            made.visit(page, address, scene)
            assert page.locator("#now > *").count(), name
            assert page.evaluate(CUT) == [], f"{name} for the {'host' if owner else 'others'}"
            if name == "move":
                assert page.locator("#join .qr").is_visible(), "who comes late finds the way in"
    made.stand.show(language="en")
    context.close()


@pytest.mark.parametrize("size", ["tablet", "tv"])
def test_a_phone_that_asks_for_a_seat_is_seen_and_nothing_is_cut(
    studio: tuple[Studio, str], browser: Browser, size: str
) -> None:
    made, address = studio
    page = browser.new_context(viewport=SIZES[size]).new_page()  # type: ignore[arg-type]
    seats = made.app.extensions["naqala-seats"]
    seats.free("oak", "Ann")
    seats.requests.over("oak", "Ann")
    seats.requests.ask("oak", "Ann")
    try:
        for owner in (False, True):
            for name, shown in full_house():
                if name in ("move", "question"):
                    made.visit(page, address, Scene(name, "/t/oak/", shown, owner=owner))
                    # a question of the referee takes the whole place, until it is answered
                    assert page.locator("#join .notice").is_visible() is (name == "move")
                    assert page.evaluate(CUT) == [], f"{name} for the {'host' if owner else 'others'}"
                    assert page.evaluate(SMALL) == []
    finally:
        seats.requests.over("oak", "Ann")
        page.context.close()


# Readable means: a capital letter is seen under five minutes of arc, what an eye chart asks of ordinary eyes.
FAR_MM = 3000
CAPITAL_MM = FAR_MM * math.tan(math.radians(5 / 60))
WIDE_MM = {"tablet": 217.0, "tv": 886.0}  # a screen of 10.1 inches, 16 to 10, and one of 40 inches
CAPITALS = """chosen => [...document.querySelectorAll(chosen)].map(one => {
  const pen = document.createElement('canvas').getContext('2d');
  const { fontWeight, fontSize, fontFamily } = getComputedStyle(one);
  pen.font = `${fontWeight} ${fontSize} ${fontFamily}`;
  return [one.textContent.trim(), pen.measureText('H').actualBoundingBoxAscent];
})"""


@pytest.mark.parametrize("size", WIDE_MM)
def test_whose_turn_and_the_flag_are_readable_from_three_metres(
    studio: tuple[Studio, str], browser: Browser, size: str
) -> None:
    made, address = studio
    page = browser.new_context(viewport=SIZES[size]).new_page()  # type: ignore[arg-type]
    three = {scene.name: scene.show for scene in scenes()}
    moving, flagged = (dict(full_house())[name] for name in ("move", "flag"))
    for shown, chosen, count in (
        (three["screen-move"], ".now .who", 1),
        (three["screen-flag"], ".flag h2, .flag .remedy", 2),
        (moving, ".now .who", 1),
        (flagged, ".flag h2, .flag .remedy", 2),
    ):
        made.visit(page, address, Scene("far", "/t/oak/", shown))
        found = page.evaluate(CAPITALS, chosen)
        assert len(found) == count
        for text, pixels in found:
            assert pixels * WIDE_MM[size] / SIZES[size]["width"] >= CAPITAL_MM, text
    page.context.close()
