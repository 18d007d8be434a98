"""The difference between game and table, seen as a hand that took up one tile.

In: a `Scene`, what the game says stands on the 30 tiles and what is seen there, with the moments at which meeples arrived.
Out: one `Guess` per tile that lost a meeple: "if this is the start tile, then this was in the hand, this was dropped,
this is still missing". Whether such a guess is legal is not asked here. Meeples of one colour are alike, so everything is
counted by colour; the tags only tell in which order they came.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field, replace
from typing import NamedTuple

from naqala.rules.board import NUMBER, TILES
from naqala.table import timing
from naqala.table.pieces import MEEPLE
from naqala.table.search import Drop
from naqala.table.sight import Place, Table

# Number of the line, milliseconds: the number decides the order, for a line that was lost comes late but with its number.
Moment = tuple[int, int]
UNKNOWN: Moment = (-1, -1)  # nobody saw it arrive
LAST: Moment = (1 << 40, 1 << 40)  # after all others: the scoop says so


class Arrival(NamedTuple):
    """One meeple that is where it was not before."""

    moment: Moment
    drop: Drop


@dataclass(frozen=True, slots=True)
class Scene:
    """Game and table, reduced to meeples, and what is remembered of the way from one to the other.

    `arrived` are the moments at which meeples now standing there came; `vanished` the same of those that are gone again;
    `lifted` is when a tile first had less than the game says; of `silent` tiles nobody can tell what lies there, tiles that
    are `unread` have no reader at all. `doubtful` drops may be misreadings: their tags were not on the board before, or stood
    on a silent tile, from where a neighbouring reader may pick them up, or their readers see them no more: these are
    `fading`. `strayed` are drops whose tags stood on that other tile before, so that they came from no other start tile. Of two
    tiles `lifted` within `soon` nobody can tell which was first.
    """

    before: tuple[str, ...]
    after: tuple[str, ...]
    arrived: Mapping[Drop, tuple[Moment, ...]] = field(default_factory=dict)
    vanished: Mapping[Drop, tuple[Moment, ...]] = field(default_factory=dict)
    lifted: Mapping[int, int] = field(default_factory=dict)
    silent: frozenset[int] = frozenset()
    unread: frozenset[int] = frozenset()
    doubtful: frozenset[Drop] = frozenset()
    fading: frozenset[Drop] = frozenset()
    strayed: frozenset[tuple[int, Drop]] = frozenset()
    soon: int = timing.SOON

    def taken_up(self, start: int) -> dict[Drop, int]:
        """Meeples put down since the beginning that are gone again, or others of their colour in their stead."""
        found = {}
        for drop in {*self.arrived, *self.vanished}:
            tile, letter = drop
            count = len(self.vanished.get(drop, ()))
            if tile != start:
                more = self.after[tile].count(letter) - self.before[tile].count(letter)
                count += len(self.arrived.get(drop, ())) - max(0, more)
            if count > 0:
                found[drop] = count
        return found

    def unsure(self, start: int) -> set[Drop]:
        """Drops that may be over in a moment: read no more, or of a tag that was never on the start tile."""
        return {*self.fading, *(drop for home, drop in self.strayed if home != start)}

    def latest(self, drop: Drop) -> Moment:
        """When a meeple of that colour last came to that tile."""
        return max((*self.arrived.get(drop, ()), *self.vanished.get(drop, ())), default=UNKNOWN)

    @property
    def minus(self) -> dict[int, Counter[str]]:
        """Per tile what the game says and nobody sees."""
        return _less(self.before, self.after)

    @property
    def plus(self) -> dict[int, Counter[str]]:
        """Per tile what is seen and the game does not know."""
        return _less(self.after, self.before)


def _less(more: tuple[str, ...], less: tuple[str, ...]) -> dict[int, Counter[str]]:
    found = {}
    for tile, (one, other) in enumerate(zip(more, less, strict=True)):
        if one != other:
            rest = Counter(one) - Counter(other)
            if rest:
                found[tile] = rest
    return found


@dataclass(frozen=True, slots=True)
class Guess:
    """If `start` is the start tile. `dropped` are all meeples found where the game has none of them, in the order seen;
    `returned` those that came back to the start tile, `untouched` those that never left it or were put back before the
    first drop; `missing` is what the hand still holds or what was scooped; `foreign` are dropped meeples the start tile
    never held; `gone` is what other tiles have lost."""

    start: int
    hand: str
    dropped: tuple[Arrival, ...]
    returned: tuple[Arrival, ...]
    untouched: str
    missing: str
    foreign: str
    gone: Mapping[int, Counter[str]]

    @property
    def seen(self) -> tuple[Arrival, ...]:
        """All drops that were seen, the earliest first."""
        return tuple(sorted((*self.dropped, *self.returned)))

    @property
    def drops(self) -> tuple[Drop, ...]:
        return tuple(arrival.drop for arrival in self.seen)

    @property
    def lost_elsewhere(self) -> int:
        return sum(sum(lost.values()) for lost in self.gone.values())

    @property
    def unexplained(self) -> int:
        """What this guess does not account for: foreign meeples, and other tiles that lost something else than those or than
        a group of the one colour that is missing."""
        foreign, scooped = Counter(self.foreign), set(self.missing)
        return len(self.foreign) + sum(
            1
            for lost in self.gone.values()
            if lost - foreign and not (set(lost) == scooped and len(scooped) == 1)
        )


def guesses(scene: Scene) -> list[Guess]:
    """One guess per tile that lost a meeple, the most plausible first: it explains most, is empty, was lifted first."""
    minus, plus = scene.minus, scene.plus
    starts = [*minus, *(tile for tile in scene.silent if scene.before[tile] and tile not in minus)]
    found = [_guess(scene, start, minus, plus) for start in starts]
    found.sort(key=lambda guess: _implausible(scene, guess))
    return found


def _implausible(scene: Scene, guess: Guess) -> tuple[int, bool, bool, int, int]:
    moved = len(guess.hand) - len(guess.untouched)
    unseen = guess.start in scene.silent
    return guess.unexplained, unseen, bool(guess.untouched), scene.lifted.get(guess.start, 0), -moved


def _guess(
    scene: Scene, start: int, minus: Mapping[int, Counter[str]], plus: Mapping[int, Counter[str]]
) -> Guess:
    hand = Counter(scene.before[start])
    dropped: list[Arrival] = []
    for tile, letters in plus.items():
        for letter, count in letters.items():
            dropped += _arrivals(scene, (tile, letter), count)
    letters = Counter(arrival.drop[1] for arrival in dropped)
    # Nobody sees what is left on a silent tile: if it is the start, all of it was taken up.
    left = Counter[str]() if start in scene.silent else Counter(scene.after[start]) & hand
    returned: list[Arrival] = []
    # While nothing lies elsewhere, what came back to the start tile was put back: no drop yet.
    for letter, count in left.items() if dropped else ():
        came_back = min(count, len(scene.arrived.get((start, letter), ())))
        returned += _arrivals(scene, (start, letter), came_back)
    untouched = left - Counter(arrival.drop[1] for arrival in returned)
    return Guess(
        start=start,
        hand=scene.before[start],
        dropped=tuple(dropped),
        returned=tuple(returned),
        untouched="".join(sorted(untouched.elements())),
        missing="".join(sorted((hand - left - letters).elements())),
        foreign="".join(sorted((letters - (hand - left)).elements())),
        gone={tile: lost for tile, lost in minus.items() if tile != start},
    )


def _arrivals(scene: Scene, drop: Drop, count: int) -> list[Arrival]:
    """The latest moments at which so many came there; UNKNOWN for those nobody saw coming."""
    moments = scene.arrived.get(drop, ())[-count:] if count else ()
    return [Arrival(moment, drop) for moment in (*([UNKNOWN] * (count - len(moments))), *moments)]


def scooped_tiles(scene: Scene, guess: Guess, colour: str) -> list[int]:
    """Tiles from which meeples of that colour are gone: those that lay there, or two that were dropped there."""
    found = [tile for tile, lost in guess.gone.items() if lost[colour]]
    taken_up = {tile: n for (tile, letter), n in scene.taken_up(guess.start).items() if letter == colour}
    for tile, count in taken_up.items():
        lay_there = tile != guess.start and colour in scene.before[tile]
        if not lay_there and colour not in scene.after[tile] and tile not in found:
            elsewhere = sum(taken_up.values()) - count  # those are in the hand again
            found += [tile] if count > 1 or len(guess.missing) - elsewhere > 1 else []
    return found


def taken_from(scene: Scene, guess: Guess, last: Drop) -> Guess:
    """The guess with all that is missing put back where it was taken up: as it was seen to come there, what nobody saw come,
    and one at least, after all others."""
    count = len(guess.missing)
    moments = [*scene.vanished.get(last, ())[-count:]]
    moments += [LAST] * (count - len(moments))
    if any(arrival.moment > moments[-1] for arrival in guess.seen):
        moments[-1] = LAST
    dropped = (*guess.dropped, *(Arrival(moment, last) for moment in moments))
    return replace(guess, dropped=dropped, missing="")


def together(arrivals: tuple[Arrival, ...]) -> list[list[Drop]]:
    """The drops in groups: within a group nobody knows which came first."""
    groups: list[list[Drop]] = []
    last = None
    for arrival in arrivals:
        if last is None or abs(arrival.moment[1] - last) > timing.TOGETHER:
            groups.append([])
        groups[-1].append(arrival.drop)
        last = arrival.moment[1]
    return groups


# --- from tags to a scene -----------------------------------------------------------------------------------


def scene(
    before: tuple[str, ...],
    after: tuple[str, ...],
    table: Table,
    at: int,
    homes: Mapping[str, Place],
    lifted: Mapping[int, int],
    instead: Mapping[str, str] | None = None,
    told: Iterable[str] = (),
) -> Scene:
    """The scene of a table. `homes` is where each tag was when table and game last agreed; of `told` tiles people have said
    what lies there, so that they are not silent."""
    arrived: dict[Drop, list[Moment]] = {}
    vanished: dict[Drop, list[Moment]] = {}
    doubtful: set[Drop] = set()
    fading: set[Drop] = set()
    strayed: set[tuple[int, Drop]] = set()
    unread = frozenset(TILES) - frozenset(table.readers.values())
    silent = (table.silent | table.partial) - unread - frozenset(told)
    for tag, place in table.places.items():
        known = table.tags[tag]
        if known.kind != MEEPLE:
            continue
        home = homes.get(tag)
        tile = instead.get(tag, place.tile) if instead else place.tile
        if home is not None and home.tile == tile and home.seq == place.seq:
            continue
        drop = (NUMBER[tile], known.which)
        if place.there(at):
            moment = (place.seq, place.at) if tile == place.tile else table.sightings[tag][tile]
            arrived.setdefault(drop, []).append(moment)
            if place.lost is not None:
                fading.add(drop)
            if home is None or home.tile in silent:
                doubtful.add(drop)
            else:
                strayed.add((NUMBER[home.tile], drop))
        elif home is None or home.tile not in silent or not _brief(place):
            vanished.setdefault(drop, []).append((place.seq, place.at))
    hidden, absent = (frozenset(NUMBER[tile] for tile in tiles) for tiles in (silent, unread))
    return Scene(
        before,
        after,
        _sorted(arrived),
        _sorted(vanished),
        lifted,
        hidden,
        absent,
        frozenset(doubtful | fading),
        frozenset(fading),
        frozenset(strayed),
        max(timing.SOON, timing.LOOKS * table.sweep),
    )


def _brief(place: Place) -> bool:
    """Read for a moment only: from a silent tile that is a neighbour's reader picking it up where it stands."""
    return place.lost is not None and place.lost - place.at < timing.REAPPEARS


def _sorted(moments: dict[Drop, list[Moment]]) -> dict[Drop, tuple[Moment, ...]]:
    return {drop: tuple(sorted(found)) for drop, found in moments.items()}


def still_lifted(scene: Scene, known: Mapping[int, int], at: int) -> dict[int, int]:
    """Since when each tile has had less than the game says."""
    return {tile: known.get(tile, at) for tile in scene.minus}
