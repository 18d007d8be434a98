"""The public snapshot at a real broker: retained, up to date, without a secret, and offline when the host is gone."""

from __future__ import annotations

import json
import os
import queue
import signal
import subprocess
import sys
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest
from naqala.service import TAGS, Service
from naqala.session import commands as c
from naqala.session import showing
from naqala.settings import Settings
from naqala.table.evidence import FRAME
from naqala.table.pieces import write_tags

from tests.link.broker import Broker, MqttController
from tests.link.test_mqtt_link import broker, guest
from tests.session.conftest import Table, bid_all, tap, until

__all__ = ("broker",)  # the fixture


@pytest.fixture
def table(tmp_path: Path, broker: Broker) -> Iterator[Table]:
    """A table whose controller is at the broker; its tags are in the folder of the service."""
    table = Table(tmp_path, readers=FRAME)
    (tmp_path / TAGS).write_text(write_tags(table.tags))
    table.cable = MqttController(broker, table.controller)
    table.cable.start()
    yield table
    table.cable.stop()


def settings(broker: Broker, home: Path) -> Settings:
    return Settings(tables={"oak": broker.url()}, journal=str(home / "journal.sqlite"))


class Reader:
    """Another program at the broker."""

    def __init__(self, broker: Broker) -> None:
        self._client, self._heard = guest(broker, "naqala/oak/state")

    def until(self, wanted: Callable[[dict[str, Any]], bool]) -> tuple[dict[str, Any], bool]:
        last: object = None
        while True:
            try:
                payload, retained = self._heard.get(timeout=60)
            except queue.Empty:
                raise AssertionError(f"not said; the last was {last}") from None
            last = state = json.loads(payload)
            if wanted(state):
                return state, retained

    def close(self) -> None:
        self._client.disconnect()
        self._client.loop_stop()


def test_the_state_is_retained_and_follows_the_game(broker: Broker, table: Table, tmp_path: Path) -> None:
    service = Service(settings(broker, tmp_path), tmp_path, port=0)
    service.start()
    reader = Reader(broker)
    try:
        session = service.sessions["oak"]
        reader.until(lambda state: state["online"] and state["stage"] == "welcome")
        table.begin(session)
        bid_all(session)
        state, _ = reader.until(lambda state: state.get("turn", {}).get("phase") == "sow")
        assert [player["gold"] for player in state["players"]] == [None, None]
        assert [player["goods"] for player in state["players"]] == [None, None]
        assert state["choices"] == []
        assert state["drawn_djinns"] is None
        assert state["board"]["C3"]["meeples"] == session.snapshot.game.tile("C3").meeples
        late = Reader(broker)
        same, retained = late.until(lambda state: True)
        assert retained
        assert same["step"] == state["step"]
        late.close()
        game = session.snapshot.game
        assert session.tell(c.UndoTo(c.OWNER, session.snapshot.step, 0)).accepted
        reader.until(lambda state: state["undo_asked"] is not None)
        assert session.snapshot.game == game
    finally:
        service.stop()
    reader.until(lambda state: state == {"online": False})
    reader.close()


def test_no_secret_of_a_djinn_s_owner(broker: Broker, table: Table, tmp_path: Path) -> None:
    """Djinns that were turned up for one player are on that player's phone and nowhere else."""
    service = Service(settings(broker, tmp_path), tmp_path, port=0)
    service.start()
    reader = Reader(broker)
    try:
        session = service.sessions["oak"]
        shown = table.begin(session)
        player = shown.game.turn.player
        session.note({"drawn": ["Boaz", "Enki"], "power": {}}, player)
        assert tap(session, player, do="bid", player=player, spot=5).why == "stale"
        showing.show(session)
        until(session, lambda shown: len(shown.log) == 1)
        state, _ = reader.until(lambda state: len(state["log"]) == 1)
        row = {djinn["name"] for djinn in state["djinn_row"]}
        for name in {"Boaz", "Enki"} - row:
            assert name not in json.dumps(state)
    finally:
        service.stop()
        reader.close()


def test_offline_when_the_host_dies(broker: Broker, table: Table, tmp_path: Path) -> None:
    command = [Path(sys.executable).parent / "naqala", "play", "--home", tmp_path, "--port", "0"]
    command += ["--no-lan", "--no-browser", "--link", broker.url()]
    host = subprocess.Popen(command, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
    reader = Reader(broker)
    try:
        reader.until(lambda state: state["online"] and state["health"]["state"] == "fine")
        os.kill(host.pid, signal.SIGKILL)
        assert reader.until(lambda state: not state["online"])[0] == {"online": False}
    finally:
        host.kill()
        host.wait()
        reader.close()
