"""Every time the driver assumes of its chip, half as long and twice as long: it still reads, alone and in lanes.

The chip's times are simulated/times.py, from the datasheet; the driver's limits are its own. On both interpreters.
"""

import unittest

from naqala_firmware.lanes import Lanes
from naqala_firmware.pn5180 import Lane
from naqala_firmware.reader import ReaderFault
from naqala_firmware.simulated import roll, times
from naqala_firmware.simulated.bench import Bench
from naqala_firmware.simulated.chance import Chance
from naqala_firmware.simulated.wiring import CONTROLLER, Cost

SLOW_SHIFT = Cost(2, 92, 1700)  # 48 bits shifted by Python on a Pico W: what 0.1.0 did
AMPLE = 600_000
TAGS = 5


def filled(chip_times, cost=CONTROLLER, rows=1, columns=2):
    bench = Bench(rows=rows, columns=columns, cost=cost, times=chip_times)
    for number in range(rows * columns):
        for tag in roll.tags("random", TAGS, Chance(number + 1)):
            bench.coils.put(tag, number)
    return bench


class Varied(unittest.TestCase):
    def assert_reads(self, bench, why):
        for _ in range(3):
            for number, one in enumerate(bench.readers):
                answer = one.inventory(budget_us=AMPLE)
                self.assertEqual((len(answer.ids), answer.complete), (TAGS, True), why)
                self.assertFalse(bench.chips[number].field)
        for chip in bench.chips:
            self.assertEqual(chip.violations, 0, why)

    def test_each_time_by_a_factor_of_two_both_ways(self):
        for name in times.FIELDS:
            if name in ("t1", "boot"):
                continue  # one is the standard's, for the other see below
            for numerator, denominator in ((1, 2), (2, 1)):
                chip = times.scaled(name, numerator, denominator)
                for cost in (CONTROLLER, SLOW_SHIFT):
                    self.assert_reads(filled([chip], cost), f"{name} {numerator}/{denominator}")

    def test_the_least_and_the_most_of_the_table(self):
        for name in times.FIELDS:
            if name == "boot":
                continue
            for at in (0, 2):
                us = times.TABLE[name][at]
                self.assert_reads(filled([times.changed(name, us)]), f"{name} {us}")

    def test_readers_that_all_differ_in_lanes(self):
        chance = Chance(5)
        chips = [times.changed("boot", 2400, times.spread(chance)) for _ in range(5)]
        for cost in (CONTROLLER, SLOW_SHIFT):
            bench = filled(chips, cost, rows=5, columns=1)
            lanes = Lanes(Lane(bench.wiring.spi, bench.clock), 5)
            for _ in range(3):
                for answer in lanes.inventory(bench.readers, AMPLE):
                    self.assertFalse(isinstance(answer, ReaderFault), answer)
                    self.assertEqual((len(answer.ids), answer.complete), (TAGS, True))

    def test_a_late_start_of_frame_is_not_an_empty_place(self):
        # 0.1.0 looked after 490 us: with these two it found no tag at all, and no fault either.
        late = times.changed("sof", 100, times.changed("send", 80))
        self.assert_reads(filled([late]), "late")


class Boot(unittest.TestCase):
    def test_a_slow_crystal_is_found_by_a_later_try(self):
        for boot_us in (4_800, 60_000, 1_000_000, 2_500_000):
            bench = filled([times.scaled("boot", boot_us, times.USUAL.boot)])
            one = bench.readers[0]
            wait_us = 250_000
            tries = 0
            while not one.started:
                began = bench.clock.now
                try:
                    one.start()
                except ReaderFault as fault:
                    self.assertEqual(fault.code, "absent")
                    self.assertLess(bench.clock.now - began, 8_000)  # nobody waits for it
                else:
                    continue
                one.stop()  # as the round does with a reader in quarantine
                tries += 1
                self.assertLess(tries, 8, boot_us)
                bench.clock.sleep_us(wait_us)
                wait_us *= 2
            self.assertEqual(len(one.inventory().ids), TAGS)

    def test_a_chip_that_never_answers_is_reset_again_after_a_while(self):
        bench = filled([times.USUAL])
        bench.chips[0].fault = "absent"
        resets = [0]
        reset = bench.chips[0].reset

        def counted(level):
            resets[0] += level and not bench.chips[0].running
            reset(level)

        bench.chips[0].reset = counted
        for _ in range(20):
            with self.assertRaises(ReaderFault):
                bench.readers[0].start()
            bench.readers[0].stop()
            bench.clock.sleep_us(1_000_000)
        self.assertGreaterEqual(resets[0], 5)


