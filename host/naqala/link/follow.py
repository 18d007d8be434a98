"""Following the controller's numbers: bytes and the clock come in, events and lines to send go out. No port, no thread.

The controller numbers its `seen` and `fault` lines; `alive` and `hello` repeat the last number used. The follower
passes numbered lines on in order and once. A missing number is asked for (`resync N`); what the controller no longer
keeps is skipped when it answers with `hello` and a full sweep. What may go wrong with the bytes is healed here and
nowhere else; serial and MQTT links only carry bytes and call `tick` when `due` says so.

How a hello is read (`_on_hello`):

| who | means | done |
|---|---|---|
| the first | we know nothing | follow from its number (or from our mark), ask for a sweep |
| another boot | the controller restarted, its numbers began again | ask for all its lines since |
| same boot, higher number, a resync is open | the lines asked for may be gone | see `_perhaps_gone`: jump, the sweep follows |
| same boot, higher number | lines were lost | ask for them |
| same boot, lower number | an old line came late, or a boot number repeats | ask again; twice in a row is a restart |
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import ClassVar

from naqala_protocol import (
    FROM_CONTROLLER,
    VERSION,
    Alive,
    Decoder,
    Fault,
    Hello,
    Log,
    Looked,
    Resync,
    Seen,
    Stats,
    Tuned,
)

from naqala.link.inbox import Arrived, Counters, Event, LinkDown, LinkUp, Mark, Message, Pulse

HELLO_AGAIN_MS = 400  # a hello that nobody answered is said again, ever more slowly
SLOWEST_HELLO_MS = 3_200
PING_MS = 10_000  # a hello now and then measures the round trip
RESYNC_AGAIN_MS = 300  # of quiet after a resync before it is said again
RESYNC_PATIENCE_MS = 2_000  # and whatever else is heard, after this long
SILENT_MS = 3_500  # three `alive` missed
SWEEP_MS = 2_000  # a sweep that makes no progress is asked for again, ever more slowly
SLOWEST_SWEEP_MS = 60_000
# A sweep is asked for although nothing is missing: after a restart, as a late line of the boot before may have passed for
# one of this boot, and after damaged lines, one in 65,536 of which passes its checksum.
RESTART_RECHECK_MS = 3_000
DAMAGE_RECHECK_MS = 60_000
MOST_HELD = 1_024  # lines that wait for a missing one


@dataclass(frozen=True)
class Step:
    """What one call led to: events for the inbox, messages for the controller."""

    events: tuple[Event, ...]
    send: tuple[Message, ...]


class Follower:
    """One controller's lines, followed. `patience` is how long a missing number may still come by itself (MQTT)."""

    def __init__(self, name: str = "host", patience: int = 0, mark: Mark | None = None) -> None:
        self.name = name
        self.hello: Message = None
        self.alive: Message = None
        self.pulses: dict[int, Pulse] = {}  # never changed, only replaced: other threads read it
        self.up = False
        self.heard_at: int | None = None
        self._patience = patience
        self._mark = mark
        self._connected = False
        self._decoder = Decoder(FROM_CONTROLLER)
        self._repeats = self._gaps = self._resyncs = self._lost = self._reboots = self._drops = 0
        self._round_trip: int | None = None
        self._last = 0  # number of the last line passed on
        self._top = 0  # highest number known to be in use
        self._held: dict[int, Message] = {}
        self._gap_at: int | None = None  # when the missing number was noticed
        self._resync_at: int | None = None  # when it was first asked for
        self._gone: int | None = None  # the number of a hello that came instead of the lines asked for
        self._resync_heard = 0  # the last sign that the answer is on its way
        self._hello_said: int | None = None  # when we last said hello
        self._hello_open = False  # and whether it still waits for its answer
        self._hello_pause = HELLO_AGAIN_MS
        self._doubt = True  # whether this is the controller we think it is
        self._behind = 0
        self._swept: set[int] | None = set()  # readers heard since we knew nothing; None: all of them
        self._sweep_due = 0
        self._sweep_pause = SWEEP_MS
        self._recheck_at: int | None = None  # when to ask for a sweep although nothing is known to be missing
        self._bad = 0  # damaged lines at the last look
        self._events: list[Event] = []
        self._send: list[Message] = []

    # --- what the link calls ------------------------------------------------------------------------------

    def connected(self, now: int) -> Step:
        """There is a way to the controller: say hello."""
        self._connected = self._doubt = True
        self._hello_open = False
        self._hello_said = self._resync_at = None
        self._decoder.feed(b"\n")  # half a line from before the break is no beginning of the next
        return self._done(now)

    def dropped(self, why: str, now: int) -> Step:
        """The way is gone. What was followed so far stays known."""
        self._connected = False
        self._go_down(why, now)
        return self._done(now)

    def feed(self, data: bytes, now: int) -> Step:
        """Bytes as they came."""
        for message in self._decoder.feed(data):
            if isinstance(message, Hello) and message.name == self.name:
                continue  # our own words: an echoing terminal, or the prompt of a controller without firmware
            self.heard_at = now
            self._HANDLERS[type(message)](self, message, now)
        if self._decoder.bad > self._bad:
            self._bad = self._decoder.bad
            self._recheck(now + DAMAGE_RECHECK_MS)
        return self._done(now)

    def tick(self, now: int) -> Step:
        """Time has passed."""
        return self._done(now)

    def due(self) -> int | None:
        """When `tick` is next wanted, if nothing comes before."""
        return min((due for timer, _ in self._TIMERS if (due := timer(self)) is not None), default=None)

    @property
    def mark(self) -> Mark | None:
        """Where a later host may go on."""
        return Mark(self.hello.boot, self._last) if self.hello else self._mark

    @property
    def swept(self) -> bool:
        """Whether every wired reader has spoken since the follower knew nothing."""
        return self._swept is None

    @property
    def counters(self) -> Counters:
        wire = self._decoder
        heard = (wire.lines, wire.noise, wire.bad, wire.unknown, wire.malformed, self._repeats)
        healed = (self._gaps, self._resyncs, self._lost, self._reboots, self._drops)
        return Counters(*heard, *healed, self._round_trip)

    def _done(self, now: int) -> Step:
        for timer, act in self._TIMERS:
            due = timer(self)
            if due is not None and now >= due:
                act(self, now)
        step = Step(tuple(self._events), tuple(self._send))
        self._events, self._send = [], []
        return step

    # --- what the controller says -------------------------------------------------------------------------

    def _on_hello(self, hello: Message, now: int) -> None:
        answer, self._hello_open = self._hello_open, False
        if answer and self._hello_said is not None:
            self._round_trip = now - self._hello_said
        before, self.hello = self.hello, hello
        if before is None:
            self._begin(hello, now)
        elif hello.boot != before.boot:
            self._restart(now)
        elif hello.seq < self._last:
            self._behind += 1
            if self._behind < 2:
                self._doubt = True
                return
            self._restart(now)
        elif hello.seq > self._last and self._resync_at is not None:
            self._perhaps_gone(hello.seq, answer, now)
        self._behind, self._doubt = 0, False
        self._held = {seq: line for seq, line in self._held.items() if seq > self._last}
        self._top = max(self._last, hello.seq, *self._held)
        if not self.up:
            self._go_up(now)
        self._release(now)

    def _begin(self, hello: Message, now: int) -> None:
        mark = self._mark
        known = mark is not None and mark.boot == hello.boot and mark.seq <= hello.seq
        self._last = mark.seq if known and mark else hello.seq
        self._sweep_from(now)

    def _restart(self, now: int) -> None:
        self._reboots += 1
        self._last = 0
        self._held = {}
        self._gap_at = self._resync_at = self._gone = None
        self.alive, self.pulses = None, {}
        self._sweep_from(now + SWEEP_MS)
        self._recheck(now + RESTART_RECHECK_MS)
        self._go_up(now)

    def _perhaps_gone(self, seq: int, answer: bool, now: int) -> None:
        """A hello while a resync is open says that the lines are gone, or it is an older one that comes late.

        The controller numbers a sweep anew each time it has to say so: only a second hello with a higher number
        is proof. Until then the resync is said again.
        """
        if not answer and self._gone is not None and seq > self._gone:
            self._jump(seq, now)
            return
        if not answer:
            self._gone = seq
        self._resync_at = None

    def _jump(self, seq: int, now: int) -> None:
        """Go on after `seq`. Lines held so far are real, and older than what follows: they are passed on first."""
        for number in sorted(self._held):
            if number <= seq:
                self._lost += number - self._last - 1
                self._pass(self._held.pop(number), now)
                self._last = number
        self._lost += seq - self._last
        self._last = seq
        self._gap_at = self._resync_at = self._gone = None
        self._sweep_from(now + SWEEP_MS)

    def _on_numbered(self, line: Message, now: int) -> None:
        if self._doubt:
            return  # nobody knows of which boot it is; if it matters it will be asked for
        self._resync_heard = now
        if line.seq <= self._last or line.seq in self._held:
            self._repeats += 1
            return
        if len(self._held) >= MOST_HELD and line.seq != self._last + 1:
            return
        self._held[line.seq] = line
        self._top = max(self._top, line.seq)
        self._release(now)

    def _on_alive(self, alive: Message, now: int) -> None:
        if self.hello is None:
            return
        if alive.seq < self._last or (self.alive is not None and alive.uptime < self.alive.uptime):
            self._doubt = True  # an old line that came late, or a restart whose hello was lost
        elif not self._doubt:
            # `alive` knows best which numbers are in use: a line beyond it was a freak of the checksum.
            self._behind, self._top = 0, alive.seq
            self._held = {seq: line for seq, line in self._held.items() if seq <= alive.seq}
            self._release(now)
        self.alive = alive
        self._pass(alive, now)

    def _on_looked(self, looked: Message, now: int) -> None:
        """Passed on only when it speaks of the last line we have: of an older state, or of one still on its way, it says
        nothing that may be believed. Another one follows soon."""
        if self._doubt:
            return
        if looked.seq > self._top:
            self._top = looked.seq
            self._release(now)
        if looked.seq == self._last:
            self._pass(looked, now)

    def _on_stats(self, told: Message, now: int) -> None:
        before = self.pulses.get(told.reader)
        rate = None
        if before is not None and told.reads >= before.reads and now > before.told_at:
            rate = (told.reads - before.reads) * 1000 / (now - before.told_at)
        pulse = Pulse(told.reads, told.misses, told.took, now - told.ago, now, rate)
        self.pulses = {**self.pulses, told.reader: pulse}

    def _release(self, now: int) -> None:
        """Pass on what is complete; notice what is missing."""
        while self._last + 1 in self._held:
            self._last += 1
            self._gone = None
            line = self._held.pop(self._last)
            self._pass(line, now)
            self._sweep(line.reader, now)
        if self._last >= self._top:
            self._gap_at = self._resync_at = None
        elif self._gap_at is None:
            self._gap_at = now
            self._gaps += 1

    def _pass(self, message: Message, now: int) -> None:
        self._events.append(Arrived(message, now))

    # --- up, down, sweep ----------------------------------------------------------------------------------

    def _go_up(self, now: int) -> None:
        self.up = True
        self._events.append(LinkUp(self.hello, now))

    def _go_down(self, why: str, now: int) -> None:
        if self.up:
            self._drops += 1
            self.up = False
            self._events.append(LinkDown(why, now))

    def _sweep_from(self, due: int) -> None:
        """Every reader is to speak anew; asked for when it is due."""
        self._swept, self._sweep_due, self._sweep_pause = set(), due, SWEEP_MS

    def _sweep(self, reader: int, now: int) -> None:
        if self._swept is None or reader in self._swept:
            return
        self._swept.add(reader)
        if self._sweep_due > now:  # it is under way; a sweep that is due will still be asked for
            self._sweep_due = max(self._sweep_due, now + SWEEP_MS)
        if self.hello.wired and len(self._swept) >= self.hello.wired:
            self._swept = None

    def _recheck(self, at: int) -> None:
        self._recheck_at = at if self._recheck_at is None else min(at, self._recheck_at)

    # --- timers: when, and what then ----------------------------------------------------------------------

    def _hello_due(self) -> int | None:
        if not self._connected:
            return None
        if self._hello_said is None:
            return 0
        if self._doubt or not self.up:
            return self._hello_said + self._hello_pause
        return None if self._gap_at is not None else self._hello_said + PING_MS

    def _say_hello(self, now: int) -> None:
        slower = min(2 * self._hello_pause, SLOWEST_HELLO_MS)
        self._hello_pause = slower if self._hello_open else HELLO_AGAIN_MS
        self._hello_said, self._hello_open = now, True
        self._send.append(Hello(VERSION, self.name, 0, 0, 0, "host", ()))

    def _resync_due(self) -> int | None:
        if not self._connected or self._doubt or self._gap_at is None:
            return None
        if self._resync_at is None:
            return self._gap_at + self._patience
        return min(self._resync_heard + RESYNC_AGAIN_MS, self._resync_at + RESYNC_PATIENCE_MS)

    def _ask_missing(self, now: int) -> None:
        self._resync_at = self._resync_heard = now
        self._ask(self._last + 1)

    def _sweep_again_due(self) -> int | None:
        if not self._connected or self._doubt or self._gap_at is not None or not self.up:
            return None
        return self._recheck_at if self._swept is None else self._sweep_due

    def _ask_sweep(self, now: int) -> None:
        if self._swept is None:
            self._sweep_from(now)
            self._recheck_at = None
        self._sweep_due = now + self._sweep_pause
        self._sweep_pause = min(2 * self._sweep_pause, SLOWEST_SWEEP_MS)
        self._ask(None)

    def _ask(self, since: int | None) -> None:
        self._resyncs += 1
        self._send.append(Resync(since))

    def _silence_due(self) -> int | None:
        return self.heard_at + SILENT_MS if self.up and self.heard_at is not None else None

    def _fall_silent(self, now: int) -> None:
        self._doubt = True
        self._go_down(f"nothing heard from '{self.hello.name}' for {SILENT_MS / 1000:g} s", now)

    _HANDLERS: ClassVar[dict[type, Callable[[Follower, Message, int], None]]] = {
        Hello: _on_hello,
        Seen: _on_numbered,
        Fault: _on_numbered,
        Alive: _on_alive,
        Looked: _on_looked,
        Stats: _on_stats,
        Log: _pass,
        Tuned: _pass,
    }
    _TIMERS: tuple[tuple[Callable[[Follower], int | None], Callable[[Follower, int], None]], ...] = (
        (_silence_due, _fall_silent),
        (_hello_due, _say_hello),
        (_resync_due, _ask_missing),
        (_sweep_again_due, _ask_sweep),
    )
