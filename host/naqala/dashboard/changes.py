"""What people decided against the record or a rule, in words: a tile before and after, and whose points that changes."""

from __future__ import annotations

from typing import Any

from naqala.dashboard import words
from naqala.dashboard.language import say, say_n


def points(name: str, gained: int) -> str:
    """By how much somebody's points change."""
    return say_n(
        "%(name)s: %(n)s point",
        "%(name)s: %(n)s points",
        abs(gained),
        name=name,
        n=f"{gained:+}",
    )


def changed(old: dict[str, Any], new: dict[str, Any]) -> str:
    """One tile: only what differs, before and after."""
    before, after = [], []
    if sorted(old["meeples"]) != sorted(new["meeples"]):
        before.append(words.meeples(old["meeples"]) or say("no meeple"))
        after.append(words.meeples(new["meeples"]) or say("no meeple"))
    if old["camel"] != new["camel"]:
        for told, name in ((before, old["camel"]), (after, new["camel"])):
            told.append(say("camel of %(name)s", name=name) if name else say("no camel"))
    for kind, count in words.COUNTED.items():
        if old[kind] != new[kind]:
            before.append(count(old[kind]))
            after.append(count(new[kind]))
    return f"{new['tile']}: {', '.join(before)} → {', '.join(after)}"
