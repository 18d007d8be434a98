"""From a drop on the virtual table to its reading at the host, air and controller timed: round robin against focus.

A hand walks over a table of 124 tags (tiles, meeples, some camels and palms) and drops one meeple after the other on
neighbouring tiles. The time from each drop to the end of the visit that reads it is what counts; the referee answers a new
presence at once, in a few milliseconds of the host. A drop falls anywhere into the visit under way, and is not read by it.
It is the whole controller every time, with one lane or five; round robin differs in nothing but the order of the visits.
A slip of the hand lands two tiles off: `host's focus` is what the host asks for, the neighbours and then all within a slip.
"""

from __future__ import annotations

import statistics
from collections.abc import Callable, Iterator
from functools import partial
from random import Random
from typing import Any

from naqala_firmware.schedule import Post, Schedule
from naqala_firmware.simulated.table import SimulatedTable
from naqala_protocol import FROM_CONTROLLER, Decoder, Focus, Seen, encode

MOVES, DROPS = 40, 5
GAP_MS = (300, 900)
ROWS, COLUMNS = 5, 6
# With focus on one lane. The goal was 200 and 400; an empty slot of 755 us, which a real chip needs, does not reach it.
MEDIAN_MS, SLOWEST_MS = 225, 500
IDS = 34 + 90


def neighbours(reader: int) -> tuple[int, ...]:
    row, column = divmod(reader, COLUMNS)
    near = ((row - 1, column), (row + 1, column), (row, column - 1), (row, column + 1))
    return tuple(COLUMNS * r + c for r, c in near if 0 <= r < ROWS and 0 <= c < COLUMNS)


def slips(reader: int) -> tuple[int, ...]:
    """The readers two steps away: diagonal, or with one skipped."""
    near = {two for one in neighbours(reader) for two in neighbours(one)}
    return tuple(sorted(near - {reader}))


def ids(dice: Random) -> list[str]:
    return [f"e0040150{number:08x}" for number in dice.sample(range(1 << 32), IDS + MOVES * DROPS)]


class RoundRobin(Schedule):
    """The order to compare with: whoever waited longest, and nobody sooner. The firmware's own but for that."""

    def next(self, now: int) -> Post | None:
        return self._longest(self.posts, False)


class Way:
    """The whole controller with so many lanes; the host's focus is used or not, the schedule the firmware's or plain."""

    def __init__(self, lanes: int, focus: bool = False, plain: bool = False) -> None:
        self.table = SimulatedTable(seed=5, lanes=lanes)
        if plain:
            scan = self.table.controller.scan
            scan.schedule = RoundRobin(scan.posts)
        self._focus_used = focus
        self._decoder = Decoder(FROM_CONTROLLER)
        self._seen: dict[int, tuple[str, ...]] = {}

    @property
    def now(self) -> int:
        return int(self.table.now_us)

    def put(self, tag: str, reader: int) -> None:
        self.table.place(tag, reader)

    def take(self, tag: str) -> None:
        self.table.remove(tag)

    def focus(self, readers: tuple[int, ...]) -> None:
        if self._focus_used:
            self.table.hear(encode(Focus(readers)))

    def visit(self) -> None:
        self.table.step()
        for message in self._decoder.feed(self.table.said()):
            if isinstance(message, Seen):
                self._seen[message.reader] = message.tags

    def reads(self, tag: str, reader: int) -> bool:
        return tag in self._seen.get(reader, ())


def latencies(make: Callable[[], Way], wide: bool = False, slip: bool = False) -> list[float]:
    """Milliseconds from each drop to its reading. `wide`: all within a slip are in focus, too; `slip`: it lands there."""
    dice = Random(11)
    way, tags = make(), ids(dice)
    for number in range(IDS):
        way.put(tags[number], number % 30)
    began = way.now
    while way.now < began + 3_000_000:
        way.visit()
    times = []
    for move in range(MOVES):
        hand = tags[IDS + move * DROPS :][:DROPS]
        here = dice.randrange(30)
        for tag in hand:
            way.focus((*neighbours(here), here, *slips(here)) if wide else neighbours(here))
            onto = dice.choice(slips(here) if slip else neighbours(here))
            times.append(_drop(way, tag, onto, dice))
            here = here if slip else onto  # a slip is put right before the hand goes on
        for tag in hand:
            way.take(tag)
    return times


def _drop(way: Way, tag: str, reader: int, dice: Random) -> float:
    ready = way.now + 1000 * dice.randint(*GAP_MS)
    visit_began = way.now
    while way.now < ready:
        visit_began = way.now
        way.visit()
    dropped = way.now - dice.random() * (way.now - visit_began)
    way.put(tag, reader)
    while not way.reads(tag, reader):
        way.visit()
    return (way.now - dropped) / 1000


LANES = {"one lane": 1, "five lanes": 5}
WAYS: dict[str, Callable[[], Way]] = {
    f"{lanes}, {order}": partial(Way, count, **chosen)
    for lanes, count in LANES.items()
    for order, chosen in (("round robin", {"plain": True}), ("no focus", {}), ("focus", {"focus": True}))
}


def slowest(times: list[float]) -> float:
    """The 95th percentile."""
    return sorted(times)[round(0.95 * len(times)) - 1]


def rows() -> Iterator[dict[str, Any]]:
    measured = {name: latencies(make) for name, make in WAYS.items()}
    for name, times in measured.items():
        goals = (MEDIAN_MS, SLOWEST_MS) if name == "one lane, focus" else (None, None)
        found = (("median", statistics.median(times)), ("95th percentile", slowest(times)))
        for (what, value), goal in zip(found, goals, strict=True):
            yield {
                "name": f"drop to reading: {name}, {what}",
                "value": value,
                "unit": "ms",
                "spread": statistics.stdev(times) if what == "median" else None,
                "note": f"{len(times)} drops" + (f"; goal {goal}" if goal else ""),
            }
    for what, slip in (("a step", False), ("a slip", True)):
        times = latencies(WAYS["one lane, focus"], wide=True, slip=slip)
        for name, value in (("median", statistics.median(times)), ("95th percentile", slowest(times))):
            yield {
                "name": f"drop to reading: one lane, host's focus, {what}, {name}",
                "value": value,
                "unit": "ms",
                "spread": statistics.stdev(times) if name == "median" else None,
                "note": f"{len(times)} drops",
            }
    for lanes in LANES:
        plain, focused = measured[f"{lanes}, round robin"], measured[f"{lanes}, focus"]
        for what, of in (("median", statistics.median), ("95th percentile", slowest)):
            yield {
                "name": f"drop to reading: round robin against focus, {lanes}, {what}",
                "value": of(plain) / of(focused),
                "unit": "ratio",
                "spread": None,
                "note": "above 1 the focus is sooner",
            }
