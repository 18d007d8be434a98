"""Time that passes only when somebody waits or a wire is busy, in whole microseconds."""

WRAP = 0x3FFFFFFF  # ticks wrap as they do on the controller


class Clock:
    """`now` never wraps and is for the simulated parts; the firmware sees ticks_us()."""

    def __init__(self, start: int = WRAP - 5_000_000) -> None:
        # Five seconds before the wrap: whoever compares ticks without diff() is found out early.
        self.now = start

    def ticks_us(self) -> int:
        return self.now & WRAP

    def sleep_us(self, us: int) -> None:
        if us > 0:
            self.now += us

    def diff(self, later: int, earlier: int) -> int:
        gone = later - earlier & WRAP
        return gone if gone <= WRAP >> 1 else gone - WRAP - 1
