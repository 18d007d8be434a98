"""What must stay secret between two starts: the key that signs cookies, the owner's token, and who sits where,
people and robots.

Kept in one folder, in files that only their owner can read. A seat is a claim: a random word that the phone's signed
cookie carries and this file remembers, so a seat survives a restart and can be freed for another phone.
"""

from __future__ import annotations

import json
import os
import secrets
import threading
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from naqala.dashboard.seat_requests import FREED, TAKEN, SeatLog, SeatRequests

KEYS, SEATS, ROBOTS = "dashboard-keys.json", "dashboard-seats.json", "dashboard-robots.json"


@dataclass(frozen=True, slots=True)
class Keys:
    """The signing key and the token that makes a browser the owner's."""

    signing: str
    owner: str


class NotKept(OSError):
    """What was to be remembered could not be written (a full disk, say), so nothing has changed."""


def write_private(path: Path, what: Any) -> None:
    """Replace the file in one step, readable by its owner only."""
    fresh = path.with_suffix(".new")
    try:
        path.parent.mkdir(mode=0o700, parents=True, exist_ok=True)
        fresh.unlink(missing_ok=True)
        with os.fdopen(os.open(fresh, os.O_WRONLY | os.O_CREAT | os.O_EXCL, 0o600), "w") as file:
            file.write(json.dumps(what))
            file.flush()
            os.fsync(file.fileno())
        fresh.replace(path)
    except OSError as error:
        raise NotKept(error.errno, error.strerror, str(path)) from error


def read_private(path: Path) -> dict[str, Any]:
    """The file's object, or nothing when there is none or it is damaged: new keys only mean to join again."""
    try:
        found = json.loads(path.read_text())
    except (OSError, ValueError, RecursionError):
        return {}
    path.chmod(0o600)
    return found if isinstance(found, dict) else {}


def load_keys(home: Path) -> Keys:
    """The keys of this folder, made on the first start."""
    found = read_private(home / KEYS)
    if not (isinstance(found.get("signing"), str) and isinstance(found.get("owner"), str)):
        found = {"signing": secrets.token_urlsafe(32), "owner": secrets.token_urlsafe(18)}
        write_private(home / KEYS, found)
    return Keys(found["signing"], found["owner"])


def renew_owner(home: Path, now: Keys) -> Keys:
    """Another token for the owner: a browser that became the owner's with the old one is not any longer."""
    fresh = Keys(now.signing, secrets.token_urlsafe(18))
    write_private(home / KEYS, {"signing": fresh.signing, "owner": fresh.owner})
    return fresh


class Seats:
    """Who sits where: one claim per table and name. The dashboard's own memory, beside the session's."""

    def __init__(self, home: Path) -> None:
        self._path = home / SEATS
        self._claims = {
            key: claim for key, claim in read_private(self._path).items() if isinstance(claim, str)
        }
        self._lock = threading.Lock()
        self.version = 0
        self.changed: Callable[[], None] = lambda: None  # who shows the seats is told here
        self.requests = SeatRequests(self.wake)
        self.log = SeatLog(home, read_private, write_private)

    def claim(self, table: str, name: str, told: str = TAKEN) -> str | None:
        """Sit down: the claim to be kept in the cookie, or None when somebody sits there. NotKept when it cannot be written."""
        with self._lock:
            if _key(table, name) in self._claims:
                return None
            claim = secrets.token_urlsafe(12)
            self.log.tell(table, told, name)
            self._keep({**self._claims, _key(table, name): claim})
            self.requests.over(table, name)
            self.wake()
            return claim

    def holds(self, table: str, name: str, claim: str) -> bool:
        """Whether this claim is the one that sits there."""
        held = self._claims.get(_key(table, name))
        return held is not None and secrets.compare_digest(held.encode(), claim.encode())

    def free(self, table: str, name: str, told: str = FREED) -> None:
        """Stand up; the claim's cookie is worth nothing from now on. A seat that the host frees is for the next phone."""
        with self._lock:
            if told == FREED:
                self.requests.open_to_next(table, name)
            if _key(table, name) in self._claims:
                self.log.tell(table, told, name)
                self._keep({key: claim for key, claim in self._claims.items() if key != _key(table, name)})
            self.wake()

    def taken(self, table: str) -> frozenset[str]:
        """Names somebody sits on."""
        prefix = _key(table, "")
        return frozenset(key.removeprefix(prefix) for key in list(self._claims) if key.startswith(prefix))

    def wake(self) -> None:
        """Something that the session does not know of has changed: the streams look again."""
        self.version += 1
        self.changed()

    def _keep(self, claims: dict[str, str]) -> None:
        """On disk first: a seat that only memory has would be taken by nobody when the disk is full."""
        write_private(self._path, claims)
        self._claims = claims


class Robots:
    """What is remembered of the robots of each table, in words of the virtual table's own."""

    def __init__(self, home: Path) -> None:
        self._path = home / ROBOTS
        self._kept = read_private(self._path)
        self._lock = threading.Lock()

    def of(self, table: str) -> Any:
        """What was kept last, or None."""
        return self._kept.get(table)

    def keep(self, table: str, what: Any) -> None:
        """On disk when this returns."""
        with self._lock:
            kept = {**self._kept, table: what}
            write_private(self._path, kept)
            self._kept = kept


def _key(table: str, name: str) -> str:
    return f"{table}\n{name}"
