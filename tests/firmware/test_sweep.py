"""A whole table once around: every tag found, in the calculated time."""

import gc
import unittest

from naqala_firmware.simulated import roll
from naqala_firmware.simulated.bench import Bench
from naqala_firmware.simulated.chance import Chance
from naqala_firmware.simulated.wiring import CONTROLLER

AMPLE = 600_000  # microseconds


class Sweep(unittest.TestCase):
    """130 tags at random on 30 readers, one lane; milliseconds are the design study's (tests/hardware/test_models.py)."""

    def setUp(self):
        gc.collect()

    def swept(self, **options):
        bench = Bench(**options)
        chance = Chance(21)
        for tag in roll.tags("random", 130, chance):
            bench.coils.put(tag, chance.below(30))
        for _ in range(2):
            for one in bench.readers:
                one.inventory(budget_us=AMPLE)
        began = bench.clock.now
        found = 0
        for one in bench.readers:
            answer = one.inventory()
            self.assertTrue(answer.complete)
            found += len(answer.ids)
        self.assertEqual(found, 130)
        self.assertEqual(bench.wiring.mischosen, 0)
        return (bench.clock.now - began) / 1000

    def test_air_only(self):
        took = self.swept()
        self.assertLess(abs(took - 1001), 150, took)

    def test_with_the_controllers_own_time(self):
        took = self.swept(cost=CONTROLLER)
        self.assertLess(abs(took - 1358), 204, took)


if __name__ == "__main__":
    unittest.main()
