"""The acceptance sheet: what a kit must show before more money is spent on the next one.

RUNGS is the ladder, from two modules on a breadboard to the whole table. Each rung has limits that are measured here, from what the
controller says over its link, and checks that only a builder can make, printed with room for a figure. The limits come from
`hardware/calibration.md`. Example:

    naqala doctor --rung onetile --seconds 120
"""

from __future__ import annotations

import queue
import time
from collections.abc import Iterator
from dataclasses import dataclass, field
from datetime import datetime

from naqala_protocol import Alive, Fault, Seen, Stats

from naqala import link as links
from naqala.link import Arrived, Event, Health, LinkUp, Options

UP_S = 10.0  # how long the link may take
SECONDS = 60.0  # how long is listened unless told
WELL = "ok"  # the code of a reader that is well again
STARTED_S = 15  # of uptime: sweeps before that start the chips and take twice as long


@dataclass(frozen=True)
class Rung:
    """One kit. `tags` must be seen on the first reader at all times, nothing on the others when `parked`."""

    title: str
    wired: int
    lay: str  # what the builder lays on it first
    tags: int
    parked: bool
    total: int  # tags on all readers together
    sweep_ms: (
        int  # one round over all readers, one lane: the emulated Pico 2 W (hardware/emulated.json) and 40 %
    )
    by_hand: tuple[str, ...]


LOST_PER_MILLE = 10
RUNGS: dict[str, Rung] = {
    "bench": Rung(
        "bench: two modules as they come",
        2,
        "three tags over the first module, none over the second",
        3,
        True,
        3,
        150,
        (
            "range of one tag over the middle: at least 15 mm",
            "both modules after ten minutes: warm, not hot",
        ),
    ),
    "onetile": Rung(
        "one-tile kit: a tile board with two parked neighbours",
        3,
        "14 pieces on the tile of the first reader, none on its two neighbours",
        12,
        True,
        12,
        350,
        (
            "cut test with the meter: coil and feed pads below 1 ohm, none of them to ground",
            "resonance, power off, each board: 13.56 MHz +- 0.15",
            "width of the dip: 0.35 to 0.75 MHz",
            "supply current with the field on, minus field off: 40 to 90 mA (above 150: C4 or C19 is still on the module)",
            "reference tag on a 3 mm spacer: read at 9 of 9 points",
            "bare tag at the 12 nearest points of the neighbours: read at none",
        ),
    ),
    "row": Rung(
        "one row: six tiles, row board and controller board",
        6,
        "three pieces on each of the six tiles",
        3,
        False,
        18,
        450,
        (
            "3.3 V of the row: 3.25 to 3.35 V",
            "USB in, supply off: 5 V and 3.3 V of the row below 0.3 V",
            "fuse of the row taken out: the row goes, the Pico stays",
            "bus speed that the self-test kept (`bus:` in the controller's log): at least 1 MHz",
            "an hour of listening (--seconds 3600) without a fault",
        ),
    ),
    "table": Rung(
        "the table: thirty tiles",
        30,
        "the set-up position, three pieces on each tile",
        3,
        False,
        90,
        2200,
        (
            "acceptance of each tile as in the one-tile kit: 30 of 30",
            "cross-read test: no reading in 1000 sweeps",
            "four hours of soak: no fault, no unknown number, no piece missing",
            "5 V at the last row's terminal, all lamps on: at least 4.75 V",
        ),
    ),
}


@dataclass
class Measured:
    """What came over the link while it was listened to."""

    health: Health | None = None
    seconds: float = 0.0
    seen: dict[int, tuple[str, ...]] = field(default_factory=dict)
    fewest: dict[int, int] = field(default_factory=dict)  # tags of a reader at its poorest
    faults: dict[int, str] = field(default_factory=dict)
    stats: dict[int, Stats] = field(default_factory=dict)
    first: dict[int, Stats] = field(default_factory=dict)
    alive: list[Alive] = field(default_factory=list)

    def take(self, message: object) -> None:
        if isinstance(message, Seen):
            self.seen[message.reader] = tuple(message.tags)
            count = len(message.tags)
            self.fewest[message.reader] = min(self.fewest.get(message.reader, count), count)
        elif isinstance(message, Fault) and message.code != WELL:
            self.faults[message.reader] = message.code
        elif isinstance(message, Stats):
            self.first.setdefault(message.reader, message)
            self.stats[message.reader] = message
        elif isinstance(message, Alive):
            self.alive.append(message)

    def lost_per_mille(self) -> float | None:
        """Tags that were missed, of a thousand readings, over all readers; None when the controller told no statistics."""
        reads = sum(last.reads - self.first[reader].reads for reader, last in self.stats.items())
        lost = sum(last.misses - self.first[reader].misses for reader, last in self.stats.items())
        return 1000 * lost / reads if reads > 0 else None


