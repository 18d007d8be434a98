"""Microseconds for the drivers: the same three methods as simulated.clock, on the controller's own timer."""

import time


class Clock:
    """ticks_us() wraps around, so times are only ever compared with diff()."""

    def __init__(self) -> None:
        self.ticks_us = time.ticks_us
        self.sleep_us = time.sleep_us
        self.diff = time.ticks_diff
