"""What somebody asks of all the others, in words: who asks for what, and what would change, before and after.

In comes what `view.show` gives, out goes what `fragments/asked.html` needs.
"""

from __future__ import annotations

from typing import Any

from naqala.dashboard import changes, story
from naqala.dashboard.language import N_, say
from naqala.dashboard.notes import who

TITLES: dict[str, str] = {
    "undo": N_("%(name)s asks to take back"),
    "correction": N_("%(name)s asks to use what's on the table"),
    "override": N_("%(name)s asks to allow the move anyway"),
    "tile": N_("%(name)s tells what lies on %(tile)s"),
}
MOST_LINES = 6  # a question is read on a phone


def asked(shown: dict[str, Any]) -> dict[str, Any] | None:
    """The open question, or None."""
    question = shown["asked"]
    if question is None:
        return None
    if question["kind"] == "undo":
        lines = taken_back(shown, question["to"])
        most = 3
    else:
        lines = [changes.points(name, gained) for name, gained in question["points"].items()]
        lines += [changes.changed(change["before"], change["after"]) for change in question["tiles"]]
        most = MOST_LINES
    title = TITLES[question["kind"]]
    return {
        "number": question["number"],
        "title": say(title, name=who(question["by"]), tile=question["tile"]),
        "lines": lines[:most],
        "more": max(0, len(lines) - most),
        "waiting_for": question["waiting_for"],
        "of_me": shown["me"] in question["waiting_for"],
    }


def taken_back(shown: dict[str, Any], to: int) -> list[str]:
    """The steps that an undo takes back, after which so many stand."""
    return [story.tell(line) for line in shown["log"] if line["before"] is not None and line["before"] >= to]
