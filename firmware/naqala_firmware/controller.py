"""The one loop: hear the host, visit a reader, say what is new. `Controller(...).step()` does each once and returns.

Everything it touches is handed in: readers by number, a link, a clock; lamps, life and settings if there are any.
So the same file runs on the chip, on MicroPython under Linux and inside the virtual table. A link has

    step(now)     housekeeping; True when the other side has (again) become reachable
    receive()     bytes that came in, b"" when none; never waits
    room()        True when a whole line can be taken now
    send(line)    take that line

`seen` and `fault` lines bear numbers and live in the ring; `_cursor` is the number that is said next. A slow host only
makes the cursor lag; a host that was away moves it back with `resync`. Nothing is kept twice.
"""

from naqala_protocol import (
    FROM_HOST,
    MOST_TAGS,
    VERSION,
    Alive,
    Config,
    Decoder,
    Fault,
    Focus,
    Hello,
    Light,
    Log,
    Looked,
    Resync,
    Seen,
    Stats,
    Test,
    Tune,
    Tuned,
    encode,
)

from naqala_firmware.ring import Ring
from naqala_firmware.scan import SEEN, Scan
from naqala_firmware.schedule import Post
from naqala_firmware.selftest import report, summary
from naqala_firmware.tune import Tune as Tuning
from naqala_firmware.tune import brightness

ALIVE_MS = 1000
LOOKED_MS = 100  # between two `looked` lines at least
STATS = 3  # readers told in numbers with every `alive`: thirty within ten seconds
REST_US = 2000  # when no reader is healthy
MOST_LOGS = 40  # every reader's self-test fits
MOST_TEXT = 200


