"""The chain of shift registers, as a little SPI that only writes: 48 bits whenever another column or RESET is wanted.

On a Pico a state machine of the PIO shifts them, in 12 us; Python alone needed 270 to 1,700 us, which was most of a visit's own
time. Controllers without a PIO still do it by hand.
"""

import time

BIT_HZ = 4_000_000  # a 74HC595 at 3.3 V takes 20 MHz
WAIT_US = 15  # 48 bits, and a little


class Shift:
    """By hand: a pin for the data, a pin for the clock."""

    def __init__(self, data, clock) -> None:
        self._data = data.value
        self._clock = clock.value

    def write(self, chain) -> None:
        data = self._data
        clock = self._clock
        for byte in chain:
            for bit in (128, 64, 32, 16, 8, 4, 2, 1):
                data(1 if byte & bit else 0)
                clock(1)
                clock(0)


class PioShift:
    """By a state machine: it takes 24 bits at a time, which a small integer holds, so nothing is allocated."""

    def __init__(self, rp2, data, clock) -> None:
        @rp2.asm_pio(
            out_init=rp2.PIO.OUT_LOW,
            sideset_init=rp2.PIO.OUT_LOW,
            out_shiftdir=rp2.PIO.SHIFT_LEFT,
            autopull=True,
            pull_thresh=24,
        )
        def program():
            out(pins, 1).side(0)  # type: ignore[name-defined] # noqa: F821
            nop().side(1)  # type: ignore[name-defined] # noqa: F821

        machine = rp2.StateMachine(0, program, freq=2 * BIT_HZ, out_base=data, sideset_base=clock)
        machine.active(1)
        self._put = machine.put

    def write(self, chain) -> None:
        put = self._put
        put(chain[0] << 16 | chain[1] << 8 | chain[2], 8)
        put(chain[3] << 16 | chain[4] << 8 | chain[5], 8)
        time.sleep_us(WAIT_US)


def shift(data, clock):
    try:
        import rp2
    except ImportError:
        return Shift(data, clock)
    return PioShift(rp2, data, clock)
