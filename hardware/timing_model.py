"""How long does it take to look at a tile, and at the whole table? ISO 15693 air times and a Monte Carlo over tag numbers.

In: how many tags lie where, the command (standard or SLIX2 fast), what Python costs per slot and per command. Out: times.
Formulas are in microseconds, tables in milliseconds. `python -m hardware.timing_model` prints the tables of the design.
"""

from collections.abc import Callable, Sequence
from random import Random
from statistics import mean
from typing import NamedTuple

FC = 13.56  # MHz
BYTE, SOF, EOF, BIT = 4096 / FC, 1024 / FC, 512 / FC, 512 / FC
T1, T1_MAX, T2, REPLY_SOF = 4352 / FC, 4384 / FC, 4192 / FC, 2048 / FC
FIELD_SWITCH = 1200.0  # field on, tags awake, field off: per visit of a tile

READERS, COLUMNS, ROWS = 30, 6, 5


class Way(NamedTuple):
    """How a tile is asked: the fast SLIX2 command or the standard one, and what the controller's Python adds."""

    fast: bool = False
    slot_cost: float = 0.0
    command_cost: float = 0.0
    empty_window: float | None = None  # None: the least the standard allows

    @property
    def request_bytes(self) -> int:
        return 7 if self.fast else 5

    @property
    def busy(self) -> float:
        return T1 + reply(11 if self.fast else 12, self.fast) + T2

    @property
    def empty(self) -> float:
        return self.empty_window or T1_MAX + REPLY_SOF / (2 if self.fast else 1)


AIR, AIR_FAST = Way(), Way(fast=True)
PYTHON, PYTHON_FAST = Way(False, 450, 600, 755), Way(True, 450, 600, 755)


def request(length: int) -> float:
    return SOF + BYTE * length + EOF


def reply(length: int, fast: bool = False) -> float:
    return (BIT * 8 * length + 2 * REPLY_SOF) / (2 if fast else 1)


