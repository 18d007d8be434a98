"""The one inbox of a session: events of the link and commands of people, in the order they came.

Every command gets its answer, also one that comes when the session has ended: nobody waits for a reader that is gone.
"""

from __future__ import annotations

import queue
from concurrent.futures import Future
from typing import Any

from naqala.session.commands import Answer, Asked, Command

STOPPED = Answer(False, "stopped")


class Inbox:
    """`put` and `ask` are for any thread, the rest is for the one that reads."""

    def __init__(self) -> None:
        self._items: queue.SimpleQueue[Any] = queue.SimpleQueue()
        self._closed = False

    def put(self, item: Any) -> None:
        """Something that wants no answer."""
        self._items.put(item)

    def ask(self, command: Command, timeout: float) -> Answer:
        """Put a command in and wait for what becomes of it; `slow` when nobody knows yet after so many seconds."""
        answer: Future[Answer] = Future()
        self._items.put(Asked(command, answer))
        if self._closed:
            self._turn_away()
        try:
            return answer.result(timeout)
        except TimeoutError:
            return Answer(False, "slow")

    def next(self, timeout: float | None) -> Any:
        """What came first; None when nothing came for so many seconds."""
        try:
            return self._items.get(timeout=timeout)
        except queue.Empty:
            return None

    def close(self) -> None:
        """Nobody reads on: whoever waits for an answer is told, and whoever asks from now on."""
        self._closed = True
        self._turn_away()

    def _turn_away(self) -> None:
        # Several threads may do this at once: each item is taken by one of them.
        while (item := self.next(0)) is not None:
            if isinstance(item, Asked):
                item.answer.set_result(STOPPED)
