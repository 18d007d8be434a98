"""Positions as JSON and text: what is absent, what comes back the same, what is refused and how."""

from __future__ import annotations

from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from naqala.rules import BadPosition, play
from naqala.rules import position as p
from naqala.rules.board import TILES
from naqala.rules.choices import filled, legal
from naqala.rules.closing import differences
from naqala.rules.model import Turn
from naqala.rules.scoring import score

FULL: dict[str, Any] = {
    "version": 1,
    "edition": "slave",
    "switches": {"promo_dhenim": "per_vizier"},
    "tiles": {
        "A1": {"type": "village", "points": 5, "meeples": "BWY", "camel": None, "palms": 0, "palaces": 1},
        "C3": {"type": "oasis", "points": 8, "meeples": "", "camel": "Bob", "palms": 2, "palaces": 0},
    },
    "players": [
        {
            "name": "Ann",
            "gold": 41,
            "camels": 11,
            "viziers": 2,
            "elders": 3,
            "djinns": ["Boaz", "Dhenim"],
            "goods": {"fish": 1, "silk": 2},
            "fakirs": 2,
            "used": ["Enki"],
        },
        {"name": "Bob", "gold": 0},
    ],
    "bag": "BBG",
    "row": ["fish", "fakir"],
    "djinn_row": ["Enki"],
    "supply": {"palms": 10, "palaces": 9},
    "discards": {"fakir": 2},
    "djinn_discards": ["Sloar"],
    "round": 4,
    "bid_order": ["Bob", "Ann"],
    "track": [{"spot": 3, "player": "Ann"}, {"spot": 0, "player": "Bob"}],
    "turn": {"player": "Ann", "phase": "kill", "tile": "A1", "collected": "RR", "active": ["Iblis"]},
    "ending": "last_camel",
}


def test_a_full_position_comes_back_the_same() -> None:
    game = p.from_json(FULL)
    assert game.tile("A1").meeples == "YWB"
    assert game.player("Bob").camels == 10  # eleven, one stands on C3
    assert game.turn == Turn("Ann", "kill", "A1", "RR", ("Iblis",))
    assert game.switch("promo_dhenim") == "per_vizier"
    assert p.from_json(p.to_json(game)) == game
    assert p.from_text(p.to_text(game)) == game
    assert "\n" not in p.to_text(game)


def test_absent_keys_take_the_openings_value() -> None:
    game = p.from_json({"tiles": {"A1": {"meeples": "YWB"}}})
    assert game.meeples[0] == "YWB"
    assert (game.palms, game.palaces, game.bag, game.row, game.round) == (12, 10, "", (), 1)
    assert game.players == ()
    assert game.turn == Turn(None, "bid")
    assert all(game.switch(name) == values[0] for name, values in p.SWITCHES.items())


def test_absent_supply_is_what_does_not_stand_on_tiles() -> None:
    game = p.from_json({"tiles": {"A1": {"palms": 3}, "A2": {"palaces": 1, "palms": 1}}})
    assert (game.palms, game.palaces) == (8, 9)


def test_players_not_listed_are_those_named() -> None:
    game = p.from_json({"tiles": {"A1": {"camel": "Bob"}}, "turn": {"player": "Ann"}})
    assert [player.name for player in game.players] == ["Bob", "Ann"]
    assert (game.turn.player, game.turn.phase) == ("Ann", "sow")
    assert game.track == ((0, "Bob"), (0, "Ann"), (0, "Bob"))


@pytest.mark.parametrize(("count", "camels", "markers"), [(2, 11, 2), (3, 8, 1), (4, 8, 1)])
def test_camels_and_markers_of_each_player(count: int, camels: int, markers: int) -> None:
    names = ["Ann", "Bob", "Cy", "Dee"][:count]
    game = p.from_json({"players": [{"name": name} for name in names]})
    assert {player.camels for player in game.players} == {camels}
    assert game.bid_order == tuple(names * markers)
    assert game.turn == Turn("Ann", "bid")


def test_without_a_bid_order_the_acting_player_is_first() -> None:
    game = p.from_json(with_player() | {"turn": {"player": "Bob", "phase": "bid"}})
    assert game.bid_order == ("Bob", "Ann", "Bob", "Ann")


def test_keys_of_other_programs_are_left_alone() -> None:
    assert p.from_json({"mood": "calm", "turn": {"clock": 3}}) == p.from_json({})


