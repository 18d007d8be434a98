"""One PN5180: its life, its faults within their time, its wires always left in order. On both interpreters."""

import unittest

from naqala_firmware import reader
from naqala_firmware.reader import ReaderFault
from naqala_firmware.simulated import roll
from naqala_firmware.simulated.bench import Bench
from naqala_firmware.simulated.chance import Chance
from naqala_firmware.simulated.clock import WRAP
from naqala_firmware.simulated.wiring import CONTROLLER

BUDGET_US = 15_000  # a broken reader costs at most this, beside the time it worked
# The chip's fault, what the driver calls it when starting, and when it strikes a reader that has worked.
NAMES = (
    ("absent", "absent", "absent"),
    ("floating", "busy", "busy"),
    ("dead", "silent", "silent"),
    ("stuck", "busy", "busy"),
    ("hung", "", "silent"),
    ("no field", "", "field"),
)


def three(**options):
    """Three readers with three tags each."""
    bench = Bench(rows=1, columns=3, **options)
    for number in range(3):
        for tag in roll.tags("random", 3, Chance(number + 1)):
            bench.coils.put(tag, number)
    return bench


class Life(unittest.TestCase):
    def test_start_tells_the_version(self):
        bench = three()
        one = bench.readers[0]
        self.assertEqual(one.version, "")
        one.start()
        self.assertEqual(one.version, "pn5180 4.0")

    def test_an_inventory_starts_the_reader_and_leaves_its_field_off(self):
        bench = three()
        self.assertEqual(len(bench.readers[0].inventory().ids), 3)
        self.assertTrue(bench.chips[0].running)
        self.assertFalse(bench.chips[0].field)

    def test_a_reader_woken_before_starts_without_waiting(self):
        bench = three()
        bench.readers[0].wake()
        bench.clock.sleep_us(3000)
        began = bench.clock.now
        bench.readers[0].start()
        self.assertLess(bench.clock.now - began, 100)
        bench.readers[1].start()
        self.assertGreater(bench.clock.now - began, 2400)

    def test_a_stopped_reader_is_in_reset_and_can_be_started_again(self):
        bench = three()
        first = bench.readers[0].inventory()
        bench.readers[0].stop()
        self.assertFalse(bench.chips[0].running)
        self.assertEqual(bench.readers[0].inventory(), first)

    def test_ids_are_not_carried_from_one_reader_to_another(self):
        bench = three()
        answers = [one.inventory().ids for one in bench.readers]
        self.assertEqual(len(set(answers[0] + answers[1] + answers[2])), 9)

    def test_a_reader_woken_an_age_ago_starts_at_once(self):
        bench = three()
        for age in (3_000, WRAP // 2 - 100, WRAP // 2 + 100, WRAP - 100):
            bench.readers[0].stop()
            bench.readers[0].wake()
            bench.clock.sleep_us(age)
            began = bench.clock.now
            bench.readers[0].start()
            self.assertLess(bench.clock.now - began, 2_600)
            bench.readers[0].stop()
            bench.readers[0].wake()
            bench.clock.sleep_us(age)
            bench.chips[0].fault = "absent"
            began = bench.clock.now
            with self.assertRaises(ReaderFault):
                bench.readers[0].start()
            self.assertLess(bench.clock.now - began, BUDGET_US)
            bench.chips[0].fault = ""

    def test_ticks_may_wrap_at_any_moment(self):
        bench = three()
        expected = bench.readers[0].inventory()
        for before in range(0, 40_000, 1_111):
            bench.clock.now = (bench.clock.now | WRAP) + WRAP - before
            self.assertEqual(bench.readers[0].inventory(), expected)


class Faults(unittest.TestCase):
    def assert_broken(self, bench, code):
        """The first reader must fail with this code in time, leave the wires alone, and not disturb the second."""
        began = bench.clock.now
        with self.assertRaises(ReaderFault) as caught:
            bench.readers[0].inventory()
        self.assertEqual(caught.exception.code, code)
        self.assertLess(bench.clock.now - began, BUDGET_US)
        self.assertTrue(bench.wiring.idle())
        if code not in ("absent", "silent"):  # one that never answered may still be starting up
            self.assertFalse(bench.chips[0].running)  # in reset: no field, no current
        self.assertFalse(bench.chips[0].field)
        self.assertGreater(bench.readers[0].counts[reader.FAULTS], 0)
        began = bench.clock.now
        self.assertEqual(len(bench.readers[1].inventory().ids), 3)
        return bench.clock.now - began

    def test_every_fault_at_the_start(self):
        for fault, at_start, at_work in NAMES:
            for wiring in ("table", "pins"):
                bench = three(cost=CONTROLLER, wiring=wiring)
                bench.chips[0].fault = fault
                self.assert_broken(bench, at_start or at_work)

    def test_every_fault_at_work_and_its_end(self):
        for fault, _, at_work in NAMES:
            bench = three(cost=CONTROLLER)
            expected = bench.readers[0].inventory()
            bench.chips[0].fault = fault
            self.assert_broken(bench, at_work)
            bench.chips[0].fault = ""
            self.assertEqual(bench.readers[0].inventory(), expected)

    def test_a_neighbour_takes_no_longer_beside_a_broken_reader(self):
        usual = three(cost=CONTROLLER)
        usual.readers[0].inventory()
        began = usual.clock.now
        usual.readers[1].inventory()
        expected = usual.clock.now - began
        for fault, at_start, at_work in NAMES:
            bench = three(cost=CONTROLLER)
            bench.chips[0].fault = fault
            self.assertLess(abs(self.assert_broken(bench, at_start or at_work) - expected), expected / 20)

    def test_a_brown_out_at_any_moment_of_an_inventory(self):
        for sends in range(1, 20):
            bench = three(cost=CONTROLLER)
            expected = bench.readers[0].inventory()
            bench.chips[0].brown_out(sends)
            with self.assertRaises(ReaderFault) as caught:
                while True:  # more sends than one inventory has: it strikes the next one
                    self.assertEqual(bench.readers[0].inventory(), expected)
            self.assertEqual(caught.exception.code, "brownout", sends)
            self.assertTrue(bench.wiring.idle())
            self.assertEqual(bench.readers[0].inventory(), expected)

    def test_a_brown_out_between_two_inventories_is_not_an_empty_answer(self):
        bench = three()
        bench.readers[0].inventory()
        bench.chips[0].brown_out()
        bench.clock.sleep_us(50_000)
        with self.assertRaises(ReaderFault) as caught:
            bench.readers[0].inventory()
        self.assertEqual(caught.exception.code, "brownout")

    def test_another_chip_is_a_stranger(self):
        bench = three()

        class Odd:
            def __init__(self, spi):
                self.write = spi.write
                self.spi = spi

            def readinto(self, into, fill=0):
                self.spi.readinto(into, fill)
                if len(into) == 2:
                    into[1] = 0x12

        one = bench.readers[0]
        one._spi_readinto = Odd(bench.wiring.spi).readinto
        with self.assertRaises(ReaderFault) as caught:
            one.start()
        self.assertEqual(caught.exception.code, "stranger")

    def test_nss_is_released_when_the_bus_itself_fails(self):
        bench = three()
        one = bench.readers[0]
        one.start()

        def broken(data):
            raise OSError(5)

        def deaf(into, fill):
            raise OSError(5)

        write = one._spi_write
        one._spi_write = broken
        with self.assertRaises(OSError):
            one._put(b"\x16\x00")
        self.assertTrue(bench.wiring.idle())
        one._spi_write = write
        one._spi_readinto = deaf
        with self.assertRaises(OSError):
            one._get(b"\x04\x02", bytearray(4))
        self.assertTrue(bench.wiring.idle())
        with self.assertRaises(OSError):
            one.inventory()
        self.assertTrue(bench.wiring.idle())
        self.assertFalse(bench.chips[0].running)


class Noise(unittest.TestCase):
    def test_no_id_that_is_not_there(self):
        for errors, capture in ((0.001, 0.0), (0.01, 0.0), (0.0, 1.5), (0.01, 1.5), (0.1, 1.2)):
            bench = Bench(rows=1, columns=1, errors=errors, capture=capture, seed=5)
            chance = Chance(31)
            one = bench.readers[0]
            for _ in range(12):
                bench.coils.clear()
                there = roll.tags("random", chance.below(10), chance)
                for tag in there:
                    bench.coils.put(tag, 0, 1 + chance.below(60) / 10)
                ids = {tag.id for tag in there}
                for _ in range(3):
                    self.assertTrue(set(one.inventory().ids) <= ids)

    def test_an_answer_that_passes_the_crc_by_chance_is_asked_for_by_name(self):
        bench = three()
        one = bench.readers[0]
        true = one.inventory()
        air = bench.airs[0]
        whole = air.received
        ghost = bytes(10 - 8) + bytes([1, 2, 3, 4, 5, 6, 4, 0xE0])
        lies = [0]

        def lie(pairs):
            # The first answer in every sixteen slots is a ghost's, with a good CRC.
            if len(pairs) == 1 and air.slots and not lies[0]:
                lies[0] += 1
                shown = bytearray(ghost)
                shown[2] = pairs[0][0].number & 15 | 0x50
                return bytes(shown), 0, 0
            return whole(pairs)

        air.received = lie
        answer = one.inventory()
        self.assertEqual(lies[0], 1)
        self.assertTrue(set(answer.ids) <= set(true.ids))
        self.assertFalse(answer.complete)
        self.assertEqual(one.counts[reader.GHOSTS], 1)
        self.assertEqual(one.inventory(), true)

    def test_a_drowned_newcomer_is_found_within_sixteen_inventories(self):
        bench = Bench(rows=1, columns=1, capture=2.0)
        one = bench.readers[0]
        strong, weak = roll.tags("same slots", 2, Chance(3))
        bench.coils.put(strong, 0, 6.0)
        one.inventory()
        bench.coils.put(weak, 0, 1.5)
        turns = 1
        while len(one.inventory().ids) < 2:
            turns += 1
            self.assertLess(turns, 17)
        for _ in range(40):  # and is not lost again
            self.assertEqual(len(one.inventory().ids), 2)
        bench.coils.take(weak)
        self.assertEqual(one.inventory(), ((strong.id,), True))

    def test_a_neighbours_tag_is_heard_only_when_the_coils_are_too_close(self):
        for pitch, heard in ((75, 0), (65, 3)):
            bench = three(pitch=pitch)
            own = bench.readers[0].inventory().ids
            self.assertEqual(len(own), 3 + heard, pitch)


if __name__ == "__main__":
    unittest.main()
