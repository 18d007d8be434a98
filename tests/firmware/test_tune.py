"""Tuning a coil: measured beside the usual round, shown on the lamp, and over when nobody asks again. Both interpreters."""

import unittest

from naqala_firmware import config, pn5180_frames
from naqala_firmware.simulated.table import SimulatedTable
from naqala_firmware.tune import LASTS_MS, brightness
from naqala_protocol import FROM_CONTROLLER, Decoder, Fault, Seen, Tune, Tuned, encode


class Tuning(unittest.TestCase):
    def setUp(self):
        self.table = SimulatedTable(6, seed=3)
        self.decoder = Decoder(FROM_CONTROLLER)
        self.heard(1000)

    def heard(self, milliseconds):
        self.table.run(milliseconds)
        return self.decoder.feed(self.table.said())

    def test_ten_a_second_with_the_best_so_far(self):
        self.table.hear(encode(Tune((2,))))
        lines = [line for line in self.heard(2000) if type(line) is Tuned]
        self.assertGreater(len(lines), 14)
        self.assertLess(len(lines), 22)
        self.assertEqual({line.reader for line in lines}, {2})
        usual = lines[-1].gain
        self.table.bench.airs[2].voltage += 50
        self.heard(300)
        self.table.bench.airs[2].voltage -= 80
        lines = [line for line in self.heard(1000) if type(line) is Tuned]
        self.assertEqual((lines[-1].gain, lines[-1].best), (usual - 30, usual + 50))

    def test_several_readers_in_turn(self):
        self.table.hear(encode(Tune((2, 5))))
        lines = [line.reader for line in self.heard(1000) if type(line) is Tuned]
        self.assertEqual(lines[:4], [2, 5, 2, 5])

    def test_the_round_goes_on_meanwhile(self):
        self.table.hear(encode(Tune((2,))))
        self.heard(500)
        self.table.place("e004015000000001", 4)
        self.table.place("e004015000000002", 2)
        told = self.heard(2000)
        self.assertEqual({line.reader for line in told if type(line) is Seen}, {2, 4})
        self.assertEqual([line for line in told if type(line) is Fault], [])

    def test_it_ends_by_itself_and_by_order(self):
        self.table.hear(encode(Tune((2,))))
        self.heard(LASTS_MS + 500)
        self.assertEqual([line for line in self.heard(1000) if type(line) is Tuned], [])
        self.table.hear(encode(Tune((2,))))
        self.heard(500)
        self.table.hear(encode(Tune(())))
        self.heard(100)
        self.assertEqual([line for line in self.heard(1000) if type(line) is Tuned], [])

    def test_the_lamp_is_a_gauge_and_then_a_lamp_again(self):
        strip = self.table.strip
        self.table.hear(encode(Tune((2,))))
        self.heard(500)
        bright = strip.colours[2]
        self.assertEqual(bright[0], bright[1])
        self.table.bench.airs[2].voltage -= 60
        self.heard(500)
        self.assertLess(strip.colours[2][0], bright[0])
        self.table.hear(encode(Tune(())))
        self.heard(500)
        self.assertEqual(strip.colours[2], (0, 0, 0))

    def test_a_broken_reader_is_no_measurement(self):
        self.table.fault(2, "stuck")
        self.table.hear(encode(Tune((2,))))
        told = self.heard(1500)
        self.assertEqual([line for line in told if type(line) is Tuned], [])
        self.assertEqual([line.code for line in told if type(line) is Fault], ["busy"])

    def test_brightness(self):
        self.assertEqual(brightness(600, 600), 255)
        self.assertEqual(brightness(300, 600), 8)
        self.assertGreater(brightness(590, 600), brightness(580, 600))


class Power(unittest.TestCase):
    def test_levels_rise_to_the_chips_full_power(self):
        fields = []
        for level in range(1, pn5180_frames.MOST_POWER + 1):
            frame = pn5180_frames.power(level)
            value = int.from_bytes(frame[-4:], "little")
            fields.append((3 - (value >> 1 & 3), value >> 4 & 15))
        self.assertEqual(fields, sorted(fields))
        self.assertEqual(len(set(fields)), pn5180_frames.MOST_POWER)
        self.assertEqual((fields[0], fields[-1]), ((0, 0), (3, 15)))

    def test_the_config_knows_as_many(self):
        self.assertEqual(config.MOST_POWER, pn5180_frames.MOST_POWER)

    def test_it_reaches_the_chip(self):
        from naqala_firmware.pn5180 import PN5180, Lane
        from naqala_firmware.simulated.bench import Bench

        bench = Bench(rows=1, columns=1)
        one = PN5180(Lane(bench.wiring.spi, bench.clock), bench.readers[0].port, 17)
        one.start()
        self.assertEqual(bench.chips[0].registers[0x27] & 0xFE, 15 << 4 | 2 << 1)


if __name__ == "__main__":
    unittest.main()
