"""The time that entries bear: the wall clock's, but never an earlier one than before.

A small computer without a battery clock starts with the time it was switched off, or with 1970, and learns the right one from the
network later. A step forward is followed at once. A step back is not: from there on the time that passes is added to the last
one known, until the wall clock has caught up. So times within a game rise, and the minutes between them are true.
"""

from __future__ import annotations

import threading
import time

NS_PER_MS = 1_000_000


class Clock:
    """Milliseconds since 1970, for any thread."""

    def __init__(self) -> None:
        self._lock = threading.Lock()
        self._last_ms = 0
        self._counted_ns = time.monotonic_ns()

    def now_ms(self) -> int:
        with self._lock:
            counted_ns = time.monotonic_ns()
            passed_ms = (counted_ns - self._counted_ns) // NS_PER_MS
            self._last_ms = max(time.time_ns() // NS_PER_MS, self._last_ms + passed_ms)
            self._counted_ns += passed_ms * NS_PER_MS  # what is left of a millisecond counts the next time
            return self._last_ms

    def not_before(self, at_ms: int) -> None:
        """A game goes on whose last entry bears this time."""
        self.now_ms()
        with self._lock:
            self._last_ms = max(self._last_ms, at_ms)


THE_CLOCK = Clock()


def now_ms() -> int:
    """The time for an entry that is made now."""
    return THE_CLOCK.now_ms()
