"""One device for all: a tablet in the middle of the table, or one phone for a scribe. It holds every seat and shows the one
whose turn it is; gold and cards of a player are fetched only while a finger stays on "hold to see", and are on no page before.
"""

from __future__ import annotations

from dataclasses import replace

from flask import Blueprint, abort, redirect, render_template, request, url_for
from werkzeug.wrappers import Response

from naqala.dashboard import viewers
from naqala.dashboard.language import say
from naqala.dashboard.pages import table_scene
from naqala.dashboard.tables import session_of
from naqala.dashboard.taps import answer
from naqala.dashboard.viewers import Viewer
from naqala.session.snapshot import PLAY, Snapshot

blueprint = Blueprint("together", __name__)


def acting(snapshot: Snapshot, viewer: Viewer) -> str | None:
    """The seat that such a device shows now: the one whose turn it is, else the one it showed; None when it has none."""
    playing = [seat.name for seat in snapshot.seats if seat.name in viewer.names]
    turn = snapshot.game.turn.player if snapshot.game is not None else None
    if turn in playing:
        return str(turn)
    return viewer.name if viewer.name in playing else playing[0] if playing else None


@blueprint.post("/t/<table>/together")
def take_all(table: str) -> Response:
    """Take every seat that is free, and those that robots do not play."""
    snapshot = session_of(table).snapshot
    sitting = viewers.sitting(table)
    for seat in snapshot.seats:
        if seat.name not in sitting.robots and viewers.may_take(table, seat.name):
            viewers.sit(table, seat.name)
    held = viewers.who(table).names
    go = url_for("together.page", table=table)
    if not held:
        return answer(say("Every seat is taken by a phone."), url_for("pages.join", table=table))
    return answer("", go, follow=True)


@blueprint.get("/t/<table>/together")
def page(table: str) -> Response | str:
    """The seat whose turn it is."""
    snapshot, viewer = session_of(table).snapshot, viewers.who(table)
    name = acting(snapshot, viewer)
    if name is None:
        return redirect(url_for("pages.join", table=table), 302)
    if snapshot.stage not in (PLAY,):
        return redirect(url_for("pages.seat", table=table), 302)
    viewer = replace(viewer, name=name)
    return render_template(
        "together.html",
        names=viewer.names,
        stream=url_for("stream.stream", table=table, page="together", seat=name, stage=snapshot.stage),
        tap_address=url_for("taps.tap", table=table),
        **table_scene(snapshot, viewer),
    )


@blueprint.get("/t/<table>/hand")
def hand(table: str) -> str:
    """What one of this device's seats holds, while somebody looks."""
    snapshot, viewer = session_of(table).snapshot, viewers.who(table)
    if viewer.name is None or viewer.name != request.args.get("seat"):
        abort(403)
    return render_template("fragments/seat-hand.html", **table_scene(snapshot, viewer))
