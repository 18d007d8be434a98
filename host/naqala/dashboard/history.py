"""Finished games: the list, a replay with a slider through every action, and statistics per player.

Only games that have ended are here; while one is played, its past belongs to the table.
"""

from __future__ import annotations

from collections.abc import Mapping
from functools import lru_cache
from typing import Any

from flask import Blueprint, Response, abort, current_app, jsonify, render_template, request, url_for

from naqala import export
from naqala.dashboard import story, viewers
from naqala.dashboard.charts import time_per_player
from naqala.dashboard.end import FILES, ROWS, acted, exported, sheet_context
from naqala.dashboard.language import say
from naqala.dashboard.pages import table_scene
from naqala.dashboard.scene import scene
from naqala.dashboard.tables import session_of, setting
from naqala.dashboard.view import show
from naqala.journal import Journal
from naqala.rules.scoring import CATEGORIES, Score, score, winners
from naqala.session.chronicle import Chronicle, retold
from naqala.session.opening import settings
from naqala.session.snapshot import OVER, Snapshot

blueprint = Blueprint("history", __name__)
REPLAYED = ("board", "tracks", "holdings", "cards", "replay-line")


class Archive:
    """What ended games tell. They never change, so each is told once; the stories asked for last are kept."""

    def __init__(self, journal: Journal | None) -> None:
        self._journal = journal
        self.told = lru_cache(maxsize=16)(self._told)
        self.result = lru_cache(maxsize=4096)(self._result)

    def _told(self, game_id: int) -> Chronicle:
        assert self._journal is not None
        return retold(self._journal.game(game_id).opening, self._journal.entries(game_id))

    def _result(self, game_id: int) -> tuple[tuple[Score, ...], Mapping[str, float]]:
        """The scores, and the seconds each player took."""
        past = self.told(game_id)
        return score(past.game), time_per_player(acted(past.log))


def archive() -> Archive:
    """The app's."""
    found: Archive = current_app.extensions["naqala-archive"]
    return found


def _ended(table: str) -> list[Any]:
    """The journal's ended games of a table, newest first."""
    journal = setting("journal")
    found = [] if journal is None else [game for game in journal.games(table) if game.ended_ms is not None]
    return found[::-1]


def _past(table: str, game_id: int) -> tuple[Any, Chronicle]:
    """An ended game and its story, or 404."""
    session_of(table)
    game = next((one for one in _ended(table) if one.id == game_id), None)
    if game is None:
        abort(404)
    return game, archive().told(game_id)


def _play(game: Any, past: Chronicle) -> export.Play:
    return export.Play(past.record, game.table, game.at_ms / 1000, (game.ended_ms or game.at_ms) / 1000)


def _snapshot(game: Any, past: Chronicle, step: int) -> Snapshot:
    """The game as it stood after a step, open to all, with the colours it was played with."""
    return Snapshot(
        game.table,
        stage=OVER,
        opening=past.record.opening,
        game=past.record.at(step),
        log=past.log,
        **settings(game.opening),
    )


@blueprint.get("/t/<table>/history")
def games(table: str) -> str:
    """Finished games and what players made of them."""
    context = table_scene(session_of(table).snapshot, viewers.who(table))
    rows: list[dict[str, Any]] = []
    people: dict[str, dict[str, Any]] = {}
    for game in _ended(table):
        scores, thought = archive().result(game.id)
        best = winners(scores) if game.how == "finished" else ()
        rows.append(
            {"id": game.id, "at": game.ended_ms / 1000, "how": game.how, "scores": scores, "winners": best}
        )
        if game.how == "finished":
            _count(people, scores, best, (game.ended_ms - game.at_ms) / 60_000, thought)
    categories = [(key, say(label), picture) for key, (label, picture) in ROWS.items()]
    return render_template("history.html", rows=rows, people=people, categories=categories, **context)


def _count(
    people: dict[str, dict[str, Any]],
    scores: tuple[Score, ...],
    best: tuple[str, ...],
    minutes: float,
    thought: Mapping[str, float],
) -> None:
    """Add a game to the statistics of its players."""
    for one in scores:
        nothing = {"games": 0, "wins": 0, "best": 0, "points": 0, "minutes": 0.0, "thought": 0.0}
        row = people.setdefault(one.name, {**nothing, "each": dict.fromkeys(CATEGORIES, 0)})
        row["games"] += 1
        row["wins"] += one.name in best
        row["best"] = max(row["best"], one.total)
        row["points"] += one.total
        row["minutes"] += minutes
        row["thought"] += thought.get(one.name, 0.0) / 60
        for category in CATEGORIES:
            row["each"][category] += getattr(one, category)


@blueprint.get("/t/<table>/history/<int:game_id>")
def replay(table: str, game_id: int) -> Response | str:
    """A game of the past, step by step. The slider asks for JSON, a page without script for ?step=."""
    game, past = _past(table, game_id)
    last = len(past.record.steps)
    text = request.args.get("step", "0")
    step = min(int(text), last) if text.isascii() and text.isdigit() and len(text) < 6 else 0
    context = scene(show(_snapshot(game, past, step), viewers.THE_SCREEN))
    lines = {line["number"]: line for line in context["log"]}
    said = story.tell(lines[past.lines[step - 1]]) if step else ""
    context |= {"at_step": step, "last": last, "step_said": said, "game_id": game_id, "free_seats": []}
    if request.accept_mimetypes.best == "application/json":
        return jsonify({name: render_template(f"fragments/{name}.html", **context) for name in REPLAYED})
    return render_template("replay.html", **context)


@blueprint.get("/t/<table>/history/<int:game_id>/sheet")
def sheet(table: str, game_id: int) -> str:
    """The score sheet of a game of the past."""
    game, past = _past(table, game_id)
    play = _play(game, past)
    context = scene(show(_snapshot(game, past, len(past.record.steps)), viewers.THE_SCREEN))
    files = {name: url_for("history.file", table=table, game_id=game_id, name=name) for name in FILES}
    return render_template("end.html", files=files, **context, **sheet_context(play, past.log))


@blueprint.get("/t/<table>/history/<int:game_id>/<name>")
def file(table: str, game_id: int, name: str) -> Response:
    """A game of the past for another program."""
    game, past = _past(table, game_id)
    return exported(_play(game, past), name)
