"""The end: the score sheet as in the box, each number with its story, charts, print, and the game for other programs.

Nothing of it exists before the game is over.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable
from typing import Any

from flask import Blueprint, Response, abort, current_app, jsonify, render_template, url_for
from werkzeug.wrappers import Response as Answer

from naqala import export
from naqala.dashboard import charts, viewers, words
from naqala.dashboard.language import N_, say
from naqala.dashboard.pages import table_scene
from naqala.dashboard.scene import qr
from naqala.dashboard.tables import session_of
from naqala.dashboard.taps import answer, number, seated_or_owner
from naqala.dashboard.view import everything_open
from naqala.rules import record as records
from naqala.rules.record import Record
from naqala.rules.scoring import CATEGORIES, Part, story, winners
from naqala.session.snapshot import LogLine, Snapshot

blueprint = Blueprint("end", __name__)

# The rows of the score sheet: name and picture.
ROWS: dict[str, tuple[str, str]] = {
    "gold": (N_("Gold"), "coin"),
    "viziers": (N_("Viziers"), "meeple-Y"),
    "elders": (N_("Elders"), "meeple-W"),
    "djinns": (N_("Djinns"), "lamp"),
    "tiles": (N_("Tiles"), "camel"),
    "palms": (N_("Palm trees"), "palm"),
    "palaces": (N_("Palaces"), "palace"),
    "goods": (N_("Goods"), "good-silk"),
}
MOST_REASONS = 6
A_DAY_S = 86_400


def record_of(snapshot: Snapshot) -> Record:
    """The game's record from the log: every action and undo, in order."""
    assert snapshot.opening is not None
    found = Record(snapshot.opening)
    for line in snapshot.log:
        if line.action is not None:
            found = records.append(found, line.action)
    return found


def play_of(snapshot: Snapshot) -> export.Play:
    """The finished game of a table, or 404."""
    if snapshot.game is None or snapshot.opening is None or not everything_open(snapshot):
        abort(404)
    times = [line.at_ms / 1000 for line in snapshot.log] or [0.0]
    began, ended = span(times[0], times[-1], snapshot.log)
    return export.Play(record_of(snapshot), snapshot.table, began, ended)


def span(began: float, ended: float, lines: Iterable[LogLine]) -> tuple[float, float]:
    """When a game began and ended. A clock that was set in between makes nonsense of the first: then it is told by how long
    the game took."""
    if 0 <= ended - began <= A_DAY_S:
        return began, ended
    return ended - charts.time_played(acted(lines)), ended


def reason(part: Part) -> str:
    """What a part of a number is for, in words: a tile, a djinn, a cause, a suit."""
    what = part.what
    if what == "at the start":
        return say("at the start")
    if what.endswith(" has fewer"):
        return say("%(name)s has fewer", name=what.removesuffix(" has fewer"))
    if what.endswith(" held"):
        return say("%(n)s held", n=what.removesuffix(" held"))
    if part.category == "goods":
        return words.listed(
            [say("any good") if one == "wild" else words.card(one) for one in what.split("+")]
        )
    return words.cause(what)


def moments(part: Part) -> list[str]:
    """When it came: causes and rounds."""
    found: dict[str, None] = {}
    for one in part.told:
        cause = getattr(one.event, "cause", "")
        amount = getattr(one.event, "amount", None)
        text = say("round %(n)s", n=one.round)
        if cause and cause != part.what:
            text += f", {words.cause(cause)}"
        if amount is not None:
            text += f" ({amount:+d})"
        found[text] = None
    return list(found)


def sheet_of(play: export.Play, names: Iterable[str]) -> list[dict[str, Any]]:
    """The rows of the sheet: a category with everybody's points and their parts."""
    told = tuple(play.record.told())
    opening, game = play.record.opening, play.record.game
    parts = {name: story(opening, game, told, name) for name in names}
    found = []
    for category in CATEGORIES:
        label, picture = ROWS[category]
        cells = []
        for one in play.scores:
            own = [part for part in parts[one.name] if part.category == category]
            stories = [
                {"what": reason(part), "points": part.points, "moments": moments(part)[-MOST_REASONS:]}
                for part in own
            ]
            cells.append({"name": one.name, "points": getattr(one, category), "story": stories})
        best = max(cell["points"] for cell in cells)
        found.append({"label": say(label), "picture": picture, "cells": cells, "best": best, "key": category})
    return found


