"""Legal sowings that fit a scene, and which of them was meant.

In: a `Scene`. Out: `Candidate` sowings, the likeliest first, and whether order or scoop settles which it was. The order of
arrival is a preference, never a law: a legal sowing that the pieces and the scoop fit in some order is what was done. Only
when every drop was seen by itself, in an order that is not legal, and no scoop says which was the last, it is asked; where
nobody answers, it is what was done.
"""

from __future__ import annotations

from collections import Counter
from dataclasses import dataclass
from itertools import pairwise

from naqala.rules.board import TILES
from naqala.rules.sowing import Sowing
from naqala.table import timing
from naqala.table.difference import UNKNOWN, Guess, Scene, guesses, scooped_tiles, together
from naqala.table.hidden import veil
from naqala.table.search import Drop, Fit, TooMany, in_groups, legal_ends, named

NO_SCOOP, PART_SCOOP, WHOLE_SCOOP = "none", "part", "whole"
MOST_OPTIONS = 4


@dataclass(frozen=True, slots=True)
class Candidate:
    """A legal sowing that fits. `scoop` is how much of its group is gone; `noise` is what it leaves unexplained;
    `in_order`: the drops were seen in an order that this sowing keeps; `lateness` ranks how late its last drop came;
    `unseen` meeples of the hand were never put down where anybody saw it; `hidden`: so many of them on silent tiles;
    `in_hand`: they may as well be in the hand still."""

    guess: Guess
    drops: tuple[Drop, ...]
    scoop: str = NO_SCOOP
    noise: int = 0
    in_order: bool = False
    lateness: int = 0
    unseen: int = 0
    hidden: int = 0
    in_hand: bool = False

    @property
    def sowing(self) -> Sowing:
        return Sowing(TILES[self.guess.start], named(self.drops))

    @property
    def outcome(self) -> tuple[int, Drop, tuple[Drop, ...]]:
        """What it makes of the board: two sowings that differ in their order alone are the same."""
        return self.guess.start, self.drops[-1], tuple(sorted(self.drops))


@dataclass(frozen=True, slots=True)
class Settled:
    """The candidate that was done, or several between which nobody can tell (`more` when there are more than can be
    asked about); both when the only one is to be asked about; none when no legal sowing fits. `in_hand`: it may as well be
    a move in flight."""

    done: Candidate | None = None
    between: tuple[Candidate, ...] = ()
    more: bool = False
    in_hand: bool = False


def settle(scene: Scene) -> Settled:
    """Which legal sowing the scene shows: by the scoop, else by the order, else by being the only one."""
    found = _all(scene)
    if not found:
        return Settled()
    least = min(candidate.noise for candidate in found)
    for scoop in (WHOLE_SCOOP, PART_SCOOP):
        scooped = [c for c in found if c.scoop == scoop and (c.noise == least or scoop == WHOLE_SCOOP)]
        if any(c.hidden and c.noise == least for c in scooped):
            return _one_or_all([c for c in scooped if c.noise == least])
        if scooped:
            return _first_lifted(scene, scooped)
    found = [candidate for candidate in found if candidate.noise == least]
    if any(candidate.hidden for candidate in found):
        return _one_or_all(found)
    ordered = _distinct([candidate for candidate in found if candidate.in_order])
    if len(ordered) == 1:
        return Settled(done=ordered[0])
    if not ordered and len(_distinct(found)) == 1 and _seen_one_by_one(found[0].guess):
        # The hands went another way: it is theirs to say that they meant this one, and what was done if they play on.
        return Settled(done=found[0], between=(found[0],))
    return _one_or_all(found)


def _seen_one_by_one(guess: Guess) -> bool:
    """Drops so far apart that no late look can have turned two of them round."""
    moments = [arrival.moment for arrival in guess.seen]
    apart = all(later[1] - sooner[1] > timing.LATE for sooner, later in pairwise(moments))
    return len(moments) > 1 and UNKNOWN not in moments and apart


def fitting(scene: Scene) -> list[Candidate]:
    """Every legal sowing that explains all that differs, whatever order was seen: for a table that nobody watched."""
    found = _distinct([c for c in _all(scene) if not c.noise and c.scoop != PART_SCOOP])
    return sorted(found, key=lambda c: (scene.lifted.get(c.guess.start, 0), c.unseen, c.drops))


def _all(scene: Scene) -> list[Candidate]:
    found: list[Candidate] = []
    for guess in guesses(scene):
        try:
            found += _candidates(scene, guess)
        except TooMany:
            continue
    return _from_tiles_that_are_seen(scene, found)


def _from_tiles_that_are_seen(scene: Scene, found: list[Candidate]) -> list[Candidate]:
    """A silent start tile is thought of last: when it explains everything, and nothing that was seen explains it. Where
    silent tiles leave a choice of start tiles, one that was lifted long after the other is none."""
    found = [c for c in found if not (c.noise and c.guess.start in scene.silent)]
    found = [c for c in found if c.guess.start not in scene.silent or c.guess.dropped] or found
    if not any(c.hidden for c in found):
        return found
    lifted = {c.guess.start: scene.lifted.get(c.guess.start, 0) for c in found}
    return [c for c in found if lifted[c.guess.start] <= min(lifted.values()) + timing.GROWS]


