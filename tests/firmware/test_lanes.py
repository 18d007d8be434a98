"""Five readers in step: the same answers as one by one, sooner, and a broken row leaves the others alone. Both interpreters."""

import gc
import unittest

from naqala_firmware.lanes import Lanes
from naqala_firmware.pn5180 import Lane
from naqala_firmware.reader import EMPTY, ReaderFault
from naqala_firmware.simulated import roll
from naqala_firmware.simulated.bench import Bench
from naqala_firmware.simulated.chance import Chance
from naqala_firmware.simulated.wiring import AIR_ONLY, CONTROLLER

AMPLE = 600_000
SOONER = 1.8


def rows_of(bench, step):
    return [bench.readers[number] for number in bench.diagonal(step)]


def filled(number, columns_of_table=6, **options):
    bench = Bench(columns=columns_of_table, **options)
    chance = Chance(21)
    for tag in roll.tags("random", number, chance):
        bench.coils.put(tag, chance.below(5 * columns_of_table))
    return bench, Lanes(Lane(bench.wiring.spi, bench.clock), 5)


class Together(unittest.TestCase):
    def test_neighbouring_rows_are_never_in_neighbouring_columns(self):
        bench = Bench()
        for step in range(6):
            places = [number % 6 for number in bench.diagonal(step)]
            for row in range(4):
                self.assertGreaterEqual(abs(places[row] - places[row + 1]), 2)
        everybody = [number for step in range(6) for number in bench.diagonal(step)]
        self.assertEqual(sorted(everybody), list(range(30)))

    def test_the_same_tags_as_one_by_one(self):
        bench, lanes = filled(50, 2)
        expected = [one.inventory(budget_us=AMPLE) for one in bench.readers]
        for _ in range(3):
            for step in range(2):
                answers = lanes.inventory(rows_of(bench, step), AMPLE)
                self.assertEqual(answers, [expected[number] for number in bench.diagonal(step)])
        self.assertEqual(bench.wiring.mischosen, 0)
        self.assertTrue(bench.wiring.idle())
        self.assertFalse(any(chip.field for chip in bench.chips))

    def test_a_probe_of_all_rows_is_short_and_finds_the_newcomers(self):
        bench, lanes = filled(0, 1)
        lanes.inventory(bench.readers, AMPLE)
        began = bench.clock.now
        self.assertEqual(lanes.inventory(bench.readers, AMPLE, True), [EMPTY] * 5)
        self.assertLess(bench.clock.now - began, 3_800)
        chance = Chance(4)
        for row in range(5):
            for tag in roll.tags("random", row, chance):
                bench.coils.put(tag, row)
        answers = lanes.inventory(bench.readers, AMPLE, True)
        self.assertEqual(
            [(len(answer.ids), answer.complete) for answer in answers], [(n, True) for n in range(5)]
        )

    def test_a_broken_row_drops_out_alone(self):
        for fault in ("absent", "stuck", "dead", "hung", "no field"):
            bench, lanes = filled(25, 1, cost=CONTROLLER)
            expected = [one.inventory(budget_us=AMPLE) for one in bench.readers]
            bench.chips[2].fault = fault
            answers = lanes.inventory(bench.readers, AMPLE)
            self.assertTrue(isinstance(answers[2], ReaderFault), fault)
            self.assertEqual(answers[:2] + answers[3:], expected[:2] + expected[3:])
            self.assertTrue(bench.wiring.idle())
            bench.chips[2].fault = ""
            self.assertEqual(lanes.inventory(bench.readers, AMPLE), expected)

    def test_a_brown_out_in_any_slot_of_one_row(self):
        for sends in (1, 2, 9, 16):
            bench, lanes = filled(20, 1)
            expected = [one.inventory(budget_us=AMPLE) for one in bench.readers]
            bench.chips[4].brown_out(sends)
            answers = lanes.inventory(bench.readers, AMPLE)
            self.assertEqual(answers[4].code, "brownout")
            self.assertEqual(answers[:4], expected[:4])


class Sooner(unittest.TestCase):
    def setUp(self):
        gc.collect()

    def sweeps(self, number, cost):
        bench, lanes = filled(number, 3, cost=cost)  # half a table: memory is the controller's
        for _ in range(2):
            for one in bench.readers:
                one.inventory(budget_us=AMPLE)
        began = bench.clock.now
        for one in bench.readers:
            one.inventory(budget_us=AMPLE)
        alone = bench.clock.now - began
        began = bench.clock.now
        for step in range(3):
            for answer in lanes.inventory(rows_of(bench, step), AMPLE):
                self.assertTrue(answer.complete)
        return alone / (bench.clock.now - began)

    def test_an_empty_table_five_times_on_the_air(self):
        self.assertGreater(self.sweeps(0, AIR_ONLY), 4.9)

    def test_a_crowded_table_with_the_controllers_time(self):
        self.assertGreater(self.sweeps(65, CONTROLLER), SOONER)


if __name__ == "__main__":
    unittest.main()
