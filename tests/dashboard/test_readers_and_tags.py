"""Touch each tile once, and teach the companion its pieces: both live, in the owner's browser."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from pathlib import Path

import pytest
from naqala.dashboard import Settings, create_app, setup
from naqala.dashboard.keys import load_keys
from naqala.session.session import Session
from playwright.sync_api import Page, expect

from tests.dashboard.stand import Stand, a_game, app_for, serving, snapshot_after
from tests.session.conftest import Table, table, until

__all__ = ("table",)  # the fixture


@pytest.fixture
def owner(table: Table, tmp_path: Path, new_page: Callable[..., Page]) -> Iterator[tuple[Session, Page, str]]:
    session = table.open()
    until(session, lambda shown: bool(shown.sight) and len(shown.sight.on) == 30)
    home = tmp_path / "home"
    with serving(create_app({"oak": session}, Settings(home, journal=table.journal))) as address:
        page = new_page("tablet")
        page.goto(f"{address}/owner?token={load_keys(home).owner}")
        yield session, page, f"{address}/t/oak"


def test_a_tile_counts_when_it_is_touched_and_not_before(
    table: Table, owner: tuple[Session, Page, str]
) -> None:
    _, page, address = owner
    page.goto(f"{address}/touch")
    grid = page.locator("#touch-grid")
    expect(grid).to_contain_text("0 of 30 have answered")
    for number, tile in enumerate(("C3", "A1", "F5"), 1):
        table.on[tile].append(table.aside["palm"].pop())
        table.show(tile)
        expect(grid).to_contain_text(f"{number} of 30 have answered")
    expect(grid.locator("li.passed")).to_have_text(["A1 ✓answers", "C3 ✓answers", "F5 ✓answers"])
    page.reload()
    expect(grid).to_contain_text("3 of 30 have answered")
    page.get_by_role("button", name="Start over").click()
    expect(grid).to_contain_text("0 of 30 have answered")


def test_new_pieces_are_seen_named_and_counted(table: Table, owner: tuple[Session, Page, str]) -> None:
    session, page, address = owner
    page.goto(f"{address}/enrol")
    known = page.locator("#enrol-known")
    expect(known.get_by_role("listitem").filter(has_text="Viziers")).to_contain_text("16 / 16")
    expect(known.get_by_role("listitem").filter(has_text="Camels (Orange)")).to_contain_text("0 / 11")
    assert known.locator("li").filter(has_text="Tile:").count() == len(setup.PRINTED)
    for number in range(2):
        table.on["C3"].append(f"e004ffff0000000{number}")
    table.show("C3")
    expect(known.locator(".notice")).to_have_text("C3: 2 tags nobody knows")
    meeples = [tag for tag in table.on["C3"] if tag in table.tags and table.tags[tag].kind == "meeple"]
    for tag in meeples:  # nothing else may stand there
        table.on["C3"].remove(tag)
    table.show("C3")
    until(session, lambda shown: not any(tag in meeples for tag in shown.sight.on[table.reader_of["C3"]]))
    page.get_by_label("Reader").select_option(str(table.reader_of["C3"]))
    page.get_by_label("Kind").select_option(label="Camels (Orange)")
    page.get_by_role("button", name="Register them").click()
    expect(known.get_by_role("listitem").filter(has_text="Camels (Orange)")).to_contain_text("2 / 11")
    expect(known.locator(".notice")).to_have_count(0)
    page.get_by_label("Reader").select_option(str(table.reader_of["D4"]))
    page.get_by_label("Kind").select_option(label="Palaces")
    page.get_by_role("button", name="Register them").click()
    expect(page.locator("#toast")).to_contain_text("another piece already")


def test_counts_stay_while_a_game_binds_camels_and_tiles(table: Table) -> None:
    """In play a camel bears its player's name and a tile its place; the box is still the same box."""
    session = table.open()
    table.begin(session)
    known = setup._known(session.snapshot)
    assert (known["camel pink"], known["camel blue"], known["palm"]) == (11, 11, 12)
    assert sum(count for kind, count in known.items() if kind.startswith("tile ")) == 30
    assert {kind.removeprefix("tile ") for kind in known if kind.startswith("tile ")} <= set(setup.PRINTED)


def test_every_kind_has_its_words(tmp_path: Path) -> None:
    with app_for(tmp_path, Stand(snapshot_after(a_game(), 0))).test_request_context("/"):
        said = [
            setup.kind_label(kind) for kind in ("meeple W", "palm", "palace", "camel black", "tile oasis 8")
        ]
    assert said == ["Elders", "Palm trees", "Palaces", "Camels (Black)", "Tile: Oasis 8"]
