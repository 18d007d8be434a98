"""Questions to the tags take no memory: a scan that never rests must not wait for the garbage collector."""

import gc
import unittest

from naqala_firmware.pins import COLUMNS, ROWS, SHIFT
from naqala_firmware.pn5180 import PN5180, Lane
from naqala_firmware.selection import Decoded, DecodedPort

SETTINGS = b"\x00\x02\x00\x00\xfd\x27\x00\x00"  # field on, and the timer as the driver sets it: 10237
NOBODY = b"\x02\x10\x00\x00\x00\x00\x00\x00"
VERSION = b"\x00\x04"
TX_CONFIG = b"\x43\x07\x00\x00"
STARTED = b"\x04\x00\x00\x00\x00\x00\x00\x00"


class Wires:
    """A chip on which nobody ever lies, and that takes no memory itself."""

    def __init__(self):
        self.asked = 0
        self.now = 0

    def write(self, data):
        self.asked = data[0] << 8 | data[len(data) - 1]

    def readinto(self, into, fill):
        answer = NOBODY
        if self.asked >> 8 == 0x07:
            answer = VERSION
        elif self.asked == 0x050C:
            answer = SETTINGS
        elif self.asked == 0x0518:
            answer = TX_CONFIG
        elif not self.now:
            answer = STARTED
            self.now = 1
        for i in range(len(into)):
            into[i] = answer[i]

    def select(self):
        pass

    def release(self):
        pass

    def busy(self):
        return 0

    def reset(self, level):
        pass

    def ticks_us(self):
        return 1

    def sleep_us(self, us):
        pass

    def diff(self, later, earlier):
        return 0


class Pin:
    """Takes a level and forgets it."""

    def value(self, level=0):
        return 0


class Decoders(unittest.TestCase):
    def test_a_thousand_turns_of_the_decoders_take_none(self):
        decoded = Decoded(Wires(), Pin(), [Pin()] * ROWS, [Pin()] * ROWS, SHIFT)
        ports = [DecodedPort(decoded, number % ROWS, number % COLUMNS) for number in range(ROWS * COLUMNS)]
        allocated = getattr(gc, "mem_alloc", lambda: 0)
        gc.collect()
        gc.disable()
        try:
            before = allocated()
            for number in range(1000):
                ports[7 * number % 30].select()
                ports[7 * number % 30].release()
            taken = allocated() - before
        finally:
            gc.enable()
        # The last five were ports 5, 12, 19, 26 and 3: rows 0, 2, 4, 1, 3 at columns 5, 0, 1, 2, 3.
        self.assertEqual(bytes(decoded.turned), bytes((5, 2, 0, 3, 1)))
        self.assertLess(taken, 200)


class Memory(unittest.TestCase):
    def test_a_hundred_inventories_of_an_empty_coil_take_none(self):
        wires = Wires()
        one = PN5180(Lane(wires, wires), wires)
        one.start()
        # CPython has no count of what is allocated; there the test shows that the canned chip is read as empty.
        allocated = getattr(gc, "mem_alloc", lambda: 0)
        one.inventory()
        gc.collect()
        gc.disable()
        try:
            before = allocated()
            for _ in range(100):
                self.assertEqual(one.inventory(True).ids, ())
            probes = allocated() - before
            before = allocated()
            for _ in range(100):
                self.assertTrue(one.inventory().complete)
            questions = allocated() - before
        finally:
            gc.enable()
        # 1,600 slots; what remains is the answer, a namedtuple of an empty tuple, and the list it is made from.
        self.assertLess(probes, 100 * 48, probes)
        self.assertLess(questions, 100 * 160, questions)


if __name__ == "__main__":
    unittest.main()
