"""How bad readers and wire are, as named levels, and what goes wrong in one evening of such a table.

Where the numbers come from. Nobody has built the table yet, so they are not measured; they are what public reports and the
field calculation make plausible, one step worse from level to level.
- Missed reads: figures for several ISO 15693 tags in one well tuned field are well below one in a hundred; a tag near the
  coil's edge (the vertical field is zero over the conductor) or two tags that touch are missed far more often. So each
  level has a rate for all, and some weak readers with ten times that.
- Leaks: at 75 mm pitch the neighbour's field is nine times weaker than the weakest own spot, at 65 mm four times. A tag of
  the sensitive kind, put down near the edge, is then read by two readers until somebody moves it or it tips: seconds.
- Ghosts: the bag, the supply and the players' own piles lie beside the board, and hands with pieces pass over edge tiles.
- Bumped stacks: a sleeve tips over what stands beside the way of the hand; a tipped base cannot be read; people stand the
  pieces up again within some seconds. That is the people's doing: also a good table has it.
- Lines: USB hardly ever loses one, a busy MQTT broker or a full buffer does; the link asks again, so a lost line comes
  some hundred milliseconds to seconds later, with its old number.
Rates are for the whole table and a minute unless the name says otherwise.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from random import Random

from naqala.hands.table import HAND, Change
from naqala.rules.board import COLUMNS, NEIGHBOURS, NUMBER, ROWS, SURROUNDINGS, TILES
from naqala.transcript import Piece

MINUTE_MS = 60_000
BY_HANDS = 0.7  # of what leaks or tips over does so when a hand has just been there


@dataclass(frozen=True, slots=True)
class Level:
    """One level of noise. `neat_hands`: no second thoughts, no lost order."""

    name: str
    neat_hands: bool = False
    missed: float = 0.002  # chance that a tag that is there does not answer, in one look
    weak_readers: int = 0  # so many readers miss ten times as often
    leaks: float = 0.0
    ghosts: float = 0.0
    bumps: float = 0.0
    hovers: float = 0.0  # a hand with a piece passes so low over a tile that it is read
    stuck: float = 0.0  # a reader repeats its last answer for a while
    dead_per_evening: float = 0.0
    reboots_per_evening: float = 0.0
    lost: float = 0.0  # chance of a line
    repeated: float = 0.0


LEVELS: dict[str, Level] = {
    level.name: level
    for level in (
        Level("neat", neat_hands=True),
        Level("human", missed=0.003, leaks=0.1, ghosts=0.05, bumps=0.5, lost=0.002, repeated=0.005),
        Level("moderate", False, 0.01, 1, 0.6, 0.4, 0.8, 0.2, 0.3, 0.3, 0.15, 0.01, 0.02),
        Level("many", False, 0.02, 2, 3.0, 2.5, 1.0, 0.6, 0.6, 0.6, 0.4, 0.02, 0.03),
    )
}

LEAK, GHOST, HOVER, BUMP, STUCK, DEAD, REBOOT = "leak", "ghost", "hover", "bump", "stuck", "dead", "reboot"


@dataclass(frozen=True, slots=True)
class Disturbance:
    """Something that goes wrong for a while: a reader reads tags that are not there (leak, ghost, hover) or does not read tags that
    are (bump), repeats itself (stuck) or says nothing (dead); or the controller starts again (reboot)."""

    kind: str
    since_ms: int
    until_ms: int
    tile: str = ""
    tags: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class Places:
    """Where every tag could be read, at any time of an evening."""

    first: Mapping[str, Change]
    changes: Sequence[Change]

    def at(self, at_ms: int) -> dict[str, Change]:
        now = dict(self.first)
        for change in self.changes:
            if change.at_ms > at_ms:
                break
            now[change.tag] = change
        return now

    def leaves(self, tag: str, after_ms: int) -> int | None:
        """When a tag is next moved."""
        return next((c.at_ms for c in self.changes if c.tag == tag and c.at_ms > after_ms), None)


def disturbances(
    level: Level, places: Places, pieces: Mapping[str, Piece], first_ms: int, end_ms: int, dice: Random
) -> list[Disturbance]:
    """What goes wrong between two moments. The same dice give the same troubles."""
    found: list[Disturbance] = []
    for rate, make in (
        (level.leaks, _leak),
        (level.ghosts, _ghost),
        (level.hovers, _hover),
        (level.bumps, _bump),
        (level.stuck, _stuck),
    ):
        for at in _moments(rate / MINUTE_MS, first_ms, end_ms, dice):
            if make in (_leak, _hover, _bump) and places.changes and dice.random() < BY_HANDS:
                at = dice.choice(places.changes).at_ms + dice.randint(0, 500)
            made = make(at, places, pieces, dice)
            found += [made] if made else []
    span = max(1, end_ms - first_ms)
    for at in _moments(level.dead_per_evening / span, first_ms, end_ms, dice):
        found.append(Disturbance(DEAD, at, at + dice.randint(4_000, 40_000), dice.choice(TILES)))
    for at in _moments(level.reboots_per_evening / span, first_ms, end_ms, dice):
        found.append(Disturbance(REBOOT, at, at + dice.randint(1_500, 3_500)))
    return sorted(found, key=lambda one: one.since_ms)


def _moments(rate: float, first_ms: int, end_ms: int, dice: Random) -> Iterator[int]:
    at = float(first_ms)
    while rate and (at := at + dice.expovariate(rate)) < end_ms:
        yield round(at)


def _last_change(places: Places, at: int) -> Change | None:
    return next((change for change in reversed(places.changes) if change.at_ms <= at), None)


def _leak(at: int, places: Places, pieces: Mapping[str, Piece], dice: Random) -> Disturbance | None:
    """The piece that was just put down, if one was: near the edge of its tile it is read from the first moment on."""
    now = places.at(at)
    standing = [tag for tag, last in now.items() if last.tile and pieces[tag].kind != "tile"]
    change = _last_change(places, at)
    recent = change is not None and change.tile is not None and at - change.at_ms < 1_000
    tag = change.tag if recent and change else dice.choice(standing)
    home = now[tag].tile
    if home is None:
        return None
    tile = dice.choice(NEIGHBOURS[home])
    until = at + dice.randint(300, 4_000)
    moved = places.leaves(tag, at)
    if moved is not None:  # it may be read there while the hand takes it away, but not for long
        until = min(until, moved + dice.randint(0, 1_500))
    return Disturbance(LEAK, at, until, tile, (tag,))


EDGE = tuple(tile for tile in TILES if tile[0] in (COLUMNS[0], COLUMNS[-1]) or tile[1] in (ROWS[0], ROWS[-1]))


def _ghost(at: int, places: Places, pieces: Mapping[str, Piece], dice: Random) -> Disturbance | None:
    """A piece beside the board: one that was just taken up, or any."""
    now = places.at(at)
    off = [tag for tag, last in now.items() if last.spot not in NUMBER and last.spot != HAND]
    recent = [tag for tag in off if at - 20_000 < now[tag].at_ms]
    if not off:
        return None
    tag = dice.choice(recent if recent and dice.random() < 0.5 else off)
    tile = dice.choice(EDGE if dice.random() < 0.8 else TILES)
    until = at + dice.randint(1_000, 4_000)
    moved = places.leaves(tag, at)
    return Disturbance(GHOST, at, min(until, moved) if moved is not None else until, tile, (tag,))


def _hover(at: int, places: Places, pieces: Mapping[str, Piece], dice: Random) -> Disturbance | None:
    """A piece in the hand is read by a tile near the last one for a moment."""
    now, change = places.at(at), _last_change(places, at)
    held = [tag for tag, last in now.items() if last.spot == HAND]
    if not held or change is None:
        return None
    near = change.tile or dice.choice(TILES)
    return Disturbance(HOVER, at, at + dice.randint(80, 400), dice.choice(SURROUNDINGS[near]), (held[0],))


def _bump(at: int, places: Places, pieces: Mapping[str, Piece], dice: Random) -> Disturbance | None:
    """What stands beside the way of the hand tips over: one piece, or all of them."""
    change = _last_change(places, at)
    if change is None:
        return None
    near = change.tile or dice.choice(TILES)
    now = places.at(at)
    tile = dice.choice(SURROUNDINGS[near])
    there = [tag for tag, last in now.items() if last.tile == tile and pieces[tag].kind != "tile"]
    if not there:
        return None
    tags = there if dice.random() < 0.5 else dice.sample(there, 1)
    return Disturbance(BUMP, at, at + dice.randint(500, 4_000), tile, tuple(tags))


def _stuck(at: int, places: Places, pieces: Mapping[str, Piece], dice: Random) -> Disturbance | None:
    change = _last_change(places, at)
    near = change.tile if change and change.tile else dice.choice(TILES)
    return Disturbance(STUCK, at, at + dice.randint(500, 2_000), dice.choice((near, *NEIGHBOURS[near])))
