"""Every page in every state, in both lights: axe finds no violation of WCAG 2 A or AA, nothing scrolls sideways at
320 pixels, and what can be tapped is large enough for a finger."""

from __future__ import annotations

import json
from collections.abc import Iterator
from pathlib import Path

import pytest
from playwright.sync_api import Browser

from tests.conftest import ROOT
from tests.dashboard.conftest import SIZES
from tests.dashboard.screenshots import Scene, Studio, scenes
from tests.dashboard.stand import serving

AXE = ROOT / ".tools/axe/node_modules/axe-core/axe.min.js"
LEVELS = ["wcag2a", "wcag2aa", "wcag21a", "wcag21aa", "wcag22aa"]
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
    for light in ("light", "dark"):
        page.emulate_media(color_scheme=light)  # type: ignore[arg-type]
        found = page.evaluate("levels => axe.run(document, {runOnly: levels})", LEVELS)
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


def test_the_score_sheet_prints_on_one_page(
    studio: tuple[Studio, str], browser: Browser, tmp_path: Path
) -> None:
    made, address = studio
    scene = next(scene for scene in scenes() if scene.name == "end")
    page = browser.new_page()
    made.visit(page, address, scene)
    sheet = page.pdf(format="A4", path=tmp_path / "sheet.pdf")
    assert sheet.count(b"/Type /Page\n") + sheet.count(b"/Type /Page ") == 1
    page.close()
