"""What else the same hand did against the rules: another colour taken up, meeples of other tiles carried along or lifted.

In: a story in which all else that differs is a slip of some reader, and its cost. Out: the stories in which a hand did it. Each
pays for its breach and saves the slips that it explains, so it is cheaper as soon as the slips last too long.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace

from naqala.rules.breach import Breach
from naqala.rules.sowing import Drop, Sowing, breaches
from naqala.table.noise import Cost
from naqala.table.story import NO_SCOOP, Root, Story


def _breach(root: Root, story: Story, first: float) -> float:
    """The first breach is expensive, each further one cheaper."""
    return root.prices.further if story.breaches else first


def other_colour(
    root: Root, story: Story, cost: Cost, saved: Cost, dropped: tuple[Drop, ...]
) -> Iterator[Story]:
    """Meeples of another colour were taken up from the end tile, or some from a tile on the way; `dropped` are meeples that this
    very move dropped there, which are lost again, and `saved` what that costs as a slip."""
    if not story.over or not story.drops or story.left:
        return
    end, colour = story.drops[-1]
    for tile in {tile for tile, _ in story.drops} - {str(story.start)}:
        natives = [
            track
            for letter, lost in root.gone.get(tile, {}).items()
            for track in lost
            if (tile, letter) != (end, colour)
        ]
        if natives:
            now = cost.less(root.absent(tile)).plus(root.absent(tile, natives))
            group = tuple(sorted((tile, track.piece.which) for track in natives))
            yield _wrong_group(root, story, now, group)
    if dropped:
        yield _wrong_group(root, story, cost.less(saved), dropped)


def _wrong_group(root: Root, story: Story, cost: Cost, group: tuple[Drop, ...]) -> Story:
    breach = Breach("collects_every_one_of_its_colour", len(story.drops), story.drops[-1][:1])
    price = cost.price + _breach(root, story, root.prices.scoop)
    return replace(_broken(story, price, cost.rate, breach), wrong_group=group)


def foreign(root: Root, story: Story, cost: Cost, last_read: int) -> Iterator[Story]:
    """Meeples of another tile were carried along and put down. One that was put down after all others is the last drop."""
    start = str(story.start)
    moved = [track for track in root.carried if track.home != start]
    if not moved:
        return
    for track in moved:
        home = str(track.home)
        cost = cost.less(root.misread(track)).less(root.absent(home)).plus(root.absent(home, [track]))
    price = cost.price + _breach(root, story, root.prices.foreign) + root.prices.further * (len(moved) - 1)
    where = tuple((str(track.home), track.places[-1].tile, track.piece.which) for track in moved)
    last = max((stay.since for stay in moved[-1].places), default=0)
    if story.over and story.scoop == NO_SCOOP and last >= last_read:
        drops = (*story.drops, (moved[-1].places[-1].tile, moved[-1].piece.which))
        found = breaches(root.meeples, Sowing(start, drops))
        yield replace(story, price=price, rate=cost.rate, drops=drops, breaches=found, foreign=where)
    else:
        yield replace(_broken(story, price, cost.rate, _takes_every_meeple(start)), foreign=where)


def second_tile(root: Root, story: Story, cost: Cost) -> Iterator[Story]:
    """Meeples of a second tile were taken into the hand."""
    start = str(story.start)
    for tile, letters in root.gone.items():
        lost = [track for group in letters.values() for track in group if track.tag not in story.taken]
        if tile == start or not lost:
            continue
        now = cost.less(root.absent(tile, [track for track in root.at[tile] if track.tag in story.taken]))
        # Not cheaper after another breach: a piece far off that is not read has nothing to do with it.
        price = now.price + root.prices.second
        told = _broken(story, price, now.rate, _takes_every_meeple(start))
        yield replace(told, foreign=tuple((tile, None, track.piece.which) for track in lost))


def _takes_every_meeple(start: str) -> Breach:
    return Breach("takes_every_meeple", tiles=(start,))


def _broken(story: Story, price: float, rate: float, breach: Breach) -> Story:
    """The same story with one more breach."""
    found = story.breaches if breach in story.breaches else (*story.breaches, breach)
    ordered = tuple(sorted(found, key=lambda one: one.drop or len(story.drops) + 1))
    return replace(story, price=price, rate=rate, breaches=ordered)
