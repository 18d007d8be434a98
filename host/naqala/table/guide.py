"""A flag while people follow it: one story with one list of steps, whatever the referee makes of the table in between.

In: the flag that stood so far, the `Watcher` after a look and the record's game. Out: the flag that is to be shown, or None. A reading speaks of
the table as it lies, so every step of a repair brings another one; a `Guide` holds on to the first. Its rule and its reason
stay, done steps are ticked off by counting what lies there (in any order, several at once, any piece of the kind, undone
again), and it closes when the table is one that nobody objects to. Only what is on no list of it is flagged anew.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, replace
from functools import cache
from typing import Any

from naqala.rules.model import Game
from naqala.rules.sowing import Drop
from naqala.table.readings import Doing, Reading, Step, Unclear, Wrong
from naqala.table.remedy import Surplus, repair
from naqala.table.scene import differing
from naqala.table.watch import Watcher

OPEN, HELD, DONE = "open", "held", "done"  # a piece that was taken up and is still to be put down is held
LIKELY = 0.5  # a reading that is less sure may turn into a flag while people watch: it does not close one
MOST_MOVED = 24  # pieces out of place beyond which no list is compared any more: it is counted anew

# Per tile how many of one kind are more, or less, than when the flag came.
Moved = tuple[tuple[str, int], ...]


@dataclass(frozen=True, slots=True)
class Guide:
    """`flag` is the reading as it was said first. `ways` are its steps and, where that is another one, the way back to the
    record; `taken` says which of them people are on and `states` how far. `game` and `base` are what the flag was said of:
    the record, and what differed from it. `heard` is the referee's reading that was last considered. It has `eased` when the
    last piece of the list is in the hand and nobody objects: the flag may go, only where the piece may go is still said."""

    flag: Wrong
    game: Game
    base: Surplus
    ways: tuple[tuple[Step, ...], ...]
    states: tuple[str, ...]
    heard: Reading
    taken: int = 0
    followed: bool = False
    undone: bool = False
    eased: bool = False

    @property
    def steps(self) -> tuple[tuple[Step, str], ...]:
        """The way that people are on, each step with its state."""
        return tuple(zip(self.ways[self.taken], self.states, strict=True))

    @property
    def left(self) -> tuple[Step, ...]:
        """What is still to be done: first a piece that was taken up is put down."""
        held = tuple(replace(step, take_from=None) for step, state in self.steps if state == HELD)
        return held + tuple(step for step, state in self.steps if state == OPEN)

    @property
    def back(self) -> tuple[Step, ...]:
        """The other way, to the record, as long as nobody has set out."""
        return () if self.followed or len(self.ways) < 2 else self.ways[1]

    @property
    def lying(self) -> tuple[tuple[Drop, ...], str]:
        """The drops of the move that still lie there, and the meeples that are back on its start tile."""
        if self.flag.sowing is None or self.eased:
            return (), ""
        drops, home = list(self.flag.sowing.drops), ""
        for step, state in self.steps:
            drop = (step.take_from or "", step.piece.rpartition(" ")[2])
            if state != OPEN and drop in drops:
                drops.reverse()
                drops.remove(drop)
                drops.reverse()
                home += drop[1] if state == DONE and step.onto == (self.flag.sowing.start,) else ""
        return tuple(drops), home

    def to_json(self) -> dict[str, Any]:
        drops, home = self.lying
        return {
            "steps": [step.to_json() for step in self.left],
            "done": [step.to_json() for step, state in self.steps if state == DONE],
            "back": [step.to_json() for step in self.back],
            "undone": self.undone,
            "eased": self.eased,
            "lying": [list(drop) for drop in drops],
            "home": home,
        }


def led(guide: Guide | None, watching: Watcher, game: Game) -> Guide | None:
    """The flag to be shown after a look, the very same value where nothing has changed."""
    said = watching.said
    if guide is None:
        return _begun(watching, said, game) if isinstance(said, Wrong) else None
    found = _progress(guide, watching)
    if found is None:
        return _off_the_list(guide, watching, said, game)
    taken, states = found
    finished = all(state == DONE for state in states)
    in_order = _nobody_objects(watching)
    if in_order and HELD not in states:
        return None
    if isinstance(said, Unclear) and finished:
        return None
    news = isinstance(said, Wrong) and said is not guide.heard and said != guide.flag
    untouched = all(state == OPEN for state in states)
    if isinstance(said, Wrong) and news and (finished or (untouched and not guide.followed)):
        return _begun(
            watching, said, game
        )  # something else is wrong as well, or the referee knows better by now
    followed = guide.followed or not untouched
    eased = in_order and OPEN not in states
    now = replace(
        guide, taken=taken, states=states, heard=said or guide.heard, followed=followed, eased=eased
    )
    return guide if now == guide and said is guide.heard else now


def _begun(watching: Watcher, flag: Wrong, game: Game) -> Guide:
    base = differing(watching, game)
    back = repair(base)
    steps = flag.remedy.steps or back
    ways = (steps,) if sorted(steps, key=str) == sorted(back, key=str) or not back else (steps, back)
    states = (OPEN,) * len(steps)
    return Guide(flag, game, base, ways, states, flag, undone=watching.restoring)


def _off_the_list(guide: Guide, watching: Watcher, said: Reading | None, game: Game) -> Guide | None:
    """Somebody did something else, or a piece is not read for a moment: until the referee speaks, nothing changes."""
    if _nobody_objects(watching) or (isinstance(said, Unclear) and said is not guide.heard):
        return None
    return _begun(watching, said, game) if isinstance(said, Wrong) and said is not guide.heard else guide


def _nobody_objects(watching: Watcher) -> bool:
    """The table is as the record has it, or a legal state of a move is likelier than any broken rule."""
    said = watching.said
    if isinstance(said, Wrong | Unclear) or (isinstance(said, Doing) and said.warning):
        return False
    return said is None or said.sure >= LIKELY


# --- counting -----------------------------------------------------------------------------------------------


def _progress(guide: Guide, watching: Watcher) -> tuple[int, tuple[str, ...]] | None:
    """Which way people are on and how far, the one they are on first; None when the table is on neither."""
    now = Counter(differing(watching, guide.game))
    now.subtract(guide.base)
    moved = {key: count for key, count in now.items() if count}
    if sum(map(abs, moved.values())) > MOST_MOVED:
        return None
    for taken in sorted(range(len(guide.ways)), key=lambda way: way != guide.taken):
        states = ticked(guide.ways[taken], moved)
        if states is not None:
            return taken, states
    return None


def ticked(steps: Sequence[Step], moved: Surplus) -> tuple[str, ...] | None:
    """The state of each step, after pieces came to tiles and left them; None where these steps do not explain it."""
    found = [OPEN] * len(steps)
    for piece in {str(piece) for _, piece in moved}:
        mine = [number for number, step in enumerate(steps) if step.piece == piece]
        here = tuple(sorted((tile, count) for (tile, other), count in moved.items() if str(other) == piece))
        states = _states(tuple(steps[number] for number in mine), here)
        if states is None:
            return None
        for number, state in zip(mine, states, strict=True):
            found[number] = state
    return tuple(found)


def _states(steps: tuple[Step, ...], moved: Moved) -> tuple[str, ...] | None:
    """The same for one kind of piece: of all explanations the one with most steps done."""

    @cache
    def best(number: int, left: Moved) -> tuple[int, tuple[str, ...]] | None:
        if number == len(steps):
            return None if left else (0, ())
        ways = []
        for worth, state, rest in _effects(steps[number], left):
            after = best(number + 1, rest)
            if after is not None:
                ways.append((worth + after[0], (state, *after[1])))
        return max(ways, key=lambda way: way[0], default=None)

    found = best(0, moved)
    return found[1] if found else None


def _effects(step: Step, moved: Moved) -> Iterable[tuple[int, str, Moved]]:
    """What may have become of a step, how good that is, and which moves are then still to be explained."""
    taken = _without(moved, step.take_from, -1) if step.take_from else moved
    if taken is not None:
        put = [_without(taken, tile, 1) for tile in step.onto] if step.onto else [taken]
        yield from ((2, DONE, rest) for rest in put if rest is not None)
        if step.take_from and step.onto:
            yield -1, HELD, taken  # only where no other step explains it
    yield 0, OPEN, moved


def _without(moved: Moved, tile: str, one: int) -> Moved | None:
    counts = dict(moved)
    if counts.get(tile, 0) * one <= 0:
        return None
    counts[tile] -= one
    return tuple(sorted((name, count) for name, count in counts.items() if count))
