"""The pages of a table: the list of tables, the shared screen, joining, the seat, the whole log, a single tile.

Route functions fetch, decide, render; what a viewer may see was decided in `view.show`.
"""

from __future__ import annotations

import re
from typing import Any

from flask import Blueprint, abort, jsonify, redirect, render_template, request, session, url_for
from werkzeug.wrappers import Response

from naqala.dashboard import language, story, viewers
from naqala.dashboard.language import say
from naqala.dashboard.logbook import newest
from naqala.dashboard.paging import asked_page
from naqala.dashboard.scene import join_address, scene, taken_back, with_seats
from naqala.dashboard.seat_requests import PERSON
from naqala.dashboard.tables import robots_of, session_of, sessions, setting
from naqala.dashboard.taps import answer, owner_only
from naqala.dashboard.view import show
from naqala.dashboard.viewers import Viewer
from naqala.rules.board import NUMBER, TRIBES
from naqala.rules.paths import open_drops
from naqala.session.snapshot import OVER, PLAY, Snapshot

blueprint = Blueprint("pages", __name__)
THEMES = ("light", "dark")
# An address of this house: no second slash, no backslash, nothing that a browser leaves out on its way to another host.
OWN_ADDRESS = re.compile(r"/(?!/)[A-Za-z0-9_.~%/?=&+-]{0,500}")
LINES_A_PAGE = 100  # of the log
MOST_DROPS = 30  # that are read from an address: more than a tile ever holds


def table_scene(snapshot: Snapshot, viewer: Viewer) -> dict[str, Any]:
    """The context of any page about a table."""
    address = join_address(snapshot.table, setting("address"))
    return scene(show(snapshot, viewer), viewers.sitting(snapshot.table), address)


@blueprint.get("/")
def tables() -> Response | str:
    """The tables of this house; where there is only one, its screen."""
    found = sessions()
    if len(found) == 1:
        return redirect(url_for("pages.screen", table=next(iter(found))), 302)
    rows = [show(one.snapshot, viewers.THE_SCREEN) for one in found.values()]
    return render_template("tables.html", rows=rows)


@blueprint.get("/owner")
def owner() -> Response | tuple[str, int]:
    """The owner's own browser: opened with the token that was printed at the start."""
    if not viewers.show_token(request.args.get("token", "")):
        return render_template("error.html", code="token"), 403
    return redirect(url_for("pages.tables"), 302)


@blueprint.post("/owner/leave")
def leave_owner() -> Response:
    """Stop being the owner in this browser, for example before lending the tablet."""
    owner_only(viewers.screen())
    viewers.leave()
    return answer("", url_for("pages.tables"), follow=True)


@blueprint.post("/owner/renew")
def renew_owner() -> Response:
    """Another token: all other browsers that knew the old one are guests from now on."""
    owner_only(viewers.screen())
    viewers.renew_token()
    return answer(
        say("The host's address is new: it is on the set-up page."), url_for("pages.tables"), follow=True
    )


@blueprint.post("/prefer")
def prefer() -> Response:
    """Language, light and wording of this browser."""
    form = request.form
    if form.get("language") in language.LANGUAGES:
        session["language"] = form["language"]
    session["theme"] = form["theme"] if form.get("theme") in THEMES else ""
    if form.get("wording") in language.WORDINGS:
        session["wording"] = form["wording"]
    back = form.get("back", "")
    return redirect(back if OWN_ADDRESS.fullmatch(back) else "/", 303)


@blueprint.get("/t/<table>/")
def screen(table: str) -> str:
    """The shared screen beside the table."""
    snapshot = session_of(table).snapshot
    stream = url_for("stream.stream", table=table, page="screen")
    return render_template("screen.html", stream=stream, **table_scene(snapshot, viewers.screen()))


@blueprint.get("/t/<table>/state.json")
def state(table: str) -> Response:
    """What this viewer may see, for programs: with the newest lines of the log, or with those before line `?before=`."""
    shown = show(session_of(table).snapshot, viewers.who(table))
    text = request.args.get("before", "")
    return jsonify(newest(shown, int(text) if text.isascii() and text.isdigit() and len(text) < 10 else None))


@blueprint.get("/t/<table>/join")
def join(table: str) -> str:
    """Pick a free name; the owner also says who is played by a robot."""
    snapshot = session_of(table).snapshot
    stream = url_for("stream.stream", table=table, page="join")
    context = table_scene(snapshot, viewers.who(table))
    return render_template("join.html", stream=stream, **context, **held(table))


def held(table: str) -> dict[str, object]:
    """The seats that this browser holds, and those it asks for."""
    viewer = viewers.who(table)
    return {"names": viewer.names, "asking": dict(viewer.asking)}


@blueprint.post("/t/<table>/sit")
def sit(table: str) -> Response:
    """Take a seat, or turn to another one of this phone."""
    snapshot = session_of(table).snapshot
    name = request.form.get("name", "")
    if name not in (seat.name for seat in snapshot.seats):
        abort(404)
    robots, go = robots_of(table), url_for("pages.join", table=table)
    mine = name in viewers.who(table).names
    if robots is not None and name in robots.seats and not mine:
        if not viewers.is_owner():
            return answer(say("A robot plays there; the host can let you take over."), go, follow=True)
        viewers.seats().log.tell(table, PERSON, name)
        robots.stand_up(name)
    if not mine and name in viewers.sitting(table).taken:
        return answer(say("Somebody already sits there."), go, follow=True)
    if not viewers.may_take(table, name):
        viewers.ask_for(table, name)
        waits = name in dict(viewers.who(table).asking)
        return answer(
            "" if waits else say("Too many phones ask for this seat: the host has to answer first."),
            go,
            follow=True,
        )
    if not viewers.sit(table, name):
        return answer(say("Somebody already sits there."), go, follow=True)
    return answer("", url_for("pages.seat", table=table), follow=True)


