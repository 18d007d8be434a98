"""Robots and the coach on the pages of any table: sit down, stand up, done as told, strayed from, a hint."""

from __future__ import annotations

from flask import Blueprint, abort, request, url_for
from werkzeug.wrappers import Response

from naqala.dashboard import viewers
from naqala.dashboard.answers import refusal
from naqala.dashboard.language import N_, say
from naqala.dashboard.robot_card import LEVELS
from naqala.dashboard.seat_requests import PERSON, ROBOT
from naqala.dashboard.tables import robots_of, session_of
from naqala.dashboard.taps import answer, back, number, seated, seated_or_owner, tell
from naqala.session import commands as c

blueprint = Blueprint("robots", __name__)
USUAL = "normal"  # who sits down when nobody said which


def _player(table: str) -> str:
    """The player of the form: the owner may name anybody, a phone its own seats only. Whoever may put a robot up or down may
    sit there next, and read its hand."""
    viewer, name = viewers.who(table), request.form.get("name", "")
    if not viewer.owner and name not in viewer.names:
        abort(403)
    if name not in (seat.name for seat in session_of(table).snapshot.seats):
        abort(400)
    return name


@blueprint.post("/t/<table>/robot")
def sit(table: str) -> Response:
    """Let a robot take over a seat; people move its pieces."""
    shown, name, robot = session_of(table).snapshot, _player(table), request.form.get("robot", USUAL)
    if robot not in LEVELS:
        abort(400)
    go = url_for("pages.join", table=table)
    if shown.cards != "dealt":
        return answer(say(NEEDS_DEALT_CARDS), go)
    viewers.seats().log.tell(table, ROBOT, name)
    robots_of(table).sit(name, robot)
    viewers.seats().wake()
    return answer("", go, follow=True)


NEEDS_DEALT_CARDS = N_("A robot cannot see real cards: let the companion deal them.")


@blueprint.post("/t/<table>/person")
def stand_up(table: str) -> Response:
    """A person plays on where a robot played."""
    session_of(table)
    name = _player(table)
    viewers.seats().log.tell(table, PERSON, name)
    robots_of(table).stand_up(name)
    viewers.seats().wake()
    return answer("", url_for("pages.join", table=table), follow=True)


@blueprint.post("/t/<table>/done-as-told")
def done_as_told(table: str) -> Response:
    """The pieces were moved as the robot asked."""
    session_of(table)
    by = seated_or_owner(table)
    return tell(table, c.DoneAsTold(by, number("step")), back(table, by))


@blueprint.post("/t/<table>/strayed")
def strayed(table: str) -> Response:
    """Another move than the robot's: it stands, or is taken back."""
    session_of(table)
    by = seated_or_owner(table)
    stands = request.form.get("stands") == "yes"
    return tell(table, c.Strayed(by, number("step"), stands), back(table, by))


@blueprint.post("/t/<table>/coach")
def ask_coach(table: str) -> Response:
    """A hint for this seat, or the rest of the last one."""
    by = seated(table)
    told = session_of(table).tell(c.AskCoach(by, number("step")))
    return answer("" if told.accepted else refusal(told), url_for("pages.seat", table=table))
