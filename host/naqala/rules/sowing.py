"""Sowing: a move as a value, and the four rules it is judged by.

In: what lies on the 30 tiles (`meeples`, a string of tribe letters per tile, in the order of TILES) and a `Sowing`.
Out: every `Breach`, or none. How many sowings there are and which drops are still open is told by `paths`.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Sequence
from itertools import pairwise
from typing import Any, NamedTuple

from naqala.rules.board import MEEPLES, NEIGHBOURS, NUMBER, TRIBES
from naqala.rules.breach import Breach, InvalidAction
from naqala.rules.reading import shown

Drop = tuple[str, str]  # a tile and the letter of the meeple dropped there


class Sowing(NamedTuple):
    """A whole move: the tile the hand was filled from and each drop in order. In text: `C3>C4G>D4R`.

    A named tuple rather than a dataclass because an opening alone has a thousand of them to list.
    """

    start: str
    drops: tuple[Drop, ...]

    @property
    def path(self) -> tuple[str, ...]:
        """The tiles the hand stood on, the start tile first."""
        return (self.start, *(tile for tile, _ in self.drops))

    @property
    def hand(self) -> str:
        """The letters of the meeples dropped, in their order."""
        return "".join(letter for _, letter in self.drops)

    @property
    def end(self) -> str:
        """The tile of the last drop (the start tile while there is none)."""
        return self.drops[-1][0] if self.drops else self.start

    def __str__(self) -> str:
        return ">".join((self.start, *(tile + letter for tile, letter in self.drops)))

    def to_json(self) -> dict[str, Any]:
        """The fields of a `sow` action and of what `naqala rules judge` reads."""
        return {"start": self.start, "drops": [list(drop) for drop in self.drops]}

    @classmethod
    def from_json(cls, value: Any) -> Sowing:
        """The other way; raises InvalidAction for whatever is not a sowing. Further keys are the caller's."""
        if not isinstance(value, dict):
            raise InvalidAction(f"a sowing is an object with start and drops, not {shown(value)}")
        drops = value.get("drops")
        if not isinstance(drops, list):
            raise InvalidAction(f"drops of a sowing are a list of [tile, letter], not {shown(drops)}")
        return cls._checked(value.get("start"), drops)

    @classmethod
    def from_text(cls, text: str) -> Sowing:
        """Read `C3>C4G>D4R`; raises InvalidAction for anything else."""
        start, *words = text.strip().split(">")
        return cls._checked(start, [[word[:2], word[2:]] for word in words])

    @classmethod
    def _checked(cls, start: Any, drops: list[Any]) -> Sowing:
        if len(drops) > sum(MEEPLES.values()):
            raise InvalidAction(f"{len(drops)} drops, but the box holds {sum(MEEPLES.values())} meeples")
        checked = []
        for number, drop in enumerate(drops, 1):
            if not isinstance(drop, (list, tuple)) or len(drop) != 2:
                raise InvalidAction(f"drop {number} is a [tile, letter], not {shown(drop)}")
            checked.append((_tile(drop[0]), _letter(drop[1], number)))
        return cls(_tile(start), tuple(checked))


def takes_every_meeple(meeples: Sequence[str], sowing: Sowing) -> Iterator[Breach]:
    """The hand takes all meeples of one non-empty tile: what is dropped is exactly what lay there."""
    taken = meeples[NUMBER[sowing.start]]
    if not taken or Counter(taken) != Counter(sowing.hand):
        yield Breach("takes_every_meeple", tiles=(sowing.start,))


def drops_on_neighbours(meeples: Sequence[str], sowing: Sowing) -> Iterator[Breach]:
    """Each drop goes to a tile that shares a side with the one before: no diagonal, no gap, no second on a tile."""
    path = sowing.path
    for drop, (before, tile) in enumerate(pairwise(path), 1):
        if tile not in NEIGHBOURS[before]:
            yield Breach("drops_on_neighbours", drop, (tile,))


def no_immediate_backtracking(meeples: Sequence[str], sowing: Sowing) -> Iterator[Breach]:
    """No drop goes to the tile the hand stood on just before the present one, the start tile included."""
    path = sowing.path
    for drop, (before, tile) in enumerate(zip(path, path[2:], strict=False), 2):
        if tile == before:
            yield Breach("no_immediate_backtracking", drop, (tile,))


def ends_on_its_own_colour(meeples: Sequence[str], sowing: Sowing) -> Iterator[Breach]:
    """The last meeple meets its colour: one that lay on the tile, or one dropped there earlier in this move.

    What lay on the start tile does not count: a hand that takes every meeple has left none there.
    """
    if not sowing.drops:
        return
    end, colour = sowing.drops[-1]
    lay_there = end != sowing.start and colour in meeples[NUMBER[end]]
    if not lay_there and (end, colour) not in sowing.drops[:-1]:
        yield Breach("ends_on_its_own_colour", len(sowing.drops), (end,))


RULES = (takes_every_meeple, drops_on_neighbours, no_immediate_backtracking, ends_on_its_own_colour)


def breaches(meeples: Sequence[str], sowing: Sowing) -> tuple[Breach, ...]:
    """Every rule a sowing breaks, lowest drop first; what concerns no single drop comes last."""
    found = (breach for rule in RULES for breach in rule(meeples, sowing))
    return tuple(sorted(found, key=lambda breach: breach.drop or len(sowing.drops) + 1))


def breaches_so_far(meeples: Sequence[str], begun: Sowing) -> tuple[Breach, ...]:
    """What a half-made sowing has broken already and no further drop can mend, lowest drop first.

    Meeples not yet dropped are no breach, meeples the start tile never held are; the last colour is not judged.
    """
    found = [*drops_on_neighbours(meeples, begun), *no_immediate_backtracking(meeples, begun)]
    found.sort(key=lambda breach: breach.drop or 0)
    if not meeples[NUMBER[begun.start]] or Counter(begun.hand) - Counter(meeples[NUMBER[begun.start]]):
        found.append(Breach("takes_every_meeple", tiles=(begun.start,)))
    return tuple(found)


def _tile(value: Any) -> str:
    if not isinstance(value, str) or value not in NUMBER:
        raise InvalidAction(f"no tile {shown(value)} (tiles are A1 to F5)")
    return value


def _letter(value: Any, number: int) -> str:
    if not isinstance(value, str) or len(value) != 1 or value not in TRIBES:
        raise InvalidAction(f"no meeple {shown(value)} in drop {number} (letters are {', '.join(TRIBES)})")
    return value
