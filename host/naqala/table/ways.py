"""Ways on for a sowing that broke a rule: what to change so that the move can still end legally, with the fewest steps.

In: the meeples before the move and as they lie now, the sowing as it was understood, what it broke. Out: a `Remedy` whose
steps, all done, leave a table that no rule objects to. A way is a list of drops that may stay; whatever lies otherwise is
moved, taken up or put back, so that a group scooped too soon and meeples of other tiles find home by the same count.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from itertools import groupby

from naqala.rules.board import NEIGHBOURS, NUMBER, TILES
from naqala.rules.breach import Breach
from naqala.rules.paths import open_drops
from naqala.rules.sowing import Drop, Sowing, breaches, breaches_so_far
from naqala.table.readings import Remedy, Step
from naqala.table.remedy import (
    Surplus,
    a_meeple,
    and_all,
    in_order,
    meeple,
    of_difference,
    one_of,
    repair,
    sentence,
)
from naqala.transcript import Piece

# What a way does: leave every drop, move one, take the last ones up again.
ALL_STAY, MOVES_ONE, TAKES_UP = "all stay", "moves one", "takes up"


@dataclass(frozen=True, slots=True)
class Lie:
    """A move as it lies there. `own` are its drops without the meeples that the start tile never held; `lifts`: what was
    left behind on the start tile is to be taken up as well."""

    before: Sequence[str]
    after: Sequence[str]
    start: str
    own: tuple[Drop, ...]
    lifts: bool = False

    @property
    def untouched(self) -> Counter[str]:
        """What never left the start tile."""
        dropped = Counter(letter for tile, letter in self.own if tile == self.start)
        return (Counter(self.after[NUMBER[self.start]]) - dropped) & self.to_drop(self.own)

    def to_drop(self, drops: Sequence[Drop]) -> Counter[str]:
        """What is still to be dropped when only these are."""
        return Counter(self.before[NUMBER[self.start]]) - Counter(letter for _, letter in drops)

    def legal(self, drops: tuple[Drop, ...]) -> bool:
        """Whether a move with these drops is whole and legal, or can still end so."""
        begun = Sowing(self.start, drops)
        if not self.to_drop(drops):
            return not breaches(self.before, begun)
        return not breaches_so_far(self.before, begun) and bool(self.open(drops))

    def open(self, drops: tuple[Drop, ...]) -> frozenset[Drop]:
        return open_drops(self.before, self.start, drops)

    def to(self, drops: tuple[Drop, ...]) -> tuple[Step, ...]:
        """The steps to a table on which exactly these lie. The group of a move that is whole may be gone already."""
        wanted = {
            tile: Counter(self.before[NUMBER[tile]]) for tile in (*self.changed, *(d[0] for d in drops))
        }
        wanted[self.start] = self.untouched & self.to_drop(drops)
        for tile, letter in drops:
            wanted[tile][letter] += 1
        if drops and drops[-1] == self.own[-1] and not self.to_drop(drops):
            end, colour = drops[-1]
            if colour not in self.after[NUMBER[end]]:
                del wanted[end][colour]
        behind = self.untouched.elements() if self.lifts else ()
        up = tuple(Step(str(meeple(letter)), self.start) for letter in in_order(behind))
        return _last_first(repair(self._surplus(wanted)), self.own) + up

    @property
    def changed(self) -> list[str]:
        """The tiles that are not as they were."""
        return [TILES[n] for n, lay in enumerate(self.before) if lay != self.after[n]]

    @property
    def off_the_record(self) -> Surplus:
        return self._surplus({tile: Counter(self.before[NUMBER[tile]]) for tile in self.changed})

    def _surplus(self, wanted: Mapping[str, Counter[str]]) -> Surplus:
        """What lies there beyond what is wanted, on the tiles named; all others are as they should be."""
        found: dict[tuple[str, Piece], int] = {}
        for tile, there in wanted.items():
            count = Counter(self.after[NUMBER[tile]])
            count.subtract(there)
            found |= {(tile, meeple(letter)): n for letter, n in count.items() if n}
        return found


@dataclass(frozen=True, slots=True)
class Way:
    """One way on: what it does, the drops that stay, the steps that lead there."""

    kind: str
    drops: tuple[Drop, ...]
    steps: tuple[Step, ...]


def of_sowing(before: Sequence[str], after: Sequence[str], sowing: Sowing, found: Sequence[Breach]) -> Remedy:
    """The way on with the fewest steps; where none is shorter, everything goes back to where it was."""
    own = _own(before, sowing)
    behind = own == sowing.drops and any(breach.rule == "takes_every_meeple" for breach in found)
    lie = Lie(before, after, sowing.start, own, behind)
    # While there is more to drop nobody asks where the last one lies.
    counts = [b.drop or 0 for b in found if not (behind and b.rule == "ends_on_its_own_colour")]
    first = min(counts[0] or len(own) + 1, len(own) + 1)  # what is dropped before that may stay
    stuck = _stuck(lie, first)
    back = of_difference(lie.off_the_record)
    # To begin again with the whole hand is as well done on the start tile.
    most = len(back.steps)
    ways = [way for way in _ways(lie, first) if way.steps and len(way.steps) < most + bool(way.drops)]
    if not ways:
        again = "begin again." if lie.open(()) else "choose another tile: none can end from there."
        return Remedy(
            f"{_why(lie, stuck)}Put all meeples of the move back on {lie.start} and {again}",
            back.steps,
            stuck,
        )
    way = min(ways, key=lambda way: len(way.steps))
    return Remedy(_why(lie, stuck) + _told(lie, way), way.steps, stuck)


def _own(before: Sequence[str], sowing: Sowing) -> tuple[Drop, ...]:
    strange = Counter(sowing.hand) - Counter(before[NUMBER[sowing.start]])
    own = []
    for drop in reversed(sowing.drops):
        if strange[drop[1]]:
            strange[drop[1]] -= 1
        else:
            own.append(drop)
    return tuple(reversed(own))


def _stuck(lie: Lie, first: int) -> str:
    """The tile from which on the move could not end any more, if it came to that before its first wrong drop."""
    kept = lie.own[: first - 1]
    if not lie.to_drop(kept) or lie.open(kept):
        return ""
    count = next(n for n in range(first) if not lie.open(lie.own[:n]))
    return Sowing(lie.start, lie.own[:count]).end


def _why(lie: Lie, stuck: str) -> str:
    return f"From {stuck} on no drop could end on its own colour. " if stuck and lie.open(()) else ""


# --- the ways -----------------------------------------------------------------------------------------------


def _ways(lie: Lie, first: int) -> Iterator[Way]:
    """Ways on, of equal length the better one first: move one drop, leave all, take the last ones up again."""
    yield from _moving_one(lie, first)
    counts = range(min(first, len(lie.own)) - 1, -1, -1)
    for kind, kept in ((ALL_STAY, lie.own), *((TAKES_UP, lie.own[:count]) for count in counts)):
        if lie.legal(kept):
            steps = lie.to(kept)
            if _keeps_the_order(lie, kept, steps):
                yield Way(kind, kept, steps)


def _keeps_the_order(lie: Lie, kept: tuple[Drop, ...], steps: Iterable[Step]) -> bool:
    """What is put back now comes after all others: in the middle of a move only the last drop may."""
    put = {(tile, step.piece.rpartition(" ")[2]) for step in steps for tile in step.onto}
    return not lie.to_drop(kept) or put.isdisjoint(kept[:-1])


def _moving_one(lie: Lie, first: int) -> Iterator[Way]:
    """One meeple goes elsewhere: the last drop while others are to come, any up to the wrong one of a move that is all down.

    In the middle of a move an earlier one cannot be moved so: it would be the latest, and the others out of reach.
    """
    count, path = len(lie.own), (lie.start, *(tile for tile, _ in lie.own))
    numbers = range(count, count - 1, -1) if lie.to_drop(lie.own) else range(min(first, count), 0, -1)
    for number in numbers if count else ():
        letter = lie.own[number - 1][1]
        moved = {
            tile: (*lie.own[: number - 1], (tile, letter), *lie.own[number:])
            for tile in sorted(NEIGHBOURS[path[number - 1]])
            if tile != path[number]
        }
        tiles = tuple(tile for tile, drops in moved.items() if lie.legal(drops))
        if tiles:
            drops = moved[tiles[0]]
            steps = lie.to(drops)
            if _keeps_the_order(lie, drops, steps):
                yield Way(MOVES_ONE, drops, _with_others(steps, (path[number], letter), tiles))


def _with_others(steps: tuple[Step, ...], drop: Drop, tiles: tuple[str, ...]) -> tuple[Step, ...]:
    """The step that moves this drop may as well go to each of the tiles."""
    tile, letter = drop
    wanted = (Step(str(meeple(letter)), tile, tiles[:1]), Step(str(meeple(letter)), None, tiles[:1]))
    return tuple(Step(step.piece, step.take_from, tiles) if step in wanted else step for step in steps)


def _last_first(steps: Iterable[Step], drops: Sequence[Drop]) -> tuple[Step, ...]:
    """What is put back comes first; then the drops are taken up, the last one first."""
    places = {drop: number for number, drop in enumerate(drops)}

    def late(step: Step) -> int:
        letter = step.piece.rpartition(" ")[2]
        return -places.get((step.take_from or "", letter), -1) if not step.onto else -len(drops)

    return tuple(sorted(steps, key=late))


# --- in words -----------------------------------------------------------------------------------------------


def _told(lie: Lie, way: Way) -> str:
    following = _drop_words(lie.open(way.drops)) if lie.to_drop(way.drops) else []
    onward = f"go on with {one_of(following)}." if following else ""
    if way.kind == MOVES_ONE and len(way.steps) == 1 and way.steps[0].take_from and way.steps[0].onto:
        (step,) = way.steps
        return f"Take the {_name(step)} from {step.take_from} and drop it on {one_of(step.onto)}."
    said = [
        _counted(step, len(list(alike))) for step, alike in groupby(step for step in way.steps if step.onto)
    ]
    taken = [step for step in way.steps if not step.onto]
    behind = [step for step in taken if lie.lifts and step.take_from == lie.start]
    back = [step for step in taken if step not in behind]
    if len(back) == 1:
        said.append(f"Take the {_name(back[0])} from {back[0].take_from} and {onward}")
    elif back:
        which = f"drops after {way.drops[-1][0]}" if way.drops else "drops"
        said.append(f"Take the {which} back into the hand and {onward}")
    if behind:
        who = and_all(f"the {_name(step)}" for step in behind)
        said.append(f"Take {who} from {lie.start} as well" + ("." if back else f" and {onward}"))
    elif onward and not taken and way.kind == TAKES_UP:
        said.append(onward[0].upper() + onward[1:])
    return " ".join(said)


def _name(step: Step) -> str:
    return a_meeple(step.piece.rpartition(" ")[2])


def _counted(step: Step, count: int) -> str:
    if step.take_from is None:
        who = f"the {_name(step)}" if count == 1 else f"the {count} {_name(step)}s"
        return f"Put {who} back on {one_of(step.onto)}."
    return " ".join([sentence(step)] * count)


def _drop_words(drops: Iterable[Drop]) -> list[str]:
    per_letter: dict[str, list[str]] = {}
    for tile, letter in sorted(drops):
        per_letter.setdefault(letter, []).append(tile)
    return [f"the {a_meeple(letter)} on {one_of(tiles)}" for letter, tiles in per_letter.items()]
