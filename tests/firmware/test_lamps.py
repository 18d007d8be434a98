"""Lamps by meaning, and life by proof; plain unittest, on both interpreters."""

import unittest

from naqala_firmware.lamps import BEEP_MS, BLINK_MS, MEANINGS, WALK_MS, Lamps
from naqala_firmware.life import PROVEN_MS, Life


class Strip(dict):
    def __init__(self):
        super().__init__()
        self.writes = 0

    def write(self):
        self.writes += 1


class Shows(unittest.TestCase):
    def setUp(self):
        self.strip = Strip()
        self.beeps = []
        self.lamps = Lamps(self.strip, {3: 0, 4: 1, 5: 2}, 255, self.beeps.append)
        self.lamps.step(0)

    def test_dark_at_first(self):
        self.assertEqual([self.strip[lamp] for lamp in range(3)], [(0, 0, 0)] * 3)

    def test_at_a_start_each_lights_up_once_in_the_order_of_the_readers(self):
        self.lamps.walk()
        lit = []
        for now in range(0, 5 * WALK_MS, 10):
            self.lamps.step(now)
            lit.append(tuple([lamp for lamp in range(3) if self.strip[lamp] != (0, 0, 0)]))
        order = [lit[i] for i in range(len(lit)) if i == 0 or lit[i] != lit[i - 1]]
        self.assertEqual(order, [(0,), (1,), (2,), ()])

    def test_what_the_host_shows_ends_the_walk(self):
        self.lamps.walk()
        self.lamps.step(0)
        self.lamps.show(((5, "taken"),))
        for now in range(0, 5 * WALK_MS, 10):
            self.lamps.step(now)
            self.assertEqual(self.strip[0], (0, 0, 0))
            self.assertEqual(self.strip[2], MEANINGS["taken"][:3])

    def test_the_whole_picture_each_time(self):
        self.lamps.show(((3, "open"), (4, "taken")))
        self.lamps.step(1)
        self.assertEqual(self.strip[0], MEANINGS["open"][:3])
        self.assertEqual(self.strip[1], MEANINGS["taken"][:3])
        self.lamps.show(((5, "open"),))
        self.lamps.step(2)
        self.assertEqual(self.strip[0], (0, 0, 0))
        self.assertEqual(self.strip[2], MEANINGS["open"][:3])

    def test_wrong_blinks_and_others_do_not_rewrite(self):
        self.lamps.show(((3, "wrong"),))
        looks = set()
        for now in range(0, 4 * BLINK_MS, 50):
            self.lamps.step(now)
            looks.add(self.strip[0])
        self.assertEqual(looks, {MEANINGS["wrong"][:3], (0, 0, 0)})
        self.lamps.show(((3, "open"),))
        self.lamps.step(0)
        writes = self.strip.writes
        for now in range(0, 4 * BLINK_MS, 50):
            self.lamps.step(now)
        self.assertEqual(self.strip.writes, writes)

    def test_beeps_once_for_what_is_newly_wrong(self):
        self.lamps.show(((3, "wrong"),))
        self.lamps.step(1)
        self.lamps.step(BEEP_MS)
        self.lamps.show(((3, "wrong"),))
        self.lamps.step(2 * BEEP_MS)
        self.assertEqual(self.beeps, [True, False])

    def test_readers_without_a_lamp_and_unknown_meanings_do_no_harm(self):
        self.lamps.show(((60, "open"), (3, "sparkle")))
        self.lamps.step(1)
        self.assertEqual(self.strip[0], (60, 60, 60))

    def test_brightness(self):
        self.lamps.dim(51)
        self.lamps.show(((4, "taken"),))
        self.lamps.step(1)
        self.assertEqual(self.strip[1], (8, 12, 51))


class Dog:
    fed = 0

    def feed(self):
        self.fed += 1


class Lives(unittest.TestCase):
    def test_fed_by_healthy_sweeps_and_proved_once(self):
        dog, proofs = Dog(), []
        life = Life(dog, lambda: proofs.append(1))
        for now in range(0, 3 * PROVEN_MS, 1000):
            self.assertEqual(len(proofs), 1 if now > PROVEN_MS else 0)
            life.healthy(now)
        self.assertEqual((dog.fed, len(proofs)), (3 * PROVEN_MS // 1000, 1))


if __name__ == "__main__":
    unittest.main()