class Trouble(unittest.TestCase):
    """What the chip itself reports has a name of its own."""

    def code_of(self, bench):
        with self.assertRaises(ReaderFault) as caught:
            for _ in range(40):
                bench.readers[0].inventory()
        return caught.exception.code

    def test_a_hot_chip(self):
        bench = filled([times.USUAL])
        bench.readers[0].inventory()
        bench.chips[0].fault = "hot"
        self.assertEqual(self.code_of(bench), "hot")

    def test_a_foreign_field(self):
        bench = filled([times.USUAL])
        bench.readers[0].inventory()
        bench.chips[0]._later(bench.clock.now, 1 << 10)
        self.assertEqual(self.code_of(bench), "foreign")

    def test_a_refused_command(self):
        bench = filled([times.USUAL])
        bench.readers[0].inventory()
        bench.chips[0]._later(bench.clock.now, 1 << 17)
        self.assertEqual(self.code_of(bench), "refused")

    def test_bit_errors_on_the_bus_never_make_a_tag_up(self):
        bench = filled([times.USUAL])
        ids = set(bench.readers[0].inventory().ids)
        bench.wiring.spi.errors = 0.002
        for _ in range(60):
            try:
                found = bench.readers[0].inventory().ids
            except ReaderFault:
                continue
            self.assertTrue(set(found) <= ids)
        bench.wiring.spi.errors = 0.0
        while True:
            try:
                if bench.readers[0].inventory() == (tuple(sorted(ids)), True):
                    break
            except ReaderFault:
                bench.clock.sleep_us(4_000_000)


class Noise(unittest.TestCase):
    def test_noise_in_empty_slots_costs_time_and_no_tag(self):
        bench = filled([times.USUAL])
        bench.chips[0].noise = 0.05
        for _ in range(10):
            self.assertEqual(len(bench.readers[0].inventory(budget_us=AMPLE).ids), TAGS)

    def test_collisions_without_their_flag_are_told_apart_too(self):
        for share in (0.5, 1.0):
            bench = Bench(rows=1, columns=1, cost=CONTROLLER)
            bench.airs[0].unflagged = share
            for tag in roll.tags("same slots", 4, Chance(3)):
                bench.coils.put(tag, 0)
            for _ in range(4):
                answer = bench.readers[0].inventory(budget_us=AMPLE)
            self.assertEqual(len(answer.ids), 4)

    def test_parked_coils_in_tune_let_a_reader_hear_its_neighbours(self):
        """Why the antenna is open while a reader is parked: with tuned coils around it a reader hears other tiles."""
        for parked, heard in (("", TAGS), ("tuned", 3 * TAGS)):
            bench = Bench(rows=1, columns=3, cost=CONTROLLER, parked=parked)
            for number in range(3):
                for tag in roll.tags("random", TAGS, Chance(number + 1)):
                    bench.coils.put(tag, number)
            self.assertEqual(len(bench.readers[1].inventory(budget_us=AMPLE).ids), heard)


class Antenna(unittest.TestCase):
    def test_it_is_closed_in_the_field_and_open_while_parked(self):
        bench = filled([times.USUAL])
        chip = bench.chips[0]
        seen = []
        request = chip.air.request

        def watched(data, starts, ends):
            seen.append(chip.registers[0x29] & 0x10)
            return request(data, starts, ends)

        chip.air.request = watched
        bench.readers[0].inventory()
        self.assertEqual(set(seen), {0x10})
        self.assertEqual(chip.registers[0x29] & 0x10, 0)

    def test_the_gain_shows_the_voltage_at_the_coil(self):
        bench = filled([times.USUAL])
        shown = []
        for voltage in (400, 500, 900):
            bench.airs[0].voltage = voltage
            shown.append(bench.readers[0].gain())
        self.assertEqual([shown[1] - shown[0], shown[2] - shown[0]], [100, 500])
        self.assertFalse(bench.chips[0].field)
        self.assertEqual(len(bench.readers[0].inventory().ids), TAGS)


if __name__ == "__main__":
    unittest.main()
