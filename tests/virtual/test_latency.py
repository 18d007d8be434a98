"""A drop is read soon enough: with the host's focus on one lane, air and controller timed."""

from __future__ import annotations

import statistics

import pytest

from tests.bench.bench_latency import MEDIAN_MS, SLOWEST_MS, WAYS, latencies, slowest


@pytest.mark.long
def test_a_drop_in_focus_is_read_in_time_and_sooner_than_in_turn() -> None:
    focused = latencies(WAYS["one lane, focus"])
    assert statistics.median(focused) <= MEDIAN_MS
    assert slowest(focused) <= SLOWEST_MS
    in_turn = latencies(WAYS["one lane, round robin"])
    assert statistics.median(in_turn) > 2.5 * statistics.median(focused)
