"""The page to move the pieces: who may, what is refused, and a real browser that drags a legal and an illegal sowing."""

from __future__ import annotations

import threading
from collections.abc import Iterator
from pathlib import Path
from urllib.request import HTTPCookieProcessor, build_opener

import pytest
from naqala.hands.table import BAG, HAND, SUPPLY, before
from naqala.rules.actions import Sow
from naqala.rules.board import NEIGHBOURS, TILES
from naqala.rules.paths import sowings
from naqala.rules.sowing import Sowing
from naqala.service import Service
from naqala.settings import Settings
from naqala.table.readings import Quiet
from naqala.virtual.standing import unlike
from playwright.sync_api import Browser, Page, expect

from tests.conftest import PATIENCE_MS
from tests.dashboard.test_access import AXE, LEVELS, NARROW
from tests.session.conftest import until
from tests.virtual.conftest import House

# --- without a browser --------------------------------------------------------------------------------------


def posted(
    house: House, what: str, owner: bool = True, accept: str = "application/json", **fields: str
) -> int:
    client = house.app.test_client()
    if owner:
        assert client.get(f"/owner?token={house.token}").status_code == 302
    client.get("/t/oak/")
    with client.session_transaction() as cookie:
        token = str(cookie.get("csrf", ""))
    headers = {"Origin": "http://localhost", "Accept": accept}
    return client.post(f"/t/oak/virtual/{what}", data={"csrf": token, **fields}, headers=headers).status_code


def test_only_who_sits_at_the_table_may_touch_it(house: House) -> None:
    assert house.app.test_client().get("/t/oak/virtual").status_code == 403
    assert house.app.test_client().get("/t/oak/virtual/stream").status_code == 403
    for what in (
        "move",
        "lift",
        "draw",
        "back",
        "lay-out",
        "as-recorded",
        "fault",
        "mend",
        "robot",
        "person",
    ):
        assert posted(house, what, owner=False, tile="A1") == 403
    assert house.app.test_client().post("/t/oak/virtual/lift", data={"tile": "A1"}).status_code == 403


def test_gestures_and_nonsense(house: House) -> None:
    tag = house.table.at("C3", "meeple")[0]
    assert posted(house, "move", tags=tag, spot="D4") == 200 and house.table.where(tag) == "D4"
    assert posted(house, "move", tags=tag, spot="D4", lying="yes") == 200 and house.table.lying(tag)
    assert posted(house, "back") == 200 and not house.table.lying(tag)
    assert posted(house, "lift", tile="D4") == 200 and len(house.table.at(HAND)) == 4
    house.table.move([tag], BAG)
    assert posted(house, "draw") == 200 and house.table.where(tag) == HAND
    for what, fields in (
        ("move", {"tags": "e0", "spot": "A1"}),
        ("move", {"tags": tag, "spot": "Z9"}),
        ("move", {"tags": tag, "spot": "before " + "x" * 12_000}),  # it would be in everybody's picture
        ("move", {"tags": tag, "spot": "before "}),
        ("lift", {"tile": "Z9"}),
        ("lift", {}),
        ("fault", {"kind": "flood"}),
        ("fault", {"kind": "dead_reader", "tile": "Z9"}),
        ("robot", {"name": "Nobody", "robot": "random", "pace": "human"}),
    ):
        assert posted(house, what, **fields) == 400
    assert posted(house, "fault", kind="cable_pulled") == 200 and house.table.line.pulled
    assert posted(house, "mend") == 200 and not house.table.line.pulled
    assert posted(house, "fault", kind="cable_pulled", lasting="yes") == 200
    assert not house.table.line.pass_time(house.link.clock() + 60_000) and house.table.line.pulled
    assert posted(house, "mend") == 200 and not house.table.line.pulled
    assert posted(house, "lay-out") == 200 and all(len(house.table.at(t, "meeple")) == 3 for t in TILES)


def test_a_table_that_was_put_away_is_laid_out_as_recorded(house: House) -> None:
    assert posted(house, "as-recorded") == 409  # no game yet
    assert posted(house, "lay-out", accept="text/html") == 302  # from set-up, and back there
    house.begin()

    def cards() -> dict[str, str]:
        return {tile: str(house.table.piece(*house.table.at(tile, "tile"))) for tile in TILES}

    before, tags = cards(), {tile: house.table.at(tile, "tile") for tile in TILES}
    assert posted(house, "lay-out") == 200
    assert cards() != before, "another layout than the one the house began with"
    house.table.lay_down(house.table.at("C3", "meeple")[0])
    assert unlike(house.session.snapshot.game, house.table, {}) != []
    assert posted(house, "as-recorded") == 200
    assert unlike(house.session.snapshot.game, house.table, {}) == []
    assert cards() == before
    assert {tile: house.table.at(tile, "tile") for tile in TILES} == tags, (
        "of tiles alike each in its own place"
    )
    assert not any(house.table.lying(tag) for tile in TILES for tag in house.table.at(tile))
    until(house.session, lambda shown: isinstance(shown.reading, Quiet))


