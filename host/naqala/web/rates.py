"""How often one client may ask: buckets of tokens that fill with time. A refusal takes no token and touches no page.

Every browser at an address has a bucket, and the address has a larger one, so that one tab that asks without end is
refused before it has used up what the others behind the same address need. Seats and the owner do not draw on the address
at all: they are known, few, and must be able to play while somebody beside them misbehaves.
"""

from __future__ import annotations

import time
from collections import OrderedDict
from collections.abc import Callable
from dataclasses import dataclass

MOST_REMEMBERED = 4096


@dataclass(frozen=True, slots=True)
class Rate:
    """So many at once, and so many per second afterwards."""

    at_once: int
    per_second: float


# A phone taps a few times a second at most, and loads a page with a dozen files.
POSTS_OF_A_BROWSER, POSTS_OF_AN_ADDRESS = Rate(40, 10.0), Rate(160, 40.0)
PAGES_OF_A_BROWSER, PAGES_OF_AN_ADDRESS = Rate(240, 60.0), Rate(1200, 240.0)


class Bounds:
    """Buckets by key."""

    def __init__(self, rate: Rate) -> None:
        self._rate = rate
        self._buckets: OrderedDict[object, tuple[float, float]] = OrderedDict()

    def left(self, key: object, now: float) -> float:
        """The tokens of this key."""
        left, at = self._buckets.get(key, (float(self._rate.at_once), now))
        return min(self._rate.at_once, left + (now - at) * self._rate.per_second)

    def take(self, key: object, now: float) -> None:
        """Take one token."""
        self._buckets[key] = (self.left(key, now) - 1, now)
        self._buckets.move_to_end(key)
        if len(self._buckets) > MOST_REMEMBERED:
            self._buckets.popitem(last=False)


class Rates:
    """Whether a request may go on. `known` tells the name of a seat or owner by its cookie, "" for everybody else; it is asked
    only when the address has used up its share."""

    def __init__(self, known: Callable[[str], str], clock: Callable[[], float] = time.monotonic) -> None:
        self._known, self._clock = known, clock
        self._posts = Bounds(POSTS_OF_A_BROWSER), Bounds(POSTS_OF_AN_ADDRESS)
        self._pages = Bounds(PAGES_OF_A_BROWSER), Bounds(PAGES_OF_AN_ADDRESS)

    def allow(self, address: str, cookie: str, post: bool) -> bool:
        """Take a token, if there is one."""
        now = self._clock()
        browsers, addresses = self._posts if post else self._pages
        browser: object = (address, cookie)
        if addresses.left(address, now) < 1:
            name = self._known(cookie) if cookie else ""
            if not name or browsers.left(name, now) < 1:
                return False
            browsers.take(name, now)
            return True
        if browsers.left(browser, now) < 1:
            return False
        browsers.take(browser, now)
        addresses.take(address, now)
        return True
