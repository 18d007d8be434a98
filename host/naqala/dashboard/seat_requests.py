"""Who asks for a seat, and what was said of seats.

Whoever sits on a seat reads its hand. Before anything is secret (until the first round is over) a phone sits down by itself;
later it asks, and the host says yes. The phone shows a number, the question to the host shows the same one: so the yes
goes to the phone in the player's hand and not to another one that asked at the same time.

    requests.ask("oak", "Bob")              -> Request(number=47, ...)     kept by the phone in its cookie
    requests.answer("oak", "Bob", 47, True)                               the host's yes
    requests.admits("oak", "Bob", secret)   -> True                        the phone may take the seat now

Every seat that is taken, left or freed, by a phone, the host or a robot, is told in the log (`SeatLog`).
"""

from __future__ import annotations

import secrets
import threading
import time
from collections.abc import Callable
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

from naqala.journal import now_ms

LASTS_S = 300.0  # a request that nobody answered
SEAT_LOG = "dashboard-seat-log.json"
MOST_LINES = 60  # of one table's seats: a game has a handful

# What can happen to a seat.
TAKEN, TAKEN_BY_HOST, LEFT, FREED, ROBOT, PERSON = WHAT = (
    "taken",
    "taken by host",
    "left",
    "freed",
    "robot",
    "person",
)


@dataclass(frozen=True, slots=True)
class Request:
    """A phone that asks for a seat: the number it shows, the word that only it knows, whether the host said yes."""

    number: int
    secret: str
    at_s: float
    admitted: bool = False


class SeatRequests:
    """The requests that wait, one for each seat; for any thread. They live as long as the program."""

    def __init__(self, changed: Callable[[], None]) -> None:
        self._waiting: dict[tuple[str, str], Request] = {}
        self._last: dict[tuple[str, str], int] = {}
        self._lock = threading.Lock()
        self._changed = changed

    def ask(self, table: str, name: str) -> Request | None:
        """Ask for a seat; None when another phone has asked for it already."""
        with self._lock:
            if self._live(table, name) is not None:
                return None
            number = 10 + secrets.randbelow(90)
            if number == self._last.get((table, name)):
                number = number + 1 if number < 99 else 10
            request = Request(number, secrets.token_urlsafe(12), time.monotonic())
            self._waiting[table, name] = request
            self._last[table, name] = number
        self._changed()
        return request

    def answer(self, table: str, name: str, number: int, agreed: bool) -> bool:
        """The host's yes or no to the phone that shows this number; False when none does."""
        with self._lock:
            request = self._live(table, name)
            if request is None or request.number != number:
                return False
            if agreed:
                self._waiting[table, name] = replace(request, admitted=True, at_s=time.monotonic())
            else:
                del self._waiting[table, name]
        self._changed()
        return True

    def open_to_next(self, table: str, name: str) -> None:
        """The host has freed the seat: the next phone may take it."""
        with self._lock:
            self._waiting[table, name] = Request(0, "", time.monotonic(), True)

    def admits(self, table: str, name: str, secret: str) -> bool:
        """Whether the phone with this word may take the seat."""
        request = self._live(table, name)
        return request is not None and request.admitted and secrets.compare_digest(request.secret, secret)

    def is_open(self, table: str, name: str) -> bool:
        """Whether any phone may take the seat."""
        request = self._live(table, name)
        return request is not None and request.admitted and not request.secret

    def over(self, table: str, name: str) -> None:
        """The seat is taken."""
        with self._lock:
            self._waiting.pop((table, name), None)

    def of(self, table: str) -> tuple[tuple[str, int, bool], ...]:
        """Names, numbers and whether the host said yes, of those who ask."""
        found = [(name, self._live(table, name)) for where, name in list(self._waiting) if where == table]
        return tuple(
            (name, one.number, one.admitted) for name, one in found if one is not None and one.secret
        )

    def number(self, table: str, name: str, secret: str) -> int | None:
        """The number of the phone with this word, while its request waits."""
        request = self._live(table, name)
        mine = request is not None and secret and secrets.compare_digest(request.secret, secret)
        return request.number if request is not None and mine else None

    def _live(self, table: str, name: str) -> Request | None:
        request = self._waiting.get((table, name))
        fresh = request is not None and time.monotonic() - request.at_s < LASTS_S
        return request if fresh else None


class SeatLog:
    """What was said of each table's seats, newest last: (milliseconds since 1970, what, name). On disk, as a log is."""

    def __init__(
        self, home: Path, read: Callable[[Path], dict[str, Any]], write: Callable[[Path, Any], None]
    ) -> None:
        self._path, self._write = home / SEAT_LOG, write
        self._lock = threading.Lock()
        self._lines: dict[str, tuple[tuple[int, str, str], ...]] = {
            table: tuple((at, what, name) for at, what, name in filter(_is_a_line, lines))
            for table, lines in read(self._path).items()
            if isinstance(lines, list)
        }

    def of(self, table: str) -> tuple[tuple[int, str, str], ...]:
        return self._lines.get(table, ())

    def tell(self, table: str, what: str, name: str) -> None:
        """Another line. It is written first: nobody sits down without a trace."""
        with self._lock:
            line = (now_ms(), what, name)
            lines = {**self._lines, table: (*self.of(table), line)[-MOST_LINES:]}
            self._write(self._path, lines)
            self._lines = lines

    def forget(self, table: str) -> None:
        """Another game begins."""
        with self._lock:
            lines = {other: told for other, told in self._lines.items() if other != table}
            self._write(self._path, lines)
            self._lines = lines


def _is_a_line(line: Any) -> bool:
    if not isinstance(line, list) or len(line) != 3:
        return False
    at, what, name = line
    return isinstance(at, int) and what in WHAT and isinstance(name, str)
