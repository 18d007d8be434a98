"""The wire on both interpreters: plain unittest, run by pytest on CPython and by test_micropython.py on the real thing."""

import unittest

from naqala_protocol import (
    Seen,
    checksum,
    encode,
)

# Checksums by an independent CRC-16/MCRF4XX calculator; the first is the design page's own example.
GOLDEN = ((Seen(41, 17, ("04a1b2c3", "0499ffee")), b"seen 41 17 04a1b2c3,0499ffee *921c\n"),)


class Golden(unittest.TestCase):
    def test_checksum_of_the_standard_check_string(self):
        self.assertEqual(checksum(b"123456789"), 0x6F91)

    def test_golden_lines(self):
        for message, line in GOLDEN:
            self.assertEqual(encode(message), line)


if __name__ == "__main__":
    unittest.main()
