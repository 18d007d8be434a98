"""Legal sowings that fit a scene, and which of them was meant.

In: a `Scene`. Out: `Candidate` sowings, the likeliest first, and whether order or scoop settles which it was. The order of
arrival is a preference, never a law: a legal sowing that the pieces and the scoop fit in some order is what was done.
"""

from __future__ import annotations

from collections import Counter
from dataclasses import dataclass

from naqala.rules.board import TILES
from naqala.rules.sowing import Sowing
from naqala.table.difference import Guess, Scene, guesses, together
from naqala.table.search import Drop, Fit, TooMany, in_groups, legal_ends, named

NO_SCOOP, PART_SCOOP, WHOLE_SCOOP = "none", "part", "whole"
MOST_OPTIONS = 4


@dataclass(frozen=True, slots=True)
class Candidate:
    """A legal sowing that fits. `scoop` is how much of its group is gone; `noise` is what it leaves unexplained;
    `in_order`: the drops were seen in an order that this sowing keeps; `lateness` ranks how late its last drop came;
    `unseen` meeples of the hand were never put down where anybody saw it; `deduced`: they must lie on a silent tile."""

    guess: Guess
    drops: tuple[Drop, ...]
    scoop: str = NO_SCOOP
    noise: int = 0
    in_order: bool = False
    lateness: int = 0
    unseen: int = 0
    deduced: bool = False

    @property
    def sowing(self) -> Sowing:
        return Sowing(TILES[self.guess.start], named(self.drops))

    @property
    def outcome(self) -> tuple[int, Drop]:
        return self.guess.start, self.drops[-1]


@dataclass(frozen=True, slots=True)
class Settled:
    """The candidate that was done, or several between which nobody can tell; none when no legal sowing fits."""

    done: Candidate | None = None
    between: tuple[Candidate, ...] = ()


def settle(scene: Scene) -> Settled:
    """Which legal sowing the scene shows: by the scoop, else by the order, else by being the only one."""
    found: list[Candidate] = []
    for guess in guesses(scene):
        try:
            found += _candidates(scene, guess)
        except TooMany:
            continue
    if not found:
        return Settled()
    least = min(candidate.noise for candidate in found)
    for scoop in (WHOLE_SCOOP, PART_SCOOP):
        scooped = [c for c in found if c.scoop == scoop and (c.noise == least or scoop == WHOLE_SCOOP)]
        if scooped:
            return Settled(
                done=min(scooped, key=lambda c: (c.noise, c.unseen, scene.lifted.get(c.guess.start, 0)))
            )
    found = [candidate for candidate in found if candidate.noise == least]
    ordered = _distinct([candidate for candidate in found if candidate.in_order])
    if len(ordered) == 1:
        return Settled(done=ordered[0])
    found = _distinct(found)
    if len(found) == 1:
        return Settled(done=found[0])
    found.sort(key=lambda c: (not c.in_order, -c.lateness, c.drops))
    return Settled(between=tuple(found[:MOST_OPTIONS]))


def _distinct(found: list[Candidate]) -> list[Candidate]:
    return list({candidate.outcome: candidate for candidate in reversed(found)}.values())[::-1]


def _candidates(scene: Scene, guess: Guess) -> list[Candidate]:
    if guess.foreign or not guess.hand:
        return []
    untouched = [(guess.start, letter) for letter in guess.untouched]
    if not guess.missing:
        return _all_down(scene, guess, untouched)
    found = _scooped(scene, guess, untouched) if len(set(guess.missing)) == 1 else []
    return found or _behind_a_dead_reader(scene, guess, untouched)


def _all_down(scene: Scene, guess: Guess, untouched: list[Drop]) -> list[Candidate]:
    """Every meeple of the hand stands somewhere. What lies on the start tile may have been dropped there, too."""
    drops = (*guess.drops, *untouched)
    fit = Fit(guess.start, drops)
    ends = [drop for drop in legal_ends(scene.before, guess.start, drops) if fit.ends >> drop[0] & 1]
    if not ends:
        return []
    in_order = {} if untouched else in_groups(guess.start, together(guess.seen))
    found = []
    for end in ends:
        order = in_order.get(end) or fit.order(end)
        if order is None:
            continue
        lost = guess.gone.get(end[0], Counter())
        part = lost[end[1]]
        found.append(
            Candidate(
                guess,
                order,
                PART_SCOOP if part else NO_SCOOP,
                guess.lost_elsewhere - part,
                end in in_order,
                max(number for number, drop in enumerate(drops) if drop == end),
            )
        )
    return found


def _scooped(scene: Scene, guess: Guess, untouched: list[Drop]) -> list[Candidate]:
    """What is missing was dropped on the end tile and taken up with its group, seen there or not."""
    colour, count = guess.missing[0], len(guess.missing)
    taken_up = scene.taken_up(guess.start)
    found = []
    for tile in scooped_tiles(scene, guess, colour):
        end = (tile, colour)
        drops = (*guess.drops, *untouched, *[end] * count)
        if end not in legal_ends(scene.before, guess.start, drops):
            continue
        order = Fit(guess.start, drops).order(end)
        if order is not None:
            scooped = guess.gone.get(tile, Counter())[colour]
            found.append(
                Candidate(
                    guess,
                    order,
                    PART_SCOOP if colour in scene.after[tile] else WHOLE_SCOOP,
                    guess.lost_elsewhere - scooped,
                    unseen=max(0, count - taken_up.get(end, 0)),
                )
            )
    return found


def _behind_a_dead_reader(scene: Scene, guess: Guess, untouched: list[Drop]) -> list[Candidate]:
    """What is missing was dropped on the way on a tile whose reader is dead; the move ended where it was seen to end."""
    found = []
    for tile in scene.silent:
        hidden = [(tile, letter) for letter in guess.missing]
        drops = (*hidden, *guess.drops, *untouched)
        fit = Fit(guess.start, drops)
        for end in legal_ends(scene.before, guess.start, drops):
            if end[0] != tile and fit.ends >> end[0] & 1:
                order = fit.order(end)
                last = bool(guess.drops) and guess.drops[-1] == end
                if order is not None:
                    unseen = len(hidden)
                    found.append(
                        Candidate(
                            guess,
                            order,
                            noise=guess.lost_elsewhere,
                            in_order=last,
                            unseen=unseen,
                            deduced=True,
                        )
                    )
    return found


def scooped_tiles(scene: Scene, guess: Guess, colour: str) -> list[int]:
    """Tiles from which meeples of that colour are gone: those that lay there, or two that were dropped there."""
    found = [tile for tile, lost in guess.gone.items() if lost[colour]]
    for (tile, letter), count in scene.taken_up(guess.start).items():
        lay_there = tile != guess.start and letter in scene.before[tile]
        if letter == colour and not lay_there and colour not in scene.after[tile] and tile not in found:
            dropped_twice = count > 1 or len(guess.missing) > 1
            found += [tile] if dropped_twice else []
    return found
