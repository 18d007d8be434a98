"""The door: every accepted connection is counted per address, has deadlines in the kernel, and may be shown out again.

It sits below HTTP, at the listening socket, so it also holds for TLS handshakes and for requests that never become one:

    guard = Guard(HOUSEHOLD)
    listener = guard.listen("127.0.0.1", 8000)      # a socket whose accept() enforces the limits
    guard.begin(client); guard.end(client)          # while a request of this connection is being answered

Who comes when its address has too many pushes out that address's oldest connection without a request, so half requests
only push out each other. When the whole house is full, the address with the most connections gives one up. Everything here
runs in the server's event loop.
"""

from __future__ import annotations

import contextlib
import socket
import sys
from collections import OrderedDict
from typing import Any

from naqala.web.limits import Limits

Client = tuple[str, int]

KEEP_ALIVE_IDLE_S, KEEP_ALIVE_EVERY_S, KEEP_ALIVE_TRIES = 5, 3, 3
SEND_BUFFER_BYTES = 128 * 1024  # of the kernel: what a slow reader may leave unread there
BACKLOG = 512
# macOS has TCP_USER_TIMEOUT under another name, in seconds, and Python has no name for it.
DARWIN_RXT_CONNDROPTIME = 0x80


class Connection(socket.socket):
    """An accepted connection that tells its guard when it is closed."""

    guard: Guard
    client: Client
    requests = 0  # being answered now

    def close(self) -> None:
        super().close()
        self.guard.closed(self)


class Listener(socket.socket):
    """A listening socket that lets in only whom its guard allows."""

    guard: Guard

    def accept(self) -> tuple[socket.socket, Any]:
        while True:
            accepted, address = super().accept()
            made = Connection(accepted.family, accepted.type, accepted.proto, fileno=accepted.detach())
            made.guard, made.client = self.guard, (str(address[0]), int(address[1]))
            if self.guard.admit(made):
                return made, address
            socket.socket.close(made)


class Guard:
    """Counts connections and shows out those that are too many."""

    def __init__(self, limits: Limits) -> None:
        self._limits = limits
        self._open: dict[str, OrderedDict[Client, Connection]] = {}
        self._count = 0

    def listen(self, host: str, port: int) -> Listener:
        """A listening socket. Raises OSError when the port cannot be used."""
        family = socket.AF_INET6 if ":" in host else socket.AF_INET
        made = Listener(family, socket.SOCK_STREAM)
        try:
            made.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
            made.bind((host, port))
            made.listen(BACKLOG)
            made.setblocking(False)
        except OSError:
            socket.socket.close(made)
            raise
        made.guard = self
        return made

    # --- coming and going -------------------------------------------------------------------------------------

    def admit(self, one: Connection) -> bool:
        """Let it in, if need be in another's place; False when nobody can make room."""
        mine = self._open.get(one.client[0], OrderedDict())
        if len(mine) >= self._limits.connections and not self._show_out(mine):
            return False
        if self._count >= self._limits.connections_in_all and not self._make_room(len(mine)):
            return False
        self._open.setdefault(one.client[0], OrderedDict())[one.client] = one
        self._count += 1
        _set_deadlines(one, self._limits.unanswered_ms)
        return True

    def closed(self, one: Connection) -> None:
        """A connection is gone, whoever closed it."""
        mine = self._open.get(one.client[0])
        if mine is None or mine.get(one.client) is not one:
            return
        del mine[one.client]
        self._count -= 1
        if not mine:
            del self._open[one.client[0]]

    def begin(self, client: Client) -> None:
        """A request of this connection is complete and being answered."""
        if one := self._find(client):
            one.requests += 1

    def end(self, client: Client) -> None:
        """It has its answer; the connection counts as idle from now on, as the youngest of the idle ones."""
        if one := self._find(client):
            one.requests -= 1
            self._open[client[0]].move_to_end(client)

    def drop(self, client: Client) -> None:
        """Cut a connection off, whatever is still unsent."""
        if one := self._find(client):
            _cut(one)

    def drop_all(self) -> None:
        """Cut off everybody: the server ends."""
        for mine in list(self._open.values()):
            for one in list(mine.values()):
                _cut(one)

    def __len__(self) -> int:
        return self._count

    def _find(self, client: Client) -> Connection | None:
        mine = self._open.get(client[0])
        return mine.get(client) if mine is not None else None

    # --- making room ------------------------------------------------------------------------------------------

    def _show_out(self, mine: OrderedDict[Client, Connection]) -> bool:
        """Push out the oldest connection without a request."""
        for one in mine.values():
            if not one.requests:
                self.closed(one)  # its place is free at once; the loop closes the socket in a moment
                _cut(one)
                return True
        return False

    def _make_room(self, own: int) -> bool:
        """The address with the most connections gives one up, if that is not the newcomer's own."""
        most = max(self._open.values(), key=len)
        if len(most) <= own + 1:
            return False
        if not self._show_out(most):
            newest = next(reversed(most.values()))
            self.closed(newest)
            _cut(newest)
        return True


def _cut(one: socket.socket) -> None:
    """End a connection under the loop that serves it: it sees the end and closes the socket. Nothing unsent is waited for."""
    with contextlib.suppress(OSError):
        one.setsockopt(socket.SOL_SOCKET, socket.SO_LINGER, b"\x01\x00\x00\x00\x00\x00\x00\x00")
    with contextlib.suppress(OSError):
        one.shutdown(socket.SHUT_RDWR)


def _set_deadlines(one: socket.socket, unanswered_ms: int) -> None:
    """A machine that vanished is noticed by the kernel: idle connections by keep-alive, unacknowledged bytes after
    `unanswered_ms`, also when the other side keeps its window shut."""
    options = [
        (socket.SOL_SOCKET, socket.SO_KEEPALIVE, 1),
        (socket.SOL_SOCKET, socket.SO_SNDBUF, SEND_BUFFER_BYTES),
        (socket.IPPROTO_TCP, socket.TCP_NODELAY, 1),
    ]
    named = {
        "TCP_KEEPIDLE": KEEP_ALIVE_IDLE_S,
        "TCP_KEEPALIVE": KEEP_ALIVE_IDLE_S,  # macOS' name for the same
        "TCP_KEEPINTVL": KEEP_ALIVE_EVERY_S,
        "TCP_KEEPCNT": KEEP_ALIVE_TRIES,
        "TCP_USER_TIMEOUT": unanswered_ms,
    }
    for name, value in named.items():
        if hasattr(socket, name):
            options.append((socket.IPPROTO_TCP, getattr(socket, name), value))
    if sys.platform == "darwin":
        options.append((socket.IPPROTO_TCP, DARWIN_RXT_CONNDROPTIME, unanswered_ms // 1000))
    for level, option, value in options:
        with contextlib.suppress(OSError):
            one.setsockopt(level, option, value)
