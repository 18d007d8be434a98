"""The figures by which the referee is judged, on evenings whose truth is known and whose seeds nothing was fitted to."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import pytest

from tests.table.judge import Result
from tests.table.measure_referee import KINDS, measure

SEEDS = {"single": range(6_000, 6_120), "quick": range(6_000, 6_120)}
EVENINGS = range(6_000, 6_024)


@dataclass(frozen=True)
class Must:
    """Wrong flags for 100 legal moves, at most: those that last longer than 1.5 s, and all. Illegal moves that are caught, and
    that are named right with the first word, at least. What version 0.1.0 reaches on these seeds, and a little room."""

    lasting: float
    flags: float
    caught: float
    named: float


MUST = {
    "neat": Must(5, 12, 0.95, 0.93),
    "human": Must(6, 16, 0.95, 0.93),
    "moderate": Must(14, 30, 0.94, 0.9),
    "many": Must(55, 110, 0.9, 0.8),
    "single": Must(8, 20, 0.95, 0.92),
    "quick": Must(150, 300, 0.9, 0.86),
}


def total(results: Sequence[Result], name: str) -> int:
    return sum(getattr(result, name) for result in results)


@pytest.mark.long
@pytest.mark.parametrize("kind", KINDS)
def test_flags_are_right_and_in_time(kind: str) -> None:
    results, must = measure([kind], SEEDS.get(kind, EVENINGS)), MUST[kind]
    lasting = sum(len(result.lasting_flags) for result in results)
    brief = sum(len(result.brief_flags) for result in results)
    legal, illegal = total(results, "legal_moves"), total(results, "illegal")
    assert 100 * lasting <= must.lasting * legal, [(one.seed, one.lasting_flags) for one in results]
    assert 100 * (lasting + brief) <= must.flags * legal, [(one.seed, one.brief_flags) for one in results]
    assert total(results, "caught") >= must.caught * illegal, [(one.seed, one.not_caught) for one in results]
    assert total(results, "named") >= must.named * illegal, [(one.seed, one.misnamed) for one in results]
