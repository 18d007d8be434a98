"""Finished games: the list, a replay with a slider through every action, and statistics per player.

Only games that have ended are here; while one is played, its past belongs to the table.
"""

from __future__ import annotations

import logging
import threading
from collections import OrderedDict
from collections.abc import Mapping, Sequence
from functools import lru_cache
from typing import Any

from flask import Blueprint, Response, abort, current_app, jsonify, render_template, request, url_for

from naqala import export
from naqala.dashboard import story, viewers
from naqala.dashboard.charts import time_per_player, time_played
from naqala.dashboard.end import FILES, acted, exported, sheet_context, span
from naqala.dashboard.language import say
from naqala.dashboard.pages import table_scene
from naqala.dashboard.paging import asked_page
from naqala.dashboard.scene import scene
from naqala.dashboard.tables import session_of, setting
from naqala.dashboard.view import show
from naqala.dashboard.words import ROWS
from naqala.journal import Game, Journal, JournalDamaged, JournalError, NoSuchGame
from naqala.rules.breach import IllegalMove, InvalidAction
from naqala.rules.reading import BadPosition
from naqala.rules.scoring import CATEGORIES, Score, score, winners
from naqala.session.chronicle import Chronicle, retold
from naqala.session.opening import is_demo, settings
from naqala.session.snapshot import OVER, Snapshot

blueprint = Blueprint("history", __name__)
GAMES_A_PAGE = 20
MOST_STORIES = 16  # kept whole, for those who look at a replay
MOST_RESULTS = 4096
# Why a game of the past cannot be told: its entries are damaged, or they are no game (a journal of another version).
TELLS_NOTHING = (JournalDamaged, BadPosition, InvalidAction, IllegalMove, ValueError, KeyError, TypeError)
log = logging.getLogger(__name__)
REPLAYED = ("board", "tracks", "holdings", "cards", "replay-line")


Result = tuple[tuple[Score, ...], Mapping[str, float], float]


class Archive:
    """What ended games tell. A game may be taken up again and end otherwise, so what is kept belongs to its entries and its end;
    the stories asked for last are kept, and all results."""

    def __init__(self, journal: Journal | None) -> None:
        self._journal = journal
        self._told = lru_cache(maxsize=MOST_STORIES)(self._tell)
        self._results: OrderedDict[Key, Result | None] = OrderedDict()
        self._lock = threading.Lock()
        self._counting: set[Key] = set()

    def told(self, game: Game) -> Chronicle:
        """The story of a game. JournalDamaged when its entries are not as they were written."""
        return self._told(*_key(game))

    def _tell(self, game_id: int, _entries: int, _ended_ms: int | None, _how: str) -> Chronicle:
        assert self._journal is not None
        return retold(self._journal.game(game_id).opening, self._journal.entries(game_id))

    def result(self, game: Game) -> Result | None:
        """The scores, the seconds each player took, and those of the whole game; None when it is damaged."""
        key = _key(game)
        with self._lock:
            if key in self._results:
                return self._results[key]
        try:
            past = self._tell(*key)
            lines = acted(past.log)
            found: Result | None = (score(past.game), time_per_player(lines), time_played(lines))
        except TELLS_NOTHING as error:
            log.warning("game %d cannot be told: %s", game.id, type(error).__name__)
            found = None
        with self._lock:
            self._results[key] = found
            while len(self._results) > MOST_RESULTS:
                self._results.popitem(last=False)
        return found

    def known(self, games: Sequence[Game]) -> list[tuple[Game, Result | None]]:
        """Those of these games whose results are there. The others are told one after the other in the background, so that the first
        look at a long past does not wait for it."""
        with self._lock:
            found = [(game, self._results[_key(game)]) for game in games if _key(game) in self._results]
            new = [
                game for game in games if _key(game) not in self._results and _key(game) not in self._counting
            ]
            self._counting |= {_key(game) for game in new}
        if new:
            threading.Thread(target=self._count, args=(new,), name="naqala-history", daemon=True).start()
        return found

    def _count(self, games: Sequence[Game]) -> None:
        for game in games:
            try:
                self.result(game)
            except JournalError:  # it is away, or closed: whoever looks again begins again
                break
            finally:
                with self._lock:
                    self._counting.discard(_key(game))
        with self._lock:
            self._counting -= {_key(game) for game in games}


