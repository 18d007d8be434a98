"""Presence at once, absence slowly; plain unittest, on both interpreters."""

import unittest

from naqala_firmware.settle import MOST, WEIGHT, Settle


class Presence(unittest.TestCase):
    def test_a_new_tag_is_believed_at_once(self):
        settle = Settle()
        self.assertTrue(settle.feed(("b", "a")))
        self.assertEqual(settle.ids, ("a", "b"))

    def test_the_same_reading_again_is_no_change(self):
        settle = Settle()
        settle.feed(("a",))
        self.assertFalse(settle.feed(("a",)))

    def test_even_an_incomplete_reading_brings_news(self):
        settle = Settle()
        self.assertTrue(settle.feed(("a",), False))
        self.assertEqual(settle.ids, ("a",))


class Absence(unittest.TestCase):
    def test_believed_after_k_misses_and_not_before(self):
        settle = Settle()
        settle.feed(("a", "b"))
        k = settle.k
        for _ in range(k - 1):
            self.assertFalse(settle.feed(("a",)))
            self.assertTrue(settle.open)
        self.assertTrue(settle.feed(("a",)))
        self.assertEqual(settle.ids, ("a",))
        self.assertFalse(settle.open)

    def test_a_tag_that_answers_in_between_starts_anew(self):
        settle = Settle()
        settle.feed(("a",))
        for _ in range(5):
            for _ in range(settle.k - 1):
                self.assertFalse(settle.feed(()))
            self.assertFalse(settle.feed(("a",)))
        self.assertEqual(settle.ids, ("a",))

    def test_incomplete_readings_weigh_less_but_end_as_well(self):
        settle = Settle()
        settle.feed(("a",))
        bound = settle.k * WEIGHT
        for _ in range(bound - 1):
            self.assertFalse(settle.feed((), False))
        self.assertTrue(settle.feed((), False))


class Experience(unittest.TestCase):
    def test_k_starts_at_four(self):
        self.assertEqual(Settle().k, 4)  # one in a hundred, squared twice, is one in 100 million

    def test_a_clean_reader_becomes_quick_and_stays_within_bounds(self):
        settle = Settle()
        for _ in range(20000):
            settle.feed(("a", "b", "c"))
        self.assertGreaterEqual(settle.k, 2)
        self.assertLessEqual(settle.k, 3)

    def test_a_poor_reader_becomes_patient_but_never_endless(self):
        settle = Settle()
        for turn in range(2000):
            settle.feed(("a",) if turn % 3 else ())
        self.assertEqual(settle.k, MOST)

    def test_a_real_removal_teaches_nothing(self):
        settle = Settle()
        settle.feed(("a",))
        before = settle.rate
        for _ in range(40):
            settle.feed(())
        self.assertEqual(settle.rate, before)

    def test_a_tag_given_up_too_early_counts_as_missed(self):
        settle = Settle()
        settle.feed(("a",))
        before = settle.rate
        for _ in range(settle.k):
            settle.feed(())
        self.assertEqual(settle.ids, ())
        self.assertTrue(settle.feed(("a",)))
        self.assertGreater(settle.rate, before)


if __name__ == "__main__":
    unittest.main()
