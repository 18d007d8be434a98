"""The readers' common interface, on both interpreters."""

import unittest

from naqala_firmware import reader


class Faults(unittest.TestCase):
    def test_a_fault_carries_its_code(self):
        with self.assertRaises(reader.ReaderFault) as caught:
            raise reader.ReaderFault("absent")
        self.assertEqual(caught.exception.code, "absent")

    def test_every_code_is_one_word_and_says_where_to_look(self):
        for code, meaning in reader.CODES:
            self.assertTrue(code.isalpha() and code == code.lower(), code)
            self.assertIn(":", meaning)

    def test_unknown_is_not_empty(self):
        self.assertNotEqual(reader.UNKNOWN, reader.EMPTY)
        self.assertEqual(reader.UNKNOWN.ids, reader.EMPTY.ids)


class Counts(unittest.TestCase):
    def test_counting_stops_at_255(self):
        counts = bytearray(len(reader.COUNTS))
        for _ in range(300):
            reader.count(counts, reader.GHOSTS)
        self.assertEqual(counts[reader.GHOSTS], 255)
        self.assertEqual(sum(counts), 255)


if __name__ == "__main__":
    unittest.main()