@dataclass(frozen=True)
class Line:
    """One line of the sheet. `good` is None for what nobody could measure."""

    what: str
    value: str
    wanted: str
    good: bool | None


def listen(text: str, options: Options, seconds: float) -> Measured:
    """Listens to a table's link for so long after it is up. LinkError when the text makes no sense."""
    link = links.open(text, options)
    inbox: queue.Queue[Event] = queue.Queue()
    found = Measured()
    link.start(inbox.put)
    try:
        end, started = time.monotonic() + UP_S, 0.0
        while (left := end - time.monotonic()) > 0:
            try:
                event = inbox.get(timeout=left)
            except queue.Empty:
                break
            if isinstance(event, LinkUp) and not started:
                started = time.monotonic()
                end = started + seconds
            if isinstance(event, Arrived):
                found.take(event.message)
        found.health = link.health()
        found.seconds = time.monotonic() - started if started else 0.0
    finally:
        link.stop()
    return found


def judge(rung: Rung, found: Measured) -> Iterator[Line]:
    """The measured half of the sheet."""
    wired = found.health.hello.wired if found.health is not None and found.health.up else 0
    yield Line("readers wired", str(wired), str(rung.wired), wired == rung.wired)
    said = ", ".join(f"{reader} {code}" for reader, code in sorted(found.faults.items()))
    yield Line("faults", said or "none", "none", not found.faults)
    least = found.fewest.get(0, 0)
    yield Line(
        "tags on the first reader, at its poorest", str(least), f"at least {rung.tags}", least >= rung.tags
    )
    if rung.parked:
        strangers = sum(len(tags) for reader, tags in found.seen.items() if reader)
        yield Line("tags on its neighbours", str(strangers), "0", strangers == 0)
    else:
        total = sum(len(tags) for tags in found.seen.values())
        yield Line("tags on all readers", str(total), str(rung.total), total == rung.total)
    lost = found.lost_per_mille()
    told = "not told" if lost is None else f"{lost:.1f} of 1000"
    yield Line(
        "tags missed",
        told,
        f"at most {LOST_PER_MILLE} of 1000",
        None if lost is None else lost <= LOST_PER_MILLE,
    )
    sweep = max((alive.sweep for alive in found.alive if alive.uptime >= STARTED_S), default=None)
    told = "not told" if sweep is None else f"{sweep} ms"
    yield Line(
        "sweep, slowest",
        told,
        f"at most {rung.sweep_ms} ms",
        None if sweep is None else sweep <= rung.sweep_ms,
    )


def _who(found: Measured) -> str:
    """Which controller was listened to."""
    hello = found.health.hello if found.health is not None else None
    return f"Controller '{hello.name}', firmware {hello.firmware}, " if hello is not None else ""


def sheet(rung: Rung, found: Measured) -> tuple[str, bool]:
    """The sheet as text, and whether everything that was measured is good."""
    lines = list(judge(rung, found))
    words = {True: "pass", False: "FAIL", None: "  ? "}
    text = [
        f"Acceptance sheet, {rung.title}",
        f"{_who(found)}{datetime.now().astimezone():%Y-%m-%d %H:%M}",
        f"Laid on it: {rung.lay}. Listened for {found.seconds:.0f} s.",
        "",
    ]
    text += [f"{words[line.good]}  {line.what}: {line.value} (wanted: {line.wanted})" for line in lines]
    text += ["", "By hand (hardware/calibration.md says how):"]
    text += [f"____  {check}: ________" for check in rung.by_hand]
    good = all(line.good is not False for line in lines)
    text += [
        "",
        "What was measured passes."
        if good
        else "Not yet: see the lines with FAIL, then hardware/bringup.md, section 4.",
    ]
    return "\n".join(text), good
