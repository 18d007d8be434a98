"""The house's own pages: joining by code, installing the page on a phone, the private connection, what is shown offline."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

from flask import Blueprint, Flask, Response, abort, current_app, jsonify, redirect, render_template, url_for
from werkzeug.wrappers import Response as Answer

from naqala.dashboard import viewers
from naqala.dashboard.codes import LENGTH, codes
from naqala.dashboard.language import language_here, say
from naqala.dashboard.tables import session_of, sessions, setting
from naqala.dashboard.taps import answer, owner_only

blueprint = Blueprint("house", __name__)
STATIC = Path(__file__).parent / "static"
ICONS = (("icon-192.png", 192, "any"), ("icon-512.png", 512, "any"), ("icon-maskable.png", 512, "maskable"))
NIGHT = "#14142a"


def add(app: Flask) -> None:
    """Give the app these pages, and templates the code of a table."""
    app.register_blueprint(blueprint)
    app.add_template_global(join_code)
    app.add_template_global(_without_scheme, "without_scheme")


def join_code(table: str) -> str:
    """The four letters that lead to this table."""
    return codes(current_app.extensions["naqala-keys"].signing, sessions())[table]


def _without_scheme(address: str) -> str:
    """An address as people type it."""
    return address.partition("://")[2]


@blueprint.get(f"/<string(length={LENGTH}):code>")
def by_code(code: str) -> Answer:
    """Typed by hand, in small letters or large ones: straight to the names."""
    found = codes(current_app.extensions["naqala-keys"].signing, sessions())
    table = next((table for table, letters in found.items() if letters == code.upper()), None)
    if table is None:
        abort(404)
    return redirect(url_for("pages.join", table=table), 302)


@blueprint.post("/t/<table>/let-phones-join")
def let_phones_join(table: str) -> Answer:
    """Phones on this network may join from now on; the code is on the table screen."""
    session_of(table)
    owner_only(viewers.screen())
    let_in: Any = setting("let_in")
    done = let_in is None or let_in()
    sentence = "" if done else say("This machine is in no network, or another program has the port there.")
    return answer(sentence, url_for("pages.screen", table=table), follow=done)


@blueprint.get("/start")
def start() -> Answer:
    """Where the installed page begins: at this phone's own seat, if it has one."""
    for table in sessions():
        if viewers.who(table).names:
            return redirect(url_for("pages.seat", table=table), 302)
    return redirect(url_for("pages.tables"), 302)


@blueprint.get("/manifest.webmanifest")
def manifest() -> Response:
    """What a browser needs to install the page."""
    icons = [
        {
            "src": url_for("static", filename=name),
            "sizes": f"{size}x{size}",
            "type": "image/png",
            "purpose": purpose,
        }
        for name, size, purpose in ICONS
    ]
    found = jsonify(
        {
            "id": "/",
            "name": "Naqala",
            "short_name": "Naqala",
            "description": say("A companion for people who play on a real table."),
            "lang": language_here(),
            "start_url": url_for("house.start"),
            "scope": "/",
            "display": "standalone",
            "background_color": NIGHT,
            "theme_color": NIGHT,
            "icons": icons,
        }
    )
    found.mimetype = "application/manifest+json"
    return found


@blueprint.get("/sw.js")
def service_worker() -> Response:
    """The service worker, with the list of files it keeps; it stands at the root because it serves every page."""
    kept = [
        url_for("static", filename=path.name)
        for path in sorted(STATIC.iterdir())
        if path.suffix in (".css", ".js", ".svg")
    ]
    head = f"const KEPT = {json.dumps(kept)};\nconst OFFLINE = {json.dumps(url_for('house.offline'))};\n"
    text = head + (STATIC / "sw.js").read_text(encoding="utf-8")
    return Response(text, mimetype="text/javascript")


@blueprint.get("/offline")
def offline() -> str:
    """What is shown where nothing of a page was ever seen."""
    return render_template("offline.html")


@blueprint.get("/authority")
def authority() -> str:
    """What the warning means, and how to be rid of it."""
    found: Any = setting("authority")
    if found is None:
        abort(404)
    secure = setting("secure")
    return render_template("authority.html", secure=secure, fingerprint=found.fingerprint())


@blueprint.get("/authority.crt")
def certificate() -> Response:
    """The authority's certificate, as phones install it."""
    found: Any = setting("authority")
    if found is None:
        abort(404)
    headers = {"Content-Disposition": 'attachment; filename="naqala-authority.crt"'}
    return Response(found.certificate(), mimetype="application/x-x509-ca-cert", headers=headers)
