"""The loop as the host meets it: hello, numbers, resync, focus, test, settings; plain unittest, on both interpreters."""

import unittest

from naqala_firmware.controller import Controller
from naqala_firmware.life import WATCHDOG_MS
from naqala_firmware.ring import Ring
from naqala_protocol import (
    FROM_CONTROLLER,
    Alive,
    Config,
    Decoder,
    Fault,
    Focus,
    Hello,
    Log,
    Looked,
    Resync,
    Seen,
    Stats,
    encode,
)
from naqala_protocol import Test as SelfTest

from tests.firmware.scripted import QueueLink, table, tag


class Host:
    """A controller with its link in the test's hand."""

    def __init__(self, count=6, **settings):
        self.clock, self.readers = table(count)
        self.link = QueueLink()
        self.controller = Controller(
            self.readers, self.link, self.clock, name="attic", firmware="0.1.0", boot=77, **settings
        )
        self.decoder = Decoder(FROM_CONTROLLER)

    def say(self, message):
        self.link.inbox += encode(message)

    def run(self, milliseconds):
        """What the controller says in that time."""
        end = self.controller.now + milliseconds
        while self.controller.now < end:
            self.controller.step()
        return self.heard()

    def heard(self):
        lines, self.link.sent = self.link.sent, []
        return [message for line in lines for message in self.decoder.feed(line)]


def looks(messages):
    """How often each reader was looked at."""
    counts = {}
    for line in of(Looked, messages):
        for reader in line.readers:
            counts[reader] = counts.get(reader, 0) + 1
    return counts


def of(kind, messages):
    return [message for message in messages if type(message) is kind]


class Hellos(unittest.TestCase):
    def test_first_word_is_hello_then_every_reader_speaks_in_order_of_numbers(self):
        host = Host(6)
        heard = host.run(1000)
        self.assertEqual(heard[0], Hello(1, "attic", 6, 0, 77, "0.1.0", ()))
        seen = of(Seen, heard)
        self.assertEqual([line.seq for line in seen], [1, 2, 3, 4, 5, 6])
        self.assertEqual(sorted([line.reader for line in seen]), [0, 1, 2, 3, 4, 5])
        self.assertEqual(of(Log, heard)[0].text, "self-test: 6 of 6 readers ok")

    def test_hello_answers_hello_with_the_last_number_used(self):
        host = Host(6)
        host.run(1000)
        host.say(Hello(1, "host", 0, 0, 0, "x", ()))
        host.controller.step()
        self.assertEqual(of(Hello, host.heard())[0].seq, 6)

    def test_a_link_that_comes_up_again_is_greeted(self):
        host = Host(6)
        host.run(1000)
        host.link.up = True
        host.controller.step()
        self.assertEqual(len(of(Hello, host.heard())), 1)


