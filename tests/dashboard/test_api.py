"""`/api`: the document tells every address and no other, schemathesis finds no answer beside it, keys bound what programs may do.

Schemathesis knows nothing of this project: it reads the document from the running service and tries what it allows and what it
does not.
"""

from __future__ import annotations

import json
import os
import re
import subprocess
import sys
import urllib.error
import urllib.request
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
import schemathesis
from hypothesis import HealthCheck, Phase, settings
from naqala.dashboard.openapi import document
from naqala.dashboard.programs import METRICS, PUBLIC, SEAT, TELL, Programs
from naqala.journal import Journal
from naqala.rules import notation, position
from naqala.session.commands import Answer, Tap
from schemathesis.checks import CHECKS

from tests.conftest import ROOT
from tests.dashboard.stand import Stand, a_game, app_for, serving, snapshot_after, step_where

RECORD = a_game(2)


class House:
    """A served app with a table in the middle of the bids, a game of the past, and keys."""

    def __init__(self, app: Any, address: str, stand: Stand) -> None:
        self.app, self.address, self.stand = app, address, stand
        self.programs: Programs = app.extensions["naqala-programs"]

    def key(self, *scopes: str, seat: str = "Ann", table: str = "oak") -> str:
        return self.programs.make("a program", scopes, table, seat)[1]

    def ask(self, path: str, key: str = "", body: object = None, **head: str) -> tuple[int, Any]:
        headers = {"Content-Type": "application/json", **head}
        if key:
            headers["Authorization"] = f"Bearer {key}"
        data = None if body is None else body if isinstance(body, bytes) else json.dumps(body).encode()
        request = urllib.request.Request(f"{self.address}/api{path}", data, headers)
        try:
            with urllib.request.urlopen(request, timeout=60) as answer:
                text = answer.read()
                return answer.status, json.loads(text) if answer.headers[
                    "Content-Type"
                ] == "application/json" else text
        except urllib.error.HTTPError as error:
            assert error.headers["Content-Type"] == "application/json"
            return error.code, json.load(error)


@pytest.fixture(scope="module")
def house(tmp_path_factory: pytest.TempPathFactory) -> Iterator[House]:
    home = tmp_path_factory.mktemp("home")
    with Journal.open(str(home / "journal.sqlite")) as journal:
        game = journal.new_game("oak", position.to_json(RECORD.opening) | {"companion": {}})
        for number, step in enumerate(RECORD.steps, 1):
            by = getattr(step.action, "player", None) or "owner"
            journal.append(game, number, "action", by, notation.to_json(step.action), 1000 * number)
        journal.close_game(game, "finished")
        stand = Stand(snapshot_after(RECORD, step_where(RECORD, "bid")))
        app = app_for(home, stand, journal=journal)
        with serving(app) as address:
            yield House(app, address, stand)


def test_the_document_tells_every_address_and_no_other(house: House) -> None:
    told = {
        (re.sub(r"\{(\w+)\}", r"<\1>", path), method.upper())
        for path, methods in document()["paths"].items()
        for method in methods
    }
    there = {
        (rule.rule, method)
        for rule in house.app.url_map.iter_rules()
        if rule.rule.startswith("/api")
        for method in rule.methods - {"HEAD", "OPTIONS"}
    }
    assert told == there
    assert house.ask("/openapi.json") == (200, json.loads(json.dumps(document())))


# What pages fetch as JSON is theirs, not for programs; each is named here so that a new one has to be decided about.
OF_THE_PAGES = {
    "/t/<table>/state.json",
    "/manifest.webmanifest",
    "/t/<table>/history/<int:game_id>",
    "/t/<table>/history/<int:game_id>/review",
}


def test_no_address_outside_the_document_answers_a_program_with_json(house: House) -> None:
    client = house.app.test_client()
    found = set()
    values = {"table": "oak", "name": "A1", "game_id": 1, "step": 1, "to": 1, "code": "BBBB"}
    for rule in house.app.url_map.iter_rules():
        if "GET" not in rule.methods or "stream" in rule.rule or rule.rule.startswith(("/api", "/static")):
            continue
        address = re.sub(
            r"<(?:[^:>]+:)?(\w+)>", lambda part: str(values[part[1]]) if part[1] in values else "x", rule.rule
        )
        answer = client.get(address, headers={"Accept": "application/json"})
        if answer.status_code == 200 and "json" in (answer.content_type or ""):
            found.add(rule.rule)
    assert found <= OF_THE_PAGES


