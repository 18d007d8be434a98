"""Whether the table is read or told: going on with phones when the readers fail, and back to the readers."""

from __future__ import annotations

from flask import Blueprint
from werkzeug.wrappers import Response

from naqala.dashboard.tables import session_of
from naqala.dashboard.taps import back, seated_or_owner, tell
from naqala.session.phone_commands import BackToReaders, GoOnWithPhones

blueprint = Blueprint("evidence", __name__)


@blueprint.post("/t/<table>/go-on-with-phones")
def phones(table: str) -> Response:
    """The record is the table from here on."""
    session_of(table)
    by = seated_or_owner(table)
    return tell(table, GoOnWithPhones(by), back(table, by))


@blueprint.post("/t/<table>/back-to-readers")
def readers(table: str) -> Response:
    """The table is read again; what differs is put right step by step."""
    session_of(table)
    by = seated_or_owner(table)
    return tell(table, BackToReaders(by), back(table, by))
