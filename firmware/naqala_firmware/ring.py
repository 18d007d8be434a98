"""The last few hundred numbered lines, in a fixed piece of memory: what `resync` re-sends. Lines in, lines out.

Numbers rise by one from 1. The buffer is allocated once and the oldest lines make room for new ones, so the ring
neither grows nor breaks up the heap, however long the table runs.
"""

from array import array


class Ring:
    """`add` takes the line that bears number `next`; `line` gives it back while the ring holds it."""

    def __init__(self, lines: int = 400, size: int = 24576) -> None:
        self._memory = bytearray(size)
        self._starts = array("H", bytes(2 * lines))
        self._lengths = array("H", bytes(2 * lines))
        self._lines = lines
        self._head = 0
        self.oldest = 1
        self.next = 1

    def holds(self, seq: int) -> bool:
        return self.oldest <= seq < self.next

    def add(self, line: bytes) -> None:
        length = len(line)
        if length > len(self._memory):
            raise ValueError("a line of %d bytes in a ring of %d" % (length, len(self._memory)))
        if self.next - self.oldest == self._lines:
            self.oldest += 1
        if self._head + length > len(self._memory):
            while self.oldest < self.next and self._starts[self.oldest % self._lines] >= self._head:
                self.oldest += 1  # these lie in the rest of the buffer, which this lap leaves unused
            self._head = 0
        end = self._head + length
        while self.oldest < self.next and self._head <= self._starts[self.oldest % self._lines] < end:
            self.oldest += 1
        slot = self.next % self._lines
        self._starts[slot] = self._head
        self._lengths[slot] = length
        self._memory[self._head : end] = line
        self._head = end
        self.next += 1

    def line(self, seq: int) -> bytes:
        """The line with this number, as it was first said."""
        if not self.holds(seq):
            raise KeyError(seq)
        start = self._starts[seq % self._lines]
        return bytes(self._memory[start : start + self._lengths[seq % self._lines]])
