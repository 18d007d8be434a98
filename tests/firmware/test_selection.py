"""The right chip and no other, through decoders or plain pins. On both interpreters."""

import unittest

from naqala_firmware import pins
from naqala_firmware.readers import pin_ports, table_ports
from naqala_firmware.simulated.clock import Clock
from naqala_firmware.simulated.wiring import AIR_ONLY, Decoded, Plain


class Listener:
    """A chip that only remembers what it was told."""

    def __init__(self):
        self.heard = b""
        self.level = 0
        self.selections = 0

    def begin(self):
        self.selections += 1

    def write(self, data):
        self.heard += bytes(data)

    def end(self):
        pass

    def busy(self):
        return 1 if self.heard.endswith(b"b") else 0

    def reset(self, level):
        self.level = level


def table():
    chips = [Listener() for _ in range(30)]
    wiring = Decoded(Clock(), AIR_ONLY, chips, pins.SHIFT)
    return chips, wiring, table_ports({n: [n // 6, n % 6] for n in range(30)}, wiring)


class Through(unittest.TestCase):
    def check(self, chips, wiring, ports):
        for turn in range(2):
            for number in range(len(ports)):
                reader = number * 7 % len(ports)
                port = ports[reader]
                self.assertEqual(port.busy(), turn)
                port.select()
                wiring.spi.write(bytes([reader]) + b"b")
                port.release()
                self.assertEqual(port.busy(), 1)
                self.assertTrue(wiring.idle())
        for number in range(len(chips)):
            self.assertEqual(chips[number].heard, (bytes([number]) + b"b") * 2)
            self.assertEqual(chips[number].selections, 2)

    def test_every_reader_behind_the_decoders(self):
        chips, wiring, ports = table()
        self.check(chips, wiring, ports)
        self.assertEqual(wiring.mischosen, 0)

    def test_every_reader_on_pins_of_its_own(self):
        chips = [Listener() for _ in range(4)]
        places = {n: [10 + n, 20 + n, 30 + n] for n in range(4)}
        wiring = Plain(Clock(), AIR_ONLY, chips, [places[n] for n in range(4)])
        self.check(chips, wiring, pin_ports(places, wiring))

    def test_reset_reaches_one_chip_only_and_moves_no_address(self):
        chips, wiring, ports = table()
        self.assertEqual([chip.level for chip in chips], [0] * 30)
        ports[8].select()
        ports[8].release()
        for reader in (8, 29, 0):
            ports[reader].reset(1)
            self.assertEqual([n for n in range(30) if chips[n].level], [reader])
            self.assertEqual(wiring.address[1], 2)
            ports[reader].reset(0)
        self.assertEqual(sum([chip.level for chip in chips]), 0)


class Glitch(unittest.TestCase):
    def test_an_address_that_changes_under_an_enabled_decoder_reaches_the_wrong_chip(self):
        chips, wiring, _ = table()
        chain = bytearray(6)
        wiring.enables[0].value(0)
        bit = pins.SHIFT["ROW0_A1"]
        chain[5 - (bit >> 3)] = 1 << (bit & 7)
        wiring.write(chain)
        wiring.latch.value(1)
        self.assertEqual(wiring.mischosen, 1)
        self.assertGreater(sum([chip.selections for chip in chips[1:]]), 0)

    def test_the_ports_never_do_that_even_when_a_row_was_left_enabled(self):
        chips, wiring, ports = table()
        ports[0].select()  # and never released
        ports[3].select()
        self.assertEqual(wiring.mischosen, 0)
        self.assertEqual(wiring.spi.selected, [chips[3]])


class Chain(unittest.TestCase):
    def test_every_signal_has_a_bit_of_its_own(self):
        self.assertEqual(sorted(pins.SHIFT.values()), list(range(48)))

    def test_no_two_signals_share_a_pin(self):
        for wires in (pins.PICO, pins.ESP32_S3):
            self.assertEqual(len(set(wires.values())), len(wires))
            self.assertEqual(sorted(wires), sorted(pins.PICO))


if __name__ == "__main__":
    unittest.main()