Key = tuple[int, int, int | None, str]


def _key(game: Game) -> Key:
    return game.id, game.entries, game.ended_ms, game.how


def archive() -> Archive:
    """The app's."""
    found: Archive = current_app.extensions["naqala-archive"]
    return found


def _ended(table: str) -> list[Game]:
    """The journal's ended games of a table, newest first; robots that played for show are left out."""
    journal: Journal | None = setting("journal")
    games = [] if journal is None else journal.games(table)
    return [game for game in reversed(games) if game.ended_ms is not None and not is_demo(game.opening)]


def past_game(table: str, game_id: int) -> tuple[Game, Chronicle]:
    """An ended game and its story, or 404."""
    session_of(table)
    journal: Journal | None = setting("journal")
    try:
        game = journal.game(game_id) if journal is not None else None
        if game is None or game.table != table or game.ended_ms is None:
            abort(404)
        return game, archive().told(game)
    except (NoSuchGame, *TELLS_NOTHING):
        abort(404)


def _play(game: Game, past: Chronicle) -> export.Play:
    began, ended = span(game.at_ms / 1000, (game.ended_ms or game.at_ms) / 1000, past.log)
    return export.Play(past.record, game.table, began, ended)


def past_snapshot(game: Game, past: Chronicle, step: int) -> Snapshot:
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
    """Finished games, a page of them, and what players made of all."""
    context = table_scene(session_of(table).snapshot, viewers.who(table))
    journal: Journal | None = setting("journal")
    ended = _ended(table)
    page = asked_page(len(ended), GAMES_A_PAGE)
    rows: list[dict[str, Any]] = []
    for game in ended[page.first : page.last]:
        result = archive().result(game)
        scores = result[0] if result else ()
        best = winners(scores) if game.how == "finished" and scores else ()
        row = {"id": game.id, "at": (game.ended_ms or 0) / 1000, "how": game.how, "scores": scores}
        rows.append(row | {"winners": best, "damaged": result is None})
    finished = [game for game in ended if game.how == "finished"]
    people: dict[str, dict[str, Any]] = {}
    counted = archive().known(finished)
    for _, result in counted:
        if result is not None:
            _count(people, result[0], winners(result[0]), result[2] / 60, result[1])
    return render_template(
        "history.html",
        rows=rows,
        page=page,
        damaged=journal.damaged(table) if journal is not None else (),
        people=people,
        uncounted=len(finished) - len(counted),
        categories=[(key, say(label), picture) for key, (label, picture) in ROWS.items()],
        **context,
    )


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
    game, past = past_game(table, game_id)
    last = len(past.record.steps)
    text = request.args.get("step", "0")
    step = min(int(text), last) if text.isascii() and text.isdigit() and len(text) < 6 else 0
    context = scene(show(past_snapshot(game, past, step), viewers.THE_SCREEN))
    said = story.tell(context["log"][past.lines[step - 1] - 1]) if step else ""
    context |= {
        "at_step": step,
        "last": last,
        "step_said": said,
        "game_id": game_id,
        "free_seats": [],
        "replayed": True,
        "finished": game.how == "finished",
    }
    if request.accept_mimetypes.best == "application/json":
        return jsonify({name: render_template(f"fragments/{name}.html", **context) for name in REPLAYED})
    return render_template("replay.html", **context)


@blueprint.get("/t/<table>/history/<int:game_id>/sheet")
def sheet(table: str, game_id: int) -> str:
    """The score sheet of a game of the past."""
    game, past = past_game(table, game_id)
    play = _play(game, past)
    context = scene(show(past_snapshot(game, past, len(past.record.steps)), viewers.THE_SCREEN))
    files = {name: url_for("history.file", table=table, game_id=game_id, name=name) for name in FILES}
    finished = game_id if game.how == "finished" else None
    return render_template(
        "end.html", files=files, game_id=finished, **context, **sheet_context(play, past.log)
    )


@blueprint.get("/t/<table>/history/<int:game_id>/<name>")
def file(table: str, game_id: int, name: str) -> Response:
    """A game of the past for another program."""
    game, past = past_game(table, game_id)
    return exported(_play(game, past), name)
