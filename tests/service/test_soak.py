"""Fifty games in a row through one process: memory is that of one game.

A real session, journal (every action with its own commit) and serial link on a pseudo-terminal. Every action is told by a tap and
then made by hands, drop by drop; the host has taken in the last piece before the next tap. Pages of a screen and of a
seat are made now and then, as viewers ask for them.
"""

from __future__ import annotations

import gc
import time
from pathlib import Path

import pytest
from flask.testing import FlaskClient
from naqala import dashboard
from naqala.dashboard.view import show
from naqala.dashboard.viewers import THE_SCREEN, Viewer
from naqala.rules import notation
from naqala.rules.actions import Action, Sow
from naqala.rules.model import Game
from naqala.session import commands as c
from naqala.session.session import Session
from naqala.table.pieces import CAMEL_COLOURS

from tests.service.evening import decided
from tests.session.conftest import Table, until

GAMES = 50
SETTLED = 10  # games after which caches have their size


def resident_kb() -> int:
    """Memory of this process."""
    gc.collect()
    fields = Path("/proc/self/statm").read_text().split()
    return int(fields[1]) * 4


def one_game(table: Table, session: Session, browser: FlaskClient, seed: int) -> int:
    """From the set-up to the last score; returns how many actions it took."""
    table.controller.said.clear()  # the test's own memory of every line
    table.controller.heard.clear()
    table.follow(table.layout)
    heard(table, session)
    assert session.tell(c.NewGame("owner", table.players, CAMEL_COLOURS[:2], cards="physical"), 60).accepted
    until(session, lambda shown: shown.problems == (), 60)
    assert session.tell(c.Begin("owner", 0), 60).accepted
    plan = decided(session.snapshot.game, seed)
    for place, (_, action) in enumerate(plan[:-1]):
        assert action is not None
        step = session.snapshot.step
        assert session.tell(c.Tap("owner", step, notation.to_json(action)), 60).accepted
        hands(table, action, plan[place + 1][0])
        heard(table, session)
        if place % 10 == 0:
            show(session.snapshot, THE_SCREEN)
            show(session.snapshot, Viewer("seat", "Ann"))
        if place % 50 == 0:
            assert browser.get("/t/oak/").status_code == 200
    assert until(session, lambda shown: shown.stage == "over", 60).game == plan[-1][0]
    assert len(session.snapshot.log) == len(plan) - 1, "nothing was read that was not done"
    return len(plan) - 1


def hands(table: Table, action: Action, after: Game) -> None:
    if isinstance(action, Sow):
        table.sow(action.start, action.drops)
    table.follow(after)


def heard(table: Table, session: Session) -> None:
    """Wait until the host has taken in the last line of the table."""
    last = table.controller.seq
    until(session, lambda shown: bool(shown.sight) and max(shown.sight.last.values(), default=0) >= last, 60)


@pytest.mark.long
def test_fifty_games_in_a_row(table: Table) -> None:
    session = table.open()
    app = dashboard.create_app({"oak": session}, dashboard.Settings(table.folder, "http://127.0.0.1"))
    browser = app.test_client()
    began, actions, sizes = time.monotonic(), 0, []
    for seed in range(GAMES):
        actions += one_game(table, session, browser, seed)
        sizes.append(resident_kb())
    games = table.journal.games("oak")
    assert [game.how for game in games] == ["finished"] * GAMES
    assert sum(game.entries for game in games) == actions
    grown = sizes[-1] - sizes[SETTLED - 1]
    print(sizes)
    print(
        f"{GAMES} games, {actions} actions in {time.monotonic() - began:.0f} s: "
        f"{sizes[-1] / 1024:.0f} MB, {grown / 1024:+.1f} MB since game {SETTLED}"
    )
    assert grown < 0.08 * sizes[-1], (
        "caches with a limit (drawn tiles, walks) still fill; nothing else may grow"
    )
