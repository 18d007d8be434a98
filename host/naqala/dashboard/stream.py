"""Server-sent events: whenever a table changes, the fragments of a page that changed, rendered by its own templates.

`/t/<table>/stream/<page>`: a message is a JSON object of fragments by id; the first one carries everything, so a phone that
was away is right again with one message. `/streams?of=<address>&of=<address>` carries several such streams over one connection,
for all tabs of a browser: its events have the same names, and the number of the stream stands before the data. `as=<word>` is a
browser's own random name for its connection: a new one replaces the old one of that name.

An answer here is only the beginning. Where the server can, it goes on with the `Live` feed without a thread (see `naqala.web`);
elsewhere the answer ends after the first state, and the browser asks again a second later.
"""

from __future__ import annotations

import asyncio
import re
from collections.abc import Callable, Iterator, Sequence
from contextlib import suppress
from typing import Protocol

from flask import Blueprint, Flask, Response, abort, current_app, request
from werkzeug.exceptions import HTTPException

from naqala.dashboard import language, viewers
from naqala.dashboard.channels import Channel, Hub, Key, Wake, hub
from naqala.dashboard.diagnostics import numbers
from naqala.dashboard.end import veil
from naqala.dashboard.laying import layout_scene
from naqala.dashboard.scene import FRAGMENTS, join_address
from naqala.dashboard.setup import enrolled, touched
from naqala.dashboard.tables import Session, session_of, setting
from naqala.dashboard.viewers import Viewer
from naqala.session.snapshot import OVER, PHONES, PLAY, SETUP, Snapshot
from naqala.web.feeds import IN_ENVIRON

blueprint = Blueprint("stream", __name__)
ALIVE_EVERY_S = 4.0  # after so much silence a sign of life
BEGIN = b"retry: 1000\n\n"
ALIVE = b"event: alive\ndata: \n\n"
MOST_PARTS = 24  # streams in one connection
FOR_OWNER = ("setup", "touch", "enrol", "diagnostics")
A_NAME = re.compile(r"[\w-]{16,64}")  # too long to be guessed
PARTS = "naqala-parts"  # endpoint of a stream -> what makes its part


def _held(table: str, viewer: Viewer) -> dict[str, object]:
    return {"names": viewer.names, "asking": dict(viewer.asking)}


def _laid(table: str, viewer: Viewer) -> dict[str, object]:
    return layout_scene(session_of(table).snapshot.layout)


# What the fragments of some pages need beside the scene.
EXTRAS: dict[str, Callable[[str, Viewer], dict[str, object]]] = {
    "diagnostics": lambda table, viewer: numbers(table),
    "touch": lambda table, viewer: touched(table),
    "enrol": lambda table, viewer: enrolled(table),
    "end": lambda table, viewer: veil(table),
    "join": _held,
    "layout": _laid,
    "screen": _laid,
    "virtual": _held,
    "together": _held,
}


class Part(Protocol):
    """One page's share of a stream: whole messages, ready to be sent, of the kind (event, data)."""

    def join(self, wake: Wake) -> None: ...

    def leave(self) -> None: ...

    def take(self) -> list[bytes]: ...


class PagePart:
    """The fragments of a page, and the way on to another page when this one is over."""

    def __init__(
        self, hub: Hub, session: Session, channel: Channel, host: str, still: Callable[[], bool], stage: str
    ) -> None:
        self._hub, self._session, self._channel, self._host = hub, session, channel, host
        self._still = still  # whether the seat is still this browser's
        self._place = 0
        self._stage = stage  # that the page shows
        self._led = ""  # where it was led last
        self._over = False

    def join(self, wake: Wake) -> None:
        self._hub.loop = asyncio.get_running_loop()
        self._hub.join(self._channel, self, wake)

    def leave(self) -> None:
        self._hub.leave(self._channel, self)

    def take(self) -> list[bytes]:
        if self._over:
            return []
        key, snapshot = self._channel.key, self._session.snapshot
        if key.page in ("seat", "together") and not self._still():
            self._over = True
            return [self._go("join")]
        found = []
        elsewhere = _elsewhere(key.page, self._stage, snapshot, key.viewer)
        if elsewhere and elsewhere != self._led:
            found.append(self._go(elsewhere))
        self._led, self._stage = elsewhere, snapshot.stage
        message, self._place = self._channel.after(self._place)
        if message:
            found.append(message)
        return found

    def _go(self, page: str) -> bytes:
        return f"event: go\ndata: {self._host}t/{self._channel.key.table}/{page}\n\n".encode()


