"""Staying alive: the watchdog is fed after a healthy sweep, and a good start is written down.

Main counts in a file the starts that failed; one that proves itself (PROVEN_MS of healthy sweeps) sets the count back.
Three that failed are a boot loop: main then takes the previous firmware, or starts in safe mode (see main.py).
The one call that may take longer than the watchdog waits is the look-up of a broker's name: it begins with a full wait,
and if that is not enough, it is the network that has failed and not the firmware.
"""

import gc
import os

WATCHDOG_MS = 8000  # the most a Pico's watchdog can wait; a sweep takes one second, at worst 7 (schedule.py)
PROVEN_MS = 10000
GARBAGE = 16384  # bytes


def boot_number() -> int:
    """Tells this start from every other; by chance, so it wears out no flash."""
    return int.from_bytes(os.urandom(4), "big")


def keep_heap_whole() -> None:
    """Collect garbage early and often, MicroPython only.

    Left alone, it collects when the heap is full; what lives long has then settled all over it, and after minutes of
    play the largest free piece of a 192 KB heap is 2 KB. Collected every GARBAGE bytes it stayed 64 KB (runs of 15 minutes).
    """
    if hasattr(gc, "threshold"):
        gc.threshold(GARBAGE)


class Life:
    """`watchdog` has feed() or is None; `proven` is called once, when this start has proved itself; `excuse` once,
    before that, when a bite of the watchdog shall not count against it."""

    def __init__(self, watchdog=None, proven=None, excuse=None) -> None:
        self._watchdog = watchdog
        self._proven = proven
        self._excuse = excuse

    def look_up(self) -> None:
        """A name is about to be looked up, which may take long."""
        if self._watchdog:
            self._watchdog.feed()
        if self._proven and self._excuse:
            excuse, self._excuse = self._excuse, None
            excuse()

    def healthy(self, now: int) -> None:
        """A sweep was completed: every reader was asked, or is in quarantine and known to be."""
        if self._watchdog:
            self._watchdog.feed()
        if self._proven and now >= PROVEN_MS:
            proven, self._proven = self._proven, None
            proven()
