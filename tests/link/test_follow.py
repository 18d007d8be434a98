"""The follower against a model controller over a wire that drops, doubles, reorders and spoils lines."""

from __future__ import annotations

import tracemalloc
from collections import deque
from random import Random

from hypothesis import given, settings
from hypothesis import strategies as st
from naqala.link.follow import MOST_HELD, SILENT_MS, Follower, Step
from naqala.link.inbox import Arrived, LinkDown, LinkUp, Mark, Pulse
from naqala_protocol import Alive, Hello, Looked, Resync, Seen, Stats, encode

from tests.link.model import ModelController

FAULTS = ("fine", "fine", "fine", "drop", "double", "late", "spoilt", "noise")


class Wire:
    """Both directions between a follower and a model, in a time of its own. `fault` chooses each line's fate."""

    def __init__(self, controller: ModelController, follower: Follower, fault=lambda: "fine") -> None:
        self.controller, self.follower, self.fault = controller, follower, fault
        self.now = 0
        self.events: list[object] = []
        self.late: list[bytes] = []
        self.road: deque[bytes] = deque()
        self._take(follower.connected(0))

    def up(self, *lines: bytes) -> None:
        """Lines from the controller set out."""
        self.road.extend(lines)
        if len(self.road) == len(lines):  # otherwise an outer call is on its way through them
            while self.road:
                for piece in self._fate(self.road[0]):
                    self._take(self.follower.feed(piece, self.now))
                self.road.popleft()

    def _fate(self, line: bytes) -> list[bytes]:
        fault = self.fault()
        if fault == "late":
            self.late.append(line)
            return []
        arrives = {
            "fine": [line],
            "drop": [],
            "double": [line, line],
            "spoilt": [line.replace(b"e", b"a", 1)],
            "noise": [b"Traceback (most recent call last):\n", line[:7], line[7:]],
        }[fault]
        late, self.late = self.late, []
        return arrives + late

    def _take(self, step: Step) -> None:
        self.events += step.events
        for message in step.send:
            if self.fault() not in ("drop", "spoilt"):
                self.up(*self.controller.receive(encode(message)))

    def wait(self, ms: int) -> None:
        """Time passes in steps of 50 ms, with the controller's `alive` every second."""
        for _ in range(0, ms, 50):
            self.now += 50
            if self.now % 1000 == 0:
                self.up(self.controller.alive())
            self._take(self.follower.tick(self.now))

    def heal(self) -> None:
        """No more faults; one ping later everything has healed."""
        self.fault = lambda: "fine"
        self.wait(18_000)

    @property
    def seen(self) -> list[Seen]:
        return [event.message for event in self.events if self._is_seen(event)]

    @staticmethod
    def _is_seen(event: object) -> bool:
        return isinstance(event, Arrived) and isinstance(event.message, Seen)

    @property
    def state(self) -> dict[int, tuple[str, ...]]:
        return {line.reader: line.tags for line in self.seen}


def joined(**how) -> tuple[ModelController, Wire]:
    controller = ModelController(**how)
    wire = Wire(controller, Follower())
    wire.up(*controller.start())
    return controller, wire


def tag(number: int) -> str:
    return f"04{number:06x}"


hands = st.lists(
    st.one_of(
        st.tuples(st.just("put"), st.integers(0, 3), st.integers(0, 999)),
        st.tuples(st.just("wait"), st.sampled_from((50, 400, 1000, 3000))),
    ),
    max_size=40,
)


def act(wire: Wire, step: tuple) -> None:
    controller = wire.controller
    if step[0] == "put":
        wire.up(controller.put(step[1], tag(step[2])))
    elif step[0] == "wait":
        wire.wait(step[1])
    elif step[0] == "reboot":
        wire.up(*controller.reboot())


@settings(max_examples=120, deadline=None)
@given(st.data(), hands, st.sampled_from((0, 30)))
def test_any_faults_same_lines_in_the_same_order(data, steps, patience) -> None:
    """With a ring deep enough, the host gets every line since it first knew the controller, in order, once."""
    controller = ModelController()
    fates = Random(data.draw(st.integers(0, 2**32)))
    wire = Wire(controller, Follower(patience=patience), lambda: fates.choice(FAULTS))
    wire.up(*controller.start())
    for step in steps:
        act(wire, step)
    wire.heal()
    numbers = [line.seq for line in wire.seen]
    assert numbers == list(range(numbers[0], controller.seq + 1))
    assert wire.seen == [line for _, line in controller.said if line.seq >= numbers[0]]
    assert wire.state == controller.state
    assert wire.follower.swept
    assert wire.follower.counters.lost == 0


