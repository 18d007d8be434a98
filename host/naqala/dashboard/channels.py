"""Channels: one page as one kind of viewer sees it, in one language. It is rendered once, however many look at it.

A change of a table's snapshot, or of what only the dashboard knows (seats, rows of the score sheet), marks the table; soon after,
the channels that somebody looks at are rendered, each table under its own lock, and their streams are woken. Changes that come
meanwhile are rendered together. Nothing polls.

    hub = Hub(app)
    channel = hub.channel(Key("oak", "screen", THE_SCREEN, "en", "fakir", address))
    hub.join(channel, who, wake)             # wake() is called when there is something new, by whoever rendered it
    message, place = channel.after(place)    # the bytes that lead from that place to the newest
"""

from __future__ import annotations

import asyncio
import json
import logging
import threading
import time
from collections.abc import Callable, Iterator
from concurrent.futures import ThreadPoolExecutor
from contextlib import contextmanager
from dataclasses import dataclass, fields
from itertools import groupby
from typing import Any

from flask import Flask, current_app, g
from flask_babel import get_locale
from werkzeug.test import EnvironBuilder

from naqala.dashboard import viewers
from naqala.dashboard.keeping import Made, Page
from naqala.dashboard.tables import Session
from naqala.dashboard.view import health
from naqala.dashboard.viewers import Sitting, Viewer
from naqala.session.snapshot import Snapshot

# A table is rendered where it is sent, in the server's event loop: a page takes less than a millisecond, and another thread would
# cost more than that on a busy machine. Where it takes longer, or reads from the disk, one of these threads does it.
RENDERERS = 2
SLOW_S = 0.02
FROM_DISK = ("diagnostics",)
AGEING_S = 1.0  # pages that show the age of things are made again so often while somebody looks
AGEING = ("diagnostics", "touch")
# Pages that show of the link and the readers no more than the dot of health.
QUIET_PARTS = frozenset(("version", "link", "readers", "tuning"))
SHOWN = tuple(one.name for one in fields(Snapshot) if one.name not in QUIET_PARTS)
IN_DETAIL = ("diagnostics", "touch", "enrol", "setup")
LEADS_ON = ("seat", "end")  # pages whose stream may lead elsewhere although it shows nothing new
MOST_KEPT = 64  # channels of a table that nobody looks at just now: their viewers may be on the way back

log = logging.getLogger(__name__)
Extras = Callable[[str, Viewer], dict[str, object]]
Wake = Callable[[], None]


@dataclass(frozen=True, slots=True)
class Key:
    """Whoever agrees in all of this sees the same."""

    table: str
    page: str
    viewer: Viewer
    language: str
    wording: str
    address: str  # where phones join


class State:
    """The fragments after so many changes, and the message that leads there from the state before. It never changes, so the
    streams may read it while the next one is made."""

    def __init__(self, number: int, version: int, fragments: dict[str, str], changed: dict[str, str]) -> None:
        self.number = number
        self._version, self._fragments = version, fragments
        self.step = _message(version, changed)
        self._whole = b""

    @property
    def fragments(self) -> dict[str, str]:
        return self._fragments

    def whole(self) -> bytes:
        """The message with everything."""
        if not self._whole:
            self._whole = _message(self._version, self._fragments)
        return self._whole


