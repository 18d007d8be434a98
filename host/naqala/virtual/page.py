"""The page to move the pieces: /t/<table>/virtual. Gestures come as form posts, the picture goes out as a stream, with
whose turn it is and the flag beside it.

It is the table, not the game: whoever may sit at it (a seat, or the owner) may do anything to it, and nothing is checked
but that the piece and the place exist. Faults and robots are had from the same page.
"""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from functools import partial

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

from naqala.dashboard import keys, viewers, words
from naqala.dashboard.channels import Wake
from naqala.dashboard.language import say
from naqala.dashboard.pages import held, table_scene
from naqala.dashboard.seat_requests import PERSON, ROBOT
from naqala.dashboard.stream import PARTS, Part, feed, part_for
from naqala.dashboard.tables import session_of
from naqala.hands.table import BAG, HAND, SUPPLY, before
from naqala.robots import ROBOTS
from naqala.rules.board import COLUMNS, NUMBER, ROWS
from naqala.rules.opening import BOX_TILES
from naqala.rules.tiles import TILE_TYPES
from naqala.session.session import Session
from naqala.session.snapshot import PLAY, SETUP
from naqala.table.pieces import CAMEL_COLOURS
from naqala.virtual import connect
from naqala.virtual.evening import NoGame, begin, lay_as_recorded, lay_out_anew
from naqala.virtual.faults import KINDS, Faults
from naqala.virtual.link import VirtualLink
from naqala.virtual.paces import PACES
from naqala.virtual.seats import USUAL, RobotSeats
from naqala.virtual.table import NoSuchGesture

blueprint = Blueprint("virtual", __name__)
EXTENSION = "naqala-virtual"
MOST_TAGS = 200
A_DAY_MS = 86_400_000
DEMO_PLAYERS = ("Ann", "Bob", "Cleo")
TRAYS = (HAND, BAG, SUPPLY, *(before(colour) for colour in CAMEL_COLOURS))


