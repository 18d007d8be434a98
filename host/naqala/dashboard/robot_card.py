"""A robot in words: its levels, and the card that says step by step what people move for it.

In comes what `view.show` gives of the plan, out go sentences with the state of each: done, now, or to come.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from naqala.dashboard import words
from naqala.dashboard.language import N_, say, say_n
from naqala.session import robot_plan
from naqala.session.snapshot import Snapshot

# Each level by its name, and with one sentence for whoever chooses it.
LEVELS: dict[str, tuple[str, str]] = {
    "easy": (N_("Easy robot"), N_("Takes what lies near and forgets tomorrow: right for a first evening.")),
    "normal": (N_("Normal robot"), N_("Plans ahead, but forgives you a mistake now and then.")),
    "strong": (
        N_("Strong robot"),
        N_("Sees the whole board and leaves you little: bring time, and good luck."),
    ),
}


def levels() -> list[tuple[str, str, str]]:
    """Level, name and sentence, for the wizard."""
    return [(level, say(name), say(sentence)) for level, (name, sentence) in LEVELS.items()]


def plan(snapshot: Snapshot) -> dict[str, Any] | None:
    """The plan as plain values: no secret is in it, as everybody moves the pieces."""
    found = snapshot.plan
    if found is None:
        return None
    far = robot_plan.progress(found, snapshot.reading)
    return {
        "player": found.player,
        "level": found.level,
        "steps": [
            {"kind": step.kind, "tile": step.tile, "what": step.what, "player": step.player}
            for step in found.steps
        ],
        "done": far.done,
        "off": far.off,
        "strayed": found.strayed,
        "watched": snapshot.reading is not None,
    }


Step = dict[str, Any]


def _put(step: Step) -> str:
    return say("Put %(what)s on %(tile)s.", what=words.piece(step["what"]), tile=step["tile"])


def _keep(step: Step) -> str:
    return say_n(
        "Take %(meeples)s from %(tile)s and lay it before %(name)s.",
        "Take %(meeples)s from %(tile)s and lay them before %(name)s.",
        len(step["what"]),
        meeples=words.meeples(step["what"]),
        tile=step["tile"],
        name=step["player"],
    )


def _bag(step: Step) -> str:
    return say_n(
        "Take %(meeples)s from %(tile)s and put it into the bag.",
        "Take %(meeples)s from %(tile)s and put them into the bag.",
        len(step["what"]),
        meeples=words.meeples(step["what"]),
        tile=step["tile"],
    )


SENTENCES: dict[str, Callable[[Step], str]] = {
    robot_plan.LIFT: lambda step: say(
        "Take all meeples of %(tile)s in hand: %(meeples)s.",
        tile=step["tile"],
        meeples=words.meeples(step["what"]),
    ),
    robot_plan.DROP: lambda step: say(
        "Put %(what)s on %(tile)s.", what=words.one(step["what"]), tile=step["tile"]
    ),
    robot_plan.KEEP: _keep,
    robot_plan.BAG: _bag,
    robot_plan.CAMEL: lambda step: say(
        "Put a camel of %(name)s on %(tile)s.", name=step["player"], tile=step["tile"]
    ),
    robot_plan.PLACE: _put,
    robot_plan.ARRIVE: lambda step: say(
        "Put %(meeples)s from the bag on %(tile)s.", meeples=words.meeples(step["what"]), tile=step["tile"]
    ),
    robot_plan.GIVE: lambda step: say(
        "Put %(meeples)s of %(name)s into the bag.", meeples=words.meeples(step["what"]), name=step["player"]
    ),
    robot_plan.ROB: lambda step: say(
        "Give the robot %(meeples)s of %(name)s.", meeples=words.meeples(step["what"]), name=step["player"]
    ),
}


def card(shown: dict[str, Any]) -> dict[str, Any] | None:
    """The card: who asks, every step with its state, and what to say when the hands went another way."""
    found = shown["plan"]
    if found is None:
        return None
    lines = [
        {
            **step,
            "said": SENTENCES[step["kind"]](step),
            "state": "done" if number < found["done"] else "now" if number == found["done"] else "next",
        }
        for number, step in enumerate(found["steps"])
    ]
    return {
        **found,
        "lines": lines,
        "now": next((line["said"] for line in lines if line["state"] == "now"), ""),
        "then": next((line["said"] for line in lines if line["state"] == "next"), ""),
        "astray": _astray(found),
    }


def _astray(found: dict[str, Any]) -> str:
    wanted = found["steps"][found["done"]]["tile"] if found["done"] < len(found["steps"]) else ""
    if not found["off"] or found["strayed"]:
        return ""
    if not found["done"]:
        return say(
            "%(name)s wants the meeples of %(tile)s: put those of %(off)s back.",
            name=found["player"],
            tile=wanted,
            off=found["off"],
        )
    return say(
        "%(name)s wants the next meeple on %(tile)s, not on %(off)s: take it up again.",
        name=found["player"],
        tile=wanted or found["steps"][0]["tile"],
        off=found["off"],
    )
