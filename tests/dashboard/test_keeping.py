"""A page that remembers how it was shows exactly what a page made anew would show, whatever changes in between."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path
from random import Random
from typing import Any

import pytest
from naqala.dashboard.keeping import Page, reads
from naqala.dashboard.scene import FRAGMENTS
from naqala.dashboard.viewers import THE_SCREEN, Sitting, Viewer
from naqala.rules.actions import Undo
from naqala.session.snapshot import Question, Snapshot

from tests.dashboard.stand import Reading, Stand, a_game, app_for, readers, snapshot_after

RECORD = a_game(3, 5)
VIEWERS = (("screen", THE_SCREEN), ("seat", Viewer("seat", "Ann")), ("seat", Viewer("seat", "Bob")))
DOING = Reading({"reading": "doing", "hand": "YW", "path": ["C3", "C4"], "drops": [["C4", "G"]], "open": []})
# What else may change while the game stays as it is.
CHANGES: tuple[dict[str, Any], ...] = (
    {"reading": DOING},
    {"reading": None},
    {"help": True},
    {"help": False},
    {"readers": readers(("C4",))},
    {"readers": readers()},
    {"asked": Question(1, "Ann", "undo", (Undo(1),), waiting_for=("Bob", "Cy"))},
    {"asked": None},
    {"trouble": "the disk is full"},
    {"trouble": ""},
)


def snapshots(dice: Random) -> list[Snapshot]:
    """A game in leaps, back and forth, to its end and back, with changes of the table in between."""
    found = []
    last = len(RECORD.steps)
    for step in (
        0,
        0,
        1,
        *sorted(dice.sample(range(2, last), 5)),
        last,
        last - 1,
        dice.randrange(last),
        last,
    ):
        shown = snapshot_after(RECORD, step)
        found.append(shown)
        for change in dice.sample(CHANGES, 3):
            shown = replace(shown, version=shown.version + 1, **change)
            found.append(shown)
    return found


@pytest.mark.parametrize("seed", range(2))
def test_a_kept_page_is_as_one_made_anew(tmp_path: Path, seed: int) -> None:
    dice = Random(seed)
    shown = snapshots(dice)
    app = app_for(tmp_path, Stand(shown[0]))
    with app.test_request_context("/t/oak/"):
        for page, viewer in VIEWERS:
            kept = Page(page, viewer)
            for snapshot in shown:
                taken, robots = (frozenset(dice.sample(("Ann", "Bob"), dice.randrange(3))) for _ in "12")
                asked = (snapshot, Sitting(taken, robots), "http://192.168.1.5/t/oak/join", {})
                assert kept.fragments(*asked) == Page(page, viewer).fragments(*asked)


def test_a_drop_renders_what_it_changed(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Of the eight fragments of a screen a drop changes the board and the sentence beside it."""
    step = next(n for n in range(30, 200) if RECORD.at(n).turn.phase == "sow")
    shown = snapshot_after(RECORD, step)
    app = app_for(tmp_path, Stand(shown))
    rendered: list[str] = []
    render = Page._render

    def counted(page: Page, template: str) -> str:
        rendered.append(template)
        return render(page, template)

    monkeypatch.setattr(Page, "_render", counted)
    with app.test_request_context("/t/oak/"):
        page = Page("screen", THE_SCREEN)
        page.fragments(shown, Sitting(), "", {})
        assert len(rendered) == len(FRAGMENTS["screen"])
        rendered.clear()
        page.fragments(replace(shown, version=99, reading=DOING), Sitting(), "", {})
        assert sorted(rendered) == ["fragments/board.html", "fragments/now.html"]
        rendered.clear()
        page.fragments(replace(shown, version=100, reading=DOING), Sitting(), "", {})
        assert rendered == []


def test_what_a_fragment_reads_is_found_through_what_it_takes_in(tmp_path: Path) -> None:
    app = app_for(tmp_path, Stand(snapshot_after(RECORD, 3)))
    with app.test_request_context("/t/oak/"):
        assert {"drawn", "steps", "seats"} <= reads("fragments/board.html")
        assert "flag" in reads("fragments/seat-state.html")
