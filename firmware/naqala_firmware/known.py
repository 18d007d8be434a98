"""What one reader remembers between two inventories: the ids believed to be on it, and how far its chip can be trusted.

Ids are eight bytes each in one bytearray, in the order of the air (lowest byte first), so that comparing takes no memory.
"""

from naqala_firmware import iso15693
from naqala_firmware.reader import MOST_TAGS

VERIFY_EVERY = 16  # inventories


class Known:
    def __init__(self, stagger: int = 0) -> None:
        self.ids = bytearray(MOST_TAGS * 8)
        self.names = [""] * MOST_TAGS
        self.seen = bytearray(MOST_TAGS)  # which of them answered this time
        self.count = 0
        self.since_verified = stagger % VERIFY_EVERY  # not all readers of a table verify in the same sweep
        # The datasheet does not say whether collision positions count from 0 or 1: the first collisions tell.
        self.position_base = 0
        self.position_proven = False
        self.doubts = 0

    def add(self, id: bytearray) -> None:
        """Believe in one more id; it has just answered."""
        at = self.count
        copy(id, 0, self.ids, at * 8)
        self.names[at] = iso15693.name(id, 0)
        self.seen[at] = 1
        self.count += 1

    def sharing(self, data: bytearray, at: int, bits: int) -> int:
        """How many of the ids have the same lowest bits as the one in data."""
        found = 0
        for i in range(self.count):
            if iso15693.same_low_bits(self.ids, i * 8, data, at, bits):
                found += 1
        return found

    def forget(self, at: int) -> None:
        """The last one takes its place."""
        last = self.count - 1
        copy(self.ids, last * 8, self.ids, at * 8)
        self.names[at] = self.names[last]
        self.seen[at] = self.seen[last]
        self.count = last


def copy(source: bytearray, at: int, target: bytearray, to: int) -> None:
    for i in range(8):
        target[to + i] = source[at + i]


def find(ids: bytearray, count: int, data: bytearray, at: int) -> int:
    """Which of the ids stands in data at `at`; -1 for none."""
    low = data[at]
    for i in range(count):
        start = i * 8
        if ids[start] == low:
            k = 1
            while k < 8 and ids[start + k] == data[at + k]:
                k += 1
            if k == 8:
                return i
    return -1