class RefusedPart:
    """A page that this browser may not see, or not any more: the tab that asked is told."""

    def __init__(self, code: int) -> None:
        self._told = [f"event: refused\ndata: {code}\n\n".encode()]

    def join(self, wake: Wake) -> None:
        pass

    def leave(self) -> None:
        pass

    def take(self) -> list[bytes]:
        told, self._told = self._told, []
        return told


class Live:
    """An open stream. Its parts wake it from their threads; everything else happens in the server's event loop."""

    def __init__(self, parts: Sequence[Part], name: str, holder: str, numbered: bool) -> None:
        self.name, self.holder = name, holder
        self._parts, self._numbered = parts, numbered
        self._loop: asyncio.AbstractEventLoop | None = None
        self._awake = asyncio.Event()
        self._over = False
        self._begin = BEGIN

    async def next(self) -> bytes:
        """What is new since the last time, or a sign of life; empty at the end."""
        if self._loop is None:
            self._loop = asyncio.get_running_loop()
            for part in self._parts:
                part.join(self._wake)
        while not self._over:
            self._awake.clear()
            begin, self._begin = self._begin, b""
            if found := begin + b"".join(self.new()):
                return found
            try:
                async with asyncio.timeout(ALIVE_EVERY_S):
                    await self._awake.wait()
            except TimeoutError:
                return ALIVE
        return b""

    def end(self) -> None:
        """Finish; for the loop's thread."""
        if not self._over:
            self._over = True
            for part in self._parts:
                part.leave()
            self._awake.set()

    def _wake(self) -> None:
        if self._loop is None or self._awake.is_set():
            return
        if _running_loop() is self._loop:
            self._awake.set()
            return
        with suppress(RuntimeError):  # the server has ended
            self._loop.call_soon_threadsafe(self._awake.set)

    def new(self) -> list[bytes]:
        """The messages since the last time."""
        if not self._numbered:
            return [message for part in self._parts for message in part.take()]
        return [
            message.replace(b"data: ", b"data: %d " % number, 1)
            for number, part in enumerate(self._parts)
            for message in part.take()
        ]


def _running_loop() -> asyncio.AbstractEventLoop | None:
    """The loop that this very thread runs, if it does."""
    try:
        return asyncio.get_running_loop()
    except RuntimeError:
        return None


def feed(parts: Sequence[Part], numbered: bool = False) -> Response:
    """The answer that goes on as a stream."""
    name = request.args.get("as", "")
    live = Live(parts, name if A_NAME.fullmatch(name) else "", viewers.holder(), numbered)
    request.environ[IN_ENVIRON] = live

    def first() -> Iterator[bytes]:
        """For a server that takes no feeds, and for tests: the first state, message by message."""
        yield BEGIN
        yield from live.new()

    return Response(first(), mimetype="text/event-stream", headers={"X-Accel-Buffering": "no"})


def start(app: Flask) -> Hub:
    """Give the app its hub, and let it hear of every change that no session knows."""
    made = Hub(app, EXTRAS)
    app.extensions["naqala-hub"] = made
    app.extensions[PARTS] = {"stream.stream": page_part}
    app.extensions["naqala-seats"].changed = made.all_changed

    @app.after_request
    def look_again(response: Response) -> Response:
        """A tap may have changed what neither the session nor the seats tell: who is played by a robot, for example."""
        if request.method == "POST" and response.status_code < 400 and (request.view_args or {}).get("table"):
            made.changed(str((request.view_args or {})["table"]))
        return response

    return made


def close_streams(app: Flask) -> None:
    """Nothing is rendered any more: the server ends."""
    found: Hub = app.extensions["naqala-hub"]
    found.close()


