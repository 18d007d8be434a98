"""The live set-up check in words: "two meeples missing on D2"."""

from __future__ import annotations

from typing import Any

from naqala.dashboard import words
from naqala.dashboard.answers import WHY
from naqala.dashboard.flags import piece
from naqala.dashboard.language import N_, say

# The set-up check's words, with the facts it gives.
PROBLEMS: dict[str, str] = {
    "missing": N_("%(tile)s: missing %(what)s"),
    "surplus": N_("%(tile)s: too much, %(what)s"),
    "unknown": N_("%(tile)s: a tag nobody knows"),
    "double": N_("%(tile)s: one piece is seen in two places"),
    "silent": N_("%(tile)s: this reader is silent"),
    "wrong_tile": N_("%(tile)s: another tile lies here, %(what)s"),
    "no_tile": N_("%(tile)s: no tile lies here"),
}


def problem(facts: Any) -> str:
    """One problem as a sentence. A text that already is one stays as it is."""
    if isinstance(facts, str):
        return say(WHY[facts]) if facts in WHY else facts
    kind = facts.get("problem") or facts.get("note") or ""
    what = facts.get("what", "")
    if isinstance(what, list):
        letters = "".join(one.partition(" ")[2] for one in what if one.startswith("meeple "))
        others = [piece(one) for one in what if not one.startswith("meeple ")]
        what = words.listed(([words.meeples(letters)] if letters else []) + others)
    elif what:
        what = piece(what)
    if kind not in PROBLEMS:
        return " ".join(str(value) for value in facts.values() if value)
    return say(PROBLEMS[kind], tile=facts.get("tile", ""), what=what)
