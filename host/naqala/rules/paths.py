"""Every legal sowing of a board: is there one, how many, which, and which drops keep a half-made one legal.

In: `meeples`, a string of tribe letters per tile in the order of TILES, as it lies before the move. Meeples of one
colour are alike. All answers rest on one observation: a walk may carry the hand's colours in any order, except that
the last meeple must meet its colour. Either one lies on the end tile anyhow, or the walk comes by the end tile
earlier and drops one there. So it is enough to know where walks end and how often they came by: see `walks`.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Sequence
from functools import cache, lru_cache, partial
from itertools import chain, compress, repeat
from math import comb, factorial, prod

from naqala.rules import walks
from naqala.rules.board import NUMBER, TILES, TRIBES
from naqala.rules.sowing import Drop, Sowing, breaches_so_far

Outcome = tuple[str, str, str]  # start, end, colour
Held = dict[str, int]  # per colour the tiles on which one lies, as bits


def any_sowing(meeples: Sequence[str]) -> bool:
    """Whether there is any legal sowing: while there is, the player whose turn it is must sow."""
    held = _held(meeples)
    return any(_can_end(_lifted(held, start), start, hand) for start, hand in enumerate(meeples) if hand)


def outcomes(meeples: Sequence[str]) -> frozenset[Outcome]:
    """The distinct (start, end, colour) of all legal sowings."""
    held = _held(meeples)
    return frozenset(
        (TILES[start], tile, colour)
        for start, hand in enumerate(meeples)
        if hand
        for colour, ends in _last_drops(_lifted(held, start), start, hand)
        for tile in _tiles(ends)
    )


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
    onward = _onward(_held(_board_after(meeples, start, drops)), _stance(start, drops), left)
    return frozenset((TILES[walks.STANDS_ON[onto]], letter) for onto, letter, _ in onward)


def possible_ends(
    meeples: Sequence[str], start: str, drops: Sequence[Drop] = (), hand: Iterable[str] | None = None
) -> frozenset[Drop]:
    """The last drops with which a half-made sowing can still end legally. Arguments as for `open_drops`."""
    left = _in_hand(meeples, start, drops, hand)
    if not left:
        return frozenset()
    last = _last_drops(_held(_board_after(meeples, start, drops)), _stance(start, drops), left)
    return frozenset((tile, colour) for colour, ends in last for tile in _tiles(ends))


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


def _held(meeples: Sequence[str]) -> Held:
    return {colour: sum(1 << tile for tile, on in enumerate(meeples) if colour in on) for colour in TRIBES}


def _lifted(held: Held, start: int) -> Held:
    """What lies there once a tile's meeples are in the hand."""
    return {colour: tiles & ~(1 << start) for colour, tiles in held.items()}


def _last_drops(held: Held, stance: int, hand: str) -> Iterator[tuple[str, int]]:
    """Per colour of the hand the tiles on which it can end, as bits.

    A colour that is in the hand twice can also end where a walk comes by earlier: one is dropped there first.
    """
    ends, returns = walks.reach(len(hand))
    for colour in set(hand):
        met = held[colour] & ends[stance]
        yield colour, met | returns[stance] if hand.count(colour) > 1 else met


def _can_end(held: Held, stance: int, hand: str) -> bool:
    return any(ends for _, ends in _last_drops(held, stance, hand))


def _onward(held: Held, stance: int, hand: str) -> Iterator[tuple[int, str, Held]]:
    """The next drops after which the hand can still end legally: stance, letter, and what then lies there."""
    for onto in walks.ONWARD[stance]:
        bit = 1 << walks.STANDS_ON[onto]
        for letter in sorted(set(hand)):
            dropped = {**held, letter: held[letter] | bit}
            rest = hand.replace(letter, "", 1)
            if _can_end(dropped, onto, rest) if rest else held[letter] & bit:
                yield onto, letter, dropped


def _tiles(bits: int) -> Iterator[str]:
    return (tile for number, tile in enumerate(TILES) if bits >> number & 1)


# --- counting -----------------------------------------------------------------------------------------------


def count_per_start(meeples: Sequence[str]) -> dict[str, int]:
    """The number of ordered legal sowings from each tile that has any, without listing them."""
    lies = {colour: [colour in on for on in meeples] for colour in TRIBES}
    # Per size of hand, visits and colour: the walks that end where the colour lies, from all start tiles at once.
    meeting: dict[int, list[tuple[walks.Visits, dict[str, int]]]] = {}
    found = {}
    for tile in TILES:
        start, hand, total = NUMBER[tile], meeples[NUMBER[tile]], 0
        size = len(hand)
        if size not in meeting:
            meeting[size] = [
                (visits, {colour: sum(compress(visits.onto, on)) for colour, on in lies.items()})
                for visits in walks.counts(size)
            ]
        for (visits, ends), shares in zip(meeting[size], _shares(hand), strict=True):
            shift, home, every = visits.slot * start, visits.home[start], visits.every[start]
            for colour, met, unmet in shares:
                # The colour lay on the start tile too, but that was lifted before the first drop.
                ways = (ends[colour] >> shift & visits.mask) - home
                total += met * ways + unmet * (every - ways)
        if total:
            found[tile] = total
    return found


