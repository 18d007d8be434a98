"""Human hands as values: a move goes in, the timed gestures of a person come out. Seeded; nothing is moved here.

Real hands lift in several grabs, drop two together, lay meeples on their side while they plan and stand them up at the end,
change their mind, and scoop the last group without ever putting the last meeple down: the MANNERS. What a person does with
a piece is a `Gesture`; whoever makes it waits first. No rule is enforced here: an illegal move is made as readily.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from random import Random
from typing import NamedTuple

from naqala.rules.board import NEIGHBOURS
from naqala.virtual.table import BAG, HAND, VirtualTable, before

Drop = tuple[str, str]  # tile and letter
ALONE_MS = 1_300
KEPT = "YW"  # viziers and elders stay before their player, the others go back into the bag


@dataclass(frozen=True, slots=True)
class Gesture:
    """After a wait, put these pieces there, standing or on their side."""

    wait_ms: int
    tags: tuple[str, ...]
    spot: str
    lying: bool = False


@dataclass(frozen=True, slots=True)
class Pace:
    """How quick a person is, in milliseconds from the shortest to the longest: between grabs and drops, before a move, and
    before a drop is taken up again. `read` is for a flag: who looks on reads it, too."""

    drop: tuple[int, int] = (450, 900)
    grab: tuple[int, int] = (250, 700)
    think: tuple[int, int] = (2_000, 5_000)
    hesitate: tuple[int, int] = (900, 1_800)
    read: int = 5_000


PACES = {
    "calm": Pace((700, 1500), (300, 900), (3_000, 7_000), (1_500, 3_000), 8_000),
    "human": Pace(),
    "quick": Pace((300, 500), (200, 400), (200, 400), (500, 900), 600),
}


@dataclass(frozen=True, slots=True)
class Person:
    """Whose hands: a pace, dice, the colour of the player they belong to."""

    dice: Random
    pace: Pace
    colour: str

    def between(self, span: tuple[int, int]) -> int:
        return self.dice.randint(*span)


class Aim(NamedTuple):
    """A meeple of the hand, the tile it is meant for, and the tiles that look as good from where the hand is then."""

    tag: str
    tile: str
    as_good: tuple[str, ...] = ()


def sowing(
    table: VirtualTable, person: Person, start: str, drops: Sequence[Drop], manner: str
) -> list[Gesture]:
    """A whole sowing in one of the MANNERS, with the scoop of the last colour."""
    carried = table.at(start, "meeple")
    hand: list[Aim] = []
    left = list(carried)
    path = ("", start, *(tile for tile, _ in drops))
    for number, (tile, letter) in enumerate(drops):
        tag = next(tag for tag in left if table.piece(tag).which == letter)
        left.remove(tag)
        as_good = [t for t in NEIGHBOURS[path[number + 1]] if t not in (path[number], tile, start)]
        if not left:  # people see that the last one has to find its own colour
            as_good = [t for t in as_good if table.at(t, "meeple", letter)]
        hand.append(Aim(tag, tile, tuple(as_good)))
    made = MANNERS[manner](person, carried, hand)
    return [*made, *scoop(table, person, drops[-1], [(aim.tag, aim.tile) for aim in hand])]


def scoop(table: VirtualTable, person: Person, last: Drop, hand: Sequence[tuple[str, str]]) -> list[Gesture]:
    """Take up every meeple of the last colour on the last tile, those just dropped included."""
    tile, letter = last
    moved = dict(hand)
    there = [tag for tag in table.at(tile, "meeple", letter) if tag not in moved]
    there += [tag for tag, to in hand if to == tile and table.piece(tag).which == letter]
    to = kept_at(letter, person.colour)
    # Of two meeples taken up from two tiles nobody can tell which was the mover: a single one is left standing a while.
    alone = ALONE_MS if len(hand) == 1 else 0
    return [Gesture(max(alone, person.between(person.pace.drop)), tuple(there), to)]


def kept_at(letter: str, colour: str) -> str:
    """Where the meeples of a tribe go when they are taken up."""
    return before(colour) if letter in KEPT else BAG


# --- manners ------------------------------------------------------------------------------------------------

Hand = Sequence[Aim]


def _lift(person: Person, carried: Sequence[str], grabs: int = 1) -> list[Gesture]:
    tags = list(carried)
    person.dice.shuffle(tags)
    size = -(-len(tags) // grabs)
    pieces = [tuple(tags[at : at + size]) for at in range(0, len(tags), size)]
    return [Gesture(person.between(person.pace.grab), piece, HAND) for piece in pieces]


def _drops(person: Person, hand: Hand) -> list[Gesture]:
    return [Gesture(person.between(person.pace.drop), (aim.tag,), aim.tile) for aim in hand]


def plain(person: Person, carried: Sequence[str], hand: Hand) -> list[Gesture]:
    """Lift all, drop one by one."""
    return [*_lift(person, carried), *_drops(person, hand)]


def several_grabs(person: Person, carried: Sequence[str], hand: Hand) -> list[Gesture]:
    """Three are too many for one grab."""
    return [*_lift(person, carried, 2), *_drops(person, hand)]


def two_together(person: Person, carried: Sequence[str], hand: Hand) -> list[Gesture]:
    """Every second meeple falls with the one before."""
    drops = _drops(person, hand)
    together = [
        Gesture(0 if number % 2 else drop.wait_ms, drop.tags, drop.spot) for number, drop in enumerate(drops)
    ]
    return [*_lift(person, carried), *together]


def laid_while_planning(person: Person, carried: Sequence[str], hand: Hand) -> list[Gesture]:
    """Meeples lie on their side along the way until the plan is made; then they are all stood up, in order."""
    lying = [Gesture(person.between(person.pace.drop), (aim.tag,), aim.tile, True) for aim in hand]
    standing = [Gesture(person.between(person.pace.grab), (aim.tag,), aim.tile) for aim in hand]
    return [*_lift(person, carried), *lying, *standing]


def changes_mind(person: Person, carried: Sequence[str], hand: Hand) -> list[Gesture]:
    """One meeple is first put down on another tile that looks as good, stands there for a moment and is taken up again."""
    made = _lift(person, carried)
    tempted = [number for number, aim in enumerate(hand) if aim.as_good]
    at = person.dice.choice(tempted) if tempted else None
    for number, aim in enumerate(hand):
        if number == at:
            made.append(
                Gesture(person.between(person.pace.drop), (aim.tag,), person.dice.choice(aim.as_good))
            )
            made.append(Gesture(person.between(person.pace.hesitate), (aim.tag,), HAND))
        made.append(Gesture(person.between(person.pace.drop), (aim.tag,), aim.tile))
    return made


def last_never_put_down(person: Person, carried: Sequence[str], hand: Hand) -> list[Gesture]:
    """The last group is scooped with the last meeple still in the hand. A single one is put down: of two meeples taken
    up from two tiles nobody could tell which was the mover."""
    if len(hand) == 1:
        return plain(person, carried, hand)
    return [*_lift(person, carried), *_drops(person, hand[:-1])]


Manner = Callable[[Person, Sequence[str], Hand], list[Gesture]]
MANNERS: dict[str, Manner] = {
    "plain": plain,
    "several_grabs": several_grabs,
    "two_together": two_together,
    "laid_while_planning": laid_while_planning,
    "changes_mind": changes_mind,
    "last_never_put_down": last_never_put_down,
}
