"""Schedule, probes and quarantine by their figures; plain unittest, on both interpreters."""

import unittest

from naqala_firmware.reader import BUDGET_US, ReaderFault
from naqala_firmware.scan import PATIENCE, SEEN, Scan
from naqala_firmware.schedule import BOUND, SHARE

from tests.firmware.scripted import table, tag


class Steps:
    """Drives a Scan the way the controller does, with milliseconds that do not wrap."""

    def __init__(self, count=30, fault_us=20000):
        self.clock, self.readers = table(count, fault_us)
        self.scan = Scan(self.readers, self.clock)
        self.start = self.clock.total
        self.news = []

    @property
    def now(self):
        return (self.clock.total - self.start) // 1000

    def step(self):
        before = self.clock.total
        news = [(post.number, code) for post, code in self.scan.step(self.now)]
        if self.clock.total == before:
            self.clock.sleep_us(2000)  # nothing was due
        self.news.extend(news)
        return news

    def sweeps(self, count):
        """Mean milliseconds of the next sweeps."""
        first, total = self.scan.schedule.sweeps, 0
        while self.scan.schedule.sweeps < first + count:
            self.step()
            if self.scan.swept:
                total += self.scan.schedule.sweep
        return total / count


def fill(steps, tags=4):
    for number in range(len(steps.readers)):
        steps.readers[number].tags = {tag(100 * number + i) for i in range(tags)}


class Rounds(unittest.TestCase):
    def test_every_reader_speaks_once_in_the_first_round_even_when_empty(self):
        steps = Steps(6)
        steps.readers[2].tags = {tag(1)}
        steps.sweeps(3)
        self.assertEqual(sorted([number for number, code in steps.news if code is SEEN]), [0, 1, 2, 3, 4, 5])
        self.assertEqual(len(steps.news), 6)

    def test_an_empty_tile_costs_a_probe_only(self):
        steps = Steps(6)
        steps.sweeps(4)
        self.assertEqual(steps.readers[0].probes, steps.readers[0].readings)

    def test_a_drop_on_an_empty_tile_is_seen_whole_at_the_next_visit(self):
        steps = Steps(6)
        steps.sweeps(2)
        steps.readers[3].tags = {tag(1), tag(2), tag(3)}
        while not steps.step():
            pass
        self.assertEqual(steps.news[-1], (3, SEEN))
        self.assertEqual(len(steps.scan.posts[3].settle.ids), 3)

    def test_a_lonely_tag_is_probed_every_other_time(self):
        steps = Steps(2)
        fill(steps, 1)
        steps.sweeps(21)
        self.assertLessEqual(abs(2 * steps.readers[0].probes - steps.readers[0].readings), 3)

    def test_nobody_waits_longer_than_the_bound(self):
        steps = Steps(30)
        fill(steps)
        steps.sweeps(2)
        steps.scan.focus((3, 4, 5, 9, 17))
        last = dict.fromkeys(range(30), 0)
        flaky = steps.readers[20]
        state = [1]

        def miss():
            state[0] = (state[0] * 1103515245 + 12345) % 2147483648
            return state[0] % 4 == 0

        flaky.miss = miss  # always in doubt
        before = [steps.readers[number].readings for number in range(30)]
        worst = 0
        for visit in range(1, 1500):
            steps.step()
            for number in range(30):
                readings = steps.readers[number].readings
                if readings != before[number]:
                    before[number] = readings
                    worst = max(worst, visit - last[number])
                    last[number] = visit
        self.assertLessEqual(worst, BOUND * 30)
        self.assertLessEqual(1499 - min(last.values()), BOUND * 30)

    def test_a_reader_always_in_doubt_lengthens_the_sweep_by_a_third_at_most(self):
        steps = Steps(30)
        fill(steps)
        plain = steps.sweeps(5)
        turn = [0]

        def miss():
            turn[0] += 1
            return turn[0] % 2 == 0

        steps.readers[11].miss = miss
        self.assertLess(steps.sweeps(20), plain * 4 / 3)

    def test_those_in_focus_beyond_the_first_four_are_looked_at_less_often_but_soon(self):
        steps = Steps(30)
        fill(steps, 1)  # quick to read: no sweep comes into haste
        steps.scan.focus((20, 7, 3, 11, 0, 1, 2, 4, 5, 6, 8, 9))
        before = [reader.readings for reader in steps.readers.values()]
        for _ in range(320):
            steps.step()
        looks = [steps.readers[number].readings - before[number] for number in range(30)]
        # 320 visits: 160 for the first four, 120 for the eight others (nothing changes), 40 for the rest of thirty
        for number in (20, 7, 3, 11):
            self.assertTrue(40 <= looks[number] <= 42, looks)
        for number in (0, 1, 2, 4, 5, 6, 8, 9):
            self.assertTrue(15 <= looks[number] <= 17, looks)
        self.assertTrue(min(looks) >= 1, looks)

    def test_focus_is_looked_at_many_times_in_a_sweep(self):
        steps = Steps(30)
        fill(steps)
        steps.sweeps(2)
        steps.scan.focus((7, 8))
        before = steps.readers[7].readings, steps.readers[20].readings
        for _ in range(120):
            steps.step()
        # three turns of four for two readers in focus: 90 visits, 45 each; the rest has 30 turns, one each
        self.assertGreaterEqual(steps.readers[7].readings - before[0], 44)
        self.assertLessEqual(steps.readers[20].readings - before[1], 2)

    def test_a_changed_reader_is_looked_at_again_soon(self):
        steps = Steps(30)
        fill(steps)
        steps.sweeps(2)
        gone = steps.readers[12].tags.pop()
        visits = 0
        while gone in steps.scan.posts[12].settle.ids:
            steps.step()
            visits += 1
            self.assertLess(visits, 30 + 10)  # found within one round, then believed within a few turns


