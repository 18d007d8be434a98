"""From a config to drivers that read, and the controller's own wires, bit by bit. On both interpreters."""

import sys
import unittest

from naqala_firmware import pins, readers
from naqala_firmware.simulated import pn5180
from naqala_firmware.simulated.chance import Chance
from naqala_firmware.simulated.clock import Clock
from naqala_firmware.simulated.field import Coils, Tag
from naqala_firmware.simulated.vicinity import Vicinity
from naqala_firmware.simulated.wiring import AIR_ONLY, Decoded


class FakePin:
    """machine.Pin as the wires use it: what is written reaches the simulated table's pin of that number."""

    IN, OUT = 0, 1
    table = None

    def __init__(self, number, mode=None, value=None):
        self.number = number
        if value is not None:
            self.value(value)

    def value(self, level=None):
        pin = FakePin.table.get(self.number)
        return pin.value(level) if pin else None


class Bits:
    """SER and SRCLK of the simulated table: a rising clock moves the chain by one bit."""

    def __init__(self, decoded):
        self.decoded = decoded
        self.data = self.clock = 0

    def ser(self):
        return Line(lambda level: setattr(self, "data", level))

    def srclk(self):
        return Line(self.clocked)

    def clocked(self, level):
        if level and not self.clock:
            self.decoded.shifting = (self.decoded.shifting << 1 | self.data) & (1 << 48) - 1
        self.clock = level


class Line:
    def __init__(self, changed):
        self.changed = changed

    def value(self, level=None):
        self.changed(level)


class FakeMachine:
    Pin = FakePin
    spi = None

    @staticmethod
    def SPI(number, baudrate, polarity, phase, sck, mosi, miso):
        FakeMachine.opened = (number, sck.number, mosi.number, miso.number)
        assert baudrate <= 7_000_000 and polarity == 0 and phase == 0
        return FakeMachine.spi


class Through(unittest.TestCase):
    def setUp(self):
        self.machine = sys.modules.get("machine")
        sys.modules["machine"] = FakeMachine

    def tearDown(self):
        FakePin.table = None
        del sys.modules["machine"]
        if self.machine:
            sys.modules["machine"] = self.machine
        sys.modules.pop("naqala_firmware.wires", None)

    def test_the_controllers_pins_reach_every_reader_of_the_table(self):
        clock = Clock()
        coils = Coils()
        airs = [Vicinity(coils, n, Chance()) for n in range(30)]
        table = Decoded(clock, AIR_ONLY, [pn5180.PN5180(clock, air) for air in airs], pins.SHIFT)
        bits = Bits(table)
        for platform, numbers in (("rp2", pins.PICO), ("esp32", pins.ESP32_S3)):
            FakeMachine.spi = table.spi
            FakePin.table = {numbers["RCLK"]: table.latch}
            FakePin.table[numbers["SER"]] = bits.ser()
            FakePin.table[numbers["SRCLK"]] = bits.srclk()
            for row in range(5):
                FakePin.table[numbers[f"EN{row}"]] = table.enables[row]
                FakePin.table[numbers[f"BUSY{row}"]] = table.busies[row]
            from naqala_firmware.wires import Wires

            # Reader numbers are the config's own: here they run against the places.
            places = {29 - n: [n // 6, n % 6] for n in range(30)}
            config = {"chip": "pn5180", "wiring": "table", "readers": places, "power": {}}
            built = readers.build(config, Wires(platform), clock)
            wanted = (pins.SPI_ID[platform], numbers["SCK"], numbers["MOSI"], numbers["MISO"])
            self.assertEqual(FakeMachine.opened, wanted)
            coils.clear()
            for n in range(30):
                coils.put(Tag(f"e0040150000000{n:02x}"), n)
            for number in built:
                self.assertEqual(built[number].inventory().ids, (f"e0040150000000{29 - number:02x}",))
            self.assertEqual(table.mischosen, 0)


if __name__ == "__main__":
    unittest.main()
