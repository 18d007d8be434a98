"""What a browser keeps for us: signed cookies without a clock.

Flask's own session is one cookie with a signed time, set again with every answer. Four things go wrong with that at a table:

- A Raspberry Pi has no battery clock. After a power cut its time may be earlier than before, and a signature "from the
  future" is refused: all phones and the owner are strangers. Here nothing signed holds a time; a seat ends when its claim does
  (`keys.Seats`), not when a clock says so.
- A cookie with a date of the server has expired already on a phone whose clock is ahead. Here cookies say `Max-Age` alone.
- Cookies belong to a host, not to a port: two companions on one machine would overwrite each other's. Here names carry an
  id of the home folder: `naqala-3f9c01d2-seats`.
- An answer that was made before a seat was taken and arrives afterwards would take it away again. Here there is a cookie for
  each of the PARTS, and an answer sets only those that it changed.
"""

from __future__ import annotations

import hashlib
from collections.abc import Callable
from copy import deepcopy
from datetime import timedelta
from typing import Any

from flask import Flask, Request, Response
from flask.sessions import SecureCookieSession, SessionInterface, SessionMixin
from itsdangerous import BadSignature, URLSafeSerializer
from werkzeug.http import dump_cookie

REMEMBERED_S = int(timedelta(days=120).total_seconds())
REST = "page"
# Which of the session's keys are kept in which cookie; all others (token of the forms, language, notices) in REST.
PARTS: dict[str, tuple[str, ...]] = {"seats": ("seats", "sitting", "asking"), "owner": ("owner",), REST: ()}
PART_OF = {key: part for part, keys in PARTS.items() for key in keys}


class Kept(SecureCookieSession):
    """What came with a request; `came` are its parts as they were, to find what was changed, and `salts` how they are signed."""

    came: dict[str, dict[str, Any]]
    salts: dict[str, str]


class Cookies(SessionInterface):
    """Reads and writes the cookies of one companion. Whoever was the owner is not any more when the owner's token changes."""

    def __init__(self, signing: str, owner_token: Callable[[], str]) -> None:
        self._signing, self._owner_token = signing, owner_token
        self._signers: dict[
            str, URLSafeSerializer
        ] = {}  # by salt; making one for each request would cost more than the rest
        self._instance = hashlib.sha256(f"instance {signing}".encode()).hexdigest()[:8]

    def name(self, part: str) -> str:
        """Of the cookie that holds this part."""
        return f"naqala-{self._instance}-{part}"

    def open_session(self, app: Flask, request: Request) -> Kept:
        """Everything that was kept and is signed by us; what is not is as good as absent."""
        found: dict[str, Any] = {}
        for part in PARTS:
            try:
                inside = self._signer(part).loads(request.cookies.get(self.name(part), ""))
            except (BadSignature, RecursionError):
                continue
            if isinstance(inside, dict):
                found |= {key: value for key, value in inside.items() if PART_OF.get(key, REST) == part}
        kept = Kept(found)
        kept.came = deepcopy(_parts(kept))
        kept.salts = {part: self._salt(part) for part in PARTS}
        kept.accessed = False  # only by us
        return kept

    def save_session(self, app: Flask, session: SessionMixin, response: Response) -> None:
        """Set the parts that were changed, and no others."""
        assert isinstance(session, Kept)
        if session.accessed:
            response.vary.add("Cookie")
        for part, held in _parts(session).items():
            signed_again = bool(held) and session.salts[part] != self._salt(
                part
            )  # the owner's token is a new one
            if held == session.came[part] and not signed_again:
                continue
            cookie = dump_cookie(
                self.name(part),
                str(self._signer(part).dumps(held)) if held else "",
                max_age=REMEMBERED_S if held else 0,
                sync_expires=False,  # else a date of our clock is added
                httponly=True,
                samesite="Lax",
            )
            response.headers.add("Set-Cookie", cookie)

    def _salt(self, part: str) -> str:
        return f"naqala-{part}" + (f"-{self._owner_token()}" if part == "owner" else "")

    def _signer(self, part: str) -> URLSafeSerializer:
        salt = self._salt(part)
        if salt not in self._signers:
            how = {"key_derivation": "hmac", "digest_method": hashlib.sha256}
            self._signers[salt] = URLSafeSerializer(self._signing, salt=salt, signer_kwargs=how)
        return self._signers[salt]


def _parts(session: Kept) -> dict[str, dict[str, Any]]:
    """What is kept, by cookie."""
    inside: dict[str, dict[str, Any]] = {part: {} for part in PARTS}
    for key, value in session.items():
        inside[PART_OF.get(key, REST)][key] = value
    return inside
