"""Thirty readers look at a table: motions in, lines of the wire out, as a transcript has them.

A reader is visited once a sweep; while something moves, the readers round it are visited far more often (the host's focus),
and all others more seldom. A tag that answers is believed at once; a tag is given up after k looks in a row without it,
where k is the smallest number that makes a false absence rarer than one in 100 million. Every change of what a reader
believes is one `seen` line with the next number. A line may be lost and sent again later, or arrive twice.

`looked` (switchable: an old controller does not say it) names, at most ten times a second while anything is in focus, the
readers that were asked since the last such line, answered, and still hold what was last said of them, each as often as it
was asked. A reader with a tag in doubt is not named.
"""

from __future__ import annotations

import heapq
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from math import ceil, log
from random import Random
from typing import NamedTuple

from naqala.hands.noise import BUMP, DEAD, GHOST, HOVER, LEAK, REBOOT, STUCK, Disturbance, Level
from naqala.hands.table import FRAME, Change
from naqala.rules.board import NEIGHBOURS

FALSE_ABSENCE = 1e-8
MOST_MISSES = 8
VISIT_MS = 35  # one inventory of a tile with a few tags, MicroPython included
FOCUS_LASTS_MS = 4_000  # after a change
LOOKED_MS = 100
ALIVE_MS = 1_000
WIRE_MS = 5


class Line(NamedTuple):
    """A line of the wire, without its checksum, when it arrives."""

    at_ms: int
    text: str


@dataclass(frozen=True, slots=True)
class Lanes:
    """How fast a table looks: readers on air at once, the milliseconds of a sweep, how much longer it takes for readers that
    are not in focus while others are, and how many of those in focus are looked at in the time of one."""

    count: int
    sweep_ms: int
    slower_in_focus: float
    together: float


# Chosen so that a drop in focus is read after 0.2 s (95 % within 0.4 s with five lanes, 1 s with one, slips included) and a
# lift is told after 0.4 or 0.7 s: what the firmware does with simulated chips (BENCHMARKS.md, latency and scan).
LANES = (Lanes(5, 520, 1.6, 1.4), Lanes(1, 1_100, 1.8, 1.0))


@dataclass
class _Reader:
    number: int
    tile: str
    missed: float
    believed: dict[str, int] = field(default_factory=dict)  # tag -> looks in a row without it
    spoken: bool = False
    dead: bool = False
    stuck: bool = False
    hot_until: int = 0
    turn: int = 0  # which entry of the queue is the valid one
    confirmed: int = 0  # looks since the last line that confirmed what was said
    reads: int = 0
    misses: int = 0
    visited: int = 0

    @property
    def patience(self) -> int:
        return max(2, min(MOST_MISSES, ceil(log(FALSE_ABSENCE) / log(max(self.missed, 1e-6)))))

    @property
    def in_doubt(self) -> bool:
        return any(self.believed.values())


