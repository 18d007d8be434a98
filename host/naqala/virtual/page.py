"""The page to move the pieces: /t/<table>/virtual. Gestures come as form posts, the picture goes out as a stream.

It is the table, not the game: whoever may sit at it (a seat, or the owner) may do anything to it, and nothing is checked
but that the piece and the place exist. Faults and robots are had from the same page.
"""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping, Sequence
from random import Random
from typing import Any

from flask import (
    Blueprint,
    Flask,
    Response,
    abort,
    current_app,
    jsonify,
    redirect,
    render_template,
    request,
    url_for,
)
from werkzeug.wrappers import Response as Answer

from naqala.dashboard import viewers
from naqala.dashboard.tables import session_of
from naqala.robots import ROBOTS
from naqala.rules.board import COLUMNS, NUMBER, ROWS
from naqala.session.session import Session
from naqala.session.snapshot import PLAY, SETUP
from naqala.virtual import connect, standing
from naqala.virtual.box import COLOURS
from naqala.virtual.evening import NoGame, begin
from naqala.virtual.faults import KINDS, Faults
from naqala.virtual.hands import PACES
from naqala.virtual.link import VirtualLink
from naqala.virtual.seats import RobotSeats
from naqala.virtual.table import BAG, HAND, SUPPLY, NoSuchGesture, before

blueprint = Blueprint("virtual", __name__)
EXTENSION = "naqala-virtual"
LOOK_EVERY_S = 1.0
MOST_TAGS = 200
A_DAY_MS = 86_400_000
DEMO_PLAYERS = ("Ann", "Bob", "Cleo")
TRAYS = (HAND, BAG, SUPPLY, *(before(colour) for colour in COLOURS))


class Desk:
    """What the page can reach of one table."""

    def __init__(self, link: VirtualLink, session: Session) -> None:
        self.table = link.table
        self.link, self.session = link, session
        self.faults = Faults(link.table, link.table.seed)
        self.robots = RobotSeats(link, session, link.table.seed)
        self.dice = Random(link.table.seed)

    def state(self) -> dict[str, Any]:
        """Everything the page shows."""
        return self.table.picture() | {"robots": self.robots.seats, "trouble": self.robots.trouble}


def add(
    app: Flask,
    tables: Mapping[str, tuple[VirtualLink, Session]],
    robots: Sequence[str] = (),
    ports: Sequence[str] = (),
    connected: connect.Connect = lambda name: abort(409),
) -> None:
    """Give the app the page for these tables. Robots play whoever is named so, in every game at any of them; `connected`
    makes a real controller another table."""
    connect.add(app, ports, connected)
    desks = {name: Desk(link, session) for name, (link, session) in tables.items()}
    for desk in desks.values():
        for name in robots:
            desk.robots.sit(name, "greedy")
    # The wizard leaves the first seat to a person, if one is free.
    first = 2 if len(robots) < len(COLOURS) else 1
    app.extensions[EXTENSION] = desks
    app.register_blueprint(blueprint)
    app.context_processor(
        lambda: {"virtual_tables": tuple(tables), "robot_seats": dict(enumerate(robots, first))}
    )


def _desk(table: str) -> Desk:
    """The desk of a virtual table, for those who sit at it. 404 for other tables, 403 for other people."""
    session_of(table)
    found: dict[str, Desk] = current_app.extensions[EXTENSION]
    if table not in found:
        abort(404)
    viewer = viewers.who(table)
    if not viewer.owner and not viewer.names:
        abort(403)
    return found[table]


def _told(say: str = "") -> Answer:
    return jsonify({"say": say})


def _told_or(page: str, table: str) -> Answer:
    """For the script of this page a word, for a form of another page the way on."""
    if request.accept_mimetypes.best == "application/json":
        return _told()
    return redirect(url_for(page, table=table))


def _tile() -> str | None:
    tile = request.form.get("tile") or None
    if tile is not None and tile not in NUMBER:
        abort(400)
    return tile


@blueprint.get("/t/<table>/virtual")
def page(table: str) -> str:
    """The table and its pieces."""
    desk = _desk(table)
    rows = [[column + row for column in COLUMNS] for row in ROWS]
    return render_template(
        "virtual.html",
        table=table,
        rows=rows,
        trays=TRAYS,
        faults=KINDS,
        robots=ROBOTS,
        paces=PACES,
        seats=session_of(table).snapshot.seats,
        state=desk.state(),
        address=url_for("virtual.page", table=table),
    )


