"""Readers, clock and link that do what a test tells them: the controller's surroundings without any chip.

A reading costs simulated time as the real chip's does (hardware figures, one lane, MicroPython included), so
schedules can be measured here; the register-level chips are in naqala_firmware.simulated.
"""

import gc

from naqala_firmware.controller import Controller
from naqala_firmware.reader import BUDGET_US, COUNTS, FAULTS, READS, Inventory, ReaderFault, count
from naqala_firmware.simulated.chance import Chance


class ScriptedClock:
    """Simulated microseconds that wrap as the chip's do."""

    WRAP = 1 << 30

    def __init__(self, start=0):
        self.total = start

    def ticks_us(self):
        return self.total % self.WRAP

    def sleep_us(self, us):
        self.total += us

    def diff(self, later, earlier):
        return (later - earlier + self.WRAP // 2) % self.WRAP - self.WRAP // 2


class ScriptedReader:
    """Tags lie in `tags`; `fault` is a code it fails with after `fault_us`; `miss` decides about each reading of a tag."""

    def __init__(self, clock, fault_us=20000):
        self.clock = clock
        self.tags = set()
        self.fault = None
        self.fault_us = fault_us
        self.complete = True
        self.miss = None
        self.version = ""
        self.counts = bytearray(len(COUNTS))
        self.starts = self.readings = self.probes = 0

    def start(self):
        self.starts += 1
        self.clock.sleep_us(2500)
        self._fail()
        self.version = "scripted 1.0"

    def stop(self):
        self.version = ""

    def inventory(self, probe=False, budget_us=BUDGET_US):
        self._fail()
        self.readings += 1
        count(self.counts, READS)
        ids = tuple(sorted([tag for tag in self.tags if not (self.miss and self.miss())]))
        if probe:
            self.probes += 1
            self.clock.sleep_us(3000 if not ids else 7000)
            return Inventory(ids if len(ids) == 1 else (), len(ids) < 2)
        self.clock.sleep_us(min(22100 + 4500 * len(ids) + 160 * len(ids) ** 2, budget_us))
        return Inventory(ids, self.complete)

    def _fail(self):
        if self.fault:
            self.clock.sleep_us(self.fault_us)
            count(self.counts, FAULTS)
            raise ReaderFault(self.fault)


class QueueLink:
    """Two byte queues; `open` False is a host that does not read."""

    def __init__(self):
        self.sent = []
        self.inbox = b""
        self.open = True
        self.up = False

    def step(self, now):
        up, self.up = self.up, False
        return up

    def receive(self):
        data, self.inbox = self.inbox, b""
        return data

    def room(self):
        return self.open

    def send(self, line):
        self.sent.append(line)


class ScriptedTable:
    """A controller among scripted readers, with the few methods of simulated.table that a soak needs."""

    def __init__(self, count, misses):
        self.clock, self.readers = table(count)
        self.link = QueueLink()
        self.controller = Controller(self.readers, self.link, self.clock, free=gc.mem_free)
        self.start = self.clock.total
        chance = Chance(7)
        for reader in self.readers.values():
            reader.miss = lambda: chance.happens(misses)

    def place(self, tag, reader):
        self.remove(tag)
        self.readers[reader].tags.add(tag)

    def remove(self, tag):
        for reader in self.readers.values():
            reader.tags.discard(tag)

    @property
    def now_us(self):
        return self.clock.total - self.start

    def run(self, milliseconds):
        end = self.clock.total + 1000 * milliseconds
        while self.clock.total < end:
            self.controller.step()

    def said(self):
        """Line by line: joined they would need a piece of heap that a real controller never needs."""
        lines, self.link.sent = self.link.sent, []
        return lines

    def hear(self, data):
        self.link.inbox += data


def table(count=30, fault_us=20000):
    """Clock and `count` readers by number."""
    clock = ScriptedClock(ScriptedClock.WRAP - 5000000)  # the counter wraps five seconds into every test
    readers = {}
    for number in range(count):
        readers[number] = ScriptedReader(clock, fault_us)
    return clock, readers


def tag(number):
    return f"e004{number:012x}"
