"""One move in the hands of a robot that slips, and how it goes on after the flag: step by step, as the flag says.

In: the flag's own steps, the drops that were meant. Out: motions. The way so far is read from the table: whatever a remedy
had moved elsewhere or back to the start tile counts where it stands now.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence

from naqala.hands.people import Person
from naqala.hands.repairs import WrongMove
from naqala.hands.styles import Drop
from naqala.hands.table import HAND, Motion, Pieces, beside, home, kept_at
from naqala.rules.board import NUMBER
from naqala.rules.paths import open_drops
from naqala.table.readings import Step
from naqala.transcript import Piece

HESITATES_MS = 1_200  # before each drop of a move that goes wrong: people who slip are not in a hurry


def followed(
    table: Pieces,
    person: Person,
    step: Step,
    colours: Mapping[str, str],
    wanted: Sequence[str],
    mine: Iterable[str] = (),
) -> list[Motion]:
    """One step of a flag; where it offers several tiles, one that was meant all along. `mine` are the pieces of the move."""
    kind, _, which = step.piece.partition(" ")
    piece, mine = Piece(kind, colours.get(which, which)), list(mine)
    if step.take_from is None:
        tags = [tag for tag in mine if table.piece(tag) == piece and table.where(tag) not in NUMBER]
        tags += beside(table, piece)
    else:
        tags = table.at(step.take_from, piece.kind, piece.which)
        tags.sort(key=lambda tag: tag not in mine)
    to = next((tile for tile in step.onto if tile in wanted), (*step.onto, "")[0])
    away = HAND if kind == "meeple" else home(piece)
    return [Motion(person.between(person.pace.grab), tuple(tags[:1]), to or away)]


class Carried(WrongMove):
    """The meeples of one start tile, on their way after a slip."""

    @property
    def empty(self) -> bool:
        """Nothing of the move is in the hand."""
        return all(self.table.where(tag) != HAND for tag in self.carried)

    @property
    def path(self) -> tuple[Drop, ...]:
        """The drops that stand, in order; what was put back on the start tile is none."""
        found = [(self.table.where(tag), tag) for tag, tile in self.made if self._stands(tag, tile)]
        return tuple((where, self.table.piece(tag).which) for where, tag in found)

    def _stands(self, tag: str, tile: str) -> bool:
        where = self.table.where(tag)
        return where in NUMBER and (where != self.meant.start or tile == self.meant.start)

    def spoil(self) -> list[Motion]:
        """Lift, drop and take up as it should not be done, without haste."""
        lift, *rest = self.go_wrong()[0]
        return [lift, *(Motion(HESITATES_MS + one.wait_ms, one.tags, one.spot) for one in rest)]

    def follow(self, step: Step, colours: Mapping[str, str]) -> list[Motion]:
        """One step of a flag."""
        wanted = [tile for tile, _ in self.meant.drops]
        mine = [*self.carried, *(tag for tag, _ in self.taken)]
        return followed(self.table, self.person, step, colours, wanted, mine)

    def put_back(self) -> list[Motion]:
        """The move goes on: what was taken up too early stands again, what stands on the start tile is taken up."""
        early = [(tag, tile) for tag, tile in self.taken if self.table.where(tag) not in NUMBER]
        made = [self._grab((tag,), tile) for tag, tile in early]
        dropped = {tag for tag, tile in self.made if self._stands(tag, tile)} | {tag for tag, _ in early}
        start = self.meant.start
        behind = [tag for tag in self.carried if self.table.where(tag) == start and tag not in dropped]
        return [*made, self._grab(behind, HAND)] if behind else made

    def next(self, meeples: Sequence[str]) -> Motion:
        """The next drop, as it was meant as long as that stays legal; where none is open, all is taken up again."""
        path, meant = self.path, self.meant.drops
        following = sorted(open_drops(meeples, self.meant.start, path))
        if not following:
            self.made.clear()
            return self._grab(self.carried, HAND)
        tile, letter = meant[len(path)] if meant[len(path)] in following else following[0]
        (tag,) = self._of_colours([tag for tag in self.carried if self.table.where(tag) == HAND], letter)
        self.made = [(tag, tile) for tag, tile in self.made if self._stands(tag, tile)]
        self.made.append((tag, tile))
        return Motion(HESITATES_MS + self.person.between(self.person.pace.drop), (tag,), tile)

    def scoop(self, last: Drop) -> list[Motion]:
        """Take up what is left of the last group, and put away what a flag had taken into the hand."""
        tile, letter = last
        tags = (*self.table.at(tile, "meeple", letter), *self.table.at(HAND))
        to = kept_at(letter, self.person.colour)
        return [Motion(self.person.between(self.person.pace.drop), tags, to)] if tags else []
