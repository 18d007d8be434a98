"""What `naqala rules sowings` and `naqala rules judge` answer, as JSON; the commands themselves stand in `rules`."""

from __future__ import annotations

import json
from collections.abc import Iterator, Sequence
from itertools import islice
from typing import Any

from naqala.rules import paths
from naqala.rules.sowing import Sowing, breaches

AT_ONCE = 1000  # sowings to a piece: a list may hold millions and is never held as a whole


def sowings_answer(meeples: Sequence[str], listed: bool = False, first: int | None = None) -> Iterator[str]:
    """The answer of `sowings`, piece by piece: one JSON value, in a list one sowing a line; `first` are so many of them."""
    per_start = paths.count_per_start(meeples)
    summary = {
        "count": sum(per_start.values()),
        "outcomes": len(paths.outcomes(meeples)),
        "per_start": per_start,
    }
    if not listed:
        yield json.dumps(summary) + "\n"
        return
    yield json.dumps(summary)[:-1] + ', "sowings": ['
    every, gap = islice(paths.sowings(meeples), first), "\n"
    while some := list(islice(every, AT_ONCE)):
        yield gap + ",\n".join(json.dumps(sowing.to_json()) for sowing in some)
        gap = ",\n"
    yield "]}\n"


def judge_answer(meeples: Sequence[str], sowing: Any) -> dict[str, Any]:
    """The answer of `judge` to a sowing as it came out of a JSON parser; raises InvalidAction when it is none."""
    found = breaches(meeples, Sowing.from_json(sowing))
    return {"legal": not found, "breaches": [breach.to_json() for breach in found]}
