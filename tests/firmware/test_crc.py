"""The frames' checksums against published frames and a bit-by-bit second way, on both interpreters."""

import unittest

from naqala_firmware import crc

# Known frames with their CRC as sent, low byte first.
TYPE_A = ((b"\x50\x00", b"\x57\xcd"), (b"\x08", b"\xb6\xdd"), (b"\x20", b"\xfc\x70"))
VICINITY = (
    (b"\x26\x01\x00", b"\xf6\x0a"),
    (b"\x06\x01\x00", b"\xcd\x09"),
    (b"\x00\x00\x02\x28\xe0\x6d\x58\x01\x04\xe0", b"\xd0\x60"),
)


def bit_by_bit(start, data):
    crc = start
    for byte in data:
        for i in range(8):
            feedback = (crc ^ byte >> i) & 1
            crc >>= 1
            if feedback:
                crc ^= 0x8408
    return crc


class Vectors(unittest.TestCase):
    def test_type_a(self):
        for frame, sent in TYPE_A:
            self.assertEqual(crc.iso14443a(frame, len(frame)), sent[0] | sent[1] << 8, frame)

    def test_iso15693(self):
        for frame, sent in VICINITY:
            self.assertEqual(crc.iso15693(frame, len(frame)), sent[0] | sent[1] << 8, frame)

    def test_a_good_frame_with_its_crc_leaves_the_standard_residue(self):
        for frame, sent in VICINITY:
            whole = frame + sent
            self.assertEqual(crc.iso15693(whole, len(whole)) ^ 0xFFFF, 0xF0B8)

    def test_only_the_first_bytes_count(self):
        self.assertEqual(crc.iso15693(b"\x26\x01\x00\xff", 3), 0x0AF6)

    def test_the_table_agrees_with_the_polynomial(self):
        data = bytes([i * 37 & 255 for i in range(64)])
        for length in range(64):
            self.assertEqual(crc.iso14443a(data, length), bit_by_bit(0x6363, data[:length]))
            self.assertEqual(crc.iso15693(data, length), bit_by_bit(0xFFFF, data[:length]) ^ 0xFFFF)

    def test_up_to_three_flipped_bits_of_a_reply_never_pass(self):
        reply = b"\x00\x00\x02\x28\xe0\x6d\x58\x01\x04\xe0\xd0\x60"
        for first in range(96):
            for second in range(first + 1, 96, 7):
                for third in (None, (second + first) % 96):
                    flipped = bytearray(reply)
                    flipped[first >> 3] ^= 1 << (first & 7)
                    flipped[second >> 3] ^= 1 << (second & 7)
                    if third is not None and third not in (first, second):
                        flipped[third >> 3] ^= 1 << (third & 7)
                    self.assertNotEqual(crc.iso15693(flipped, 10), flipped[10] | flipped[11] << 8)


if __name__ == "__main__":
    unittest.main()