class Quarantine(unittest.TestCase):
    def test_a_fault_is_said_once_and_so_is_recovery(self):
        steps = Steps(6)
        fill(steps)
        steps.sweeps(2)
        steps.news = []
        steps.readers[2].fault = "busy"
        steps.sweeps(60)
        self.assertEqual(steps.news, [(2, "busy")])
        steps.readers[2].fault = None
        steps.sweeps(60)
        self.assertEqual(steps.news, [(2, "busy"), (2, "ok"), (2, SEEN)])
        self.assertFalse(steps.scan.idle())

    def test_one_fault_lengthens_the_sweep_of_the_others_by_less_than_5_percent(self):
        steps = Steps(30, fault_us=BUDGET_US)
        fill(steps)
        plain = steps.sweeps(5) * 29 / 30  # what the others take by themselves
        steps.readers[13].fault = "busy"
        steps.sweeps(1)
        self.assertLess(steps.sweeps(40), plain * 1.05)

    def test_ten_faults_take_no_more_than_one(self):
        steps = Steps(30, fault_us=BUDGET_US)
        fill(steps)
        plain = steps.sweeps(5) * 20 / 30
        for number in range(10):
            steps.readers[3 * number].fault = "absent"
        steps.sweeps(3)
        self.assertLess(steps.sweeps(40), plain * (1 + 1.2 / SHARE))

    def test_every_faulty_reader_is_tried_again(self):
        steps = Steps(30, fault_us=30000)
        fill(steps)
        for number in range(10):
            steps.readers[number].fault = "absent"
        steps.sweeps(60)
        for number in range(10):
            steps.readers[number].fault = None
        steps.sweeps(40)
        for number in range(10):
            self.assertFalse(steps.scan.posts[number].sick)

    def test_with_all_readers_dead_each_is_still_retried(self):
        steps = Steps(4)
        for number in range(4):
            steps.readers[number].fault = "absent"
        while steps.now < 60000:
            steps.step()
        self.assertTrue(steps.scan.idle())
        self.assertEqual(len(steps.news), 4)
        for number in range(4):
            self.assertGreater(steps.readers[number].starts, 6)
            self.assertLess(steps.readers[number].starts, 20)

    def test_what_was_seen_before_the_fault_is_not_taken_for_gone(self):
        steps = Steps(4)
        fill(steps)
        steps.sweeps(2)
        steps.readers[1].fault = "silent"
        steps.sweeps(30)
        self.assertEqual(len(steps.scan.posts[1].settle.ids), 4)


class Incomplete(unittest.TestCase):
    def test_said_after_patience_and_healed(self):
        steps = Steps(3)
        fill(steps)
        steps.sweeps(2)
        steps.news = []
        steps.readers[1].complete = False
        before = steps.readers[1].readings
        while not steps.news:
            steps.step()
        told = [(1, SEEN), (1, "incomplete")]
        self.assertEqual(steps.news, told)
        self.assertEqual(steps.readers[1].readings - before, PATIENCE)
        steps.readers[1].tags.add(tag(7777))
        steps.sweeps(2)
        told += [(1, SEEN), (1, "incomplete")]
        self.assertEqual(steps.news, told)
        steps.readers[1].complete = True
        steps.sweeps(2)
        told += [(1, "ok"), (1, SEEN)]
        self.assertEqual(steps.news, told)


