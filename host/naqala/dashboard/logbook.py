"""The log as a viewer may see it: a part of the gate in `view`, and reached through it alone.

In: the lines of a snapshot. Out: plain values without anybody's action; what may be known of it is in the events. Which
cards were taken and what gold was moved fades when the round is over, as it does in people's memory.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from naqala.dashboard.plain import plain
from naqala.dashboard.viewers import Viewer
from naqala.rules import events as rule_events
from naqala.rules.actions import verb
from naqala.session.snapshot import LogLine

MOST_LINES = 100  # in one answer
MOST_GONE = 20
PUBLIC_NOTES = frozenset({"played_on", "entered", "evidence", "coach"})


def the_log(log: Sequence[LogLine], viewer: Viewer, open_to_all: bool) -> list[dict[str, Any]]:
    """Every line, oldest first, with the events a viewer may know."""
    begun = max(
        (
            line.number
            for line in log
            if any(isinstance(event, rule_events.RoundBegun) for event in line.events)
        ),
        default=0,
    )
    standing = 0
    found: list[dict[str, Any]] = []
    told: list[dict[str, Any]] = []  # the steps that stood at that moment
    for line in log:
        standing += is_step(line)
        seen = [
            event
            for given in line.events
            if (event := _event(rule_events.to_json(given), viewer, open_to_all, line.number > begun))
        ]
        shown = _log_line(line, seen, standing)
        if line.kind == "undo":
            shown["gone"], told = told[shown["to"] :], told[: shown["to"]]
        elif line.action is not None:
            told.append(shown)
        found.append(shown)
    return found


def newest(shown: dict[str, Any], before: int | None = None) -> dict[str, Any]:
    """What programs get of a long evening: the newest lines of the log, or those before a line; `log_lines` says how many there
    are. Of what an undo lifted the first lines are told: all of them are in the log themselves."""
    log = shown["log"]
    end = len(log) if before is None else min(max(before - 1, 0), len(log))
    part = [line | {"gone": line["gone"][:MOST_GONE]} for line in log[max(0, end - MOST_LINES) : end]]
    return shown | {"log": part, "log_lines": len(log)}


def is_step(line: LogLine) -> bool:
    """Whether a line is an action that stands."""
    return line.action is not None and line.kind != "undo" and not line.undone


def _log_line(line: LogLine, events: list[dict[str, Any]], standing: int) -> dict[str, Any]:
    """A line without its action: what may be known of it is in the events. `before` is the undo that lifts it, `gone` are
    the lines that it lifted, if it is an undo itself, `were` the tiles before a correction."""
    return {
        "number": line.number,
        "at": line.at_ms / 1000,
        "by": line.by,
        "kind": line.kind,
        "undone": line.undone,
        "do": _verb(line),
        "player": getattr(line.action, "player", None),
        "to": getattr(line.action, "to", None),
        "before": standing - 1 if is_step(line) else None,
        "note": _note(line),
        "gone": [],
        "were": (line.body or {}).get("were", []) if line.kind == "correction" else [],
        "events": events,
    }


def _note(line: LogLine) -> dict[str, Any] | None:
    """What a note says to everybody: a breach that was let stand, a tile told by hand. Cards drawn are not among it."""
    if line.kind != "note" or not isinstance(line.body, dict):
        return None
    return {key: plain(value) for key, value in line.body.items() if key in PUBLIC_NOTES}


def _verb(line: LogLine) -> str | None:
    return verb(line.action) if line.action is not None else None


def _event(event: dict[str, Any], viewer: Viewer, open_to_all: bool, fresh: bool) -> dict[str, Any] | None:
    """An event as this viewer may know it, or None."""
    if open_to_all or event.get("player") == viewer.name:
        return event
    kind = event["event"]
    if kind == "CardDrawn":
        return event | {"card": None}
    if fresh:
        return event
    if kind == "GoldMoved":
        return None
    if kind in ("CardTaken", "Sold"):
        return event | {"card": None} if kind == "CardTaken" else event | {"suit": None}
    return event