def test_a_second_game_is_laid_out_anew_from_its_set_up(house: House) -> None:
    house.open_game()
    house.table.lift("C3")  # in the middle of a move somebody has to leave
    owner = house.app.test_client()
    owner.get(f"/owner?token={house.token}")
    owner.get("/t/oak/")

    def post(address: str, **fields: str) -> str:
        with owner.session_transaction() as cookie:
            given = {"csrf": cookie["csrf"], "step": str(house.session.snapshot.step), **fields}
        answer = owner.post(f"/t/oak/{address}", data=given, headers={"Origin": "http://localhost"})
        assert answer.status_code in (302, 303)
        return str(answer.headers["Location"])

    post("setup/abort")
    assert "Lay out again" not in owner.get("/t/oak/setup").get_data(as_text=True)
    people = {"name.1": "Ann", "colour.1": "pink", "name.2": "Bob", "colour.2": "blue"}
    assert post("setup/new", **people) == "/t/oak/setup"
    until(house.session, lambda shown: any(getattr(one, "tile", "") == "C3" for one in shown.problems))
    shown = owner.get("/t/oak/setup").get_data(as_text=True)
    assert shown.index("Lay out again") < shown.index('class="problems"'), "found without reading fifty lines"
    assert post("virtual/lay-out") == "/t/oak/setup"
    until(house.session, lambda shown: shown.problems == ())
    post("virtual/lay-out")
    post("setup/begin", ready="yes")  # from a page that showed the layout that is gone
    assert house.session.snapshot.stage == "setup"
    until(house.session, lambda shown: shown.problems == ())
    assert 'name="ready" value="yes"' in owner.get("/t/oak/setup").get_data(as_text=True)
    assert post("setup/begin", ready="yes") == "/t/oak/"
    assert house.session.snapshot.stage == "play"
    assert unlike(house.session.snapshot.game, house.table, {}) == []


def test_robots_end_with_their_table(house: House) -> None:
    assert posted(house, "demo") == 200
    house.close()
    for thread in threading.enumerate():
        if thread.name == f"naqala-robots-{house.table.name}":
            thread.join(60)
            assert not thread.is_alive()


def test_the_demo_begins_with_the_layout_that_it_has_just_laid(house: House) -> None:
    """The box lies there ready to begin: what the readers say of it is old as soon as it is laid out anew."""
    until(house.session, lambda shown: shown.sight is not None and len(shown.sight.on) == len(TILES))
    assert posted(house, "demo") == 200
    game = house.session.snapshot.game
    lies = [piece for tile in TILES for piece in map(house.table.piece, house.table.at(tile, "tile"))]
    assert [f"{game.tile(tile).type} {game.tile(tile).points}" for tile in TILES] == [
        one.which for one in lies
    ]


def test_a_robot_sits_down_beside_a_person(house: House) -> None:
    house.begin()
    player = str(house.session.snapshot.game.turn.player)
    assert posted(house, "robot", name=player, robot="random", pace="quick") == 200
    shown = house.session.snapshot
    while shown.game.turn.phase == "sow":
        before = shown.version
        shown = house.session.wait(before, 30)
        assert shown.version > before
    assert any(isinstance(line.action, Sow) and line.by == "hands" for line in shown.log)
    assert posted(house, "person", name=player) == 200
    assert house.app.extensions["naqala-robots"]["oak"].seats == {}


def test_a_started_service_has_the_page_and_shows_the_way_to_it(tmp_path: Path) -> None:
    settings = Settings(tables={"oak": "virtual:oak?seed=3"}, journal=str(tmp_path / "journal.sqlite"))
    service = Service(settings, tmp_path, port=0)
    place = service.start()
    try:
        browser = build_opener(HTTPCookieProcessor())
        with browser.open(place.owner, timeout=60) as answer:
            assert b"/t/oak/virtual" in answer.read()
        with browser.open(f"{place.address}/t/oak/virtual", timeout=60) as answer:
            assert answer.status == 200 and b'data-spot="F5"' in answer.read()
    finally:
        service.stop()


# --- with a browser -----------------------------------------------------------------------------------------


