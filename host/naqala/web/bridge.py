"""From ASGI, which the server speaks, to the app: pages and taps in a few threads, streams in the event loop.

Before a thread is used the request has passed the rate limit and its body is here, whole and small. An answer that left a
feed in its environ is a stream: its head is sent, the thread goes home, and the feed goes on by itself.
"""

from __future__ import annotations

import asyncio
import logging
import sys
import tempfile
from collections.abc import Awaitable, Callable, Iterable
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass
from typing import IO, Any
from urllib.parse import quote

from naqala.web.feeds import IN_ENVIRON, Feed, Feeds
from naqala.web.guard import Client, Guard
from naqala.web.hosts import A_HOST
from naqala.web.limits import Limits
from naqala.web.rates import Rates
from naqala.web.turns import TooMany, Turns

Scope = dict[str, Any]
Receive = Callable[[], Awaitable[dict[str, Any]]]
Send = Callable[[dict[str, Any]], Awaitable[None]]
WsgiApp = Callable[[dict[str, Any], Any], Iterable[bytes]]
Health = Callable[[], bytes]
Large = Callable[
    [str, str], int
]  # path and cookie -> how many bytes a body may have; 0: as many as all others

THREADS = 24
HEALTH = "/healthz"
NOBODY: Client = ("", 0)
REFUSALS = {
    400: b"Bad request.\n",
    408: b"The request did not come in time.\n",
    413: b"That is too large.\n",
    429: b"Too many requests at once. Wait a moment, then try again.\n",
    503: b"Too many people look on from here. Wait a moment, then try again.\n",
}

log = logging.getLogger(__name__)


@dataclass(frozen=True, slots=True)
class Answer:
    """What the app said."""

    status: int
    headers: list[tuple[bytes, bytes]]
    body: bytes
    feed: Feed | None


class TooLarge(Exception):
    """A body beyond the bound."""


class Gone(Exception):
    """The client left before its request was whole."""


class Bridge:
    """The ASGI app in front of a WSGI app."""

    def __init__(
        self, app: WsgiApp, guard: Guard, rates: Rates, limits: Limits, health: Health, large: Large
    ) -> None:
        self._app, self._guard, self._rates, self._limits, self._health = app, guard, rates, limits, health
        self._large = large
        self.feeds = Feeds(limits)
        self._turns = Turns(limits.pages_at_once, limits.pages_waiting)
        self._threads = ThreadPoolExecutor(THREADS, "naqala-page")

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        if scope["type"] == "http":
            client: Client = scope.get("client") or NOBODY
            self._guard.begin(client)
            try:
                await self._http(scope, receive, send, client)
            finally:
                self._guard.end(client)
        elif scope["type"] == "websocket":
            await send({"type": "websocket.close"})
        elif scope["type"] == "lifespan":
            await _lifespan(receive, send)

    def close(self) -> None:
        """No further pages; those under way are waited for by nobody."""
        self._threads.shutdown(wait=False, cancel_futures=True)

    async def _http(self, scope: Scope, receive: Receive, send: Send, client: Client) -> None:
        if scope["path"] == HEALTH:
            await _send(send, 200, [(b"content-type", b"application/json")], self._health())
            return
        headers = dict(scope["headers"])
        if not A_HOST.fullmatch(headers.get(b"host", b"").decode("latin-1")):
            await self._refuse(send, receive, 400)
            return
        post = scope["method"] not in ("GET", "HEAD")
        cookie = headers.get(b"cookie", b"").decode("latin-1")
        if not self._rates.allow(client[0], cookie, post):
            await self._refuse(send, receive, 429, [(b"retry-after", b"1")])
            return
        most = self._large(scope["path"], cookie) if post else 0
        patience_s = self._limits.large_body_s if most else self._limits.body_s
        try:
            async with asyncio.timeout(patience_s):
                body = await self._body(headers, receive, most or self._limits.body_bytes)
        except TooLarge:
            await self._refuse(send, receive, 413)
            return
        except TimeoutError:
            await self._refuse(send, receive, 408)
            return
        except Gone:
            return
        try:
            async with self._turns.turn(client[0]):
                environ = _environ(scope, body, client)
                loop = asyncio.get_running_loop()
                answer = await loop.run_in_executor(self._threads, self._ask, environ)
        except TooMany:
            await self._refuse(send, receive, 503, [(b"retry-after", b"2")])
            return
        if answer.feed is None:
            await self._write(send, client, answer)
        else:
            await self._stream(answer, answer.feed, receive, send, client)

    async def _body(self, headers: dict[bytes, bytes], receive: Receive, most: int) -> IO[bytes]:
        """The whole body; a large one waits on disk. A length that is told is believed at once, one that is not is counted."""
        told = headers.get(b"content-length", b"0")
        if not told.isdigit() or int(told) > most:
            raise TooLarge
        found = tempfile.SpooledTemporaryFile(self._limits.body_bytes)  # noqa: SIM115 the app closes it
        try:
            while True:
                message = await receive()
                if message["type"] == "http.disconnect":
                    raise Gone
                found.write(message.get("body", b""))
                if found.tell() > most:
                    raise TooLarge
                if not message.get("more_body"):
                    return found
        except BaseException:
            found.close()
            raise

    def _ask(self, environ: dict[str, Any]) -> Answer:
        """Call the app, in a thread of its own, and take its whole answer."""
        with environ["wsgi.input"]:
            return self._asked(environ)

    def _asked(self, environ: dict[str, Any]) -> Answer:
        said: list[Any] = []

        def start_response(status: str, headers: list[tuple[str, str]], exc_info: Any = None) -> None:
            said[:] = [int(status.split(" ", 1)[0]), headers]

        found = self._app(environ, start_response)
        try:
            goes_on = said[0] == 200 and environ["REQUEST_METHOD"] == "GET"
            feed: Feed | None = environ.get(IN_ENVIRON) if goes_on else None
            body = b"" if feed is not None else b"".join(found)
        finally:
            if hasattr(found, "close"):
                found.close()
        headers = [(name.lower().encode("latin-1"), value.encode("latin-1")) for name, value in said[1]]
        return Answer(said[0], headers, body, feed)

    async def _write(self, send: Send, client: Client, answer: Answer) -> None:
        try:
            async with asyncio.timeout(self._limits.page_write_s):
                await _send(send, answer.status, answer.headers, answer.body)
        except TimeoutError:
            self._guard.drop(client)

    async def _stream(self, answer: Answer, feed: Feed, receive: Receive, send: Send, client: Client) -> None:
        """Send what the feed has until one of both sides has enough. While a send waits for a slow reader nothing is queued:
        what it gets next is made then, from the newest state."""
        if not self.feeds.add(feed, client[0]):
            await self._refuse(send, receive, 503, [(b"retry-after", b"2")])
            return
        gone = asyncio.ensure_future(_until_gone(receive))
        gone.add_done_callback(lambda _: feed.end())
        try:
            headers = [one for one in answer.headers if one[0] != b"content-length"]
            await send({"type": "http.response.start", "status": answer.status, "headers": headers})
            while data := await feed.next():
                async with asyncio.timeout(self._limits.write_s):
                    await send({"type": "http.response.body", "body": data, "more_body": True})
            if not gone.done():
                await send({"type": "http.response.body", "body": b"", "more_body": False})
        except TimeoutError:
            self._guard.drop(client)
        finally:
            gone.cancel()
            feed.end()
            self.feeds.remove(feed)

    async def _refuse(
        self, send: Send, receive: Receive, status: int, more: Iterable[tuple[bytes, bytes]] = ()
    ) -> None:
        """A short answer that no page is made for. What the client still sends is read on beside it: the server hands bodies
        over through a short queue, and an answer given while that is full would wait for ever."""
        reading = asyncio.ensure_future(_until_gone(receive))
        try:
            head = [(b"content-type", b"text/plain; charset=utf-8"), (b"cache-control", b"no-store"), *more]
            await _send(send, status, head, REFUSALS[status])
        finally:
            reading.cancel()


