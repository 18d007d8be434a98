"""Each reader in turn dead, stuck, absent: what that costs the others, on simulated chips."""

from __future__ import annotations

import pytest
from naqala_firmware.simulated.table import SimulatedTable

SWEEPS = 16  # the driver looks closer at every sixteenth reading: a whole cycle, so that both means hold one


def table_with(tags: int) -> SimulatedTable:
    table = SimulatedTable(30, seed=5)
    for number in range(tags):
        table.place(f"e0040102{number * 2654435761 % 4294967296:08x}", number % 30)
    mean_sweep(table, 1)
    return table


def mean_sweep(table: SimulatedTable, sweeps: int) -> float:
    """Milliseconds of the next sweeps, on average."""
    scan = table.controller.scan
    times: list[int] = []
    while len(times) < sweeps:
        table.step()
        if scan.swept:
            times.append(scan.schedule.sweep)
    table.said()
    return sum(times) / sweeps


@pytest.mark.parametrize("kind", ["dead", "stuck", "absent"])
def test_each_reader_in_turn_costs_the_others_less_than_5_percent(kind: str) -> None:
    """On an empty table, where a sweep is shortest and a retry weighs most."""
    table = table_with(0)
    others = mean_sweep(table, SWEEPS) * 29 / 30
    for reader in range(30):
        table.fault(reader, kind)
        table.step()
        broken = mean_sweep(table, SWEEPS)
        assert broken < others * 1.05, f"reader {reader} {kind}: {others:.0f} -> {broken:.0f} ms"
        assert table.controller.scan.posts[reader].sick
        table.fault(reader)
        table.controller.scan.test(reader)  # rather than wait for the next retry
        table.step()
        assert not table.controller.scan.posts[reader].sick


def test_half_of_a_full_table_dead_and_the_other_half_is_as_quick_as_ever() -> None:
    table = table_with(120)
    healthy = mean_sweep(table, SWEEPS)
    for reader in range(0, 30, 2):
        table.fault(reader, "stuck")
    mean_sweep(table, 2)
    assert mean_sweep(table, SWEEPS) < healthy / 2 * 1.05
