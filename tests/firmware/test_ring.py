"""The ring of numbered lines; plain unittest, on both interpreters."""

import unittest

from naqala_firmware.ring import Ring


def line(seq, length):
    return (b"%d:" % seq + b"x" * 200)[:length]


class Rings(unittest.TestCase):
    def test_an_empty_ring_holds_nothing(self):
        ring = Ring(4, 64)
        self.assertFalse(ring.holds(0))
        self.assertFalse(ring.holds(1))
        self.assertEqual(ring.next, 1)

    def test_what_it_holds_is_what_was_said(self):
        ring = Ring(400, 1024)
        lengths = {}
        state = 7
        for seq in range(1, 3000):
            state = (state * 1103515245 + 12345) % 2147483648
            lengths[seq] = 8 + state % 90
            ring.add(line(seq, lengths[seq]))
            self.assertTrue(ring.holds(seq))
            used = 0
            for held in range(ring.oldest, ring.next):
                self.assertEqual(ring.line(held), line(held, lengths[held]))
                used += lengths[held]
            self.assertLessEqual(used, 1024)
            if seq > 100:
                self.assertGreater(
                    used, 1024 - 3 * 98
                )  # never wasteful: at most the tail and the line just dropped

    def test_the_number_of_lines_is_bounded_as_well(self):
        ring = Ring(10, 1024)
        for _ in range(1, 40):
            ring.add(b"a")
        self.assertEqual((ring.oldest, ring.next), (30, 40))
        with self.assertRaises(KeyError):
            ring.line(29)

    def test_a_line_as_long_as_the_ring(self):
        ring = Ring(10, 100)
        for seq in range(1, 5):
            ring.add(line(seq, 100))
            self.assertEqual(ring.line(seq), line(seq, 100))
            self.assertEqual(ring.oldest, seq)
        with self.assertRaises(ValueError):
            ring.add(line(5, 101))


if __name__ == "__main__":
    unittest.main()
