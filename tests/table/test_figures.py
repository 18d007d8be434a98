"""The figures by which the referee is judged, on evenings whose truth is known and whose seeds nothing was fitted to."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import pytest

from tests.table.judge import Result
from tests.table.measure_referee import KINDS, measure

SEEDS = {"single": range(6_000, 6_040), "quick": range(6_000, 6_040)}
EVENINGS = range(6_000, 6_008)


@dataclass(frozen=True)
class Must:
    """Wrong flags for 100 legal moves, at most: those that last longer than 1.5 s, and all. Illegal moves that are caught, and
    that are named right with the first word, at least."""

    lasting: float
    flags: float
    caught: float
    named: float


# What is reached: a ratchet. The goals are none or 0.2 lasting flags for neat and human hands, 0.5 for moderate noise and 2 where
# leaks and ghosts are many, every illegal move caught and 99 of 100 named right (98 with quick hands).
MUST = {
    "neat": Must(0, 0, 1, 1),
    "human": Must(0, 0, 1, 1),
    "moderate": Must(4, 9, 0.96, 0.93),
    "many": Must(9, 22, 0.97, 0.88),
    "single": Must(0, 0, 1, 1),
    "quick": Must(0, 0, 0.96, 0.92),
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
