"""The coach of a table: how many hints each player had in the turn that is played, and which one comes next.

Every hint is two notes of the journal: first where to look, then the move. So it is known after a restart what was asked, and the
score sheet counts it; what the hint says is worked out by whoever shows it, from the game as it stood then.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from itertools import zip_longest
from typing import TYPE_CHECKING

from naqala.rules.actions import Bid, End
from naqala.session import commands as c
from naqala.session import showing
from naqala.session.refusal import Refused
from naqala.session.snapshot import LogLine, Snapshot

if TYPE_CHECKING:
    from naqala.session.session import Session

LOOK, MOVE = "look", "move"
MOST_HINTS = 3  # of one turn: more would be the robot's turn
NOTE = "coach"  # the key in the note's body


@dataclass(frozen=True, slots=True)
class Advice:
    """Hints of one player in this turn. `shown` are those about the game as it stands: how much of each was asked for."""

    shown: tuple[str, ...]
    used: int
    following: str  # LOOK: another hint; MOVE: the rest of the last one; "": no more


def advice(snapshot: Snapshot, player: str) -> Advice:
    """What this player has asked in this turn, and may still ask."""
    assert snapshot.coach is not None
    standing, turn = _place(snapshot.log)
    asked = [line.body[NOTE] for line in notes(snapshot.log) if line.by == player]
    now = [one for one in asked if one["turn"] == turn]
    used = sum(one["tells"] == LOOK for one in now)
    here = [one["tells"] for one in now if one["standing"] == standing]
    shown = tuple(
        MOVE if following == MOVE else LOOK
        for tells, following in zip_longest(here, here[1:])
        if tells == LOOK
    )
    if here and here[-1] == LOOK:
        return Advice(shown, used, MOVE)
    return Advice(shown, used, LOOK if used < snapshot.coach.hints else "")


def notes(log: Iterable[LogLine]) -> list[LogLine]:
    """The lines that say that somebody asked the coach."""
    return [line for line in log if is_note(line)]


def is_note(line: LogLine) -> bool:
    """Whether a line says that somebody asked the coach."""
    return line.kind == "note" and isinstance(line.body, dict) and NOTE in line.body


def counted(log: Iterable[LogLine]) -> dict[str, int]:
    """Hints that each player had, for the score sheet."""
    found: dict[str, int] = {}
    for line in notes(log):
        if line.body[NOTE]["tells"] == LOOK:
            found[line.by] = found.get(line.by, 0) + 1
    return found


def _place(log: Sequence[LogLine]) -> tuple[int, int]:
    """How many actions stand, and how many bids and turns are over."""
    standing = [line.action for line in log if line.kind != "undo" and line.action and not line.undone]
    return len(standing), sum(isinstance(action, Bid | End) for action in standing)


def ask(session: Session, asked: c.AskCoach) -> None:
    """A hint for whoever acts, or the rest of the last one."""
    session.in_play(asked.step)
    shown = session.snapshot
    if shown.coach is None:
        raise Refused("no_coach")
    if shown.game.turn.player != asked.by or shown.drawn is not None:
        raise Refused("not_yours", player=shown.game.turn.player)
    following = advice(shown, asked.by).following
    if not following:
        raise Refused("no_hints_left")
    standing, turn = _place(shown.log)
    session.note({NOTE: {"tells": following, "standing": standing, "turn": turn}}, asked.by)
    showing.show(session)
