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
MOST_ASKING = 5  # for one seat at a time
NUMBERS = range(10, 100)  # that a phone may show: long enough to be told apart, short enough to be read out
SEAT_LOG = "dashboard-seat-log.json"
MOST_LINES = 60  # of one table's seats: a game has a handful

# What can happen to a seat.
TAKEN, TAKEN_BY_HOST, LEFT, FREED, ROBOT, PERSON, PROGRAM = WHAT = (
    "taken",
    "taken by host",
    "left",
    "freed",
    "robot",
    "person",
    "program",
)


@dataclass(frozen=True, slots=True)
class Request:
    """A phone that asks for a seat: the number it shows, the word that only it knows, whether the host said yes."""

    number: int
    secret: str
    at_s: float
    admitted: bool = False


class SeatRequests:
    """The requests that wait, a few for each seat; for any thread. They live as long as the program."""

    def __init__(self, changed: Callable[[], None]) -> None:
        self._waiting: dict[tuple[str, str], tuple[Request, ...]] = {}
        self._lock = threading.Lock()
        self._changed = changed

    def ask(self, table: str, name: str) -> Request | None:
        """Ask for a seat; None when so many have asked for it that nobody could tell them apart."""
        with self._lock:
            others = self._live(table, name)
            if len(others) >= MOST_ASKING:
                return None
            free = [number for number in NUMBERS if number not in {other.number for other in others}]
            request = Request(secrets.choice(free), secrets.token_urlsafe(12), time.monotonic())
            self._waiting[table, name] = (*others, request)
        self._changed()
        return request

    def answer(self, table: str, name: str, number: int, agreed: bool) -> bool:
        """The host's yes or no to the phone that shows this number; False when none does. A yes sends the others away."""
        with self._lock:
            asked = self._live(table, name)
            found = [one for one in asked if one.number == number and one.secret]
            admitted = tuple(replace(one, admitted=True, at_s=time.monotonic()) for one in found)
            if found:
                self._waiting[table, name] = (
                    admitted if agreed else tuple(one for one in asked if one not in found)
                )
        if found:
            self._changed()
        return bool(found)

    def open_to_next(self, table: str, name: str) -> None:
        """The host has freed the seat: the next phone may take it."""
        with self._lock:
            self._waiting[table, name] = (Request(0, "", time.monotonic(), True),)

    def admits(self, table: str, name: str, secret: str) -> bool:
        """Whether the phone with this word may take the seat; where any phone may, it needs none."""
        asked = [one for one in self._live(table, name) if one.admitted]
        return any(not one.secret or secrets.compare_digest(one.secret, secret) for one in asked)

    def over(self, table: str, name: str) -> None:
        """The seat is taken."""
        with self._lock:
            self._waiting.pop((table, name), None)

    def of(self, table: str) -> tuple[tuple[str, int, bool], ...]:
        """Names, numbers and whether the host said yes, of those who ask."""
        return tuple(
            (name, one.number, one.admitted)
            for where, name in list(self._waiting)
            if where == table
            for one in self._live(table, name)
            if one.secret
        )

    def number(self, table: str, name: str, secret: str) -> int | None:
        """The number of the phone with this word, while its request waits."""
        mine = [
            one for one in self._live(table, name) if secret and secrets.compare_digest(one.secret, secret)
        ]
        return mine[0].number if mine else None

    def _live(self, table: str, name: str) -> tuple[Request, ...]:
        now = time.monotonic()
        return tuple(one for one in self._waiting.get((table, name), ()) if now - one.at_s < LASTS_S)


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