def viewer_of(page: str, table: str) -> Viewer:
    """Who looks at this page. The screen never knows a secret; some pages are the owner's."""
    if page in FOR_OWNER and not viewers.is_owner():
        abort(403)
    if page in ("seat", "together"):
        viewer = viewers.who(table)
        if viewer.name is None:
            abort(403)
        return viewer
    if page == "layout":
        viewer = viewers.who(table)
        if viewer.name is None and not viewer.owner:
            abort(403)
        return viewer
    if page in ("join", "end"):
        return viewers.who(table)
    return viewers.screen()


def page_part(table: str, page: str) -> Part:
    """The part of one page for whoever asks now."""
    session_of(table)
    if page not in FRAGMENTS:
        abort(404)
    return part_for(table, page, viewer_of(page, table))


def part_for(table: str, page: str, viewer: Viewer) -> Part:
    """The part of a page as this viewer sees it."""
    address = join_address(table, setting("address"))
    key = Key(table, page, viewer, language.language_here(), language.wording_here(), address)
    session = session_of(table)
    # A page says at which stage it was made: the game may have ended before its stream began.
    stage = request.args.get("stage") or session.snapshot.stage
    return PagePart(hub(), session, hub().channel(key), request.host_url, _still(table, viewer), stage)


def _still(table: str, viewer: Viewer) -> Callable[[], bool]:
    """Whether this browser is still that viewer; looked up only after seats have changed."""
    app: Flask = current_app._get_current_object()  # type: ignore[attr-defined]
    seats, environ = viewers.seats(), dict(request.environ)
    checked = [seats.version, True]

    def still() -> bool:
        if seats.version != checked[0]:
            version = seats.version
            with app.request_context(dict(environ)):
                checked[:] = [version, viewers.who(table) == viewer]
        return bool(checked[1])

    return still


@blueprint.get("/t/<table>/stream/<page>")
def stream(table: str, page: str) -> Response:
    """The changes of a page, until the viewer goes away."""
    return feed([page_part(table, page)])


@blueprint.get("/streams")
def streams() -> Response:
    """Several streams in one."""
    wanted = request.args.getlist("of")
    if not 0 < len(wanted) <= MOST_PARTS:
        abort(400)
    return feed([_part_at(address) for address in wanted], numbered=True)


def _part_at(address: str) -> Part:
    """The part of a stream's own address, with the rights that this browser has there."""
    app: Flask = current_app._get_current_object()  # type: ignore[attr-defined]
    path, _, query = address.partition("?")
    environ = {**request.environ, "PATH_INFO": path, "QUERY_STRING": query}
    environ.pop("werkzeug.request", None)
    try:
        with app.request_context(environ) as context:
            if context.request.routing_exception is not None:
                raise context.request.routing_exception
            make: Callable[..., Part] | None = app.extensions[PARTS].get(context.request.endpoint)
            if make is None:
                abort(404)
            return make(**(context.request.view_args or {}))
    except HTTPException as refused:
        return RefusedPart(refused.code or 500)


def _elsewhere(page: str, before: str, snapshot: Snapshot, viewer: Viewer) -> str:
    """The page a phone goes to by itself: from its seat to the score sheet, and back when somebody asks to take back a last turn
    or the game was taken up again; to the names when another game is played without its own."""
    if page == "seat" and snapshot.seats and viewer.name not in [seat.name for seat in snapshot.seats]:
        return "join"
    if page == "together" and snapshot.game is not None and snapshot.stage == PLAY:
        turn = snapshot.game.turn.player
        return "together" if turn in viewer.names and turn != viewer.name else ""
    if page in ("seat", "together") and snapshot.stage == OVER != before:
        return "end"
    if page == "layout" and snapshot.stage == PLAY != before:
        return "seat" if viewer.name else ""
    if page == "seat" and snapshot.evidence == PHONES and snapshot.stage == SETUP != before:
        return "layout"
    asked = snapshot.asked.waiting_for if snapshot.asked else ()
    taken_up = before == OVER and snapshot.stage == PLAY
    return "seat" if page == "end" and viewer.name and (viewer.name in asked or taken_up) else ""
