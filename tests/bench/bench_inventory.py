"""One reader and a whole table: simulated time of an inventory and of a sweep, and what the simulation itself costs."""

from __future__ import annotations

import statistics
from collections.abc import Iterator
from typing import Any

from naqala_firmware.lanes import Lanes
from naqala_firmware.pn5180 import Lane
from naqala_firmware.simulated import roll
from naqala_firmware.simulated.bench import Bench
from naqala_firmware.simulated.chance import Chance
from naqala_firmware.simulated.wiring import AIR_ONLY, CONTROLLER, Cost

from tests.bench.measure import milliseconds

FIELD_MS = 1.0
FILLS = 100
# Hardware study, milliseconds: one reader by number of tags; a whole table of 130 tags, one lane.
AIR_MS = {0: 9.8, 1: 13.9, 3: 23.6, 5: 35.5, 8: 56.2, 10: 72.0, 14: 107.0}
SWEEP_MS = {
    "one lane, air only": (AIR_ONLY, 1, 1001),
    "one lane, with the controller's own time": (CONTROLLER, 1, 1358),
    "five lanes in step, air only": (AIR_ONLY, 5, 305),
    "five lanes in step, with the controller's own time": (CONTROLLER, 5, 381),
}


def inventories(number: int, cost: Cost = AIR_ONLY) -> list[float]:
    """Milliseconds without the field's start, of fills whose tags have been seen before."""
    bench = Bench(rows=1, columns=1, cost=cost)
    chance = Chance(number + 1)
    times = []
    for _ in range(FILLS):
        bench.coils.clear()
        for tag in roll.tags("random", number, chance):
            bench.coils.put(tag, 0)
        bench.readers[0].inventory(budget_us=600_000)
        for _ in range(2):
            began = bench.clock.now
            bench.readers[0].inventory()
            times.append((bench.clock.now - began) / 1000 - FIELD_MS)
    return times


def sweep(cost: Cost, width: int) -> tuple[list[float], float]:
    """Milliseconds of later sweeps, and of the first one, in which every tag is new."""
    bench = Bench(cost=cost)
    chance = Chance(7)
    for tag in roll.tags("random", 130, chance):
        bench.coils.put(tag, chance.below(30))
    lanes = Lanes(Lane(bench.wiring.spi, bench.clock), width)
    if width == 1:
        visits = [[reader] for reader in bench.readers]
    else:
        visits = [[bench.readers[number] for number in bench.diagonal(step)] for step in range(6)]
    times = []
    for _ in range(17):
        began = bench.clock.now
        for visit in visits:
            if width == 1:
                visit[0].inventory(budget_us=600_000)
            else:
                lanes.inventory(visit, 600_000)
        times.append((bench.clock.now - began) / 1000)
    return times[1:], times[0]


def rows() -> Iterator[dict[str, Any]]:
    for number, expected in AIR_MS.items():
        times = inventories(number)
        yield {
            "name": f"inventory of {number} tags, air only",
            "value": statistics.mean(times),
            "unit": "ms",
            "spread": statistics.stdev(times),
            "note": f"the study calculated {expected}",
        }
    for name, (cost, width, expected) in SWEEP_MS.items():
        times, first = sweep(cost, width)
        yield {
            "name": f"sweep of 30 readers and 130 tags, {name}",
            "value": statistics.mean(times),
            "unit": "ms",
            "spread": statistics.stdev(times),
            "note": f"the study calculated {expected}; the first, with every tag confirmed by name: {first:.0f}",
        }
    simulated = statistics.mean(inventories(7))
    took, spread = milliseconds(lambda: inventories(7), runs=3)
    yield {
        "name": "simulated time against computing time, 7 tags",
        "value": simulated * FILLS * 3 / took,
        "unit": "ratio",
        "spread": spread / took,
        "note": "how much faster than a real reader the simulation runs",
    }
