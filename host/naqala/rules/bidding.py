"""Bidding: the turn-order track, what a spot costs, and where a marker may go."""

from __future__ import annotations

from collections.abc import Iterator

from naqala.rules import djinns
from naqala.rules.breach import Breach
from naqala.rules.model import Game, Player

# The turn-order track: three spots for nothing, then six to be paid.
TRACK: tuple[int, ...] = (0, 0, 0, 1, 3, 5, 8, 12, 18)
PRICES: tuple[int, ...] = tuple(dict.fromkeys(TRACK))
ZEROS = TRACK.count(0)


def free_spots(game: Game) -> tuple[int, ...]:
    """Spots that can still be taken, cheapest first; zero as long as one of the three is free."""
    taken = [spot for spot, _ in game.track]
    return tuple(spot for spot in PRICES if taken.count(spot) < (ZEROS if spot == 0 else 1))


def price(spot: int, fakirs: int) -> int:
    """What a spot costs when fakirs make it cheaper, one spot each; beyond zero they are wasted."""
    return PRICES[max(0, PRICES.index(spot) - fakirs)]


def cannot_pay_any(game: Game, player: Player) -> bool:
    """No free spot is within the printed means: then the cheapest free one is taken for what is left."""
    return all(spot > player.gold for spot in free_spots(game))


def to_pay(game: Game, player: Player, spot: int, fakirs: int) -> int:
    """Gold that a bid takes from this player."""
    return min(player.gold, price(spot, fakirs))


def bids_on_a_free_spot(game: Game, spot: int) -> Iterator[Breach]:
    """A marker takes a spot nobody stands on; at most three stand on zeros, whoever owns them."""
    if spot not in free_spots(game):
        yield Breach("bids_on_a_free_spot", details=(("free", free_spots(game)), ("spot", spot)))


def pays_the_spot(game: Game, player: Player, spot: int, fakirs: int) -> Iterator[Breach]:
    """A bid is paid at once, with fakirs only where a djinn allows it."""
    helped = fakirs if djinns.cheaper_bids(player) and fakirs <= player.fakirs else 0
    used_up = next((name for name in player.used if djinns.DJINNS[name].cheaper_bids), None)
    if helped < fakirs and used_up:
        yield Breach("once_per_turn", details=(("djinn", used_up),))
    elif helped < fakirs:
        yield Breach("pays_the_price", details=(("fakirs", fakirs), ("held", player.fakirs)))
    free = free_spots(game)
    fallback = cannot_pay_any(game, player) and free and spot == free[0]
    if price(spot, helped) > player.gold and not fallback:
        yield Breach("pays_the_price", details=(("gold", player.gold), ("price", price(spot, helped))))