class Hands:
    """A person at the page: drags pieces with the mouse."""

    def __init__(self, house: House, hands: Page) -> None:
        self.house, self.page = house, hands

    def drag(self, what: str, onto: str) -> None:
        """Drag the middle of one element to the lower right of another."""
        source, target = self.page.locator(what).first, self.page.locator(f"[data-spot='{onto}']")
        target.scroll_into_view_if_needed()
        box, to = source.bounding_box(), target.bounding_box()
        assert box and to
        mouse = self.page.mouse
        mouse.move(box["x"] + box["width"] / 2, box["y"] + box["height"] / 2)
        mouse.down()
        mouse.move(to["x"] + to["width"] - 12, to["y"] + to["height"] - 10, steps=6)
        mouse.up()

    def lift(self, tile: str) -> None:
        count = len(self.house.table.at(tile, "meeple"))
        self.drag(f"[data-lift='{tile}']", "hand")
        expect(self.page.locator("[data-spot='hand'] [data-tag]")).to_have_count(count)

    def drop(self, tile: str, letter: str) -> None:
        tag = self.house.table.at(HAND, "meeple", letter)[0]
        self.drag(f"[data-tag='{tag}']", tile)
        expect(self.page.locator(f"[data-spot='{tile}'] [data-tag='{tag}']")).to_be_visible()

    def scoop(self, tile: str, letter: str) -> None:
        for tag in self.house.table.at(tile, "meeple", letter):
            self.drag(f"[data-tag='{tag}']", "bag")
            expect(self.page.locator(f"[data-spot='{tile}'] [data-tag='{tag}']")).to_have_count(0)


def harmless(house: House) -> Sowing:
    """A legal sowing after which nothing is owed but the tile's action."""
    game = house.session.snapshot.game
    return next(
        s for s in sowings(game.meeples) if s.drops[-1][1] in "YW" and len(set(s.path)) == len(s.path)
    )


def test_nobody_lays_out_anew_by_a_slip_in_a_game(house: House, browser: Browser) -> None:
    """What the page offers is what makes sense: a fresh table before a game, the recorded one in it."""
    address = house.serve()
    page = browser.new_page(viewport={"width": 1280, "height": 800})
    try:
        page.goto(f"{address}/owner?token={house.token}")
        page.goto(f"{address}/t/oak/virtual")
        anew, recorded = (
            page.get_by_role("button", name=f"Lay out {how}") for how in ("again", "as recorded")
        )
        expect(anew).to_be_visible()
        expect(recorded).to_be_hidden()
        house.open_game()
        expect(recorded).to_be_visible()
        expect(anew).to_be_hidden()
        page.evaluate("document.documentElement.style.fontSize = '200%'")
        boxes = "all => all.every(one => [...one.querySelectorAll('button')].every(b => inside(b, one)))"
        inside = "const inside = (a, b) => a.getBoundingClientRect().bottom <= b.getBoundingClientRect().bottom + 1;"
        expect(page.locator("[data-spot='A1'] [data-tag]")).to_have_count(3)
        assert page.locator(".virtual-tile").evaluate_all(f"(all) => {{ {inside} return ({boxes})(all); }}")
    finally:
        page.close()


@pytest.mark.long
def test_a_legal_and_an_illegal_sowing_are_dragged_and_the_screen_follows(
    house: House, browser: Browser
) -> None:
    house.begin()
    address = house.serve()
    context = browser.new_context(viewport={"width": 1500, "height": 1000})
    try:
        table_page, screen = context.new_page(), context.new_page()
        troubles: list[str] = []
        table_page.on("pageerror", lambda error: troubles.append(str(error)))
        table_page.goto(f"{address}/owner?token={house.token}")
        table_page.goto(f"{address}/t/oak/virtual")
        screen.goto(f"{address}/t/oak/")
        table_page.bring_to_front()  # a page behind another one is drawn once a second, and a mouse waits for it
        hands = Hands(house, table_page)
        sowing = harmless(house)
        start, drops = sowing.start, sowing.drops

        # An illegal one first: the second meeple goes two tiles away.
        hands.lift(start)
        hands.drop(*drops[0])
        far = next(t for t in TILES if t not in (*NEIGHBOURS[drops[0][0]], drops[0][0], start))
        hands.drop(far, drops[1][1])
        expect(screen.locator(".flag")).to_be_visible()
        expect(screen.locator(".flag[data-rule='drops_on_neighbours']")).to_be_visible()
        expect(table_page.locator("#virtual-now .flag[data-rule='drops_on_neighbours']")).to_be_visible()
        expect(table_page.locator("#virtual-now .remedy")).to_have_text(
            screen.locator(".flag .remedy").text_content() or "-"
        )
        assert "is-wrong" in (screen.locator(f"#tile-{far}").get_attribute("class") or "")

        # Put right as the flag says, and finished: the flag goes by itself and the move is in the log.
        tag = house.table.at(far, "meeple", drops[1][1])[-1]
        hands.drag(f"[data-spot='{far}'] [data-tag='{tag}']", drops[1][0])
        for tile, letter in drops[2:]:
            hands.drop(tile, letter)
        hands.scoop(*drops[-1])
        expect(screen.locator(".flag")).to_have_count(0)
        expect(table_page.locator("#virtual-now .flag")).to_have_count(0)
        shown = house.session.snapshot
        while shown.game.turn.phase == "sow":
            before = shown.version
            shown = house.session.wait(before, 5)
            assert shown.version > before
        action = next(line.action for line in reversed(shown.log) if line.kind == "action")
        assert (action.start, sorted(action.drops), action.drops[-1]) == (start, sorted(drops), drops[-1])
        assert not troubles
        # Whose turn it is stands on both pages in the same words, and each leads to the other.
        for part in ("who", "what"):
            expect(table_page.locator(f"#virtual-now .{part}")).to_have_text(
                (screen.locator(f"#now .{part}").text_content() or "-")
                .strip()
                .removeprefix(screen.locator("#now .initial-disc").text_content() or "")
            )
        table_page.get_by_role("link", name="Table screen").click()
        table_page.get_by_role("link", name="Virtual table").click()
        expect(table_page.locator("#virtual-now")).to_be_visible()
    finally:
        context.close()