class ScriptedLanes:
    """Asks scripted readers together: all of them for the time of the slowest. Remembers who was on air with whom."""

    def __init__(self, clock):
        self.clock = clock
        self.groups = []

    def inventory(self, readers, budget_us, probe=False):
        self.groups = self.groups[-59:]  # enough to judge by, and the heap is small
        self.groups.append(readers)
        began, slowest, answers = self.clock.total, 0, []
        for reader in readers:
            self.clock.total = began
            try:
                answers.append(reader.inventory(probe, budget_us))
            except ReaderFault as fault:
                answers.append(fault)
            slowest = max(slowest, self.clock.total - began)
        self.clock.total = began + slowest
        return answers


class LanesTest(unittest.TestCase):
    def setUp(self):
        self.steps = Steps(30)
        fill(self.steps)
        self.lanes = ScriptedLanes(self.steps.clock)
        places = {number: divmod(number, 6) for number in range(30)}
        self.steps.scan = Scan(self.steps.readers, self.steps.clock, BUDGET_US, self.lanes, 5, places)
        self.place = {id(reader): places[number] for number, reader in self.steps.readers.items()}

    def test_five_lanes_take_a_fifth_of_the_time(self):
        alone = Steps(30)
        fill(alone)
        alone.sweeps(1)
        self.steps.sweeps(1)
        self.assertLess(self.steps.sweeps(5), alone.sweeps(5) / 4.5)

    def test_nobody_is_on_air_beside_another(self):
        self.steps.scan.focus((0, 1, 6, 7, 8, 14))
        self.steps.sweeps(3)
        self.steps.readers[9].tags = set()
        self.steps.sweeps(10)
        for group in self.lanes.groups:
            places = [self.place[id(reader)] for reader in group]
            self.assertEqual(len({row for row, _ in places}), len(places))
            for row, column in places:
                for other_row, other in places:
                    if abs(row - other_row) == 1:
                        self.assertGreaterEqual(abs(column - other), 2)

    def test_empty_places_and_single_tags_are_asked_the_short_question_together(self):
        for reader in self.steps.readers.values():
            reader.tags = set()
        self.steps.readers[4].tags = {tag(1)}
        self.steps.sweeps(6)
        probes = [self.steps.readers[number].probes for number in range(30)]
        self.steps.sweeps(8)
        more = [self.steps.readers[number].probes - probes[number] for number in range(30)]
        self.assertEqual((min(more), max(more)), (4, 8))  # those in step with the single tag every other time
        self.steps.news = []
        self.steps.readers[20].tags = {tag(2), tag(3)}  # more than the short question can tell apart
        self.steps.sweeps(2)
        self.assertEqual(self.steps.news, [(20, SEEN)])
        self.assertEqual(self.steps.scan.posts[20].settle.ids, (tag(2), tag(3)))

    def test_a_fault_in_one_lane_leaves_the_others_their_readings(self):
        self.steps.sweeps(2)
        self.steps.news = []
        self.steps.readers[13].fault = "busy"
        self.steps.readers[20].tags.add(tag(9999))
        self.steps.sweeps(3)
        self.assertEqual(sorted(self.steps.news, key=str), [(13, "busy"), (20, SEEN)])
        self.steps.readers[13].fault = None
        self.steps.sweeps(60)
        self.assertEqual(self.steps.news[2:], [(13, "ok"), (13, SEEN)])


class SelfTest(unittest.TestCase):
    def test_each_reader_answers_once(self):
        steps = Steps(5)
        fill(steps)
        steps.readers[4].fault = "absent"
        steps.sweeps(3)
        steps.news = []
        steps.scan.test(None)
        while steps.scan.testing:
            steps.step()
        told = []
        for number in range(4):
            told += [(number, "ok"), (number, SEEN)]
        told.append((4, "absent"))
        self.assertEqual(steps.news, told)

    def test_of_one_reader_and_of_none(self):
        steps = Steps(5)
        steps.sweeps(2)
        steps.news = []
        steps.scan.test(3)
        steps.scan.test(60)
        steps.step()
        self.assertFalse(steps.scan.testing)
        self.assertEqual(steps.news, [(3, "ok"), (3, SEEN)])


if __name__ == "__main__":
    unittest.main()
