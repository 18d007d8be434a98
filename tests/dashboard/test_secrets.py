"""Nobody sees another's gold or goods before the end: every address, every kind of viewer, a whole game's bytes.

Secrets are made findable. Gold is raised by large odd numbers that stand nowhere else; for goods a second game is made
in which only hidden things differ, and every byte that reaches a viewer must be the same.
"""

from __future__ import annotations

import json
import re
from collections import Counter
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest
from flask import Flask
from flask.testing import FlaskClient
from naqala.dashboard.keys import load_keys
from naqala.dashboard.scene import FRAGMENTS
from naqala.dashboard.view import show
from naqala.dashboard.viewers import THE_SCREEN, Viewer
from naqala.rules.choices import legal
from naqala.rules.events import CardDrawn
from naqala.rules.goods import in_order
from naqala.rules.model import Game
from naqala.rules.piles import RESOURCE_PILE, pile
from naqala.session.snapshot import Snapshot

from tests.dashboard.stand import Stand, a_game, app_for, snapshot_after

PURSES = {"Ann": 710_093, "Bob": 820_097, "Cy": 930_091}
RECORD = a_game(3, 5)
MIDDLE = range(2, len(RECORD.steps) - 1, 19)


def rich(game: Game) -> Game:
    """The same game with purses that can be found."""
    for name, gold in PURSES.items():
        player = game.player(name)
        game = game.with_player(replace(player, gold=player.gold + gold))
    return game


def other_hands(game: Game, but: str | None) -> Game:
    """The same game with other gold and other cards in the hands of everybody else, of the same number."""
    for player in game.players:
        if player.name == but:
            continue
        hidden = pile(game, RESOURCE_PILE)
        swapped = []
        for good in player.goods:
            fresh = next(
                (card for card in sorted(hidden) if card not in (good, "fakir") and hidden[card]), good
            )
            hidden[fresh] -= 1
            swapped.append(fresh)
        changed = replace(player, goods=in_order(swapped), gold=player.gold + 1000)
        game = game.with_player(changed)
    return game


def addresses(app: Flask) -> list[str]:
    """Every address that answers a GET, filled in."""
    found = []
    for rule in app.url_map.iter_rules():
        if "GET" not in (rule.methods or ()) or rule.endpoint == "static":
            continue
        address = rule.rule.replace("<table>", "oak")
        for field, value in (("<int:step>", "0"), ("<int:game_id>", "1"), ("tile/<name>", "tile/C3")):
            address = address.replace(field, value)
        pages = FRAGMENTS if "<page>" in address else [""]
        names = (
            ("score.csv", "score.json", "game.json", "record.txt", "bgstats.json")
            if "<name>" in address
            else [""]
        )
        found += [address.replace("<page>", page).replace("<name>", name) for page in pages for name in names]
    assert len(found) > 25
    return found


def client_of(app: Flask, home: Path, kind: str) -> FlaskClient:
    client = app.test_client()
    if kind == "owner":
        assert client.get(f"/owner?token={load_keys(home).owner}").status_code == 302
    elif kind != "spectator":
        token = re.search(r'name="csrf" value="([^"]+)"', client.get("/t/oak/join").text)
        assert token
        sent = {"csrf": token[1], "name": kind}
        client.post("/t/oak/sit", data=sent, headers={"Origin": "http://localhost"})
        assert client.get("/t/oak/seat").status_code == 200
    return client


def everything(client: FlaskClient, app: Flask) -> dict[str, bytes]:
    """What reaches a viewer: whole answers, and the first message of every stream."""
    found = {}
    for address in addresses(app):
        answer = client.get(address)
        if answer.mimetype == "text/event-stream":
            lines = answer.iter_encoded()
            found[address] = next(lines) + next(lines)
            answer.close()
        else:
            found[address] = re.sub(rb'name="csrf" value="[^"]+"', b"", answer.data)
    return found


@pytest.mark.parametrize("kind", ["spectator", "owner", "Ann", "Bob"])
def test_no_purse_but_ones_own_in_a_whole_game(tmp_path: Path, kind: str) -> None:
    stand = Stand(snapshot_after(RECORD, 0))
    app = app_for(tmp_path, stand)
    app.testing = True
    client = client_of(app, tmp_path, kind)
    for step in MIDDLE:
        snapshot = snapshot_after(RECORD, step)
        game = rich(snapshot.game)
        stand.show(game=game, choices=legal(game), log=snapshot.log, step=snapshot.step)
        numbers = {name: str(game.player(name).gold).encode() for name in PURSES}
        for address, seen in everything(client, app).items():
            for name, number in numbers.items():
                if name != kind:
                    assert number not in seen, f"{name}'s gold at {address} for {kind} after {step}"
            if kind in numbers and address.endswith("/seat"):
                assert numbers[kind] in seen, "the search finds what is there"