class Readers:
    """One evening before the readers."""

    def __init__(self, level: Level, lanes: Lanes, looked: bool, dice: Random) -> None:
        self.level, self.lanes, self.dice, self.says_looked = level, lanes, dice, looked
        weak = dice.sample(sorted(FRAME), level.weak_readers)
        self.readers = {
            number: _Reader(number, tile, min(0.5, level.missed * (10 if number in weak else 1)))
            for number, tile in FRAME.items()
        }
        self.of_tile = {reader.tile: reader for reader in self.readers.values()}
        self.lines: list[Line] = []
        self.there: dict[str, set[str]] = {tile: set() for tile in NEIGHBOURS}
        self.extra: dict[str, set[str]] = {tile: set() for tile in NEIGHBOURS}
        self.hidden: dict[str, set[str]] = {tile: set() for tile in NEIGHBOURS}
        self.seq, self.boot, self.silent_until, self.heard_from = 0, dice.randrange(1, 1 << 16), 0, 0
        self.booted = 0
        self._queue: list[tuple[int, int, int]] = []

    def watch(
        self,
        first: Mapping[str, Change],
        changes: Sequence[Change],
        troubles: Iterable[Disturbance],
        end_ms: int,
    ) -> list[Line]:
        """All lines from the start of the controller to the end, in the order of their arrival."""
        place = {tag: last.tile for tag, last in first.items()}
        for tag, tile in place.items():
            if tile:
                self.there[tile].add(tag)
        events: list[tuple[int, int, int, Change | Disturbance]] = []
        for number, change in enumerate(changes):
            events.append((change.at_ms, 1, number, change))
        for number, trouble in enumerate(troubles):
            events.append((trouble.since_ms, 0, number, trouble))
            events.append((trouble.until_ms, 2, number, trouble))
        events.sort(key=lambda event: event[:3])
        self._hello(0)
        for reader in self.readers.values():
            self._visit_at(reader, self.dice.randint(0, self.lanes.sweep_ms))
        step, beat, next_looked = 0, ALIVE_MS, LOOKED_MS
        while self._queue:
            at, turn, number = heapq.heappop(self._queue)
            if at > end_ms:
                break
            reader = self.readers[number]
            if turn != reader.turn:
                continue
            while step < len(events) and events[step][0] <= at:
                _, order, _, event = events[step]
                if isinstance(event, Change):
                    self._move(place, event)
                else:
                    self._trouble(event, begins=order == 0)
                step += 1
            while beat <= at:
                self._alive(beat)
                beat += ALIVE_MS
            if self.says_looked and next_looked <= at:
                self._looked(at)
                next_looked = at + LOOKED_MS
            self._look(reader, at)
            self._visit_at(reader, at + self._interval(reader, at))
        self.lines.sort(key=lambda line: line.at_ms)
        return self.lines

    # --- what happens -----------------------------------------------------------------------------------------

    def _move(self, place: dict[str, str | None], change: Change) -> None:
        old = place[change.tag]
        if old:
            self.there[old].discard(change.tag)
            self.hidden[old].discard(change.tag)
        if change.tile:
            self.there[change.tile].add(change.tag)
        place[change.tag] = change.tile

    def _trouble(self, trouble: Disturbance, begins: bool) -> None:
        if trouble.kind in (LEAK, GHOST, HOVER, BUMP):
            where = (self.hidden if trouble.kind == BUMP else self.extra)[trouble.tile]
            (where.update if begins else where.difference_update)(trouble.tags)
        elif trouble.kind == STUCK:
            self.of_tile[trouble.tile].stuck = begins
        elif trouble.kind == DEAD:
            self._dead(self.of_tile[trouble.tile], begins, trouble.since_ms if begins else trouble.until_ms)
        elif trouble.kind == REBOOT and begins:
            self._reboot(trouble)

    def _dead(self, reader: _Reader, begins: bool, at: int) -> None:
        reader.dead = begins
        if at >= self.silent_until:
            self._numbered(at, f"fault {{seq}} {reader.number} {'silent' if begins else 'ok'}")
        reader.spoken = begins  # when it works again it says what it sees
        reader.believed.clear()
        reader.confirmed = 0

    def _reboot(self, trouble: Disturbance) -> None:
        """Everything that was not sent is lost with the numbers; the new start says hello and everything afresh."""
        self.lines = [line for line in self.lines if line.at_ms <= trouble.since_ms]
        self.silent_until = self.booted = trouble.until_ms
        self.seq = 0
        self.boot += 1
        self._hello(trouble.until_ms)
        for reader in self.readers.values():
            reader.believed, reader.spoken, reader.confirmed = {}, False, 0
            reader.hot_until = 0
            reader.reads = reader.misses = 0
            if reader.dead:
                self._numbered(trouble.until_ms, f"fault {{seq}} {reader.number} silent")
                reader.spoken = True

    # --- looking ----------------------------------------------------------------------------------------------

    def _visit_at(self, reader: _Reader, at: int) -> None:
        reader.turn += 1
        heapq.heappush(self._queue, (max(at, self.silent_until), reader.turn, reader.number))

    def _interval(self, reader: _Reader, at: int) -> int:
        """Until the next look: readers in focus or in doubt share the lanes, the others wait for the sweep."""
        hot = sum(1 for one in self.readers.values() if one.hot_until > at)
        if reader.hot_until > at or reader.in_doubt:
            wait = max(60.0, VISIT_MS * (hot + 1) / self.lanes.together)
        else:
            wait = self.lanes.sweep_ms * (self.lanes.slower_in_focus if hot else 1.0)
        return round(wait * self.dice.uniform(0.8, 1.25))

    def _look(self, reader: _Reader, at: int) -> None:
        if at < self.silent_until or reader.dead:
            return
        reader.visited = at
        if reader.stuck and reader.spoken:
            return
        dice, tile = self.dice, reader.tile
        present = (self.there[tile] - self.hidden[tile]) | self.extra[tile]
        read = {tag for tag in sorted(present) if dice.random() >= reader.missed}
        reader.reads += 1
        reader.misses += len(present) - len(read)
        if not self._settle(reader, read) and reader.spoken:
            reader.confirmed = 0 if reader.in_doubt else reader.confirmed + 1
            return
        first = not reader.spoken
        reader.spoken, reader.confirmed = True, 0
        self._numbered(at, f"seen {{seq}} {reader.number} {','.join(sorted(reader.believed)) or '-'}")
        if not first:
            for tile in (reader.tile, *NEIGHBOURS[reader.tile]):
                self._heat(self.of_tile[tile], at)

    def _heat(self, reader: _Reader, at: int) -> None:
        cold = reader.hot_until <= at
        reader.hot_until = at + FOCUS_LASTS_MS
        if cold:
            self._visit_at(reader, at + self.dice.randint(20, 160))

    @staticmethod
    def _settle(reader: _Reader, read: set[str]) -> bool:
        changed = False
        for tag in read:
            changed = changed or tag not in reader.believed
            reader.believed[tag] = 0
        for tag in [tag for tag in reader.believed if tag not in read]:
            reader.believed[tag] += 1
            if reader.believed[tag] >= reader.patience:
                del reader.believed[tag]
                changed = True
        return changed

    # --- saying -----------------------------------------------------------------------------------------------

    def _hello(self, at: int) -> None:
        abilities = "pn5180,usb,looked" if self.says_looked else "pn5180,usb"
        self.lines.append(Line(at, f"hello 1 oak {len(FRAME)} 0 {self.boot} naqala-1a2b3c4d {abilities}"))

    def _numbered(self, at: int, text: str) -> None:
        """A line that takes a number. A lost one is asked for and comes later; now and then one comes twice."""
        self.seq += 1
        dice, line = self.dice, text.format(seq=self.seq)
        arrives = at + WIRE_MS
        if at > self.booted + 2_000 and dice.random() < self.level.lost:
            arrives = at + dice.randint(200, 1_500)
        self.lines.append(Line(arrives, line))
        if dice.random() < self.level.repeated:
            self.lines.append(Line(arrives + dice.randint(10, 2_000), line))

    def _alive(self, at: int) -> None:
        if at < self.silent_until:
            return
        seconds = (at - self.booted) // 1000
        self.lines.append(Line(at + WIRE_MS, f"alive {self.seq} {seconds} {self.lanes.sweep_ms} 98304"))
        for number in range(3):
            reader = self.readers[(seconds * 3 + number) % len(self.readers)]
            ago = at - reader.visited
            self.lines.append(
                Line(
                    at + WIRE_MS,
                    f"stats {reader.number} {reader.reads} {reader.misses} {VISIT_MS} {max(0, ago)}",
                )
            )

    def _looked(self, at: int) -> None:
        if at < self.silent_until:
            return
        named: list[str] = []
        for reader in self.readers.values():
            named += [str(reader.number)] * reader.confirmed
            reader.confirmed = 0
        in_focus = any(reader.hot_until > at for reader in self.readers.values())
        if named and in_focus:  # looks from before anybody was interested are old news
            self.lines.append(Line(at + WIRE_MS, f"looked {self.seq} {','.join(named[:64])}"))