def with_tile(**tile: Any) -> dict[str, Any]:
    return {"tiles": {"A1": tile}}


def with_player(**player: Any) -> dict[str, Any]:
    return {"players": [{"name": "Ann"} | player, {"name": "Bob"}]}


CROWD = {name: {"meeples": "YWG"} for name in TILES}
BAD: list[tuple[Any, str]] = [
    ([], "position: expected an object, not []"),
    ({"version": 2}, "version: 2, this program reads version 1"),
    ({"version": True}, "version: expected a whole number, not true"),
    ({"tiles": []}, "tiles: expected an object, not []"),
    ({"tiles": {"G1": {}}}, 'tiles: no such tile "G1"'),
    ({"tiles": {"A1": "YWB"}}, 'tiles.A1: expected an object, not "YWB"'),
    (with_tile(meeples="YX"), 'tiles.A1.meeples: no such meeple "X" (letters are Y W G B R)'),
    (with_tile(meeples=3), "tiles.A1.meeples: expected letters like YWB, not 3"),
    (with_tile(type="desert"), 'tiles.A1.type: no such type of tile "desert"'),
    (with_tile(points=-1), "tiles.A1.points: -1 is not possible"),
    (with_tile(palms=13), "supply.palms: 0 and 13 on tiles, but the box holds 12"),
    (with_tile(camel="Cy") | with_player(), 'tiles.A1.camel: no such player "Cy"'),
    (with_player(gold=-5), "players.Ann.gold: -5 is not possible"),
    (with_player(gold=2.5), "players.Ann.gold: expected a whole number, not 2.5"),
    (with_player(gold=True), "players.Ann.gold: expected a whole number, not true"),
    (with_player(gold=float("nan")), "players.Ann.gold: expected a whole number, not NaN"),
    (with_player(name=""), 'players[0].name: "" is not a name of 1 to 40 printable characters'),
    (with_player(name="Bob"), 'players: two are called "Bob"'),
    (with_player(djinns=["Swar"]), 'players.Ann.djinns: no such djinn "Swar"'),
    (with_player(djinns=["Dhenim"]), "djinns: Dhenim is a promo card; switch promo_dhenim is off"),
    (with_player(djinns=["Enki", "Enki"]), "djinns: Enki is in 2 places"),
    (with_player(goods={"salt": 1}), 'players.Ann.goods: no such resource card "salt"'),
    (with_player(goods={"ivory": 3}), "players.Ann.goods.ivory: 3, but the deck has 2"),
    (
        with_player(goods={"fakir": 1}),
        "players.Ann.goods: fakirs are not goods; they are counted in players.Ann.fakirs",
    ),
    (with_player(fakirs=19), "cards: 19 of fakir in all, but the deck has 18"),
    (with_player(camels=12), "players.Ann.camels: 12 and 0 on tiles, but there are 11"),
    ({"players": [{"name": n} for n in "abcde"]}, "players: 5 entries, at most 4 are possible"),
    ({"tiles": CROWD}, "meeples: 30 of Y in all, but the box holds 16"),
    ({"bag": "Y" * 91}, "meeples: 91 of Y in all, but the box holds 16"),
    ({"row": ["fish"] * 10}, "row: 10 entries, at most 9 are possible"),
    ({"row": {"fish": 1}}, 'row: expected a list, not {"fish": 1}'),
    ({"discards": ["fish"]}, 'discards: expected an object, not ["fish"]'),
    ({"switches": {"luck": "yes"}}, 'switches: no such switch "luck"'),
    ({"switches": {"djinn_once_per": "day"}}, 'switches.djinn_once_per: no such value "day"'),
    ({"edition": "gold"}, 'edition: no such edition "gold"'),
    ({"turn": {"phase": "dance"}}, 'turn.phase: no such phase "dance"'),
    ({"turn": {"phase": "sow"}}, "turn.player: phase sow needs a player"),
    (with_player() | {"turn": {"player": "Cy"}}, 'turn.player: no such player "Cy"'),
    (
        with_player() | {"turn": {"player": "Ann", "phase": "tile"}},
        "turn.tile: phase tile needs the tile on which the sowing ended",
    ),
    (
        with_player() | {"turn": {"player": "Ann", "phase": "build", "tile": "A1", "collected": "R"}},
        'turn.collected: "R" does not fit phase build',
    ),
    (
        with_player() | {"bid_order": ["Ann", "Bob", "Ann"]},
        "bid_order: Bob has 1 markers on the tracks, not 2",
    ),
    (
        with_player()
        | {"turn": {"player": "Bob", "phase": "bid"}, "bid_order": ["Ann", "Bob", "Ann", "Bob"]},
        "turn.player: Bob does not stand first in bid_order",
    ),
    ({"bid_order": 0}, "bid_order: expected a list, not 0"),
    (with_player() | {"bid_order": {}}, "bid_order: expected a list, not {}"),
    (with_player() | {"track": ""}, 'track: expected a list, not ""'),
    (with_player() | {"track": [{"spot": 4, "player": "Ann"}]}, "track: no spot costs 4"),
    (with_player() | {"track": [{"spot": 3, "player": "Ann"}] * 2}, "track: 2 markers on spot 3"),
    ({"ending": "rain"}, 'ending: no such ending "rain"'),
]


