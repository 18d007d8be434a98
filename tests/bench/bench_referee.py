"""The referee on generated evenings whose truth is known: wrong flags, illegal moves caught and named, how soon, how sure."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from statistics import median, quantiles
from typing import Any

from tests.table.judge import Result
from tests.table.measure_referee import KINDS, measure, reliability

SEEDS = range(9_000, 9_040)


def rows() -> Iterator[dict[str, Any]]:
    results = measure(KINDS, SEEDS)
    for kind in KINDS:
        yield from _of(kind, [result for result in results if result.kind == kind])
    for limit, right, wrong in reliability(results):
        share = 100 * right / (right + wrong)
        yield _row(
            f"readings that are {100 * limit:g} % sure or more: right",
            share,
            "%",
            f"{right + wrong} readings",
        )


def _of(kind: str, results: Sequence[Result]) -> Iterator[dict[str, Any]]:
    legal = sum(result.legal_moves for result in results)
    illegal = sum(result.illegal for result in results)
    turns = sum(result.turns for result in results)
    lasting = sum(len(result.lasting_flags) for result in results)
    if legal > 20:
        note = f"longer than 1.5 s; {turns} turns, {legal} legal sowings"
        yield _row(f"{kind}: wrong flags for 100 legal moves", 100 * lasting / legal, "flags", note)
    named = sum(result.named for result in results)
    yield _row(f"{kind}: illegal moves named right", 100 * named / illegal, "%", f"{illegal} illegal moves")
    delays = [delay for result in results for delay in result.delays]
    late = f"95 % within {quantiles(delays, n=20)[-1]:.0f} ms"
    yield _row(f"{kind}: from a wrong drop to its flag, median", median(delays), "ms", late)


def _row(name: str, value: float, unit: str, note: str) -> dict[str, Any]:
    return {"name": name, "value": value, "unit": unit, "spread": None, "note": note}
