"""What every request passes first: known host, same origin, a CSRF token on every post, bounded size and rate.

And what every answer carries: a content policy without inline script, no sniffing, no caching of pages.
"""

from __future__ import annotations

import hmac
import ipaddress
import secrets
import threading
import time
from collections import OrderedDict
from urllib.parse import urlsplit

from flask import Flask, Response, abort, request, session

LARGEST_BODY = 64 * 1024
LARGEST_FIELD = 32 * 1024
MOST_FIELDS = 400
# (requests at once, per second afterwards) of one address. A phone taps a few times a second at most.
POSTS, PAGES = (40, 10.0), (240, 60.0)
MOST_ADDRESSES = 4096
POLICY = "; ".join(
    (
        "default-src 'none'",
        "script-src 'self'",
        "style-src 'self'",
        "img-src 'self' data:",
        "connect-src 'self'",
        "manifest-src 'self'",
        "form-action 'self'",
        "base-uri 'none'",
        "frame-ancestors 'none'",
    )
)


def csrf_token() -> str:
    """This browser's token, made with its first page."""
    if not isinstance(session.get("csrf"), str):
        session["csrf"] = secrets.token_urlsafe(18)
    return str(session["csrf"])


class Bounds:
    """How much one address may ask: a bucket of tokens that fills with time."""

    def __init__(self, at_once: int, per_second: float) -> None:
        self._at_once, self._per_second = at_once, per_second
        self._buckets: OrderedDict[str, tuple[float, float]] = OrderedDict()
        self._lock = threading.Lock()

    def allow(self, address: str, now: float) -> bool:
        """Take one token, if there is one."""
        with self._lock:
            left, at = self._buckets.pop(address, (float(self._at_once), now))
            left = min(self._at_once, left + (now - at) * self._per_second)
            self._buckets[address] = (max(left - 1, 0.0), now)
            while len(self._buckets) > MOST_ADDRESSES:
                self._buckets.popitem(last=False)
            return left >= 1


def _known_host(host: str, allowed: frozenset[str]) -> bool:
    """An address, this machine, a name of the local network, or what the owner set: no name from elsewhere.

    Otherwise a page on the internet could let its own name point here and act in a player's browser.
    """
    name = (urlsplit(f"//{host}").hostname or "").lower()
    try:
        ipaddress.ip_address(name)
    except ValueError:
        return name == "localhost" or "." not in name or name.endswith(".local") or name in allowed
    return True


def _refuse_strangers() -> None:
    """A post comes from our own page, with this browser's token."""
    if request.headers.get("Origin") != request.host_url.rstrip("/"):
        abort(403)
    sent = request.form.get("csrf", "")
    if not isinstance(session.get("csrf"), str) or not hmac.compare_digest(
        sent.encode(), csrf_token().encode()
    ):
        abort(403)


def protect(app: Flask, hosts: frozenset[str]) -> None:
    """Put the checks before every request and the headers on every answer."""
    app.config.update(
        MAX_CONTENT_LENGTH=LARGEST_BODY,
        MAX_FORM_MEMORY_SIZE=LARGEST_FIELD,
        MAX_FORM_PARTS=MOST_FIELDS,
        SESSION_COOKIE_NAME="naqala",
        SESSION_COOKIE_HTTPONLY=True,
        SESSION_COOKIE_SAMESITE="Lax",
    )
    posts, pages = Bounds(*POSTS), Bounds(*PAGES)

    @app.before_request
    def check() -> None:
        if not _known_host(request.host, hosts):
            abort(400)
        bounds = posts if request.method == "POST" else pages
        if not app.testing and not bounds.allow(request.remote_addr or "", time.monotonic()):
            abort(429)
        if request.method == "POST":
            _refuse_strangers()

    @app.after_request
    def head(response: Response) -> Response:
        response.headers["Content-Security-Policy"] = POLICY
        response.headers["X-Content-Type-Options"] = "nosniff"
        response.headers["Referrer-Policy"] = "same-origin"
        response.headers["Cross-Origin-Opener-Policy"] = "same-origin"
        response.headers["Permissions-Policy"] = "camera=(), geolocation=(), microphone=()"
        if request.endpoint != "static":
            response.headers["Cache-Control"] = "no-store"
        return response
