"""Reminders: what the record has done and the hands have still to do."""

from __future__ import annotations

from naqala.rules.actions import End, Kill, Victim
from naqala.table.due import REMINDS_MS, next_reminder, still_due
from naqala.table.readings import Did, Quiet, Wrong

from tests.table.stage import CALM, Small, rules


def due(table: Small) -> list[tuple[str, str, str]]:
    return [(note.note, note.tile, note.what) for note in still_due(table.watching, table.play.record)]


def moved() -> Small:
    """Ann moves from C3 and ends on D4, where two yellow ones lay."""
    table = Small({"C3": "GY", "C4": "W", "D4": "YYB", "A1": "WW"}, others={"ann": "camel Ann"})
    table.lift("C3")
    table.put("C4", "G1")
    assert due(table) == []
    table.put("D4", "Y1")
    assert isinstance(table.last, Did)
    return table


def test_a_group_is_reminded_of_when_nobody_is_at_work_on_it() -> None:
    table = moved()
    assert due(table) == []
    table.wait(CALM)
    assert due(table) == [("take", "D4", "YYY")]
    table.lift("D4", "Y2", wait=700)
    assert due(table) == []
    table.wait(CALM)
    assert due(table) == [("take", "D4", "YY")]
    table.lift("D4", "Y1", "Y3", wait=700)
    assert due(table) == []


def test_a_group_taken_piece_by_piece_is_never_reminded_of() -> None:
    """However long it takes in all: looked at all the time, from the move to the last piece."""
    table = moved()
    for name in ("Y2", "Y1", "Y3"):
        for _ in range(10):
            table.wait(100)
            assert due(table) == []
        table.lift("D4", name, wait=100)
    table.wait(CALM)
    assert due(table) == []
    assert isinstance(table.last, Quiet) and table.count == 1


def test_the_moment_of_a_reminder_is_looked_at_though_nobody_speaks() -> None:
    """The last piece came at 1400 ms; whoever sleeps until something is due is woken then."""
    table = moved()
    assert next_reminder(table.watching, table.play.record) == 1400 + REMINDS_MS
    table.wait(CALM)
    assert next_reminder(table.watching, table.play.record) is None


def test_a_group_half_taken_is_a_reminder_long_before_it_is_a_breach() -> None:
    """Two of three in one grab: the third is due, and only after as long as a camel may take its rule is named."""
    table = moved()
    table.lift("D4", "Y2", "Y3", wait=REMINDS_MS)
    assert due(table) == [("take", "D4", "Y")]
    assert not [reading for _, reading in table.said if isinstance(reading, Wrong)]
    table.wait(CALM)
    assert isinstance(table.last, Wrong)
    assert table.last.breaches[0].rule == "collects_every_one_of_its_colour"
    table.lift("D4", "Y1", wait=1000)
    assert isinstance(table.last, Quiet) and table.count == 1


def test_it_is_the_same_reminder_when_the_turn_has_gone_on() -> None:
    table = moved()
    table.tap(End("Ann"))
    table.wait(CALM)
    assert rules(table.last) == ["collects_every_one_of_its_colour"]
    assert due(table) == [("take", "D4", "YYY")]
    table.lift("D4", "Y1", wait=700)
    assert due(table) == [("take", "D4", "YY")], "who follows a flag is not left alone with another one"
    table.lift("D4", "Y2", "Y3", wait=700)
    assert due(table) == [] and isinstance(table.last, Quiet)


def test_a_camel_is_due_where_a_tile_was_emptied() -> None:
    """Nothing but a yellow one lay on D4: whoever takes it up controls the tile."""
    table = Small(
        {"C3": "GY", "C4": "W", "D4": "Y", "A1": "WW"},
        others={"ann": "camel Ann"},
        players=[{"name": "Ann", "camels": 3}, {"name": "Bob", "camels": 3}],
    )
    table.lift("C3")
    table.put("C4", "G1")
    table.put("D4", "Y1")
    table.lift("D4", "Y1", "Y2")
    assert due(table) == [("owed", "D4", "camel Ann")]
    table.put("D4", "ann")
    assert due(table) == []


def palm_asked() -> Small:
    return Small(
        {"C3": "GY", "A1": "WW"},
        others={"palm": "palm"},
        extra={"D4": {"type": "oasis", "points": 8}},
        turn={"player": "Ann", "phase": "tile", "tile": "D4", "collected": "Y"},
    )


def test_a_palm_is_due_until_it_stands_there() -> None:
    table = palm_asked()
    assert due(table) == [("owed", "D4", "palm")]
    table.put("D4", "palm", wait=100)
    assert due(table) == []


def test_a_palm_that_stood_there_is_missing_and_not_due() -> None:
    table = palm_asked()
    table.put("D4", "palm", wait=2000)
    assert any(isinstance(reading, Did) for _, reading in table.said)
    table.lift("D4", "palm", wait=2000)
    assert due(table) == []  # it is being taken back, or was bumped: nobody owes it


def test_a_victim_that_was_told_is_still_to_be_taken_off() -> None:
    table = Small(
        {"C3": "GY", "D4": "RB", "A1": "WW"},
        turn={"player": "Ann", "phase": "kill", "tile": "D4", "collected": "RR"},
    )
    table.wait(CALM)
    kill = Kill("Ann", (Victim("G", tile="C3"),))
    table.tap(kill)
    assert due(table) == [("take", "C3", "G")]
    table.lift("C3", "G1")
    assert due(table) == []
