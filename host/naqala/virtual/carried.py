"""One move in the hands of somebody who slips: what was taken up, where it fell, and how it goes on after the flag.

In: what goes wrong (`Spoilt`), the flag's own steps, the drops that were meant. Out: gestures. The way so far is read from
the table: whatever a remedy had moved elsewhere or back to the start tile counts where it stands now.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence

from naqala.rules.paths import open_drops
from naqala.table.readings import Step
from naqala.transcript import Piece
from naqala.virtual.box import READER_OF
from naqala.virtual.hands import Drop, Gesture, Person, kept_at
from naqala.virtual.mistakes import Spoilt
from naqala.virtual.standing import beside, home
from naqala.virtual.table import HAND, VirtualTable

HESITATES_MS = 1_200  # before each drop of a move that goes wrong: people who slip are not in a hurry


class Carried:
    """The meeples of one start tile; for a camel, a palm or a palace nothing is carried, but flags are followed too."""

    def __init__(self, table: VirtualTable, start: str, person: Person) -> None:
        self.table, self.start, self.person = table, start, person
        self.tags: tuple[str, ...] = ()
        self._made: list[tuple[str, str]] = []  # each meeple dropped, and where, in order
        self._taken: list[tuple[str, str]] = []  # each meeple taken up at the end, and from where

    @property
    def empty(self) -> bool:
        """Nothing of the move is in the hand."""
        return all(self.table.where(tag) != HAND for tag in self.tags)

    @property
    def path(self) -> tuple[Drop, ...]:
        """The drops that stand, in order; what was put back on the start tile is none."""
        found = [(self.table.where(tag), tag) for tag, tile in self._made if self._stands(tag, tile)]
        return tuple((where, self.table.piece(tag).which) for where, tag in found)

    def _stands(self, tag: str, tile: str) -> bool:
        where = self.table.where(tag)
        return where in READER_OF and (where != self.start or tile == self.start)

    # --- going wrong ------------------------------------------------------------------------------------------

    def spoil(self, spoilt: Spoilt) -> list[Gesture]:
        """Lift, drop and take up as it should not be done."""
        self.tags = tuple(self.table.at(self.start, "meeple"))
        left = self._of_colours(self.tags, spoilt.left)
        hand = [tag for tag in self.tags if tag not in left]
        made = [Gesture(self.person.between(self.person.pace.grab), tuple(hand), HAND)]
        for tile, letter in spoilt.drops:
            (tag,) = self._of_colours(hand, letter)
            hand.remove(tag)
            self._made.append((tag, tile))
            made.append(self._drop(tag, tile))
        for tile, letter in spoilt.scoop:
            there = [*self.table.at(tile, "meeple"), *(tag for tag, to in self._made if to == tile)]
            taken = {tag for tag, _ in self._taken} | set(self.tags if tile == self.start else ())
            (tag,) = self._of_colours([tag for tag in there if tag not in taken], letter)
            self._taken.append((tag, tile))
        if self._taken:
            to = kept_at(spoilt.scoop[0][1], self.person.colour)
            made.append(Gesture(HESITATES_MS, tuple(tag for tag, _ in self._taken), to))
        return made

    def _of_colours(self, tags: Iterable[str], letters: str) -> list[str]:
        found: list[str] = []
        for letter in letters:
            found.append(next(t for t in tags if t not in found and self.table.piece(t).which == letter))
        return found

    def _drop(self, tag: str, tile: str) -> Gesture:
        return Gesture(HESITATES_MS + self.person.between(self.person.pace.drop), (tag,), tile)

    # --- putting right ----------------------------------------------------------------------------------------

    def follow(self, step: Step, colours: Mapping[str, str], wanted: Sequence[str]) -> list[Gesture]:
        """One step of a flag; where it offers several tiles, one that was meant all along."""
        kind, _, which = step.piece.partition(" ")
        piece = Piece(kind, colours.get(which, which))
        mine = [*self.tags, *(tag for tag, _ in self._taken)]
        if step.take_from is None:
            tags = [tag for tag in mine if self.table.piece(tag) == piece and not self._on_board(tag)]
            tags += beside(self.table, piece)
        else:
            tags = self.table.at(step.take_from, piece.kind, piece.which)
            tags.sort(key=lambda tag: tag not in mine)
        to = next((tile for tile in step.onto if tile in wanted), (*step.onto, "")[0])
        away = HAND if kind == "meeple" else home(piece)
        return [Gesture(self.person.between(self.person.pace.grab), tuple(tags[:1]), to or away)]

    def _on_board(self, tag: str) -> bool:
        return self.table.where(tag) in READER_OF

    def put_back(self) -> list[Gesture]:
        """The move goes on: what was taken up too early stands again, what stands on the start tile is taken up."""
        grab = self.person.pace.grab
        early = [(tag, tile) for tag, tile in self._taken if not self._on_board(tag)]
        made = [Gesture(self.person.between(grab), (tag,), tile) for tag, tile in early]
        dropped = {tag for tag, tile in self._made if self._stands(tag, tile)} | {tag for tag, _ in early}
        behind = tuple(tag for tag in self.tags if self.table.where(tag) == self.start and tag not in dropped)
        return [*made, Gesture(self.person.between(grab), behind, HAND)] if behind else made

    def next(self, meeples: Sequence[str], meant: Sequence[Drop]) -> Gesture:
        """The next drop, as it was meant as long as that stays legal; where none is open, all is taken up again."""
        path = self.path
        following = sorted(open_drops(meeples, self.start, path))
        if not following:
            self._made.clear()
            return Gesture(self.person.between(self.person.pace.grab), self.tags, HAND)
        tile, letter = meant[len(path)] if meant[len(path)] in following else following[0]
        (tag,) = self._of_colours([tag for tag in self.tags if self.table.where(tag) == HAND], letter)
        self._made = [(tag, tile) for tag, tile in self._made if self._stands(tag, tile)]
        self._made.append((tag, tile))
        return self._drop(tag, tile)

    def scoop(self, last: Drop) -> list[Gesture]:
        """Take up what is left of the last group, and put away what a flag had taken into the hand."""
        tile, letter = last
        tags = (*self.table.at(tile, "meeple", letter), *self.table.at(HAND))
        to = kept_at(letter, self.person.colour)
        return [Gesture(self.person.between(self.person.pace.drop), tags, to)] if tags else []
