"""What the hands do on a board without readers after a move was told: take away, put, keep. Nobody has to tap it.

In comes the log of `view.show`, out go sentences for the turn that was told last.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from naqala.dashboard import words
from naqala.dashboard.language import say, say_n

Line = dict[str, Any]
KEPT = "YW"  # collected meeples of these tribes stay with the player
OUTSIDE_A_TURN = ("bid", "reveal")


def now_put(shown: dict[str, Any]) -> list[str]:
    """What is to be done on the board since the last move began; nothing while people bid."""
    found: list[str] = []
    for line in _last_turn(shown["log"]):
        for event in line["events"]:
            found += _said(event, line["player"] == shown["me"])
    return found


def _last_turn(log: list[Line]) -> list[Line]:
    """The lines of the turn that was told last, oldest first."""
    lines: list[Line] = []
    for line in reversed(log):
        if line["before"] is None:
            continue
        if line["do"] in OUTSIDE_A_TURN or (line["do"] == "end" and lines):
            break
        lines.append(line)
        if line["do"] == "sow":
            break
    return lines[::-1]


def _said(event: dict[str, Any], mine: bool) -> Iterator[str]:
    kind, tile = event["event"], event.get("tile")
    if kind == "Collected":
        what = words.meeples(event["meeple"] * event["count"])
        yield say("Take from %(from)s: %(what)s.", what=what, **{"from": tile}) + " " + _whereto(event, mine)
    elif kind in ("Killed", "Kept") and tile:
        what = words.one(event["meeple"])
        end = say_n("You keep it.", "You keep them.", 1) if kind == "Kept" and mine else ""
        end = end or say_n("It goes into the bag.", "They go into the bag.", 1)
        yield say("Take from %(from)s: %(what)s.", what=what, **{"from": tile}) + " " + end
    elif kind == "Controlled":
        yield say("Put on %(to)s: %(what)s.", what=words.piece(f"camel {event['player']}"), to=tile)
    elif kind == "Placed":
        yield say("Put on %(to)s: %(what)s.", what=words.piece(event["what"]), to=tile)
    elif kind == "MeeplesArrived":
        yield say("Put on %(to)s: %(what)s.", what=words.meeples(event["meeples"]), to=tile)


def _whereto(event: dict[str, Any], mine: bool) -> str:
    count = event["count"]
    if event["meeple"] not in KEPT:
        return say_n("It goes into the bag.", "They go into the bag.", count)
    if mine:
        return say_n("You keep it.", "You keep them.", count)
    return say_n("%(name)s keeps it.", "%(name)s keeps them.", count, name=event["player"])