class Controller:
    """`now` counts milliseconds since the start and never wraps; `stopped` is set when the host asks to end."""

    def __init__(
        self,
        readers: dict,
        link,
        clock,
        name: str = "naqala",
        firmware: str = "unknown",
        boot: int = 0,
        abilities: tuple[str, ...] = (),
        lamps=None,
        life=None,
        configure=None,
        free=None,
        ring: Ring | None = None,
        lanes=None,
        width: int = 1,
        places=None,
    ) -> None:
        self.scan = Scan(readers, clock, lanes=lanes, width=width, places=places)
        self.tuning = Tuning(self.scan.posts)
        self.link = link
        self.clock = clock
        self.name = name
        self.firmware = firmware
        self.boot = boot
        self.abilities = abilities
        self.lamps = lamps
        self.life = life
        self.configure = configure
        self.free = free
        self.ring = ring or Ring()
        self.decoder = Decoder(FROM_HOST)
        self.now = 0
        self.stopped = False
        self.resyncs = 0
        self._ticks = clock.ticks_us()
        self._fraction = 0
        self._cursor = 1
        self._hello = True
        self._alive = 0
        self._looked = 0
        self._stats = self._due = 0  # lines of `stats` said so far, and how many are due
        self._logs: list[bytes] = []
        self._complaints: list[str] = []

    def step(self) -> None:
        """One turn of the loop: at most one visit of one reader, so at most its time budget."""
        self._tick()
        if self.link.step(self.now):
            self._greet()
        data = self.link.receive()
        if data:
            for message in self.decoder.feed(data):
                self._obey(message)
        self._visit()
        self._tune()
        if self.lamps:
            self.lamps.step(self.now)
        self._tick()
        self._speak()

    def _tick(self) -> None:
        ticks = self.clock.ticks_us()
        self._fraction += self.clock.diff(ticks, self._ticks)
        self._ticks = ticks
        self.now += self._fraction // 1000
        self._fraction %= 1000

    # --- What the host says -----------------------------------------------------------------------------------

    def _obey(self, message) -> None:
        kind = type(message)
        if kind is Hello:
            self._greet()
        elif kind is Resync:
            self._resync(message.since)
        elif kind is Focus:
            self.scan.focus(message.readers)
        elif kind is Light and self.lamps:
            self.lamps.show(message.lamps)
        elif kind is Test:
            self.scan.test(message.which)
        elif kind is Tune:
            self.tuning.order(message.readers, self.now)
        elif kind is Config:
            self._configure(message.key, message.text)

    def _greet(self) -> None:
        """Say hello next, and go on after the last number used: who lacks earlier lines asks for them."""
        self._hello = True
        self._cursor = self.ring.next
        for text in self._complaints:
            self.log("error", text)

    def _resync(self, since: int | None) -> None:
        self.resyncs += 1
        if since is not None and (self.ring.holds(since) or since == self.ring.next):
            self._cursor = since
            return
        self._greet()
        for post in self.scan.posts:
            if post.code is None:
                continue  # not visited yet: it speaks for itself soon
            if not post.sick:
                self._seen(post)
            if post.code != "ok":
                self._fault(post, post.code)

    def _configure(self, key: str, text: str) -> None:
        if key == "stop":
            # From afar nobody could start it again.
            self.stopped = not getattr(self.link, "remote", False)
            if not self.stopped:
                self.log("error", "stop: only over the cable")
            return
        try:
            answer = self.configure(key, text) if self.configure else "nothing can be set here"
            self.log("info", answer)
        except ValueError as error:
            self.log("error", str(error))
        except OSError as error:  # a full flash is no reason to restart
            self.log("error", "%s: cannot be kept (%s)" % (key, error))

    # --- What the readers say ---------------------------------------------------------------------------------

    def _visit(self) -> None:
        scan = self.scan
        testing = scan.testing
        for post, code in scan.step(self.now):
            if code is SEEN:
                self._seen(post)
            else:
                self._fault(post, code)
                if testing:
                    self.log("info" if code == "ok" else "warning", report(post))
        if scan.swept and scan.schedule.sweeps == 1:
            self.log("info", summary(scan.posts))
        idle = scan.idle()
        if self.life and (scan.swept or idle):
            self.life.healthy(self.now)
        if idle:
            self.clock.sleep_us(REST_US)

    def _tune(self) -> None:
        """One measurement for who turns a trimmer, if somebody does: on the wire and on the reader's lamp."""
        tuning = self.tuning
        measured = tuning.step(self.now) if tuning.active else None
        if measured:
            reader, gain, best = measured
            if self.link.room():
                self.link.send(encode(Tuned(reader, gain, best)))
            if self.lamps:
                self.lamps.gauge(reader, brightness(gain, best))
        elif self.lamps and not tuning.active:
            self.lamps.gauge(None, 0)

    def _seen(self, post: Post) -> None:
        self.ring.add(encode(Seen(self.ring.next, post.number, post.settle.ids[:MOST_TAGS])))

    def _fault(self, post: Post, code: str) -> None:
        self.ring.add(encode(Fault(self.ring.next, post.number, code)))

    # --- What goes out ----------------------------------------------------------------------------------------

    def log(self, level: str, text: str) -> None:
        """A word for people, unnumbered: when the host is away it is gone, the oldest first."""
        if len(self._logs) == MOST_LOGS:
            self._logs.pop(0)
        plain = "".join([character if " " <= character <= "~" else "?" for character in text[:MOST_TEXT]])
        self._logs.append(encode(Log(level, plain)))

    def complain(self, text: str) -> None:
        """A word that everybody who says hello must hear, for as long as this start lasts."""
        self._complaints.append(text)
        self.log("error", text)

    def _speak(self) -> None:
        link, ring, scan = self.link, self.ring, self.scan
        if self._hello and link.room():
            self._hello = False
            link.send(encode(self.hello()))
        if self._hello:
            return
        while self._cursor < ring.next and link.room():
            if not ring.holds(self._cursor):
                self._cursor = ring.oldest  # too late: the host sees the gap and asks
            link.send(ring.line(self._cursor))
            self._cursor += 1
        while self._logs and link.room():
            link.send(self._logs.pop(0))
        # Only after everything it speaks of: the host takes an unknown last number in it for a lost line.
        if self.now >= self._alive and self._cursor == ring.next and link.room():
            self._alive = self.now + ALIVE_MS
            link.send(encode(self._alive_line()))
            self._due = min(STATS, len(scan.posts))
        if self.now >= self._looked and self._cursor == ring.next and scan.schedule.focused and link.room():
            readers = scan.looked()
            if readers:
                self._looked = self.now + LOOKED_MS
                link.send(encode(Looked(ring.next - 1, readers)))
        while self._due and link.room():
            link.send(encode(self._stats_line()))
            self._due -= 1

    def hello(self) -> Hello:
        wired = len(self.scan.posts)
        return Hello(VERSION, self.name, wired, self._cursor - 1, self.boot, self.firmware, self.abilities)

    def _stats_line(self) -> Stats:
        posts = self.scan.posts
        post = posts[self._stats % len(posts)]
        self._stats += 1
        return Stats(post.number, post.reads, post.settle.missed, post.took, max(0, self.now - post.heard))

    def _alive_line(self) -> Alive:
        scan, decoder = self.scan, self.decoder
        counters = scan.counters() + (
            ("resyncs", self.resyncs),
            ("noise", decoder.noise + decoder.bad + decoder.malformed),
            ("unknown", decoder.unknown),
        )
        free = self.free() if self.free else 0
        return Alive(self.ring.next - 1, self.now // 1000, scan.schedule.sweep, free, counters)