def test_the_page_heals_when_the_companion_was_started_again(tmp_path: Path, browser: Browser) -> None:
    house = House(tmp_path)
    context = browser.new_context()
    page = context.new_page()
    page.set_default_timeout(PATIENCE_MS)
    try:
        house.open_game()
        address = house.serve()
        page.goto(f"{address}/owner?token={house.token}")
        page.goto(f"{address}/t/oak/virtual")
        tag = house.table.at("A1", "meeple")[0]
        expect(page.locator(f"[data-spot='A1'] [data-tag='{tag}']")).to_be_visible()
        house.close()
        expect(page.locator("#offline")).to_be_visible()

        house = House(tmp_path)
        house.serve(int(address.rpartition(":")[2]))
        expect(page.locator("#offline")).to_be_hidden()
        expect(page.locator("#virtual-now")).to_contain_text("waits to be resumed")
        page.get_by_role("button", name="Resume it").click()
        page.wait_for_url("**/t/oak/virtual")  # who came from the hands stays with the hands
        expect(page.locator("#virtual-now")).to_contain_text("bids for the turn order")
        house.table.move([tag], "B1")
        expect(page.locator(f"[data-spot='B1'] [data-tag='{tag}']")).to_be_visible()
    finally:
        context.close()
        house.close()


def test_everybody_can_use_the_hands_the_seats_and_the_wizard(house: House, browser: Browser) -> None:
    """The pages that only a virtual table has, or shows otherwise: axe finds nothing, nothing scrolls sideways."""
    context = browser.new_context(viewport=NARROW, bypass_csp=True, reduced_motion="reduce")  # type: ignore[arg-type]
    page = context.new_page()
    try:
        address = house.serve()
        page.goto(f"{address}/owner?token={house.token}")
        for path in ("setup", "virtual", "join"):
            if path == "virtual":
                house.open_game()
                first = house.session.snapshot.game.turn.player
                (other,) = {"Ann", "Bob"} - {first}
                house.app.extensions["naqala-robots"]["oak"].sit(other)
            page.goto(f"{address}/t/oak/{path}")
            page.add_script_tag(path=AXE)
            for light in ("light", "dark"):
                page.emulate_media(color_scheme=light)  # type: ignore[arg-type]
                found = page.evaluate("levels => axe.run(document, {runOnly: levels})", LEVELS)
                assert [(one["id"], one["nodes"][0]["html"]) for one in found["violations"]] == []
            assert page.evaluate("document.documentElement.scrollWidth") <= NARROW["width"]
    finally:
        context.close()


# What the page is longer than its foot.
BELOW_THE_FOOT = """() => document.documentElement.scrollHeight - scrollY
    - document.querySelector("footer").getBoundingClientRect().bottom"""
