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
    """What came with a request; `came` are its parts as they were, to find what was changed."""

    came: dict[str, str]


class Cookies(SessionInterface):
    """Reads and writes the cookies of one companion. Whoever was the owner is not any more when the owner's token changes."""

    def __init__(self, signing: str, owner_token: Callable[[], str]) -> None:
        self._signing, self._owner_token = signing, owner_token
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
        kept.came = self._packed(kept)
        return kept

    def save_session(self, app: Flask, session: SessionMixin, response: Response) -> None:
        """Set the parts that were changed, and no others."""
        assert isinstance(session, Kept)
        if session.accessed:
            response.vary.add("Cookie")
        for part, packed in self._packed(session).items():
            if packed == session.came[part]:
                continue
            cookie = dump_cookie(
                self.name(part),
                packed,
                max_age=REMEMBERED_S if packed else 0,
                sync_expires=False,  # else a date of our clock is added
                httponly=True,
                samesite="Lax",
            )
            response.headers.add("Set-Cookie", cookie)

    def _packed(self, session: Kept) -> dict[str, str]:
        inside: dict[str, dict[str, Any]] = {part: {} for part in PARTS}
        for key, value in session.items():
            inside[PART_OF.get(key, REST)][key] = value
        return {part: str(self._signer(part).dumps(held)) if held else "" for part, held in inside.items()}

    def _signer(self, part: str) -> URLSafeSerializer:
        salt = f"naqala-{part}" + (f"-{self._owner_token()}" if part == "owner" else "")
        how = {"key_derivation": "hmac", "digest_method": hashlib.sha256}
        return URLSafeSerializer(self._signing, salt=salt, signer_kwargs=how)
