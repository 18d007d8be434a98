"""The review of a finished game: made in the background with progress, kept with the game, read in words.

A review is made once for each ending of a game, by one thread at a time, and kept as JSON in the home folder under the journal's
number of the game. The page says how far it is, and shows it when it is there; what it says is worded for each viewer.
"""

from __future__ import annotations

import json
import logging
import threading
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from flask import Blueprint, Response, abort, current_app, jsonify, render_template, request, url_for

from naqala.dashboard import charts, reasons, viewers
from naqala.dashboard.history import past_game, past_snapshot
from naqala.dashboard.language import say
from naqala.dashboard.scene import scene
from naqala.dashboard.view import show
from naqala.journal import Game
from naqala.robots.reasons import from_json
from naqala.robots.review import BID, assembled, decisions, judged
from naqala.rules import notation
from naqala.rules.record import Record

blueprint = Blueprint("review", __name__)
FOLDER = "reviews"
FORMAT = 1  # of the files: one of another number is made again
MOST_REASONS = 4
log = logging.getLogger(__name__)


@dataclass(frozen=True, slots=True)
class Progress:
    """How many decisions of a game are judged; `failed` when it cannot be reviewed at all."""

    done: int = 0
    of: int = 1
    failed: bool = False


class Reviews:
    """The reviews of all games. For any thread; one is made at a time, so that a table in play keeps its core."""

    def __init__(self, home: Path) -> None:
        self._folder = home / FOLDER
        self._lock = threading.Lock()
        self._making: dict[str, Progress] = {}
        self._kept: dict[str, Mapping[str, Any]] = {}  # read or made since the start
        self._one_at_a_time = threading.Lock()

    def of(self, game: Game, record: Record) -> Mapping[str, Any] | Progress:
        """The review, or how far it is; asking for the first time begins it."""
        name = f"{game.table}-{game.id}-{game.ended_ms}"
        with self._lock:
            found = self._kept.get(name) or self._read(name)
            if found is not None:
                self._kept[name] = found
                return found
            if name not in self._making:
                self._making[name] = Progress(0, max(1, len(decisions(record))))
                threading.Thread(
                    target=self._make, args=(name, record), name="naqala-review", daemon=True
                ).start()
            return self._making[name]

    def _read(self, name: str) -> Mapping[str, Any] | None:
        try:
            found = json.loads(self._path(name).read_text(encoding="utf-8"))
        except (OSError, ValueError):
            return None
        return found if isinstance(found, dict) and found.get("format") == FORMAT else None

    def _path(self, name: str) -> Path:
        safe = "".join(letter if letter.isalnum() or letter in "-_" else "_" for letter in name)
        return self._folder / f"{safe}.json"

    def _make(self, name: str, record: Record) -> None:
        try:
            with self._one_at_a_time:
                turns = []
                for turn in judged(record):
                    turns.append(turn)
                    with self._lock:
                        self._making[name] = Progress(len(turns), self._making[name].of)
                found = {"format": FORMAT, **assembled(record, turns).to_json()}
        except Exception:  # a game of another version, say: the page says that there is no review
            log.exception("game %s cannot be reviewed", name)
            with self._lock:
                self._making[name] = Progress(failed=True)
            return
        self._keep(name, found)
        with self._lock:
            self._kept[name] = found
            del self._making[name]

    def _keep(self, name: str, found: Mapping[str, Any]) -> None:
        """On disk in one step. A full disk is no reason not to show it."""
        path = self._path(name)
        fresh = path.with_suffix(".new")
        try:
            path.parent.mkdir(mode=0o700, parents=True, exist_ok=True)
            fresh.write_text(json.dumps(found, ensure_ascii=False), encoding="utf-8")
            fresh.replace(path)
        except OSError as error:
            log.warning("the review of game %s could not be kept: %s", name, error.strerror)


@blueprint.get("/t/<table>/history/<int:game_id>/review")
def page(table: str, game_id: int) -> Response | str:
    """The review, or how far it is. A script asks for JSON until it is there; without one the page loads itself again."""
    game, past = past_game(table, game_id)
    if game.how != "finished":
        abort(404)
    reviews: Reviews = current_app.extensions["naqala-reviews"]
    found = reviews.of(game, past.record)
    waiting = found if isinstance(found, Progress) else None
    if request.accept_mimetypes.best == "application/json":
        return jsonify(
            found if waiting is None else {"done": waiting.done, "of": waiting.of, "failed": waiting.failed}
        )
    context = scene(show(past_snapshot(game, past, len(past.record.steps)), viewers.THE_SCREEN))
    told = {} if isinstance(found, Progress) else _told(table, game_id, found)
    return render_template("review.html", game_id=game_id, waiting=waiting, **told, **context)


def _told(table: str, game_id: int, found: Mapping[str, Any]) -> dict[str, Any]:
    turns = [_turn(table, game_id, number, turn) for number, turn in enumerate(found["turns"])]
    names = list(found["curve"][0]["expected"])
    _add_chances(turns, found)
    return {
        "turns": turns,
        "turning_points": [turns[number] for number in found["turning_points"]],
        "expected_chart": charts.chart(
            {name: [_whole(moment, name) for moment in found["curve"]] for name in names}
        ),
        "spread": round(found["curve"][0]["expected"][names[0]]["spread"]),
        "given_away": [_given_away(name, turns) for name in names],
    }


def _add_chances(turns: list[dict[str, Any]], found: Mapping[str, Any]) -> None:
    """How likely the player was to win before and after each turn, in percent; bids change nothing yet."""
    moments = found["curve"]
    number = 0
    for turn, told in zip(turns, found["turns"], strict=True):
        if told["kind"] != BID:
            pair = (moments[number]["chances"], moments[number + 1]["chances"])
            turn["chances"] = [f"{100 * chances[turn['player']]:.0f} %" for chances in pair]
            number += 1


def _whole(moment: Mapping[str, Any], name: str) -> int:
    points: float = moment["expected"][name]["points"]
    return max(0, round(points))


def _turn(table: str, game_id: int, number: int, turn: Mapping[str, Any]) -> dict[str, Any]:
    played, best = (_actions(turn[key]) for key in ("played", "best"))
    return {
        "number": number,
        "player": turn["player"],
        "round": turn["round"],
        "kind": say("bid") if turn["kind"] == BID else say("turn"),
        "played": played,
        "best": best if turn["best"] != turn["played"] else "",
        "lost": turn["lost"],
        "uncertain": turn["uncertain"],
        "mistake": turn["mistake"],
        "why": [reasons.reason(from_json(one)) for one in turn["reasons"]][:MOST_REASONS],
        "before": url_for("history.replay", table=table, game_id=game_id, step=turn["first"] - 1),
        "after": url_for("history.replay", table=table, game_id=game_id, step=turn["last"]),
    }


def _actions(texts: Sequence[str]) -> str:
    return reasons.actions(map(notation.from_text, texts))


def _given_away(name: str, turns: Sequence[Mapping[str, Any]]) -> dict[str, Any]:
    """What a player's other choices would have brought, added up, and how many of them were mistakes beyond doubt."""
    own = [turn for turn in turns if turn["player"] == name]
    return {
        "name": name,
        "points": round(sum(turn["lost"] for turn in own)),
        "decisions": len(own),
        "mistakes": sum(turn["mistake"] for turn in own),
    }
