"""The live set-up check in words: "2 meeples stand on D2, not 3".

The check itself speaks English, with every number; in the other languages its kind and its tile are said.
"""

from __future__ import annotations

from typing import Any

from naqala.dashboard.answers import WHY
from naqala.dashboard.language import N_, language_here, say

PROBLEMS: dict[str, str] = {
    "no_reader": N_("%(tile)s: no reader is mapped to this tile"),
    "silent": N_("%(tile)s: this reader is silent"),
    "unknown": N_("%(tile)s: a tag nobody knows"),
    "double": N_("%(tile)s: one piece is seen in two places"),
    "no_tile": N_("%(tile)s: no tile lies here"),
    "two_tiles": N_("%(tile)s: two tiles are seen here"),
    "shifted_tile": N_("%(tile)s: this tile lies in another place"),
    "turned_round": N_("The board lies turned round."),
    "too_early": N_("%(tile)s: take away what is no meeple, the game has not begun"),
    "not_three": N_("%(tile)s: three meeples belong here"),
    "wrong_total": N_("The colours of the meeples do not add up."),
    "not_as_agreed": N_("%(tile)s: not as agreed"),
}


def problem(facts: Any) -> str:
    """One problem as a sentence."""
    if isinstance(facts, str):
        return say(WHY[facts]) if facts in WHY else facts
    kind, text = facts["problem"], facts["text"]
    if kind not in PROBLEMS or (text and language_here() == "en"):
        return str(text)
    return say(PROBLEMS[kind], tile=facts["tile"])
