"""Masks, names and times of ISO 15693, on both interpreters."""

import unittest

from naqala_firmware import iso15693
from naqala_firmware.simulated.chance import Chance

ID = bytearray(b"\x00\x00\x02\x28\xe0\x6d\x58\x01\x04\xe0")


def number(mask):
    return int.from_bytes(mask, "little")


class Masks(unittest.TestCase):
    def test_a_name_is_written_highest_byte_first(self):
        self.assertEqual(iso15693.name(ID, 2), "e00401586de02802")

    def test_low_bits_of_every_length(self):
        value = number(ID[2:])
        for length in range(65):
            mask = bytearray(b"\xff" * 8)
            iso15693.copy_low_bits(ID, 2, mask, 0, length)
            self.assertEqual(number(mask), value & ((1 << length) - 1), length)
            self.assertTrue(iso15693.same_low_bits(ID, 2, mask, 0, length))
            if length:
                mask[length - 1 >> 3] ^= 1 << (length - 1 & 7)
                self.assertFalse(iso15693.same_low_bits(ID, 2, mask, 0, length))

    def test_a_mask_can_be_shortened_in_place(self):
        for length in range(65):
            mask = bytearray(ID[2:])
            iso15693.copy_low_bits(mask, 0, mask, 0, length)
            self.assertEqual(number(mask), number(ID[2:]) & ((1 << length) - 1), length)

    def test_the_slot_stands_just_above_the_mask_and_replaces_the_last_one(self):
        chance = Chance(3)
        for length in range(61):
            low = chance.bits() & ((1 << length) - 1)
            mask = bytearray(low.to_bytes(8, "little"))
            for slot in (15, 0, 9, 6):
                iso15693.put_slot(mask, length, slot)
                self.assertEqual(number(mask), low | slot << length)


class Times(unittest.TestCase):
    def test_a_request_takes_what_the_standard_says(self):
        # 75.52 + 302.06 n + 37.76
        self.assertEqual([iso15693.request_us(n) for n in (5, 6, 12, 13)], [1624, 1926, 3738, 4040])
        self.assertEqual(iso15693.INVENTORY_US[0], 1624)
        self.assertEqual(iso15693.INVENTORY_US[8], 4040)

    def test_the_window_outlasts_the_latest_start_of_frame(self):
        self.assertGreater(iso15693.WINDOW_US, 4384 / iso15693.FC + 2048 / iso15693.FC)


if __name__ == "__main__":
    unittest.main()
