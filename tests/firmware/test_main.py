"""Which firmware starts: counted, given up after three failures, never half; plain unittest, on both interpreters."""

import os
import unittest

from naqala_firmware.main import TRIES, begin, choose, end, read, write

ROOT = "/tmp/naqala-main-{}/".format("".join([str(byte) for byte in os.urandom(6)]))


class Chooses(unittest.TestCase):
    def test_three_failures_then_the_one_before_then_careful(self):
        folders, failures, history = ["new", "old"], 0, []
        for _ in range(8):
            folders, failures, careful = choose(folders, failures)
            history.append((folders[0], careful))
            failures += 1  # each of them fails
        self.assertEqual(
            history, [("new", False)] * 3 + [("old", False)] * 3 + [("old", True), ("old", False)]
        )

    def test_a_proved_start_begins_the_count_anew(self):
        self.assertEqual(choose(["new", "old"], 0), (["new", "old"], 0, False))

    def test_nothing_installed(self):
        self.assertEqual(choose([], 0), ([], 0, False))
        self.assertEqual(choose([], TRIES), ([], 0, True))


class Begins(unittest.TestCase):
    def setUp(self):
        os.mkdir(ROOT[:-1])

    def tearDown(self):
        for name in os.listdir(ROOT[:-1]):
            os.remove(ROOT + name)
        os.rmdir(ROOT[:-1])

    def test_starts_that_fail_are_counted_and_it_falls_back_by_itself(self):
        write(ROOT + "current", "naqala-b\nnaqala-a\n")
        for _ in range(3):
            self.assertEqual(begin(ROOT), ("naqala-b", False))
            write(ROOT + "crash", "ValueError: no such pin\n")
            end(ROOT, True)
        self.assertEqual(begin(ROOT), ("naqala-a", False))
        self.assertEqual(read(ROOT + "current"), "naqala-a\n")
        self.assertEqual(read(ROOT + "boots"), "0 running\n")
        words = read(ROOT + "crash").split("\n")
        self.assertEqual(words[0], "ValueError: no such pin")
        self.assertIn("3 starts of naqala-b failed, naqala-a runs instead", words)

    def test_a_bite_of_the_watchdog_is_a_failure(self):
        write(ROOT + "current", "naqala-b\nnaqala-a\n")
        self.assertEqual([begin(ROOT, True) for _ in range(3)], [("naqala-b", False)] * 3)
        self.assertEqual(begin(ROOT, True), ("naqala-a", False))

    def test_power_cuts_and_ends_that_were_asked_for_are_none(self):
        write(ROOT + "current", "naqala-b\nnaqala-a\n")
        for _ in range(5):
            self.assertEqual(begin(ROOT), ("naqala-b", False))  # and the power goes
        for _ in range(5):
            self.assertEqual(begin(ROOT, True), ("naqala-b", False))  # our own reset, which looks like a bite
            end(ROOT)
        # One bite in all: at the first of the five, whose start before was under way.
        self.assertEqual(read(ROOT + "boots"), "1\n")

    def test_files_that_are_missing_or_spoilt(self):
        self.assertEqual(begin(ROOT), ("", False))
        write(ROOT + "boots", "xyz")
        write(ROOT + "current", "naqala-a")
        self.assertEqual(begin(ROOT), ("naqala-a", False))

    def test_writing_leaves_no_rest(self):
        write(ROOT + "current", "a")
        write(ROOT + "current", "b")
        self.assertEqual(os.listdir(ROOT[:-1]), ["current"])


if __name__ == "__main__":
    unittest.main()
