"""The readers' common interface, on both interpreters."""

import unittest

import naqala_protocol
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


class Limits(unittest.TestCase):
    def test_a_reader_finds_as_many_tags_as_a_line_can_carry(self):
        self.assertEqual(reader.MOST_TAGS, naqala_protocol.MOST_TAGS)


class Counts(unittest.TestCase):
    def test_counting_stops_at_255(self):
        counts = bytearray(len(reader.COUNTS))
        for _ in range(300):
            reader.count(counts, reader.GHOSTS)
        self.assertEqual(counts[reader.GHOSTS], 255)
        self.assertEqual(sum(counts), 255)


if __name__ == "__main__":
    unittest.main()
