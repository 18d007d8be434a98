"""Pages without a browser: set-up, the past, diagnostics, the end, and what a form without script answers."""

from __future__ import annotations

import re
from collections.abc import Iterator
from itertools import pairwise
from pathlib import Path
from typing import Any

import pytest
from flask.testing import FlaskClient
from naqala import transcript
from naqala.dashboard import Settings, create_app
from naqala.dashboard.charts import chart, over_rounds, time_per_player
from naqala.dashboard.keys import load_keys
from naqala.rules import notation, position, record
from naqala.rules.scoring import CATEGORIES, score, winners
from naqala.session.commands import Abort, NewGame
from naqala.table.readings import Wrong

from tests.dashboard.screenshots import RECORD, Studio, state
from tests.dashboard.stand import a_game
from tests.session.conftest import Table, table, until

__all__ = ("table",)  # the fixture
OURS = {"Origin": "http://localhost"}
LAST = len(RECORD.steps)


@pytest.fixture
def studio(tmp_path: Path) -> Iterator[Studio]:
    made = Studio(tmp_path)
    yield made
    made.journal.close()


@pytest.fixture
def owner(studio: Studio) -> FlaskClient:
    client: FlaskClient = studio.app.test_client()
    client.get(f"/owner?token={load_keys(studio.home).owner}")
    return client


def token(client: FlaskClient) -> str:
    found = re.search(r'name="csrf" value="([^"]+)"', client.get("/t/oak/join").text)
    assert found
    return found[1]


def post(client: FlaskClient, address: str, **data: Any) -> Any:
    return client.post(address, data={"csrf": token(client), **data}, headers=OURS)


WIZARD = {
    "name.1": "Ann",
    "colour.1": "pink",
    "name.2": " Bob ",
    "colour.2": "black",
    "cards": "physical",
    "help": "yes",
}


def test_the_wizard_asks_for_one_game(studio: Studio, owner: FlaskClient) -> None:
    wanted = {**WIZARD, "switch.hand_visibility": "public", "language": "nl", "edition": "slave"}
    assert post(owner, "/t/oak/setup/new", **wanted).status_code == 303
    (command,) = studio.stand.told
    assert isinstance(command, NewGame)
    assert (command.players, command.colours) == (("Ann", "Bob"), ("pink", "black"))
    assert (command.cards, command.help, command.language, command.edition) == (
        "physical",
        True,
        "nl",
        "slave",
    )
    assert dict(command.switches)["hand_visibility"] == "public"
    assert command.tiles is None


def test_the_layout_by_taps(studio: Studio, owner: FlaskClient) -> None:
    tiles = {f"tile.{column}{row}": "oasis 8" for column in "ABCDEF" for row in "12345"}
    post(owner, "/t/oak/setup/new", **WIZARD, layout="taps", **tiles)
    (command,) = studio.stand.told
    assert isinstance(command, NewGame)
    assert command.tiles
    assert len(command.tiles) == 30
    assert command.tiles["C3"] == {"type": "oasis", "points": 8}


@pytest.mark.parametrize(
    ("changes", "said"),
    [
        ({"name.2": ""}, "Two to four players"),
        ({"name.2": "Ann"}, "Two to four players"),
        ({"robot.3": "greedy"}, "A robot needs a name too."),
        ({"name.2": "owner"}, "cannot be used"),
        ({"colour.2": "pink"}, "a colour of their own"),
        ({"colour.2": "mauve"}, "a colour of their own"),
    ],
)
def test_the_wizard_says_what_is_missing(
    studio: Studio, owner: FlaskClient, changes: dict[str, str], said: str
) -> None:
    post(owner, "/t/oak/setup/new", **(WIZARD | changes))
    assert studio.stand.told == []
    assert said in owner.get("/t/oak/setup").text


def test_the_past_with_statistics_and_replay(studio: Studio) -> None:
    client = studio.app.test_client()
    scores = score(RECORD.game)
    page = client.get("/t/oak/history").text
    for one in scores:
        assert f"{one.name} {one.total}" in page
    halfway = client.get("/t/oak/history/1?step=60", headers={"Accept": "application/json"}).json
    assert f"60 / {LAST}" in halfway["replay-line"]
    assert set(halfway) == {"board", "tracks", "holdings", "cards", "replay-line"}
    assert client.get("/t/oak/history/1?step=nonsense").status_code == 200
    assert client.get("/t/oak/history/2").status_code == 404
    sheet = client.get("/t/oak/history/1/sheet").text
    assert str(max(one.total for one in scores)) in sheet
    assert re.search(r"\d{4}, [^<]+[AP]M ·\s+\d+ round", sheet), "a sheet on paper says which evening it was"
    text = client.get("/t/oak/history/1/record.txt").text
    assert record.read(text).game == RECORD.game


