"""Fuzzed forms and paths: no 500, nothing changed without a seat, no seat acting for another, no session that stops."""

from __future__ import annotations

import json
import re
from collections.abc import Iterator
from functools import cache
from pathlib import Path
from typing import Any

import pytest
from flask import Flask
from flask.testing import FlaskClient
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st
from naqala.dashboard import Settings, create_app
from naqala.dashboard.keys import load_keys
from naqala.rules.actions import VERBS
from naqala.rules.board import TILES
from naqala.rules.djinns import DJINNS
from naqala.rules.goods import RESOURCES

from tests.dashboard.stand import Stand, a_game, app_for, snapshot_after
from tests.session.conftest import Table, table

__all__ = ("table",)  # the fixture
OURS = {"Origin": "http://localhost"}
RECORD = a_game(3, 5)

words = st.one_of(
    st.sampled_from(
        [*TILES, *RESOURCES, *DJINNS, *VERBS, "Ann", "Bob", "Cy", "owner", "yes", "", "0", "1", "-1"]
    ),
    st.integers(-5, 10**12).map(str),
    st.text(max_size=30),
)
values = st.recursive(
    st.none() | st.booleans() | st.integers() | words,
    lambda inner: st.lists(inner, max_size=4) | st.dictionaries(words, inner, max_size=4),
    max_leaves=8,
)
actions = st.fixed_dictionaries(
    {"do": st.sampled_from([*VERBS, "", "nothing"])},
    optional=dict.fromkeys(
        ("player", "spot", "fakirs", "start", "drops", "victims", "cards", "djinn", "elders", "tile"), values
    )
    | dict.fromkeys(
        ("suits", "what", "card", "drawn", "keep", "meeples", "row", "djinns", "fill", "to"), values
    ),
)
fields = st.dictionaries(
    st.sampled_from(
        [
            "step",
            "action",
            "to",
            "option",
            "agreed",
            "tile",
            "palms",
            "palaces",
            "camel",
            "count.Y",
            "good",
            "name",
            "reader",
            "kind",
            "on",
            "name.1",
            "name.2",
            "colour.1",
            "colour.2",
            "layout",
            "tile.A1",
            "fill.0.row.0",
            "back",
        ]
    ),
    words | actions.map(json.dumps),
    max_size=8,
)
paths = st.lists(
    st.one_of(st.sampled_from(["t", "oak", "elm", "seat", "end", "log", "history", "stream", ".."]), words),
    max_size=5,
)


@pytest.fixture(scope="module")
def stand() -> Stand:
    return Stand(snapshot_after(RECORD, len(RECORD.steps) // 2))


@pytest.fixture(scope="module")
def app(tmp_path_factory: pytest.TempPathFactory, stand: Stand) -> Flask:
    found: Flask = app_for(tmp_path_factory.mktemp("home"), stand)
    found.testing = True
    return found


@cache
def token(client: FlaskClient) -> str:
    """A browser's token stays the same as long as its cookie."""
    found = re.search(r'name="csrf" value="([^"]+)"', client.get("/t/oak/join").text)
    assert found
    return found[1]


@pytest.fixture(scope="module")
def clients(app: Flask) -> dict[str, FlaskClient]:
    made = {kind: app.test_client() for kind in ("spectator", "Ann", "owner")}
    made["Ann"].post("/t/oak/sit", data={"csrf": token(made["Ann"]), "name": "Ann"}, headers=OURS)
    assert made["Ann"].get("/t/oak/seat").status_code == 200
    home = app.extensions["naqala-settings"].home
    made["owner"].get(f"/owner?token={load_keys(home).owner}")
    return made


SEATING = ("/t/<table>/stand-up", "/t/<table>/sit", "/t/<table>/together")


def posts(app: Flask) -> list[str]:
    return [
        rule.rule.replace("<table>", "oak")
        for rule in app.url_map.iter_rules()
        if "POST" in (rule.methods or ()) and rule.rule not in SEATING
    ]


@pytest.mark.parametrize("kind", ["spectator", "Ann", "owner"])
@settings(max_examples=150, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(data=st.data())
def test_any_form_is_answered(
    app: Flask, stand: Stand, clients: dict[str, FlaskClient], kind: str, data: st.DataObject
) -> None:
    client = clients[kind]
    address = data.draw(st.sampled_from(posts(app)))
    sent: dict[str, Any] = data.draw(fields)
    stand.told.clear()
    answer = client.post(address, data={**sent, "csrf": token(client)}, headers=OURS)
    assert answer.status_code < 500
    for command in stand.told:
        assert kind != "spectator", "nothing is told without a seat"
        assert command.by == kind
        assert getattr(command, "action", {}).get("player", kind) == kind


@settings(max_examples=200, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(
    parts=paths,
    query=st.dictionaries(st.sampled_from(["start", "drops", "step", "token"]), words, max_size=3),
)
def test_any_path_is_answered(
    clients: dict[str, FlaskClient], parts: list[str], query: dict[str, str]
) -> None:
    for client in clients.values():
        path = "/".join(part.replace("/", "").replace("?", "").replace("#", "") for part in parts)
        address = "/" + path.lstrip("/")  # what follows two strokes would be a host
        answer = client.get(address, query_string=query)
        assert answer.status_code < 500
        answer.close()


@settings(max_examples=150, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(
    start=st.sampled_from(TILES),
    drops=st.lists(st.tuples(st.sampled_from(TILES), st.sampled_from("YWGBR?")), max_size=6),
)
def test_any_told_move_is_answered(
    clients: dict[str, FlaskClient], stand: Stand, start: str, drops: list[tuple[str, str]]
) -> None:
    step = next(
        n for n in range(len(RECORD.steps)) if RECORD.at(n).turn == type(RECORD.at(n).turn)("Ann", "sow")
    )
    shown = snapshot_after(RECORD, step)
    stand.show(game=shown.game, choices=shown.choices, log=shown.log)
    way = ">".join((start, *(tile + letter for tile, letter in drops)))
    for query in ({"way": way}, {"way": way, "at": start}, {"at": start}, {"way": way[1:]}):
        assert clients["Ann"].get("/t/oak/move", query_string=query).status_code in (200, 404)


@pytest.fixture
def playing(table: Table, tmp_path: Path) -> Iterator[tuple[Table, FlaskClient, str]]:
    session = table.open()
    table.begin(session)
    app = create_app({"oak": session}, Settings(tmp_path / "home"))
    app.testing = True
    client = app.test_client()
    name = session.snapshot.game.turn.player
    client.post("/t/oak/sit", data={"csrf": token(client), "name": name}, headers=OURS)
    yield table, client, name


@settings(max_examples=120, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(action=actions)
def test_a_real_session_survives_any_tap(
    playing: tuple[Table, FlaskClient, str], action: dict[str, Any]
) -> None:
    table, client, name = playing
    session = table.sessions[-1]
    before = session.snapshot
    sent = {"csrf": token(client), "step": str(before.step), "action": json.dumps(action)}
    answer = client.post("/t/oak/tap", data=sent, headers={**OURS, "Accept": "application/json"})
    assert answer.status_code < 500
    after = session.snapshot
    assert not after.stopped, after.stopped
    if after.step != before.step:
        assert after.log[-1].by == name
        assert before.game.turn.player == name
