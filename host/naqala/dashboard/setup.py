"""Setting up: the wizard for a new game, the live check, resume or abort, enrolling tags, and the touch test.

Everything here is the owner's, but a game that waits may be resumed by whoever has a seat in it. What the wizard posts becomes one `NewGame`; whether it fits is the session's answer.
"""

from __future__ import annotations

from collections import Counter
from typing import Any

from flask import Blueprint, abort, current_app, render_template, request, url_for
from werkzeug.wrappers import Response

from naqala.dashboard import language, viewers, words
from naqala.dashboard.answers import refusal
from naqala.dashboard.language import N_, say
from naqala.dashboard.pages import table_scene
from naqala.dashboard.robot_card import LEVELS
from naqala.dashboard.robots import NEEDS_DEALT_CARDS
from naqala.dashboard.tables import moves_itself, robots_of, session_of
from naqala.dashboard.taps import answer, number, owner_only, seated_or_owner, tell
from naqala.rules.board import COLUMNS, NUMBER, ROWS, TILES
from naqala.rules.model import EDITIONS, SWITCHES
from naqala.rules.tiles import TILE_TYPES
from naqala.session import commands as c
from naqala.session.evening import CARDS, LONGEST_NAME
from naqala.session.snapshot import PHONES, Snapshot
from naqala.table.enrol import in_the_box
from naqala.table.pieces import CAMEL_COLOURS, piece

blueprint = Blueprint("setup", __name__)

MOST_PLAYERS = len(CAMEL_COLOURS)
SWITCH_WORDS: dict[str, tuple[str, dict[str, str]]] = {
    "djinn_once_per": (
        N_("With two players a djinn may be called"),
        {"round": N_("once a round"), "marker": N_("once for each marker")},
    ),
    "anun_nak_short_bag": (
        N_("Anun-Nak with fewer than three meeples in the bag"),
        {"draw_what_there_is": N_("takes what there is"), "needs_three": N_("cannot be called")},
    ),
    "lamia_hagis_scope": (
        N_("Lamia and Hagis help with"),
        {"any_placement": N_("every placement"), "tile_action_only": N_("the tile's own action only")},
    ),
    "kandicha_feeds_nekir": (
        N_("Nekir is paid for victims that Kandicha keeps"),
        {"no": N_("no"), "yes": N_("yes")},
    ),
    "large_market_take_one": (
        N_("In the large market one card may be taken"),
        {"no": N_("no"), "yes": N_("yes")},
    ),
    "hand_visibility": (
        N_("Goods in hand are"),
        {"private": N_("secret"), "public": N_("open")},
    ),
    "promo_dhenim": (
        N_("The promo djinn Dhenim"),
        {
            "off": N_("stays in the box"),
            "per_taking": N_("pays per taking"),
            "per_vizier": N_("pays per vizier"),
        },
    ),
}
PIECES: tuple[str, ...] = ("meeple Y", "meeple W", "meeple G", "meeple B", "meeple R", "palm", "palace")
# What can lie on a place, as the layout by taps offers it: "village 5".
PRINTED: tuple[str, ...] = tuple(
    f"{kind.name} {points}" for kind in TILE_TYPES.values() for points in sorted(set(kind.points))
)


def _owner(table: str) -> None:
    session_of(table)
    owner_only(viewers.who(table))


@blueprint.get("/t/<table>/setup")
def wizard(table: str) -> str:
    """The wizard, or the live check of a game that is being set up."""
    _owner(table)
    snapshot = session_of(table).snapshot
    context = table_scene(snapshot, viewers.screen())
    return render_template(
        "setup.html",
        stream=url_for("stream.stream", table=table, page="setup"),
        colour_choices=CAMEL_COLOURS,
        people=range(1, MOST_PLAYERS + 1),
        switch_choices=_switches(),
        printed=PRINTED,
        rows=ROWS,
        columns=COLUMNS,
        host_address=request.host_url.rstrip("/") + url_for("pages.owner", token=viewers.token()),
        **context,
    )


def _switches() -> list[dict[str, Any]]:
    found = []
    for name, values in SWITCHES.items():
        label, options = SWITCH_WORDS[name]
        found.append(
            {"name": name, "label": say(label), "options": [(value, say(options[value])) for value in values]}
        )
    return found


