"""One legal sowing in the many styles of real hands: a move goes in, motions come out. Nothing is moved here.

People lift in several grabs, drop two at once, lay meeples on their side while they plan and stand them up in any order,
scoop the last group without ever putting the last meeple down, and have second thoughts: a drop is taken back, everything
is put back, the move begins on another tile. In all of these the move that counts is the one that stands at the end.
`NEAT` are the styles without second thoughts and without a lost order.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import NamedTuple

from naqala.hands.people import Person
from naqala.hands.table import HAND, Motion, Pieces, kept_at
from naqala.rules.board import NEIGHBOURS, TILES

Drop = tuple[str, str]  # tile and letter
ALONE_MS = 1_300


class Aim(NamedTuple):
    """A meeple of the hand, the tile it is meant for, and the tiles that look as good from where the hand is then."""

    tag: str
    tile: str
    as_good: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class Move:
    """A sowing with its tags. `detour` is another legal beginning; `elsewhere` is another tile with meeples, and those."""

    start: str
    carried: tuple[str, ...]
    aims: tuple[Aim, ...]
    either_way: bool = (
        False  # a single meeple and the only one of its end tile: both tiles are empty in the end
    )
    alike: tuple[tuple[int, int], ...] = ()  # pairs of aims whose meeples have one colour
    detour: tuple[tuple[str, str], ...] = ()
    elsewhere: tuple[str, tuple[str, ...]] = ("", ())


def sowing(
    table: Pieces,
    person: Person,
    start: str,
    drops: Sequence[Drop],
    style: str,
    scooping: str | None = "at_once",
) -> list[Motion]:
    """A whole sowing in one of the STYLES, and the scoop of the last colour in one of the SCOOPS (or none yet)."""
    move = planned(table, person, start, drops)
    made = STYLES[style](person, move)
    if scooping is None:
        return made
    landed = {tag: motion.spot for motion in made for tag in motion.tags if tag in move.carried}
    return [*made, *scoop(table, person, drops[-1], landed, scooping)]


def planned(table: Pieces, person: Person, start: str, drops: Sequence[Drop]) -> Move:
    """The move with a tag for each drop."""
    carried = table.at(start, "meeple")
    left, aims = list(carried), list[Aim]()
    path = ("", start, *(tile for tile, _ in drops))
    for number, (tile, letter) in enumerate(drops):
        tag = next(tag for tag in left if table.piece(tag).which == letter)
        left.remove(tag)
        as_good = [t for t in NEIGHBOURS[path[number + 1]] if t not in (path[number], tile, start)]
        if not left:  # people see that the last one has to find its own colour
            as_good = [t for t in as_good if table.at(t, "meeple", letter)]
        aims.append(Aim(tag, tile, tuple(as_good)))
    alike = [(a, b) for b in range(len(drops)) for a in range(b) if drops[a][1] == drops[b][1]]
    others = [tile for tile in TILES if tile != start and table.at(tile, "meeple")]
    elsewhere = person.dice.choice(others) if others else ""
    return Move(
        start,
        tuple(carried),
        tuple(aims),
        len(carried) == 1 and len(table.at(drops[-1][0], "meeple")) == 1,
        tuple(alike),
        _detour(person, start, carried, drops),
        (elsewhere, tuple(table.at(elsewhere, "meeple")) if elsewhere else ()),
    )


def _detour(
    person: Person, start: str, carried: Sequence[str], drops: Sequence[Drop]
) -> tuple[tuple[str, str], ...]:
    """Drops along another way: legal so far, and not all of the hand."""
    tags = person.dice.sample(list(carried), person.dice.randint(0, max(0, min(3, len(carried) - 1))))
    before, here, made = "", start, []
    for tag in tags:
        before, here = here, person.dice.choice([t for t in NEIGHBOURS[here] if t != before])
        made.append((tag, here))
    return tuple(made)


# --- the scoop ----------------------------------------------------------------------------------------------

SCOOPS = ("at_once", "in_two_grabs", "one_by_one")


def scoop(
    table: Pieces, person: Person, last: Drop, landed: Mapping[str, str], scooping: str = "at_once"
) -> list[Motion]:
    """Take up every meeple of the last colour on the last tile. `landed` says where the meeples of the move are then: one
    that is still in the hand belongs to the group."""
    tile, letter = last
    there = [tag for tag in table.at(tile, "meeple", letter) if tag not in landed]
    there += [tag for tag, to in landed.items() if to in (tile, HAND) and table.piece(tag).which == letter]
    # Of two meeples taken up from two tiles nobody can tell which was the mover: a single one is left standing a while.
    first = max(ALONE_MS if len(landed) == 1 else 0, person.between(person.pace.drop))
    size = {"at_once": len(there), "in_two_grabs": -(-len(there) // 2), "one_by_one": 1}[scooping]
    to = kept_at(letter, person.colour)
    return [
        Motion(person.between(person.pace.grab) if at else first, tuple(there[at : at + size]), to)
        for at in range(0, len(there), size)
    ]


# --- styles -------------------------------------------------------------------------------------------------


def _lift(person: Person, carried: Sequence[str], grabs: int = 1) -> list[Motion]:
    tags = list(carried)
    person.dice.shuffle(tags)
    size = -(-len(tags) // grabs)
    pieces = [tuple(tags[at : at + size]) for at in range(0, len(tags), size)]
    return [Motion(person.between(person.pace.grab), piece, HAND) for piece in pieces]


def _drop(person: Person, tag: str, tile: str) -> Motion:
    return Motion(person.between(person.pace.drop), (tag,), tile)


def _drops(person: Person, aims: Sequence[Aim]) -> list[Motion]:
    return [_drop(person, aim.tag, aim.tile) for aim in aims]


def one_by_one(person: Person, move: Move) -> list[Motion]:
    """Lift all, drop one by one."""
    return [*_lift(person, move.carried), *_drops(person, move.aims)]


def several_grabs(person: Person, move: Move) -> list[Motion]:
    """Three are too many for one grab."""
    return [*_lift(person, move.carried, 2), *_drops(person, move.aims)]


def second_grab_later(person: Person, move: Move) -> list[Motion]:
    """The meeple that is dropped last stays on the start tile until it is needed."""
    if len(move.aims) < 2 or move.start in [aim.tile for aim in move.aims]:
        return one_by_one(person, move)
    late = move.aims[-1].tag
    first = _lift(person, [tag for tag in move.carried if tag != late])
    grab = Motion(person.between(person.pace.grab), (late,), HAND)
    return [*first, *_drops(person, move.aims[:-1]), grab, *_drops(person, move.aims[-1:])]


def two_at_once(person: Person, move: Move) -> list[Motion]:
    """Every second meeple falls with the one before."""
    drops = _drops(person, move.aims)
    together = [
        Motion(0 if number % 2 else drop.wait_ms, drop.tags, drop.spot) for number, drop in enumerate(drops)
    ]
    return [*_lift(person, move.carried), *together]


def laid_while_planning(person: Person, move: Move) -> list[Motion]:
    """Meeples lie on their side along the way until the plan is made; then they are stood up in order."""
    return _laid(person, move, move.aims)


def laid_and_stood_in_any_order(person: Person, move: Move) -> list[Motion]:
    """The same, stood up in whatever order the hand comes by."""
    return _laid(person, move, person.dice.sample(move.aims, len(move.aims)))


def _laid(person: Person, move: Move, order: Sequence[Aim]) -> list[Motion]:
    lying = [Motion(person.between(person.pace.drop), (aim.tag,), aim.tile, True) for aim in move.aims]
    wait = person.between(person.pace.hesitate)
    standing = [
        Motion(person.between(person.pace.grab) + (0 if n else wait), (aim.tag,), aim.tile)
        for n, aim in enumerate(order)
    ]
    return [*_lift(person, move.carried), *lying, *standing]


def last_never_put_down(person: Person, move: Move) -> list[Motion]:
    """The last group is scooped with the last meeple still in the hand. Not where two tiles then are empty that held one
    meeple each: nobody could tell which of the two was the mover."""
    if move.either_way:
        return one_by_one(person, move)
    return [*_lift(person, move.carried), *_drops(person, move.aims[:-1])]


def changes_mind(person: Person, move: Move) -> list[Motion]:
    """One meeple is first put down on another tile that looks as good, stands there for a moment and is taken up again."""
    made = _lift(person, move.carried)
    tempted = [number for number, aim in enumerate(move.aims) if aim.as_good]
    at = person.dice.choice(tempted) if tempted else None
    for number, aim in enumerate(move.aims):
        if number == at:
            made.append(_drop(person, aim.tag, person.dice.choice(aim.as_good)))
            made.append(Motion(person.between(person.pace.hesitate), (aim.tag,), HAND))
        made.append(_drop(person, aim.tag, aim.tile))
    return made


def takes_back_a_drop(person: Person, move: Move) -> list[Motion]:
    """A drop is taken back and made again; where two meeples of the hand are alike, with the other one."""
    made = _lift(person, move.carried)
    tags = [aim.tag for aim in move.aims]
    swaps = [pair for pair in move.alike if pair[0] < pair[1]]
    at, other = person.dice.choice(swaps) if swaps else (person.dice.randrange(len(tags)),) * 2
    for number, aim in enumerate(move.aims):
        if number == at:
            made.append(_drop(person, tags[at], aim.tile))
            made.append(Motion(person.between(person.pace.hesitate), (tags[at],), HAND))
            tags[at], tags[other] = tags[other], tags[at]
        made.append(_drop(person, tags[number], aim.tile))
    return made


def goes_another_way_first(person: Person, move: Move) -> list[Motion]:
    """Some drops along another way, all taken up again, last one first; then the move that is meant."""
    there = [_drop(person, tag, tile) for tag, tile in move.detour]
    wait = person.between(person.pace.hesitate)
    back = [
        Motion(person.between(person.pace.grab) + (0 if n else wait), (tag,), HAND)
        for n, (tag, _) in enumerate(reversed(move.detour))
    ]
    return [*_lift(person, move.carried), *there, *back, *_drops(person, move.aims)]


def puts_all_back(person: Person, move: Move) -> list[Motion]:
    """Everything is put back on the start tile, and the same hand begins once more."""
    back = Motion(person.between(person.pace.hesitate), move.carried, move.start)
    think = Motion(person.between(person.pace.think), (), HAND)
    return [*_lift(person, move.carried), back, think, *one_by_one(person, move)]


def begins_elsewhere(person: Person, move: Move) -> list[Motion]:
    """Another tile is lifted first and put back."""
    tile, tags = move.elsewhere
    back = Motion(person.between(person.pace.hesitate), tags, tile)
    think = Motion(person.between(person.pace.hesitate), (), HAND)
    return [*_lift(person, tags), back, think, *one_by_one(person, move)]


Style = Callable[[Person, Move], list[Motion]]
STYLES: dict[str, Style] = {
    style.__name__: style
    for style in (
        one_by_one,
        several_grabs,
        second_grab_later,
        two_at_once,
        laid_while_planning,
        laid_and_stood_in_any_order,
        last_never_put_down,
        changes_mind,
        takes_back_a_drop,
        goes_another_way_first,
        puts_all_back,
        begins_elsewhere,
    )
}
NEAT = ("one_by_one", "several_grabs")
