"""Records: text and JSON lines both ways, undo as a line, the first bad line, golden games of every version."""

from __future__ import annotations

import json
from pathlib import Path
from time import perf_counter

import pytest
from naqala.rules import InvalidAction, notation
from naqala.rules import actions as a
from naqala.rules import record as r
from naqala.simulate import simulated

GOLDEN = sorted((Path(__file__).parent / "records").glob("version-*.txt"))


@pytest.mark.parametrize("file", GOLDEN, ids=lambda file: file.stem)
def test_golden_games_of_every_version_still_replay(file: Path) -> None:
    record = r.read(file.read_text())  # the closing position is compared
    assert record.game.turn.phase == "over"
    assert r.to_text(record) == file.read_text()


def test_every_version_has_golden_games() -> None:
    assert {int(file.stem.split("-")[1]) for file in GOLDEN} == set(r.HISTORY)


@pytest.fixture(scope="module")
def record() -> r.Record:
    return simulated(3, 5)


def test_text_and_json_lines_give_back_the_same_record(record: r.Record) -> None:
    assert r.read(r.to_text(record)) == record
    assert r.read("\n".join(r.to_json_lines(record))) == record


def test_play_game_gives_opening_actions_and_final_game(record: r.Record) -> None:
    assert simulated(3, 5) == record


def test_undo_is_one_more_line_and_going_back_equals_the_prefix(record: r.Record) -> None:
    short = r.Record(record.opening, record.steps[:40], record.actions[:40])
    for number in (0, 1, 17, 40):
        undone = r.append(short, a.Undo(number, "Ann"))
        assert undone.game == record.at(number)
        assert undone.actions == record.actions[:number]
        assert len(undone.written) == 41
        again = r.read(r.to_text(undone))
        assert again == undone
        assert [json.loads(line) for line in r.to_json_lines(undone)][1:-1] == [
            notation.to_json(action) for action in record.actions[:number]
        ]


def test_a_game_goes_on_after_an_undo(record: r.Record) -> None:
    going = r.Record(record.opening, record.steps[:10], record.actions[:10])
    going = r.append(going, a.Undo(8))
    for action in record.actions[8:12]:
        going = r.append(going, action)
    assert going.game == record.at(12)
    assert r.read(r.to_text(going)).game == record.at(12)


def test_undo_beyond_the_record_or_by_nobody_is_refused(record: r.Record) -> None:
    with pytest.raises(InvalidAction, match="undo to 9, but only 0 actions stand"):
        r.append(r.Record(record.opening), a.Undo(9))
    with pytest.raises(InvalidAction, match="nobody is called 'Zed'"):
        r.append(r.Record(record.opening), a.Undo(0, "Zed"))


def test_undo_lines_in_json_are_read_too(record: r.Record) -> None:
    opening, first, second, *_ = r.to_json_lines(record)
    undo = json.dumps({"do": "undo", "player": "Ann", "to": 1})
    assert r.read("\n".join([opening, first, second, undo])).actions == record.actions[:1]


def test_every_bad_line_is_named(record: r.Record) -> None:
    lines = r.to_text(record).splitlines()
    for number in range(2, min(len(lines) - 1, 60)):
        doubled = [*lines[: number + 1], "Zed end", *lines[number + 1 :]]
        with pytest.raises(r.BadRecord) as bad:
            r.read("\n".join(doubled))
        assert (bad.value.line, bad.value.why) == (number + 2, "nobody is called 'Zed'")


def test_who_acts_out_of_turn_is_told_the_rule() -> None:
    opening = '{"players": [{"name": "Ann"}, {"name": "Bob"}, {"name": "Cy"}]}'
    with pytest.raises(r.BadRecord, match=r"line 2: it is not Bob's turn: .* \(plays_in_turn\)$"):
        r.read(opening + '\n{"do": "bid", "player": "Bob", "spot": 0}')


def test_json_lines_without_an_opening_are_refused(record: r.Record) -> None:
    lines = list(r.to_json_lines(record))
    with pytest.raises(r.BadRecord, match="line 1: the opening position is missing"):
        r.read("\n".join(lines[1:]))


@pytest.mark.parametrize(
    "last", [{"player": "Ann", "spot": 0}, {"Do": "bid", "player": "Ann", "spot": 0}, {}]
)
def test_a_last_action_that_lost_its_word_is_no_closing_position(last: dict[str, object]) -> None:
    opening = '{"players": [{"name": "Ann"}, {"name": "Bob"}, {"name": "Cy"}]}'
    with pytest.raises(r.BadRecord, match="line 2: no such action: null"):
        r.read(opening + "\n" + json.dumps(last))


def test_a_left_out_line_is_noticed_where_it_matters(record: r.Record) -> None:
    lines = r.to_text(record).splitlines()
    for number in range(2, len(lines) - 1, 7):
        if lines[number] == "reveal":
            continue
        with pytest.raises(r.BadRecord) as bad:
            r.read("\n".join([*lines[:number], *lines[number + 1 :]]))
        assert bad.value.line > number


def test_nothing_follows_the_closing_position(record: r.Record) -> None:
    with pytest.raises(r.BadRecord, match="nothing may follow the closing position"):
        r.read(r.to_text(record) + "Ann end\n")


def test_events_of_a_record_know_their_action_and_round(record: r.Record) -> None:
    told = list(record.told())
    assert told[0].action == 1
    assert told[0].round == 1
    assert told[-1].action == len(record.steps)
    assert told[-1].round == record.game.round
    assert sum(len(step.events) for step in record.steps) == len(told)


def test_names_that_look_like_something_else() -> None:
    record = simulated(["#1", "closing", 'the "Fox"', "Ann Lee"], 3)
    assert r.read(r.to_text(record)) == record
    assert r.read("\n".join(r.to_json_lines(record))) == record


def test_a_long_record_is_read_in_the_time_of_its_length() -> None:
    opening = '{"players": [{"name": "Ann"}, {"name": "Bob"}, {"name": "Cy"}]}'
    began = perf_counter()
    record = r.read(
        "\n".join([opening, *['{"do": "reveal"}'] * 60_000, *['{"do": "undo", "to": 7}'] * 20_000])
    )
    assert len(record.steps) == 7
    assert perf_counter() - began < 30, "60,000 lines took half a minute: each copies all the others"


def test_only_a_newline_ends_a_line_of_a_record(record: r.Record) -> None:
    opening, *rest = r.to_json_lines(record)
    noted = opening[:-1] + ', "note": "two\u2028lines\x85for some"}'
    assert r.read("\n".join([noted, *rest])).actions == record.actions