class Channel:
    """One page of one kind of viewer: its newest state, and who listens."""

    def __init__(self, key: Key, others: Made) -> None:
        self.key = key
        self.state = State(0, 0, {}, {})
        self.listening: dict[object, Wake] = {}
        self._page = Page(key.page, key.viewer, others)
        self._made_of: tuple[Snapshot, Sitting, dict[str, object]] | None = None
        self.made_at: tuple[int, int] = (-1, -1)  # versions of the snapshot and of the seats

    def render(self, snapshot: Snapshot, sitting: Sitting, extras: dict[str, object]) -> bool:
        """Make what has changed; whether anything has. For the holder of the table's lock."""
        made_of = self._made_of
        if made_of and made_of[1:] == (sitting, extras) and not self._differs(made_of[0], snapshot):
            return False
        fresh = self._page.fragments(snapshot, sitting, self.key.address, extras)
        self._made_of = (snapshot, sitting, extras)
        changed = {name: html for name, html in fresh.items() if self.state.fragments.get(name) != html}
        if changed:
            self.state = State(self.state.number + 1, snapshot.version, fresh, changed)
        return bool(changed)

    def after(self, place: int) -> tuple[bytes, int]:
        """What leads from this place to the newest, and the newest place. Who is further behind gets everything."""
        state = self.state
        if place == state.number:
            return b"", place
        return (state.step if 0 < place == state.number - 1 else state.whole()), state.number

    def _differs(self, before: Snapshot, now: Snapshot) -> bool:
        """Whether this page could show any difference."""
        if before is now:
            return False
        if self.key.page in IN_DETAIL:
            return True
        if any(getattr(before, name) is not getattr(now, name) for name in SHOWN):
            return True
        return health(before) != health(now)


def _message(version: int, fragments: dict[str, str]) -> bytes:
    return f"id: {version}\ndata: {json.dumps(fragments)}\n\n".encode()


class Watched:
    """One table with its channels."""

    def __init__(self, session: Session) -> None:
        self.session = session
        self.lock = threading.Lock()  # of rendering
        self.channels: dict[Key, Channel] = {}
        self.made: dict[
            tuple[str, str], Made
        ] = {}  # by language and wording: what all kinds of viewers share
        self.queued = False
        self.slow = False  # the last time took so long that others would have had to wait


