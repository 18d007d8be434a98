"""The dashboard: a screen beside the table and a phone in each hand. `create_app(sessions, settings)` makes the app.

A snapshot of the session goes through `view.show` (what this viewer may see), `scene` (sentences and drawing) and the
templates to the page; the same fragments go on its stream. Taps come back as form posts and enter the session's inbox.
"""

from __future__ import annotations

import hashlib
from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass
from datetime import datetime
from pathlib import Path
from typing import Any
from urllib.parse import urlsplit

from flask import Flask, get_flashed_messages, session
from flask_babel import format_date, format_time

from naqala.backup.keeper import Keeper
from naqala.dashboard import (
    api,
    codes,
    cookies,
    diagnostics,
    end,
    errors,
    evidence,
    history,
    house,
    keys,
    language,
    layout_page,
    owner_house,
    pages,
    programs,
    review,
    robot_card,
    robots,
    safety,
    setup,
    stream,
    taps,
    together,
)
from naqala.dashboard.engraving import Engraver
from naqala.dashboard.tables import Session
from naqala.journal import Journal
from naqala.web.authority import Authority


@dataclass(frozen=True, slots=True)
class Settings:
    """`home` keeps the secrets; `address` is how phones reach this machine ("http://192.168.1.5:8000"); the
    `journal` is asked for games of the past and raw lines."""

    home: Path
    address: str = ""
    journal: Journal | None = None
    secure: str = ""  # the same with https, when that is served
    keeper: Keeper | None = None  # who makes backups
    authority: Authority | None = None  # who signed its certificate
    let_in: Callable[[], bool] | None = (
        None  # answer phones on the network as well, from now on; whether it can be done
    )


def create_app(sessions: Mapping[str, Session], settings: Settings) -> Flask:
    """The app for these tables."""
    app = errors.App(__name__)
    secrets = keys.load_keys(settings.home)
    app.secret_key = secrets.signing
    app.session_interface = cookies.Cookies(secrets.signing, lambda: app.extensions["naqala-keys"].owner)
    app.json.sort_keys = False  # type: ignore[attr-defined]
    app.extensions.update(
        {
            "naqala-sessions": sessions,
            "naqala-settings": settings,
            "naqala-keys": secrets,
            "naqala-seats": keys.Seats(settings.home),
            "naqala-programs": programs.Programs(settings.home),
            "naqala-archive": history.Archive(settings.journal),
            "naqala-robots": {},  # the virtual tables put theirs here, the others get them when first asked for
            "naqala-kept-robots": keys.Robots(settings.home),
            "naqala-reviews": review.Reviews(settings.home),
            "naqala-touched": {},
            "naqala-unveiled": {},
            "naqala-reads": {},
        }
    )
    stream.start(app)
    host = urlsplit(settings.address).hostname
    safety.protect(app, frozenset({host} if host else ()))
    language.speak(app)
    parts = (
        pages,
        stream,
        taps,
        robots,
        setup,
        layout_page,
        together,
        evidence,
        end,
        history,
        review,
        diagnostics,
    )
    for part in parts:
        app.register_blueprint(part.blueprint)
    house.add(app)
    api.add(app)
    owner_house.add(app)
    errors.answer(app)
    _furnish(app)
    return app


def owner_address(settings: Settings, address: str) -> str:
    """The address that makes a browser the owner's; printed once at the start."""
    return f"{address}/owner?token={keys.load_keys(settings.home).owner}"


def join_codes(settings: Settings, tables: Iterable[str]) -> dict[str, str]:
    """Table -> the letters that lead to it."""
    return codes.codes(keys.load_keys(settings.home).signing, tables)


def _as_date(seconds: float) -> str:
    """Day and time of day, by the clock on this machine's wall."""
    local = datetime.fromtimestamp(seconds).astimezone()
    return f"{format_date(local, 'medium', rebase=False)}, {format_time(local, 'short', rebase=False)}"


def _furnish(app: Flask) -> None:
    """What every template knows."""
    app.jinja_env.trim_blocks = app.jinja_env.lstrip_blocks = True
    marks = {
        path.name: hashlib.sha256(path.read_bytes()).hexdigest()[:10]
        for path in (Path(__file__).parent / "static").iterdir()
    }

    @app.context_processor
    def common() -> dict[str, Any]:
        theme = session.get("theme")
        return {
            "csrf_token": safety.csrf_token,
            "language": language.language_here(),
            "languages": language.LANGUAGES,
            "wording": language.wording_here(),
            "theme": theme if theme in pages.THEMES else "",
            "private_connection": bool(app.extensions["naqala-settings"].secure),
            "virtual_tables": app.extensions.get("naqala-virtual", ()),
            "robot_levels": robot_card.levels,
            "notice": " ".join(map(str, get_flashed_messages())),
        }

    app.add_template_filter(_as_date, "as_date")
    app.add_template_global(Engraver().engraved)

    @app.url_defaults
    def fresh_static(endpoint: str, values: dict[str, Any]) -> None:
        """A changed file has a changed address."""
        if endpoint == "static" and values.get("filename") in marks:
            values["v"] = marks[values["filename"]]
