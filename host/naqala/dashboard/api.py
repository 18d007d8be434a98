"""JSON for other programs, below `/api`: the same tables, games and taps as on the pages, with a key instead of a cookie.

What a key may see goes through `view.show` like every page; a tap enters the same inbox. Every address stands in
`openapi.document()`, and a test compares the two. Errors are JSON, too: `{"error": "not_found", "say": "..."}`.
"""

from __future__ import annotations

import json
from typing import Any

from flask import Blueprint, Flask, Response, jsonify, request
from werkzeug.exceptions import (
    BadRequest,
    Conflict,
    Forbidden,
    HTTPException,
    NotFound,
    Unauthorized,
    UnsupportedMediaType,
)

from naqala.dashboard import end, history, taps
from naqala.dashboard.answers import refusal
from naqala.dashboard.logbook import newest
from naqala.dashboard.openapi import LARGEST_NUMBER, document
from naqala.dashboard.programs import PUBLIC, SEAT, TELL, Program, asking
from naqala.dashboard.tables import session_of, sessions, setting
from naqala.dashboard.view import show
from naqala.dashboard.viewers import SEAT as A_SEAT
from naqala.dashboard.viewers import SPECTATOR, THE_SCREEN, Viewer
from naqala.journal import Journal
from naqala.session import commands as c

PREFIX = "/api/"
MOST_DIGITS = 9
MOST_GAMES = 100  # in one answer

blueprint = Blueprint("api", __name__, url_prefix="/api")


def add(app: Flask) -> None:
    app.register_blueprint(blueprint)


def failed(error: HTTPException) -> tuple[Response, int]:
    """An error of an address below /api, as JSON."""
    code = error.code or 500
    words = error.name.lower().replace(" ", "_")
    made = jsonify({"error": words, "say": (error.description or "").strip()})
    for name, value in error.get_headers():
        if name.lower() in ("allow", "www-authenticate", "retry-after"):
            made.headers[name] = value
    if code == Unauthorized.code:
        made.headers["WWW-Authenticate"] = 'Bearer realm="naqala"'
    return made, code


def _program(scope: str, table: str = "") -> Program:
    """The program that asks, if it may: 401 without a good key, 404 without the table, 403 without the scope."""
    found = asking(request)
    if found is None:
        raise Unauthorized("send a key that the host made: Authorization: Bearer nq_...")
    if table:
        session_of(table)
    if not found.may(scope, table):
        raise Forbidden(
            f"this key has no scope '{scope}' at this table" if table else f"this key has no scope '{scope}'"
        )
    return found


def _number(name: str, default: int | None = None) -> int | None:
    """A whole number of the address, or 400."""
    text = request.args.get(name)
    if text is None:
        return default
    if not text.isascii() or not text.isdigit() or len(text) > MOST_DIGITS:
        raise BadRequest(f"'{name}' is a whole number of at most {MOST_DIGITS} digits")
    return int(text)


@blueprint.get("/openapi.json")
def described() -> Response:
    """This description."""
    return jsonify(document())


@blueprint.get("/tables")
def tables() -> Response:
    """The tables of this house."""
    _program(PUBLIC)
    shown = [show(session.snapshot, THE_SCREEN) for session in sessions().values()]
    keys = ("table", "stage", "seats", "health")
    return jsonify({"tables": [{key: one[key] for key in keys} for one in shown]})


@blueprint.get("/tables/<table>/state")
def state(table: str) -> Response:
    """What everybody may see; with a key for a seat also what that player sees."""
    program = asking(request)
    seated = program is not None and program.may(SEAT, table)
    program = _program(SEAT if seated else PUBLIC, table)
    viewer = Viewer(A_SEAT, program.seat, (program.seat,)) if seated else Viewer(SPECTATOR)
    return jsonify(newest(show(session_of(table).snapshot, viewer), _number("before")))


@blueprint.get("/tables/<table>/choices")
def choices(table: str) -> Response:
    """What the player of this key may do now; each can be sent back as a tap."""
    program = _program(SEAT, table)
    shown = show(session_of(table).snapshot, Viewer(A_SEAT, program.seat, (program.seat,)))
    return jsonify({"step": shown["step"], "player": program.seat, "choices": shown.get("choices", [])})


@blueprint.post("/tables/<table>/taps")
def tap(table: str) -> tuple[Response, int]:
    """Act for the player of this key."""
    program = _program(TELL, table)
    step, action = _told(program.seat)
    if action["do"] == "reveal" and not taps.cards_are_due(table, step):
        answer = c.Answer(False, "invalid")
    else:
        answer = session_of(table).tell(c.Tap(program.seat, step, action))
    if not answer.accepted:
        return jsonify({"error": answer.why, "say": refusal(answer)}), Conflict.code or 409
    return jsonify({"accepted": True, "step": session_of(table).snapshot.step}), 200


def _told(by: str) -> tuple[int, dict[str, Any]]:
    """Step and action of the body. Its meaning is the rules' affair; here is only refused what no tap can be."""
    if not request.is_json:
        raise UnsupportedMediaType("send application/json")
    text = request.get_data(cache=False, as_text=False)
    if len(text) > taps.LONGEST_ACTION or text.count(b"[") + text.count(b"{") > taps.MOST_BRACKETS:
        raise BadRequest("no action is so long")
    try:
        told = json.loads(text)
        json.dumps(told, ensure_ascii=False).encode("utf-8")
    except (ValueError, RecursionError):
        raise BadRequest("the body is not JSON") from None
    if not isinstance(told, dict) or told.keys() != {"step", "action"}:
        raise BadRequest("the body is an object with 'step' and 'action'")
    step, action = told["step"], told["action"]
    if type(step) is not int or not 0 <= step <= LARGEST_NUMBER:
        raise BadRequest("'step' is the number that the state tells")
    if not isinstance(action, dict) or action.get("do") not in taps.TAPPED or "as_it_lies" in action:
        raise BadRequest("'action' is an object whose 'do' is one of " + ", ".join(sorted(taps.TAPPED)))
    if action.get("player", by) != by:
        raise Forbidden("this key plays for another player")
    return step, action if action["do"] == "reveal" else action | {"player": by}


@blueprint.get("/tables/<table>/games")
def games(table: str) -> Response:
    """Games of this table that have ended, newest first."""
    _program(PUBLIC, table)
    journal: Journal | None = setting("journal")
    before = _number("before")
    found = [
        game for game in (journal.games(table) if journal is not None else ()) if game.ended_ms is not None
    ]
    rows = [game for game in reversed(found) if before is None or game.id < before][:MOST_GAMES]
    return jsonify(
        {
            "games": [
                {
                    "id": game.id,
                    "began_ms": game.at_ms,
                    "ended_ms": game.ended_ms,
                    "how": game.how,
                    "players": [str(one.get("name", "")) for one in game.opening.get("players", [])],
                    "entries": game.entries,
                }
                for game in rows
            ]
        }
    )


@blueprint.get("/tables/<table>/games/<game>/<file>")
def game_file(table: str, game: str, file: str) -> Response:
    """An ended game as one of the files of its score sheet."""
    _program(PUBLIC, table)
    if not game.isascii() or not game.isdigit() or len(game) > MOST_DIGITS:
        raise BadRequest(f"a game is a whole number of at most {MOST_DIGITS} digits")
    if file not in end.FILES:
        raise NotFound("a file is one of " + ", ".join(end.FILES))
    return history.file(table, int(game), file)
