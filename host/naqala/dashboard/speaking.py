"""What a device says aloud, where its owner wants it: the moment in one or two sentences.

The sentence stands in the page (`data-speak`), made from what this viewer may read; `static/speak.js` gives it to the browser's
voice. For example: "That tile isn't adjacent. Move the builder from B5 to B3."
"""

from __future__ import annotations

from typing import Any

from naqala.dashboard import words
from naqala.dashboard.language import say


def spoken(found: dict[str, Any]) -> str:
    """The moment in one or two sentences for the ear, of what the page shows in large letters. What is in a hand is not said:
    it changes with every drop."""
    if found["flag"]:
        return ". ".join([found["flag"]["title"], *found["flag"]["steps"][:1]])
    if found["question"]:
        return str(found["question"]["title"])
    turn = found["turn"]
    if not turn:
        return ""
    if turn["phase"] in ("over", "reveal"):
        return f"{found['now']['who']}. {found['now']['what']}"
    mine, phase = turn["player"] == found["me"], turn["phase"]
    what = say((words.YOU_NOW if mine else words.DOING_NOW)[phase])
    return f"{say('Your turn')}. {what}." if mine else f"{turn['player']} {what}."
