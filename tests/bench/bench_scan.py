"""The round on a simulated table: how long a sweep takes, and how long a lift goes unseen, with one lane and with five.

Simulated time, the controller's own work included. 130 tags spread evenly, or none; a lifted tag is told when absence is
believed, and told means that its line has left the controller. Drops, with and without focus, are in bench_latency.py.
"""

from __future__ import annotations

import random
import statistics
from collections.abc import Iterator
from typing import Any

from naqala_firmware.simulated.table import SimulatedTable
from naqala_protocol import FROM_CONTROLLER, Decoder, Seen

LIFTS = 60
SWEEPS = 20
TAGS = 130


def tag(number: int) -> str:
    return f"e0040150{number * 2654435761 % 4294967296:08x}"


def settled_table(lanes: int, tags: int) -> SimulatedTable:
    table = SimulatedTable(30, seed=8, lanes=lanes)
    for number in range(tags):
        table.place(tag(number), number % 30)
    table.run(6000)
    table.said()
    return table


def sweeps(lanes: int, tags: int) -> list[float]:
    """Milliseconds of later sweeps, every tag known."""
    table = settled_table(lanes, tags)
    schedule = table.controller.scan.schedule
    times: list[float] = []
    while len(times) < SWEEPS:
        before = schedule.sweeps
        while schedule.sweeps == before:
            table.step()
        times.append(schedule.sweep)
    return times


def lifts(lanes: int) -> list[float]:
    """Milliseconds until each lift is told; the tag is put back, and the table has settled, before the next."""
    dice = random.Random(5)
    table = settled_table(lanes, TAGS)
    times = []
    for _ in range(LIFTS):
        number = dice.randrange(TAGS)
        table.run(dice.randrange(2000, 3500))
        table.said()
        table.remove(tag(number))
        times.append(wait_for_absence(table, number % 30, tag(number)))
        table.place(tag(number), number % 30)
    return times


def wait_for_absence(table: SimulatedTable, reader: int, id: str) -> float:
    decoder = Decoder(FROM_CONTROLLER)
    began = table.now_us
    while table.now_us - began < 20_000_000:
        table.step()
        for message in decoder.feed(table.said()):
            if isinstance(message, Seen) and message.reader == reader and id not in message.tags:
                return (table.now_us - began) / 1000
    raise AssertionError(f"{id} on {reader} not missed")


def row(name: str, times: list[float], note: str) -> dict[str, Any]:
    quarters = statistics.quantiles(times, n=4)
    note = f"{note}; 95 % within {statistics.quantiles(times, n=20)[-1]:.0f} ms"
    spread = (quarters[2] - quarters[0]) / 2
    return {"name": name, "value": statistics.median(times), "unit": "ms", "spread": spread, "note": note}


def rows() -> Iterator[dict[str, Any]]:
    for lanes, way in ((1, "1 lane"), (5, "5 lanes")):
        for tags in (TAGS, 0):
            yield row(f"a sweep of the round, {tags} tags, {way}", sweeps(lanes, tags), "every tag known")
        yield row(
            f"a lift is told, {way}",
            lifts(lanes),
            "absence is believed only after k readings without the tag",
        )
