"""How benchmarks take a time: several runs, the median and the spread."""

from __future__ import annotations

import statistics
import time
from collections.abc import Callable


def milliseconds(work: Callable[[], object], runs: int = 7) -> tuple[float, float]:
    """Median and spread (half the range between the quartiles) of several runs, in milliseconds."""
    times = []
    for _ in range(runs):
        began = time.perf_counter()
        work()
        times.append((time.perf_counter() - began) * 1000)
    quarters = statistics.quantiles(times, n=4)
    return statistics.median(times), (quarters[2] - quarters[0]) / 2
