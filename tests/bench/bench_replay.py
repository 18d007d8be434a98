"""Replay: a 4-player game from its record to any point, and back by undo. Times are of the processor, not the clock."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from statistics import median, quantiles
from time import process_time
from typing import Any

from naqala.rules import actions as a
from naqala.rules import record as r
from naqala.simulate import simulated

SEED = 7
REPEATS = 7


def milliseconds(work: Callable[[], object], repeats: int = REPEATS) -> tuple[float, float]:
    """Median and spread (half the range between the quartiles)."""
    times = []
    for _ in range(repeats):
        begun = process_time()
        work()
        times.append(1000 * (process_time() - begun))
    low, _, high = quantiles(times, n=4)
    return median(times), (high - low) / 2


def rows() -> Iterator[dict[str, Any]]:
    record = simulated(4, SEED)
    played = len(record.steps)

    def row(name: str, measured: tuple[float, float], note: str) -> dict[str, Any]:
        return {"name": name, "value": measured[0], "unit": "ms", "spread": measured[1], "note": note}

    def until(to: int) -> str:
        return r.to_text(r.Record(record.opening, record.steps[:to], record.actions[:to]), closing=False)

    whole = r.to_text(record)
    note = f"a whole 4-player game of {played} actions, read and verified from its text; at most 100"
    yield row("replay of a game", milliseconds(lambda: r.read(whole)), note)

    points = [until(to) for to in range(0, played + 1, 20)]
    slowest = max(milliseconds(lambda text=text: r.read(text), 3) for text in points)  # type: ignore[misc]
    yield row(
        "replay to any point", slowest, "the slowest of every twentieth point of that game; at most 100"
    )

    undone = milliseconds(lambda: [r.append(record, a.Undo(to)) for to in range(played)])
    yield row(
        "undo to every point", undone, f"all {played} of them, one after the other; at most 100 for each"
    )