@blueprint.post("/t/<table>/admit")
def admit(table: str) -> Response:
    """The host's yes or no to a phone that asks for a seat and shows this number."""
    session_of(table)
    owner_only(viewers.who(table))
    name, number = request.form.get("name", ""), request.args.get("number", "")
    agreed = request.args.get("agreed") == "yes"
    found = any(
        name == asks and number == str(shows) and viewers.seats().requests.answer(table, asks, shows, agreed)
        for asks, shows, _ in viewers.seats().requests.of(table)
    )
    say_so = "" if found else say("No phone with this number asks any more.")
    return answer(say_so, url_for("pages.screen", table=table))


@blueprint.post("/t/<table>/stand-up")
def stand_up(table: str) -> Response:
    """Leave a seat; the owner may free any."""
    session_of(table)
    name = request.form.get("name", "")
    viewer = viewers.who(table)
    if name in viewer.names:
        viewers.stand_up(table, name)
    elif viewer.owner:
        viewers.seats().free(table, name)
    else:
        abort(403)
    at_setup = viewer.owner and name not in viewer.names and request.args.get("back") != "seats"
    go = url_for("setup.wizard" if at_setup else "pages.join", table=table)
    return answer("", go, follow=True)


@blueprint.get("/t/<table>/seat")
def seat(table: str) -> Response | str:
    """One player's phone."""
    snapshot = session_of(table).snapshot
    viewer = viewers.who(table)
    if viewer.name is None or viewer.name not in (one.name for one in snapshot.seats):
        return redirect(url_for("pages.join", table=table), 302)
    return render_template(
        "seat.html",
        names=viewer.names,
        stream=url_for("stream.stream", table=table, page="seat", seat=viewer.name),
        tap_address=url_for("taps.tap", table=table),
        **table_scene(snapshot, viewer),
    )


@blueprint.get("/t/<table>/log")
def whole_log(table: str) -> str:
    """Everything that was said and done, newest first and a page at a time, with "undo from here" and what it takes back."""
    snapshot = session_of(table).snapshot
    viewer = viewers.who(table)
    context = table_scene(snapshot, viewer)
    standing = sum(line["before"] is not None for line in context["log"])
    told = with_seats(context["log"], viewers.sitting(table).told)
    page = asked_page(len(told), LINES_A_PAGE)
    lines = [
        line | {"said": story.tell(line), "undoes": story.undoes(line, standing)}
        for line in told[page.first : page.last]
    ]
    may_undo = snapshot.stage in (PLAY, OVER) and (viewer.name is not None or viewer.owner)
    first = len(told) - page.first  # the newest line bears the highest number
    return render_template("log.html", lines=lines, page=page, first=first, may_undo=may_undo, **context)


@blueprint.get("/t/<table>/log/<int:step>")
def before(table: str, step: int) -> str:
    """What an undo to this step would take back, before it is asked for."""
    snapshot = session_of(table).snapshot
    context = table_scene(snapshot, viewers.who(table))
    gone = taken_back(context, step)
    if not gone or snapshot.stage not in (PLAY, OVER):
        abort(404)
    undo_address = url_for("taps.undo", table=table)
    return render_template("undo.html", gone=gone, to=step, tap_address=undo_address, **context)


@blueprint.get("/t/<table>/tile/<name>")
def tile(table: str, name: str) -> str:
    """One tile: what the game says lies there, and by hand what really does (when its reader is silent)."""
    snapshot = session_of(table).snapshot
    viewer = viewers.who(table)
    if snapshot.game is None or name not in NUMBER:
        abort(404)
    if viewer.name is None and not viewer.owner:
        abort(403)
    context = table_scene(snapshot, viewer)
    return render_template("tile.html", name=name, tile=context["board"][name], **context)


@blueprint.get("/t/<table>/move")
def move(table: str) -> str:
    """A move told by taps, drop by drop, for a table without readers. The address carries the drops so far."""
    snapshot = session_of(table).snapshot
    viewer = viewers.who(table)
    context = table_scene(snapshot, viewer)
    if viewer.name is None or not context["starts"]:
        abort(404)
    start = request.args.get("start", "")
    drops = _drops(request.args.get("drops", ""))
    if start not in context["starts"] or drops is None:
        return render_template("move.html", start=None, **context)
    meeples = snapshot.playing.meeples
    hand = len(meeples[NUMBER[start]]) - len(drops)
    try:
        open_now = sorted(open_drops(meeples, start, drops)) if hand > 0 else []
    except (ValueError, KeyError):
        abort(404)
    action = {"do": "sow", "player": viewer.name, "start": start, "drops": [list(drop) for drop in drops]}
    return render_template(
        "move.html",
        start=start,
        told=drops,
        left=hand,
        open_now=open_now,
        way=",".join(f"{tile}:{letter}" for tile, letter in drops),
        action=action,
        tap_address=url_for("taps.tap", table=table),
        **context,
    )


def _drops(text: str) -> tuple[tuple[str, str], ...] | None:
    """Drops of an address: "C4:G,D4:R"."""
    pairs = [part.split(":") for part in text.split(",") if part][:MOST_DROPS]
    if any(len(pair) != 2 or pair[0] not in NUMBER or pair[1] not in tuple(TRIBES) for pair in pairs):
        return None
    return tuple((tile, letter) for tile, letter in pairs)
