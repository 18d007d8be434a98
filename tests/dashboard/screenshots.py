"""Every page as a picture, at phone, tablet and TV size, in both lights: `make screenshots`, then look at them.

`scenes` is also what the accessibility check walks through, so a page that is missing there is missing here.
"""

from __future__ import annotations

import sys
import tempfile
from collections.abc import Callable, Iterator
from dataclasses import dataclass, replace
from pathlib import Path
from random import Random
from typing import Any

from naqala.dashboard.keys import load_keys
from naqala.journal import Journal
from naqala.robots import ROBOTS
from naqala.rules import notation, paths, position
from naqala.rules.actions import Bid, End
from naqala.rules.board import NUMBER
from naqala.rules.record import Record
from naqala.rules.sowing import Sowing
from naqala.session.layout import Lying, drawn, folded
from naqala.session.phone_commands import Stroke
from naqala.session.robot_plan import planned
from naqala.session.snapshot import Coach, LinkHealth, LogLine, Problem, UndoAsked, Unfinished
from naqala.table.readings import Note, Quiet
from playwright.sync_api import Page, sync_playwright

from tests.conftest import CHROMIUM, FLAGS, PATIENCE_MS
from tests.dashboard.conftest import SIZES
from tests.dashboard.stand import Reading, Stand, a_game, app_for, readers, serving, snapshot_after

RECORD = a_game(("Ann", "Bob", "Cleo"), 5)


@dataclass(frozen=True)
class Scene:
    """A page in one state: what the table shows, who looks, where."""

    name: str
    path: str
    show: dict[str, Any]
    sizes: tuple[str, ...] = ("tablet",)
    seat: str | None = None
    owner: bool = False
    then: Callable[[Page], None] | None = None