def test_a_replay_shows_gold_and_colours_as_they_were(studio: Studio) -> None:
    client = studio.app.test_client()
    for step in (0, 60, LAST):
        game = RECORD.at(step)
        found = client.get(f"/t/oak/history/1?step={step}", headers={"Accept": "application/json"}).json
        rows = re.findall(r'<tr class="player-(\w+).*?</tr>', found["holdings"], re.DOTALL)
        assert rows == ["orange", "black", "blue"]
        gold = re.findall(r'gold-of">(\d+)<', found["holdings"])
        assert gold == [str(player.gold) for player in game.players]
        held = sum(len(set(player.goods)) + bool(player.fakirs) for player in game.players)
        assert found["holdings"].count("#good-") == held
    assert 'class="player-orange"' in client.get("/t/oak/history/1/sheet").text
    assert "player-pink" not in client.get("/t/oak/history/1").text


def test_statistics_per_player(studio: Studio) -> None:
    """Two games with the same people: their averages by hand."""
    other = a_game(("Ann", "Bob", "Cleo"), 8)
    game = studio.journal.new_game("oak", position.to_json(other.opening), 1_770_000_000_000)
    for number, action in enumerate(other.actions, 1):
        body = notation.to_json(action)
        at = 1_770_000_000_000 + number * 10_000
        studio.journal.append(game, number, "action", str(body.get("player", "companion")), body, at)
    studio.journal.close_game(game, "finished", 1_770_001_800_000)
    studio.journal.close_game(studio.journal.new_game("oak", position.to_json(other.opening)), "aborted")
    page = studio.app.test_client().get("/t/oak/history").text
    first, second = ({one.name: one for one in score(each.game)} for each in (RECORD, other))
    for name in ("Ann", "Bob", "Cleo"):
        totals = (first[name].total, second[name].total)
        wins = sum(name in winners(tuple(each.values())) for each in (first, second))
        each = [(getattr(first[name], key) + getattr(second[name], key)) / 2 for key in CATEGORIES]
        wanted = [[2, wins, sum(totals) / 2, max(totals)], each]
        rows = re.findall(rf'<th scope="row"[^>]*>{name}</th>(.*?)</tr>', page, re.DOTALL)
        told = [re.findall(r"<td[^>]*>\s*(.*?)\s*</td>", row) for row in rows]
        assert [told[0][:4], told[1]] == [list(map(str, one)) for one in wanted]
    assert "given up" in page


def test_ended_games_are_told_once(studio: Studio, monkeypatch: pytest.MonkeyPatch) -> None:
    """A slider through a game, or a page of a hundred games, must not tell them all anew each time."""
    client = studio.app.test_client()
    first = client.get("/t/oak/history").text
    client.get("/t/oak/history/1?step=8")
    monkeypatch.setattr(type(studio.journal), "entries", None)
    assert "110" in first
    assert re.sub("csrf.*", "", client.get("/t/oak/history").text) == re.sub("csrf.*", "", first)
    assert client.get("/t/oak/history/1?step=9").status_code == 200


def test_a_game_in_play_is_not_in_the_past(studio: Studio) -> None:
    studio.journal.new_game("oak", {"players": []}, 1_770_000_000_000)
    assert studio.app.test_client().get("/t/oak/history/2").status_code == 404


def test_the_end_shows_every_number_and_its_story(studio: Studio) -> None:
    studio.stand.show(**state(RECORD, LAST))
    client = studio.app.test_client()
    page = client.get("/t/oak/end").text
    for one in score(RECORD.game):
        assert f"<td>{one.total}</td>" in page
    assert page.count("<tr data-veiled=") == 8
    for name in ("score.csv", "score.json", "game.json", "record.txt", "bgstats.json"):
        answer = client.get(f"/t/oak/end/{name}")
        assert answer.status_code == 200
        assert "attachment" in answer.headers["Content-Disposition"]
    assert client.get("/t/oak/end/secrets.zip").status_code == 404


def test_curves_end_with_the_score_and_names_stand_apart() -> None:
    totals = over_rounds(RECORD, "total")
    assert {name: line[-1] for name, line in totals.items()} == {o.name: o.total for o in score(RECORD.game)}
    assert {line[0] for line in over_rounds(RECORD, "gold").values()} == {50}
    assert len({len(line) for line in totals.values()}) == 1
    labels = sorted(curve.label_y for curve in chart(totals).curves)
    assert all(below - above >= 17 for above, below in pairwise(labels))