def acted(lines: Iterable[LogLine]) -> list[tuple[float, str | None]]:
    """When somebody acted, and who: for the time per player."""
    return [
        (line.at_ms / 1000, getattr(line.action, "player", None))
        for line in lines
        if line.kind != "undo" and line.action is not None
    ]


def drawings(play: export.Play, lines: Iterable[LogLine]) -> dict[str, Any]:
    """The three charts."""
    taken = charts.time_per_player(acted(lines))
    seconds = {player.name: taken.get(player.name, 0.0) for player in play.record.opening.players}
    return {
        "score_chart": charts.chart(charts.over_rounds(play.record, "total")),
        "gold_chart": charts.chart(charts.over_rounds(play.record, "gold")),
        "time_chart": charts.bars(seconds) if sum(seconds.values()) >= 1 else (),
    }


def sheet_context(play: export.Play, lines: Iterable[LogLine]) -> dict[str, Any]:
    """What `end.html` needs, for the game just finished and for one of the past."""
    scores = play.scores
    link = export.bgstats_link(play)
    return {
        "rows": sheet_of(play, [one.name for one in scores]),
        "scores": scores,
        "winners": winners(scores),
        "began": play.began,
        "minutes": round((play.ended - play.began) / 60),
        "rounds": play.record.game.round,
        "bgstats_link": link,
        "bgstats_qr": qr(link),
        "play_id": play.id,
        **drawings(play, lines),
    }


@blueprint.get("/t/<table>/end")
def sheet(table: str) -> str:
    """The score sheet."""
    snapshot = session_of(table).snapshot
    play = play_of(snapshot)
    context = table_scene(snapshot, viewers.who(table))
    files = {name: url_for("end.file", table=table, name=name) for name in FILES}
    stream = url_for("stream.stream", table=table, page="end")
    told = sheet_context(play, snapshot.log) | veil(table)
    return render_template("end.html", files=files, stream=stream, veiled=True, **context, **told)


def veil(table: str) -> dict[str, object]:
    """How many rows of the sheet are open to everybody. It belongs to one game: the next one begins veiled."""
    snapshot = session_of(table).snapshot
    game = f"{table}-{snapshot.log[0].at_ms if snapshot.log else 0}"
    unveiled: dict[str, int] = current_app.extensions["naqala-unveiled"]
    return {"veil_of": game, "rows_open": unveiled.get(game, 0)}


@blueprint.post("/t/<table>/end/unveil")
def unveil(table: str) -> Answer:
    """Open the rows up to this one, for all who look; two who tap at once open one row."""
    seated_or_owner(table)
    play_of(session_of(table).snapshot)
    unveiled: dict[str, int] = current_app.extensions["naqala-unveiled"]
    game = str(veil(table)["veil_of"])
    now = unveiled.get(game, 0)
    unveiled[game] = min(max(now, number("open")), now + 1, len(CATEGORIES))
    viewers.seats().wake()
    return answer("", url_for("end.sheet", table=table))


def _csv(play: export.Play) -> Response:
    """With the mark by which spreadsheets know UTF-8."""
    return Response("\ufeff" + export.score_csv(play), mimetype="text/csv")


# The finished game as files.
FILES: dict[str, Callable[[export.Play], Response]] = {
    "score.csv": _csv,
    "score.json": lambda play: jsonify(export.score_json(play)),
    "game.json": lambda play: jsonify(export.game_json(play)),
    "record.txt": lambda play: Response(export.record(play), mimetype="text/plain"),
    "bgstats.json": lambda play: jsonify(export.bgstats(play)),
}


def exported(play: export.Play, name: str) -> Response:
    """One of the files, or 404."""
    if name not in FILES:
        abort(404)
    made = FILES[name](play)
    made.headers["Content-Disposition"] = f'attachment; filename="naqala-{play.id}-{name}"'
    return made


@blueprint.get("/t/<table>/end/<name>")
def file(table: str, name: str) -> Response:
    """The finished game for another program."""
    return exported(play_of(session_of(table).snapshot), name)
