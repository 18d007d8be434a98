"""Paying, buying and selling: the rules about gold, elders, fakirs and cards."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator

from naqala.rules.breach import Breach
from naqala.rules.djinns import Payment
from naqala.rules.goods import FAKIR
from naqala.rules.model import Game, Player
from naqala.rules.tiles import TileType, kind_of


def pays_the_price(
    player: Player,
    *,
    gold: int = 0,
    elders: int = 0,
    fakirs: int = 0,
    cost: tuple[Payment, ...] | None = None,
) -> Iterator[Breach]:
    """What is paid is one of the ways to pay, and the player has it."""
    if cost is not None and (elders, fakirs) not in cost:
        yield Breach("pays_the_price", details=(("cost", cost), ("elders", elders), ("fakirs", fakirs)))
    for what, asked in (("elders", elders), ("fakirs", fakirs), ("gold", gold)):
        if asked > getattr(player, what):
            yield Breach("pays_the_price", details=(("held", getattr(player, what)), (what, asked)))


def market(game: Game) -> TileType:
    """The end tile's row of the table of tiles."""
    assert game.turn.tile is not None
    return kind_of(game, game.turn.tile)


def on_offer(game: Game) -> tuple[str, ...]:
    """The cards of the row that the end tile's market sells."""
    return game.row[: market(game).first]


def sizes_of_purchase(game: Game) -> tuple[int, ...]:
    """How many cards may be bought at once; none when the row is empty."""
    most = min(market(game).takes, len(game.row))
    least = 1 if game.switch("large_market_take_one") == "yes" else most
    return tuple(range(max(1, least), most + 1))


def takes_from_the_front(game: Game, cards: tuple[str, ...]) -> Iterator[Breach]:
    """A market sells so many of the first cards that still lie in the row."""
    for card in Counter(cards) - Counter(on_offer(game)):
        yield Breach("takes_from_the_front", details=(("card", card), ("first", market(game).first)))
    if len(cards) not in sizes_of_purchase(game):
        yield Breach(
            "takes_from_the_front", details=(("cards", len(cards)), ("takes", sizes_of_purchase(game)))
        )


def sells_different_goods(player: Player, suits: tuple[tuple[str, ...], ...]) -> Iterator[Breach]:
    """A suit is of goods only, all different, and everything sold is in the hand."""
    for suit in suits:
        for card, count in Counter(suit).items():
            if count > 1 or card == FAKIR:
                yield Breach("sells_different_goods", details=(("card", card), ("suit", suit)))
    sold = Counter(card for suit in suits for card in suit if card != FAKIR)
    for card in sold - Counter(player.goods):
        details = (("card", card), ("held", player.goods.count(card)))
        yield Breach("sells_different_goods", details=details)