@settings(max_examples=120, deadline=None)
@given(
    st.integers(0, 2**32),
    st.lists(st.one_of(hands.map(tuple), st.just((("reboot",),))), max_size=8),
    st.sampled_from((1, 3, 20)),
)
def test_any_faults_restarts_and_a_small_ring_same_state(seed, parts, ring) -> None:
    """When lines are gone from the ring or numbers begin again, order may be lost, the state never."""
    controller = ModelController(ring=ring)
    fates = Random(seed)
    wire = Wire(controller, Follower(), lambda: fates.choice(FAULTS))
    for step in (step for part in parts for step in part):
        act(wire, step)
    wire.heal()
    assert wire.state == controller.state
    assert wire.follower.swept and wire.follower.up
    assert wire.follower.mark == Mark(controller.boot, controller.seq)
    said = [line for _, line in controller.said]
    assert all(line in said for line in wire.seen)


def test_first_contact_with_a_controller_that_runs_already() -> None:
    controller = ModelController()
    controller.start()
    for number in range(30):
        controller.put(number % 4, tag(number))
    wire = Wire(controller, Follower())
    assert isinstance(wire.events[0], LinkUp)
    assert wire.events[0].hello.name == "oak"
    assert wire.state == controller.state
    assert controller.heard[1:] == [Resync(None)]


def test_a_host_that_was_away_gets_what_it_missed_in_order_and_then_a_sweep() -> None:
    controller, first = joined()
    mark = first.follower.mark
    missed = [controller.put(1, tag(number)) for number in range(5)]
    second = Wire(controller, Follower(mark=mark))
    assert [line.tags for line in second.seen[:5]] == [(tag(number),) for number in range(5)]
    assert second.seen[5:] == [Seen(mark.seq + 6 + i, i, controller.state[i]) for i in range(4)]
    assert len(missed) == 5


def test_a_mark_of_another_boot_is_worth_nothing() -> None:
    controller = ModelController()
    controller.start()
    wire = Wire(controller, Follower(mark=Mark(boot=7, seq=2)))
    assert controller.heard[1:] == [Resync(None)]
    assert wire.state == controller.state


def test_a_gap_is_asked_for_at_once_on_a_serial_line() -> None:
    controller, wire = joined()
    base = controller.seq
    controller.put(0, tag(1))  # lost on the way
    wire.up(controller.put(1, tag(2)))
    assert controller.heard[-1] == Resync(base + 1)
    assert [line.seq for line in wire.seen[-2:]] == [base + 1, base + 2]
    assert (wire.follower.counters.gaps, wire.follower.counters.lost) == (1, 0)


def test_over_mqtt_a_late_line_is_waited_for() -> None:
    controller = ModelController()
    wire = Wire(controller, Follower(patience=30))
    wire.up(*controller.start())
    asked = wire.follower.counters.resyncs
    early, late = controller.put(0, tag(1)), controller.put(1, tag(2))
    wire.up(late, early)
    assert [line.tags for line in wire.seen[-2:]] == [(tag(1),), (tag(2),)]
    assert wire.follower.counters.resyncs == asked


def test_a_lost_last_line_is_noticed_by_the_next_alive() -> None:
    controller, wire = joined()
    controller.put(0, tag(1))
    assert wire.state != controller.state
    wire.up(controller.alive())
    assert wire.state == controller.state


def test_lines_that_are_gone_are_counted_and_the_sweep_makes_up_for_them() -> None:
    controller, wire = joined(ring=2)
    for number in range(10):
        controller.put(number % 4, tag(number))
    wire.up(controller.alive())
    assert wire.state == controller.state
    assert wire.follower.counters.lost == 10
    assert [event for event in wire.events if isinstance(event, LinkDown)] == []


def test_a_restart_whose_hello_is_lost_is_noticed_by_its_uptime() -> None:
    controller, wire = joined()
    wire.wait(5000)
    controller.state[2] = (tag(9),)
    controller.reboot()  # hello and sweep lost on the way
    for number in range(controller.seq, 12):
        wire.up(controller.put(0, tag(number)))  # numbers that look like those of before, and then new ones
    wire.wait(1000)
    assert wire.state == controller.state
    assert wire.follower.counters.reboots == 1
    assert [event.hello.boot for event in wire.events if isinstance(event, LinkUp)] == [100, 101]


def test_a_late_line_of_the_boot_before_is_put_right() -> None:
    """Its number fits the new boot, nothing tells it from a true one: the sweep after every restart does."""
    controller, wire = joined()
    late = controller.put(1, tag(7))
    hello, *swept = controller.reboot()
    controller.state[1] = ()
    wire.up(hello, late, *swept)
    wire.wait(4000)
    assert wire.state == controller.state


def test_a_damaged_line_that_passes_its_checksum_is_put_right() -> None:
    controller, wire = joined()
    wire.up(b"seen 9 1 - *0000\n")  # this one does not pass, so the next may have
    wire.up(encode(Seen(controller.seq + 1, 2, (tag(666),))))
    controller.put(2, tag(1))  # what was truly said under that number
    assert wire.state != controller.state
    wire.wait(62_000)
    assert wire.state == controller.state


