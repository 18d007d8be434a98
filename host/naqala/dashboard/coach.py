"""The coach on a phone: the hints that its player asked for, first where to look, then the move, each with its reasons in words.

What a hint says is worked out here, from what that player can know of the game as it stands (`naqala.robots.coach`), for the
player's own page alone; the session only knows how much was asked (`session/coaching.py`).
"""

from __future__ import annotations

from dataclasses import replace
from functools import lru_cache
from random import Random
from time import monotonic
from typing import Any

from naqala.dashboard import reasons, words
from naqala.dashboard.language import say
from naqala.robots.coach import Hint, coach
from naqala.robots.levels import LEVELS
from naqala.robots.reasons import from_json
from naqala.rules import notation
from naqala.rules.model import Game
from naqala.session.coaching import MOVE, advice
from naqala.session.snapshot import PLAY, Snapshot

MOST_REASONS = 4
LONGEST_THOUGHT_S = 5.0


def hints(snapshot: Snapshot, name: str | None) -> dict[str, Any] | None:
    """What this player sees of the coach; None where there is none, or somebody else acts."""
    game = snapshot.game
    if snapshot.coach is None or snapshot.stage != PLAY or game is None:
        return None
    if name is None or game.turn.player != name or snapshot.drawn is not None:
        return None
    asked = advice(snapshot, name)
    found = _worked_out(game, len(asked.shown), snapshot.coach.level) if asked.shown else ()
    return {
        "shown": [_cut(hint, tells) for tells, hint in zip(asked.shown, found, strict=False)],
        "following": asked.following,
        "used": asked.used,
        "hints": snapshot.coach.hints,
    }


def _cut(hint: Hint, tells: str) -> dict[str, Any]:
    """A hint as far as it was asked for: before the move is told, its main reason must not name its tile either."""
    if tells == MOVE:
        return hint.to_json()
    why = [replace(one, facts=()) for one in hint.reasons[:1]]
    return replace(hint, reasons=tuple(why), actions=(), now=0, gain=0.0).to_json()


@lru_cache(maxsize=64)
def _worked_out(game: Game, count: int, level: str) -> tuple[Hint, ...]:
    """The same for the same game: a page that is made again says the same."""
    end = monotonic() + LONGEST_THOUGHT_S
    return coach(game, count, Random(0), LEVELS[level], lambda: monotonic() > end)


def told(shown: dict[str, Any]) -> dict[str, Any] | None:
    """The hints in words."""
    found = shown["coach"]
    return None if found is None else {**found, "said": [_hint(hint) for hint in found["shown"]]}


def _hint(hint: dict[str, Any]) -> dict[str, Any]:
    why = [reasons.reason(from_json(one)) for one in hint["reasons"]]
    said: dict[str, Any] = {"look": _look(hint["look"]), "why": why[:MOST_REASONS], "move": "", "now": ""}
    if hint["actions"]:
        said["move"] = reasons.actions(map(notation.from_text, hint["actions"]))
        said["now"] = say(
            "%(now)s points now, about %(gain)s in the end against the others.",
            now=reasons.points(hint["now"]),
            gain=reasons.points(hint["gain"]),
        )
    return said


def _look(look: dict[str, Any]) -> str:
    if look["order"]:
        return say("Look for an early place.") if look["order"] == "early" else say("A late place will do.")
    tiles = words.listed(look["tiles"])
    if look["tribe"] and tiles:
        tribe = words.tribe(look["tribe"])
        return say("Look around %(tiles)s, and at this tribe: %(tribe)s.", tribe=tribe, tiles=tiles)
    return say("Look around %(tiles)s.", tiles=tiles) if tiles else say("Look at your cards and djinns.")
