"""The shortest way back, as a sentence and as steps.

In: two counts of pieces that differ (a sowing that broke a rule is the matter of `ways`). Out: a `Remedy`. A repair of
several misplaced pieces is an assignment problem: every piece that is too much somewhere is matched with a place that lacks
one of its kind so that the whole way is shortest; what fits nowhere goes beside the board, what is nowhere comes from there.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Mapping
from functools import cache

from naqala.rules.board import NUMBER, TRIBES, distance
from naqala.table.pieces import CAMEL, MEEPLE, spoken
from naqala.table.readings import Remedy, Step
from naqala.transcript import Piece

BESIDE = 12  # the way from a tile to beside the board, in steps: longer than any way on it
MOST_TOLD = 5  # steps of a repair that are said in one go
MOST_EXACT = 10  # pieces of one kind that are matched exactly; more are matched greedily

Surplus = Mapping[tuple[str, Piece], int]  # (tile, piece) -> seen less expected


def one_of(names: Iterable[str]) -> str:
    """ "B3, D3 or C2" """
    listed = list(names)
    return listed[0] if len(listed) == 1 else ", ".join(listed[:-1]) + " or " + listed[-1]


def and_all(names: Iterable[str]) -> str:
    """ "the white one, the red one and the camel of Ann" """
    listed = list(names)
    return listed[0] if len(listed) == 1 else ", ".join(listed[:-1]) + " and " + listed[-1]


def meeple(letter: str) -> Piece:
    return Piece(MEEPLE, letter)


def a_meeple(letter: str) -> str:
    return spoken(meeple(letter))


def sentence(step: Step) -> str:
    """One instruction in words."""
    kind, _, name = step.piece.partition(" ")
    what = f"the {spoken(Piece(kind, name))}" if kind != CAMEL else f"the camel of {name}"
    if step.take_from is None:
        return f"Put {'a ' + what[4:] if kind != CAMEL else 'a camel of ' + name} on {one_of(step.onto)}."
    if not step.onto:
        return f"Take {what} from {step.take_from}."
    return f"Take {what} from {step.take_from} and put it on {one_of(step.onto)}."


def in_order(letters: Iterable[str]) -> str:
    return "".join(sorted(letters, key=TRIBES.index))


# --- a table that is not as the game says -------------------------------------------------------------------


def of_difference(surplus: Surplus) -> Remedy:
    """The repair of a whole table: every step, the shortest first, in words as far as anyone can keep them in mind."""
    steps = repair(surplus)
    told = [sentence(step) for step in steps[:MOST_TOLD]]
    more = len(steps) - len(told)
    return Remedy(" ".join([*told, f"Then {more} more."] if more else told), steps)


def repair(surplus: Surplus) -> tuple[Step, ...]:
    """Single instructions that bring the table to what is expected, with the shortest way in all."""
    found: list[tuple[int, Step]] = []
    for piece in sorted({piece for _, piece in surplus}, key=str):
        too_many = [t for (t, p), n in sorted(surplus.items(), key=_by_tile) if p == piece for _ in range(n)]
        too_few = [t for (t, p), n in sorted(surplus.items(), key=_by_tile) if p == piece for _ in range(-n)]
        for take_from, onto in _matched(too_many, too_few):
            way = distance(take_from, onto) if take_from and onto else BESIDE
            found.append((way, Step(str(piece), take_from, (onto,) if onto else ())))
    # What stands too much is taken away before anything is brought, and short ways come first.
    found.sort(key=lambda item: (item[0], item[1].take_from is None, item[1].take_from or "", item[1].piece))
    return tuple(step for _, step in found)


def _by_tile(item: tuple[tuple[str, Piece], int]) -> tuple[int, str]:
    return NUMBER[item[0][0]], str(item[0][1])


def _matched(too_many: list[str], too_few: list[str]) -> list[tuple[str | None, str | None]]:
    """Pairs of from and onto with the shortest way in all; None is beside the board."""
    if len(too_many) <= MOST_EXACT and len(too_few) <= MOST_EXACT:
        pairs = _shortest(tuple(too_many), tuple(too_few))
    else:
        pairs = _greedy(too_many, too_few)
    left_over = (Counter(too_many) - Counter(one for one, _ in pairs)).elements()
    lacking = (Counter(too_few) - Counter(other for _, other in pairs)).elements()
    return [*pairs, *((tile, None) for tile in left_over), *((None, tile) for tile in lacking)]


def _shortest(too_many: tuple[str, ...], too_few: tuple[str, ...]) -> list[tuple[str, str]]:
    """Exact assignment of the shorter list into the longer one, by the set of places already taken."""
    turned = len(too_many) > len(too_few)
    few, many = (too_few, too_many) if turned else (too_many, too_few)

    @cache
    def best(number: int, taken: int) -> tuple[int, tuple[int, ...]]:
        if number == len(few):
            return 0, ()
        ways = []
        for place, tile in enumerate(many):
            if not taken >> place & 1:
                rest, places = best(number + 1, taken | 1 << place)
                ways.append((distance(few[number], tile) + rest, (place, *places)))
        return min(ways)

    pairs = [(few[number], many[place]) for number, place in enumerate(best(0, 0)[1])]
    return [(b, a) if turned else (a, b) for a, b in pairs]


def _greedy(too_many: list[str], too_few: list[str]) -> list[tuple[str, str]]:
    """A mess beyond counting: the nearest pair first, again and again."""
    pairs: list[tuple[str, str]] = []
    many, few = list(too_many), list(too_few)
    while many and few:
        one, other = min(((a, b) for a in set(many) for b in set(few)), key=lambda p: (distance(*p), p))
        pairs.append((one, other))
        many.remove(one)
        few.remove(other)
    return pairs
