"""The one inbox of a session: events of the link and commands of people, in the order they came.

Every command gets its answer, also one that comes when the session has ended: nobody waits for a reader that is gone.

A messy table can say more than its session follows: a line is the whole state of one reader, and finding the shortest way back for
each of them takes longer than the next one needs to come. Then commands would wait ever longer behind lines that are out of date.
So when more than BEHIND lines wait unread, an unread line of a reader is left out if a newer one of the same reader waits as well,
with no command between the two: whoever asks something has it answered with the table as it was when asked.

What is lost by that: states of a reader that lasted for less time than the session was behind. The referee cannot read a piece that
was put down and taken up again within it, nor the order of such drops; it compares what lies there in the end, and asks or
flags where it would have followed. The lines themselves are not lost: they come as `LeftOut` in their place, for the transcript.
"""

from __future__ import annotations

import threading
from collections import deque
from concurrent.futures import Future
from dataclasses import dataclass
from typing import Any

from naqala_protocol import Seen

from naqala.link import Arrived
from naqala.session.commands import Answer, Asked, Command

STOPPED = Answer(False, "stopped")
BEHIND = 60  # unread lines: twice what a whole table says when it is plugged in


@dataclass(frozen=True, slots=True)
class LeftOut:
    """A line that is not followed, because a newer one of the same reader waits."""

    message: Seen


class Inbox:
    """`put` and `ask` are for any thread, the rest is for the one that reads."""

    def __init__(self) -> None:
        self._items: deque[Any] = deque()
        self._changed = threading.Condition()
        self._unread = 0  # lines among the items
        self._closed = False

    def put(self, item: Any) -> None:
        """Something that wants no answer."""
        with self._changed:
            self._items.append(item)
            self._unread += _is_a_line(item)
            self._changed.notify()

    def ask(self, command: Command, timeout: float) -> Answer:
        """Put a command in and wait for what becomes of it; `slow` when nobody knows yet after so many seconds."""
        answer: Future[Answer] = Future()
        self.put(Asked(command, answer))
        if self._closed:
            self._turn_away()
        try:
            return answer.result(timeout)
        except TimeoutError:
            return Answer(False, "slow")

    def next(self, timeout: float | None, merges: bool = True) -> Any:
        """What came first; None when nothing came for so many seconds. `merges`: lines may be left out, see above."""
        with self._changed:
            if not self._changed.wait_for(lambda: bool(self._items), timeout):
                return None
            if merges and self._unread > BEHIND:
                self._merge()
            item = self._items.popleft()
            self._unread -= _is_a_line(item)
            return item

    def _merge(self) -> None:
        """Leave out lines for which a newer one of the same reader waits."""
        kept: deque[Any] = deque()
        newer: set[int] = set()
        for item in reversed(self._items):
            if not isinstance(item, Arrived | LeftOut):
                newer = set()  # a command, or the link went away: what was said before counts before it
            if _is_a_line(item) and item.message.reader in newer:
                kept.appendleft(LeftOut(item.message))
                self._unread -= 1
                continue
            if _is_a_line(item):
                newer.add(item.message.reader)
            kept.appendleft(item)
        self._items = kept

    def close(self) -> None:
        """Nobody reads on: whoever waits for an answer is told, and whoever asks from now on."""
        self._closed = True
        self._turn_away()

    def _turn_away(self) -> None:
        # Several threads may do this at once: each item is taken by one of them.
        while (item := self.next(0)) is not None:
            if isinstance(item, Asked):
                item.answer.set_result(STOPPED)


def _is_a_line(item: Any) -> bool:
    return isinstance(item, Arrived) and isinstance(item.message, Seen)
