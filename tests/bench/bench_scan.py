"""The scan on a simulated table: how long a drop or a lift goes unseen, with and without focus and lanes.

Simulated time, the controller's own work included. A full table (130 tags); the drop lands on a neighbour of the last
change at a random moment; seen means that its line has left the controller.
"""

from __future__ import annotations

import random
import statistics
from collections.abc import Iterator
from typing import Any

from naqala_firmware.simulated.table import SimulatedTable
from naqala_protocol import FROM_CONTROLLER, Decoder, Focus, Seen, encode

DROPS = 60
TAGS = 130


def tag(number: int) -> str:
    return f"e0040150{number * 2654435761 % 4294967296:08x}"


def neighbours(reader: int) -> list[int]:
    row, column = divmod(reader, 6)
    near = ((row - 1, column), (row + 1, column), (row, column - 1), (row, column + 1))
    return [6 * r + c for r, c in near if 0 <= r < 5 and 0 <= c < 6]


def full_table(lanes: int) -> SimulatedTable:
    table = SimulatedTable(30, seed=8, lanes=lanes)
    for number in range(TAGS):
        table.place(tag(number), number % 30)
    table.run(6000)
    table.said()
    return table


def wait_for(table: SimulatedTable, reader: int, id: str, there: bool) -> float:
    """Milliseconds until the host hears that the tag is there, or is not."""
    decoder = Decoder(FROM_CONTROLLER)
    began = table.now_us
    while table.now_us - began < 20_000_000:
        table.step()
        for message in decoder.feed(table.said()):
            if isinstance(message, Seen) and message.reader == reader and (id in message.tags) == there:
                return (table.now_us - began) / 1000
    raise AssertionError(f"{id} on {reader} not heard of")


def moves(lanes: int, focus: bool) -> tuple[list[float], list[float]]:
    """Milliseconds until each lift and each drop is told."""
    dice = random.Random(5)
    table = full_table(lanes)
    where = {tag(number): number % 30 for number in range(TAGS)}
    lifts, drops = [], []
    for _ in range(DROPS):
        id = dice.choice(sorted(where))
        start = where[id]
        target = dice.choice(neighbours(start))
        table.run(dice.randrange(200, 1500))
        table.remove(id)
        lifts.append(wait_for(table, start, id, False))
        if focus:
            table.hear(encode(Focus(tuple(neighbours(start)))))
        table.run(dice.randrange(300, 900))
        table.place(id, target)
        drops.append(wait_for(table, target, id, True))
        table.hear(encode(Focus(())))
        where[id] = target
    return lifts, drops


def row(name: str, times: list[float], note: str) -> dict[str, Any]:
    quarters = statistics.quantiles(times, n=4)
    note = f"{note}; 95 % within {statistics.quantiles(times, n=20)[-1]:.0f} ms"
    spread = (quarters[2] - quarters[0]) / 2
    return {"name": name, "value": statistics.median(times), "unit": "ms", "spread": spread, "note": note}


def rows() -> Iterator[dict[str, Any]]:
    medians = {}
    for lanes in (1, 5):
        for focus in (False, True):
            lifts, drops = moves(lanes, focus)
            way = f"{lanes} {'lane' if lanes == 1 else 'lanes'}, {'with' if focus else 'without'} focus"
            medians[lanes, focus] = statistics.median(drops)
            yield row(f"a drop is told, {way}", drops, "from the piece's touch to the line on the wire")
            if not focus:
                yield row(
                    f"a lift is told, {way}",
                    lifts,
                    "absence is believed only after k readings without the tag",
                )
    gain = medians[1, False] / medians[1, True]
    yield {
        "name": "focus, one lane",
        "value": gain,
        "unit": "x",
        "spread": None,
        "note": "drops told sooner by focus",
    }
