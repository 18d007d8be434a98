"""How a djinn or an assassin's reach was paid is its player's secret: others see the same whether or not there is a choice."""

from __future__ import annotations

import random
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest
from naqala.dashboard.view import show
from naqala.dashboard.viewers import Viewer
from naqala.rules.board import TILES
from naqala.rules.model import Game
from naqala.rules.powers import payments
from naqala.simulate import simulated
from naqala.table.readings import Wrong
from naqala.transcript import Piece

from tests.dashboard.two_worlds import Both, World, secret_hands

# djinn -> what hands put on the table with it, and on which kind of tile; None: one without anything on it
BY_HAND = {
    "Enki": ("palm", "oasis"),
    "Bouraq": ("palace", "village"),
    "Leta": ("camel", None),
    "Utug": ("camel", None),
}


def with_djinn(game: Game, name: str, djinn: str, elders: int) -> Game:
    """The player holds this djinn alone and so many elders; all other elders are in the bag."""
    bag = game.bag + "W" * sum(player.elders for player in game.players)
    for player in game.players:
        djinns = tuple(one for one in player.djinns if one != djinn)
        game = game.with_player(replace(player, djinns=djinns, elders=0))
    game = game.with_player(replace(game.player(name), djinns=(djinn,), elders=elders, used=()))
    spirits = tuple(one for one in game.djinn_row if one != djinn)
    discards = tuple(one for one in game.djinn_discards if one != djinn)
    return replace(game, djinn_row=spirits, djinn_discards=discards, bag=bag.replace("W", "", elders))


def aimed_at(game: Game, djinn: str, kind: str | None) -> tuple[Game, str]:
    """A tile at which the djinn may be aimed; its meeples go where the power wants them gone."""
    for name, tile in zip(TILES, game.tiles, strict=True):
        if kind is None and tile.bare and not tile.meeples and djinn == "Leta":
            return game, name
        if kind is None and tile.bare and tile.meeples:
            if djinn == "Utug":
                return game, name
            emptied = replace(game, bag=game.bag + tile.meeples)
            return emptied.with_tile(name, replace(tile, meeples="")), name
        if tile.type == kind:
            return game, name
    raise AssertionError("no such tile")


def at_the_end_of_a_turn() -> Game:
    record = simulated(3, 5)
    return record.at(next(n for n in range(60, len(record.steps)) if record.at(n).turn.phase == "end"))


# Enki without an elder, with one, and with enough for both ways; a camel for two elders; a camel where nothing can be paid.
@pytest.mark.parametrize(
    ("djinn", "elders"), [("Enki", 0), ("Enki", 1), ("Bouraq", 2), ("Leta", 2), ("Utug", 0)]
)
def test_others_do_not_learn_whether_a_fakir_is_held(tmp_path: Path, djinn: str, elders: int) -> None:
    piece, kind = BY_HAND[djinn]
    game = at_the_end_of_a_turn()
    bob = str(game.turn.player)
    game, tile = aimed_at(with_djinn(game, bob, djinn, elders), djinn, kind)
    one, other = secret_hands(game, bob, random.Random(1))
    assert (one.player(bob).fakirs, other.player(bob).fakirs) == (0, 2)
    both = Both(tmp_path, one, other, bob)
    try:
        assert both.differences() == []
        for world in both.worlds:
            laid = Piece("camel", world.hands._colours[bob]) if piece == "camel" else Piece(piece)
            world.hands.put(tile, laid)
            world.hands.show(tile)
            world.rest()
        assert both.differences(thoroughly=(djinn, elders) == ("Enki", 1)) == []
        poor, rich = both.worlds
        ways = [len(payments(world.game, bob, djinn)) for world in both.worlds]
        assert [len(asked(world, bob)) for world in both.worlds] == ways, (
            "what the hand can pay, and nothing else"
        )
        spectators = poor.browsers["spectator"].get("/t/oak/").text
        if not isinstance(poor.session.snapshot.reading, Wrong):
            assert f"{bob} decides how this was paid." in spectators
            assert asked(poor, None) == []
        if ways[1]:
            step = str(rich.session.snapshot.step)
            number = str(asked(rich, bob)[0]["option"])
            rich.post(rich.browsers[bob], "/t/oak/choose", step=step, option=number)
            assert djinn in rich.game.player(bob).used
    finally:
        both.close()


def asked(world: World, name: str | None) -> list[dict[str, Any]]:
    """The ways of paying that this viewer can choose from."""
    viewer = Viewer("seat", name, (name,)) if name else Viewer("spectator")
    found: list[dict[str, Any]] = show(world.session.snapshot, viewer)["reading"]["actions"]
    return found


def test_a_victim_out_of_the_assassins_own_reach_tells_nobody_who_holds_fakirs(tmp_path: Path) -> None:
    record = simulated(3, 5)
    game = next(record.at(n) for n in range(40, len(record.steps)) if record.at(n).turn.phase == "kill")
    bob, end = str(game.turn.player), str(game.turn.tile)
    game = with_djinn(game, bob, "Ba'al", 0)
    reach = len(game.turn.collected)
    tile = next(
        name for name in TILES if distance(end, name) == reach + 1 and len(game.tile(name).meeples) > 1
    )
    both = Both(tmp_path, *secret_hands(game, bob, random.Random(1)), bob)
    try:
        for world in both.worlds:
            world.hands.take(tile, Piece("meeple", world.game.tile(tile).meeples[0]))
            world.hands.show(tile)
            world.rest()
        assert both.differences() == []
        poor, rich = both.worlds
        assert len(asked(poor, bob)) == 0 and len(asked(rich, bob)) == 1
        refused = poor.post(
            poor.browsers[bob], "/t/oak/choose", step=str(poor.session.snapshot.step), option="0"
        )
        assert refused[2], "only the player is told that the hand cannot pay"
        assert both.differences() == []
    finally:
        both.close()


def distance(one: str, other: str) -> int:
    return abs(ord(one[0]) - ord(other[0])) + abs(int(one[1]) - int(other[1]))
