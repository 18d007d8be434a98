"""Streams that are open: each is a `Feed` that the app's answer hands over, counted per address and per browser.

A feed is a value source, not a thread: `next` waits for the next bytes, `end` lets it finish. Who opens a stream under a name
that is open already replaces it at once, so a phone that comes back never waits for its own dead connection.
"""

from __future__ import annotations

from collections import Counter, OrderedDict
from dataclasses import dataclass
from typing import Protocol

from naqala.web.limits import Limits

IN_ENVIRON = "naqala.feed"  # where the app's answer leaves the feed that goes on from there


class Feed(Protocol):
    """What a stream sends. `name` is the browser's own random word for it, empty when it has none; `holder` is the seat or
    owner it belongs to, empty for spectators."""

    name: str
    holder: str

    async def next(self) -> bytes:
        """The next bytes; empty at the end."""
        ...

    def end(self) -> None:
        """Let `next` come to its end. For the event loop's thread."""
        ...


@dataclass(frozen=True, slots=True)
class Place:
    """Where a feed stands in the register."""

    address: str
    name: str
    browser: str  # whose streams replace each other when they are too many


class Feeds:
    """The register of open streams."""

    def __init__(self, limits: Limits) -> None:
        self._limits = limits
        self._open: OrderedDict[Feed, Place] = OrderedDict()
        self._of_address: Counter[str] = Counter()
        self._named: dict[str, Feed] = {}
        self._of_browser: dict[str, list[Feed]] = {}

    def add(self, feed: Feed, address: str) -> bool:
        """Count a stream; False when its address has too many. An older one of the same name, or the oldest of a browser with
        too many, ends for it."""
        if feed.name and (before := self._named.get(feed.name)) is not None:
            self._leave(before)
        browser = feed.holder
        mine = self._of_browser.get(browser, []) if browser else []
        if len(mine) >= self._limits.streams_of_a_browser:
            self._leave(mine[0])
        if self._of_address[address] >= self._limits.streams and not browser:
            return False
        self._open[feed] = Place(address, feed.name, browser)
        self._of_address[address] += 1
        if feed.name:
            self._named[feed.name] = feed
        if browser:
            self._of_browser.setdefault(browser, []).append(feed)
        return True

    def remove(self, feed: Feed) -> None:
        """A stream is over, for whatever reason."""
        place = self._open.pop(feed, None)
        if place is None:
            return
        self._of_address[place.address] -= 1
        if not self._of_address[place.address]:
            del self._of_address[place.address]
        if self._named.get(place.name) is feed:
            del self._named[place.name]
        if place.browser:
            mine = self._of_browser[place.browser]
            mine.remove(feed)
            if not mine:
                del self._of_browser[place.browser]

    def end_all(self) -> None:
        """Let every stream finish."""
        for feed in list(self._open):
            feed.end()

    def __len__(self) -> int:
        return len(self._open)

    def _leave(self, feed: Feed) -> None:
        self.remove(feed)
        feed.end()
