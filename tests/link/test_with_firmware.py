"""The host's links and the controller's own firmware on the real MicroPython, joined: no model in between."""

from __future__ import annotations

import os
import pty
import subprocess
import tty
from collections.abc import Iterator
from pathlib import Path
from random import Random

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from naqala.link import Arrived, LinkDown, LinkUp
from naqala.link.follow import Follower, Step
from naqala_firmware.controller import Controller
from naqala_firmware.ring import Ring
from naqala_protocol import Config, Fault, Seen, encode

from tests.conftest import ROOT
from tests.firmware import scripted
from tests.link.broker import Mosquitto
from tests.link.conftest import Inbox, seen

MAIN = ROOT / "tests/firmware/scripted_main.py"


class Firmware:
    """The controller's program as a process; over serial it sits behind a pseudo-terminal at `path`."""

    def __init__(self, micropython: Path, folder: Path) -> None:
        self.micropython, self.folder = micropython, folder
        self.path = folder / "tty-scripted"
        self.process: subprocess.Popen[bytes] | None = None

    def start(self, *arguments: str) -> None:
        ends: dict[str, int] = {}
        if arguments == ("serial",):
            self.master, self.slave = pty.openpty()
            tty.setraw(self.slave)
            self.path.symlink_to(os.ttyname(self.slave))
            ends = {"stdin": self.master, "stdout": self.master}
        command = [self.micropython, "-X", "heapsize=192k", MAIN, *arguments]
        self.process = subprocess.Popen(command, cwd=self.folder, **ends)

    def stop(self) -> None:
        """Pull the plug."""
        if self.process is not None:
            self.process.kill()
            self.process.wait()
            self.process = None
        if self.path.is_symlink():
            self.path.unlink()
            os.close(self.master)
            os.close(self.slave)


@pytest.fixture
def firmware(micropython: Path, tmp_path: Path) -> Iterator[Firmware]:
    made = Firmware(micropython, tmp_path)
    yield made
    made.stop()


def sweep(inbox: Inbox) -> None:
    """Wait until all thirty readers have spoken since the last LinkUp."""
    heard: set[int] = set()

    def complete(event: object) -> bool:
        if isinstance(event, Arrived) and isinstance(event.message, Seen):
            heard.add(event.message.reader)
        return len(heard) == 30

    inbox.until(complete)


def in_order(inbox: Inbox) -> None:
    """Numbers rise by one; after a restart again from 1."""
    last = boot = None
    for event in inbox.events:
        if isinstance(event, LinkUp):
            last = 0 if boot not in (None, event.hello.boot) else last
            boot = event.hello.boot
        if isinstance(event, Arrived) and isinstance(event.message, Seen | Fault):
            assert last is None or event.message.seq == last + 1
            last = event.message.seq


def test_over_serial_with_a_pulled_plug(firmware: Firmware, open_link) -> None:
    firmware.start("serial")
    link, inbox = open_link("serial:name=scripted")
    first = inbox.until(inbox.of(LinkUp)).hello
    sweep(inbox)
    assert link.send(Config("put", "7 04a1b2c3 0499ffee"))
    inbox.until(seen(7, "04a1b2c3", "0499ffee"))
    assert link.send(Config("break", "9 silent"))
    inbox.until(lambda event: isinstance(event, Arrived) and isinstance(event.message, Fault))
    firmware.stop()
    inbox.until(inbox.of(LinkDown))
    firmware.start("serial")
    assert inbox.until(inbox.of(LinkUp)).hello.boot != first.boot
    sweep(inbox)
    in_order(inbox)
    health = link.health()
    assert health.counters.reboots == 1 and health.counters.lost == 0 and health.counters.bad == 0


