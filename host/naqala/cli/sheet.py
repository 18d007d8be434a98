"""The score sheet on a terminal."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from naqala.rules.scoring import CATEGORIES, Score


def sheet(scores: Sequence[Score]) -> Iterator[str]:
    """A column for each player, a row for each category, the total last."""
    width = max(8, *(len(one.name) for one in scores)) + 2
    yield " " * 10 + "".join(one.name.rjust(width) for one in scores)
    for category in (*CATEGORIES, "total"):
        yield category.ljust(10) + "".join(str(getattr(one, category)).rjust(width) for one in scores)
