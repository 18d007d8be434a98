"""The virtual link: a virtual table at the end of the same follower and desk as a serial port.

`virtual`, `virtual:oak`, `virtual:oak?seed=7&pace=4&misses=0.03`, `virtual:oak?micropython`. With a `seed` the same box is
laid out in the same way, without one each evening begins with another layout. `pace` is how many seconds of the table pass in one of ours; a thread sees to it. `pace=fast` has no thread: time passes only in `run`, as fast as this
machine can, and the same calls give the same lines. Events are stamped with the table's own clock, `clock`, which a session
on this link must use as well.
"""

from __future__ import annotations

import threading
import time
from collections import deque
from collections.abc import Callable, Mapping
from random import Random
from typing import Any
from urllib.parse import parse_qsl

from naqala_protocol import encode

from naqala.link.desk import Desk
from naqala.link.follow import Follower
from naqala.link.inbox import Health, Inbox, LinkError, Message, Options
from naqala.virtual.table import VirtualTable
from naqala.virtual.works import Interpreter, NoMicroPython, SameProcess

LATE_MS = 400  # a machine that cannot keep up lets the table's clock go slow
NAP_S = 0.02
KEYS = ("seed", "pace", "misses", "micropython")


def make(text: str, options: Options) -> VirtualLink:
    """The link for `virtual`, `virtual:NAME` or `virtual:NAME?seed=7&pace=1`; a table of its own, set up."""
    name, _, query = text.partition(":")[2].partition("?")
    given = dict(parse_qsl(query, keep_blank_values=True))
    unknown = [key for key in given if key not in KEYS]
    try:
        seed, misses = int(given.get("seed", "1")), float(given.get("misses", "0"))
        pace = None if given.get("pace") == "fast" else float(given.get("pace", "1"))
    except ValueError:
        raise LinkError(
            f"in '{text}' seed is a whole number, misses a number, pace a number or 'fast'"
        ) from None
    if unknown or not 0 <= misses < 1 or not (pace is None or 0 < pace <= 100):
        raise LinkError(
            f"'{text}': {', '.join(KEYS)} may stand there, with 0 <= misses < 1 and pace up to 100"
        )
    if "micropython" in given and pace != 1:
        raise LinkError(f"'{text}': a MicroPython process runs at the wall's pace")
    name = name or "virtual"
    try:
        works = Interpreter if "micropython" in given else SameProcess
        table = VirtualTable(seed, name, works=works(seed, name, misses))
    except NoMicroPython as error:
        raise LinkError(str(error)) from None
    chance = Random(seed) if "seed" in given else Random()
    table.set_up(chance)
    return VirtualLink(text, table, chance, options, pace)


class VirtualLink:
    """See the module; the methods are those of `naqala.link.Link`, and `clock`, `rest` and `run` besides."""

    def __init__(
        self,
        text: str,
        table: VirtualTable,
        chance: Random,
        options: Options = Options(),  # noqa: B008 (frozen)
        pace: float | None = 1.0,
    ) -> None:
        self.table = table
        self.chance = chance  # what has laid the table out, and lays it out anew
        self.pace = pace
        self.settle: Callable[[], object] = bool  # with pace None, called when events were delivered
        self._desk = Desk(text, Follower(mark=options.mark), self.clock)
        self._desk.where = f"virtual table '{table.name}'"
        self._stop = threading.Event()
        self._thread = threading.Thread(target=self._run, name=f"naqala-{text}", daemon=True)
        self._outbox: deque[bytes] = deque()
        self._pulled = True

    def start(self, inbox: Inbox) -> None:
        self._desk.open(inbox)
        if self.pace is not None:
            self._thread.start()

    def send(self, message: Message) -> bool:
        if not self._desk.follower.up:
            return False
        self._outbox.append(encode(message))
        return True

    def publish(self, snapshot: Mapping[str, Any]) -> None:
        """Nobody listens at the far end but the controller."""

    def stop(self) -> None:
        self._stop.set()
        if self._thread.is_alive():
            self._thread.join()
        self._desk.close()
        self.table.close()

    def health(self) -> Health:
        return self._desk.health()

    def clock(self) -> int:
        """Milliseconds of the table's own clock: what stamps this link's events."""
        return self.table.works.now_ms

    def rest(self, ms: int) -> bool:
        """Let so much of the table's time pass; False when the link was stopped meanwhile."""
        if self.pace is None:
            self.run(ms)
            return not self._stop.is_set()
        end = self.clock() + ms
        while (left := end - self.clock()) > 0:
            if self._stop.wait(min(left / 1000 / self.pace, 0.1)):
                return False
        return not self._stop.is_set()

    def run(self, ms: int) -> None:
        """With pace `fast`: so much of the table's time, in the caller's thread."""
        end = self.clock() + ms
        while self.clock() < end and not self._stop.is_set():
            if self._turn(end):
                self.settle()

    # --- inside -----------------------------------------------------------------------------------------------

    def _run(self) -> None:
        assert self.pace is not None
        began, offset = time.monotonic(), self.clock()
        while not self._stop.is_set():
            due = offset + int((time.monotonic() - began) * 1000 * self.pace)
            if due - self.clock() > LATE_MS * max(1.0, self.pace):
                began, offset = time.monotonic(), self.clock()
            if due > self.clock():
                self._turn(due)
            else:
                self._stop.wait(max(0.001, min(NAP_S, (self.clock() - due) / 1000 / self.pace)))

    def _turn(self, until: int) -> bool:
        """Let the table run until it says something, and follow it. True when the inbox heard of something."""
        desk, works, line = self._desk, self.table.works, self.table.line
        if line.pass_time(self.clock()):
            self.table.touch()
        plugged = line.pulled != self._pulled
        if plugged:
            self._plug(line.pulled)
        while self._outbox:
            works.hear(line.carry(self._outbox.popleft()))
        data = line.carry(works.run_to(until))
        now = self.clock()
        step = desk.follower.feed(data, now) if data else desk.follower.tick(now)
        for words in desk.take(step):
            works.hear(line.carry(words))
        return plugged or bool(step.events)

    def _plug(self, pulled: bool) -> None:
        self._pulled = pulled
        if pulled:
            self._outbox.clear()
            self._desk.trouble(f"the cable of '{self.table.name}' is pulled out; waiting for it to come back")
            return
        for words in self._desk.take(self._desk.follower.connected(self.clock())):
            self.table.works.hear(words)
