"""What happened at the table while no host looked: lines on disk, and lines that the controller kept meanwhile.

In: a game's raw lines from the journal, then what the controller says to the next host. Out: the table as it was at the last
entry, and every line after it in its order, so that the hands are followed as if somebody had looked. When the order is
lost (the controller restarted, or kept too few lines) there is no such answer: table and record are only compared.
"""

from __future__ import annotations

from collections import deque
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, replace

from naqala_protocol import Hello, ProtocolError, parse

from naqala.journal import Journal, Line
from naqala.link import Mark, Message
from naqala.table.evidence import Evidence, see

PACE_MS = 200  # lines that were kept have an order and no times: they are taken as so far apart
MOST_UNPLAYED = 2_000  # lines remembered from before a game is taken up: more than any controller keeps


@dataclass(frozen=True, slots=True)
class Known:
    """What is on disk of a game's lines: the table at the last entry, the lines after it with their times, how far they go,
    and whether those after the entry are `whole`."""

    table: Evidence
    later: tuple[tuple[int, Message], ...]
    mark: Mark
    whole: bool = True

    def continued(self, hello: Message, arrived: Sequence[Message]) -> bool:
        """Whether these lines of this boot follow on without a gap."""
        numbers = [message.seq for message in arrived]
        first = self.mark.seq + 1
        same = self.whole and hello.boot == self.mark.boot
        return bool(same and numbers == list(range(first, first + len(numbers))))


def known(table: Evidence, lines: Iterable[Line], until_ms: int) -> Known | None:
    """From an empty table and the lines of a game, of which those until then are in its entries. None without a line.

    A table that was recorded as a whole bears the time of the entry it belongs to: with it all lines before are settled.
    """
    boot, last, whole = None, 0, True
    later: list[tuple[int, Message]] = []
    for line in lines:
        try:
            message: Message = parse(line.text)
        except ProtocolError:  # raw lines have no digest: one that was damaged on disk is as good as lost
            whole = False
            continue
        if isinstance(message, Hello):
            if message.boot != boot:  # it counts anew, so what it says next is news
                whole = boot is None
                boot, last = message.boot, 0
                table = _settled(table, later)
                table, later = replace(table, last={}), []
            continue
        if line.at_ms > until_ms:
            whole = whole and message.seq == last + 1
            later.append((line.at_ms, message))
        else:
            table = see(_settled(table, later), message, 0)
            later, whole = [], True
        last = max(last, message.seq)
    # Of a table that was recorded as a whole the older lines are not on disk: nothing is missing.
    table = replace(table, missing=frozenset(), lines=(), top=None)
    return None if boot is None else Known(table, tuple(later), Mark(boot, last), whole)


def _settled(table: Evidence, lines: Iterable[tuple[int, Message]]) -> Evidence:
    for _, message in lines:
        table = see(table, message, 0)
    return table


def mark(journal: Journal, table: str) -> Mark | None:
    """How far the newest game of this table was followed, if it can be resumed: from there a link goes on."""
    open_games = [game for game in journal.games(table) if game.ended_ms is None]
    found = known(Evidence({}, {}), journal.lines(open_games[-1].id), 0) if open_games else None
    return found.mark if found else None


class Missed:
    """What a session remembers of it: lines that came while no game was in play; of a resumed game what is `known`, until its
    controller has spoken; and how far the lines that come late have come."""

    def __init__(self) -> None:
        self.unplayed: deque[Message] = deque(maxlen=MOST_UNPLAYED)
        self.known: Known | None = None
        self._next = self._top = self._now = 0

    @property
    def late(self) -> bool:
        """Whether lines are still to come that were said before anybody looked."""
        return self._next <= self._top and self._top > 0

    def expect(self, first: int, top: int, now: int) -> int:
        """The lines from `first` to `top` come late. Returns the moment at which the first was said, as far as one can tell."""
        self._next, self._top, self._now = first, top, now
        return now - (top - first) * PACE_MS

    def moment(self, seq: int) -> int | None:
        """When the line was said; None when it is not the next one: the order is lost."""
        if seq != self._next:
            self._top = 0
            return None
        self._next += 1
        return self._now - (self._top - seq) * PACE_MS
