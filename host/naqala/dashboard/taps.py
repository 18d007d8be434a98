"""What people tell the session: every tap is a form post, checked for who asks, and answered with one sentence.

A seat acts for itself only. The step of the snapshot comes with the tap, so a stale or double one is refused by
the session. With the script the answer is JSON; without it the page is shown again with the sentence on top.
"""

from __future__ import annotations

import json
from typing import Any

from flask import Blueprint, abort, flash, jsonify, redirect, request, url_for
from werkzeug.wrappers import Response

from naqala.dashboard import offers, viewers
from naqala.dashboard.answers import refusal
from naqala.dashboard.tables import session_of
from naqala.dashboard.viewers import Viewer
from naqala.rules.board import MEEPLES, TRIBES
from naqala.session import commands as c

blueprint = Blueprint("taps", __name__)
# What a phone may post as an action. Corrections, overrides and undos have addresses of their own.
TAPPED = frozenset(offers.BUTTONS) | {"sow"}
LONGEST_ACTION = 4096  # letters; the longest sowing and the fullest hand take a few hundred
MOST_BRACKETS = 200


def answer(sentence: str, go: str, follow: bool = False) -> Response:
    """The answer to a post: a sentence, and where to go on."""
    if request.accept_mimetypes.best == "application/json":
        found = {"say": sentence} | ({"go": go} if follow else {})
        return jsonify(found)
    if sentence:
        flash(sentence)
    return redirect(go, 303)


def number(field: str) -> int:
    """A whole number of the form, or 400."""
    text = request.form.get(field, "")
    if not text.isascii() or not text.isdigit() or len(text) > 9:
        abort(400)
    return int(text)


def seated(table: str) -> str:
    """The player who asks, or 403: nothing works without a seat."""
    viewer = viewers.who(table)
    if viewer.name is None or viewer.name not in (seat.name for seat in session_of(table).snapshot.seats):
        abort(403)
    return viewer.name


def seated_or_owner(table: str) -> str:
    """The player who asks, or the owner."""
    viewer = viewers.who(table)
    return seated(table) if viewer.name is not None else owner_only(viewer)


def owner_only(viewer: Viewer) -> str:
    """The owner, or 403."""
    if not viewer.owner:
        abort(403)
    return c.OWNER


def back(table: str, by: str) -> str:
    """Where an answer is read: the seat, or the owner's screen."""
    return url_for("pages.seat" if by != c.OWNER else "pages.screen", table=table)


def tell(table: str, command: c.Command, go: str, follow: bool = False) -> Response:
    """Hand a command to the session and answer with what became of it."""
    told = session_of(table).tell(command)
    return answer("" if told.accepted else refusal(told), go, follow and told.accepted)


def _action(by: str) -> dict[str, Any]:
    """The action of the form, with the fields that complete it. A seat that acts for another is refused."""
    text = request.form.get("action", "")
    if len(text) > LONGEST_ACTION or text.count("[") + text.count("{") > MOST_BRACKETS:
        abort(
            400
        )  # nothing that a page offers is so long, and what is nested so deep no reader comes through
    try:
        action = json.loads(text)
        json.dumps(action, ensure_ascii=False).encode("utf-8")  # half a letter cannot be written down
    except ValueError:
        abort(400)
    if not isinstance(action, dict) or not isinstance(action.get("do"), str) or action["do"] not in TAPPED:
        abort(400)
    if "as_it_lies" in action:
        abort(400)
    if action.get("player", by) != by:
        abort(403)
    if action.get("do") != "reveal":
        action["player"] = by
    fill = action.pop("fill", None)
    return action | (_filled(str(fill)) if fill is not None else {})


def _filled(choice: str) -> dict[str, Any]:
    """What was told in the page's fields: "fill.<choice>.<field>.<place>"."""
    told: dict[str, list[str]] = {}
    for name in sorted(request.form, key=lambda name: (len(name), name)):
        parts = name.split(".")
        if len(parts) == 4 and parts[:2] == ["fill", choice]:
            told.setdefault(parts[2], []).append(request.form[name])
    found: dict[str, Any] = dict(told)
    if "keep" in told:
        found["keep"] = told["keep"][0]
    if "meeples" in told:
        found["meeples"] = "".join(told["meeples"])
    return found


@blueprint.post("/t/<table>/tap")
def tap(table: str) -> Response:
    """An action of the game."""
    session_of(table)
    by = seated(table)
    go = url_for("pages.seat", table=table)
    step, action = number("step"), _action(by)
    if action["do"] == "reveal" and not cards_are_due(table, step):
        return answer(refusal(c.Answer(False, "invalid")), go)
    return tell(table, c.Tap(by, step, action), go, follow="then" in request.form)


def cards_are_due(table: str, step: int) -> bool:
    """Whether cards have to be turned up, on the very page that was tapped. Records of other programs may hold an empty `reveal`
    while bids are made, so the rules accept it; as a tap it would only make the taps of all others stale."""
    shown = session_of(table).snapshot
    return shown.step == step and shown.game is not None and shown.game.turn.phase == "reveal"


@blueprint.post("/t/<table>/sell")
def sell(table: str) -> Response:
    """A suit put together by hand."""
    session_of(table)
    by = seated(table)
    action = {"do": "sell", "player": by, "suits": [request.form.getlist("good")]}
    return tell(table, c.Tap(by, number("step"), action), url_for("pages.seat", table=table))


@blueprint.post("/t/<table>/undo")
def undo(table: str) -> Response:
    """Take back to a step; across turns the others are asked."""
    session_of(table)
    by = seated_or_owner(table)
    go = url_for("pages.seat" if by != c.OWNER else "pages.whole_log", table=table)
    return tell(table, c.UndoTo(by, number("step"), number("to")), go, follow="then" in request.form)


@blueprint.post("/t/<table>/consent/<int:to>")
def consent(table: str, to: int) -> Response:
    """Agree or not to another's undo, after which so many actions would stand."""
    session_of(table)
    by = seated_or_owner(table)
    agreed = request.form.get("agreed") == "yes"
    return tell(table, c.Consent(by, number("step"), to, agreed), back(table, by))


@blueprint.post("/t/<table>/choose")
def choose(table: str) -> Response:
    """Which of the possible moves it was."""
    session_of(table)
    by = seated_or_owner(table)
    go = back(table, by)
    return tell(table, c.Choose(by, number("step"), number("option")), go)


@blueprint.post("/t/<table>/table-is-right")
def table_is_right(table: str) -> Response:
    """The game takes over what lies there."""
    session_of(table)
    by = seated_or_owner(table)
    tile = request.form.get("tile") or None
    go = back(table, by)
    return tell(table, c.TableIsRight(by, number("step"), tile), go)


@blueprint.post("/t/<table>/play-on")
def play_on(table: str) -> Response:
    """Play on as it lies."""
    session_of(table)
    by = seated_or_owner(table)
    go = back(table, by)
    return tell(table, c.PlayOn(by, number("step")), go)


@blueprint.post("/t/<table>/enter")
def enter(table: str) -> Response:
    """What lies on a tile whose reader is silent."""
    session_of(table)
    by = seated_or_owner(table)
    form = request.form
    told = [letter for letter in TRIBES if form.get(f"count.{letter}")]
    meeples = "".join(letter * min(number(f"count.{letter}"), MEEPLES[letter]) for letter in told)
    command = c.EnterTile(by, number("step"), form.get("tile", ""), meeples)
    return tell(table, command, url_for("pages.tile", table=table, name=form.get("tile", "A1")[:2] or "A1"))
