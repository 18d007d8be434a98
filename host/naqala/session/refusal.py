"""A command that is not carried out, and why."""

from __future__ import annotations

from typing import Any

from naqala.session.commands import Answer


class Refused(Exception):
    """`answer` is what the person is told: a key for the sentence, and its facts."""

    def __init__(self, why: str, **facts: Any) -> None:
        self.answer = Answer(False, why, tuple(facts.items()))
        super().__init__(why)
