"""The bus's own test: the fastest clean speed is kept, and wrong bits are told. On both interpreters."""

import unittest

from naqala_firmware import bus
from naqala_firmware.simulated import times
from naqala_firmware.simulated.bench import Bench
from naqala_firmware.simulated.wiring import CONTROLLER


class Cable:
    """A bus that spoils bytes above a speed."""

    def __init__(self, bench, clean_hz):
        self.bench = bench
        self.clean_hz = clean_hz
        self.speeds = []

    def set_speed(self, hz):
        self.speeds.append(hz)
        self.bench.wiring.spi.errors = 0.02 if hz > self.clean_hz else 0.0


def small(clean_hz, **options):
    bench = Bench(rows=1, columns=3, cost=CONTROLLER, **options)
    return bench, Cable(bench, clean_hz), {n: bench.readers[n] for n in range(3)}


class Speed(unittest.TestCase):
    def test_the_fastest_clean_speed_is_kept(self):
        for clean in (4_000_000, 2_000_000, 1_000_000, 500_000):
            _, cable, readers = small(clean)
            speed, told = bus.fastest(readers, cable.set_speed)
            self.assertEqual(speed, clean)
            self.assertEqual(cable.speeds[-1], clean)
            self.assertIn(f"{clean // 1000} kHz, clean on 3 readers", told)

    def test_a_bus_that_is_never_clean_is_told(self):
        _, cable, readers = small(400_000)
        cable.bench.wiring.spi.errors = 0.02
        speed, told = bus.fastest(readers, cable.set_speed)
        self.assertLessEqual(speed, 1_000_000)
        self.assertTrue("not even that is clean" in told or "nobody answers" in told, told)

    def test_a_reader_that_is_missing_does_not_count(self):
        bench, cable, readers = small(2_000_000)
        bench.chips[1].fault = "absent"
        speed, told = bus.fastest(readers, cable.set_speed)
        self.assertEqual(speed, 2_000_000)
        self.assertIn("clean on 2 readers", told)

    def test_nobody_there(self):
        bench, cable, readers = small(4_000_000)
        for chip in bench.chips:
            chip.fault = "absent"
        self.assertEqual(bus.fastest(readers, cable.set_speed)[0], bus.UNKNOWN)

    def test_it_reads_each_number_a_hundred_times_in_a_self_test(self):
        _, cable, readers = small(1_000_000, times=[times.USUAL])
        self.assertEqual(bus.wrong_reads(readers[0]), 0)
        cable.set_speed(4_000_000)
        wrong = bus.wrong_reads(readers[0])
        self.assertGreater(wrong, 3)
        self.assertLessEqual(wrong, 50)


if __name__ == "__main__":
    unittest.main()
