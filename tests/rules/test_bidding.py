"""Bidding: the track, the zeros, the price, whose turn it is."""

from __future__ import annotations

import pytest
from naqala.rules import InvalidAction, bidding, notation, play
from naqala.rules import events as e

from tests.rules.table import broken, done, gold, invalid, table, told


def test_the_track_as_printed() -> None:
    assert bidding.TRACK == (0, 0, 0, 1, 3, 5, 8, 12, 18)


def test_bids_of_oliver_sam_anna_and_peter() -> None:
    names = ["Oliver", "Sam", "Anna", "Peter"]
    game = table({"A1": "Y", "A2": "Y"}, phase="bid", players=4)
    seats = dict(zip(["Ann", "Bob", "Cy", "Dee"], names, strict=True))
    bids = ["Ann bid 3", "Bob bid 1", "Cy bid 0", "Dee bid 0"]
    game = done(game, *bids)
    order = [game.turn.player, *[name for _, name in game.track]]
    assert [seats[str(name)] for name in order] == ["Oliver", "Sam", "Peter", "Anna"]
    assert [player.gold for player in game.players] == [47, 49, 50, 50]


def test_last_on_zero_plays_first_of_the_zeros() -> None:
    game = done(table({"A1": "Y", "A2": "Y"}, phase="bid"), "Ann bid 0", "Bob bid 0", "Cy bid 0")
    assert [game.turn.player, *game.track] == ["Cy", (0, "Bob"), (0, "Ann")]


def test_at_most_three_zeros_whoever_owns_them() -> None:
    game = done(table(phase="bid", players=2), "Ann bid 0", "Bob bid 0", "Ann bid 0")
    assert bidding.free_spots(game) == (1, 3, 5, 8, 12, 18)
    assert broken(game, "Bob bid 0") == ["bids_on_a_free_spot"]
    for spot in (1, 3, 5, 8, 12, 18):  # any free paying spot, not only the 1
        assert done(game, f"Bob bid {spot}").turn.player == "Bob"


def test_two_players_bid_and_play_with_two_markers_each() -> None:
    game = table({"A1": "Y", "A2": "Y"}, phase="bid", players=2, bid_order=["Bob", "Ann", "Ann", "Bob"])
    game = done(game, "Bob bid 5", "Ann bid 3", "Ann bid 8", "Bob bid 0")
    assert (game.turn.player, game.track) == ("Ann", ((5, "Bob"), (3, "Ann"), (0, "Bob")))
    assert game.bid_order == ("Ann",)  # its marker already stands on the bid-order track
    assert [player.gold for player in game.players] == [39, 45]


def test_bids_on_a_free_spot() -> None:
    game = done(table(phase="bid"), "Ann bid 3")
    assert broken(game, "Bob bid 3") == ["bids_on_a_free_spot"]
    assert done(game, "Bob bid 5").track == ((5, "Bob"), (3, "Ann"))


def test_pays_the_price_of_a_spot() -> None:
    game = table(phase="bid", ann={"gold": 7})
    assert broken(game, "Ann bid 8") == ["pays_the_price"]
    assert gold(game, "Ann bid 5") == {("Ann", "bid"): -5}


def test_all_breaches_of_a_bid_at_once() -> None:
    game = done(table(phase="bid", bob={"gold": 2}), "Ann bid 3")
    assert broken(game, "Bob bid 3 fakirs 1") == ["bids_on_a_free_spot", "pays_the_price", "pays_the_price"]


def test_who_can_pay_for_no_free_spot_takes_the_cheapest_for_what_is_left() -> None:
    game = table(phase="bid", players=2, bob={"gold": 2}, bid_order=["Ann", "Ann", "Bob", "Bob"])
    game = done(game, "Ann bid 0", "Ann bid 0", "Bob bid 0")
    assert gold(game, "Bob bid 1") == {("Bob", "bid"): -1}  # he can pay the 1
    poor = table(phase="bid", players=4, dee={"gold": 2}, bid_order=["Ann", "Bob", "Cy", "Dee"])
    poor = done(poor, "Ann bid 0", "Bob bid 0", "Cy bid 0")
    assert broken(poor, "Dee bid 3") == ["pays_the_price"]
    broke = table(phase="bid", players=4, dee={"gold": 0}, bid_order=["Ann", "Bob", "Cy", "Dee"])
    broke = done(broke, "Ann bid 0", "Bob bid 0", "Cy bid 0")
    assert gold(broke, "Dee bid 1") == {}
    assert broken(broke, "Dee bid 3") == ["pays_the_price"]


def test_plays_in_turn() -> None:
    game = table(phase="bid")
    with pytest.raises(InvalidAction) as refused:
        play(game, notation.from_text("Bob bid 3"))
    assert [breach.rule for breach in refused.value.breaches] == ["plays_in_turn"]
    assert str(refused.value) == "it is not Bob's turn: phase bid of Ann"
    assert invalid(game, "Zed bid 3") == "nobody is called 'Zed'"


def test_a_spot_that_does_not_exist_is_nonsense() -> None:
    assert invalid(table(phase="bid"), "Ann bid 4") == "no spot costs 4"


def test_the_marker_moves_to_the_bid_order_track_as_its_turn_begins() -> None:
    game = table({"A1": "Y", "A2": "Y"}, phase="bid")
    game = done(game, "Ann bid 0", "Bob bid 1", "Cy bid 3")
    assert game.bid_order == ("Cy",)
    assert told(done(game, "Cy sow A1>A2Y"), "Cy end") == (
        e.TurnBegun("Bob", 1),
        e.EndNear("no_sowing", "Bob"),
    )
