"""The truth about a transcript: what was really done, when, and which rules were broken. As values, and as lines of its file.

A line of truth is a comment to whoever reads the transcript, so a file with its truth is still one that `naqala watch` reads:

    #truth {"turn": 1, "player": "Ann", "from": 21069, "to": 59734, "pace": "brisk"}
    #truth {"did": {"do": "sow", ...}, "from": 23761, "to": 36938, "seen": true, "how": "two_at_once"}
    #truth {"illegal": "drops_on_neighbours", "drop": 2, "from": 25100, "to": 33050, "slip": "diagonal", "how": "way_back"}

Lines after a `turn` belong to it. A generated evening has them, and so may one of real people that was gone through by hand.
"""

from __future__ import annotations

import json
from collections.abc import Iterable, Iterator
from dataclasses import dataclass, replace
from typing import Any

from naqala.rules.actions import Action
from naqala.rules.breach import InvalidAction
from naqala.rules.model import Game
from naqala.rules.notation import from_json, to_json

MARK = "#truth "


@dataclass(frozen=True, slots=True)
class Deed:
    """One action that was truly done. `seen`: hands did it and nobody told it."""

    action: Action
    began_ms: int
    ended_ms: int
    seen: bool
    how: str = ""


@dataclass(frozen=True, slots=True)
class Illegal:
    """A rule was broken at a moment and put right at another. `drop` counts from 1."""

    slip: str
    rule: str
    drop: int | None
    at_ms: int
    repaired_ms: int
    how: str = ""


@dataclass(frozen=True, slots=True)
class Turn:
    """One marker's turn. `game` is the record after it, where that is known."""

    player: str
    pace: str
    began_ms: int
    ended_ms: int
    deeds: tuple[Deed, ...] = ()
    illegal: tuple[Illegal, ...] = ()
    game: Game | None = None


def write(turns: Iterable[Turn]) -> Iterator[str]:
    """The lines of truth of an evening."""
    for number, turn in enumerate(turns, 1):
        head = {"turn": number, "player": turn.player, "from": turn.began_ms, "to": turn.ended_ms}
        yield MARK + json.dumps(head | {"pace": turn.pace})
        for deed in turn.deeds:
            span = {"from": deed.began_ms, "to": deed.ended_ms}
            yield MARK + json.dumps({"did": to_json(deed.action), **span, "seen": deed.seen, "how": deed.how})
        for one in turn.illegal:
            span = {"from": one.at_ms, "to": one.repaired_ms}
            yield MARK + json.dumps(
                {"illegal": one.rule, "drop": one.drop, **span, "slip": one.slip, "how": one.how}
            )


def read(text: str) -> tuple[Turn, ...]:
    """The turns that the lines of truth in a transcript tell of. ValueError names a line that is none."""
    turns: list[Turn] = []
    for number, line in enumerate(text.split("\n"), 1):
        if line.startswith(MARK):
            try:
                _take(turns, json.loads(line[len(MARK) :]))
            except (ValueError, KeyError, TypeError, IndexError, InvalidAction) as error:
                raise ValueError(f"line {number}: not a line of truth: {error}") from None
    return tuple(turns)


def _take(turns: list[Turn], told: dict[str, Any]) -> None:
    since, until = int(told["from"]), int(told["to"])
    if "turn" in told:
        turns.append(Turn(told["player"], told.get("pace", ""), since, until))
    elif "did" in told:
        deed = Deed(from_json(told["did"]), since, until, bool(told["seen"]), told.get("how", ""))
        turns[-1] = replace(turns[-1], deeds=(*turns[-1].deeds, deed))
    else:
        slip, how = told.get("slip", ""), told.get("how", "")
        one = Illegal(slip, told["illegal"], told.get("drop"), since, until, how)
        turns[-1] = replace(turns[-1], illegal=(*turns[-1].illegal, one))
