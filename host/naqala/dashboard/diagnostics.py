"""Diagnostics for the owner: each reader and the link in numbers, raw lines live, and the transcript to take along."""

from __future__ import annotations

from flask import Blueprint, Response, render_template, url_for

from naqala.dashboard import viewers
from naqala.dashboard.pages import table_scene
from naqala.dashboard.tables import session_of, setting
from naqala.dashboard.taps import owner_only
from naqala.journal import Journal
from naqala.rules import position

blueprint = Blueprint("diagnostics", __name__)
RAW_LINES = 60


def raw_lines(table: str) -> list[str]:
    """What the table recorded in its newest game, as lines of a transcript."""
    session_of(table)
    journal: Journal | None = setting("journal")
    games = journal.games(table) if journal is not None else ()
    if journal is None or not games:
        return []
    lines = journal.lines(games[-1].id)
    return [f"@{line.at_ms - lines[0].at_ms} {line.text}" for line in lines]


def transcript_lines(table: str) -> list[str]:
    """The whole transcript: where it began, which reader lies under which tile, what each tag is, what was seen.

    An opening is public, and taps are not among the lines, for they may name cards that were drawn.
    """
    snapshot = session_of(table).snapshot
    found = ["naqala-transcript 1"]
    if snapshot.opening is not None:
        found.append(f"position {position.to_text(snapshot.opening)}")
    if snapshot.sight is not None:
        found += [f"reader {reader} {tile}" for reader, tile in sorted(snapshot.sight.readers.items())]
        found += [f"tag {tag} {piece}" for tag, piece in sorted(snapshot.sight.tags.items())]
    return found + raw_lines(table)


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
    text = "\n".join(transcript_lines(table)) + "\n"
    headers = {"Content-Disposition": 'attachment; filename="naqala-transcript.txt"'}
    return Response(text, mimetype="text/plain", headers=headers)
