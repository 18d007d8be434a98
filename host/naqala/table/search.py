"""Walks that fit what lies there: the search that turns a difference into sowings.

In: a start tile and the drops found on the table (tile numbers and letters, in the order in which they were seen). Out:
where a walk over exactly these drops can end, and the order of drops nearest to the one seen. Only drops that are there
are ever tried, so a hand of fourteen costs little where listing all results would cost minutes. Pure board geometry and
colours; what makes a sowing legal is asked of `rules.sowing` in the end.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Sequence
from functools import cached_property

from naqala.rules.board import NUMBER, TILES, distance
from naqala.rules.walks import ONWARD, STANCE, STANCES, STANDS_ON

Drop = tuple[int, str]  # tile number, letter
MOST_STATES = 30_000  # of one search; beyond that nothing is claimed
MOST_ORDERS = 2_000  # steps of walks that keep the order seen; beyond that the order tells nothing
MOST_LATE = 150  # steps of walks through drops that late looks have turned round
_WIDTH = 4  # bits of a counter: how often one tile may be dropped on
_FULL = (1 << _WIDTH) - 1
_SHADE = tuple((ord(tile[0]) + ord(tile[1])) % 2 for tile in TILES)  # as on a chessboard
_ALL = (1 << len(TILES)) - 1
_DISTANCE = tuple(tuple(distance(one, other) for other in TILES) for one in TILES)


class TooMany(Exception):
    """The search was given up: so many ways fit that the difference says nothing."""


class Fit:
    """All walks from one start tile that drop on each tile exactly as often as meeples were found there.

    What is left to drop is one integer, a few bits per tile; a state of the search is that and the stance.
    """

    def __init__(self, start: int, drops: Iterable[Drop]) -> None:
        self.start = start
        self.drops = tuple(drops)
        counts = Counter(tile for tile, _ in self.drops)
        self._shift = [-1] * len(TILES)
        rem = 0
        for place, (tile, count) in enumerate(counts.items()):
            self._shift[tile] = place * _WIDTH
            rem |= min(count, _FULL) << place * _WIDTH
        self._all = rem
        self._tiles = tuple(counts)
        # Per stance the stances onward that lie on these tiles: (stance, mask of its counter, one drop).
        self._onward: dict[int, tuple[tuple[int, int, int], ...]] = {}
        self._memo: dict[int, int] = {}
        self._one_wrong: dict[int, int] = {}

    @cached_property
    def ends(self) -> int:
        """The tiles, as bits, on which a walk over all drops can end."""
        return self._reach(self.start, self._all) if self._alternates() else 0

    def _alternates(self) -> bool:
        """A walk changes the colour of a chessboard with every step: no other split of the drops can be one."""
        across = sum(_SHADE[tile] != _SHADE[self.start] for tile, _ in self.drops)
        return across == (len(self.drops) + 1) // 2

    def _steps(self, stance: int) -> tuple[tuple[int, int, int], ...]:
        known = self._onward.get(stance)
        if known is None:
            shift = self._shift
            known = self._onward[stance] = tuple(
                (onto, _FULL << shift[STANDS_ON[onto]], 1 << shift[STANDS_ON[onto]])
                for onto in ONWARD[stance]
                if shift[STANDS_ON[onto]] >= 0
            )
        return known

    def _reach(self, stance: int, rem: int) -> int:
        if not rem:
            return 1 << STANDS_ON[stance]
        memo, key = self._memo, rem << 8 | stance
        known = memo.get(key)
        if known is not None:
            return known
        if len(memo) > MOST_STATES:
            raise TooMany
        found = 0
        for onto, mask, one in self._steps(stance):
            if rem & mask:
                found |= self._reach(onto, rem - one)
        memo[key] = found
        return found

    def _reach_with_one_wrong(self, stance: int, rem: int) -> int:
        """As `_reach`, with exactly one step on the way that no rule allows: too far, on the spot, or straight back."""
        key = rem << 8 | stance
        known = self._one_wrong.get(key)
        if known is not None:
            return known
        if len(self._one_wrong) + len(self._memo) > MOST_STATES // 10:
            raise TooMany
        found = 0
        for onto, mask, one in self._steps(stance):
            if rem & mask and rem != one:
                found |= self._reach_with_one_wrong(onto, rem - one)
        for onto, left in self._wrong_steps(stance, rem):
            found |= self._reach(onto, left)
        self._one_wrong[key] = found
        return found

    def _wrong_steps(self, stance: int, rem: int) -> list[tuple[int, int]]:
        allowed = {STANDS_ON[onto] for onto in ONWARD[stance]}
        here = TILES[STANDS_ON[stance]]
        found = []
        for tile in self._tiles:
            at = self._shift[tile]
            if rem >> at & _FULL and tile not in allowed:
                onto = STANCE.get((here, TILES[tile]), tile)  # after a leap the hand came from nowhere near
                found.append((onto, rem - (1 << at)))
        return found

    def order(self, end: Drop, wrong: bool = False) -> tuple[Drop, ...] | None:
        """The drops in an order that ends with `end`, as near as possible to the order in which they were given.

        With `wrong` the walk has exactly one step that breaks a rule. None when there is no such walk.
        """
        goal = 1 << end[0]
        reach = self._reach_with_one_wrong(self.start, self._all) if wrong else self.ends
        if not reach & goal:
            return None
        waiting = list(self.drops)
        last = len(waiting) - 1 - waiting[::-1].index(end)
        del waiting[last]
        stance, rem, found, spent = self.start, self._all, [], not wrong
        while waiting:
            stance, rem, broke = self._nearest(stance, rem, goal, spent, waiting)
            spent = spent or broke
            drop = next(item for item in waiting if item[0] == STANDS_ON[stance])
            waiting.remove(drop)
            found.append(drop)
        return (*found, end)

    def _nearest(
        self, stance: int, rem: int, goal: int, spent: bool, waiting: list[Drop]
    ) -> tuple[int, int, bool]:
        """The next step that still leads to the goal and whose drop was seen earliest."""
        seen: dict[int, int] = {}
        for number, (tile, _) in enumerate(waiting):
            seen.setdefault(tile, number)
        ways = []
        for onto, mask, one in self._steps(stance):
            left = rem - one
            if not rem & mask or not left or STANDS_ON[onto] not in seen:
                continue
            reach = self._reach(onto, left) if spent else self._reach_with_one_wrong(onto, left)
            if reach & goal:
                ways.append((seen[STANDS_ON[onto]], onto, left, False))
        for onto, left in () if spent else self._wrong_steps(stance, rem):
            if left and self._reach(onto, left) & goal and STANDS_ON[onto] in seen:
                ways.append((seen[STANDS_ON[onto]], onto, left, True))
        if not ways:
            raise TooMany  # only the goal itself is left on this tile: the caller asked for what cannot be told apart
        _, onto, left, broke = min(ways)
        return onto, left, broke


def legal_ends(before: Sequence[str], start: int, drops: Sequence[Drop]) -> tuple[Drop, ...]:
    """The drops that may be the last by colour: one lies there already, or two were dropped there."""
    counts = Counter(drops)
    return tuple(
        drop
        for drop, count in counts.items()
        if count > 1 or (drop[0] != start and drop[1] in before[drop[0]])
    )


def in_groups(start: int, groups: Sequence[Sequence[Drop]]) -> dict[Drop, tuple[Drop, ...]]:
    """Walks that keep the order seen: group after group, any order within a group. Per last drop one such walk.

    Empty when no walk keeps the order; also when the groups are so large that the order tells nothing.
    """
    found: dict[Drop, tuple[Drop, ...]] = {}
    to_try = MOST_ORDERS

    def go(stance: int, number: int, left: tuple[Drop, ...], path: tuple[Drop, ...]) -> None:
        nonlocal to_try
        to_try -= 1
        if to_try < 0:
            return
        if not left:
            if number + 1 == len(groups):
                found.setdefault(path[-1], path)
                return
            number, left = number + 1, tuple(groups[number + 1])
        steps = {STANDS_ON[onto]: onto for onto in ONWARD[stance]}
        for drop in dict.fromkeys(left):
            if drop[0] in steps:
                at = left.index(drop)
                go(steps[drop[0]], number, left[:at] + left[at + 1 :], (*path, drop))

    if groups:
        go(start, 0, tuple(groups[0]), ())
    return found if to_try >= 0 else {}


def in_step(start: int, seen: Sequence[tuple[int | None, Drop]], late: int) -> tuple[Drop, ...] | None:
    """All drops in an order that a walk can take, nearest to the order seen; None when there is none.

    With each drop comes its moment: it may have been put down before another that was seen up to `late` sooner. A drop
    without a moment may have been any.
    """
    to_try = MOST_LATE

    def go(stance: int, left: tuple[tuple[int | None, Drop], ...]) -> tuple[Drop, ...] | None:
        nonlocal to_try
        to_try -= 1
        if not left:
            return ()
        if to_try < 0:
            return None
        first = min((moment for moment, _ in left if moment is not None), default=0)
        steps = {STANDS_ON[onto]: onto for onto in ONWARD[stance]}
        # What nobody saw come is thought of last: where the others leave a gap.
        for moment, drop in sorted(dict.fromkeys(left), key=lambda one: one[0] is None):
            if drop[0] in steps and (moment is None or moment - first < late):
                at = left.index((moment, drop))
                rest = go(steps[drop[0]], left[:at] + left[at + 1 :])
                if rest is not None:
                    return (drop, *rest)
        return None

    return go(start, tuple(seen))


def can_be_joined(before: Sequence[str], start: int, drops: Sequence[Drop], hand: str) -> bool:
    """Whether drops seen so far, in any order, and the meeples still in hand can make up a legal sowing.

    Charitable: when there are too many ways to try, the answer is yes.
    """
    fit = Fit(start, drops)
    held = {letter: _tiles_with(before, start, letter) for letter in set(hand) | {d[1] for d in drops}}
    known = wild = 0
    for tile, letter in drops:
        again = drops.count((tile, letter)) > 1 or letter in hand
        known |= 1 << tile if again or held[letter] >> tile & 1 else 0
    for letter in set(hand):
        dropped = sum({1 << tile for tile, other in drops if other == letter})
        wild |= _ALL if hand.count(letter) > 1 else held[letter] | dropped
    dead: set[tuple[int, int, int]] = set()

    def go(stance: int, rem: int, unseen: int, steps: int) -> bool:
        if (stance, rem, unseen) in dead:
            return False
        if len(dead) > MOST_STATES // 10:
            return True
        here = _DISTANCE[STANDS_ON[stance]]
        for tile in fit._tiles:
            if rem >> fit._shift[tile] & _FULL and here[tile] > steps:
                dead.add((stance, rem, unseen))
                return False
        for onto in ONWARD[stance]:
            tile = STANDS_ON[onto]
            at = fit._shift[tile]
            seen_there = at >= 0 and rem >> at & _FULL
            if steps == 1:
                if (seen_there and known >> tile & 1) or (unseen and wild >> tile & 1):
                    return True
                continue
            if seen_there and go(onto, rem - (1 << at), unseen, steps - 1):
                return True
            if unseen and go(onto, rem, unseen - 1, steps - 1):
                return True
        dead.add((stance, rem, unseen))
        return False

    total = len(drops) + len(hand)
    return bool(total) and go(start, fit._all, len(hand), total)


def _tiles_with(before: Sequence[str], start: int, letter: str) -> int:
    return sum(1 << tile for tile, on in enumerate(before) if tile != start and letter in on)


def named(drops: Iterable[Drop]) -> tuple[tuple[str, str], ...]:
    """Drops with the names of their tiles, as the rules want them."""
    return tuple((TILES[tile], letter) for tile, letter in drops)


def numbered(drops: Iterable[tuple[str, str]]) -> tuple[Drop, ...]:
    """Drops with the numbers of their tiles, as this module wants them."""
    return tuple((NUMBER[tile], letter) for tile, letter in drops)


# A start tile's stance is its own number.
assert STANCES[: len(TILES)] == tuple((None, tile) for tile in TILES)