def sixteen_slots(busy: int, way: Way = AIR, mask_bits: int = 0) -> float:
    """One 16-slot inventory of which `busy` slots hold at least one tag."""
    asking = way.command_cost + request(way.request_bytes + (mask_bits + 7) // 8) + 15 * EOF
    return asking + 16 * way.slot_cost + busy * way.busy + (16 - busy) * way.empty


def one_slot(tags: int, way: Way = AIR, mask_bits: int = 0) -> float:
    return (
        way.command_cost
        + request(way.request_bytes + (mask_bits + 7) // 8)
        + (way.busy if tags else way.empty)
    )


def repair(tags: Sequence[int], way: Way) -> float:
    """Two or more tags in one slot: split them at the first bit in which they differ, one question for each half."""
    differing = 0
    for tag in tags:
        differing |= tag ^ tags[0]
    bit = (differing & -differing).bit_length() - 1
    spent = 0.0
    for value in (0, 1):
        half = [tag for tag in tags if tag >> bit & 1 == value]
        spent += one_slot(len(half), way, bit + 1)
        if len(half) > 1:
            spent += repair(half, way)
    return spent


def inventory(tags: Sequence[int], way: Way) -> float:
    slots: dict[int, list[int]] = {}
    for tag in tags:
        slots.setdefault(tag & 15, []).append(tag)
    return sixteen_slots(len(slots), way) + sum(repair(slot, way) for slot in slots.values() if len(slot) > 1)


def inventory_by_mask(tags: Sequence[int], way: Way, bits: int = 0) -> float:
    """Without a usable collision position: ask a collided slot again, sixteen slots, with a mask four bits longer."""
    slots: dict[int, list[int]] = {}
    for tag in tags:
        slots.setdefault(tag >> bits & 15, []).append(tag)
    again = sum(inventory_by_mask(slot, way, bits + 4) for slot in slots.values() if len(slot) > 1)
    return sixteen_slots(len(slots), way, bits) + again


def probe_first(tags: Sequence[int], way: Way) -> float:
    """One slot at first; only a collision calls for the full inventory."""
    return one_slot(len(tags), way) + (inventory(tags, way) if len(tags) > 1 else 0)


def table_time(tiles: Sequence[float], lanes: int = 1) -> float:
    """All readers, `lanes` on air at once in lock-step: a step lasts as long as its slowest lane."""
    if lanes == 1:
        return sum(tiles) + READERS * FIELD_SWITCH
    if lanes == ROWS:  # a lane per row, each two columns on from the next: see the controller's sweep
        steps = [
            [row * COLUMNS + (step + 2 * row) % COLUMNS for row in range(ROWS)] for step in range(COLUMNS)
        ]
    else:
        steps = [list(range(start, READERS, READERS // lanes)) for start in range(READERS // lanes)]
    return sum(max(tiles[reader] for reader in step) + FIELD_SWITCH for step in steps)


def setup(extra: int, random: Random) -> list[int]:
    """Tags per tile: three each as at the start, then `extra` more anywhere."""
    return scattered(extra, random, [3] * READERS)


def scattered(count: int, random: Random, counts: Sequence[int] = (0,) * READERS) -> list[int]:
    result = list(counts)
    for _ in range(count):
        result[random.randrange(READERS)] += 1
    return result


POSITIONS: dict[str, Callable[[Random], list[int]]] = {
    "set-up, 30 x 3 = 90": lambda random: setup(0, random),
    "90 + 40 random": lambda random: setup(40, random),
    "130 random": lambda random: scattered(130, random),
    "60 random (mid game)": lambda random: scattered(60, random),
    "empty table": lambda random: [0] * READERS,
}


Ask = Callable[[Sequence[int], Way], float]


def sample_tile(count: int, way: Way, runs: int, ask: Ask = inventory) -> list[float]:
    random = Random(15693)
    return sorted(ask([random.getrandbits(64) for _ in range(count)], way) / 1000 for _ in range(runs))


def sample_table(position: str, way: Way, lanes: int, runs: int, ask: Ask = inventory) -> list[float]:
    random = Random(15693)
    times = []
    for _ in range(runs):
        counts = POSITIONS[position](random)
        tiles = [ask([random.getrandbits(64) for _ in range(count)], way) for count in counts]
        times.append(table_time(tiles, lanes) / 1000)
    return sorted(times)


def p95(times: Sequence[float]) -> float:
    return times[int(0.95 * len(times))]


def hot_set(tiles: int, tags: int, way: Way, runs: int) -> tuple[float, float, float]:
    """One lane going round a few tiles only: sweep, mean and worst time until a change is seen (ms)."""
    visit = mean(sample_tile(tags, way, runs)) + FIELD_SWITCH / 1000
    return tiles * visit, tiles * visit / 2 + visit, (tiles + 1) * visit


def main() -> None:
    runs = 4000
    print(
        "One tile, ms (in brackets: 95 of 100 are faster)\n\n| tags | air, standard | air, fast | Python, standard | Python, fast | one-slot probe |"
    )
    print("|---|---|---|---|---|---|")
    for count in (0, 1, 3, 5, 8, 10, 14):
        cells = [sample_tile(count, way, runs) for way in (AIR, AIR_FAST, PYTHON, PYTHON_FAST)]
        probe = (
            f"{one_slot(count, AIR) / 1000:.1f}, {one_slot(count, PYTHON) / 1000:.1f}" if count < 2 else ""
        )
        print(f"| {count} |", " | ".join(f"{mean(c):.1f} ({p95(c):.0f})" for c in cells), f"| {probe} |")
    print(
        "\nWhole table, ms (in brackets: 95 of 100 are faster)\n\n| position | 1 lane, air | 1 lane, Python | 1 lane, Python, probe first ",
        end="",
    )
    print(
        "| 5 lanes, air | 5 lanes, air, fast | 5 lanes, Python | 5 lanes, Python, fast |\n|---|---|---|---|---|---|---|---|"
    )
    for position in POSITIONS:
        columns = [(AIR, 1), (PYTHON, 1), (PYTHON, 1), (AIR, 5), (AIR_FAST, 5), (PYTHON, 5), (PYTHON_FAST, 5)]
        asks: list[Ask] = [inventory, inventory, probe_first, *[inventory] * 4]
        cells = [
            sample_table(position, way, lanes, 400, ask)
            for (way, lanes), ask in zip(columns, asks, strict=True)
        ]
        print(f"| {position} |", " | ".join(f"{mean(c):.0f} ({p95(c):.0f})" for c in cells), "|")
    lanes = ", ".join(f"{n}: {mean(sample_table('130 random', PYTHON, n, 400)):.0f} ms" for n in (1, 2, 3, 5))
    print(f"\n- 130 random tags by number of lanes (Python): {lanes}")
    fallback = [mean(sample_tile(n, PYTHON, 1000, inventory_by_mask)) for n in (3, 5, 10)]
    print(
        "- Without the collision position, tile of 3 / 5 / 10 tags:",
        " / ".join(f"{t:.1f}" for t in fallback),
        "ms",
    )
    sweep, usual, worst = hot_set(5, 3, PYTHON, runs)
    print(
        f"- Hot set of 5 tiles, one lane: sweep {sweep:.0f} ms, seen after {usual:.0f} ms on average, {worst:.0f} ms at worst"
    )


if __name__ == "__main__":
    main()