def at(phase: str, player: str | None = None, start: int = len(RECORD.steps) // 3) -> dict[str, Any]:
    """The table in this phase (of this player)."""
    for step in range(start, len(RECORD.steps)):
        turn = RECORD.at(step).turn
        if turn.phase == phase and player in (None, turn.player):
            return state(RECORD, step)
    raise AssertionError(f"no {phase} of {player}")


def state(record: Record, step: int, **more: Any) -> dict[str, Any]:
    shown = snapshot_after(record, step, **more)
    names = ("stage", "seats", "opening", "game", "choices", "log", "step", "readers", "link")
    fresh = {
        "reading": None,
        "undo_asked": None,
        "problems": (),
        "unfinished": None,
        "help": False,
        "due": (),
        "plan": None,
        "coach": None,
        "evidence": "readers",
        "layout": None,
        "offers_phones": False,
        "cards": "dealt",
    }
    return fresh | {name: getattr(shown, name) for name in names}


def crowded() -> dict[str, Any]:
    """A full board: twelve meeples on a tile, palms and palaces in heaps."""
    found = at("sow")
    game = found["game"]
    tiles = list(game.tiles)
    for name, more in {
        "D1": {"meeples": "YYWWWGGBBRRR", "camel": "Ann", "palms": 3, "palaces": 2},
        "B2": {"meeples": "YYYYWWWW", "camel": "Bob", "palaces": 2},
        "C4": {"meeples": "WGBRB"},
        "D2": {"meeples": "WGR", "palms": 2, "camel": "Cleo"},
    }.items():
        tiles[NUMBER[name]] = replace(tiles[NUMBER[name]], **more)  # type: ignore[arg-type]
    return found | {"game": replace(game, tiles=tuple(tiles)), "help": True}


DOING = Reading(
    {
        "reading": "doing",
        "hand": "BR",
        "path": ["C4", "D4", "D3", "E3"],
        "drops": [["D4", "W"], ["D3", "G"], ["E3", "B"]],
        "open": [["E2", "R"], ["F3", "B"], ["E4", "R"]],
    }
)
WRONG = Reading(
    {
        "reading": "wrong",
        "breaches": [{"rule": "no_immediate_backtracking", "drop": 3, "tiles": ["D4"]}],
        "remedy": "",
        "repair": [{"piece": "meeple B", "from": "D4", "onto": ["D2", "E3", "C3"]}],
        "sowing": {"start": "C4", "drops": [["D4", "W"], ["D3", "G"], ["D4", "B"]]},
    }
)
STRAY = Reading(
    {
        "reading": "wrong",
        "breaches": [{"rule": "marks_control", "tiles": ["B3", "D1"]}],
        "repair": [
            {"piece": "camel Bob", "from": "B3", "onto": ["B4"]},
            {"piece": "camel Cleo", "from": "D1", "onto": []},
            {"piece": "palm", "from": "A5", "onto": []},
        ],
    }
)
DEAD_END = Reading(DOING.data | {"open": [], "warning": "No drop from here can end on its own colour."})
UNCLEAR = Reading(
    {
        "reading": "unclear",
        "options": [
            {"start": "C4", "drops": [], "end": "D3", "colour": "B"},
            {"start": "C4", "drops": [], "end": "E3", "colour": "W"},
        ],
    }
)


def asked_of_people() -> dict[str, Any]:
    """A robot has decided, and people move its pieces."""
    shown = crowded()
    game = shown["game"]
    plan = planned(game, ROBOTS["easy"](game, Random(1)), "easy", len(shown["log"]))
    return shown | {"plan": plan, "reading": Quiet()}


def coached() -> dict[str, Any]:
    """A player has had a whole hint."""
    shown = at("sow")
    log, player = shown["log"], shown["game"].turn.player
    over = sum(isinstance(line.action, Bid | End) for line in log)
    body = {"standing": len(log), "turn": over}
    notes = [
        LogLine(len(log) + number, log[-1].at_ms, player, "note", body={"coach": body | {"tells": tells}})
        for number, tells in enumerate(("look", "move"), 1)
    ]
    return shown | {"log": (*log, *notes), "coach": Coach("strong", 2), "reading": Quiet()}


def reviewed(page: Page) -> None:
    page.wait_for_selector(".turning-point", timeout=PATIENCE_MS)


def unveil(page: Page) -> None:
    page.locator("[data-show-all]").click()


def open_all(page: Page) -> None:
    page.evaluate("for (const one of document.querySelectorAll('details')) one.open = true")


def scenes() -> Iterator[Scene]:
    """Every page of the dashboard in the states that matter."""
    all_sizes = ("phone", "tablet", "tv")
    last = len(RECORD.steps)
    empty = {
        "stage": "welcome",
        "game": None,
        "seats": (),
        "log": (),
        "choices": (),
        "opening": None,
        "reading": None,
        "evidence": "readers",
        "layout": None,
        "offers_phones": False,
    }
    acting = crowded()["game"].turn.player
    yield Scene("screen-move", "/t/oak/", crowded() | {"reading": DOING}, all_sizes)
    yield Scene("screen-flag", "/t/oak/", crowded() | {"reading": WRONG}, all_sizes)
    yield Scene("screen-flag-host", "/t/oak/", crowded() | {"reading": WRONG}, owner=True)
    yield Scene("screen-stray", "/t/oak/", crowded() | {"reading": STRAY}, all_sizes)
    yield Scene("screen-no-end", "/t/oak/", crowded() | {"reading": DEAD_END}, ("tablet", "phone"))
    due = {"due": (Note("take", "E4", "GG"), Note("owed", "B4", "palm"))}
    yield Scene("screen-due", "/t/oak/", at("tile") | due, ("tablet",))
    yield Scene("screen-question", "/t/oak/", crowded() | {"reading": UNCLEAR})
    silent = {"readers": readers(("B4", "F2")), "undo_asked": UndoAsked("Ann", 3, (), ("Bob", "Cleo"))}
    yield Scene("screen-bid", "/t/oak/", at("bid") | silent, ("tablet", "tv"))
    yield Scene("screen-over", "/t/oak/", state(RECORD, last), ("tv",))
    yield Scene("screen-welcome", "/t/oak/", empty, ("tablet",))
    setup = at("bid") | {
        "stage": "setup",
        "game": None,
        "log": (),
        "choices": (),
        "problems": (Problem("layout_unknown"),),
    }
    yield Scene("screen-setup", "/t/oak/", setup, ("tablet",))
    yield Scene("join", "/t/oak/join", at("bid"), ("phone",))
    yield Scene("seat-flag", "/t/oak/seat", crowded() | {"reading": WRONG}, ("phone",), acting)
    yield Scene("seat-question", "/t/oak/seat", crowded() | {"reading": UNCLEAR}, ("phone",), acting)
    for phase in ("bid", "sow", "build", "kill", "tile", "end"):
        shown = at(phase)
        yield Scene(f"seat-{phase}", "/t/oak/seat", shown, ("phone",), shown["game"].turn.player)
    rich = next(n for n in range(last) if _may_sell(n))
    seller = RECORD.at(rich).turn.player
    yield Scene(
        "seat-all-open", "/t/oak/seat", state(RECORD, rich), ("phone", "tablet"), seller, then=open_all
    )
    yield Scene("move", "/t/oak/move", crowded(), ("phone",), acting)
    yield from without_readers(setup)
    yield Scene("tile", "/t/oak/tile/D1", crowded(), ("phone",), acting)
    yield Scene("log", "/t/oak/log", at("kill"), ("phone", "tablet"), "Ann")
    yield Scene("undo", "/t/oak/log/5", at("kill"), ("phone",), "Ann")
    yield Scene("end-veiled", "/t/oak/end", state(RECORD, last), ("phone",), "Ann")
    yield Scene("end", "/t/oak/end", state(RECORD, last), all_sizes, then=unveil)
    yield Scene(
        "end-stories",
        "/t/oak/end",
        state(RECORD, last),
        ("tablet",),
        then=lambda p: (unveil(p), open_all(p))[0],
    )
    waiting = {"unfinished": Unfinished(1, ("Ann", "Bob"), 31, 1_760_000_000_000)}
    yield Scene("screen-resume", "/t/oak/", empty | waiting, ("tablet",), owner=True)
    yield Scene("wizard", "/t/oak/setup", empty | waiting, ("phone", "tablet"), owner=True)
    yield Scene("wizard-open", "/t/oak/setup", empty, ("phone",), owner=True, then=open_all)
    yield Scene("setup", "/t/oak/setup", setup, ("phone", "tablet"), owner=True)
    yield Scene("enrol", "/t/oak/enrol", at("bid"), ("phone",), owner=True)
    yield Scene("touch", "/t/oak/touch", at("bid") | silent, ("phone", "tablet"), owner=True)
    yield Scene("diagnostics", "/t/oak/diagnostics", at("bid") | silent, ("tablet",), owner=True)
    yield Scene("history", "/t/oak/history", at("bid"), ("phone", "tablet"))
    yield Scene("replay", "/t/oak/history/1?step=40", at("bid"), ("phone", "tablet"))
    yield Scene("review", "/t/oak/history/1/review", at("bid"), ("phone", "tablet"), then=reviewed)
    yield Scene("screen-robot", "/t/oak/", asked_of_people(), ("tablet", "tv"), owner=True)
    others = next(name for name in ("Ann", "Bob") if name != acting)
    yield Scene("seat-robot", "/t/oak/seat", asked_of_people(), ("phone",), others)
    yield Scene("seat-coach", "/t/oak/seat", coached(), ("phone",), coached()["game"].turn.player)
    yield Scene("tables", "/", at("bid"), ("phone",))
    yield Scene("house", "/owner/house", at("bid"), ("phone", "tablet"), owner=True)
    yield Scene("nowhere", "/nowhere", at("bid"), ("phone",))


PHONES = {"evidence": "phones", "link": LinkHealth("phones", True), "readers": ()}


def without_readers(setup: dict[str, Any]) -> Iterator[Scene]:
    """The pages of a board without readers."""
    both = ("phone", "tablet")
    sow, after = at("sow"), at("end")
    player = sow["game"].turn.player
    sowing = next(iter(paths.sowings(sow["game"].meeples)))
    way = str(Sowing(sowing.start, sowing.drops[:1])).replace(">", "%3E")
    far = "A1" if sowing.start[0] > "C" else "F5"
    yield Scene("phones-sow", "/t/oak/seat", sow | PHONES | {"help": True}, both, player)
    yield Scene("phones-told", f"/t/oak/move?way={way}", sow | PHONES, ("phone",), player)
    yield Scene("phones-refused", f"/t/oak/move?way={way}&at={far}", sow | PHONES, ("phone",), player)
    whole = str(sowing).replace(">", "%3E")
    yield Scene("phones-whole", f"/t/oak/move?way={whole}", sow | PHONES, ("phone",), player)
    yield Scene("phones-screen", "/t/oak/", after | PHONES, ("tablet", "tv"))
    yield Scene("phones-end", "/t/oak/seat", after | PHONES, ("phone",), after["game"].turn.player)
    yield Scene("phones-together", "/t/oak/together", sow | PHONES, both, player)
    cards = state(RECORD, next(n for n in range(9, 99) if RECORD.at(n).turn.phase == "reveal"))
    yield Scene("phones-cards", "/t/oak/seat", cards | PHONES | {"cards": "physical"}, ("phone",), "Ann")
    board = folded(
        [
            Stroke("Ann", "paint"),
            Stroke("Bob", "take", "2"),
            Stroke("Ann", "tile", "B2", "oasis_8"),
            Stroke("Ann", "meeple", "B2", "W"),
            Stroke("Ann", "meeple", "B2", "R"),
        ]
    ).lying
    whole_board = folded([Stroke("owner", "deal", what=drawn(Random(3).randrange))]).lying
    empty = setup | PHONES | {"problems": ()}
    for name, lying in (("way", Lying()), ("painted", board), ("dealt", whole_board)):
        yield Scene(f"phones-layout-{name}", "/t/oak/layout", empty | {"layout": lying}, both, "Ann")
    yield Scene("phones-screen-setup", "/t/oak/", empty | {"layout": board}, ("tablet",), owner=True)
    yield Scene("phones-wizard", "/t/oak/setup", empty | {"stage": "welcome", "seats": ()}, both, owner=True)
    lost = {"offers_phones": True, "link": LinkHealth("serial", False, "no controller")}
    yield Scene("seat-lost", "/t/oak/seat", sow | lost, ("phone",), player)
    yield Scene("screen-lost", "/t/oak/", sow | lost, ("tablet",), owner=True)


def _may_sell(step: int) -> bool:
    game = RECORD.at(step)
    player = game.turn.player
    return game.turn.phase == "end" and player is not None and len(game.player(player).goods) >= 3


def journal_with_a_game(path: Path) -> Journal:
    """A journal that holds the finished game."""
    journal = Journal.open(str(path))
    played = {"companion": {"colours": ["orange", "black", "blue"]}}
    game = journal.new_game("oak", position.to_json(RECORD.opening) | played, 1_760_000_000_000)
    for number, action in enumerate(RECORD.actions, 1):
        body = notation.to_json(action)
        journal.append(
            game,
            number,
            "action",
            str(body.get("player", "companion")),
            body,
            1_760_000_000_000 + number * 20_000,
        )
    for number in range(24):
        journal.record(game, 1_760_000_000_000 + 260 * number, f"seen {number} {number} 04a1b2c3,0499ffee")
    journal.close_game(game, "finished", 1_760_004_000_000)
    return journal


class Studio:
    """A served table that can be put into any scene."""

    def __init__(self, home: Path) -> None:
        self.stand = Stand(snapshot_after(RECORD, 0))
        self.home = home
        self.journal = journal_with_a_game(home / "journal.sqlite")
        self.app = app_for(home, self.stand, journal=self.journal, address="http://192.168.1.5:8000")
        self.app.testing = True  # no bound on the rate: one browser plays all of them

    def visit(self, page: Page, address: str, scene: Scene) -> None:
        """Bring a fresh page to a scene."""
        self.stand.show(**scene.show)
        if scene.owner:
            page.goto(f"{address}/owner?token={load_keys(self.home).owner}")
        if scene.seat:
            self.app.extensions["naqala-seats"].free("oak", scene.seat)
            page.goto(f"{address}/t/oak/join")
            page.get_by_role("button", name=scene.seat).click()
            page.wait_for_url("**/seat")
        page.goto(address + scene.path)
        if scene.then:
            scene.then(page)


def main(folder: str, *wanted: str) -> None:
    """All scenes, or those named."""
    names = [scene.name for scene in scenes()]
    if folder.startswith("-") or set(wanted) - set(names):
        sys.exit(
            f"usage: python -m tests.dashboard.screenshots FOLDER [SCENE...], scenes: {', '.join(names)}"
        )
    out = Path(folder)
    out.mkdir(parents=True, exist_ok=True)
    with tempfile.TemporaryDirectory() as home, sync_playwright() as playwright:
        studio = Studio(Path(home))
        browser = playwright.chromium.launch(executable_path=CHROMIUM, args=FLAGS)
        with serving(studio.app) as address:
            for scene in (one for one in scenes() if not wanted or one.name in wanted):
                for size in scene.sizes:
                    for light in ("light", "dark"):
                        context = browser.new_context(
                            viewport=SIZES[size],  # type: ignore[arg-type]
                            color_scheme=light,  # type: ignore[arg-type]
                            reduced_motion="reduce",
                        )
                        page = context.new_page()
                        studio.visit(page, address, scene)
                        whole = scene.path != "/t/oak/" or size == "phone"
                        page.screenshot(path=out / f"{scene.name}-{size}-{light}.png", full_page=whole)
                        context.close()
                print(scene.name, flush=True)
        browser.close()
        studio.journal.close()


if __name__ == "__main__":
    main(*sys.argv[1:])
