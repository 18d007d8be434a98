"""What readers do wrong, priced: pieces not read, read late, read by a neighbour, read from a hand or from beside the board.

In: evidence, a moment, prices. Out: `Cost`, a price and by how much it grows per second while nothing new is heard. Where
the controller says which readers have looked (`looked`), a drop that nobody reads gets dearer with every look of its reader;
where it does not, with the time in which a reader usually looks.
"""

from __future__ import annotations

from collections.abc import Iterable
from itertools import pairwise
from typing import NamedTuple

from naqala.rules.board import NEIGHBOURS
from naqala.table.evidence import SAYS_MS, Evidence, Stay
from naqala.table.prices import LONG_SECONDS, Prices
from naqala.table.tracks import Track

TOGETHER_MS = 800  # pieces of one tile that are lost within this were bumped together


class Cost(NamedTuple):
    price: float
    rate: float = 0.0  # by how much it grows per second

    def plus(self, other: Cost) -> Cost:
        return Cost(self.price + other.price, self.rate + other.rate)

    def less(self, other: Cost) -> Cost:
        return Cost(self.price - other.price, self.rate - other.rate)


FREE = Cost(0.0)


class Noise:
    """Prices of what readers do, at one moment of one table."""

    __slots__ = ("_gap", "_listens", "_mapped", "evidence", "now", "prices", "silent")

    def __init__(self, evidence: Evidence, now: int, prices: Prices, told: Iterable[str] = ()) -> None:
        self.evidence, self.now, self.prices = evidence, now, prices
        self.silent = (evidence.silent | evidence.partial) - frozenset(told)
        self._mapped = frozenset(evidence.readers.values())
        heard = evidence.looked_at
        self._listens = heard is not None and now - heard <= SAYS_MS
        self._gap = None
        if evidence.missing:
            age = max(0, now - evidence.gap_since) / 1000
            self._gap = Cost(prices.gap + prices.gap_rate * age, prices.gap_rate)

    def seconds(self, since: int) -> float:
        return max(0, self.now - since) / 1000

    # --- looks of a reader ---

    def looks(self, tile: str, since: int, until: int) -> float:
        """How often the reader of this tile has looked between two moments."""
        heard = self.evidence.looked_at
        if heard is None:
            return max(0, until - since) / self.prices.look_ms
        begun, ended = self.evidence.looked_from, heard + SAYS_MS
        moments = self.evidence.looks.get(tile, ())
        said = sum(1 for moment in moments if max(since, begun) < moment <= until)
        # Before the controller began to say it, and after it stopped, a reader looks as often as usual.
        unsaid = max(0, min(begun, until) - since) + max(0, until - max(since, ended))
        return said + unsaid / self.prices.look_ms

    def unseen(self, tile: str, since: int) -> Cost:
        """A drop was made on this tile before `since`, and nobody reads it."""
        prices = self.prices
        if tile in self.silent:
            return Cost(prices.blind if tile in self._mapped else prices.unmapped)
        price = prices.unseen + prices.miss * self.looks(tile, since, self.now)
        rate = 0.0 if self._listens else prices.miss * 1000 / prices.look_ms
        if self._gap is not None and self._gap.price < price:
            return self._gap
        return Cost(price, rate)

    def late(self, tile: str, since: int, until: int) -> float:
        """A drop made before `since` was read on this tile only at `until`: the looks in between have missed it."""
        if until <= since or tile in self.silent:
            return 0.0
        # The look that read it is not a miss.
        missed = max(0.0, self.looks(tile, since, until) - (1.0 if self._listens else 0.4))
        return self.prices.miss * missed

    # --- pieces where they are not ---

    def unread(self, tile: str, lost: Iterable[int]) -> Cost:
        """Pieces that stand on this tile and have not been read since these moments: bumped together, or one by one."""
        moments = sorted(lost)
        if not moments or tile in self.silent:
            return FREE
        prices = self.prices
        price = prices.unread
        for before, moment in pairwise(moments):
            price += prices.unread_more if moment - before <= TOGETHER_MS else prices.unread
        grown = self._grown(self.seconds(moments[-1]), prices.unread_rate, prices.unread_long_rate)
        return Cost(price + grown.price, grown.rate)

    def leak(self, stay: Stay) -> Cost:
        """A piece that stands elsewhere on the board is read here as well."""
        return self._lasting(stay, self.prices.leak, self.prices.leak_rate)

    def carried(self, stay: Stay) -> Cost:
        """A piece in the hand is read by a tile it passes."""
        return self._lasting(stay, self.prices.carried, self.prices.carried_rate)

    def ghost(self, stay: Stay) -> Cost:
        """A piece beside the board is read here."""
        prices = self.prices
        until = self.now if stay.until is None else stay.until
        seconds = max(0, until - stay.since) / 1000
        grown = self._grown(seconds, prices.ghost_rate, prices.ghost_long_rate)
        return Cost(prices.ghost + grown.price, grown.rate if stay.open else 0.0)

    @staticmethod
    def _grown(seconds: float, rate: float, long_rate: float) -> Cost:
        """What lasts for a while is ever less likely a slip, and soon no longer likely at all."""
        longer = max(0.0, seconds - LONG_SECONDS)
        return Cost(rate * (seconds - longer) + long_rate * longer, long_rate if longer else rate)

    def _lasting(self, stay: Stay, price: float, rate: float) -> Cost:
        if stay.until is not None:
            return Cost(price + rate * (stay.until - stay.since) / 1000)
        return Cost(price + rate * self.seconds(stay.since), rate)

    def elsewhere(self, stay: Stay, tile: str) -> Cost:
        """A stay of a piece that really stands on another tile."""
        near = stay.tile in NEIGHBOURS[tile] or stay.tile == tile
        return self.leak(stay) if near else self.ghost(stay)

    def idle_native(self, track: Track) -> Cost:
        """A piece of a tile that nobody has moved: what its stays elsewhere and its absence cost, the absence apart."""
        if track.home is None:
            found = FREE
            for stay in track.stays:
                if stay.open:
                    found = found.plus(self.ghost(stay))
            return found
        cost = FREE
        for stay in track.places:
            cost = cost.plus(self.elsewhere(stay, track.home))
            if not track.back and track.home not in self.silent:
                cost = cost.plus(Cost(self.prices.both))
        return cost