@blueprint.get("/t/<table>/virtual/stream")
def stream(table: str) -> Response:
    """The picture, whenever it changes."""
    desk = _desk(table)

    def pictures() -> Iterator[str]:
        version = -1
        yield "retry: 1000\n\n"
        while True:
            newest = desk.table.wait(version, LOOK_EVERY_S)
            if newest == version:
                yield "event: alive\ndata: \n\n"
                continue
            state = desk.state()
            version = state["version"]
            yield f"data: {json.dumps(state)}\n\n"

    return Response(pictures(), mimetype="text/event-stream", headers={"X-Accel-Buffering": "no"})


@blueprint.post("/t/<table>/virtual/move")
def move(table: str) -> Answer:
    """Put pieces somewhere, standing or on their side."""
    desk = _desk(table)
    tags = [tag for tag in request.form.get("tags", "").split(",") if tag][:MOST_TAGS]
    try:
        desk.table.move(tags, request.form.get("spot", ""), request.form.get("lying") == "yes")
    except NoSuchGesture:
        abort(400)
    return _told()


@blueprint.post("/t/<table>/virtual/lift")
def lift(table: str) -> Answer:
    """Take all meeples of a tile into the hand."""
    desk = _desk(table)
    tile = _tile()
    if tile is None:
        abort(400)
    desk.table.lift(tile)
    return _told()


@blueprint.post("/t/<table>/virtual/draw")
def draw(table: str) -> Answer:
    """Take a meeple out of the bag, unseen."""
    desk = _desk(table)
    inside = desk.table.at(BAG)
    if inside:
        desk.table.move([desk.dice.choice(inside)], HAND)
    return _told()


@blueprint.post("/t/<table>/virtual/back")
def back(table: str) -> Answer:
    """Take back the last gesture."""
    _desk(table).table.take_back()
    return _told()


@blueprint.post("/t/<table>/virtual/lay-out")
def lay_out(table: str) -> Answer:
    """Shuffle and lay out everything anew."""
    desk = _desk(table)
    desk.table.set_up(desk.dice)
    return _told_or("setup.wizard", table)


@blueprint.post("/t/<table>/virtual/as-recorded")
def as_recorded(table: str) -> Answer:
    """Lay everything as the record has it: a game is taken up again, and the table was put away meanwhile."""
    desk = _desk(table)
    shown = desk.session.snapshot
    if shown.game is None:
        abort(409)
    colours = {seat.name: seat.colour for seat in shown.seats}
    for spot, tags in standing.as_recorded(shown.game, desk.table, colours).items():
        desk.table.move(tags, spot)
    return _told()


@blueprint.post("/t/<table>/virtual/fault")
def fault(table: str) -> Answer:
    """Let a fault happen; it ends by itself after some seconds, or lasts until somebody mends it."""
    desk = _desk(table)
    kind = request.form.get("kind", "")
    if kind not in KINDS:
        abort(400)
    desk.faults.inject(kind, _tile(), A_DAY_MS if request.form.get("lasting") == "yes" else None)
    return _told()


@blueprint.post("/t/<table>/virtual/mend")
def mend(table: str) -> Answer:
    """Mend everything."""
    _desk(table).faults.clear()
    return _told()


@blueprint.post("/t/<table>/virtual/demo")
def demo(table: str) -> Answer:
    """Lay the box out and let three robots play a game, with an illegal move a minute, put right as the flag says."""
    desk = _desk(table)
    if not viewers.who(table).owner:
        abort(403)
    if desk.session.snapshot.stage in (SETUP, PLAY):
        abort(409)
    desk.table.set_up(desk.dice)
    try:
        begin(desk.link, desk.session, DEMO_PLAYERS)
    except NoGame as error:
        abort(409, str(error))
    for name in DEMO_PLAYERS:
        desk.robots.sit(name, "greedy", "human", 1.0)
    return _told_or("pages.screen", table)


@blueprint.post("/t/<table>/virtual/robot")
def robot(table: str) -> Answer:
    """Let a robot take over a seat, or give it back."""
    desk = _desk(table)
    form = request.form
    name = form.get("name", "")
    if name not in (seat.name for seat in session_of(table).snapshot.seats):
        abort(400)
    if form.get("robot") == "":
        desk.robots.stand_up(name)
    elif form.get("robot") in ROBOTS and form.get("pace") in PACES:
        often = 1.0 if form.get("mistakes") == "yes" else 0.0
        desk.robots.sit(name, form["robot"], form["pace"], often)
    else:
        abort(400)
    desk.table.touch()
    return _told()