def test_over_mqtt_with_a_broker_that_restarts(firmware: Firmware, open_link, tmp_path: Path) -> None:
    broker = Mosquitto(tmp_path)
    broker.start()
    try:
        firmware.start("mqtt", str(broker.port))
        link, inbox = open_link(f"mqtt://127.0.0.1:{broker.port}/scripted")
        inbox.until(inbox.of(LinkUp))
        sweep(inbox)
        for number in range(5):
            assert link.send(Config("later", f"{1000 + 100 * number} {number} 0400000{number}"))
        assert link.send(Config("put", "20 04a1b2c3"))
        inbox.until(seen(20, "04a1b2c3"))
        broker.stop()
        inbox.until(inbox.of(LinkDown))
        broker.start()
        inbox.until(seen(4, "04000004"))  # the tags came while nobody could hear
        assert all(
            any(seen(number, f"0400000{number}")(event) for event in inbox.events) for number in range(5)
        )
        in_order(inbox)
        assert link.health().counters.lost == 0
    finally:
        broker.stop()


class Evening:
    """The firmware's own loop in simulated time and the host's follower, with faults on both ways between them."""

    def __init__(self, chance: Random, ring: int) -> None:
        self.chance, self.ring = chance, ring
        self.clock, self.readers = scripted.table(6)
        self.follower = Follower()
        self.started = 0
        self.faulty = True
        self.late: list[bytes] = []
        self.passed: list[Seen | Fault] = []
        self.boots = 0
        self.power_on()
        self._take(self.follower.connected(0))

    def power_on(self) -> None:
        self.started += self.controller.now if self.boots else 0
        self.boots += 1
        self.link = scripted.QueueLink()
        ring = Ring(self.ring, 64 * self.ring)
        self.controller = Controller(
            self.readers, self.link, self.clock, "oak", "test", self.boots, ring=ring
        )

    @property
    def now(self) -> int:
        return self.started + self.controller.now

    def run(self, ms: int) -> None:
        end = self.now + ms
        while self.now < end:
            self.controller.step()
            said, self.link.sent = self.link.sent, []
            for line in said:
                for piece in self._fate(line):
                    self._take(self.follower.feed(piece, self.now))
            self._take(self.follower.tick(self.now))

    def _fate(self, line: bytes) -> list[bytes]:
        fate = self.chance.random() if self.faulty else 1.0
        if fate < 0.1:
            return []
        if fate < 0.2:
            return [line, line]
        if fate < 0.3:
            self.late.append(line)
            return []
        if fate < 0.4:
            return [line.replace(b"e", b"a", 1)]
        late, self.late = self.late, []
        return [line, *late]

    def _take(self, step: Step) -> None:
        for message in step.send:
            if not self.faulty or self.chance.random() > 0.2:
                self.link.inbox += encode(message)
        self.passed += [
            event.message
            for event in step.events
            if isinstance(event, Arrived) and isinstance(event.message, Seen | Fault)
        ]

    def check_state(self) -> None:
        state = {line.reader: set(line.tags) for line in self.passed if isinstance(line, Seen)}
        assert state == {number: reader.tags for number, reader in self.readers.items()}
        assert self.follower.swept and self.follower.up


moves = st.lists(
    st.one_of(
        st.tuples(
            st.integers(0, 5), st.sets(st.sampled_from([scripted.tag(n) for n in range(5)]), max_size=3)
        ),
        st.integers(50, 4000),
        st.just("reboot"),
    ),
    max_size=12,
)


@settings(max_examples=50, deadline=None)
@given(st.integers(0, 2**32), moves, st.sampled_from((14, 400)))
def test_the_real_loop_over_any_wire(seed: int, steps: list, ring: int) -> None:
    evening = Evening(Random(seed), ring)
    for step in steps:
        if isinstance(step, int):
            evening.run(step)
        elif step == "reboot":
            evening.power_on()
        else:
            evening.readers[step[0]].tags = step[1]
            evening.run(100)
    evening.faulty = False
    evening.run(15_000)
    evening.check_state()
    if "reboot" not in steps and ring == 400:
        numbers = [line.seq for line in evening.passed]
        assert numbers == list(range(numbers[0], evening.controller.ring.next))
