"""What silent tiles hide: sowings that put meeples where nobody can see them.

In: a `Scene` with silent tiles and a `Guess`. Out: a `Veil`: every legal sowing that keeps the order seen and drops what
is missing on silent tiles (or on the end tile, whose group was taken up), and whether the missing ones may still be in the
hand. Nothing is an empty tile here: a silent tile may hold any drop that the walk can bring there.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator
from dataclasses import dataclass

from naqala.rules.walks import ONWARD, STANDS_ON
from naqala.table.difference import Guess, Scene, scooped_tiles, together
from naqala.table.search import Drop, Fit, legal_ends

MOST_STEPS = 4_000  # of one search; beyond that only people can tell
HIDDEN, SCOOPED, SHOWN = range(3)  # how a drop is known: by a silent tile, by a scoop, by a reader

Step = tuple[int, Drop, int]  # stance, drop, how it is known


@dataclass(frozen=True, slots=True)
class Veil:
    """`whole` are orders of all drops that are legal; `in_hand`: the missing meeples may as well be in the hand, on their
    way to a tile that is seen; `too_many`: the search was given up."""

    whole: tuple[tuple[Drop, ...], ...] = ()
    in_hand: bool = False
    too_many: bool = False

    def __bool__(self) -> bool:
        return bool(self.whole) or self.in_hand or self.too_many


class _Search:
    """One walk after the other over the drops seen, in their order, with unseen drops on silent tiles in between."""

    def __init__(self, scene: Scene, guess: Guess) -> None:
        self.scene, self.guess = scene, guess
        self.groups = [tuple(group) for group in together(guess.seen)]
        # The scooped tiles: there a drop of that colour was not seen, or is not seen any more.
        self.scooped = {
            (tile, colour) for colour in set(guess.missing) for tile in scooped_tiles(scene, guess, colour)
        }
        self.left = MOST_STEPS
        self.whole: dict[tuple[tuple[Drop, ...], Drop], tuple[Drop, ...]] = {}
        self.in_hand = False

    def go(
        self, stance: int, number: int, group: tuple[Drop, ...], pool: str, path: tuple[Drop, ...]
    ) -> None:
        self.left -= 1
        if self.left < 0:
            return
        if not group and number + 1 < len(self.groups):
            number, group = number + 1, self.groups[number + 1]
        if not group and not pool:
            self._arrived(path)
            return
        if not group and not self.in_hand and not self.scooped:
            self.in_hand = self._goes_on(stance, pool, path)
        for onto, drop, known in self._steps(stance, group, pool):
            if known == SHOWN:
                at = group.index(drop)
                self.go(onto, number, group[:at] + group[at + 1 :], pool, (*path, drop))
            else:
                self.go(onto, number, group, pool.replace(drop[1], "", 1), (*path, drop))

    def _steps(self, stance: int, group: tuple[Drop, ...], pool: str) -> Iterator[Step]:
        letters = sorted(set(pool))
        for onto in ONWARD[stance]:
            tile = STANDS_ON[onto]
            for drop in dict.fromkeys(group):
                if drop[0] == tile:
                    yield onto, drop, SHOWN
            for letter in letters:
                if tile in self.scene.silent:
                    yield onto, (tile, letter), HIDDEN
                elif (tile, letter) in self.scooped:
                    yield onto, (tile, letter), SCOOPED

    def _arrived(self, path: tuple[Drop, ...]) -> None:
        end = path[-1]
        if self.scooped and end not in self.scooped:
            return
        if end in legal_ends(self.scene.before, self.guess.start, path):
            self.whole.setdefault((tuple(sorted(path)), end), path)

    def _goes_on(self, stance: int, pool: str, path: tuple[Drop, ...]) -> bool:
        """Whether the next drop may be one that everybody will see."""
        before, start = self.scene.before, self.guess.start
        for onto in ONWARD[stance]:
            tile = STANDS_ON[onto]
            if tile in self.scene.silent:
                continue
            if len(pool) > 1 or (tile, pool) in legal_ends(before, start, (*path, (tile, pool))):
                return True
        return False


def veil(scene: Scene, guess: Guess) -> Veil:
    """What silent tiles may hide of the move that this guess supposes."""
    if not scene.silent or guess.foreign or not guess.missing:
        return Veil()
    pool = guess.missing + guess.untouched
    search = _Search(scene, guess)
    search.go(guess.start, -1, (), pool, ())
    if search.left < 0:
        return Veil(too_many=True)
    if not search.whole and not search.in_hand:
        return _in_any_order(scene, guess, search.scooped)
    return Veil(tuple(search.whole.values()), search.in_hand)


def _in_any_order(scene: Scene, guess: Guess, scooped: set[Drop]) -> Veil:
    """The same where the order seen is a jumble: all that is missing lies on one silent tile, or was scooped."""
    found: dict[tuple[tuple[Drop, ...], Drop], tuple[Drop, ...]] = {}
    drops, in_hand = (*guess.drops, *[(guess.start, letter) for letter in guess.untouched]), False
    for tile in sorted(scene.silent):
        in_hand = in_hand or (not scooped and bridged(scene, guess, tile))
        for rest, taken in _shares(guess.missing, scooped):
            laid = (*[(tile, letter) for letter in rest], *drops, *taken)
            fit = Fit(guess.start, laid)
            for end in legal_ends(scene.before, guess.start, laid):
                if (not taken or end == taken[0]) and fit.ends >> end[0] & 1:
                    order = fit.order(end)
                    if order is not None:
                        found.setdefault((tuple(sorted(order)), end), order)
    return Veil(tuple(found.values()), in_hand)


def _shares(missing: str, scooped: set[Drop]) -> Iterator[tuple[str, tuple[Drop, ...]]]:
    """What is missing, shared out: letters that a silent tile hides, and drops that were scooped from one tile."""
    if not scooped:
        yield missing, ()
    for drop in sorted(scooped):
        for count in range(1, missing.count(drop[1]) + 1):
            yield missing.replace(drop[1], "", count), (drop,) * count


def bridged(scene: Scene, guess: Guess, silent: int) -> bool:
    """Whether all drops seen, in any order, lie on one walk whose gaps are drops on this silent tile."""
    dead: set[tuple[int, frozenset[tuple[int, int]], int]] = set()

    def go(stance: int, rem: Counter[int], unseen: int) -> bool:
        if not rem:
            return True
        key = (stance, frozenset(rem.items()), unseen)
        if key in dead or len(dead) > MOST_STEPS:
            return len(dead) > MOST_STEPS
        for onto in ONWARD[stance]:
            tile = STANDS_ON[onto]
            if tile == silent and unseen and go(onto, rem, unseen - 1):
                return True
            if rem[tile] and go(onto, rem - Counter((tile,)), unseen):
                return True
        dead.add(key)
        return False

    return go(guess.start, Counter(tile for tile, _ in guess.drops), len(guess.missing + guess.untouched))