FEW = settings(
    max_examples=12,
    deadline=None,
    derandomize=True,
    database=None,
    phases=[Phase.explicit, Phase.generate],
    suppress_health_check=list(HealthCheck),
)
LEFT_OUT = {
    # A tap that fits the document may still be refused by the rules, and a table may not exist: 409 and 404 are right answers.
    "positive_data_acceptance",
    "missing_required_header",
    "use_after_free",
    "ensure_resource_availability",
}


THERE = {"table": "oak", "game": 1}


def test_schemathesis_finds_no_answer_beside_the_document(house: House) -> None:
    key = house.key(PUBLIC, SEAT, TELL)
    schema = schemathesis.openapi.from_url(f"{house.address}/api/openapi.json")
    checks = [CHECKS.get_one(name) for name in CHECKS.get_all_names() if name not in LEFT_OUT]
    assert len(checks) >= 6
    tried = 0
    for result in schema.get_all_operations():
        operation = result.ok()

        @FEW
        @_given(operation)
        def looks(case: Any) -> None:
            nonlocal tried
            tried += 1
            if tried % 2 and case.path_parameters:  # every second time something that is there
                case.path_parameters.update(
                    {name: value for name, value in THERE.items() if name in case.path_parameters}
                )
            case.call_and_validate(
                base_url=house.address, headers={"Authorization": f"Bearer {key}"}, checks=checks, timeout=60
            )

        looks()
    assert tried > 50


def _given(operation: Any) -> Any:
    from hypothesis import given

    return given(case=operation.as_strategy())


# --- keys ----------------------------------------------------------------------------------------------------------------

SCOPE_OF = {
    "/tables": PUBLIC,
    "/tables/oak/state": PUBLIC,
    "/tables/oak/games": PUBLIC,
    "/tables/oak/games/1/game.json": PUBLIC,
    "/tables/oak/choices": SEAT,
    "/tables/oak/taps": TELL,
}


@pytest.mark.parametrize("path", SCOPE_OF)
def test_nothing_without_a_key_and_nothing_beyond_its_scope(house: House, path: str) -> None:
    body = {"step": 1, "action": {"do": "end"}} if path.endswith("taps") else None
    assert house.ask(path, body=body)[0] == 401
    assert house.ask(path, "nq_wrong", body)[0] == 401
    assert house.ask(path, "ünï".encode().decode("latin-1"), body)[0] == 401
    for scope in (PUBLIC, SEAT, TELL, METRICS):
        fits = scope == SCOPE_OF[path] or (scope == SEAT and path.endswith("/state"))
        status, _ = house.ask(path, house.key(scope), body)
        assert (status != 403) is fits, (scope, status)


def test_a_cookie_is_no_key(house: House) -> None:
    client = house.app.test_client()
    token = house.app.extensions["naqala-keys"].owner
    assert client.get(f"/owner?token={token}").status_code == 302
    assert client.get("/api/tables").status_code == 401
    assert client.post("/api/tables/oak/taps", json={"step": 1, "action": {"do": "end"}}).status_code == 401


def test_a_revoked_key_is_worth_nothing_and_the_file_holds_none(house: House) -> None:
    made, token = house.programs.make("scoreboard", [PUBLIC])
    assert house.ask("/tables", token)[0] == 200
    file = Path(house.app.extensions["naqala-settings"].home) / "api-keys.json"
    assert token not in file.read_text() and oct(file.stat().st_mode)[-3:] == "600"
    assert Programs(file.parent).of(token) == made, "it lasts over a restart"
    assert house.programs.revoke(made.id) and not house.programs.revoke(made.id)
    assert house.ask("/tables", token)[0] == 401
    assert Programs(file.parent).of(token) is None


