"""What every link puts into the inbox, and the few methods every link has.

In: nothing; these are the words the link room shares with the session. Out: frozen values. A link runs in its own
thread and calls `inbox(event)` from there; a `queue.Queue().put` is the usual inbox.
"""

from __future__ import annotations

import time
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from typing import Any, Protocol

# A message of naqala_protocol (Seen, Alive, Hello, ...): a namedtuple, whose fields mypy cannot see.
Message = Any


class LinkError(Exception):
    """A link that cannot be opened as asked: one sentence says what is wrong and what to do."""


@dataclass(frozen=True)
class Arrived:
    """A line of the controller: `seen` and `fault` in the order of their numbers and never twice, others as they come."""

    message: Message
    at_ms: int


@dataclass(frozen=True)
class LinkUp:
    """The controller answers. Comes again when it has rebooted; what the host wants lit must then be sent again."""

    hello: Message
    at_ms: int


@dataclass(frozen=True)
class LinkDown:
    """The controller does not answer; the link goes on trying by itself, unless it is down `for_good`, as a replay at its
    end. `why` is a sentence for people."""

    why: str
    at_ms: int
    for_good: bool = False


Event = Arrived | LinkUp | LinkDown
Inbox = Callable[[Event], object]


@dataclass(frozen=True)
class Mark:
    """How far a host had followed: of which boot of the controller, up to which number."""

    boot: int
    seq: int


@dataclass(frozen=True)
class Counters:
    """A healthy link from a noisy one. All count since the link was made."""

    lines: int = 0  # good lines
    noise: int = 0  # pieces that were no line at all
    bad: int = 0  # checksums that did not fit
    unknown: int = 0  # words of another version
    malformed: int = 0  # fields that cannot be read
    repeats: int = 0  # numbered lines that had come before
    gaps: int = 0  # times a number was missing
    resyncs: int = 0  # times lines were asked for again
    lost: int = 0  # numbered lines that the controller had no longer: only their order is lost, the state was sent anew
    reboots: int = 0
    drops: int = 0  # times the link went down
    round_trip_ms: int | None = None  # of the last hello; None before the first
    strangers: int | None = (
        None  # MQTT: 1 when the broker lets anybody publish our lines, 0 when not; None: not known
    )


@dataclass(frozen=True)
class Pulse:
    """One reader in numbers, as the controller told them last."""

    reads: int  # answers since its start
    misses: int  # times a tag that was there did not answer
    took_ms: int  # of its last visit
    answered_at: int  # when it last answered, on the clock that stamps events
    told_at: int
    per_second: float | None = None  # answers, between the last two tellings


@dataclass(frozen=True)
class Health:
    """How a link is, at one moment."""

    link: str  # as it was opened
    up: bool
    where: str = ""  # the port or the broker in use
    problem: str = ""  # why it is down, or what is wrong although it is up
    hello: Message = None  # the controller's last, with its name and firmware
    alive: Message = None  # the controller's last, with its own counters
    counters: Counters = field(default_factory=Counters)
    pulses: Mapping[int, Pulse] = field(default_factory=dict)  # by reader; those not told yet are absent


@dataclass(frozen=True)
class Options:
    """What a link may be told beyond its own text: settings, and where to go on."""

    mark: Mark | None = None
    ports: tuple[str, ...] = ()  # serial: further ports to look at, wildcards allowed
    user: str = ""  # MQTT, unless the link's text says it
    password: str = ""
    ca: str = ""  # MQTT over TLS: the file of the authority that signed the broker's certificate
    insecure: bool = False  # MQTT over TLS: go on without checking the certificate
    announce: bool = False  # MQTT: show the public snapshot, see `Link.publish`; one host per table does
    retained: tuple[
        tuple[str, str], ...
    ] = ()  # MQTT: further messages (topic, payload) that the broker keeps for other programs


class Link(Protocol):
    """A way to a controller. `naqala.link.open` makes one."""

    def start(self, inbox: Inbox) -> None:
        """Begin, once; events go to `inbox` from the link's own thread until `stop`."""

    def send(self, message: Message) -> bool:
        """Hand a message to the controller. False: the link is down and the message is gone; say it after LinkUp."""

    def publish(self, snapshot: Mapping[str, Any]) -> None:
        """Show the public snapshot to other programs. Only MQTT has any, and only with `Options.announce`."""

    def stop(self) -> None:
        """End the thread and let go of the port; nothing reaches the inbox afterwards."""

    def health(self) -> Health:
        """At any time, from any thread."""


def clock_ms() -> int:
    """Milliseconds on a clock that never goes back."""
    return time.monotonic_ns() // 1_000_000
