"""Which chip is meant: a port per reader with select(), release(), busy(), reset(level), over decoders.

Decoded is the table's scheme: a chain of 74HC595 holds a column address per row and a RESET line per reader, a 74HC138
per row turns the address into NSS while the row's /EN is low, a 74HC151 per row picks the addressed chip's BUSY. The
address changes only while every /EN is high, or a decoder would select a chip nobody meant for a few nanoseconds.
Small kits have a pin each: port.py. Pins come in (wires.py on the controller, simulated.wiring elsewhere), ports go out.
"""

from naqala_firmware.pins import COLUMNS

CHAIN_BYTES = 6


class Decoded:
    """The chain and the rows' enables, shared by all ports of the table."""

    def __init__(self, shift, latch, enables: list, busies: list, bits: dict) -> None:
        """shift has write(bytes); latch, enables and busies are pins; bits are signal names to bits of the chain."""
        self.enables = [pin.value for pin in enables]
        self.busies = [pin.value for pin in busies]
        self._write = shift.write
        self._latch = latch.value
        # Looked up once: to turn a decoder must not take memory.
        rows = range(len(enables))
        self._addresses = [[bits["ROW%d_A%d" % (row, i)] for i in range(3)] for row in rows]
        self._resets = [bits["RESET_%d" % reader] for reader in range(COLUMNS * len(enables))]
        self._chain = bytearray(CHAIN_BYTES)  # all chips in reset, all rows at column 0
        self.turned = bytearray(len(enables))  # the column each row's decoder points to
        self._out()

    def turn(self, row: int, column: int) -> None:
        """Point a row's decoder to a column."""
        address = self._addresses[row]
        for i in range(3):
            self._put(address[i], column >> i & 1)
        self.turned[row] = column
        self._out()

    def reset(self, reader: int, level: int) -> None:
        self._put(self._resets[reader], level)
        self._out()

    def _put(self, bit: int, level: int) -> None:
        # The highest bit is shifted out first, so it stands in the first byte.
        at = CHAIN_BYTES - 1 - (bit >> 3)
        if level:
            self._chain[at] |= 1 << (bit & 7)
        else:
            self._chain[at] &= ~(1 << (bit & 7)) & 255

    def _out(self) -> None:
        for enable in self.enables:
            enable(1)
        self._write(self._chain)
        self._latch(1)
        self._latch(0)


class DecodedPort:
    """One reader behind the decoders."""

    def __init__(self, decoded: Decoded, row: int, column: int) -> None:
        self._decoded = decoded
        self._row = row
        self._column = column
        self._enable = decoded.enables[row]
        self._busy = decoded.busies[row]
        self._turned = decoded.turned

    def select(self) -> None:
        if self._turned[self._row] != self._column:
            self._decoded.turn(self._row, self._column)
        self._enable(0)

    def release(self) -> None:
        self._enable(1)

    def busy(self) -> int:
        if self._turned[self._row] != self._column:
            self._decoded.turn(self._row, self._column)
        return self._busy()

    def reset(self, level: int) -> None:
        self._decoded.reset(self._row * COLUMNS + self._column, level)