async def _send(send: Send, status: int, headers: list[tuple[bytes, bytes]], body: bytes) -> None:
    if not any(name == b"content-length" for name, _ in headers):
        headers = [*headers, (b"content-length", str(len(body)).encode())]
    await send({"type": "http.response.start", "status": status, "headers": headers})
    await send({"type": "http.response.body", "body": body, "more_body": False})


async def _until_gone(receive: Receive) -> None:
    while (await receive())["type"] != "http.disconnect":
        pass


async def _lifespan(receive: Receive, send: Send) -> None:
    while True:
        message = await receive()
        await send({"type": f"{message['type']}.complete"})
        if message["type"] == "lifespan.shutdown":
            return


def _environ(scope: Scope, body: IO[bytes], client: Client) -> dict[str, Any]:
    """The request as WSGI (PEP 3333) wants it."""
    server = scope.get("server") or ("", 0)
    length = body.tell()
    body.seek(0)
    environ: dict[str, Any] = {
        "REQUEST_METHOD": scope["method"],
        "SCRIPT_NAME": "",
        "PATH_INFO": scope["path"].encode("utf-8").decode("latin-1"),
        "RAW_URI": quote(scope["raw_path"].decode("latin-1"), safe="/%:@!$&'()*+,;=~-._"),
        "QUERY_STRING": scope["query_string"].decode("latin-1"),
        "SERVER_NAME": str(server[0]),
        "SERVER_PORT": str(server[1]),
        "SERVER_PROTOCOL": f"HTTP/{scope['http_version']}",
        "REMOTE_ADDR": client[0],
        "REMOTE_PORT": str(client[1]),
        "wsgi.version": (1, 0),
        "wsgi.url_scheme": scope["scheme"],
        "wsgi.input": body,
        "wsgi.errors": sys.stderr,
        "wsgi.multithread": True,
        "wsgi.multiprocess": False,
        "wsgi.run_once": False,
        "CONTENT_LENGTH": str(length),
    }
    for name, value in scope["headers"]:
        key = name.decode("latin-1").upper().replace("-", "_")
        if key == "CONTENT_TYPE":
            environ[key] = value.decode("latin-1")
        elif key not in ("CONTENT_LENGTH", "TRANSFER_ENCODING") and "_" not in name.decode("latin-1"):
            key, text = f"HTTP_{key}", value.decode("latin-1")
            joint = "; " if key == "HTTP_COOKIE" else ","  # HTTP/2 sends cookies one by one
            environ[key] = f"{environ[key]}{joint}{text}" if key in environ else text
    return environ
