"""A finished game for other programs: score as JSON and CSV, the game as JSON and as record, and a play for BG Stats.

Values in, text out. A `Play` is a record with its times. Nothing here asks whether the game is over: who calls it does.
BG Stats opens its import dialog from a link that carries the play as JSON:
https://www.bgstatsapp.com/support/push-plays-to-bg-stats-from-other-apps-or-websites/
"""

from __future__ import annotations

import csv
import hashlib
import io
import json
from dataclasses import dataclass
from datetime import UTC, datetime
from typing import Any
from urllib.parse import quote

from naqala.rules import notation, position
from naqala.rules.record import Record
from naqala.rules.record import to_text as record_text
from naqala.rules.scoring import CATEGORIES, Score, score, winners

GAME_NAME, BGG_ID = "Five Tribes", 157354
BGSTATS = "https://app.bgstatsapp.com/createPlay.html?data="


@dataclass(frozen=True, slots=True)
class Play:
    """A game that was played: its record, the table, and when it began and ended (seconds since 1970)."""

    record: Record
    table: str
    began: float
    ended: float

    @property
    def scores(self) -> tuple[Score, ...]:
        """Everybody's points, in the order of seats."""
        return score(self.record.game)

    @property
    def id(self) -> str:
        """The same for the same game, so that another program knows it again."""
        text = f"{self.table} {self.began:.0f} {position.to_text(self.record.opening)}"
        return hashlib.sha256(text.encode()).hexdigest()[:16]


def _time(seconds: float) -> datetime:
    return datetime.fromtimestamp(seconds, UTC)


def day(seconds: float) -> str:
    """A day and its hour, for a list."""
    return f"{_time(seconds):%Y-%m-%d %H:%M}"


def score_json(play: Play) -> dict[str, Any]:
    """The final scores, as `naqala rules score` gives them."""
    scores = play.scores
    return {"scores": [one.to_json() for one in scores], "winners": list(winners(scores))}


def score_csv(play: Play) -> str:
    """The score sheet with one row per player, for a spreadsheet."""
    text = io.StringIO()
    writer = csv.writer(text, lineterminator="\r\n")
    writer.writerow(["name", *CATEGORIES, "total"])
    for one in play.scores:
        writer.writerow([_cell(one.name), *(getattr(one, category) for category in CATEGORIES), one.total])
    return text.getvalue()


def _cell(text: str) -> str:
    """A name that a spreadsheet takes for text, whatever it begins with."""
    return f"'{text}" if text[:1] in "=+-@\t\r" else text


def game_json(play: Play) -> dict[str, Any]:
    """The whole game: opening, every action that stands, final position, scores."""
    return {
        "naqala": 1,
        "id": play.id,
        "table": play.table,
        "began": _time(play.began).isoformat(timespec="seconds"),
        "ended": _time(play.ended).isoformat(timespec="seconds"),
        "opening": position.to_json(play.record.opening),
        "actions": [notation.to_json(action) for action in play.record.actions],
        "final": position.to_json(play.record.game),
        **score_json(play),
    }


def record(play: Play) -> str:
    """The record that `naqala replay` verifies."""
    return record_text(play.record)


def bgstats(play: Play) -> dict[str, Any]:
    """The play as BG Stats imports it."""
    scores = play.scores
    best = winners(scores)
    ranked = sorted((one.total for one in scores), reverse=True)
    first = play.record.opening.bid_order[0] if play.record.opening.bid_order else ""
    return {
        "sourceName": "Naqala",
        "sourcePlayId": play.id,
        "playDate": _time(play.ended).strftime("%Y-%m-%d %H:%M:%S"),
        "durationMin": max(1, round((play.ended - play.began) / 60)),
        "location": play.table,
        "game": {
            "name": GAME_NAME,
            "sourceGameId": str(BGG_ID),
            "bggId": BGG_ID,
            "highestWins": True,
            "noPoints": False,
        },
        "players": [
            {
                "name": one.name,
                "sourcePlayerId": one.name,
                "startPlayer": one.name == first,
                "rank": ranked.index(one.total) + 1,
                "score": str(one.total),
                "winner": one.name in best,
            }
            for one in scores
        ],
    }


def bgstats_link(play: Play) -> str:
    """The link that opens BG Stats' import dialog; short enough for a QR code."""
    return BGSTATS + quote(json.dumps(bgstats(play), ensure_ascii=False, separators=(",", ":")), safe="")
