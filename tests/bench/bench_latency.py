"""From a drop on the virtual table to its reading at the host, air and controller timed: round robin against focus.

A hand walks over a table of 124 tags (tiles, meeples, some camels and palms) and drops one meeple after the other on
neighbouring tiles. The time from each drop to the end of the visit that reads it is what counts; the referee answers a new
presence at once, in a few milliseconds of the host. A drop falls anywhere into the visit under way, and is not read by it.
"""

from __future__ import annotations

import statistics
from collections.abc import Callable, Iterator
from random import Random
from typing import Any

from naqala_firmware.lanes import Lanes, columns
from naqala_firmware.pn5180 import Lane
from naqala_firmware.simulated.bench import Bench
from naqala_firmware.simulated.field import Tag
from naqala_firmware.simulated.table import SimulatedTable
from naqala_firmware.simulated.wiring import CONTROLLER
from naqala_protocol import FROM_CONTROLLER, Decoder, Focus, Seen, encode

MOVES, DROPS = 40, 5
GAP_MS = (300, 900)
ROWS, COLUMNS = 5, 6
MEDIAN_MS, SLOWEST_MS = 200, 400  # the goal, with focus on one lane
AMPLE_US = 600_000
IDS = 34 + 90


def neighbours(reader: int) -> tuple[int, ...]:
    row, column = divmod(reader, COLUMNS)
    near = ((row - 1, column), (row + 1, column), (row, column - 1), (row, column + 1))
    return tuple(COLUMNS * r + c for r, c in near if 0 <= r < ROWS and 0 <= c < COLUMNS)


def ids(dice: Random) -> list[str]:
    return [f"e0040150{number:08x}" for number in dice.sample(range(1 << 32), IDS + MOVES * DROPS)]


class Firmware:
    """The whole controller, one lane; the host's focus is used or not."""

    def __init__(self, focus: bool) -> None:
        self.table = SimulatedTable(seed=5)
        self.focus_used = focus
        self.decoder = Decoder(FROM_CONTROLLER)
        self.seen: dict[int, tuple[str, ...]] = {}

    @property
    def now(self) -> int:
        return int(self.table.now_us)

    def put(self, tag: str, reader: int) -> None:
        self.table.place(tag, reader)

    def take(self, tag: str) -> None:
        self.table.remove(tag)

    def focus(self, readers: tuple[int, ...]) -> None:
        if self.focus_used:
            self.table.hear(encode(Focus(readers)))

    def visit(self) -> None:
        self.table.step()
        for message in self.decoder.feed(self.table.said()):
            if isinstance(message, Seen):
                self.seen[message.reader] = message.tags

    def reads(self, tag: str, reader: int) -> bool:
        return tag in self.seen.get(reader, ())


class Bare:
    """Readers asked in a plain order, one or five at a time, with or without turns for the focus in between."""

    def __init__(self, lanes: int, focus: bool) -> None:
        self.bench = Bench(cost=CONTROLLER, seed=5)
        self.lanes = Lanes(Lane(self.bench.wiring.spi, self.bench.clock), 5) if lanes > 1 else None
        self.focus_used = focus
        self.tags: dict[str, Tag] = {}
        self.seen: dict[int, tuple[str, ...]] = {}
        self.hot: list[list[int]] = []
        self.turn = self.round = 0

    @property
    def now(self) -> int:
        return int(self.bench.clock.now)

    def put(self, tag: str, reader: int) -> None:
        self.bench.coils.put(self.tags.setdefault(tag, Tag(tag)), reader)

    def take(self, tag: str) -> None:
        self.bench.coils.take(self.tags[tag])

    def focus(self, readers: tuple[int, ...]) -> None:
        """Tiles above and below can be asked together; those left and right are too near to be on air with them."""
        if not self.focus_used:
            return
        upright = [reader for reader in readers if reader % COLUMNS == readers[0] % COLUMNS]
        self.hot = [upright, *([reader] for reader in readers if reader not in upright)]

    def visit(self) -> None:
        self.turn += 1
        if self.hot and self.turn % 4:
            asked = self.hot[self.turn % len(self.hot)]
        elif self.lanes:
            asked = [row * COLUMNS + column for row, column in enumerate(columns(self.round, ROWS, COLUMNS))]
            self.round = (self.round + 1) % COLUMNS
        else:
            asked = [self.round]
            self.round = (self.round + 1) % (ROWS * COLUMNS)
        readers = [self.bench.readers[number] for number in asked]
        found = (
            self.lanes.inventory(readers, AMPLE_US) if self.lanes else [readers[0].inventory(False, AMPLE_US)]
        )
        self.seen |= {number: answer.ids for number, answer in zip(asked, found, strict=True)}

    def reads(self, tag: str, reader: int) -> bool:
        return tag in self.seen.get(reader, ())


def latencies(make: Callable[[], Firmware | Bare]) -> list[float]:
    """Milliseconds from each drop to its reading."""
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
            way.focus(neighbours(here))
            times.append(_drop(way, tag, here := dice.choice(neighbours(here)), dice))
        for tag in hand:
            way.take(tag)
    return times


def _drop(way: Firmware | Bare, tag: str, reader: int, dice: Random) -> float:
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


WAYS: dict[str, Callable[[], Firmware | Bare]] = {
    "one lane, round robin": lambda: Bare(1, False),
    "one lane, firmware, no focus": lambda: Firmware(False),
    "one lane, firmware, focus": lambda: Firmware(True),
    "five lanes, round robin": lambda: Bare(5, False),
    "five lanes, focus": lambda: Bare(5, True),
}


def rows() -> Iterator[dict[str, Any]]:
    median: dict[str, float] = {}
    for name, make in WAYS.items():
        times = sorted(latencies(make))
        median[name] = statistics.median(times)
        slowest = times[round(0.95 * len(times)) - 1]
        goal = f"goal {MEDIAN_MS} and {SLOWEST_MS}; " if name == "one lane, firmware, focus" else ""
        yield {
            "name": f"drop to reading: {name}",
            "value": median[name],
            "unit": "ms",
            "spread": statistics.stdev(times),
            "note": f"{goal}95 % within {slowest:.0f} ms, {len(times)} drops",
        }
    for lanes, focused, plain in (
        ("one lane", "one lane, firmware, focus", "one lane, round robin"),
        ("five lanes", "five lanes, focus", "five lanes, round robin"),
    ):
        yield {
            "name": f"drop to reading: round robin against focus, {lanes}",
            "value": median[plain] / median[focused],
            "unit": "ratio",
            "spread": None,
            "note": "medians; above 1 the focus is sooner",
        }
