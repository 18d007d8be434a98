"""Diagnostics for the owner: each reader and the link in numbers, raw lines live, and the transcript to take along."""

from __future__ import annotations

from flask import Blueprint, Response, abort, render_template, url_for

from naqala.dashboard import viewers
from naqala.dashboard.pages import table_scene
from naqala.dashboard.tables import session_of, setting
from naqala.dashboard.taps import owner_only
from naqala.dashboard.view import everything_open

blueprint = Blueprint("diagnostics", __name__)
RAW_LINES = 60


def raw_lines(table: str) -> list[str]:
    """The last lines of the transcript; taps are left out while there are secrets, for they may name drawn cards."""
    transcripts = setting("transcripts")
    if transcripts is None:
        return []
    snapshot = session_of(table).snapshot
    hidden = snapshot.game is not None and not everything_open(snapshot)
    return [line for line in transcripts(table) if not (hidden and " tap " in line)]


@blueprint.get("/t/<table>/diagnostics")
def diagnostics(table: str) -> str:
    """Readers, link, raw lines."""
    snapshot = session_of(table).snapshot
    owner_only(viewers.who(table))
    context = table_scene(snapshot, viewers.screen(table))
    stream = url_for("stream.stream", table=table, page="diagnostics")
    return render_template("diagnostics.html", stream=stream, **context, **numbers(table))


def numbers(table: str) -> dict[str, object]:
    """What the fragments of this page need beside the scene."""
    snapshot = session_of(table).snapshot
    return {"readers": snapshot.readers, "link": snapshot.link, "raw": raw_lines(table)[-RAW_LINES:]}


@blueprint.get("/t/<table>/transcript.txt")
def transcript(table: str) -> Response:
    """What the table recorded, for a bug report."""
    session_of(table)
    owner_only(viewers.who(table))
    if setting("transcripts") is None:
        abort(404)
    text = "\n".join(raw_lines(table)) + "\n"
    headers = {"Content-Disposition": 'attachment; filename="naqala-transcript.txt"'}
    return Response(text, mimetype="text/plain", headers=headers)