class Desk:
    """What the page can reach of one table."""

    def __init__(self, link: VirtualLink, session: Session, robots: RobotSeats) -> None:
        self.table = link.table
        self.link, self.session = link, session
        self.faults = Faults(link.table, link.table.seed)
        self.robots = robots
        self.watching: dict[object, Wake] = {}
        self._picture: tuple[int, bytes] = (-1, b"")
        link.table.listen(self._moved)

    def picture(self) -> tuple[int, bytes]:
        """The newest version and its message, made once for all streams."""
        if self._picture[0] != self.table.version:
            shown = self.table.picture()
            message = f"event: picture\ndata: {json.dumps(shown)}\n\n".encode()
            self._picture = (shown["version"], message)
        return self._picture

    def _moved(self) -> None:
        for wake in list(self.watching.values()):
            wake()


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
    kept: keys.Robots = app.extensions["naqala-kept-robots"]
    desks = {
        name: Desk(link, session, RobotSeats(link, session, robots, kept.of(name), partial(kept.keep, name)))
        for name, (link, session) in tables.items()
    }
    # The wizard leaves the first seat to a person, if one is free.
    first = 2 if len(robots) < len(CAMEL_COLOURS) else 1
    app.extensions[EXTENSION] = desks
    app.extensions["naqala-robots"] = {name: desk.robots for name, desk in desks.items()}
    app.extensions[PARTS]["virtual.stream"] = virtual_part
    app.register_blueprint(blueprint)
    app.context_processor(
        lambda: {
            "robot_seats": dict(enumerate(robots, first)),
        }
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


def _told() -> Answer:
    return jsonify({"say": ""})


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
    context = table_scene(desk.session.snapshot, viewers.hands(table))
    return render_template(
        "virtual.html",
        grid=[[column + row for column in COLUMNS] for row in ROWS],
        trays=TRAYS,
        faults=KINDS,
        paces=PACES,
        state=desk.table.picture(),
        prints=PRINTS,
        piece_words=_piece_words(),
        address=url_for("virtual.page", table=table),
        stream=url_for("virtual.stream", table=table),
        **context,
        **held(table),
    )


# Every kind of tile in the box, as the board's drawing wants it.
PRINTS = [
    {"type": kind, "points": points, "colour": "blue" if TILE_TYPES[kind].blue else "red"}
    for kind, points in dict.fromkeys(BOX_TILES)
]


def _piece_words() -> dict[str, dict[str, str]]:
    """What the script calls pieces: one by itself, a heap of them in a tray, and a tile."""
    one = {piece: words.piece(piece) for piece in words.HEAPS if piece != "camel"}
    one |= {f"camel {colour}": words.piece(f"camel {colour}") for colour in CAMEL_COLOURS}
    heap = {piece: say(text) for piece, text in words.HEAPS.items()}
    tiles = {f"tile {kind}": say(name) for kind, name in words.TILE_NAMES.items()}
    return {"one": one | tiles, "heap": heap, "camel": {"of": say("a camel of %(name)s", name="%s")}}


class PicturePart:
    """Where every piece is, whenever one was moved. The picture is made once for all who look."""

    def __init__(self, desk: Desk) -> None:
        self._desk, self._version = desk, -1

    def join(self, wake: Wake) -> None:
        self._desk.watching[self] = wake

    def leave(self) -> None:
        self._desk.watching.pop(self, None)

    def take(self) -> list[bytes]:
        if self._desk.table.version == self._version:
            return []
        self._version, message = self._desk.picture()
        return [message]


@blueprint.get("/t/<table>/virtual/stream")
def stream(table: str) -> Response:
    """The picture whenever a piece was moved, and the page's fragments like any other page's."""
    return feed([virtual_part(table)])


def virtual_part(table: str) -> Part:
    """Picture and fragments, for those who sit at the table."""
    desk = _desk(table)
    return BothParts(PicturePart(desk), part_for(table, "virtual", viewers.hands(table)))


class BothParts:
    """Two parts as one: a page with two sources."""

    def __init__(self, *parts: Part) -> None:
        self._parts = parts

    def join(self, wake: Wake) -> None:
        for part in self._parts:
            part.join(wake)

    def leave(self) -> None:
        for part in self._parts:
            part.leave()

    def take(self) -> list[bytes]:
        return [message for part in self._parts for message in part.take()]


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
        desk.table.move([desk.link.chance.choice(inside)], HAND)
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
    lay_out_anew(desk.link, desk.session)
    return _told_or("setup.wizard", table)


@blueprint.post("/t/<table>/virtual/as-recorded")
def as_recorded(table: str) -> Answer:
    """Lay everything as the record has it."""
    desk = _desk(table)
    if not lay_as_recorded(desk.link, desk.session):
        abort(409)
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
    lay_out_anew(desk.link, desk.session)
    try:
        begin(desk.link, desk.session, DEMO_PLAYERS, demo=True)
    except NoGame as error:
        abort(409, str(error))
    desk.robots.new_game(dict.fromkeys(DEMO_PLAYERS, USUAL), mistakes_per_minute=1.0)
    return _told_or("pages.screen", table)


@blueprint.post("/t/<table>/virtual/robot")
def robot(table: str) -> Answer:
    """Let a robot take over a seat."""
    desk, name = _desk(table), _player(table)
    robot, pace = request.form.get("robot", USUAL), request.form.get("pace", "human")
    if robot not in ROBOTS or pace not in PACES:
        abort(400)
    viewers.seats().tell(table, ROBOT, name)
    desk.robots.sit(name, robot, pace, 1.0 if request.form.get("mistakes") == "yes" else 0.0)
    return _told_or("pages.join", table)


@blueprint.post("/t/<table>/virtual/person")
def person(table: str) -> Answer:
    """A person plays on where a robot played."""
    desk, name = _desk(table), _player(table)
    viewers.seats().tell(table, PERSON, name)
    desk.robots.stand_up(name)
    return _told_or("pages.join", table)


def _player(table: str) -> str:
    """The player of the form: the owner may name anybody, a phone its own seats only. Whoever may put a robot up or down may
    sit there next, and read its hand."""
    viewer, name = viewers.who(table), request.form.get("name", "")
    if name not in (seat.name for seat in session_of(table).snapshot.seats):
        abort(400)
    if not viewer.owner and name not in viewer.names:
        abort(403)
    return name
