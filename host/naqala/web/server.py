"""The server: hypercorn in an event loop of its own thread, behind our guarded sockets.

server = Server(app, "127.0.0.1", 8000, https_port=8443, tls=context, known=..., health=...)
server.start()       # the ports are bound when the object exists, so an app may be told its own address first
server.stop()        # streams end, pages are finished, what is left is cut off
"""

from __future__ import annotations

import asyncio
import contextlib
import logging
import ssl
import sys
import threading
from collections.abc import Callable
from typing import Any

from hypercorn.asyncio import serve
from hypercorn.config import Config, Sockets

from naqala.web.bridge import Bridge, Health, Large, WsgiApp
from naqala.web.guard import Guard, Listener
from naqala.web.limits import HOUSEHOLD, Limits
from naqala.web.rates import Rates

STARTS_S = 10.0
STREAMS_END_S = 1.0  # how long streams and pages may take at the end, before they are cut off
STOPS_S = 10.0
SPARE_FILES = 256  # beside connections: journal, serial ports, pages' files

log = logging.getLogger(__name__)


class Ours(Config):
    """hypercorn with our sockets and our certificates."""

    def __init__(self, plain: list[Listener], secure: list[Listener], tls: ssl.SSLContext | None) -> None:
        super().__init__()
        self._plain, self._secure, self._tls = plain, secure, tls
        self.errorlog = logging.getLogger("naqala.web.hypercorn")
        self.errorlog.setLevel(logging.ERROR)
        self.include_server_header = False

    @property
    def ssl_enabled(self) -> bool:
        return self._tls is not None

    def create_ssl_context(self) -> ssl.SSLContext | None:
        return self._tls

    def create_sockets(self) -> Sockets:
        return Sockets(list(self._secure), list(self._plain), [])


class Server:
    """One app on one port, and on a second one with https if there is a certificate."""

    def __init__(
        self,
        app: WsgiApp,
        host: str,
        port: int,
        *,
        https_port: int | None = None,
        tls: ssl.SSLContext | None = None,
        known: Callable[[str], str] = lambda cookie: "",
        health: Health = lambda: b"{}\n",
        large: Large = lambda path, cookie: 0,
        limits: Limits = HOUSEHOLD,
    ) -> None:
        """Bind the ports. Raises OSError when one cannot be used."""
        self._limits = limits
        self._guard = Guard(limits)
        self._plain = self._guard.listen(host, port)
        self._secure: Listener | None = None
        try:
            if tls is not None and https_port is not None:
                self._secure = self._guard.listen(host, https_port)
        except OSError:
            self._plain.close()
            raise
        self._tls = tls if self._secure is not None else None
        self._bridge = Bridge(app, self._guard, Rates(known), limits, health, large)
        self.loop = asyncio.new_event_loop()
        self._over = asyncio.Event()
        self._started = threading.Event()
        self._thread = threading.Thread(target=self._run, name="naqala-pages", daemon=True)

    @property
    def port(self) -> int:
        return int(self._plain.getsockname()[1])

    @property
    def https_port(self) -> int | None:
        return int(self._secure.getsockname()[1]) if self._secure is not None else None

    def start(self) -> None:
        """Answer from now on."""
        _allow_files(self._limits.connections_in_all + SPARE_FILES)
        self._thread.start()
        self._started.wait(STARTS_S)

    def stop(self) -> None:
        """End streams and pages, close the ports. May be called twice, and when nothing was started."""
        if self._thread.is_alive():
            with contextlib.suppress(RuntimeError):  # the loop ended by itself
                self.loop.call_soon_threadsafe(self._over.set)
            self._thread.join(STOPS_S)
        self._bridge.close()
        for listener in (self._plain, self._secure):
            if listener is not None:
                listener.close()
        if not self.loop.is_running():
            self.loop.close()

    def _run(self) -> None:
        asyncio.set_event_loop(self.loop)
        self.loop.set_exception_handler(_quietly)
        try:
            with contextlib.suppress(asyncio.CancelledError):  # connections that had to be cut off at the end
                self.loop.run_until_complete(self._serve())
        finally:
            _cancel_rest(self.loop)

    async def _serve(self) -> None:
        config = Ours([self._plain], [self._secure] if self._secure else [], self._tls)
        limits = self._limits
        config.keep_alive_timeout = limits.header_s
        config.ssl_handshake_timeout = limits.handshake_s
        config.h11_max_incomplete_size = config.h2_max_header_list_size = limits.header_bytes
        config.graceful_timeout = 2 * STREAMS_END_S  # longer than until everybody is cut off
        self.loop.call_soon(self._started.set)
        await serve(self._bridge, config, shutdown_trigger=self._end)  # type: ignore[arg-type]

    async def _end(self) -> None:
        """Wait for the end, and begin it: streams go first, then the server lets pages finish, then nobody is left."""
        await self._over.wait()
        self._bridge.feeds.end_all()
        self.loop.call_later(STREAMS_END_S, self._guard.drop_all)


def _quietly(loop: asyncio.AbstractEventLoop, context: dict[str, Any]) -> None:
    """What broken clients do to their own connections is nobody's news; it is told to those who look for it."""
    log.debug("a connection ended: %s", context.get("message"), exc_info=context.get("exception"))


def _cancel_rest(loop: asyncio.AbstractEventLoop) -> None:
    tasks = asyncio.all_tasks(loop)
    for task in tasks:
        task.cancel()
    loop.run_until_complete(asyncio.gather(*tasks, return_exceptions=True))


def _allow_files(wanted: int) -> None:
    """Every connection is a file, and many systems allow a program only 1,024 unless it asks."""
    if sys.platform == "win32":  # it has no such limit
        return
    import resource

    soft, hard = resource.getrlimit(resource.RLIMIT_NOFILE)
    most = wanted if hard == resource.RLIM_INFINITY else min(wanted, hard)
    if soft < most:
        with contextlib.suppress(ValueError, OSError):
            resource.setrlimit(resource.RLIMIT_NOFILE, (most, hard))
