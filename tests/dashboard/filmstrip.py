"""One illegal move, flagged and put right, as a strip of four pictures: part of `make screenshots`, shown in the README.

Nothing is posed: a session follows tags on readers over a pseudo-terminal, and what it says is photographed.
"""

from __future__ import annotations

import base64
import sys
import tempfile
from collections.abc import Iterator
from pathlib import Path

from naqala.dashboard import Settings, create_app
from naqala.session.session import Session
from playwright.sync_api import Page, expect, sync_playwright

from tests.conftest import CHROMIUM, FLAGS
from tests.dashboard.conftest import SIZES, take_seat
from tests.dashboard.stand import serving
from tests.session.conftest import Table, bid_all, until

STYLE = """
body { margin: 0; background: #14142a; font: 500 22px "DejaVu Sans", sans-serif; color: #f5ecd9; }
main { display: grid; grid-template-columns: 1fr 1fr; gap: 22px; padding: 22px; width: 1440px; box-sizing: border-box; }
figure { margin: 0; } figcaption { padding: 10px 4px 0; } img { width: 100%; border-radius: 8px; display: block; }
"""


def shots(table: Table, session: Session, screen: Page) -> Iterator[tuple[str, bytes]]:
    """What is said below each picture, and the picture."""
    start, first, second = "C3", "D3", "D2"
    one, two, three = session.snapshot.game.tile(start).meeples
    flag = screen.get_by_role("alert")
    step = session.snapshot.step
    yield "1. Ann's turn. The companion looks on.", photograph(screen)
    table.lift(start)
    table.drop(first, one)
    table.drop(second, two)
    expect(screen.locator("#steps .step")).to_have_count(2)
    yield f"2. Three meeples from {start}: one on {first}, one on {second}.", photograph(screen)
    table.drop(first, three)
    expect(flag).to_be_visible()
    (way_back,) = session.snapshot.reading.remedy.steps
    yield f"3. The third goes straight back to {first}.", photograph(screen)
    last = way_back.onto[0]
    table.move(three, first, last)
    table.scoop(last, three)
    expect(flag).to_be_hidden()
    until(session, lambda shown: shown.step > step)
    expect(screen.locator("#steps .step")).to_have_count(0)
    yield f"4. Moved to {last}, as the flag says. The move is written down.", photograph(screen)


def photograph(screen: Page) -> bytes:
    return screen.screenshot(animations="disabled")


def main(picture: str) -> None:
    with tempfile.TemporaryDirectory() as name, sync_playwright() as playwright:
        folder = Path(name)
        table = Table(folder, 1, ("Ann", "Bob", "Cleo"))
        table.cable.plug()
        session = table.open()
        table.begin(session, help=True)
        bid_all(session)
        browser = playwright.chromium.launch(executable_path=CHROMIUM, args=FLAGS)
        app = create_app({"oak": session}, Settings(folder / "home", journal=table.journal))
        with serving(app) as address:
            screen = browser.new_page(viewport=SIZES["tablet"], reduced_motion="reduce")  # type: ignore[arg-type]
            for player in session.snapshot.seats:  # so that the way in for phones makes room
                take_seat(browser.new_page(), address, player.name)
            screen.goto(f"{address}/t/oak/")
            figures = [
                f'<figure><img src="data:image/png;base64,{base64.b64encode(shot).decode()}"><figcaption>{words}</figcaption></figure>'
                for words, shot in shots(table, session, screen)
            ]
        strip = browser.new_page(viewport={"width": 1440, "height": 400})
        strip.set_content(f"<style>{STYLE}</style><main>{''.join(figures)}</main>")
        strip.screenshot(path=picture, full_page=True)
        browser.close()
        table.close()
        table.cable.pull()


if __name__ == "__main__":
    main(*sys.argv[1:])