@lru_cache(maxsize=4096)
def _shares(hand: str) -> tuple[tuple[tuple[str, int, int], ...], ...]:
    """Per number of earlier visits to the end tile, per last colour: how many orders of the hand end there legally.

    Two numbers: where the colour lies on the end tile anyhow, and where one of the visits must have brought it.
    The second is all orders less those that keep the others of that colour away from the visits.
    """
    drops, found = len(hand) - 1, []
    for visits in range(max(drops, 0) // 4 + 1):
        shares = []
        for colour in sorted(set(hand)):
            alike = hand.count(colour) - 1
            others = factorial(drops - alike) // prod(factorial(hand.count(c)) for c in set(hand) - {colour})
            every, away = comb(drops, alike) * others, comb(drops - visits, alike) * others
            shares.append((colour, every, every - away))
        found.append(tuple(shares))
    return tuple(found)


# --- listing ------------------------------------------------------------------------------------------------

# The last four drops cannot come by a tile and end on it (a loop takes four more), so which of them are legal is
# told by what lies there before them: they are read from a table. Earlier drops are tried one by one. From start
# tiles with an opening's hand whole sowings are kept: some 125,000 if all are met, 16 MB.
_TABLED, _KEPT = 4, 3
_DROPS = {letter: tuple((tile, letter) for tile in TILES) for letter in TRIBES}
# What Sowing(start, drops) does, from a pair and without a Python call for each.
_sowing: Callable[[tuple[str, tuple[Drop, ...]]], Sowing] = partial(tuple.__new__, Sowing)


def sowings(meeples: Sequence[str], start: str | None = None) -> Iterator[Sowing]:
    """Every ordered legal sowing, in all or from one tile. The first comes at once, however many there are."""
    held = _held(meeples)
    starts = TILES if start is None else (start,)
    return chain.from_iterable(
        _from(_lifted(held, NUMBER[tile]), tile, meeples[NUMBER[tile]]) for tile in starts
    )


def _from(held: Held, start: str, taken: str) -> Iterator[Sowing]:
    hand, stance = "".join(sorted(taken)), NUMBER[start]
    if len(hand) > _KEPT:
        return map(_sowing, zip(repeat(start), _endings(held, stance, hand), strict=False))
    return chain.from_iterable(
        compress(_kept(start, order), legal) for order, legal in _orders_and_ends(held, stance, hand)
    )


def _endings(held: Held, stance: int, hand: str) -> Iterator[tuple[Drop, ...]]:
    """The ways to drop a hand legally, from a stance and with what lies there now."""
    if len(hand) <= _TABLED:
        tails = _orders_and_ends(held, stance, hand)
        return chain.from_iterable(compress(_tail(stance, order), legal) for order, legal in tails)
    return chain.from_iterable(
        map(
            (_DROPS[letter][walks.STANDS_ON[onto]],).__add__,
            _endings(dropped, onto, hand.replace(letter, "", 1)),
        )
        for onto, letter, dropped in _onward(held, stance, hand)
    )


def _orders_and_ends(held: Held, stance: int, hand: str) -> Iterator[tuple[str, list[int]]]:
    """Each order of a small hand, with a mark for every walk of that many drops: does it end on its colour?"""
    if hand:
        _, ends = _columns(stance, len(hand))
        for last, orders in _orders(hand):
            legal = list(map(held[last].__and__, ends))
            for order in orders:
                yield order, legal


@cache
def _kept(start: str, order: str) -> tuple[Sowing, ...]:
    """All walks from a start tile with the meeples in one order, legal or not."""
    return tuple(map(_sowing, zip(repeat(start), _tail(NUMBER[start], order), strict=False)))


def _tail(stance: int, order: str) -> Iterator[tuple[Drop, ...]]:
    columns, _ = _columns(stance, len(order))
    return zip(*[column[letter] for column, letter in zip(columns, order, strict=True)], strict=True)


@cache
def _columns(stance: int, drops: int) -> tuple[list[dict[str, list[Drop]]], list[int]]:
    """All walks of some drops, column by column: per drop and letter that drop of each walk; and their ends as bits."""
    steps = list(zip(*walks.listed(stance, drops), strict=True))
    columns = [{letter: [_DROPS[letter][tile] for tile in step] for letter in TRIBES} for step in steps]
    return columns, [1 << tile for tile in steps[-1]]


@lru_cache(maxsize=4096)
def _orders(hand: str) -> tuple[tuple[str, tuple[str, ...]], ...]:
    """Per last colour the different orders of a hand that end with it."""
    found = []
    for last in sorted(set(hand)):
        rest = hand.replace(last, "", 1)
        before = [order for _, orders in _orders(rest) for order in orders] if rest else [""]
        found.append((last, tuple(order + last for order in before)))
    return tuple(found)
