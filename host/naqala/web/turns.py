"""Turns: of one address only a few pages are made at the same time, so a flood leaves threads for everybody else."""

from __future__ import annotations

import asyncio
from collections import deque
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager


class TooMany(Exception):
    """So many wait already that one more would only wait in vain."""


class Turns:
    """First come, first served, for each address by itself. For one event loop."""

    def __init__(self, at_once: int, waiting: int) -> None:
        self._at_once, self._most_waiting = at_once, waiting
        self._running: dict[str, int] = {}
        self._waiting: dict[str, deque[asyncio.Future[None]]] = {}

    @asynccontextmanager
    async def turn(self, address: str) -> AsyncIterator[None]:
        """Wait for a turn. Raises TooMany."""
        if self._running.get(address, 0) >= self._at_once:
            await self._wait(address)
        else:
            self._running[address] = self._running.get(address, 0) + 1
        try:
            yield
        finally:
            self._pass_on(address)

    async def _wait(self, address: str) -> None:
        waiting = self._waiting.setdefault(address, deque())
        if len(waiting) >= self._most_waiting:
            raise TooMany
        mine: asyncio.Future[None] = asyncio.get_running_loop().create_future()
        waiting.append(mine)
        try:
            await mine
        except asyncio.CancelledError:
            if mine.done() and not mine.cancelled():
                self._pass_on(address)  # the turn came in the moment in which nobody wanted it any more
            raise

    def _pass_on(self, address: str) -> None:
        """Give the turn to the next who waits, or give it back."""
        waiting = self._waiting.get(address, deque())
        while waiting:
            following = waiting.popleft()
            if not following.done():
                following.set_result(None)
                return
        self._waiting.pop(address, None)
        self._running[address] -= 1
        if not self._running[address]:
            del self._running[address]