@blueprint.post("/t/<table>/setup/new")
def new_game(table: str) -> Response:
    """A game from the wizard."""
    _owner(table)
    form = request.form
    people = [
        (
            form.get(f"name.{seat}", "").strip()[:LONGEST_NAME],
            form.get(f"colour.{seat}", ""),
            form.get(f"robot.{seat}"),
        )
        for seat in range(1, MOST_PLAYERS + 1)
    ]
    nameless = any(robot and not name for name, _, robot in people)
    people = [person for person in people if person[0]]
    names, colours = tuple(name for name, _, _ in people), tuple(colour for _, colour, _ in people)
    go = url_for("setup.wizard", table=table)
    told_robots = form.get("robot_moves") == "people" or not moves_itself(table)
    if told_robots and form.get("cards") == "physical" and any(robot for _, _, robot in people):
        return answer(say(NEEDS_DEALT_CARDS), go)
    if nameless:
        return answer(say("A robot needs a name too."), go)
    if not 2 <= len(names) <= MOST_PLAYERS or len(set(names)) < len(names):
        return answer(say("Two to four players with different names, please."), go)
    if any(not name.isprintable() or name == c.OWNER for name in names):
        return answer(say("These names cannot be used."), go)
    if len(set(colours)) < len(colours) or not set(colours) <= set(CAMEL_COLOURS):
        return answer(say("Every player needs a colour of their own."), go)
    tiles = _layout() if form.get("layout") == "taps" else None
    command = c.NewGame(
        c.OWNER,
        names,
        colours,
        edition=_one_of("edition", EDITIONS),
        switches=tuple((name, _one_of(f"switch.{name}", values)) for name, values in SWITCHES.items()),
        cards=_one_of("cards", CARDS),
        help=form.get("help") == "yes",
        language=_one_of("language", tuple(language.LANGUAGES)),
        tiles=tiles,
        coach=form.get("coach", "") if form.get("coach") in LEVELS else "",
        hints=number("hints") if form.get("coach") in LEVELS else 1,
    )
    told = session_of(table).tell(command)
    if told.accepted:
        robots_of(table).new_game({name: robot for name, _, robot in people}, told=told_robots)
        viewers.seats().wake()
    if told.accepted and session_of(table).snapshot.evidence == PHONES:
        go = url_for("layout.page", table=table)
    return answer("" if told.accepted else refusal(told), go, told.accepted)


def _one_of(field: str, values: tuple[str, ...]) -> str:
    wanted = request.form.get(field, "")
    return wanted if wanted in values else values[0]


def _layout() -> dict[str, dict[str, Any]] | None:
    """Tiles told by taps; None when a place was left open."""
    found: dict[str, dict[str, Any]] = {}
    for tile in TILES:
        kind, _, points = request.form.get(f"tile.{tile}", "").partition(" ")
        if f"{kind} {points}" not in PRINTED:
            return None
        found[tile] = {"type": kind, "points": int(points)}
    return found


@blueprint.post("/t/<table>/setup/begin")
def begin(table: str) -> Response:
    """The set-up is accepted."""
    _owner(table)
    told = session_of(table).tell(c.Begin(c.OWNER, number("step"), request.form.get("ready") == "yes"))
    go = _onward(table)
    if told.why == "invalid":
        return answer(say("The game can't start yet: first fix what the check lists."), go)
    return answer("" if told.accepted else refusal(told), go, told.accepted)


@blueprint.post("/t/<table>/setup/resume")
def resume(table: str) -> Response:
    """Go on with the unfinished game."""
    session, viewer = session_of(table), viewers.who(table)
    waiting = session.snapshot.unfinished
    of_the_game = waiting is not None and viewer.name in waiting.players
    told = session.tell(c.Resume(str(viewer.name) if of_the_game else owner_only(viewer)))
    if told.accepted:
        robots_of(table).resumed()
    return answer("" if told.accepted else refusal(told), _onward(table), told.accepted)


@blueprint.post("/t/<table>/setup/restart")
def restart(table: str) -> Response:
    """Start a session again that stopped; whoever plays or hosts here may."""
    session_of(table)
    return tell(table, c.Restart(seated_or_owner(table)), _onward(table), follow=True)


def _onward(table: str) -> str:
    """Where the game is followed: the screen, or the seat or the hands of a virtual table for who came from there."""
    then = request.form.get("then")
    if then == "virtual" and moves_itself(table):
        return url_for("virtual.page", table=table)
    return url_for("pages.seat" if then == "seat" else "pages.screen", table=table)


@blueprint.post("/t/<table>/setup/abort")
def abort_game(table: str) -> Response:
    """Give the game up; its record stays."""
    _owner(table)
    return tell(table, c.Abort(c.OWNER, number("step")), url_for("setup.wizard", table=table), follow=True)


@blueprint.post("/t/<table>/setup/help")
def help_on(table: str) -> Response:
    """Help on or off, the same for all."""
    _owner(table)
    command = c.SetHelp(c.OWNER, request.form.get("on") == "yes")
    return tell(table, command, url_for("setup.wizard", table=table), follow=True)


