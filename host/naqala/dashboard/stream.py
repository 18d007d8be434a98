"""Server-sent events: whenever a table changes, the fragments of a page that changed, rendered by its own templates.

`/t/<table>/stream/<page>`. A message is a JSON object of fragments by id. The first one carries everything, so a phone
that was away is right again with one message. Equal viewers share one rendering.
"""

from __future__ import annotations

import json
import threading
from collections import OrderedDict
from collections.abc import Callable, Iterator
from typing import Any

from flask import Blueprint, Flask, Response, abort, current_app, request, stream_with_context

from naqala.dashboard import language, viewers
from naqala.dashboard.diagnostics import numbers
from naqala.dashboard.end import veil
from naqala.dashboard.keeping import Page
from naqala.dashboard.pages import held
from naqala.dashboard.scene import FRAGMENTS, join_address
from naqala.dashboard.setup import enrolled, touched
from naqala.dashboard.tables import Session, session_of, setting
from naqala.dashboard.viewers import Viewer
from naqala.session.snapshot import OVER, PLAY, Snapshot

blueprint = Blueprint("stream", __name__)
LOOK_EVERY = 1.0  # seconds until a stream looks up by itself: seats are taken without the session knowing
QUICK: dict[str, float] = {"end": 0.2}  # pages that live from what the session does not know
ALIVE_EVERY = 4  # looks between two signs of life
MOST_STREAMS = 80  # fewer than the server has threads: pages and taps need some, too
MOST_KEPT = 32  # renderings that others may share
MOST_PAGES = 128  # pages whose last state is remembered
FOR_OWNER = ("setup", "touch", "enrol", "diagnostics")


class Renderings:
    """The newest renderings, so that sixty screens cost one."""

    def __init__(self) -> None:
        self._kept: OrderedDict[Any, dict[str, str]] = OrderedDict()
        self._pages: OrderedDict[Any, Page] = OrderedDict()
        self._lock = threading.Lock()
        self.open_streams = 0
        self.closing = False

    def of(
        self,
        version: Any,
        who: tuple[str, str, Viewer, str, str, str],
        make: Callable[[Page], dict[str, str]],
    ) -> dict[str, str]:
        """What `who` sees at this version, made when it is new. One at a time: the others wait and share it."""
        with self._lock:
            key = (version, who)
            if key not in self._kept:
                page = self._pages.pop(who, None) or Page(who[1], who[2])
                self._kept[key] = make(page)
                self._pages[who] = page
                if len(self._kept) > MOST_KEPT:
                    self._kept.popitem(last=False)
                if len(self._pages) > MOST_PAGES:
                    self._pages.popitem(last=False)
            return self._kept[key]


def _nothing(table: str) -> dict[str, object]:
    return {}


# What the fragments of some pages need beside the scene.
EXTRAS = {
    "diagnostics": numbers,
    "touch": touched,
    "enrol": enrolled,
    "join": held,
    "virtual": held,
    "end": veil,
}


def page_fragments(page: str, snapshot: Snapshot, viewer: Viewer) -> dict[str, str]:
    """The fragments of a page for a viewer, shared by all who see the same."""
    seats, sitting = viewers.seats(), viewers.sitting(snapshot.table)
    address = join_address(snapshot.table, setting("address"))
    who = (snapshot.table, page, viewer, language.language_here(), language.wording_here(), address)

    def make(kept: Page) -> dict[str, str]:
        extras = EXTRAS.get(page, _nothing)(snapshot.table)
        return kept.fragments(snapshot, sitting, address, extras)

    if page == "diagnostics":  # raw lines come without a new snapshot
        return make(Page(page, viewer))

    renderings: Renderings = current_app.extensions["naqala-renderings"]
    return renderings.of((snapshot.version, seats.version, sitting), who, make)


def news(page: str, snapshot: Snapshot, viewer: Viewer, sent: dict[str, str]) -> str:
    """The message with the fragments that differ from what was sent, and are sent with it; empty when there are none."""
    fresh = page_fragments(page, snapshot, viewer)
    changed = {name: html for name, html in fresh.items() if sent.get(name) != html}
    sent |= changed
    return f"id: {snapshot.version}\ndata: {json.dumps(changed)}\n\n" if changed else ""


def closing(app: Flask) -> bool:
    """Whether every stream is to end."""
    renderings: Renderings = app.extensions["naqala-renderings"]
    return renderings.closing


def close_streams(app: Flask) -> None:
    """Let every stream end within a second, so that a server can be closed."""
    renderings: Renderings = app.extensions["naqala-renderings"]
    renderings.closing = True


def viewer_of(page: str, table: str) -> Viewer:
    """Who looks at this page. The screen never knows a secret; some pages are the owner's."""
    if page in FOR_OWNER and not viewers.is_owner():
        abort(403)
    if page == "seat":
        viewer = viewers.who(table)
        if viewer.name is None:
            abort(403)
        return viewer
    if page in ("join", "end"):
        return viewers.who(table)
    return viewers.screen()


@blueprint.get("/t/<table>/stream/<page>")
def stream(table: str, page: str) -> Response:
    """The changes of a page, until the viewer goes away."""
    session = session_of(table)
    if page not in FRAGMENTS:
        abort(404)
    viewer = viewer_of(page, table)
    renderings: Renderings = current_app.extensions["naqala-renderings"]
    if renderings.open_streams >= MOST_STREAMS:
        abort(503)
    lines = stream_with_context(_messages(session, page, viewer, renderings))
    headers = {"X-Accel-Buffering": "no"}
    return Response(lines, mimetype="text/event-stream", headers=headers)


def _elsewhere(page: str, before: str, snapshot: Snapshot, viewer: Viewer) -> str:
    """The page a phone goes to by itself: from its seat to the score sheet, and back when somebody asks to take back a last turn
    or the game was taken up again; to the names when another game is played without its own."""
    if page == "seat" and snapshot.seats and viewer.name not in [seat.name for seat in snapshot.seats]:
        return "join"
    if page == "seat" and snapshot.stage == OVER != before:
        return "end"
    asked = snapshot.undo_asked.waiting_for if snapshot.undo_asked else ()
    taken_up = before == OVER and snapshot.stage == PLAY
    return "seat" if page == "end" and viewer.name and (viewer.name in asked or taken_up) else ""


def _messages(session: Session, page: str, viewer: Viewer, renderings: Renderings) -> Iterator[str]:
    renderings.open_streams += 1
    try:
        yield "retry: 1000\n\n"
        sent: dict[str, str] = {}
        version, looks, stage = -1, 0, session.snapshot.stage
        while not renderings.closing:
            snapshot = session.wait(version, QUICK.get(page, LOOK_EVERY)) if sent else session.snapshot
            if page == "seat" and viewers.who(snapshot.table) != viewer:
                yield f"event: go\ndata: {request.host_url}t/{snapshot.table}/join\n\n"
                return
            elsewhere = _elsewhere(page, stage, snapshot, viewer)
            if elsewhere:
                yield f"event: go\ndata: {request.host_url}t/{snapshot.table}/{elsewhere}\n\n"
            version, stage = snapshot.version, snapshot.stage
            message = news(page, snapshot, viewer, sent)
            looks = 0 if message else looks + 1
            if message:
                yield message
            elif looks % ALIVE_EVERY == 0:
                yield "event: alive\ndata: \n\n"
    finally:
        renderings.open_streams -= 1