class Looks(unittest.TestCase):
    """`looked`: which visits confirmed what was said, so that the host need not wait for a change that does not come."""

    def test_nothing_is_said_without_a_focus(self):
        host = Host(6)
        self.assertEqual(looks(host.run(3000)), {})
        host.say(Focus((2,)))
        self.assertIn(2, looks(host.run(1000)))
        host.say(Focus(()))
        host.controller.step()
        host.heard()
        self.assertEqual(looks(host.run(1000)), {})

    def test_each_visit_counts_once_and_no_number_is_taken(self):
        host = Host(6)
        host.readers[2].tags = {tag(1), tag(2)}
        host.run(1000)
        host.say(Focus((2, 3)))
        host.controller.step()
        host.heard()
        before = [host.readers[n].readings for n in range(6)]
        heard = host.run(5000)
        visits = [host.readers[n].readings - before[n] for n in range(6)]
        told = looks(heard)
        for reader in range(6):
            # Off by what the first and the last line do not hold.
            self.assertLessEqual(abs(told[reader] - visits[reader]), 4)
        self.assertEqual({line.seq for line in of(Looked, heard)}, {6})
        self.assertEqual(of(Seen, heard), [])

    def test_at_most_ten_lines_a_second(self):
        host = Host(6)
        host.run(1000)
        host.say(Focus((2,)))
        lines = of(Looked, host.run(5000))
        self.assertLessEqual(len(lines), 51)
        self.assertGreater(len(lines), 35)

    def test_looks_from_before_the_focus_are_not_told(self):
        host = Host(6)
        host.run(20000)
        host.say(Focus((2,)))
        first = of(Looked, host.run(300))[0]
        self.assertLess(len(first.readers), 12)

    def test_a_reader_in_doubt_is_not_named_until_it_is_settled(self):
        host = Host(6)
        host.readers[2].tags = {tag(1), tag(2)}
        host.run(1000)
        host.say(Focus((2,)))
        host.run(500)
        host.readers[2].tags = {tag(1)}
        readings = host.readers[2].readings
        while host.readers[2].readings == readings:
            host.controller.step()
        heard = host.heard()  # what was seen before the tag left
        gone = []
        while not gone:
            host.controller.step()
            heard = host.heard()
            gone = of(Seen, heard)
            if not gone:
                self.assertEqual(looks(heard).get(2, 0), 0)
        self.assertEqual(gone[0].tags, (tag(1),))
        self.assertGreater(looks(host.run(500))[2], 2)

    def test_a_look_never_comes_before_the_line_it_speaks_of(self):
        host = Host(6)
        host.run(1000)
        host.say(Focus((2,)))
        host.run(500)
        host.link.open = False
        host.readers[2].tags = {tag(1)}
        host.run(2000)
        host.link.open = True
        heard = host.run(300)
        kinds = [type(line) for line in heard if type(line) in (Seen, Looked)]
        self.assertEqual(kinds[0], Seen)
        self.assertEqual(of(Looked, heard)[0].seq, of(Seen, heard)[0].seq)
        self.assertLessEqual(len(of(Looked, heard)[0].readers), 64)
        self.assertEqual(set(of(Looked, heard)[0].readers), {0, 1, 2, 3, 4, 5})

    def test_an_incomplete_answer_and_a_fault_are_no_looks(self):
        host = Host(6)
        for reader in (2, 3):
            host.readers[reader].tags = {tag(1), tag(2)}
        host.run(1000)
        host.readers[2].complete = False
        host.readers[3].fault = "busy"
        host.say(Focus((2, 3, 4)))
        host.run(1000)
        told = looks(host.run(3000))
        self.assertEqual((told.get(2, 0), told.get(3, 0)), (0, 0))
        self.assertGreater(told[4], 20)


