"""Laying out a board without readers: /t/<table>/layout, for the host and everybody with a seat, all at once.

A brush is chosen (a kind of tile, a tribe, the eraser), then places are tapped; each tap is one stroke for the session, which
keeps it and shows it to all. Or the companion deals and people check off row by row. What may be painted is the session's
answer; here are only the words and the picture.
"""

from __future__ import annotations

from flask import Blueprint, redirect, render_template, request, url_for
from werkzeug.wrappers import Response

from naqala.dashboard import viewers
from naqala.dashboard.language import say
from naqala.dashboard.laying import layout_scene
from naqala.dashboard.pages import table_scene
from naqala.dashboard.tables import session_of
from naqala.dashboard.taps import answer, seated_or_owner, tell
from naqala.rules.board import NUMBER, ROWS
from naqala.session import commands as c
from naqala.session.layout import WAYS
from naqala.session.phone_commands import Stroke, TakeBack
from naqala.session.snapshot import PHONES, SETUP

blueprint = Blueprint("layout", __name__)
STROKES = frozenset({"tile", "meeple", "clear", "take", "done", *WAYS})


@blueprint.get("/t/<table>/layout")
def page(table: str) -> Response | str:
    """The board to be painted, or the one that was dealt."""
    snapshot = session_of(table).snapshot
    viewer = viewers.who(table)
    if viewer.name is None and not viewer.owner:
        return redirect(url_for("pages.join", table=table), 302)
    if snapshot.stage != SETUP or snapshot.evidence != PHONES:
        return redirect(url_for("pages.seat" if viewer.name else "pages.screen", table=table), 302)
    context = table_scene(snapshot, viewer)
    return render_template(
        "laying.html",
        stream=url_for("stream.stream", table=table, page="layout", seat=viewer.name),
        stroke_address=url_for("layout.stroke", table=table),
        names=viewer.names,
        **context,
        **layout_scene(snapshot.layout),
    )


@blueprint.post("/t/<table>/layout/stroke")
def stroke(table: str) -> Response:
    """One stroke: `brush` is what and `at` is where ("tile village_5", "A1")."""
    session_of(table)
    by = seated_or_owner(table)
    do, _, what = request.values.get("brush", "").partition(" ")
    at = request.values.get("at", "-")
    if do not in STROKES or (at != "-" and at not in NUMBER and at not in tuple(ROWS)) or len(what) > 32:
        return answer(
            say("Choose a tile or a tribe first, then tap a place."), url_for("layout.page", table=table)
        )
    return tell(table, Stroke(by, do, at, what or "-"), url_for("layout.page", table=table))


@blueprint.post("/t/<table>/layout/undo")
def undo(table: str) -> Response:
    """One's own last stroke."""
    session_of(table)
    return tell(table, TakeBack(seated_or_owner(table)), url_for("layout.page", table=table))


@blueprint.post("/t/<table>/layout/begin")
def begin(table: str) -> Response:
    """Everything lies: anybody who plays may begin."""
    snapshot = session_of(table).snapshot
    by = seated_or_owner(table)
    go = url_for("pages.seat" if by != c.OWNER else "pages.screen", table=table)
    return tell(table, c.Begin(by, snapshot.step, True), go, follow=True)
