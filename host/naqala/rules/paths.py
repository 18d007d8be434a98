"""Every legal sowing of a board: is there one, how many, which, and which drops keep a half-made one legal.

In: `meeples`, a string of tribe letters per tile in the order of TILES, as it lies before the move. Meeples of one
colour are alike. All answers rest on one observation: a walk may carry the hand's colours in any order, except that
the last meeple must meet its colour. Either one lies on the end tile anyhow, or the walk comes by the end tile
earlier and drops one there. So it is enough to know where walks end and how often they came by: see `walks`.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Iterator, Sequence
from functools import cache, lru_cache
from itertools import compress
from math import comb, factorial, prod

from naqala.rules import walks
from naqala.rules.board import NUMBER, TILES, TRIBES
from naqala.rules.sowing import Drop, Sowing, breaches_so_far

Outcome = tuple[str, str, str]  # start, end, colour
_BITS = tuple((1 << number, tile) for number, tile in enumerate(TILES))


def any_sowing(meeples: Sequence[str]) -> bool:
    """Whether there is any legal sowing: while there is, the player whose turn it is must sow."""
    held = _held(meeples)
    return any(
        mask for start, hand in enumerate(meeples) for _, mask in _last_drops(held, start, hand, 1 << start)
    )


def outcomes(meeples: Sequence[str]) -> frozenset[Outcome]:
    """The distinct (start, end, colour) of all legal sowings."""
    held = _held(meeples)
    return frozenset(
        (TILES[start], tile, colour)
        for start, hand in enumerate(meeples)
        for colour, mask in _last_drops(held, start, hand, 1 << start)
        for tile in _tiles(mask)
    )


# --- counting -----------------------------------------------------------------------------------------------


def count_sowings(meeples: Sequence[str], start: str | None = None) -> int:
    """How many ordered legal sowings there are, in all or from one tile, without listing them."""
    return sum(count_per_start(meeples, TILES if start is None else (start,)).values())


def count_per_start(meeples: Sequence[str], starts: Iterable[str] = TILES) -> dict[str, int]:
    """The number of ordered legal sowings from each tile that has any."""
    lies = {colour: [colour in on for on in meeples] for colour in TRIBES}
    counted = ((tile, _count(lies, NUMBER[tile], meeples[NUMBER[tile]])) for tile in starts)
    return {tile: count for tile, count in counted if count}


def _count(lies: dict[str, list[bool]], start: int, hand: str) -> int:
    total = 0
    for colour, shares in _shares(hand):
        for row, (met, unmet) in zip(walks.counts(len(hand))[start], shares, strict=False):
            # The colour lies on the start tile too, but is lifted before the first drop.
            meeting = sum(compress(row, lies[colour])) - row[start]
            total += met * meeting
            if unmet:
                total += unmet * (sum(row) - meeting)
    return total


@lru_cache(maxsize=4096)
def _shares(hand: str) -> tuple[tuple[str, tuple[tuple[int, int], ...]], ...]:
    """Per last colour and number of earlier visits to the end tile: orders of the hand that end there legally.

    Two numbers each: where the colour lies on the end tile anyhow, and where an earlier visit must bring it.
    """
    drops, found = len(hand) - 1, []
    for colour in sorted(set(hand)):
        alike = hand.count(colour) - 1  # others of the last one's colour
        rest = prod(factorial(hand.count(other)) for other in set(hand) - {colour})
        others = factorial(drops - alike) // rest  # orders of the other colours among themselves
        every = comb(drops, alike)
        shares = [(every * others, (every - comb(drops - k, alike)) * others) for k in range(drops // 4 + 1)]
        found.append((colour, tuple(shares)))
    return tuple(found)


# --- listing ------------------------------------------------------------------------------------------------

_TABLED = (
    6  # up to this hand, walks and orders are kept as tables; beyond, they are made as they are asked for
)


def sowings(meeples: Sequence[str], start: str | None = None) -> Iterator[Sowing]:
    """Every ordered legal sowing, in all or from one tile."""
    held = _held(meeples)
    for tile in TILES if start is None else (start,):
        number, hand = NUMBER[tile], "".join(sorted(meeples[NUMBER[tile]]))
        for colour, mask in _last_drops(held, number, hand, 1 << number):
            lies = held[colour] & ~(1 << number)
            for end in _tiles(mask):
                if lies >> NUMBER[end] & 1:
                    yield from _free(tile, end, hand, colour)
                else:
                    yield from _looped(tile, end, hand, colour)


def _free(start: str, end: str, hand: str, colour: str) -> Iterator[Sowing]:
    """All walks to a tile on which the colour lies, with all orders that end with it."""
    for walk in _walks(start, len(hand), end):
        for order in _orders(hand, colour):
            yield Sowing(start, tuple(zip(walk, order, strict=True)))


def _looped(start: str, end: str, hand: str, colour: str) -> Iterator[Sowing]:
    """Walks that come by their end tile, with the orders that drop the colour there before they end with it."""
    for walk in _walks(start, len(hand), end):
        visits = [drop for drop, tile in enumerate(walk[:-1]) if tile == end]
        for order in _orders(hand, colour) if visits else ():
            if any(order[drop] == colour for drop in visits):
                yield Sowing(start, tuple(zip(walk, order, strict=True)))


def _walks(start: str, drops: int, end: str) -> Iterable[tuple[str, ...]]:
    made = _walk_table if drops <= _TABLED else walks.listed
    return made(NUMBER[start], drops, NUMBER[end])


def _orders(hand: str, last: str) -> Iterable[str]:
    return _order_table(hand, last) if len(hand) <= _TABLED else _orders_ending(hand, last)


@cache
def _walk_table(start: int, drops: int, end: int) -> tuple[tuple[str, ...], ...]:
    return tuple(walks.listed(start, drops, end))


@lru_cache(maxsize=4096)
def _order_table(hand: str, last: str) -> tuple[str, ...]:
    return tuple(_orders_ending(hand, last))


def _orders_ending(hand: str, last: str) -> Iterator[str]:
    """The different orders of a hand that end with one colour."""
    before = hand.replace(last, "", 1)
    if not before:
        yield last
    for letter in sorted(set(before)):
        for order in _orders_ending(before, letter):
            yield order + last


# --- mid-move sight -----------------------------------------------------------------------------------------


def open_drops(
    meeples: Sequence[str], start: str, drops: Sequence[Drop] = (), hand: Iterable[str] | None = None
) -> frozenset[Drop]:
    """The next drops after which a half-made sowing can still end legally. None open: it no longer can, or is over.

    `hand` is what is left to drop. By rule that is what lay on the start tile less the drops so far, which is
    taken when it is not given; a hand that differs has nothing open.
    """
    left = _in_hand(meeples, start, drops, hand)
    if not left:
        return frozenset()
    held, found = _held(_board_after(meeples, start, drops)), set()
    for onto in walks.ONWARD[_stance(start, drops)]:
        tile = walks.STANDS_ON[onto]
        for letter in set(left):
            rest = left.replace(letter, "", 1)
            if rest:
                dropped = {**held, letter: held[letter] | 1 << tile}
                still = any(mask for _, mask in _last_drops(dropped, onto, rest))
            else:
                still = bool(held[letter] >> tile & 1)
            if still:
                found.add((TILES[tile], letter))
    return frozenset(found)


def possible_ends(
    meeples: Sequence[str], start: str, drops: Sequence[Drop] = (), hand: Iterable[str] | None = None
) -> frozenset[Drop]:
    """The last drops with which a half-made sowing can still end legally. Arguments as for `open_drops`."""
    left = _in_hand(meeples, start, drops, hand)
    if not left:
        return frozenset()
    ends = _last_drops(_held(_board_after(meeples, start, drops)), _stance(start, drops), left)
    return frozenset((tile, colour) for colour, mask in ends for tile in _tiles(mask))


def _in_hand(meeples: Sequence[str], start: str, drops: Sequence[Drop], hand: Iterable[str] | None) -> str:
    """What is left to drop; nothing when the drops so far, or the hand, already break a rule."""
    begun = Sowing(start, tuple(drops))
    if breaches_so_far(meeples, begun):
        return ""
    owed = Counter(meeples[NUMBER[start]]) - Counter(begun.hand)
    return "".join(owed.elements()) if hand is None or Counter(hand) == owed else ""


def _board_after(meeples: Sequence[str], start: str, drops: Iterable[Drop]) -> list[str]:
    board = list(meeples)
    board[NUMBER[start]] = ""
    for tile, letter in drops:
        board[NUMBER[tile]] += letter
    return board


def _stance(start: str, drops: Sequence[Drop]) -> int:
    path = [start, *(tile for tile, _ in drops)]
    return walks.STANCE[path[-2] if drops else None, path[-1]]


# --- where a hand can end -----------------------------------------------------------------------------------


def _held(meeples: Sequence[str]) -> dict[str, int]:
    """Per colour the tiles that hold one, as bits."""
    return {colour: sum(1 << tile for tile, on in enumerate(meeples) if colour in on) for colour in TRIBES}


def _last_drops(held: dict[str, int], stance: int, hand: str, lifted: int = 0) -> Iterator[tuple[str, int]]:
    """Per colour of the hand the tiles on which it can end, as bits; what lay on a `lifted` tile is not met.

    A colour that is in the hand twice can also end where a walk comes by earlier: one is dropped there first.
    """
    if not hand:
        return
    reach, again = walks.ends(len(hand))[stance], walks.returns(len(hand))[stance]
    for colour in set(hand):
        met = held[colour] & reach & ~lifted
        yield colour, met | again if hand.count(colour) > 1 else met


def _tiles(mask: int) -> Iterator[str]:
    return (tile for bit, tile in _BITS if mask & bit)
