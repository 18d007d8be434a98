"""A sowing that goes wrong in somebody's hands, and how it is put right: by the way back, or with everything back first.

In: what is meant, and what the hands do instead (`slips.Spoilt`). Out: motions for the wrong move, and afterwards for the
repair. The way back undoes the drops from the last to the wrong one, and the move goes on as it was meant. People who have
lost track put everything back on the start tile and begin once more.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field

from naqala.hands.people import Person
from naqala.hands.slips import Spoilt
from naqala.hands.table import HAND, Motion, Pieces, kept_at
from naqala.rules.actions import Sow

REPAIRS = ("way_back", "all_back")


@dataclass
class WrongMove:
    """The meeples of one sowing that goes wrong: which were dropped where, and which were taken up."""

    table: Pieces
    person: Person
    meant: Sow
    spoilt: Spoilt
    made: list[tuple[str, str]] = field(default_factory=list)
    taken: list[tuple[str, str]] = field(default_factory=list)

    def __post_init__(self) -> None:
        self.carried = tuple(self.table.at(self.meant.start, "meeple"))
        self.left = self._of_colours(self.carried, self.spoilt.left)
        along = self.spoilt.carried_along
        self.along = self._of_colours(self.table.at(along[0], "meeple"), along[1]) if along else []

    def _of_colours(self, tags: Iterable[str], letters: str) -> list[str]:
        found: list[str] = []
        for letter in letters:
            found.append(next(t for t in tags if t not in found and self.table.piece(t).which == letter))
        return found

    def _grab(self, tags: Sequence[str], spot: str) -> Motion:
        return Motion(self.person.between(self.person.pace.grab), tuple(tags), spot)

    def go_wrong(self) -> tuple[list[Motion], int]:
        """Lift, drop and take up as it should not be done; and which of the motions breaks the rule."""
        hand = [tag for tag in self.carried if tag not in self.left]
        motions = [self._grab(hand, HAND)]
        hand += self.along
        for number, (tile, letter) in enumerate(self.spoilt.drops):
            if self.along and number == len(self.spoilt.drops) - 1:
                motions.append(self._grab(self.along, HAND))
                hand = list(self.along)
            (tag,) = self._of_colours(hand, letter)
            hand.remove(tag)
            self.made.append((tag, tile))
            motions.append(Motion(self.person.between(self.person.pace.drop), (tag,), tile))
        wrong = len(motions) - 1
        if self.spoilt.wrong_at is not None:
            wrong = next(
                n
                for n, motion in enumerate(motions)
                if motion.tags == (self.made[self.spoilt.wrong_at][0],)
                and motion.spot == self.made[self.spoilt.wrong_at][1]
            )
        for tile, letter in self.spoilt.scoop:
            there = [*self.table.at(tile, "meeple"), *(tag for tag, to in self.made if to == tile)]
            gone = {tag for tag, _ in self.taken} | {tag for tag, to in self.made if to != tile}
            gone |= set(self.carried) if tile != self.meant.start else set()
            mine = {tag for tag, to in self.made if to == tile}
            (tag,) = self._of_colours([tag for tag in there if tag in mine or tag not in gone], letter)
            self.taken.append((tag, tile))
        if self.taken:
            to = kept_at(self.spoilt.scoop[0][1], self.person.colour)
            wait = self.person.between(self.person.pace.hesitate)
            motions.append(Motion(wait, tuple(tag for tag, _ in self.taken), to))
            wrong = len(motions) - 1 if self.spoilt.wrong_at is None else wrong
        return motions, wrong

    # --- putting right ----------------------------------------------------------------------------------------

    def put_right(self, repair: str) -> tuple[list[Motion], int, list[Motion]]:
        """Motions that end the breach, the number of the one that does, and those that finish the move as it was meant."""
        if self.spoilt.drops == self.meant.drops:
            return self._right_group()
        again = self._taken_put_back()
        keep = 0
        if repair == "way_back":
            keep = self.spoilt.wrong_at if self.spoilt.wrong_at is not None else len(self.made)
        for tag, _ in reversed(self.made[keep:]):
            if tag in self.along:
                again.append(
                    self._grab((tag,), str(self.spoilt.carried_along and self.spoilt.carried_along[0]))
                )
            else:
                again.append(self._grab((tag,), HAND))
        if self.left:
            again.append(self._grab(self.left, HAND))
        ended = len(again) - 1
        stands = self.made[:keep]
        if repair == "all_back":
            again.append(self._grab(self.carried, self.meant.start))
            ended = len(again) - 1
            again.append(Motion(self.person.between(self.person.pace.think), (), HAND))
            again.append(self._grab(self.carried, HAND))
        return again, ended, self._finish(stands)

    def _taken_put_back(self) -> list[Motion]:
        """What was scooped stands again where it was; a meeple of the wrong drops goes on from there."""
        return [self._grab((tag,), tile) for tag, tile in self.taken]

    def _right_group(self) -> tuple[list[Motion], int, list[Motion]]:
        """The drops were right, only the wrong ones were taken up: they stand again, and the group is taken up."""
        end, colour = self.meant.drops[-1]
        wrongly = [(tag, tile) for tag, tile in self.taken if self.table.piece(tag).which != colour]
        motions = [self._grab((tag,), tile) for tag, tile in wrongly]
        group = self.table.at(end, "meeple", colour)
        last = self._grab(group, kept_at(colour, self.person.colour))
        return [*motions, last], len(motions) - 1 if wrongly else 0, []

    def _finish(self, stands: Sequence[tuple[str, str]]) -> list[Motion]:
        """The rest of the move as it was meant, and the scoop."""
        dropped = [tag for tag, _ in stands]
        left = [tag for tag in self.carried if tag not in dropped]
        motions: list[Motion] = []
        places = dict(stands)
        for tile, letter in self.meant.drops[len(stands) :]:
            (tag,) = self._of_colours(left, letter)
            left.remove(tag)
            places[tag] = tile
            motions.append(Motion(self.person.between(self.person.pace.drop), (tag,), tile))
        end, colour = self.meant.drops[-1]
        away = {*self.carried, *self.along}
        group = [tag for tag in self.table.at(end, "meeple", colour) if tag not in away]
        group += [
            tag
            for tag, tile in self.taken
            if tile == end and tag not in away and tag not in group and self.table.piece(tag).which == colour
        ]
        group += [
            tag for tag, tile in places.items() if tile == end and self.table.piece(tag).which == colour
        ]
        group += [tag for tag in self.along if self.spoilt.carried_along == (end, colour)]
        wait = self.person.between(self.person.pace.drop)
        return [*motions, Motion(wait, tuple(group), kept_at(colour, self.person.colour))]