def _first_lifted(scene: Scene, scooped: list[Candidate]) -> Settled:
    """Two tiles are empty, and the meeple of either may have met that of the other: the one lifted first went to the other.
    When they were lifted so soon after one another that a late look may have turned the order, as late as this controller
    looks, it is a question."""
    lifted = {c.guess.start: scene.lifted.get(c.guess.start, 0) for c in scooped}
    scooped.sort(key=lambda c: (c.noise, c.unseen, lifted[c.guess.start]))
    first = scooped[0]
    rivals = [
        c
        for c in scooped
        if (c.noise, c.unseen) == (first.noise, first.unseen)
        and lifted[c.guess.start] - lifted[first.guess.start] < scene.soon
    ]
    if len({c.guess.start for c in rivals}) == 1:
        return Settled(done=first)
    return Settled(between=tuple(_distinct(rivals)[:MOST_OPTIONS]))


def _one_or_all(found: list[Candidate]) -> Settled:
    """The only one, or a question."""
    found = _distinct(found)
    in_hand = all(candidate.in_hand for candidate in found)
    if len(found) == 1:
        return Settled(done=found[0], in_hand=in_hand)
    found.sort(key=lambda c: (not c.in_order, c.hidden, -c.lateness, c.drops))
    return Settled(between=tuple(found[:MOST_OPTIONS]), more=len(found) > MOST_OPTIONS, in_hand=in_hand)


def _distinct(found: list[Candidate]) -> list[Candidate]:
    return list({candidate.outcome: candidate for candidate in reversed(found)}.values())[::-1]


def _candidates(scene: Scene, guess: Guess) -> list[Candidate]:
    if guess.foreign or not guess.hand:
        return []
    untouched = [(guess.start, letter) for letter in guess.untouched]
    if not guess.missing:
        return _all_down(scene, guess, untouched)
    found = _scooped(scene, guess, untouched) if len(set(guess.missing)) == 1 else []
    found += _behind_silent_tiles(scene, guess)
    return found or _on_a_tile_without_reader(scene, guess, untouched)


def _behind_silent_tiles(scene: Scene, guess: Guess) -> list[Candidate]:
    """What is missing was dropped on tiles that nobody can read, or there and on the end tile that was scooped."""
    veiled = veil(scene, guess)
    # A start tile that nobody can read is believed when a meeple is seen to have come from there.
    in_hand = veiled.in_hand or (guess.start in scene.silent and not guess.dropped)
    found = []
    for drops in veiled.whole:
        tile, colour = drops[-1]
        taken = guess.gone.get(tile, Counter())[colour]
        scoop = NO_SCOOP
        if taken or (tile not in scene.silent and drops[-1] not in guess.drops):
            scoop = PART_SCOOP if colour in scene.after[tile] else WHOLE_SCOOP
        noise = guess.lost_elsewhere - taken
        hidden = sum(tile in scene.silent for tile in (guess.start, *(tile for tile, _ in drops)))
        found.append(
            Candidate(
                guess, drops, scoop, noise, True, unseen=len(guess.missing), hidden=hidden, in_hand=in_hand
            )
        )
    return found


def _all_down(scene: Scene, guess: Guess, untouched: list[Drop]) -> list[Candidate]:
    """Every meeple of the hand stands somewhere. What lies on the start tile may have been dropped there, too."""
    drops = (*guess.drops, *untouched)
    fit = Fit(guess.start, drops)
    ends = [drop for drop in legal_ends(scene.before, guess.start, drops) if fit.ends >> drop[0] & 1]
    if not ends:
        return []
    # A drop that nobody saw come (it was told, or a reader spoke late) may have been any of them.
    known = not untouched and all(arrival.moment != UNKNOWN for arrival in guess.seen)
    in_order = in_groups(guess.start, together(guess.seen)) if known else {}
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


def _on_a_tile_without_reader(scene: Scene, guess: Guess, untouched: list[Drop]) -> list[Candidate]:
    """What is missing was dropped on the way on a tile under which no reader lies; the end was seen. What was taken up from
    a tile that is seen, or went with others of its colour, does not lie there."""
    taken = {letter for _, letter in scene.taken_up(guess.start)}.union(*guess.gone.values())
    if taken.intersection(guess.missing):
        return []
    found = []
    for tile in sorted(scene.unread):
        hidden = [(tile, letter) for letter in guess.missing]
        drops = (*hidden, *guess.drops, *untouched)
        fit = Fit(guess.start, drops)
        for end in legal_ends(scene.before, guess.start, drops):
            order = fit.order(end) if end[0] != tile and fit.ends >> end[0] & 1 else None
            if order is not None:
                last, unseen = guess.drops[-1:] == (end,), len(hidden)
                found.append(
                    Candidate(
                        guess, order, noise=guess.lost_elsewhere, in_order=last, unseen=unseen, hidden=unseen
                    )
                )
    return found
