"""A command that is not carried out, and why."""

from __future__ import annotations

from typing import Any

from naqala.journal import JournalDamaged
from naqala.rules.breach import IllegalMove
from naqala.session.commands import Answer


class Refused(Exception):
    """`answer` is what the person is told: a key for the sentence, and its facts."""

    def __init__(self, why: str, **facts: Any) -> None:
        self.answer = Answer(False, why, tuple(facts.items()))
        super().__init__(why)


def why_not(error: Exception) -> Answer:
    """The answer to a command that was not carried out: for a reason of the session's, broken rules, or what has no place."""
    if isinstance(error, Refused):
        return error.answer
    if isinstance(error, IllegalMove):
        return Answer(False, "illegal", (("breaches", error.breaches),))
    why = "damaged" if isinstance(error, JournalDamaged) else "invalid"
    return Answer(False, why, (("reason", str(error)),))