def test_time_counts_for_who_acted_and_breaks_do_not() -> None:
    lines = [(0.0, "Ann"), (30.0, "Bob"), (40.0, "Ann"), (5000.0, "Bob"), (5010.0, None), (5020.0, "Ann")]
    assert time_per_player(lines) == {"Bob": 30.0, "Ann": 20.0}


def test_a_transcript_for_a_bug_report_reads_back(table: Table, tmp_path: Path) -> None:
    session = table.open()
    table.begin(session)
    table.lift("C3")
    until(session, lambda shown: isinstance(shown.reading, Wrong))  # nobody moves while bids are made
    settings = Settings(tmp_path / "home", journal=table.journal)
    client = create_app({"oak": session}, settings).test_client()
    assert client.get("/t/oak/transcript.txt").status_code == 403
    client.get(f"/owner?token={load_keys(tmp_path / 'home').owner}")
    text = client.get("/t/oak/transcript.txt").text
    found = transcript.read(text)
    assert len(found.tags) == len(table.tags)
    assert found.moments, text[-300:]
    assert "seen" in client.get("/t/oak/diagnostics").text


def test_gold_is_not_on_the_screen_before_the_score_sheet_tells_it(studio: Studio) -> None:
    studio.stand.show(**state(RECORD, LAST))
    page = studio.app.test_client().get("/t/oak/").text
    assert (
        "gold-of" not in page
        and "#good-" not in page.partition('id="holdings"')[2].partition("</section>")[0]
    )


def test_a_demo_is_not_in_the_history(table: Table, tmp_path: Path) -> None:
    session = table.open()
    table.begin(session, demo=True)
    client = create_app({"oak": session}, Settings(tmp_path / "home", journal=table.journal)).test_client()
    assert session.tell(Abort("owner", session.snapshot.step)).accepted
    assert "given up" not in client.get("/t/oak/history").text


def test_an_unfinished_game_is_resumed_or_given_up(table: Table, tmp_path: Path) -> None:
    """Resume, abort and new stand side by side; an old game haunts nobody."""
    table.begin(table.open())
    table.close()
    table.lift("C3")  # as the record has it, it would go on by itself
    session = table.open()
    app = create_app({"oak": session}, Settings(tmp_path / "home", journal=table.journal))
    client = app.test_client()
    assert "waits to be resumed" in client.get("/t/oak/").text
    assert "Resume it" not in client.get("/t/oak/").text, "that is the host's"
    client.get(f"/owner?token={load_keys(tmp_path / 'home').owner}")
    assert "Resume it" in client.get("/t/oak/").text
    page = client.get("/t/oak/setup").text
    assert [words in page for words in ("Resume it", "Abort, keep the record", "Set this game up")] == [
        True
    ] * 3
    assert post(client, "/t/oak/setup/abort", step="0").status_code == 303
    assert session.snapshot.unfinished is None
    assert "given up" in client.get("/t/oak/history").text
    assert "Resume it" not in client.get("/t/oak/setup").text


def test_the_owner_frees_a_seat_from_the_menu_in_mid_game(studio: Studio, owner: FlaskClient) -> None:
    phone = studio.app.test_client()
    post(phone, "/t/oak/sit", name="Ann")
    assert phone.get("/t/oak/seat").status_code == 200
    assert 'href="/t/oak/join"' in owner.get("/t/oak/").text, "the menu leads to the seats"
    seats = owner.get("/t/oak/join").text
    (freeing,) = re.findall(r'formaction="([^"]*stand-up[^"]*)" name="name"\s+value="(\w+)"', seats)
    assert freeing[1] == "Ann" and "stand-up" not in phone.get("/t/oak/join").text
    assert post(owner, freeing[0], name="Ann").location == "/t/oak/join"
    assert phone.get("/t/oak/seat").status_code == 302
    assert "stand-up" not in owner.get("/t/oak/join").text


def test_options_of_equal_standing_look_equal(studio: Studio) -> None:
    """One button of many in the colour of the first would be advice; a single one may bear it."""
    seen = set()
    for step in range(LAST):
        player = RECORD.at(step).turn.player
        if player is None or RECORD.at(step).turn.phase in seen:
            continue
        seen.add(RECORD.at(step).turn.phase)
        studio.stand.show(**state(RECORD, step))
        phone = studio.app.test_client()
        studio.app.extensions["naqala-seats"].free("oak", player)
        post(phone, "/t/oak/sit", name=player)
        choices = phone.get("/t/oak/seat").text.partition('id="seat-choices"')[2].partition("</section>")[0]
        for group in re.split(r"<h2>|<details", choices):
            buttons = re.findall(r'<button class="(choice[^"]*)"[^>]*name="action"', group)
            assert len(buttons) == 1 or "choice first" not in buttons
    assert seen >= {"bid", "sow", "build", "kill", "tile", "end"}
