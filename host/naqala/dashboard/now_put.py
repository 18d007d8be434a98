"""What the hands do on a board without readers after a move was told: take away, put, keep. Nobody has to tap it.

In comes the log of `view.show`, out go sentences for the turn that was told last.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from naqala.dashboard import words
from naqala.dashboard.language import say

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
    if kind == "Collected" and tile:
        yield _taken(tile, event["meeple"] * event["count"], event["meeple"] in KEPT, event["player"], mine)
    elif kind in ("Killed", "Kept") and tile:
        yield _taken(tile, event["meeple"], kind == "Kept", event["player"], mine)
    elif kind == "Controlled":
        yield say("Put %(what)s on %(to)s.", what=words.piece(f"camel {event['player']}"), to=tile)
    elif kind == "Placed":
        yield say("Put %(what)s on %(to)s.", what=words.piece(event["what"]), to=tile)
    elif kind == "MeeplesArrived":
        yield say("Put %(what)s on %(to)s.", what=words.meeples(event["meeples"]), to=tile)


def _taken(tile: str, letters: str, kept: bool, player: str, mine: bool) -> str:
    what = words.meeples(letters)
    if not kept:
        return say("From %(from)s into the bag: %(what)s.", what=what, **{"from": tile})
    if mine:
        return say("From %(from)s to you: %(what)s.", what=what, **{"from": tile})
    return say("From %(from)s to %(name)s: %(what)s.", what=what, name=player, **{"from": tile})
