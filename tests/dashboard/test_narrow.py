"""On a phone, in every language: no word is split in its middle, no table has to be pushed sideways to be read."""

from __future__ import annotations

from dataclasses import replace

import pytest
from naqala.dashboard.language import LANGUAGES
from playwright.sync_api import Browser

from tests.dashboard.screenshots import Scene, Studio, scenes, state
from tests.dashboard.stand import a_game
from tests.dashboard.test_access import studio

__all__ = ("studio",)  # the fixture

PHONE = {"width": 390, "height": 844}
# Words whose letters stand on two lines, each with the element it stands in. Where a hyphen is written, it may break.
SPLIT = r"""() => {
  const found = [];
  const walk = document.createTreeWalker(document.body, NodeFilter.SHOW_TEXT);
  for (let node = walk.nextNode(); node; node = walk.nextNode()) {
    const holder = node.parentElement;
    if (!holder || holder.closest('.unseen, script, svg, pre, option') || !holder.checkVisibility()) continue;
    for (const word of node.data.matchAll(/[\p{L}\p{M}]{2,}/gu)) {
      const range = document.createRange();
      range.setStart(node, word.index);
      range.setEnd(node, word.index + word[0].length);
      const lines = new Set([...range.getClientRects()].filter(box => box.width > 0.5).map(box => Math.round(box.top / 4)));
      if (lines.size > 1) found.push(`${word[0]} in ${holder.outerHTML.slice(0, 60)}`);
    }
  }
  return found;
}"""
PUSHED = """() => [...document.querySelectorAll('main *')].filter(one => one.scrollWidth > one.clientWidth + 1
  && ['auto', 'scroll'].includes(getComputedStyle(one).overflowX) && one.tagName !== 'PRE')
  .map(one => `${one.outerHTML.slice(0, 80)}: ${one.scrollWidth} in ${one.clientWidth}`)"""
ON_A_PHONE = [scene for scene in scenes() if "phone" in scene.sizes and scene.path.startswith("/t/")]


@pytest.mark.parametrize("scene", ON_A_PHONE, ids=lambda scene: scene.name)
def test_no_word_is_split_and_nothing_is_pushed_sideways(
    studio: tuple[Studio, str], browser: Browser, scene: Scene
) -> None:
    made, address = studio
    page = browser.new_context(viewport=PHONE, reduced_motion="reduce").new_page()  # type: ignore[arg-type]
    made.visit(page, address, scene)
    for language in LANGUAGES:
        made.stand.show(language=language)
        page.evaluate("sessionStorage.clear()")  # a sheet that was unveiled is veiled again
        page.goto(address + scene.path)
        assert page.locator("html").get_attribute("lang") == language
        if scene.then:
            scene.then(page)
        assert (language, page.evaluate(SPLIT), page.evaluate(PUSHED)) == (language, [], [])
    page.context.close()
    made.stand.show(language="en")


SPILLED = r"""() => [...document.querySelectorAll('.hand .card, .initial-disc')].filter(one => {
  const text = document.createRange();
  text.selectNodeContents(one);
  const inside = text.getBoundingClientRect(), card = one.getBoundingClientRect();
  return inside.left < card.left - 1 || inside.right > card.right + 1 || inside.bottom > card.bottom + 1;
}).map(one => one.textContent.trim())"""


def test_names_of_cards_and_initials_stay_inside_on_the_smallest_phone(
    studio: tuple[Studio, str], browser: Browser
) -> None:
    """Goudstaven and Aardewerk ran over their cards in Dutch; the letters BO stood on two lines."""
    made, address = studio
    record = a_game(("Bot A", "Bot B", "Bot C"), 5)
    shown = state(record, len(record.steps) // 2)
    every = ("ivory", "jewels", "gold", "papyrus", "silk", "spice", "fish", "wheat", "pottery")
    players = tuple(replace(player, goods=every) for player in shown["game"].players)
    shown["game"] = replace(shown["game"], players=players)
    page = browser.new_context(viewport={"width": 320, "height": 640}, reduced_motion="reduce").new_page()
    made.visit(page, address, Scene("hand", "/t/oak/seat", shown, seat="Bot A"))
    for language in LANGUAGES:
        made.stand.show(language=language)
        for path in ("/t/oak/seat", "/t/oak/"):
            page.goto(address + path)
            assert (language, page.evaluate(SPILLED)) == (language, [])
    page.context.close()
    made.stand.show(language="en")