# --- tags and readers ---------------------------------------------------------------------------------------


@blueprint.get("/t/<table>/enrol")
def enrolment(table: str) -> str:
    """Teach the companion which tag is which piece."""
    _owner(table)
    snapshot = session_of(table).snapshot
    context = table_scene(snapshot, viewers.screen())
    stream = url_for("stream.stream", table=table, page="enrol")
    return render_template(
        "enrol.html", stream=stream, readers=snapshot.readers, **context, **enrolled(table)
    )


def kind_label(kind: str) -> str:
    """A kind of piece in words: "meeple Y", "camel pink", "tile village 5"."""
    what, _, which = kind.partition(" ")
    if what == "meeple":
        return words.tribe(which)
    if what == "camel":
        return say("Camels (%(colour)s)", colour=words.colour(which))
    if what == "tile":
        name, _, points = which.partition(" ")
        return say("Tile: %(name)s %(points)s", name=words.tile_type(name), points=points)
    return say("Palm trees") if what == "palm" else say("Palaces")


def enrolled(table: str) -> dict[str, object]:
    """Every kind of piece with how many tags are known, and the readers that see tags nobody knows."""
    snapshot = session_of(table).snapshot
    kinds = [*PIECES, *(f"camel {colour}" for colour in CAMEL_COLOURS), *(f"tile {tile}" for tile in PRINTED)]
    known = _known(snapshot)
    rows = [
        {"kind": kind, "label": kind_label(kind), "known": known[kind], "box": in_the_box(piece(kind))}
        for kind in kinds
    ]
    strange = {tile: len(tags) for tile, tags in snapshot.sight.unknown.items()} if snapshot.sight else {}
    return {"kinds": rows, "strange": sorted(strange.items())}


def _known(snapshot: Snapshot) -> Counter[str]:
    """Registered tags by kind. While a game runs camels bear their player's name and tiles their place."""
    colour = {seat.name: seat.colour for seat in snapshot.seats}
    found: Counter[str] = Counter()
    for one in snapshot.sight.tags.values() if snapshot.sight else ():
        which = colour.get(one.which, one.which) if one.kind == "camel" else one.which
        if one.kind == "tile" and which in NUMBER and snapshot.game is not None:
            lies = snapshot.game.tile(which)
            which = f"{lies.type} {lies.points}"
        found[f"{one.kind} {which}".strip()] += 1
    return found


@blueprint.post("/t/<table>/enrol")
def enrol(table: str) -> Response:
    """What lies on one reader is pieces of this kind."""
    _owner(table)
    kind = request.form.get("kind", "")
    if len(kind) > LONGEST_NAME + 8 or not kind.isprintable():
        abort(400)
    return tell(table, c.Enrol(c.OWNER, number("reader"), kind), url_for("setup.enrolment", table=table))


@blueprint.get("/t/<table>/touch")
def touch(table: str) -> str:
    """Touch each tile once: which reader answers? What was seen before the test began does not count."""
    _owner(table)
    snapshot = session_of(table).snapshot
    context = table_scene(snapshot, viewers.screen())
    stream = url_for("stream.stream", table=table, page="touch")
    return render_template("touch.html", stream=stream, **context, **touched(table))


@blueprint.post("/t/<table>/touch")
def touch_again(table: str) -> Response:
    """Start the test over from here."""
    _owner(table)
    _untouched(table, start_over=True)
    viewers.seats().wake()
    return answer("", url_for("setup.touch", table=table), follow=True)


def _untouched(table: str, start_over: bool) -> None:
    """From here on tiles count as touched: later lines of their readers are the touches."""
    marks: dict[str, dict[int, int]] = current_app.extensions["naqala-touched"]
    if start_over or table not in marks:
        marks[table] = {reader.reader: reader.last or 0 for reader in session_of(table).snapshot.readers}


def touched(table: str) -> dict[str, object]:
    """Every tile with the state of its reader in the test: `passed`, `waiting` or `failed`. It begins with the first look."""
    _untouched(table, start_over=False)
    marks: dict[str, dict[int, int]] = current_app.extensions["naqala-touched"]
    before = marks.get(table, {})
    readers = {reader.tile: reader for reader in session_of(table).snapshot.readers}
    found = []
    for tile in sorted(TILES, key=lambda name: (name[1], name[0])):
        reader = readers.get(tile)
        if reader is None or reader.state != "ok":
            found.append({"tile": tile, "state": "failed", "why": reader.state if reader else ""})
        else:
            changed = (reader.last or 0) > before.get(reader.reader, 0)
            found.append({"tile": tile, "state": "passed" if changed else "waiting", "why": ""})
    return {"touched": found, "answered": sum(one["state"] == "passed" for one in found)}
