"""A finished game for other programs: every form is read back by a reader that is not ours, or by the rules."""

from __future__ import annotations

import csv
import io
import json
from dataclasses import replace
from urllib.parse import parse_qs, urlsplit

import pytest
import segno
from naqala import export
from naqala.rules import notation, position, record
from naqala.rules.scoring import CATEGORIES, score
from naqala.simulate import simulated

BEGAN, ENDED = 1_760_000_000.0, 1_760_005_400.0


@pytest.fixture(scope="module")
def play() -> export.Play:
    return export.Play(simulated(("Ann", "=SUM(A1)", "Čeněk"), 9, switches={}), "oak", BEGAN, ENDED)


def test_csv_reads_back_and_no_cell_is_a_formula(play: export.Play) -> None:
    head, *rows = csv.reader(io.StringIO(export.score_csv(play)))
    assert head == ["name", *CATEGORIES, "total"]
    assert [row[0] for row in rows] == ["Ann", "'=SUM(A1)", "Čeněk"]
    for row, one in zip(rows, score(play.record.game), strict=True):
        assert [int(cell) for cell in row[1:]] == [*(getattr(one, c) for c in CATEGORIES), one.total]
        assert sum(int(cell) for cell in row[1:-1]) == int(row[-1])


def test_the_game_as_json_plays_again(play: export.Play) -> None:
    data = json.loads(json.dumps(export.game_json(play)))
    again = record.Record(position.from_json(data["opening"]))
    for action in data["actions"]:
        again = record.append(again, notation.from_json(action))
    assert position.to_json(again.game) == data["final"]
    assert data["scores"] == [one.to_json() for one in score(again.game)]


def test_the_record_verifies(play: export.Play) -> None:
    assert record.read(export.record(play)).game == play.record.game


def test_a_play_for_bg_stats(play: export.Play) -> None:
    link = export.bgstats_link(play)
    address = urlsplit(link)
    assert (
        f"{address.scheme}://{address.netloc}{address.path}" == "https://app.bgstatsapp.com/createPlay.html"
    )
    data = json.loads(parse_qs(address.query)["data"][0])
    assert data["game"]["bggId"] == 157354
    assert data["durationMin"] == 90
    assert data["playDate"] == "2025-10-09 10:23:20"
    totals = {one.name: one.total for one in score(play.record.game)}
    assert {one["name"]: int(one["score"]) for one in data["players"]} == totals
    assert {one["name"] for one in data["players"] if one["winner"]} == {
        name for name, total in totals.items() if total == max(totals.values())
    }
    assert sorted(one["rank"] for one in data["players"])[0] == 1
    assert [one["startPlayer"] for one in data["players"]].count(True) == 1
    segno.make(link, error="m")  # fits into a code


def test_the_same_game_is_known_again(play: export.Play) -> None:
    assert play.id == replace(play).id
    assert play.id != replace(play, began=BEGAN + 60).id