def test_a_public_key_sees_no_secret_and_a_seat_only_its_own(house: House) -> None:
    def purses(key: str) -> dict[str, Any]:
        return {one["name"]: one["gold"] for one in house.ask("/tables/oak/state", key)[1]["players"]}

    ann, bob = RECORD.opening.players
    assert purses(house.key(PUBLIC)) == {ann.name: None, bob.name: None}
    mine = purses(house.key(SEAT, seat=ann.name))
    assert isinstance(mine[ann.name], int) and mine[bob.name] is None
    other = house.key(SEAT, seat=ann.name, table="elm")
    assert house.ask("/tables/oak/state", other)[0] == 403


def test_a_tap_acts_for_its_own_player_only(house: House) -> None:
    key = house.key(TELL)
    house.stand.told.clear()
    assert (
        house.ask("/tables/oak/taps", key, {"step": 9, "action": {"do": "bid", "spot": 3, "fakirs": 0}})[0]
        == 200
    )
    assert house.stand.told == [Tap("Ann", 9, {"do": "bid", "spot": 3, "fakirs": 0, "player": "Ann"})]
    assert house.ask("/tables/oak/taps", key, {"step": 9, "action": {"do": "end", "player": "Bob"}})[0] == 403
    house.stand.answer = Answer(False, "stale")
    try:
        status, said = house.ask("/tables/oak/taps", key, {"step": 9, "action": {"do": "end"}})
    finally:
        house.stand.answer = Answer(True)
    assert (status, said["error"]) == (409, "stale") and said["say"]


BAD = {
    "not JSON": b"{",
    "a list": b"[]",
    "deep": b"[" * 3000,
    "a key too many": b'{"step": 1, "action": {"do": "end"}, "x": 1}',
    "no step": b'{"action": {"do": "end"}}',
    "a step that is true": b'{"step": true, "action": {"do": "end"}}',
    "an undo": b'{"step": 1, "action": {"do": "undo", "to": 0}}',
    "half a letter": b'{"step": 1, "action": {"do": "end", "x": "\\ud800"}}',
    "NaN": b'{"step": NaN, "action": {"do": "end"}}',
}


@pytest.mark.parametrize("what", BAD)
def test_what_no_tap_can_be_is_refused_before_the_session(house: House, what: str) -> None:
    house.stand.told.clear()
    status, said = house.ask("/tables/oak/taps", house.key(TELL), BAD[what])
    assert status == 400 and said["error"] == "bad_request"
    assert house.stand.told == []


def test_other_types_and_addresses(house: House) -> None:
    key = house.key(PUBLIC, TELL)
    assert house.ask("/tables/oak/taps", key, b"a=b", **{"Content-Type": "text/plain"})[0] == 415
    assert house.ask("/tables/elm/state", key)[0] == 404
    assert house.ask("/tables/oak/games/99/game.json", key)[0] == 404
    assert house.ask("/nothing", key)[0] == 404
    assert house.ask("/tables", key, {})[0] == 405


# --- the examples of the document for people ------------------------------------------------------------------------------

EXAMPLES = re.findall(r"```(curl|python)\n(.*?)```", (ROOT / "host/API.md").read_text(), re.DOTALL)


@pytest.mark.parametrize(("kind", "code"), EXAMPLES, ids=range(len(EXAMPLES)))
def test_the_examples_do_what_they_say(house: House, kind: str, code: str) -> None:
    house.stand.told.clear()
    bidder = house.stand.snapshot.game.turn.player
    key = house.key(PUBLIC, SEAT, TELL, seat=bidder)
    command = ["sh", "-c", code] if kind == "curl" else [sys.executable, "-c", code]
    environment = {**os.environ, "NAQALA": house.address, "KEY": key}
    done = subprocess.run(command, env=environment, capture_output=True, text=True, timeout=120, check=False)
    assert done.returncode == 0, done.stderr
    if kind == "curl":
        assert json.loads(done.stdout)
        assert "error" not in json.loads(done.stdout)
    else:
        assert "accepted" in done.stdout
        assert [(told.by, told.action["do"]) for told in house.stand.told] == [(bidder, "bid")]  # type: ignore[union-attr]


def test_there_are_examples_for_reading_and_for_telling() -> None:
    assert {kind for kind, _ in EXAMPLES} == {"curl", "python"} and len(EXAMPLES) >= 4
