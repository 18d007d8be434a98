"""What is shown, offered, asked or refused to others does not depend on a player's secrets: whole games in two worlds."""

from __future__ import annotations

import os
import random
from collections import Counter
from pathlib import Path

import pytest
from naqala.rules.actions import Bid
from naqala.rules.board import TILES
from naqala.simulate import simulated
from naqala.table.pieces import CAMEL_COLOURS
from naqala.transcript import Piece

from tests.dashboard.two_worlds import Both, anything, secret_hands

# `NAQALA_LONG=1 pytest tests/dashboard/test_two_worlds.py` plays to the end and looks at every page after every fifth step.
STEPS, THOROUGHLY_EVERY = (1_000, 5) if os.environ.get("NAQALA_LONG") else (60, 20)


@pytest.mark.long
@pytest.mark.parametrize(("players", "seed"), [(3, 5), (2, 8)])
def test_others_cannot_tell_the_worlds_apart(tmp_path: Path, players: int, seed: int) -> None:
    record = simulated(players, seed)
    begin = next(n for n in range(len(record.steps)) if record.at(n).round == 3)
    game = record.at(begin)
    secretive = game.players[seed % players].name
    both = Both(tmp_path, *secret_hands(game, secretive, random.Random(seed)), secretive, seed)
    done: Counter[str] = Counter()
    try:
        for number in range(STEPS):
            if both.worlds[0].game.turn.phase == "over":
                break
            assert both.differences(number % THOROUGHLY_EVERY == 0) == [], f"after {sum(done.values())} steps"
            rude(both, number)
            clumsy(both, number)
            done[both.step()] += 1
    finally:
        both.close()
    print(f"{sum(done.values())} steps {dict(done)}, {both.compared / 1e6:.1f} MB the same")
    assert done["Sow"] > 5 and done["Bid"] > 5


PAID_BY_HAND = {
    "Enki",
    "Bouraq",
    "Utug",
    "Leta",
    "Anun-Nak",
}  # djinns whose power is seen on the table, and paid in secret


def clumsy(both: Both, number: int) -> None:
    """Hands put something where it does not belong: what the referee says of it is the same in both worlds. Whose djinns could
    have done it is another matter: then the referee has to ask how it was paid."""
    acting = both.worlds[0].game.turn.player
    if number % 6 or (acting and PAID_BY_HAND & set(both.worlds[0].game.player(acting).djinns)):
        return
    tile = both.chance.choice(TILES)
    piece = both.chance.choice(
        [Piece("palm"), Piece("palace"), Piece("camel", CAMEL_COLOURS[0]), Piece("camel", CAMEL_COLOURS[1])]
    )
    for world in both.worlds:
        world.hands.put(tile, piece)
        world.hands.show(tile)
        world.rest()
    assert both.differences(number == 0) == [], f"{piece} on {tile}"
    for world in both.worlds:
        world.hands.lay(world.game)
        world.rest()


def rude(both: Both, number: int) -> None:
    """What others may try in between: each answer must be the same in both worlds."""
    other = next(name for name in both.others if name not in ("owner", "spectator"))
    step = str(both.worlds[0].session.snapshot.step)
    posts = (
        ("tap", {"action": '{"do":"end"}'}),
        ("undo", {"to": str(max(0, number - 2))}),
        ("choose", {"option": "0"}),
        ("table-is-right", {}),
        ("play-on", {}),
        ("sell", {}),
        ("enter", {"tile": "C3", "count.Y": "1"}),
    )
    address, fields = posts[number % len(posts)]
    if both.worlds[0].game.turn.player == other and address in ("tap", "undo"):
        return  # that would be a move
    both.each(lambda world: world.post(world.browsers[other], f"/t/oak/{address}", step=step, **fields))
    if both.worlds[0].session.snapshot.asked:
        to = both.worlds[0].session.snapshot.asked.number
        owner = "owner"
        both.each(
            lambda world: world.post(world.browsers[owner], f"/t/oak/consent/{to}", step=step, agreed="no")
        )


def test_the_scanner_finds_a_leak(tmp_path: Path) -> None:
    """It is no good if it finds nothing: here the price of a bid is told with what is left in the purse."""
    record = simulated(2, 8)
    game = record.at(next(n for n in range(len(record.steps)) if record.at(n).turn.phase == "bid" and n))
    secretive = str(game.turn.player)
    both = Both(tmp_path, *secret_hands(game, secretive, random.Random(1)), secretive)
    try:
        assert both.differences() == []
        for world in both.worlds:
            left = world.game.player(secretive).gold
            world.session.publish(edition=f"{secretive} has {left} left")
        assert len(both.differences()) == len(both.others) + 1
        assert isinstance(anything([world.game for world in both.worlds], both.chance), Bid)
    finally:
        both.close()
