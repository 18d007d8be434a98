"""Keys of other programs: each has a name, scopes, and for a player's seat the table and the name. Made and revoked by the owner.

A program sends its key as `Authorization: Bearer nq_...`. Only a digest of it is kept: whoever reads the file, or a backup,
cannot use it.
"""

from __future__ import annotations

import hashlib
import hmac
import secrets
import threading
from collections.abc import Sequence
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Any

from flask import Request, current_app

from naqala.dashboard.keys import read_private, write_private
from naqala.journal import now_ms

FILE = "api-keys.json"
PUBLIC, SEAT, TELL, METRICS = SCOPES = ("public", "seat", "tell", "metrics")
OF_A_SEAT = frozenset({SEAT, TELL})
LONGEST_NAME = 60
MOST_KEYS = 100
PREFIX = "nq_"


@dataclass(frozen=True, slots=True)
class Program:
    """A program that may ask. `table` and `seat` are empty unless a scope is of a seat."""

    id: str
    name: str
    scopes: tuple[str, ...]
    table: str
    seat: str
    made_ms: int
    digest: str

    def may(self, scope: str, table: str = "") -> bool:
        return scope in self.scopes and (scope not in OF_A_SEAT or table == self.table)


class Programs:
    """All keys of this house."""

    def __init__(self, home: Path) -> None:
        self._path = home / FILE
        self._lock = threading.Lock()
        self._all = tuple(
            found for one in read_private(self._path).get("keys", []) if (found := _program(one))
        )

    @property
    def all(self) -> tuple[Program, ...]:
        return self._all

    def make(self, name: str, scopes: Sequence[str], table: str = "", seat: str = "") -> tuple[Program, str]:
        """A new key: what is remembered, and the key itself, which nobody sees again. ValueError when it makes no sense."""
        wanted = tuple(scope for scope in SCOPES if scope in scopes)
        of_a_seat = bool(OF_A_SEAT & {*wanted})
        if (
            not 0 < len(name) <= LONGEST_NAME
            or not name.isprintable()
            or not wanted
            or len(self._all) >= MOST_KEYS
        ):
            raise ValueError("a key has a name and at least one scope")
        if of_a_seat and not (table and seat):
            raise ValueError("a key for a seat names the table and the player")
        token = PREFIX + secrets.token_urlsafe(24)
        where = (table, seat) if of_a_seat else ("", "")
        made = Program(secrets.token_hex(4), name, wanted, *where, now_ms(), _digest(token))
        with self._lock:
            self._keep((*self._all, made))
        return made, token

    def revoke(self, program: str) -> bool:
        """The key of this id is worth nothing from now on; whether there was one."""
        with self._lock:
            left = tuple(one for one in self._all if one.id != program)
            found = len(left) < len(self._all)
            if found:
                self._keep(left)
        return found

    def of(self, token: str) -> Program | None:
        """Whose key this is."""
        digest = _digest(token)
        return next((one for one in self._all if hmac.compare_digest(one.digest, digest)), None)

    def _keep(self, keys: tuple[Program, ...]) -> None:
        write_private(self._path, {"keys": [asdict(one) for one in keys]})
        self._all = keys


def programs() -> Programs:
    """The app's."""
    found = current_app.extensions["naqala-programs"]
    assert isinstance(found, Programs)
    return found


def asking(request: Request) -> Program | None:
    """The program that makes this request; None without a key, or with one that is not good."""
    kind, _, token = request.headers.get("Authorization", "").partition(" ")
    return programs().of(token.strip()) if kind.lower() == "bearer" and token.isascii() else None


def _digest(token: str) -> str:
    return hashlib.sha256(token.encode("utf-8", "replace")).hexdigest()


def _program(told: Any) -> Program | None:
    """A key of the file; None for what is none."""
    try:
        return Program(**{**told, "scopes": tuple(told["scopes"])})
    except (TypeError, KeyError):
        return None
