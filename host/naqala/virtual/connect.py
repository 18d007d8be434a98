"""The way from the virtual table to a real one: /t/<table>/real says who answers on the serial ports, and what to do.

For the owner only. It looks anew each time it is shown, and shows itself again every few seconds; a controller that
answers is one button away from being a table of its own beside the virtual one. What connects it is the service's affair.
"""

from __future__ import annotations

import threading
from collections.abc import Callable, Sequence

from flask import Blueprint, Flask, abort, current_app, render_template, request, url_for
from werkzeug.wrappers import Response

from naqala.dashboard import viewers
from naqala.dashboard.tables import session_of, sessions
from naqala.dashboard.taps import answer, owner_only
from naqala.journal import JournalError
from naqala.link import ports

blueprint = Blueprint("real", __name__)
EXTENSION = "naqala-real"
AGAIN_S = 5  # a page that waits for a controller looks again so often
LONGEST_NAME = 32

Connect = Callable[[str], str]  # a controller's name -> the table that follows it


class Ports:
    """The serial ports of this machine. Two pages that look at once ask one after the other."""

    def __init__(self, further: Sequence[str], connect: Connect) -> None:
        self.connect = connect
        self._further = tuple(further)
        self._asking = threading.Lock()

    def found(self) -> list[ports.Found]:
        """Every port and who answers on it; none is left open."""
        with self._asking:
            return ports.who_answers(ports.candidates(self._further), "host")


def add(app: Flask, further: Sequence[str], connect: Connect) -> None:
    """Give the app the page; `further` are ports to look at besides the usual ones."""
    app.extensions[EXTENSION] = Ports(further, connect)
    app.register_blueprint(blueprint)


def _ports(table: str) -> Ports:
    session_of(table)
    owner_only(viewers.who(table))
    found: Ports = current_app.extensions[EXTENSION]
    return found


@blueprint.get("/t/<table>/real")
def page(table: str) -> str:
    """Who answers, what is in the way of the others, and what to do when there is nobody."""
    found = _ports(table).found()
    virtual = current_app.extensions.get("naqala-virtual", ())
    real = [(name, one.snapshot.link.up) for name, one in sessions().items() if name not in virtual]
    return render_template("real.html", table=table, found=found, real=real, again=AGAIN_S)


@blueprint.post("/t/<table>/real")
def connect(table: str) -> Response:
    """Follow this controller from now on, as a table of its own."""
    way = _ports(table)
    name = request.form.get("controller", "")
    if not name or len(name) > LONGEST_NAME or not name.isprintable() or "/" in name:
        abort(400)
    try:
        return answer("", url_for("pages.screen", table=way.connect(name)), follow=True)
    except JournalError as error:  # another companion has this table
        return answer(str(error), url_for("real.page", table=table))
