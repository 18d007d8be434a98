"""How much one client may have of the server. Generous for a household behind one address, far from what the machine can bear.

All of it is per address; seats and the owner have an allowance of their own besides (see `rates`).
"""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class Limits:
    """Counts, bytes and seconds. Twenty phones with six connections each stay below all of them."""

    connections: int = 256  # of one address
    connections_in_all: int = 4096
    streams: int = 192  # of one address: fewer than connections, so that pages and taps always get in
    streams_of_a_browser: int = 24  # more tabs than anybody looks at
    pages_at_once: int = 6  # of one address, answered at the same time; more wait for their turn
    pages_waiting: int = 96  # of one address
    body_bytes: int = 64 * 1024
    header_bytes: int = 16 * 1024
    header_s: float = 8.0  # for the whole head of a request, and for an idle connection
    body_s: float = 10.0
    large_body_s: float = 900.0  # of an upload that the host may make
    handshake_s: float = 8.0
    write_s: float = 10.0  # a stream whose reader takes nothing for so long is dropped
    page_write_s: float = 60.0
    unanswered_ms: int = 9_000  # bytes that the other side's machine does not acknowledge


HOUSEHOLD = Limits()
