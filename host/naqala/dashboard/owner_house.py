"""The host's page about the house itself: its backups and what is restored, and the keys of other programs."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import Any

from flask import Blueprint, Flask, abort, redirect, render_template, request, send_file, url_for
from werkzeug.test import EnvironBuilder
from werkzeug.wrappers import Response

import naqala
from naqala.backup import BackupError, in_folder, pending
from naqala.backup.keeper import Keeper
from naqala.backup.layout import Manifest
from naqala.dashboard import viewers
from naqala.dashboard.language import N_, say
from naqala.dashboard.programs import METRICS, OF_A_SEAT, PUBLIC, SEAT, TELL, programs
from naqala.dashboard.seat_requests import PROGRAM
from naqala.dashboard.tables import sessions, setting
from naqala.dashboard.taps import answer, owner_only
from naqala.journal import Journal

UPLOAD = "/owner/house/upload"
LARGEST_UPLOAD = 512 * 1024 * 1024  # bytes: hundreds of evenings
LARGEST_PIECE = 1 << 20  # bytes of an upload that are in memory at a time
SHOWN_BACKUPS = 20
BY_HAND = "by hand"

blueprint = Blueprint("house_of_owner", __name__, url_prefix="/owner/house")

WHY: dict[str, str] = {
    "by hand": N_("by hand"),
    "after a game": N_("after a game"),
    "nightly": N_("of the night"),
}
SCOPES: dict[str, str] = {
    PUBLIC: N_("read what everybody may see"),
    SEAT: N_("read what one player sees"),
    TELL: N_("act for that player"),
    METRICS: N_("read metrics"),
}


def add(app: Flask) -> None:
    """Give the app this page, and let an upload be as large as a backup."""
    app.register_blueprint(blueprint)
    app.add_template_global(viewers.is_owner)

    @app.url_value_preprocessor
    def larger(endpoint: str | None, _values: dict[str, Any] | None) -> None:
        """Before the form is looked at for the first time, which is in `safety`."""
        if endpoint == f"{blueprint.name}.upload" and viewers.is_owner():
            request.max_content_length = LARGEST_UPLOAD
            request.max_form_memory_size = LARGEST_PIECE


def largest(app: Flask) -> Callable[[str, str], int]:
    """For the server: how many bytes a request to this path with this cookie may have beyond the usual."""

    def allowed(path: str, cookie: str) -> int:
        if path != UPLOAD:
            return 0
        environ = EnvironBuilder("/", "http://localhost", headers=[("Cookie", cookie)]).get_environ()
        with app.request_context(environ):
            return LARGEST_UPLOAD if viewers.is_owner() else 0

    return allowed


def _owner() -> None:
    owner_only(viewers.screen())


def _back(sentence: str = "") -> Response:
    return answer(sentence, url_for("house_of_owner.house"), follow=True)


def _home() -> Path:
    found: Path = setting("home")
    return found


def _keeper() -> Keeper:
    found: Keeper | None = setting("keeper")
    if found is None:
        abort(404)
    return found


def _inside(manifest: Manifest) -> dict[str, Any]:
    """What a backup holds, for people."""
    finished = [game for game in manifest.games if game.how]
    return {
        "at": manifest.made.timestamp(),
        "games": len(manifest.games),
        "finished": len(finished),
        "whole": manifest.is_whole,
        "tables": ", ".join(manifest.tables),
        "players": ", ".join(sorted({name for game in manifest.games for name in game.players})[:12]),
        "program": manifest.program,
        "why": say(WHY[manifest.why]) if manifest.why in WHY else manifest.why,
    }


@blueprint.get("")
def house() -> str:
    """Version, backups, keys."""
    _owner()
    keeper: Keeper | None = setting("keeper")
    journal: Journal | None = setting("journal")
    rows = [
        {"name": one.path.name, "bytes": one.bytes, "at": one.at.timestamp(), "problem": one.problem}
        | ({"inside": _inside(one.manifest)} if one.manifest is not None else {})
        for one in (in_folder(keeper.folder)[:SHOWN_BACKUPS] if keeper is not None else ())
    ]
    waiting, agreed = pending.incoming(_home()), pending.pending(_home())
    players = [(table, seat.name) for table, one in sessions().items() for seat in one.snapshot.seats]
    return render_template(
        "house.html",
        version=naqala.__version__,
        journal=journal.name if journal is not None else "",
        keeps=keeper is not None,
        problem=keeper.problem if keeper is not None else "",
        backups=rows,
        incoming=waiting and _inside(waiting.manifest) | {"problems": waiting.problems},
        pending=agreed and _inside(agreed.manifest),
        programs=[(one, [say(SCOPES[scope]) for scope in one.scopes]) for one in programs().all],
        scopes=[(scope, say(words)) for scope, words in SCOPES.items()],
        players=players,
    )


@blueprint.post("/backup")
def back_up() -> Response:
    """Make a backup now."""
    _owner()
    try:
        _keeper().make(BY_HAND)
    except BackupError as error:
        return _back(say("No backup was made: %(why)s", why=str(error)))
    return _back(say("The backup is made."))


@blueprint.get("/backup/<name>")
def download(name: str) -> Response:
    """One of the backups, to keep elsewhere."""
    _owner()
    found = next((one.path for one in in_folder(_keeper().folder) if one.path.name == name), None)
    if found is None:
        abort(404)
    return send_file(found.absolute(), mimetype="application/zip", as_attachment=True, download_name=name)


@blueprint.post("/upload")
def upload() -> Response:
    """A backup from elsewhere: it is read to its end and shown, and nothing else happens yet."""
    _owner()
    file = request.files.get("backup")
    if file is None or not file.filename:
        return _back(say("Choose a file first."))
    try:
        pending.receive(_home(), file.stream)
    except BackupError as error:
        return _back(say("This file cannot be restored: %(why)s", why=str(error)))
    return redirect(url_for("house_of_owner.house") + "#incoming", 303)


@blueprint.post("/restore")
def restore() -> Response:
    """Yes or no to what was uploaded."""
    _owner()
    if request.form.get("agreed") != "yes":
        pending.discard(_home())
        return _back(say("The uploaded backup is put away."))
    if not pending.agree(_home()):
        return _back(say("There is no whole backup to restore."))
    return _back(say("It will be restored when the companion starts the next time."))


@blueprint.post("/programs")
def make_key() -> Response | str:
    """A key for a program. It is shown once, on the answer itself."""
    _owner()
    table, _, seat = request.form.get("player", "").partition("\n")
    scopes = [scope for scope in SCOPES if request.form.get(f"scope.{scope}")]
    known = any(
        table == one and seat in [s.name for s in held.snapshot.seats] for one, held in sessions().items()
    )
    if OF_A_SEAT & {*scopes} and not known:
        return _back(say("Choose the player whose seat this key is for."))
    try:
        made, token = programs().make(request.form.get("name", "").strip(), scopes, table, seat)
    except ValueError:
        return _back(say("A key needs a name and at least one right."))
    if made.seat:
        viewers.seats().log.tell(made.table, PROGRAM, made.seat)
        viewers.seats().wake()
    return render_template("key.html", program=made, token=token)


@blueprint.post("/programs/<program>/revoke")
def revoke(program: str) -> Response:
    """The key is worth nothing from now on."""
    _owner()
    found = programs().revoke(program)
    return _back(say("The key is revoked.") if found else say("There is no such key any more."))
