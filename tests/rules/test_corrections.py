"""When people decide against the record: the table is right, or a move stands as it lies."""

from __future__ import annotations

import pytest
from naqala.rules import IllegalMove, InvalidAction, notation, play, position
from naqala.rules import events as e
from naqala.rules.actions import Action, Correct, Sow, Standing
from naqala.rules.model import Game


def a_game() -> Game:
    tiles = {"C3": {"meeples": "GR"}, "C4": {"meeples": "WG"}, "D4": {"meeples": "Y"}, "A1": {"camel": "Bob"}}
    players = [{"name": "Ann", "camels": 8}, {"name": "Bob", "camels": 7}, {"name": "Cy"}]
    turn = {"player": "Ann", "phase": "sow"}
    return position.from_json({"tiles": tiles, "players": players, "bag": "BB", "turn": turn})


@pytest.mark.parametrize(
    "action",
    [
        Correct((Standing("C4", "GW", "Ann", 1, 2), Standing("A1"))),
        Correct((Standing("C4", camel='Bo "the" b'),)),
        Sow("Ann", "C3", (("C4", "G"),), as_it_lies=True),
    ],
)
def test_both_forms_both_ways(action: Action) -> None:
    assert notation.from_text(notation.to_text(action)) == action
    assert notation.from_json(notation.to_json(action)) == action


def test_a_correction_moves_meeples_through_the_bag() -> None:
    game, events = play(a_game(), Correct((Standing("C4", "W"), Standing("D4", "YGB"))))
    assert (game.tile("C4").meeples, game.tile("D4").meeples, game.bag) == ("W", "YGB", "B")
    assert game.turn == a_game().turn
    assert len(events) == 2


def test_a_correction_gives_and_takes_camels_and_palms() -> None:
    game, _ = play(a_game(), Correct((Standing("A1", "", "Ann", 1, 0),)))
    assert (game.player("Ann").camels, game.player("Bob").camels, game.palms) == (7, 8, 11)
    assert game.tile("A1").camel == "Ann"


def test_two_tiles_that_changed_places_are_taken_over() -> None:
    """Nothing is in the bag or in the supply that could stand in for a moment."""
    tiles = {"A1": {"meeples": "Y", "palms": 12}, "B1": {"meeples": "W", "camel": "Bob", "palaces": 10}}
    players = [{"name": "Ann"}, {"name": "Bob", "camels": 0}, {"name": "Cy"}]
    turn = {"player": "Ann", "phase": "sow"}
    game = position.from_json({"tiles": tiles, "players": players, "bag": "", "turn": turn})
    game, _ = play(game, Correct((Standing("A1", "W", "Bob", 0, 10), Standing("B1", "Y", None, 12, 0))))
    assert [game.tile(name).meeples for name in ("A1", "B1")] == ["W", "Y"]
    assert [game.tile(name).camel for name in ("A1", "B1")] == ["Bob", None]
    assert [(tile.palms, tile.palaces) for tile in map(game.tile, ("A1", "B1"))] == [(0, 10), (12, 0)]
    assert (game.bag, game.palms, game.palaces, game.player("Bob").camels) == ("", 0, 0, 0)
    assert game.ending is None, "the camel stood there before"


def test_the_last_camel_brings_the_end_also_when_people_say_where_it_stands() -> None:
    tiles = {"C3": {"meeples": "GR"}, "C4": {"meeples": "WG"}}
    players = [{"name": "Ann", "camels": 1}, {"name": "Bob"}, {"name": "Cy"}]
    turn = {"player": "Ann", "phase": "sow"}
    game = position.from_json({"tiles": tiles, "players": players, "turn": turn})
    game, events = play(game, Correct((Standing("A1", camel="Ann"),)))
    assert (game.player("Ann").camels, game.ending) == (0, "last_camel")
    assert events[-1] == e.EndNear("last_camel", "Ann")


@pytest.mark.parametrize(
    "standing",
    [
        Standing("C4", "WGY"),
        Standing("C4", "WG", "Zoe"),
        Standing("C4", "WG", palms=13),
    ],
)
def test_a_correction_makes_nothing_from_nowhere(standing: Standing) -> None:
    with pytest.raises(InvalidAction):
        play(a_game(), Correct((standing,)))


def test_a_move_that_breaks_a_rule_can_stand_as_it_lies() -> None:
    broken = Sow("Ann", "C3", (("C4", "R"), ("D5", "G")))
    with pytest.raises(IllegalMove):
        play(a_game(), broken)
    game, _ = play(a_game(), Sow("Ann", "C3", broken.drops, as_it_lies=True))
    assert (game.tile("C3").meeples, game.tile("C4").meeples) == ("", "WGR")
    assert (game.turn.tile, game.turn.collected) == ("D5", "G")


def test_a_meeple_left_behind_stays_there_as_it_lies() -> None:
    game, _ = play(a_game(), Sow("Ann", "C3", (("C4", "G"),), as_it_lies=True))
    assert (game.tile("C3").meeples, game.turn.collected) == ("R", "GG")


def test_meeples_of_another_tile_need_a_correction() -> None:
    with pytest.raises(InvalidAction, match="did not lie on C3"):
        play(a_game(), Sow("Ann", "C3", (("C4", "Y"),), as_it_lies=True))