@pytest.mark.parametrize("kind", ["spectator", "owner", "Ann"])
def test_what_others_hold_changes_no_byte(tmp_path: Path, kind: str) -> None:
    """Two games that differ only in what others hide look the same, to the last byte."""
    steps = [step for step in MIDDLE if any(player.goods for player in RECORD.at(step).players)][-4:]
    assert steps
    stand = Stand(snapshot_after(RECORD, 0))
    app = app_for(tmp_path, stand)
    app.testing = True
    client = client_of(app, tmp_path, kind)
    for step in steps:
        snapshot = snapshot_after(RECORD, step)
        twin = other_hands(snapshot.game, kind)
        assert twin != snapshot.game
        seen: list[dict[str, bytes]] = []
        for game in (snapshot.game, twin):
            # Who acts has choices of their own; they are worked out from the twin as well.
            stand._snapshot = replace(
                stand.snapshot,
                game=game,
                choices=legal(game),
                log=snapshot.log,
                step=step,
                version=1000 + 2 * step,
            )
            app.extensions["naqala-hub"]._tables.clear()  # nothing rendered before is shown again
            seen.append(everything(client, app))
        for address in seen[0]:
            assert seen[0][address] == seen[1][address], f"{address} tells {kind} what others hold"


def secrets_in(shown: dict[str, Any], name: str) -> dict[str, Any]:
    player = next(player for player in shown["players"] if player["name"] == name)
    return {key: player[key] for key in ("gold", "goods", "fakirs")}


NOTHING = {"gold": None, "goods": None, "fakirs": None}


def test_the_gate_opens_for_ones_own_and_at_the_end() -> None:
    middle = snapshot_after(RECORD, MIDDLE[-1])
    assert secrets_in(show(middle, Viewer("seat", "Ann", ("Ann",))), "Bob") == NOTHING
    assert secrets_in(show(middle, Viewer("seat", "Ann", ("Ann",), owner=True)), "Bob") == NOTHING
    ann = middle.game.player("Ann")
    own = secrets_in(show(middle, Viewer("seat", "Ann", ("Ann",))), "Ann")
    assert own == {"gold": ann.gold, "goods": dict(Counter(ann.goods)), "fakirs": ann.fakirs}
    over = snapshot_after(RECORD, len(RECORD.steps))
    assert over.stage == "over"
    assert secrets_in(show(over, THE_SCREEN), "Bob")["gold"] == over.game.player("Bob").gold


def test_open_hands_where_the_table_plays_so() -> None:
    record = a_game(3, 5, switches={"hand_visibility": "public"})
    shown = secrets_in(show(snapshot_after(record, len(record.steps) // 2), THE_SCREEN), "Bob")
    assert shown["gold"] is None
    assert shown["goods"] is not None


def drawn_somewhere() -> tuple[Snapshot, str, str]:
    """A snapshot just after somebody drew a card from the pile, with who and which."""
    for seed in range(40):
        record = a_game(3, seed)
        for number, step in enumerate(record.steps, 1):
            for event in step.events:
                if isinstance(event, CardDrawn) and number < len(record.steps):
                    return snapshot_after(record, number), event.player, event.card
    raise AssertionError("nobody ever drew a card")


def test_a_card_drawn_from_the_pile_is_its_owners() -> None:
    snapshot, player, card = drawn_somewhere()

    def drawn(viewer: Viewer) -> list[Any]:
        line = show(snapshot, viewer)["log"][-1]
        return [event["card"] for event in line["events"] if event["event"] == "CardDrawn"]

    assert drawn(Viewer("seat", player, (player,))) == [card]
    assert drawn(THE_SCREEN) == [None]
    assert "action" not in show(snapshot, THE_SCREEN)["log"][-1]


def test_numbers_of_earlier_rounds_fade_from_the_log() -> None:
    late = next(n for n in range(len(RECORD.steps)) if RECORD.at(n).round == 4)
    log = show(snapshot_after(RECORD, late), THE_SCREEN)["log"]
    old = [event for line in log[: len(log) // 2] for event in line["events"]]
    assert not [event for event in old if event["event"] == "GoldMoved"]
    assert all(event["card"] is None for event in old if event["event"] == "CardTaken")


def test_choices_never_tell_what_the_pile_holds() -> None:
    """With one's own cards the pile would tell the others' hands; in a game of two exactly."""
    for seed in range(3):
        record = a_game(2, seed)
        for step in range(0, len(record.steps), 11):
            snapshot = snapshot_after(record, step, cards="physical")
            for player in record.opening.players:
                for choice in show(snapshot, Viewer("seat", player.name, (player.name,)))["choices"]:
                    for ask in choice["asks"]:
                        if ask["field"] in ("row", "card"):
                            assert len(ask["options"]) == 10


def test_nothing_of_the_end_exists_before_it(tmp_path: Path) -> None:
    app = app_for(tmp_path, Stand(snapshot_after(RECORD, MIDDLE[-1])))
    client = app.test_client()
    for address in (
        "end",
        "end/score.csv",
        "end/score.json",
        "end/game.json",
        "end/record.txt",
        "end/bgstats.json",
    ):
        assert client.get(f"/t/oak/{address}").status_code == 404


def test_the_state_is_plain_json() -> None:
    for step in MIDDLE:
        shown = show(snapshot_after(RECORD, step), THE_SCREEN)
        assert json.loads(json.dumps(shown))["stage"] == shown["stage"]
