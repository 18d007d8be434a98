"""What follows a sowing, seen or told: camels, palms, palaces, victims, djinns, taps; by example on a small board."""

from __future__ import annotations

from naqala.rules.actions import Buy, End, Kill, Place, Power, Undo, Victim
from naqala.table.readings import Did, Quiet, Unclear, Wrong

from tests.table.stage import BOARD, CALM, Small, rules

# --- the rest of a turn -------------------------------------------------------------------------------------------


def to_an_oasis(**position: object) -> Small:
    others = {"palm": "palm", "palace": "palace", "Ann": "camel Ann", "Ann2": "camel Ann", "Bob": "camel Bob"}
    extra = {"D4": {"type": "oasis", "points": 8}, "D5": {"type": "oasis", "points": 8}}
    table = Small({"C3": "GW", "C4": "Y", "D4": "W", "A1": "BB"}, others=others, extra=extra, **position)
    table.lift("C3")
    table.put("C4", "G1")
    table.put("D4", "W1")
    table.lift("D4", "W1", "W2")
    return table


def test_a_camel_is_owed_and_its_place_and_owner_are_checked() -> None:
    table = to_an_oasis()
    assert isinstance(table.last, Quiet)
    assert [(note.note, note.what) for note in table.last.notes] == [("owed", "camel Ann"), ("owed", "palm")]
    table.put("D4", "Bob", wait=CALM)
    assert rules(table.last) == ["marks_control"]
    table.lift("D4", "Bob", wait=1000)
    assert isinstance(table.last, Quiet)
    table.put("D5", "Ann", wait=CALM)
    assert rules(table.last) == ["marks_control"]
    assert isinstance(table.last, Wrong)
    assert table.last.remedy.text == "Take the camel of Ann from D5 and put it on D4."
    table.lift("D5", "Ann", wait=CALM)
    assert isinstance(table.last, Quiet), "while the turn lasts it is a reminder"
    table.put("D4", "Ann")
    assert isinstance(table.last, Quiet)


def test_a_palm_is_placed_where_it_belongs_and_nowhere_else() -> None:
    table = to_an_oasis()
    table.put("D4", "Ann")
    table.put("D5", "palm", wait=CALM)
    assert rules(table.last) == ["places_what_the_tile_asks"]
    assert (
        isinstance(table.last, Wrong) and table.last.remedy.text == "Take the palm from D5 and put it on D4."
    )
    table.lift("D5", "palm", wait=300)
    table.put("D4", "palace", wait=CALM)
    assert rules(table.last) == ["places_what_the_tile_asks"]
    table.lift("D4", "palace", wait=300)
    table.put("D4", "palm", wait=CALM)
    placed = [reading.action for _, reading in table.said if isinstance(reading, Did)][-1]
    assert placed == Place("Ann", "palm", "D4")
    assert table.standing.turn.phase == "end"


def test_a_palace_where_a_palm_is_asked_goes_and_the_palm_comes() -> None:
    table = to_an_oasis()
    table.put("D4", "Ann")
    table.put("D4", "palace", wait=CALM)
    assert isinstance(table.last, Wrong)
    assert table.last.remedy.text == "Take the palace from D4. Put a palm on D4."


def test_a_palm_that_is_told_first_has_the_stated_time_to_come() -> None:
    table = to_an_oasis()
    table.put("D4", "Ann")
    assert not [r for r in table.tap(Place("Ann", "palm", "D4")) if not isinstance(r, Quiet)]
    table.put("D4", "palm")
    assert table.last == Quiet() and "wrong" not in table.words
    late = to_an_oasis()
    late.put("D4", "Ann")
    late.tap(Place("Ann", "palm", "D4"))
    late.wait(CALM)
    assert isinstance(late.last, Quiet), "while the turn lasts it is a reminder"
    late.tap(End("Ann"))
    late.wait(CALM)
    assert isinstance(late.last, Wrong) and late.last.remedy.text == "Put a palm on D4."


def test_a_palm_owed_to_a_tile_that_nobody_can_see_is_told_not_flagged() -> None:
    table = to_an_oasis()
    table.put("D4", "Ann")
    table.fault("D4")
    table.wait(CALM)
    assert isinstance(table.last, Quiet)
    assert ("owed", "palm") in [(note.note, note.what) for note in table.last.notes]


def test_a_flag_that_stands_is_not_taken_back_by_the_end_of_the_file() -> None:
    table = Small({"C3": "GR", "C4": "G"}, others={"Bob": "camel Bob"}, extra={"E5": {"camel": "Bob"}})
    table.put("E5", "Bob", wait=1000)
    table.lift("E5", "Bob", wait=CALM)
    assert isinstance(table.last, Wrong) and table.last.remedy.text == "Put a camel of Bob on E5."
    before = len(table.said)
    table.end()
    assert len(table.said) == before


def test_a_palm_that_is_forgotten_is_a_reminder_and_the_turn_does_not_end() -> None:
    table = to_an_oasis()
    table.put("D4", "Ann", wait=60_000)
    assert isinstance(table.last, Quiet)
    assert [(note.note, note.what) for note in table.last.notes] == [("owed", "palm")]
    assert rules(table.tap(End("Ann"))[0]) == ["places_what_the_tile_asks"]


def killing(**position: object) -> Small:
    table = Small({"C3": "GR", "C4": "Y", "D4": "RW", "D5": "Y", "A1": "BB", "F1": "GY"}, **position)
    table.lift("C3")
    table.put("C4", "G1")
    table.put("D4", "R1")
    table.lift("D4", "R1", "R2")
    return table


