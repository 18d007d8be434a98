"""Clean-up, the next round, and both ways in which a game ends."""

from __future__ import annotations

from typing import Any

from naqala.rules import events as e
from naqala.rules import filled, legal, play
from naqala.rules.djinns import DJINNS, PROMO
from naqala.rules.model import Game, Turn

from tests.rules.table import done, invalid, table, told

LAST = {"bid_order": ["Bob", "Cy", "Ann"], "track": []}  # Ann's is the round's last turn
PAIR = {"E1": "Y", "E2": "YB"}  # a sowing that is always there
ROWS = {"row": ["fish"] * 6 + ["silk"] * 3, "djinn_row": ["Enki", "Boaz", "Leta"]}


def test_the_next_round_begins_with_full_rows() -> None:
    game = table(PAIR, phase="end", **LAST, **ROWS, ann={"used": ["Enki"]})
    after = done(game, "Ann end")
    assert (after.round, after.turn, after.player("Ann").used) == (2, Turn("Bob", "bid"), ())
    assert done(after, "reveal") == after  # an empty one may be written or left out
    assert invalid(after, "reveal fish") == "no card has to be turned up now"


def cleaning(**more: Any) -> Game:
    return done(table(PAIR, phase="end", **LAST, **more), "Ann end")


def test_clean_up_fills_both_rows_before_anybody_bids() -> None:
    game = cleaning(row=["fish"] * 6, djinn_row=["Enki", "Boaz"])
    assert (game.turn, game.round) == (Turn(None, "reveal"), 1)
    assert invalid(game, "Bob bid 0").startswith("it is not Bob's turn")
    after = done(game, "reveal silk fakir gold djinns Leta")
    assert after.row == ("fish",) * 6 + ("silk", "fakir", "gold")  # what lay there shifts to the front
    assert after.djinn_row == ("Enki", "Boaz", "Leta")
    assert (after.round, after.turn) == (2, Turn("Bob", "bid"))
    half = done(game, "reveal silk fakir gold")
    assert half.turn.phase == "reveal"
    assert done(half, "reveal djinns Leta") == after


def test_clean_up_with_nothing_to_turn_up_is_an_empty_reveal() -> None:
    game = table(PAIR, phase="reveal", **ROWS)
    (choice,) = legal(game)
    after, _ = play(game, filled(game, choice, lambda most: 0))
    assert (after.round, after.turn) == (2, Turn("Ann", "bid"))
    assert invalid(game, "reveal silk") == "0 cards and 0 djinns have to be turned up"


def test_only_cards_that_can_be_in_the_pile_turn_up() -> None:
    game = cleaning(row=["fish"] * 6, djinn_row=["Enki", "Boaz", "Leta"])
    assert invalid(game, "reveal fish fish fish") == "fish cannot be drawn: it is not in the pile"
    assert invalid(game, "reveal silk silk silk silk") == "3 cards and 0 djinns have to be turned up"
    assert invalid(game, "reveal") == "3 cards and 0 djinns have to be turned up"
    assert invalid(game, "reveal silk silk silk djinns Sloar") == "3 cards and 0 djinns have to be turned up"


ALL_BUT_TWO_SPICE = {
    "goods": {
        "ivory": 2,
        "jewels": 2,
        "gold": 2,
        "papyrus": 4,
        "silk": 4,
        "spice": 2,
        "wheat": 6,
        "pottery": 6,
    },
    "fakirs": 16,
}


def test_an_empty_pile_is_the_shuffled_discards() -> None:
    # Two spice are hidden, two fakirs discarded, six fish lie in the row: three cards are missing.
    game = cleaning(
        row=["fish"] * 6, djinn_row=["Enki", "Boaz", "Leta"], discards={"fakir": 2}, bob=ALL_BUT_TWO_SPICE
    )
    assert invalid(game, "reveal spice fakir spice") == "fakir cannot be drawn: it is not in the pile"
    after = done(game, "reveal spice spice fakir")
    assert (after.row[-3:], after.discards) == (("spice", "spice", "fakir"), ())
    assert e.Reshuffled("resources") in told(game, "reveal spice spice fakir")
    exact = cleaning(row=["fish"] * 6 + ["spice"], djinn_row=["Enki", "Boaz", "Leta"], discards={"fakir": 2})
    assert done(exact, "reveal silk gold").discards == ("fakir", "fakir")  # not earlier than needed


