"""Where a link's thread hands over: what serial, MQTT and virtual links share around their follower.

In: steps of the follower and troubles of the transport. Out: events into the inbox, lines to write, the health.
Only the link's own thread calls `take`, `trouble` and `complain`; `health` may be asked from anywhere.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace

from naqala_protocol import VERSION, encode

from naqala.link.follow import Follower, Step
from naqala.link.inbox import Health, Inbox, LinkDown, LinkUp, clock_ms


def _version_problem(up: LinkUp) -> str:
    if up.hello.version == VERSION:
        return ""
    return (
        f"'{up.hello.name}' speaks version {up.hello.version} of the protocol, this program version {VERSION}; "
        "bring both to the same with `naqala flash` or an update"
    )


class Desk:
    """One link's follower, inbox and last trouble. `clock` is what stamps its events."""

    def __init__(self, link: str, follower: Follower, clock: Callable[[], int] = clock_ms) -> None:
        self.follower = follower
        self.where = ""
        self.problem = ""
        self.strangers: int | None = None  # see Counters
        self._link = link
        self._clock = clock
        self._inbox: Inbox | None = None
        self._told = ""  # the trouble that the inbox knows
        self._foreign = False  # the controller speaks another version: what it says is not guessed at

    def open(self, inbox: Inbox) -> None:
        self._inbox = inbox

    def close(self) -> None:
        self._inbox = None

    def take(self, step: Step) -> list[bytes]:
        """Deliver a step's events; returns the lines to write."""
        for event in step.events:
            if isinstance(event, LinkUp):
                why = _version_problem(event)
                self.problem, self._told, self._foreign = why, why, bool(why)
                self._deliver(LinkDown(why, event.at_ms) if why else event)
                continue
            if isinstance(event, LinkDown):
                self.problem = self._told = event.why
            elif self._foreign:
                continue
            self._deliver(event)
        return [encode(message) for message in step.send]

    def trouble(self, why: str) -> None:
        """The way to the controller is gone or cannot be found."""
        self.take(self.follower.dropped(why, self._clock()))
        self.complain(why)

    def complain(self, why: str) -> None:
        """There is a way, but something is wrong with it. Said once, until it changes."""
        if self.follower.up:
            self.problem = why
        elif why != self._told:
            self.problem = self._told = why
            self._deliver(LinkDown(why, self._clock()))

    def wait(self, most: float) -> float:
        """Seconds until the follower wants its tick."""
        due = self.follower.due()
        return most if due is None else max(0.0, min(most, (due - self._clock()) / 1000))

    def health(self) -> Health:
        follower = self.follower
        return Health(
            link=self._link,
            up=follower.up and not self._foreign,
            where=self.where,
            problem=self.problem,
            hello=follower.hello,
            alive=follower.alive,
            counters=replace(follower.counters, strangers=self.strangers),
            pulses=follower.pulses,
        )

    def _deliver(self, event: object) -> None:
        if self._inbox is not None:
            self._inbox(event)  # type: ignore[arg-type]
