"""A tap is stale when what it answers has changed, not because something else was written down; and it counts once."""

from __future__ import annotations

import random

from naqala.link import Arrived
from naqala.rules import notation
from naqala.rules.actions import Bid
from naqala.rules.board import TILES
from naqala.rules.choices import legal
from naqala.session import commands as c
from naqala.transcript import Piece
from naqala_protocol import Alive, Fault

from tests.dashboard.two_worlds import World, anything

DEAD = 12  # a reader


def until_bids(world: World) -> None:
    dice = random.Random(3)
    while world.game.turn.phase != "bid":
        world.do(anything([world.game], dice))


def break_a_reader(world: World) -> None:
    world.hands._seq += 1
    world.hands._inbox(Arrived(Fault(world.hands._seq, DEAD, "absent"), world.hands.clock))
    world.rest()


def a_bid(world: World) -> c.Tap:
    """A tap on a page of this moment."""
    action = next(one.action for one in legal(world.game) if isinstance(one.action, Bid))
    return c.Tap(str(action.player), world.session.snapshot.step, notation.to_json(action))


def told_otherwise(world: World, number: int) -> c.EnterTile:
    """What lies under a dead reader, told by somebody else, and each time another thing."""
    other = next(player.name for player in world.game.players if player.name != world.game.turn.player)
    return c.EnterTile(other, world.session.snapshot.step, TILES[DEAD], "Y" * (number % 7))


def test_a_note_of_somebody_else_does_not_make_a_tap_stale(world: World) -> None:
    until_bids(world)
    break_a_reader(world)
    bid = a_bid(world)
    assert world.session.tell(told_otherwise(world, 1)).accepted
    assert world.session.tell(c.SeatTold("left", "Ann")).accepted
    assert world.session.snapshot.step == bid.step + 2
    assert world.session.tell(bid).accepted
    again = world.session.tell(bid)
    assert (again.accepted, again.why) == (False, "stale"), "the same tap twice is one"


def test_a_correction_elsewhere_does_not_make_a_bid_stale(world: World) -> None:
    until_bids(world)
    bid = a_bid(world)
    tile = next(name for name in TILES if world.game.tile(name).meeples)
    world.hands.take(tile, Piece("meeple", world.game.tile(tile).meeples[0]))
    world.hands.show(tile)
    world.rest()
    other = next(player.name for player in world.game.players if player.name != bid.by)
    assert world.session.tell(c.TableIsRight(other, world.session.snapshot.step)).accepted
    assert world.session.snapshot.log[-1].kind == "correction"
    assert world.session.tell(bid).accepted


def test_after_an_undo_the_same_button_is_another_one(world: World) -> None:
    until_bids(world)
    bid = a_bid(world)
    standing = len(world.game.track)
    assert world.session.tell(bid).accepted
    steps = sum(line.action is not None for line in world.session.snapshot.log)
    assert len(world.game.track) == standing + 1
    assert world.session.tell(c.UndoTo(bid.by, world.session.snapshot.step, steps - 1)).accepted
    assert world.session.tell(bid).why == "stale"


def test_a_sale_tapped_twice_is_one_sale(world: World) -> None:
    """The hand may hold the same goods twice: only the number of the page tells the second tap from a second sale."""
    dice = random.Random(3)
    while True:
        player = world.game.turn.player
        if world.game.turn.phase == "end" and player and len(world.game.player(player).goods) > 1:
            break
        world.do(anything([world.game], dice))
    goods = world.game.player(player).goods
    sale = c.Tap(player, world.session.snapshot.step, {"do": "sell", "player": player, "suits": [[goods[0]]]})
    assert world.session.tell(sale).accepted
    assert world.session.tell(sale).why == "stale"
    assert len(world.game.player(player).goods) == len(goods) - 1


def test_an_empty_reveal_while_bids_are_made_is_refused_by_the_session(world: World) -> None:
    until_bids(world)
    for player in world.game.players:
        told = world.session.tell(c.Tap(player.name, world.session.snapshot.step, {"do": "reveal"}))
        assert (told.accepted, told.why) == (False, "invalid")


def test_one_rude_seat_makes_no_tap_of_the_bidder_stale(world: World) -> None:
    """With 0.1.0 it was 28 of 60, and 20 of 20 with a page 150 ms old. A rude seat posts all that it may between the moment a page
    was made and the tap on it: empty reveals, tiles told, corrections, questions."""
    until_bids(world)
    break_a_reader(world)
    for number in range(60):
        rude = next(player.name for player in world.game.players if player.name != world.game.turn.player)
        bid = a_bid(world)
        written = len(world.session.snapshot.log)
        for _ in range(3):
            step = world.session.snapshot.step
            world.session.tell(c.Tap(rude, step, {"do": "reveal"}))
            world.session.tell(told_otherwise(world, number))
            world.session.tell(c.TableIsRight(rude, step))
            world.session.tell(c.UndoTo(rude, step, 0))
        told = world.session.tell(bid)
        assert told.accepted, (number, told, len(world.session.snapshot.log) - written)
        world.rest(8_000)
        standing = sum(
            line.action is not None and not line.undone and line.kind != "undo"
            for line in world.session.snapshot.log
        )
        assert world.session.tell(c.UndoTo(bid.by, world.session.snapshot.step, standing - 1)).accepted
    notes = [line for line in world.session.snapshot.log if line.kind == "note" and "entered" in line.body]
    assert len(notes) > 30, "the rude seat was heard"


def test_a_sign_of_life_is_no_new_version(world: World) -> None:
    version = world.session.snapshot.version
    for number in range(5):
        world.hands._inbox(Arrived(Alive(world.hands._seq, number, 340, 90_000, ()), world.hands.clock))
    world.session.tell(c.Look("owner"))
    assert world.session.snapshot.version == version
    break_a_reader(world)
    assert world.session.snapshot.version > version, "what is shown of a reader has changed"