def test_silence_is_down_and_a_word_is_up_again() -> None:
    controller, wire = joined()
    wire.controller.alive = lambda: b""  # the controller hangs
    controller.receive = lambda data: []
    wire.wait(SILENT_MS + 200)
    assert isinstance(wire.events[-1], LinkDown)
    assert wire.events[-1].why == "nothing heard from 'oak' for 3.5 s"
    del controller.receive, wire.controller.alive
    wire.wait(1000)
    assert any(isinstance(event, LinkUp) for event in wire.events[-3:])
    assert wire.follower.counters.drops == 1


def test_our_own_echo_is_not_a_controller() -> None:
    follower = Follower()
    step = follower.connected(0)
    assert isinstance(step.send[0], Hello)
    assert follower.feed(encode(step.send[0]), 1).events == ()
    assert not follower.up


def test_round_trip_is_measured() -> None:
    controller = ModelController()
    follower = Follower()
    hello = follower.connected(1000).send[0]
    follower.feed(controller.receive(encode(hello))[0], 1007)
    assert follower.counters.round_trip_ms == 7


def test_a_freak_line_does_not_stall_the_link() -> None:
    """A line that passes the checksum by chance claims a number far away; the next `alive` puts that right."""
    controller, wire = joined()
    wire.up(encode(Seen(4_000_000, 1, ())))
    wire.wait(1000)
    wire.up(controller.put(3, tag(5)))
    assert wire.state == controller.state
    assert wire.follower.due() >= wire.now + 50


def test_each_reader_s_numbers_become_a_rate() -> None:
    controller, wire = joined()
    before = list(wire.events)
    wire.up(encode(Stats(3, 500, 2, 11, 40)))
    assert wire.follower.pulses[3] == Pulse(500, 2, 11, wire.now - 40, wire.now)
    wire.now += 10_000
    wire.up(encode(Stats(3, 560, 2, 9, 0)), encode(Stats(4, 7, 0, 30, 9_000)))
    assert wire.follower.pulses[3] == Pulse(560, 2, 9, wire.now, wire.now, 6.0)
    assert wire.follower.pulses[4].per_second is None
    wire.up(encode(Stats(3, 500, 2, 11, 40)))  # an old line that came late is no rate
    assert wire.follower.pulses[3].per_second is None
    assert wire.events == before, "numbers are no events of the table"
    wire.up(*controller.reboot())
    wire.wait(200)
    assert wire.follower.pulses == {}


def looks(wire: Wire) -> list[Looked]:
    return [e.message for e in wire.events if isinstance(e, Arrived) and isinstance(e.message, Looked)]


def test_looks_are_passed_on_and_take_no_number() -> None:
    controller, wire = joined()
    wire.up(encode(Looked(controller.seq, (3, 3, 4))))
    wire.up(controller.put(3, tag(5)))
    wire.up(encode(Looked(controller.seq, (4,))))
    assert looks(wire) == [Looked(controller.seq - 1, (3, 3, 4)), Looked(controller.seq, (4,))]
    assert wire.state == controller.state
    assert wire.follower.counters.gaps == 0


def test_a_look_at_a_state_that_was_lost_is_not_believed_and_shows_the_gap() -> None:
    controller, wire = joined()
    controller.put(3, tag(5))  # its line is lost
    wire.up(encode(Looked(controller.seq, (3, 4))))
    assert looks(wire) == []
    wire.wait(200)
    assert wire.state == controller.state
    wire.up(encode(Looked(controller.seq - 1, (3,))))  # comes late: what it confirms is over
    assert looks(wire) == []


def test_nothing_is_due_at_once_when_all_is_well() -> None:
    _, wire = joined()
    assert wire.follower.due() > wire.now + 1000


def test_thousands_of_spoilt_lines_cost_no_memory() -> None:
    fates = Random(6)
    controller, wire = joined()
    now = 10_000
    peaks = []
    tracemalloc.start()
    for _ in range(4):
        for _ in range(1_000):
            line = bytearray(
                encode(Seen(fates.randrange(1 << 32), fates.randrange(64), (tag(fates.randrange(999)),)))
            )
            if fates.random() < 0.5:
                line[fates.randrange(len(line))] ^= 1 << fates.randrange(8)
            now += 1
            wire.follower.feed(bytes(line), now)
        peaks.append(tracemalloc.get_traced_memory()[0])
    tracemalloc.stop()
    assert len(wire.follower._held) <= MOST_HELD
    assert peaks[-1] < peaks[0] + 200_000
    wire.now = now
    wire.wait(4000)
    wire.up(encode(Alive(controller.seq, 99_000, 1, 1, ())))
    wire.up(controller.put(0, tag(1)))
    wire.wait(3000)
    assert wire.state == controller.state
