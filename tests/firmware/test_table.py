"""The whole firmware on simulated chips, as the virtual table runs it; plain unittest, on both interpreters."""

import unittest

from naqala_firmware.simulated.table import FAULT_KINDS, SimulatedTable
from naqala_protocol import (
    FROM_CONTROLLER,
    Alive,
    Config,
    Decoder,
    Fault,
    Focus,
    Hello,
    Light,
    Log,
    Resync,
    Seen,
    encode,
)


def tag(number):
    return f"e0040102{number * 2654435761 % 4294967296:08x}"


class Tables(unittest.TestCase):
    def setUp(self):
        self.table = SimulatedTable(6, seed=3)
        self.decoder = Decoder(FROM_CONTROLLER)

    def heard(self, milliseconds, kind):
        self.table.run(milliseconds)
        return [message for message in self.decoder.feed(self.table.said()) if type(message) is kind]

    def test_hello_and_a_first_sweep_of_all_readers(self):
        self.table.place(tag(1), 4)
        self.table.run(1000)
        messages = self.decoder.feed(self.table.said())
        self.assertEqual(messages[0][:4], (1, "virtual", 6, 0))
        seen = {message.reader: message.tags for message in messages if type(message) is Seen}
        self.assertEqual(seen, {0: (), 1: (), 2: (), 3: (), 4: (tag(1),), 5: ()})

    def test_place_lay_down_stand_up_remove(self):
        self.heard(1000, Seen)
        table = self.table
        for tags, act in (
            ((tag(1),), lambda: table.place(tag(1), 2)),
            (tuple(sorted((tag(1), tag(2)))), lambda: table.place(tag(2), 2)),
            ((tag(1),), lambda: table.lay_down(tag(2))),
            (tuple(sorted((tag(1), tag(2)))), lambda: table.stand_up(tag(2))),
            ((tag(2),), lambda: table.remove(tag(1))),
        ):
            act()
            lines = self.heard(2000, Seen)
            self.assertEqual([(line.reader, line.tags) for line in lines], [(2, tags)])

    def test_a_move_is_a_lift_and_a_drop(self):
        self.table.place(tag(1), 0)
        self.heard(1000, Seen)
        self.table.place(tag(1), 5)
        lines = self.heard(2000, Seen)
        self.assertEqual(sorted([(line.reader, line.tags) for line in lines]), [(0, ()), (5, (tag(1),))])

    def test_every_fault_is_named_and_mends(self):
        self.heard(1000, Seen)
        for kind in FAULT_KINDS:
            self.table.fault(3, kind)
            faults = self.heard(1000, Fault)
            if kind != "brownout":  # which the driver meets with a restart of its own, or reports and mends
                self.assertEqual([fault.reader for fault in faults], [3], kind)
                self.assertNotEqual(faults[0].code, "ok", kind)
            self.table.fault(3)
            self.table.controller.scan.test(3)  # rather than wait for its next retry
            faults += self.heard(500, Fault)
            self.assertEqual([fault.code for fault in faults][-1:], ["ok"] if faults else [], kind)
        with self.assertRaises(ValueError):
            self.table.fault(3, "tired")

    def test_lamps_and_focus_reach_the_table(self):
        self.table.hear(encode(Light(((2, "wrong"), (3, "open")))) + encode(Focus((1,))))
        self.table.run(500)
        self.assertEqual(self.table.lamps.shown, {2: "wrong", 3: "open"})

    def test_the_hand_over_the_wire(self):
        self.heard(1000, Seen)
        self.table.hear(encode(Config("place", tag(1) + " 5")))
        self.assertEqual(self.heard(1000, Seen), [Seen(7, 5, (tag(1),))])
        for key, text in (
            ("place", tag(1)),
            ("place", "x 1"),
            ("fault", "1 tired"),
            ("fault", "77 dead"),
            ("dance", ""),
        ):
            self.table.hear(encode(Config(key, text)))
            self.assertEqual([line.level for line in self.heard(300, Log)], ["error"], key)

    def test_five_rows_at_once_see_the_same(self):
        table = SimulatedTable(30, seed=3, lanes=5)
        for number in range(60):
            table.place(tag(number), number % 30)
        table.run(2500)
        seen = {m.reader: m.tags for m in self.decoder.feed(table.said()) if type(m) is Seen}
        self.assertEqual(len(seen), 30)
        for reader in range(30):
            self.assertEqual(seen[reader], tuple(sorted((tag(reader), tag(reader + 30)))))

    def test_five_lanes_sweep_an_empty_table_in_a_third_of_the_time_of_one(self):
        took = []
        for lanes in (1, 5):
            table = SimulatedTable(30, seed=3, lanes=lanes)
            table.run(2000)
            took.append(table.controller.scan.schedule.sweep)
        self.assertLess(took[1], took[0] / 2.5)

    def test_a_pulled_cable_and_a_power_cut(self):
        self.heard(1000, Seen)
        boot = self.table.controller.boot
        self.table.cable.plugged = False
        self.table.place(tag(9), 1)
        self.assertEqual(self.heard(1000, Seen), [])
        self.table.cable.plugged = True
        self.table.hear(encode(Resync(7)))
        self.assertEqual(self.heard(500, Seen), [Seen(7, 1, (tag(9),))])
        self.table.restart()
        hello = self.heard(1000, Hello)[0]
        self.assertEqual(hello.seq, 0)
        self.assertNotEqual(hello.boot, boot)

    def test_the_same_seed_says_the_same_bytes(self):
        said = []
        for _ in range(2):
            table = SimulatedTable(6, seed=11, misses=0.05)
            for number in range(12):
                table.place(tag(number), number % 6)
            table.run(5000)
            said.append(table.said())
        self.assertEqual(said[0], said[1])

    def test_misses_are_settled_before_the_host_hears_of_them(self):
        for number in range(18):
            self.table.place(tag(number), number % 6)
        self.heard(1000, Seen)
        self.table.set_misses(0.03)
        self.assertEqual(self.heard(20000, Seen), [])
        self.assertGreater(len(self.heard(3000, Alive)), 1)


if __name__ == "__main__":
    unittest.main()
