"""Setting up: what is in the box, and what is refused."""

from __future__ import annotations

from collections import Counter
from random import Random

import pytest
from naqala.rules import InvalidAction
from naqala.rules.board import TILES
from naqala.rules.model import Game, Turn
from naqala.rules.opening import BOX_MEEPLES, BOX_TILES, dealt, opened

from tests.rules.table import done

NAMES = ["Ann", "Bob", "Cy"]
MEEPLES = [BOX_MEEPLES[at : at + 3] for at in range(0, 90, 3)]


def test_thirty_tiles_of_198_points_twelve_of_them_blue() -> None:
    kinds = Counter(kind for kind, _ in BOX_TILES)
    assert kinds == {"village": 5, "sacred_place": 7, "oasis": 6, "small_market": 8, "large_market": 4}
    assert sum(points for _, points in BOX_TILES) == 198
    assert kinds["village"] + kinds["sacred_place"] == 12


@pytest.mark.parametrize(("names", "camels", "markers"), [(2, 11, 4), (3, 8, 3), (4, 8, 4)])
def test_a_dealt_opening(names: int, camels: int, markers: int) -> None:
    game = dealt(["Ann", "Bob", "Cy", "Dee"][:names], Random(1).randrange)
    assert {len(there) for there in game.meeples} == {3}
    assert Counter("".join(game.meeples)) == Counter(BOX_MEEPLES)
    assert Counter((tile.type, tile.points) for tile in game.tiles) == Counter(BOX_TILES)
    assert {(player.camels, player.gold) for player in game.players} == {(camels, 50)}
    assert (len(game.row), len(game.djinn_row), len(game.bid_order)) == (9, 3, markers)
    assert (game.bag, game.palms, game.palaces, game.round) == ("", 12, 10, 1)
    assert game.turn == Turn(game.bid_order[0], "bid")


def test_cards_that_players_turn_up_are_the_first_action() -> None:
    game = opened(NAMES, BOX_TILES, MEEPLES, bid_order=["Cy", "Ann", "Bob"])
    assert (game.turn, game.round) == (Turn(None, "reveal"), 0)
    game = done(game, "reveal fish fish fish silk silk silk gold gold fakir djinns Enki Leta Boaz")
    assert (game.turn, game.round) == (Turn("Cy", "bid"), 1)


def test_rows_that_are_known_begin_with_bidding() -> None:
    row = ["fish"] * 6 + ["silk"] * 3
    game = opened(NAMES, BOX_TILES, MEEPLES, row=row, djinn_row=["Enki", "Leta", "Boaz"])
    assert game.turn == Turn("Ann", "bid")


def wrong(**changes: object) -> str:
    facts: dict[str, object] = {"names": NAMES, "layout": BOX_TILES, "meeples": MEEPLES}
    with pytest.raises(InvalidAction) as refused:
        opened(**(facts | changes))  # type: ignore[arg-type]
    return str(refused.value)


def test_what_does_not_fit_the_box_is_refused() -> None:
    assert "two to four players" in wrong(names=["Ann"])
    assert "two to four players" in wrong(names=["Ann", "Ann"])
    assert wrong(layout=[("oasis", 8)] * 30) == "these are not the 30 tiles of the box"
    assert "90 meeples" in wrong(meeples=["YYY"] * 30)
    assert "90 meeples" in wrong(meeples=[MEEPLES[0][:2], MEEPLES[1] + MEEPLES[0][2], *MEEPLES[2:]])
    assert "does not name every marker once" in wrong(bid_order=["Ann", "Ann", "Bob"])
    assert wrong(row=["ivory"] * 3) == "ivory cannot be drawn: it is not in the pile"
    assert "at most 9 cards" in wrong(row=["fish"] * 10)


def test_the_same_dice_give_the_same_opening() -> None:
    def one(seed: int) -> Game:
        return dealt(NAMES, Random(seed).randrange)

    assert one(3) == one(3)
    assert one(3) != one(4)
    assert len(TILES) == len(one(3).tiles)
