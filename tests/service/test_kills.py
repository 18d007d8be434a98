"""The power fails, three hundred times: over a pseudo-terminal, over mosquitto, and with pages and all.

A game is decided beforehand: each action follows from the game and its own dice, so it is the same whoever dies in
between. The table stands in this process and outlives every host, as a table does; so do the people at it, who set it by
the record before the next host looks. Everything is told by taps and then made by hands; no hand moves while a host dies.
What hands do while there is no host is in `tests/session/test_catching.py`.
"""

from __future__ import annotations

import contextlib
import itertools
import re
import threading
import urllib.request
from collections.abc import Iterator
from pathlib import Path

import pytest
from naqala.rules.scoring import score
from naqala.service import TAGS
from naqala.table.evidence import FRAME
from naqala.table.pieces import write_tags

from tests.link.broker import Broker, MqttController
from tests.service.evening import Evening, Hosts, Life
from tests.session.conftest import Table


@pytest.fixture
def hosts(tmp_path: Path) -> Iterator[Hosts]:
    hosts = Hosts(tmp_path)
    yield hosts
    hosts.close()


def check(evening: Evening) -> None:
    """The game went to the very end it would have had."""
    final = evening.plan[-1][0]
    assert evening.standing()[1] == final
    assert score(evening.standing()[1]) == score(final)
    assert evening.journal.game(evening.game_id).how == "finished"


@contextlib.contextmanager
def evening(hosts: Hosts, folder: Path, seed: int, kind: str = "session") -> Iterator[Evening]:
    """A table on a pseudo-terminal."""
    folder.mkdir()
    table = Table(folder, seed, ("Ann", "Bob", "Cy")[: 2 + seed % 2], FRAME)
    (folder / TAGS).write_text(write_tags(table.tags))
    table.cable.plug()
    found = Evening(hosts, table, f"serial:{table.cable.path}", kind, seed)
    try:
        yield found
    finally:
        found.close()
        table.cable.pull()


@pytest.mark.long
def test_two_hundred_and_thirty_kills_on_a_cable(hosts: Hosts, tmp_path: Path) -> None:
    inside = kills = held = 0
    for seed in itertools.count(1):
        with evening(hosts, tmp_path / str(seed), seed) as game:
            game.play(min(60, 230 - kills))
            check(game)
            kills, inside, held = kills + game.kills, inside + game.inside, held + game.held
        if kills >= 230:
            break
    print(f"{kills} kills, {inside} of them while an entry was being written")
    assert inside >= held >= 30


@pytest.mark.long
def test_forty_kills_at_a_broker(hosts: Hosts, tmp_path: Path) -> None:
    (tmp_path / "broker").mkdir()
    broker = Broker(tmp_path / "broker")
    broker.start()
    table = Table(tmp_path, 5, readers=FRAME)
    (tmp_path / TAGS).write_text(write_tags(table.tags))
    table.cable = MqttController(broker, table.controller)
    table.cable.start()
    try:
        game = Evening(hosts, table, broker.url(), "session", 5)
        game.play(40)
        check(game)
        game.close()
    finally:
        table.cable.stop()
        broker.stop()


class Browser:
    """The owner's browser: a stream that shows the step, and nothing else."""

    def __init__(self, owner: str) -> None:
        self.step = 0
        base = owner.partition("/owner")[0]
        self.opener = urllib.request.build_opener(urllib.request.HTTPCookieProcessor())
        self.opener.open(owner, timeout=30).read()
        self._stream = self.opener.open(f"{base}/t/oak/stream/screen", timeout=30)
        threading.Thread(target=self._listen, daemon=True).start()

    def _listen(self) -> None:
        with contextlib.suppress(OSError, ValueError):
            for line in self._stream:
                if found := re.search(rb'name=\\"step\\" value=\\"(\d+)\\"', line):
                    self.step = int(found[1])


class WholeEvening(Evening):
    """With pages: what counts as seen is what a browser's stream carried."""

    def act(self, life: Life, left: int, deadly: float) -> None:
        self.browser = Browser(life.owner)
        super().act(life, left, deadly)

    def die(self, life: Life, after: float, within: int = 0) -> None:
        super().die(life, after, within)
        browser = getattr(self, "browser", None)
        if browser is not None:
            assert len(self.journal.entries(self.game_id)) >= browser.step - 1, "a page showed what is lost"
            self.steps_seen = max(getattr(self, "steps_seen", 0), browser.step)


@pytest.mark.long
def test_thirty_kills_of_the_whole_service(hosts: Hosts, tmp_path: Path) -> None:
    folder = tmp_path / "whole"
    folder.mkdir()
    table = Table(folder, 7, readers=FRAME)
    (folder / TAGS).write_text(write_tags(table.tags))
    table.cable.plug()
    try:
        game = WholeEvening(hosts, table, f"oak=serial:{table.cable.path}", "service", 7)
        game.play(30)
        check(game)
        assert game.steps_seen > 100
        game.close()
    finally:
        table.cable.pull()
