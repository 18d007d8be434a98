"""The simulated PN5180 itself, frame by frame: what the datasheet says a chip does, right or wrong use. Both interpreters."""

import unittest

from naqala_firmware.simulated import roll, times
from naqala_firmware.simulated.chance import BitErrors, Chance
from naqala_firmware.simulated.clock import WRAP, Clock
from naqala_firmware.simulated.field import Coils, Tag
from naqala_firmware.simulated.pn5180 import PN5180
from naqala_firmware.simulated.vicinity import Vicinity

IRQ, RX_STATUS, RF_STATUS, TX_CONFIG = 0x02, 0x13, 0x1D, 0x18
RX, TX, IDLE, TIMER1, SOF, ERROR = 1, 2, 4, 1 << 12, 1 << 14, 1 << 17
ASK = bytes([0x09, 0, 0x06, 0x01, 0])
ASK_ONE = bytes([0x09, 0, 0x26, 0x01, 0])
EOF = bytes([0x09, 0])


class Chip(unittest.TestCase):
    def setUp(self):
        self.clock = Clock()
        self.coils = Coils(1, 1)
        self.air = Vicinity(self.coils, 0, Chance(1))
        self.chip = PN5180(self.clock, self.air)
        self.chip.reset(1)

    def put(self, *ids):
        for id in ids:
            self.coils.put(Tag(id), 0)

    def frame(self, data):
        self.chip.begin()
        self.chip.write(bytes(data))
        self.chip.end()

    def read(self, count):
        into = bytearray(count)
        self.chip.begin()
        self.chip.read(into)
        self.chip.end()
        return bytes(into)

    def register(self, number):
        self.frame([0x04, number])
        return int.from_bytes(self.read(4), "little")

    def set(self, number, value):
        self.frame(bytes([0x00, number]) + value.to_bytes(4, "little"))

    def ready(self):
        self.clock.sleep_us(2500)
        self.frame([0x11, 0x0D, 0x8D])
        self.set(0x0C, 6644)
        self.set(0x0F, 1 | 1 << 11 | 1 << 20)
        self.frame([0x16, 0])
        self.clock.sleep_us(1100)

    def arm(self):
        self.set(0x03, 0xFFFFF)
        self.set(0x00, 0)
        self.set(0x00, 3)

    def wait(self, us):
        self.clock.sleep_us(us)
        return self.register(IRQ)

    def test_start_up_takes_its_time_and_ends_with_idle(self):
        self.assertEqual(self.register(IRQ), 0xFFFFFFFF)  # nobody drives the line yet
        self.clock.sleep_us(2500)
        self.assertEqual(self.register(IRQ), IDLE)
        self.assertEqual(self.register(0x00) & 7, 1)
        self.assertEqual(self.register(TX_CONFIG), 0)

    def test_reading_when_nothing_was_asked_gives_ff(self):
        self.clock.sleep_us(2500)
        self.assertEqual(self.read(3), b"\xff\xff\xff")

    def test_unknown_commands_and_registers_are_errors(self):
        for bad in ([0x7E, 0], [0x04, 0x7F], [0x00, 0x13, 1, 0, 0, 0]):
            self.clock.sleep_us(2500)
            self.set(0x03, 0xFFFFF)
            self.frame(bad)
            self.assertEqual(self.register(IRQ) & ERROR, ERROR, bad)

    def test_a_send_that_was_not_prepared_is_refused(self):
        self.put("e0040150000000a1")
        self.ready()
        self.set(0x03, 0xFFFFF)
        self.frame(ASK)
        self.assertEqual(self.wait(9000) & (ERROR | TX | RX), ERROR)

    def test_without_a_field_nobody_answers(self):
        self.put("e0040150000000a1")
        self.ready()
        self.frame([0x17, 0])
        self.arm()
        self.frame(ASK_ONE)
        self.assertEqual(self.wait(9000) & (TX | RX), 0)

    def test_a_tag_that_has_just_got_power_is_not_ready(self):
        self.put("e0040150000000a1")
        self.ready()
        self.frame([0x17, 0])
        self.frame([0x16, 0])
        self.clock.sleep_us(500)
        self.arm()
        self.frame(ASK_ONE)
        self.assertEqual(self.wait(9000) & (TX | RX | TIMER1), TX | TIMER1)

    def test_interrupts_come_at_their_time(self):
        self.put("e0040150000000a1")
        self.ready()
        self.arm()
        self.frame(ASK_ONE)
        self.assertEqual(self.wait(1623), 0)
        self.assertEqual(self.wait(1), TX)
        self.assertEqual(self.wait(470) & SOF, 0)
        self.assertEqual(self.wait(2) & SOF, SOF)
        self.assertEqual(self.wait(3775) & RX, 0)
        # The timer of 490 us ran out: only the fourth bit of an answer would have stopped it, 625 us after the request.
        self.assertEqual(self.wait(1) & (RX | TIMER1), RX | TIMER1)
        self.assertEqual(self.register(RX_STATUS) & 0x1FF, 10)
        self.frame([0x0A, 0])
        self.assertEqual(self.read(10), b"\x00\x00\xa1\x00\x00\x00\x50\x01\x04\xe0")

    def test_the_fourth_bit_of_an_answer_stops_the_timer(self):
        self.put("e0040150000000a1")
        for ticks, fires in ((8400, TIMER1), (8600, 0)):  # 619 and 634 us
            self.ready()
            self.set(0x0C, ticks)
            self.arm()
            self.frame(ASK_ONE)
            self.assertEqual(self.wait(6000) & (TIMER1 | SOF), fires | SOF)
            self.chip.reset(0)
            self.chip.reset(1)

    def test_a_frame_while_busy_is_not_heard(self):
        chip = PN5180(self.clock, self.air, times.USUAL)
        self.chip = chip
        chip.reset(1)
        self.clock.sleep_us(2500)
        self.frame([0x11, 0x0D, 0x8D])
        self.frame([0x16, 1])
        self.clock.sleep_us(2000)
        self.assertFalse(chip.field)
        self.assertEqual(chip.violations, 1)
        self.assertTrue(chip.irq & ERROR)

    def test_the_field_comes_later_when_the_chip_listens_first(self):
        for parameter, wait_us in ((1, 50), (0, 352)):
            self.chip = PN5180(self.clock, self.air, times.USUAL)
            self.chip.reset(1)
            self.clock.sleep_us(2500)
            self.frame([0x16, parameter])
            self.clock.sleep_us(wait_us - 1)
            self.assertEqual(self.irq() & 1 << 9, 0)
            self.clock.sleep_us(2)
            self.assertEqual(self.irq() & 1 << 9, 1 << 9)

    def irq(self):
        self.chip._settle_interrupts()
        return self.chip.irq

    def test_noise_begins_and_never_ends(self):
        self.chip.noise = 1.0
        self.ready()
        self.arm()
        self.frame(ASK_ONE)
        self.assertEqual(self.wait(9000) & (SOF | RX), SOF)

    def test_the_timer_tells_an_empty_slot(self):
        self.ready()
        self.arm()
        self.frame(ASK_ONE)
        self.assertEqual(self.wait(1624 + 488) & TIMER1, 0)
        self.assertEqual(self.wait(1) & TIMER1, TIMER1)

    def test_an_end_of_frame_alone_is_the_next_slot_and_only_without_data(self):
        self.put("e004015000000001", "e004015000000002")
        self.ready()
        self.arm()
        self.frame(ASK)
        self.assertEqual(self.wait(2200) & (SOF | TIMER1), TIMER1)
        self.arm()
        self.frame(EOF)  # data symbols still on: no end of frame
        self.assertEqual(self.wait(600) & SOF, 0)
        self.frame([0x02, TX_CONFIG, 0x3F, 0xFB, 0xFF, 0xFF])
        for slot in (1, 2, 3):
            self.arm()
            self.frame(EOF)
            self.assertEqual(bool(self.wait(520) & SOF), slot < 3, slot)
            self.clock.sleep_us(4500)

    def test_two_tags_in_one_slot_collide_at_their_first_different_bit(self):
        self.put("e004015000000a15", "e004015000000c15")  # bits 9 and 10 differ
        self.ready()
        self.arm()
        self.frame(ASK_ONE)
        self.wait(9000)
        status = self.register(RX_STATUS)
        self.assertEqual(status >> 16 & 7, 0b101)
        self.assertEqual(status >> 19 & 127, 16 + 9)
        self.frame([0x0A, 0])
        self.assertEqual(self.read(10)[2:5], b"\x15\x0e\x00")  # what both sent, put together

    def test_capture_lets_the_strongest_win(self):
        strong, weak = Tag("e004015000000a15"), Tag("e004015000000c15")
        self.coils.put(weak, 0, 1.0)
        self.coils.put(strong, 0, 6.0)
        self.air.capture = 2.0
        self.ready()
        self.arm()
        self.frame(ASK_ONE)
        self.wait(9000)
        self.assertEqual(self.register(RX_STATUS) >> 16, 0)
        self.frame([0x0A, 0])
        self.assertEqual(self.read(10)[2:4], b"\x15\x0a")

    def test_quiet_tags_are_silent_until_the_field_goes_off(self):
        self.put("e0040150000000a1")
        self.ready()
        quiet = bytes([0x09, 0, 0x22, 0x02]) + b"\xa1\x00\x00\x00\x50\x01\x04\xe0"
        for request, answers in ((ASK_ONE, True), (quiet, False), (ASK_ONE, False)):
            self.arm()
            self.frame(request)
            self.assertEqual(bool(self.wait(9000) & RX), answers)
        self.frame([0x17, 0])
        self.frame([0x16, 0])
        self.clock.sleep_us(1100)
        self.arm()
        self.frame(ASK_ONE)
        self.assertTrue(self.wait(9000) & RX)

    def test_a_tag_asked_too_soon_after_its_answer_does_not_hear(self):
        self.put("e0040150000000a1")
        self.ready()
        for gap, hears in ((100, False), (320, True)):
            self.arm()
            self.frame(ASK_ONE)
            self.clock.sleep_us(1624 + 321 + 3927 + gap)
            self.arm()
            self.frame(ASK_ONE)
            self.assertEqual(bool(self.wait(9000) & RX), hears, gap)

    def test_the_receiver_must_fit_the_tags_speed(self):
        self.put("e0040150000000a1")
        self.ready()
        self.frame([0x11, 0x0D, 0x8E])
        self.arm()
        self.frame(ASK_ONE)
        self.assertEqual(self.wait(9000) & (RX | TIMER1), TIMER1)

    def test_a_brown_out_takes_field_and_settings_away(self):
        self.ready()
        self.assertEqual(self.register(RF_STATUS) >> 17 & 1, 1)
        self.chip.brown_out()
        self.assertEqual(self.register(IRQ), 0xFFFFFFFF)
        self.clock.sleep_us(2500)
        self.assertEqual((self.register(RF_STATUS), self.register(0x0C), self.register(IRQ)), (0, 0, IDLE))

    def test_a_missing_module_shows_nothing_but_the_pull_down_or_not(self):
        for fault, busy, line in (
            ("absent", 0, 255),
            ("floating", 1, 255),
            ("dead", 0, 0),
            ("stuck", 1, 255),
        ):
            self.chip.fault = fault
            self.clock.sleep_us(2500)
            self.assertEqual((self.chip.busy(), self.read(1)[0]), (busy, line), fault)


