"""Staying alive: the watchdog is fed after a healthy sweep and by nothing else, and a good start is written down.

Main counts starts in a file; a start that proves itself (PROVEN_MS of healthy sweeps) sets the count back. Three that
do not are a boot loop: main then takes the previous firmware, or starts in safe mode (see main.py).
"""

import gc
import os

WATCHDOG_MS = 8000  # the most a Pico's watchdog can wait; a sweep takes one second, at worst a few
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
    """`watchdog` has feed() or is None; `proven` is called once, when this start has proved itself."""

    def __init__(self, watchdog=None, proven=None) -> None:
        self._watchdog = watchdog
        self._proven = proven

    def healthy(self, now: int) -> None:
        """A sweep was completed: every reader was asked, or is in quarantine and known to be."""
        if self._watchdog:
            self._watchdog.feed()
        if self._proven and now >= PROVEN_MS:
            proven, self._proven = self._proven, None
            proven()
