"""Wires that are not there: an SPI bus, pins and the decoders between controller and chips, and what they cost in time.

The firmware meets the same methods as on machine.SPI and machine.Pin: write, readinto, write_readinto, value. Decoded
wiring is the table's: six 74HC595 in a chain give every row its column address and every chip its RESET; a 74HC138 per
row, enabled by /EN, gives NSS; a 74HC151 per row gives BUSY of the addressed chip. Changing the address under an enabled
decoder selects a chip nobody meant: here too, and it is counted. Plain wiring is a pin each.
"""

from collections import namedtuple

from naqala_firmware.pins import COLUMNS
from naqala_firmware.simulated.chance import Chance

# What the controller's own time costs: per byte on the bus, per SPI frame with its Python, per turn of the shift registers.
Cost = namedtuple("Cost", ("byte_us", "frame_us", "shift_us"))
AIR_ONLY = Cost(0, 0, 0)
# 4 MHz; four frames and their bytes make the 0.45 ms a slot that a Pico is expected to need. The PIO shifts; the figure for
# that is from the emulated controller (tests/emulated), where the same 48 bits took Python 270 to 1,700 us.
CONTROLLER = Cost(2, 92, 60)

BITS = 48


class Pin:
    """A pin of the controller: an output tells `changed(level)`, an input asks `look()`."""

    def __init__(self, level: int = 1, changed=None, look=None) -> None:
        self.level = level
        self.changed = changed
        self.look = look

    def value(self, level: int | None = None):
        if level is None:
            return self.look() if self.look else self.level
        if level != self.level:
            self.level = level
            if self.changed:
                self.changed(level)
        return None


class Bus:
    """The SPI bus: every selected chip hears what is written; if several talk back, low wins."""

    def __init__(self, clock, cost: Cost) -> None:
        self.clock = clock
        self.cost = cost
        self.selected: list = []
        self.chance = Chance(1)
        self.errors = 0.0  # how often a byte arrives with one bit wrong, either way

    def select(self, chip) -> None:
        if not self.selected:
            self.clock.now += self.cost.frame_us
        self.selected.append(chip)
        chip.begin()

    def release(self, chip) -> None:
        if chip in self.selected:
            self.selected.remove(chip)
            chip.end()

    def write(self, data: bytes) -> None:
        self.clock.now += self.cost.byte_us * len(data)
        if self.errors:
            data = self._spoilt(data)
        for chip in self.selected:
            chip.write(data)

    def readinto(self, into: bytearray, fill: int = 0) -> None:
        self.clock.now += self.cost.byte_us * len(into)
        if len(self.selected) == 1:
            self.selected[0].read(into)
            if self.errors:
                into[:] = self._spoilt(into)
            return
        for i in range(len(into)):
            into[i] = 255
        for chip in self.selected:
            one = bytearray(len(into))
            chip.read(one)
            for i in range(len(into)):
                into[i] &= one[i]

    def _spoilt(self, data) -> bytes:
        spoilt = bytearray(data)
        for i in range(len(spoilt)):
            if self.chance.happens(self.errors):
                spoilt[i] ^= 1 << self.chance.below(8)
        return bytes(spoilt)

    def write_readinto(self, data: bytes, into: bytearray) -> None:
        """Both ways at once, for chips that talk while they listen."""
        self.clock.now += self.cost.byte_us * len(data)
        for i in range(len(into)):
            into[i] = 255
        for chip in self.selected:
            chip.exchange(data, into)


class Plain:
    """A pin for each NSS, BUSY and RESET: `places` are their numbers, for each chip."""

    def __init__(self, clock, cost: Cost, chips: list, places: list) -> None:
        self.spi = bus = Bus(clock, cost)
        self.mischosen = 0
        self.pins = {}
        for chip, (nss, busy, reset) in zip(chips, places):
            self.pins[nss] = Pin(1, self._nss(bus, chip))
            self.pins[busy] = Pin(0, None, chip.busy)
            self.pins[reset] = Pin(0, chip.reset)

    def _nss(self, bus: Bus, chip):
        return lambda level: bus.release(chip) if level else bus.select(chip)

    def out(self, number: int, level: int) -> Pin:
        self.pins[number].value(level)
        return self.pins[number]

    def into(self, number: int) -> Pin:
        return self.pins[number]

    def idle(self) -> bool:
        """Is every NSS released?"""
        return not self.spi.selected


class Decoded:
    """The table's wiring. `bits` maps signal names to bits of the chain, as pins.SHIFT does."""

    def __init__(self, clock, cost: Cost, chips: list, bits: dict, rows: int = 5, columns: int = 6) -> None:
        self.clock = clock
        self.cost = cost
        self.spi = Bus(clock, cost)
        self.chips = chips
        self.rows = rows
        # Each row's chips by address; the 74HC138 has eight outputs, and nobody listens on most of the last two.
        self.at = [[self._chip(row, column, columns) for column in range(8)] for row in range(rows)]
        places = [n // columns * COLUMNS + n % columns for n in range(len(chips))]
        self.resets = [bits["RESET_%d" % place] for place in places]
        self.address_bits = [[bits["ROW%d_A%d" % (row, i)] for i in range(3)] for row in range(rows)]
        self.shifting = self.outputs = 0
        self.address = [0] * rows
        self.addressed = [chips[0] for chips in self.at]  # the chip at each row's address, enabled or not
        self.chosen = [None] * rows  # the chip each row's decoder has selected
        self.mischosen = 0  # addresses changed under an enabled decoder
        self.latch = Pin(0, self._latched)
        self.enables = [Pin(1, self._enabled(row)) for row in range(rows)]
        self.busies = [Pin(0, None, self._busy(row)) for row in range(rows)]

    def decoders(self) -> tuple:
        return self, self.latch, self.enables, self.busies

    def write(self, data: bytes) -> None:
        """The chain's own SPI: bits move on, the first one out ends farthest from the controller."""
        self.clock.now += self.cost.shift_us
        for byte in data:
            self.shifting = (self.shifting << 8 | byte) & (1 << BITS) - 1

    def _latched(self, level: int) -> None:
        if not level:
            return
        self.outputs = self.shifting
        for reader, bit in enumerate(self.resets):
            self.chips[reader].reset(self.outputs >> bit & 1)
        for row in range(self.rows):
            address = 0
            for i in range(3):
                address |= (self.outputs >> self.address_bits[row][i] & 1) << i
            if address != self.address[row]:
                if not self.enables[row].level:
                    self.mischosen += 1
                    self._choose(row, self.at[row][address ^ self.address[row]])
                self.address[row] = address
                self.addressed[row] = self.at[row][address]

    def _chip(self, row: int, column: int, columns: int):
        number = row * columns + column
        return self.chips[number] if column < columns and number < len(self.chips) else None

    def _enabled(self, row: int):
        return lambda level: self._choose(row, None if level else self.addressed[row])

    def _choose(self, row: int, chip) -> None:
        if self.chosen[row] is not None:
            self.spi.release(self.chosen[row])
        self.chosen[row] = chip
        if chip is not None:
            self.spi.select(chip)

    def _busy(self, row: int):
        addressed = self.addressed

        def look() -> int:
            chip = addressed[row]
            return chip.busy() if chip is not None else 0

        return look

    def idle(self) -> bool:
        return not self.spi.selected