class Surroundings(unittest.TestCase):
    def test_ticks_wrap_and_differences_do_not(self):
        clock = Clock(WRAP - 10)
        before = clock.ticks_us()
        clock.sleep_us(100)
        self.assertLess(clock.ticks_us(), before)
        self.assertEqual(clock.diff(clock.ticks_us(), before), 100)
        self.assertEqual(clock.diff(before, clock.ticks_us()), -100)

    def test_bits_flip_as_often_as_they_should(self):
        errors = BitErrors(Chance(4), 0.01, 96)
        flipped = 0
        for _ in range(2000):
            frame = bytearray(12)
            errors.flip(frame)
            for byte in frame:
                flipped += sum([byte >> bit & 1 for bit in range(8)])
        self.assertLess(abs(flipped - 1920), 200)  # 2000 * 96 * 0.01; three standard deviations are 131

    def test_a_mangled_answer_fails_its_crc(self):
        coils = Coils(1, 1)
        coils.put(Tag("e0040150000000a1"), 0)
        air = Vicinity(coils, 0, Chance(3), errors=0.02)
        wrong = 0
        for _ in range(300):
            data, flags, _ = air.received(((coils.on[0][0], 1.0),))
            good = data == b"\x00\x00\xa1\x00\x00\x00\x50\x01\x04\xe0"
            if not good:
                self.assertTrue(flags & 1)
            wrong += flags & 1
        self.assertGreater(wrong, 200)  # 1 - 0.98 ** 96 is 86 %

    def test_neighbours_are_the_four_next_to_it(self):
        coils = Coils()
        self.assertEqual([near for near, _ in coils.around(0)], [1, 6])
        self.assertEqual([near for near, _ in coils.around(14)], [8, 13, 15, 20])
        self.assertEqual([near for near, _ in coils.around(29)], [23, 28])

    def test_parked_coils_in_tune_carry_the_field_to_the_second_neighbours(self):
        coils = Coils(parked="tuned")
        self.assertEqual([near for near, _ in coils.around(14)], [2, 7, 8, 9, 12, 13, 15, 16, 19, 20, 21, 26])
        near = dict(coils.around(14))
        self.assertGreater(near[13], near[7])
        self.assertGreater(near[7], near[2])

    def test_a_weak_tag_needs_a_strong_field_and_a_sensitive_one_is_heard_next_door(self):
        coils = Coils()
        weak, sensitive = Tag("e0040150000000a1"), Tag("e0040150000000a2")
        weak.threshold, sensitive.threshold = 8.0, 0.5
        coils.put(weak, 0)
        coils.put(sensitive, 0)
        self.assertEqual([tag.id for tag, _ in coils.heard(0)], [sensitive.id])
        self.assertEqual([tag.id for tag, _ in coils.heard(1)], [sensitive.id])
        self.assertEqual(coils.heard(2), [])

    def test_the_three_kinds_of_roll(self):
        for kind in roll.KINDS:
            ids = roll.ids(kind, 14, Chance(9))
            self.assertEqual(len(set(ids)), 14)
            self.assertEqual({(len(id), id[:4]) for id in ids}, {(16, "e004")})
        self.assertEqual(len({id[-3:] for id in roll.ids("same slots", 14, Chance(9))}), 1)
        numbers = [int(id, 16) for id in roll.ids("consecutive", 14, Chance(9))]
        self.assertEqual([number - numbers[0] for number in numbers], list(range(14)))


if __name__ == "__main__":
    unittest.main()