@pytest.mark.parametrize(("data", "sentence"), BAD, ids=[sentence for _, sentence in BAD])
def test_what_is_no_position_says_where_and_why(data: Any, sentence: str) -> None:
    with pytest.raises(BadPosition) as refused:
        p.from_json(data)
    assert str(refused.value) == sentence


@pytest.mark.parametrize("line", ["", "{", "[" * 100_000, '{"bag": NaN}'])
def test_broken_json_is_no_position(line: str) -> None:
    with pytest.raises(BadPosition):
        p.from_text(line)


def test_a_value_too_deep_to_be_shown_is_refused_all_the_same() -> None:
    deep: list[Any] = []
    for _ in range(200_000):
        deep = [deep]
    with pytest.raises(BadPosition) as refused:
        p.from_json({"bag": deep})
    assert str(refused.value) == "bag: expected letters like YWB, not something nested too deeply"


def test_a_closing_position_is_compared_over_what_it_says() -> None:
    game = p.from_json(FULL)
    written = p.to_json(game)
    assert differences(game, written) == []
    assert (
        differences(game, {"bag": "GBB", "round": 99}) == []
    )  # order of the bag, and each program's own counting
    written["players"][0]["gold"] = 40
    written["tiles"]["C3"]["palms"] = 1
    written["row"] = ["fakir", "fish"]
    assert differences(game, written) == [
        'row is ["fish", "fakir"], written ["fakir", "fish"]',
        "C3.palms is 2, written 1",
        "Ann.gold is 41, written 40",
    ]
    assert differences(game, {"turn": {"player": "Bob", "phase": "sow"}}) == [
        'turn.player is "Ann", written "Bob"'
    ]
    assert differences(game, {"turn": None}) == []
    with pytest.raises(BadPosition, match="turn and tiles are objects"):
        differences(game, {"turn": "Ann"})


# --- anything at all ----------------------------------------------------------------------------------------

JUNK = st.recursive(
    st.none()
    | st.booleans()
    | st.integers(-3, 100)
    | st.floats()
    | st.sampled_from(["", "Ann", "fish", "C3", "Enki"]),
    lambda inner: (
        st.lists(inner, max_size=3) | st.dictionaries(st.sampled_from(["A1", "name", "x"]), inner, max_size=3)
    ),
    max_leaves=6,
)


def places(value: Any, path: tuple[Any, ...] = ()) -> list[tuple[Any, ...]]:
    """Every place in a JSON value."""
    inner = value.items() if isinstance(value, dict) else enumerate(value) if isinstance(value, list) else ()
    return [path, *(place for key, item in inner for place in places(item, (*path, key)))]


def with_junk(value: Any, path: tuple[Any, ...], junk: Any) -> Any:
    if not path:
        return junk
    copy = dict(value) if isinstance(value, dict) else list(value)
    copy[path[0]] = with_junk(value[path[0]], path[1:], junk)
    return copy


@settings(max_examples=300, deadline=None)
@given(st.data())
def test_whatever_comes_in_is_a_position_or_a_sentence(data: st.DataObject) -> None:
    given_in = FULL
    for _ in range(data.draw(st.integers(1, 3))):
        path = data.draw(st.sampled_from(places(given_in)))
        given_in = with_junk(given_in, path, data.draw(JUNK))
        if not isinstance(given_in, dict):
            break
    try:
        game = p.from_json(given_in)
    except BadPosition as refused:
        assert "\n" not in str(refused)
        return
    assert p.from_text(p.to_text(game)) == game
    for choice in legal(game):
        play(game, filled(game, choice, lambda most: most - 1))
    score(game)
