"""ISO 14443 type A without any chip: commands, and times of its frames at 106 kbit/s in microseconds."""

REQA = 0x26  # seven bits: who is idle?
WUPA = 0x52  # seven bits: who is there, halted or not?
SELECT = (0x93, 0x95, 0x97)  # one command for each cascade level
WHOLE = 0x70  # all bits of a level are given: select
CASCADE_TAG = 0x88  # first byte of a level that is followed by another
MORE_LEVELS = 0x04  # in a tag's answer to select
HALT = b"\x50\x00\x57\xcd"

BIT_US = 9.44
ANSWER_US = 90  # a tag answers so long after the request's end
GUARD_US = 5000  # field on to the first request


def frame_us(bits: int) -> int:
    """A frame of so many data bits: start, a parity bit after each whole byte, end."""
    return int((bits + bits // 8 + 2) * BIT_US + 0.5)