class Numbers(unittest.TestCase):
    def test_an_arrival_is_one_line_and_alive_takes_no_number(self):
        host = Host(6)
        host.run(1000)
        host.readers[2].tags = {tag(9), tag(8)}
        heard = host.run(3000)
        self.assertEqual(of(Seen, heard), [Seen(7, 2, (tag(8), tag(9)))])
        alive = of(Alive, heard)
        self.assertIn(len(alive), (2, 3, 4))
        self.assertEqual({line.seq for line in alive[1:]}, {7})
        self.assertIn(alive[-1].uptime, (3, 4))
        self.assertGreater(alive[-1].sweep, 0)

    def test_a_removal_is_one_line(self):
        host = Host(6)
        host.readers[2].tags = {tag(9), tag(8)}
        host.run(1000)
        host.readers[2].tags = {tag(9)}
        self.assertEqual(of(Seen, host.run(3000)), [Seen(7, 2, (tag(9),))])

    def test_every_reader_is_told_in_numbers_in_turn(self):
        host = Host(5)
        told = of(Stats, host.run(4500))
        self.assertEqual([line.reader for line in told[:7]], [0, 1, 2, 3, 4, 0, 1])
        again = [line for line in told if line.reader == 0]
        self.assertGreater(again[1].reads, again[0].reads)
        self.assertLessEqual(again[1].reads, host.readers[0].readings)
        self.assertEqual([line.misses for line in told], [0] * len(told))
        for line in told:
            self.assertLess(line.ago, 1000)
            self.assertLess(line.took, 100)

    def test_a_reader_that_fails_stops_counting_and_its_silence_grows(self):
        host = Host(3)
        host.run(1000)
        host.readers[1].fault = "busy"
        told = [line for line in of(Stats, host.run(5000)) if line.reader == 1]
        self.assertEqual(told[-1].reads, told[-2].reads)
        self.assertGreater(told[-1].ago, 2000)

    def test_a_tag_that_is_overlooked_and_comes_back_is_a_miss(self):
        host = Host(2)
        host.readers[1].tags = {tag(9), tag(8)}
        host.run(1000)
        host.readers[1].tags = {tag(9)}
        asked = host.readers[1].readings
        while host.readers[1].readings == asked:
            host.controller.step()
        host.readers[1].tags = {tag(9), tag(8)}
        told = of(Stats, host.run(3000))
        self.assertEqual({line.misses for line in told if line.reader == 1}, {1})

    def test_uptime_goes_on_when_the_chips_counter_wraps(self):
        host = Host(2)
        host.run(12000)  # the scripted counter wraps after five seconds
        self.assertGreaterEqual(host.controller.now, 12000)
        self.assertLess(host.controller.now, 12100)

    def test_a_fault_is_a_line_and_ok_takes_it_back(self):
        host = Host(3)
        host.run(1000)
        host.readers[1].fault = "busy"
        heard = host.run(3000)
        self.assertEqual(of(Fault, heard), [Fault(4, 1, "busy")])
        counters = dict(of(Alive, heard)[-1].counters)
        self.assertGreaterEqual(counters["faults"], 2)
        readings = sum([reader.readings for reader in host.readers.values()])
        self.assertLessEqual(counters["reads"], readings)
        self.assertGreater(counters["reads"], readings // 2)  # `alive` may be a second old
        host.readers[1].fault = None
        heard = host.run(9000)
        self.assertEqual(of(Fault, heard), [Fault(5, 1, "ok")])
        self.assertEqual(of(Seen, heard), [Seen(6, 1, ())])


class Resyncs(unittest.TestCase):
    def test_lines_are_said_again_with_their_old_numbers(self):
        host = Host(6)
        first = of(Seen, host.run(1000))
        host.say(Resync(3))
        self.assertEqual(of(Seen, host.run(500)), first[2:])

    def test_a_number_not_yet_used_brings_nothing_old(self):
        host = Host(6)
        host.run(1000)
        host.say(Resync(7))
        heard = host.run(500)
        self.assertEqual(of(Seen, heard) + of(Hello, heard), [])

    def test_all_is_hello_and_a_fresh_picture_with_new_numbers(self):
        host = Host(6)
        host.readers[3].tags = {tag(5)}
        host.readers[4].fault = "absent"
        host.run(2000)
        for since in (None, 0, 4000000000):
            last = host.controller.ring.next - 1
            host.say(Resync(since))
            host.controller.step()
            heard = host.heard()
            self.assertEqual(type(heard[0]), Hello)
            self.assertEqual(heard[0].seq, last)
            numbered = [line for line in heard if type(line) in (Seen, Fault)]
            self.assertEqual([line.seq for line in numbered], [last + i for i in range(1, 7)])
            self.assertEqual([line.reader for line in numbered], [0, 1, 2, 3, 4, 5])
            self.assertEqual(numbered[3].tags, (tag(5),))
            self.assertEqual(numbered[4].code, "absent")

    def test_a_host_that_does_not_read_misses_nothing_the_ring_holds(self):
        host = Host(6)
        host.run(1000)
        host.link.open = False
        for number in range(20):
            host.readers[number % 6].tags.add(tag(number))
            host.run(400)
        host.link.open = True
        seen = of(Seen, host.run(500))
        self.assertEqual([line.seq for line in seen], [7 + i for i in range(20)])

    def test_more_than_the_ring_holds_is_a_gap_that_resync_heals(self):
        host = Host(6, ring=Ring(8, 1024))
        host.run(1000)
        host.link.open = False
        for number in range(20):
            host.readers[number % 6].tags.add(tag(number))
            host.run(400)
        host.link.open = True
        seen = of(Seen, host.run(500))
        self.assertEqual([line.seq for line in seen], list(range(19, 27)))
        host.say(Resync(7))
        picture = of(Seen, host.run(500))
        self.assertEqual(len(picture), 6)
        for line in picture:
            self.assertEqual(set(line.tags), host.readers[line.reader].tags)


class Fed:
    """Counts how often the watchdog was fed, and the longest wait between two times."""

    def __init__(self):
        self.times = self.last = self.longest = 0

    def healthy(self, now):
        self.times += 1
        self.longest = max(self.longest, now - self.last)
        self.last = now


class Lives(unittest.TestCase):
    def test_the_watchdog_is_fed_once_a_sweep_and_at_no_other_time(self):
        life = Fed()
        host = Host(6, life=life)
        for number in range(6):
            host.readers[number].tags = {tag(number), tag(number + 6)}
        host.run(3000)
        self.assertEqual(life.times, host.controller.scan.schedule.sweeps)
        self.assertGreater(life.times, 5)

    def longest_wait(self, crowded, others):
        """Between two feeds, with thirteen readers in focus that have so many tags, and so many on the others."""
        life = Fed()
        host = Host(30, life=life, ring=Ring(8, 1024))
        tags = [tag(number) for number in range(24)]  # the same for all readers, or they would fill the heap
        for number in range(30):
            host.readers[number].tags = set(tags[: crowded if number < 13 else others])
        host.say(Focus(tuple(range(13))))
        for _ in range(40):
            host.run(1000)  # a second at a time, for the same reason
        self.assertGreater(life.last, 30000)
        return life.longest

    def test_a_long_focus_on_crowded_tiles_does_not_starve_the_watchdog(self):
        self.assertLess(self.longest_wait(11, 4), WATCHDOG_MS * 3 // 4)

    def test_nor_do_thirty_readers_that_each_take_their_whole_budget(self):
        self.assertLess(self.longest_wait(24, 24), WATCHDOG_MS * 9 // 10)

    def test_a_table_without_power_on_its_readers_is_not_restarted_for_ever(self):
        life = Fed()
        host = Host(6, life=life)
        for number in range(6):
            host.readers[number].fault = "absent"
        host.run(12000)
        self.assertGreater(life.last, 11000)
        self.assertLess(life.longest, WATCHDOG_MS // 4)


class Orders(unittest.TestCase):
    def test_focus_reaches_the_schedule(self):
        host = Host(6)
        host.run(1000)
        host.say(Focus((4,)))
        before = host.readers[4].readings, host.readers[1].readings
        host.run(1000)
        self.assertGreater(host.readers[4].readings - before[0], 5 * (host.readers[1].readings - before[1]))

    def test_test_answers_with_a_fault_line_and_a_word_for_people(self):
        host = Host(6)
        host.run(1000)
        host.say(SelfTest(2))
        heard = host.run(300)
        self.assertEqual(of(Fault, heard), [Fault(7, 2, "ok")])
        self.assertIn("reader 2: scripted 1.0, field on, 0 tags, ok", of(Log, heard)[0].text)

    def test_settings_answer_in_words(self):
        def configure(key, text):
            if key != "name":
                raise ValueError(f"no setting '{key}'")
            return "name is now " + text

        host = Host(2, configure=configure)
        host.run(500)
        host.say(Config("name", "cellar"))
        host.say(Config("colour", "red"))
        heard = of(Log, host.run(300))
        self.assertEqual(heard, [Log("info", "name is now cellar"), Log("error", "no setting 'colour'")])

    def test_a_setting_that_cannot_be_kept_stops_nobody(self):
        def full(key, text):
            raise OSError(28)

        host = Host(2, configure=full)
        host.run(500)
        host.say(Config("name", "cellar"))
        heard = of(Log, host.run(300))
        self.assertEqual([log.level for log in heard], ["error"])
        self.assertTrue(heard[0].text.startswith("name: cannot be kept ("))

    def test_stop(self):
        host = Host(2)
        host.run(500)
        host.say(Config("stop", "repl"))
        host.controller.step()
        self.assertTrue(host.controller.stopped)

    def test_stop_from_afar_is_refused(self):
        host = Host(2)
        host.link.remote = True
        host.run(500)
        host.say(Config("stop", "repl"))
        heard = host.run(300)
        self.assertFalse(host.controller.stopped)
        self.assertEqual(of(Log, heard), [Log("error", "stop: only over the cable")])

    def test_noise_is_counted_and_harmless(self):
        host = Host(2)
        host.run(500)
        host.link.inbox = b"\x00\xff\x03 hello\nfocus 1 *0000\nresync all\n" + b"x" * 5000 + b"\n"
        host.run(300)
        counters = dict(of(Alive, host.run(1500))[-1].counters)
        self.assertEqual(counters["noise"], 4)


if __name__ == "__main__":
    unittest.main()
