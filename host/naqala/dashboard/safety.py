"""What every request passes first: known host, same origin, a CSRF token on every post, bounded size. (Rates, connections and
bodies are bounded before, by the server: see `naqala.web`.)

And what every answer carries: a content policy without inline script, no sniffing, no caching of pages.
"""

from __future__ import annotations

import hmac
import secrets
from collections.abc import Callable
from functools import lru_cache

from flask import Flask, Response, abort, request, session
from werkzeug.test import EnvironBuilder

from naqala.dashboard import viewers
from naqala.web.hosts import known_host

LARGEST_BODY = 64 * 1024
LARGEST_FIELD = 32 * 1024
MOST_FIELDS = 400
POLICY = "; ".join(
    (
        "default-src 'none'",
        "script-src 'self'",
        "style-src 'self'",
        "img-src 'self' data:",
        "connect-src 'self'",
        "manifest-src 'self'",
        "media-src 'self'",
        "worker-src 'self'",
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

    @app.before_request
    def check() -> None:
        # The header itself: of a name with an impossible letter Werkzeug makes an empty one.
        if not known_host(request.headers.get("Host", ""), hosts):
            abort(400)
        # Programs show a key with every request and no cookie counts for them, so no other page can post in their name.
        if request.method == "POST" and not request.path.startswith("/api/"):
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


def holders(app: Flask) -> Callable[[str], str]:
    """Whose cookie this is: the owner's, or that of these seats; "" for everybody else. For the server's own limits."""

    @lru_cache(maxsize=1024)
    def known(cookie: str, version: int) -> str:
        environ = EnvironBuilder("/", "http://localhost", headers=[("Cookie", cookie)]).get_environ()
        with app.request_context(environ):
            return viewers.holder()

    return lambda cookie: known(cookie, app.extensions["naqala-seats"].version)
