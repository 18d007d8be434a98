"""The resource cards: nine goods and the fakirs, what a suit of different goods is worth, and the best split of a hand.

A hand of goods is a tuple of names in the order of GOODS; fakirs are counted apart. Nothing here knows a game.
"""

from __future__ import annotations

from collections.abc import Iterable
from functools import cache

FAKIR = "fakir"
# What is in the deck of 54, the rare goods first.
RESOURCES: dict[str, int] = {
    "ivory": 2,
    "jewels": 2,
    "gold": 2,
    "papyrus": 4,
    "silk": 4,
    "spice": 4,
    "fish": 6,
    "wheat": 6,
    "pottery": 6,
    FAKIR: 18,
}
GOODS: tuple[str, ...] = tuple(card for card in RESOURCES if card != FAKIR)
_ORDER: dict[str, int] = {card: place for place, card in enumerate(RESOURCES)}

# Worth of a suit of 0..9 different goods. The steps never shrink, so the longest suits are always the best split.
SUIT_VALUES: tuple[int, ...] = (0, 1, 3, 7, 13, 21, 30, 40, 50, 60)


def in_order(cards: Iterable[str]) -> tuple[str, ...]:
    """The same cards as every hand and discard is kept: in the order of the table above."""
    return tuple(sorted(cards, key=_ORDER.__getitem__))


def without(cards: tuple[str, ...], taken: Iterable[str]) -> tuple[str, ...]:
    """The cards that are left, each taken card removed once from the front. ValueError when one is not there."""
    left = list(cards)
    for card in taken:
        left.remove(card)
    return tuple(left)


def suit_value(suit: Iterable[str]) -> int:
    """What a suit of different goods brings."""
    return SUIT_VALUES[len(tuple(suit))]


def best_suits(hand: Iterable[str]) -> tuple[tuple[str, ...], ...]:
    """The split of a hand into suits that is worth most: every kind once, then every kind held twice, and so on."""
    cards = tuple(hand)
    deepest = max((cards.count(good) for good in GOODS), default=0)
    return tuple(
        tuple(good for good in GOODS if cards.count(good) >= depth) for depth in range(1, deepest + 1)
    )


def best_split(hand: Iterable[str], wilds: int = 0) -> tuple[tuple[tuple[str, ...], int], ...]:
    """The most valuable suits of a hand with wild goods: pairs of (goods, wilds in that suit)."""
    suits = best_suits(hand)
    # A wild stands for a kind its suit lacks, or opens a suit of wilds alone; there is never need for more of these.
    sizes = tuple(len(suit) for suit in suits) + (0,) * (wilds and 1)
    shares = _best_shares(sizes, wilds)[1]
    return tuple(
        (suits[place] if place < len(suits) else (), share)
        for place, share in enumerate(shares)
        if place < len(suits) or share
    )


def split_value(split: Iterable[tuple[tuple[str, ...], int]]) -> int:
    """Worth of suits with their wilds."""
    return sum(SUIT_VALUES[len(suit) + wilds] for suit, wilds in split)


@cache
def _best_shares(sizes: tuple[int, ...], wilds: int) -> tuple[int, tuple[int, ...]]:
    """How many wilds each suit gets for the highest sum; at most nine cards in a suit."""
    if not sizes:
        return (0, ())
    found = (-1, ())  # type: tuple[int, tuple[int, ...]]
    for share in range(min(wilds, len(SUIT_VALUES) - 1 - sizes[0]), -1, -1):
        value, rest = _best_shares(sizes[1:], wilds - share)
        found = max(found, (SUIT_VALUES[sizes[0] + share] + value, (share, *rest)))
    return found