class Hub:
    """All tables' channels, and the threads that render them."""

    def __init__(self, app: Flask, extras: dict[str, Extras]) -> None:
        self._app, self._extras = app, extras
        self._tables: dict[str, Watched] = {}
        self._lock = threading.Lock()  # of the two dictionaries; never held while something is rendered
        self._threads = ThreadPoolExecutor(RENDERERS, "naqala-render")
        self._ageing: threading.Timer | None = None
        self.loop: asyncio.AbstractEventLoop | None = None  # the server's, once a stream is open
        self.closing = False
        # Addresses in fragments have no host in them: any request will do.
        self._environ = EnvironBuilder("/", "http://localhost").get_environ()

    def channel(self, key: Key) -> Channel:
        """The channel, rendered and fresh. For a request's thread."""
        watched = self._watched(key.table)
        with self._lock:
            others = watched.made.setdefault((key.language, key.wording), {})
            channel = watched.channels.pop(key, None) or Channel(key, others)
            watched.channels[key] = channel
            if len(watched.channels) > MOST_KEPT:
                self._forget(watched)
        with self._speaking(key.language, key.wording), watched.lock:
            self._render(watched, channel)
        return channel

    def join(self, channel: Channel, who: object, wake: Wake) -> None:
        """Let `wake` be called after every change, by whoever rendered it, until `leave`."""
        with self._lock:
            channel.listening[who] = wake
            watched = self._tables[channel.key.table]
            watched.channels[channel.key] = channel
        if channel.made_at != self._now(watched):  # it changed before anybody listened
            self.changed(channel.key.table)
        if channel.key.page in AGEING:
            self._grow_old()

    def leave(self, channel: Channel, who: object) -> None:
        with self._lock:
            channel.listening.pop(who, None)

    def changed(self, table: str) -> None:
        """Something about this table may have changed: render what is looked at, soon. For any thread; does not wait."""
        with self._lock:
            watched = self._tables.get(table)
            if watched is None or watched.queued or self.closing:
                return
            watched.queued = True
            if (
                self.loop is None
                or watched.slow
                or any(one.listening and one.key.page in FROM_DISK for one in watched.channels.values())
            ):
                self._threads.submit(self._refresh, watched)
                return
        try:
            self.loop.call_soon_threadsafe(self._refresh, watched)
        except RuntimeError:  # the server has ended
            watched.queued = False

    def all_changed(self) -> None:
        """Something of the dashboard's own has changed."""
        for table in list(self._tables):
            self.changed(table)

    def close(self) -> None:
        """No further rendering."""
        with self._lock:
            self.closing = True
        if self._ageing is not None:
            self._ageing.cancel()
        self._threads.shutdown(wait=False, cancel_futures=True)

    # --- inside -----------------------------------------------------------------------------------------------

    def _watched(self, table: str) -> Watched:
        with self._lock:
            if table in self._tables:
                return self._tables[table]
            session: Session = self._app.extensions["naqala-sessions"][table]
            made = self._tables[table] = Watched(session)
        session.listen(lambda: self.changed(table))
        return made

    def _forget(self, watched: Watched) -> None:
        """The channel that nobody has looked at for longest."""
        idle = next((key for key, one in watched.channels.items() if not one.listening), None)
        if idle is not None:
            del watched.channels[idle]

    def _refresh(self, watched: Watched) -> None:
        """Render what is looked at. In the event loop the streams are served when all of a table is ready: a viewer that is woken
        in between would take the processor from those who wait."""
        watched.queued = (
            False  # before the snapshot is taken: a change after this is rendered by the next round
        )
        began = time.monotonic()
        with self._lock:
            looked_at = [one for one in watched.channels.values() if one.listening]
        looked_at.sort(key=_words)
        for words, channels in groupby(looked_at, key=_words):
            with self._speaking(*words):
                for channel in channels:
                    self._renew(watched, channel)
        watched.slow = time.monotonic() - began > SLOW_S

    def _renew(self, watched: Watched, channel: Channel) -> None:
        try:
            with watched.lock:
                fresh = self._render(watched, channel)
        except Exception:  # the other pages go on, and this one is tried again at the next change
            log.exception("page '%s' of table '%s' was not rendered", channel.key.page, channel.key.table)
            return
        if fresh or channel.key.page in LEADS_ON:
            with self._lock:
                wakes = list(channel.listening.values())
            for wake in wakes:
                wake()

    @contextmanager
    def _speaking(self, language: str, wording: str) -> Iterator[None]:
        """A request of somebody who reads these words, for the templates."""
        with self._app.request_context(dict(self._environ)):
            g.table_language = language
            g.language_here, g.wording_here = language, wording
            get_locale()  # settles the language of dates for this context
            yield

    def _render(self, watched: Watched, channel: Channel) -> bool:
        """For the holder of the table's lock, while these words are spoken."""
        key = channel.key
        channel.made_at = self._now(watched)
        extras = self._extras[key.page](key.table, key.viewer) if key.page in self._extras else {}
        return channel.render(watched.session.snapshot, viewers.sitting(key.table), extras)

    def _now(self, watched: Watched) -> tuple[int, int]:
        return watched.session.snapshot.version, self._app.extensions["naqala-seats"].version

    def _grow_old(self) -> None:
        """While somebody looks at ages, they are made again every second."""
        if self._ageing is not None and self._ageing.is_alive():
            return
        self._ageing = threading.Timer(AGEING_S, self._aged)
        self._ageing.daemon = True
        self._ageing.start()

    def _aged(self) -> None:
        with self._lock:
            old = {
                table
                for table, watched in self._tables.items()
                if any(one.listening and one.key.page in AGEING for one in watched.channels.values())
            }
        self._ageing = None
        for table in old:
            self.changed(table)
        if old and not self.closing:
            self._grow_old()


def _words(channel: Channel) -> tuple[str, str]:
    return channel.key.language, channel.key.wording


def hub() -> Hub:
    """The app's hub."""
    found: Any = current_app.extensions["naqala-hub"]
    assert isinstance(found, Hub)
    return found
