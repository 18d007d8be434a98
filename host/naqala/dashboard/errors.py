"""What goes wrong in a request: a page with a sentence for the browser, and one line without values for the terminal.

The text of an exception may hold what it is about: a purse, a hand, a whole game. Whoever sits beside the host reads the
terminal, so it is told where something failed and with what kind of exception, and nothing else.
"""

from __future__ import annotations

import logging
import traceback
from types import TracebackType
from typing import Any

from flask import Flask, Request, render_template, request, url_for
from flask.globals import request_ctx
from werkzeug.exceptions import BadRequest, HTTPException, ServiceUnavailable
from werkzeug.routing import MapAdapter
from werkzeug.wrappers import Response

from naqala.dashboard import api, taps
from naqala.dashboard.answers import refusal
from naqala.dashboard.keys import NotKept
from naqala.journal import JournalError
from naqala.session.commands import Answer

MOST_FRAMES = 12
# Those outside this room who log exceptions that games took part in.
LOGGERS = ("naqala.session.session",)


class App(Flask):
    """Flask that refuses hosts which are no names, and keeps values out of its log."""

    def create_url_adapter(self, request: Request | None) -> MapAdapter | None:
        """A host of five thousand letters is found out before any of our checks: building its name fails."""
        try:
            return super().create_url_adapter(request)
        except UnicodeError:
            raise BadRequest from None

    def log_exception(self, exc_info: Any) -> None:
        self.logger.error("%s", told(exc_info))


def told(exc_info: tuple[type[BaseException], BaseException, TracebackType | None]) -> str:
    """The kind of an exception and the way to it, innermost last; no text, no values."""
    kind, _, trace = exc_info
    frames = traceback.extract_tb(trace)[-MOST_FRAMES:]
    way = [f"  {frame.filename}, line {frame.lineno}, in {frame.name}" for frame in frames]
    return "\n".join(
        [f"{kind.__name__}, which nobody expected (its text may hold secrets, so it is left out):", *way]
    )


class WithoutValues(logging.Filter):
    """Lets a log tell where an exception was, and not what it says."""

    def filter(self, record: logging.LogRecord) -> bool:
        if record.exc_info and record.exc_info[0] is not None:
            record.exc_text, record.exc_info = told(record.exc_info), None
        return True


def answer(app: Flask) -> None:
    """Pages for what went wrong. A journal that does not answer for a while is not a fault of the program: 503."""
    for name in LOGGERS:
        logging.getLogger(name).addFilter(WithoutValues())

    @app.errorhandler(HTTPException)
    def went_wrong(error: HTTPException) -> tuple[str | Response, int]:
        code = error.code or 500
        if request_ctx.url_adapter is None:  # without a host there are no addresses, and so no page
            return f"{code} {error.name}\n", code
        if request.path.startswith(api.PREFIX):
            return api.failed(error)
        return render_template("error.html", code=code), code

    @app.errorhandler(NotKept)
    def not_kept(error: NotKept) -> Response:
        app.logger.warning("%s: %s", error.filename, error.strerror)
        go = url_for("pages.join", **(request.view_args or {}))
        return taps.answer(refusal(Answer(False, "journal")), go, follow=True)

    @app.errorhandler(JournalError)
    def journal_away(error: JournalError) -> tuple[str, int]:
        app.logger.warning("%s", error)
        return render_template("error.html", code="journal"), ServiceUnavailable.code