def test_a_victim_taken_from_a_tile_in_reach() -> None:
    table = killing()
    assert table.standing.turn.phase == "kill"
    table.lift("D5", "Y2", wait=CALM)
    killed = [reading.action for _, reading in table.said if isinstance(reading, Did)][-1]
    assert killed == Kill("Ann", (Victim("Y", tile="D5"),))


def test_a_victim_out_of_reach_and_one_too_many() -> None:
    table = killing()
    table.lift("A1", "B1", wait=CALM)
    assert rules(table.last) == ["kills_within_reach"]
    assert isinstance(table.last, Wrong) and table.last.remedy.text == "Put a blue one on A1."
    table.put("A1", "B1", wait=1000)
    table.lift("D4", "W1", wait=100)
    table.lift("C4", "Y1", wait=CALM)
    assert "kills_within_reach" in rules(table.last)


def test_a_camel_of_utug_and_three_meeples_of_anun_nak() -> None:
    players = [{"name": "Ann", "elders": 2, "djinns": ["Utug", "Anun-Nak"]}, {"name": "Bob"}, {"name": "Cy"}]
    others = {"Ann": "camel Ann", "b": "meeple B", "g": "meeple G", "w": "meeple W"}
    table = Small({"C3": "GR", "C4": "G", "D3": "R", "A1": "BB"}, others=others, players=players)
    table.put("A1", "Ann", wait=CALM)
    utug = Power("Ann", "Utug", 2, 0, tile="A1")
    assert table.last == Unclear(actions=(utug,)), "a lone camel may be only read there: people are asked"
    fresh = Small({"C3": "GR", "C4": "G", "D3": "R", "A1": "BB"}, others=others, players=players, bag="BGW")
    fresh.put("F5", "b", "g", "w", wait=CALM)
    drawn = Power("Ann", "Anun-Nak", 1, 0, tile="F5", meeples="WGB")
    assert fresh.last == Unclear(actions=(drawn,)) or Did(drawn) in [reading for _, reading in fresh.said]


def test_how_a_djinn_was_paid_is_asked_when_there_are_two_ways() -> None:
    players = [{"name": "Ann", "elders": 1, "fakirs": 1, "djinns": ["Anun-Nak"]}, {"name": "Bob"}]
    others = {"b": "meeple B", "g": "meeple G", "w": "meeple W"}
    table = Small({"C3": "GR", "C4": "G", "D3": "R"}, others=others, players=players, bag="BGW")
    table.put("F5", "b", "g", "w", wait=CALM)
    assert isinstance(table.last, Unclear)
    assert [(action.elders, action.fakirs) for action in table.last.actions if isinstance(action, Power)] == [
        (1, 0),
        (0, 1),
    ]


# --- taps ----------------------------------------------------------------------------------------------------------


def test_a_tap_that_the_rules_refuse_is_said_and_changes_nothing() -> None:
    table = Small(BOARD)
    table.wait(5000)
    assert isinstance(table.tap(End("Ann"))[0], Wrong)
    assert table.standing == table.game


def test_a_tap_that_a_rule_forbids_is_named_as_a_record_would() -> None:
    table = to_an_oasis()
    table.put("D4", "Ann")
    refused = table.tap(End("Ann"))[0]
    assert rules(refused) == ["places_what_the_tile_asks"]
    assert isinstance(refused, Wrong)
    assert refused.remedy.text == 'Nothing was changed: the rules forbid "Ann end".'


def test_an_undo_told_by_a_tap() -> None:
    table = Small({"C3": "GR", "C4": "Y", "D4": "R", "A1": "WW"})
    table.lift("C3")
    table.put("C4", "G1")
    table.put("D4", "R1")
    table.tap(Undo(0, "Ann"))
    assert table.standing == table.game
    assert isinstance(table.tap(Undo(7, "Ann"))[0], Wrong)


def test_a_told_action_whose_pieces_are_still_to_come_is_not_taken_back() -> None:
    players = [{"name": "Ann", "elders": 1, "djinns": ["Anun-Nak"]}, {"name": "Bob"}]
    others = {"b": "meeple B", "g": "meeple G", "w": "meeple W"}
    table = Small({"C3": "GR", "C4": "G", "D3": "R"}, others=others, players=players, bag="BGW")
    told = Power("Ann", "Anun-Nak", 1, 0, tile="F5", meeples="WGB")
    table.tap(told)
    table.wait(30_000)
    assert not [reading for _, reading in table.said if isinstance(reading, Did)]
    assert table.count == 1 and table.standing.tile("F5").meeples == "WGB"


def test_a_power_told_before_its_camel_is_placed_is_not_taken_back() -> None:
    players = [{"name": "Ann", "elders": 2, "djinns": ["Utug"]}, {"name": "Bob", "elders": 0}, {"name": "Cy"}]
    extra = {"D4": {"type": "small_market", "points": 6}}
    board = {"C3": "GW", "C4": "Y", "D4": "WWB", "A1": "BB"}
    table = Small(board, others={"Ann": "camel Ann"}, players=players, extra=extra, row=["fish", "silk"])
    table.lift("C3")
    table.put("C4", "G1")
    table.put("D4", "W1")
    table.lift("D4", "W1", "W2", "W3")
    table.tap(Buy("Ann", ("fish",)))  # changes nothing on the board
    table.wait(1000)
    table.tap(Power("Ann", "Utug", 2, 0, tile="A1"))
    table.wait(CALM)
    assert table.count == 3
    said = table.watching.said
    assert isinstance(said, Quiet) and said.notes[0].what == "camel Ann"
    table.put("A1", "Ann")
    assert table.last == Quiet()