def test_rows_are_filled_as_far_as_they_can_be() -> None:
    rest = [name for name in DJINNS if name not in ("Enki", PROMO)]
    game = cleaning(
        row=["fish"] * 6,
        discards={"fakir": 1},
        djinn_row=["Enki"],
        bob={**ALL_BUT_TWO_SPICE, "fakirs": 17, "djinns": rest},
    )
    after = done(game, "reveal spice spice fakir")
    assert (len(after.row), after.djinn_row, after.turn.phase) == (9, ("Enki",), "bid")


# --- ends ---------------------------------------------------------------------------------------------------


def test_last_camel() -> None:
    tiles = {"A1": "W", "A2": "W", **PAIR}
    game = table(tiles, ann={"camels": 1}, bid_order=["Bob", "Ann"], track=[{"spot": 0, "player": "Cy"}])
    assert e.EndNear("last_camel", "Ann") in told(game, "Ann sow A1>A2W")
    game = done(game, "Ann sow A1>A2W", "Ann end")
    assert (game.turn.player, game.ending) == ("Cy", "last_camel")  # the round is finished
    game = done(game, "Cy sow E1>E2Y", "Cy end")
    assert game.turn == Turn(None, "over")
    assert invalid(game, "Ann bid 0") == "it is not Ann's turn: the game is over"
    assert invalid(game, "reveal fish") == "reveal has no place now: the game is over"


def test_last_camel_placed_by_a_djinn() -> None:
    game = table({"C1": "Y"}, phase="end", ann={"camels": 1, "elders": 2, "djinns": ["Leta"]})
    assert done(game, "Ann power Leta elders 2 tile C3").ending == "last_camel"


def test_no_sowing() -> None:
    game = table(
        {"A1": "Y", "A2": "Y", "C3": "W"}, bid_order=["Bob", "Ann"], track=[{"spot": 0, "player": "Cy"}]
    )
    game = done(game, "Ann sow A1>A2Y")
    assert game.ending is None
    assert e.EndNear("no_sowing", "Cy") in told(game, "Ann end")  # at the start of that turn
    game = done(game, "Ann end")
    assert invalid(game, "Cy end") == "end has no place now: phase sow of Cy"
    game = done(game, "Cy pass", "Cy end")
    assert (game.turn.phase, game.ending) == ("over", "no_sowing")


def test_no_sowing_left_after_the_rounds_last_turn() -> None:
    game = done(table({"A1": "Y", "A2": "Y"}, **LAST, **ROWS), "Ann sow A1>A2Y", "Ann end")
    assert (game.turn.phase, game.ending) == ("over", "no_sowing")


def test_who_cannot_move_may_still_use_djinns_and_sell() -> None:
    held = {"elders": 1, "djinns": ["Enki"], "goods": {"fish": 1}}
    game = table({"A1": {"type": "oasis"}}, ann=held)
    assert (
        invalid(game, "Ann sell fish") == "sell has no place now: phase sow of Ann"
    )  # at the end of one's turn
    after = done(game, "Ann pass", "Ann power Enki elders 1 tile A1", "Ann sell fish", "Ann end")
    assert (after.tile("A1").palms, after.player("Ann").gold, after.ending) == (1, 51, "no_sowing")


def stuck(**more: Any) -> Game:
    """Nobody can sow; Ann holds Anun-Nak, Bob and Cy still have to play."""
    held = {"elders": 1, "djinns": ["Anun-Nak"]}
    return table({"C3": "Y"}, ann=held, bag="YYB", **more)


def test_anun_nak_before_the_pass_makes_the_same_player_sow() -> None:
    game = done(stuck(), "Ann power Anun-Nak elders 1 tile C4 meeples YYB")
    assert game.ending == "no_sowing"
    assert invalid(game, "Ann pass") == "there is a legal sowing, so it must be done"
    assert done(game, "Ann sow C3>C4Y").turn.phase == "end"


def test_anun_nak_after_the_pass_lets_later_players_move_and_the_game_still_ends() -> None:
    game = done(stuck(), "Ann pass", "Ann power Anun-Nak elders 1 tile C4 meeples YYB")
    assert invalid(game, "Ann sow C3>C4Y") == "sow has no place now: phase end of Ann"
    game = done(game, "Ann end", "Bob sow C3>C4Y", "Bob end", "Cy pass", "Cy end")
    assert (game.turn.phase, game.ending) == ("over", "no_sowing")


def test_the_first_reason_to_end_is_the_one_that_counts() -> None:
    game = table({"A1": "W", "A2": "W"}, ann={"camels": 1})
    game = done(game, "Ann sow A1>A2W", "Ann end", "Bob pass", "Bob end", "Cy pass", "Cy end")
    assert (game.turn.phase, game.ending) == ("over", "last_camel")