# Tiles that are not wholly in sight, and pieces that hang out of their tile.
OUT_OF_SIGHT = """() => [...document.querySelectorAll('.virtual-tile')].flatMap(tile => {
  const box = tile.getBoundingClientRect();
  const out = box.bottom > innerHeight || box.right > innerWidth ? [tile.dataset.spot] : [];
  const pieces = [...tile.querySelectorAll('.virtual-piece')].map(one => [one.dataset.piece, one.getBoundingClientRect()]);
  return out.concat(pieces.filter(([, at]) => at.bottom > box.bottom + 1 || at.right > box.right + 1)
    .map(([piece]) => `${piece} on ${tile.dataset.spot}`));
})"""
TRAYS_AT = """() => [...document.querySelectorAll('.virtual-tray')].map(one => {
  const box = one.getBoundingClientRect();
  return [one.dataset.spot, Math.round(box.top), Math.round(box.height)];
})"""


@pytest.fixture
def table_page(house: House, browser: Browser) -> Iterator[Page]:
    """The page on a tablet, as the owner."""
    address = house.serve()
    context = browser.new_context(viewport={"width": 1280, "height": 800})
    page = context.new_page()
    page.set_default_timeout(PATIENCE_MS)
    page.goto(f"{address}/owner?token={house.token}")
    page.goto(f"{address}/t/oak/virtual")
    yield page
    context.close()


def drawn_as_it_is(page: Page, house: House) -> None:
    """Wait until the page shows the table's last gesture."""
    expect(page.locator("#virtual")).to_have_attribute(
        "data-version", str(house.table.version), timeout=PATIENCE_MS
    )


def test_the_whole_board_is_in_sight_and_bears_its_print(house: House, table_page: Page) -> None:
    house.open_game()
    crowd = [tag for tile in ("A2", "B2", "C2", "D2") for tag in house.table.at(tile, "meeple")]
    house.table.move(
        [*crowd[:6], *house.table.at(before("pink"))[:1], *house.table.at(SUPPLY, "palm")[:1]], "E5"
    )
    house.table.move([*crowd[6:], *house.table.at(SUPPLY, "palace")[:1]], "B5")
    for width, height in ((1280, 800), (1280, 720), (1920, 1080), (1024, 768)):
        table_page.set_viewport_size({"width": width, "height": height})
        drawn_as_it_is(table_page, house)
        table_page.evaluate("scrollTo(0, 0)")
        assert table_page.evaluate(OUT_OF_SIGHT) == [], (width, height)
    table_page.evaluate("document.querySelectorAll('details').forEach(one => one.open = true)")
    assert table_page.evaluate(BELOW_THE_FOOT) < 60, (
        "what scrolls beside the board does not lengthen the page"
    )
    for tile in TILES:
        drawn = table_page.locator(f"[data-spot='{tile}'] .virtual-print")
        facts = house.session.snapshot.game.tile(tile)
        expect(drawn.locator(".points")).to_have_text(str(facts.points))
        assert drawn.locator(".emblem").get_attribute("href") == f"#emblem-{facts.type}"
        colour = "blue" if facts.type in ("village", "sacred_place") else "red"
        assert drawn.locator(f".badge.{colour}").count() == 1


def test_trays_are_called_by_name_and_stay_where_they_are(house: House, table_page: Page) -> None:
    heads = table_page.locator(".virtual-tray:visible > h2")
    expect(heads).to_have_text(["Hand", "Bag", "Supply", "Pink", "Blue", "Orange", "Black"])
    house.open_game()
    expect(heads).to_have_text(["Hand", "Bag", "Supply", "Ann", "Bob"], timeout=PATIENCE_MS)
    heaps = table_page.locator("[data-spot='bag'] .heap-name")
    tribes = ["Viziers (yellow)", "Elders (white)", "Merchants (green)", "Builders (blue)", "Assassins (red)"]
    expect(heaps).to_have_text(tribes)
    where = table_page.evaluate(TRAYS_AT)
    assert len(where) == 7
    taken = [tag for tile in ("C3", "D3", "E3") for tag in house.table.lift(tile)]
    drawn_as_it_is(table_page, house)
    expect(table_page.locator("[data-spot='hand'] [data-tag]")).to_have_count(9)
    assert table_page.evaluate(TRAYS_AT) == where
    house.table.move(taken[:5], BAG)
    house.table.move(taken[5:], "A1")
    house.table.move(house.table.at(before("pink")), "B1")
    house.table.move(house.table.at(SUPPLY, "palm"), "B2")
    drawn_as_it_is(table_page, house)
    assert table_page.evaluate(TRAYS_AT) == where
    camel = table_page.locator("[data-spot='B1'] [data-piece='camel pink']").first
    expect(camel).to_have_attribute("aria-label", "a camel of Ann")
    letters = [house.table.piece(tag).which for tag in taken[:5]]
    counts = [str(letters.count(letter)) for letter in "YWGBR"]
    expect(table_page.locator("[data-spot='bag'] .many")).to_have_text(counts)
