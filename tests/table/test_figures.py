"""The figures by which the referee is judged, on evenings whose truth is known and whose seeds nothing was fitted to."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import pytest

from tests.table.judge import Result
from tests.table.measure_referee import KINDS, measure

SEEDS = range(6_000, 6_060)


@dataclass(frozen=True)
class Must:
    """Wrong flags that last, for 100 legal moves, at most; illegal moves that are caught, and named right first, at least."""

    lasting: float
    caught: float
    named: float


MUST = {
    "neat": Must(4.0, 0.95, 0.93),
    "human": Must(5.0, 0.95, 0.93),
    "moderate": Must(14.0, 0.94, 0.9),
    "many": Must(50.0, 0.9, 0.8),
    "single": Must(6.0, 0.93, 0.9),
    "quick": Must(100.0, 0.9, 0.85),
}


def total(results: Sequence[Result], name: str) -> int:
    return sum(getattr(result, name) for result in results)


@pytest.mark.long
@pytest.mark.parametrize("kind", KINDS)
def test_flags_are_right_and_in_time(kind: str) -> None:
    results, must = measure([kind], SEEDS), MUST[kind]
    lasting = sum(len(result.lasting_flags) for result in results)
    legal, illegal = total(results, "legal_moves"), total(results, "illegal")
    assert 100 * lasting <= must.lasting * legal, [(one.seed, one.lasting_flags) for one in results]
    assert total(results, "caught") >= must.caught * illegal, [(one.seed, one.not_caught) for one in results]
    assert total(results, "named") >= must.named * illegal, [(one.seed, one.misnamed) for one in results]
