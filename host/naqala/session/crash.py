"""When something happens that nobody expected: what is kept of it, and what a session does while it stands still.

In: the exception. Out: a `Crash` for whoever mends it, without any value: gold and hands may be among them.
"""

from __future__ import annotations

import contextlib
import traceback
from dataclasses import replace
from typing import TYPE_CHECKING, Any

from naqala.journal import now_ms
from naqala.link import Arrived, LinkUp
from naqala.session.snapshot import Crash
from naqala.table.sight import see

if TYPE_CHECKING:
    from naqala.session.session import Session


def of(error: Exception) -> Crash:
    """What is kept of an exception."""
    return Crash(now_ms(), _where_it_stopped(error), _way_to(error))


def only_look(session: Session, item: Any) -> None:
    """While the session stands still: what lies there is remembered, so that it can go on from it, and nothing is followed.
    Whatever goes wrong here has gone wrong before."""
    with contextlib.suppress(Exception):
        if isinstance(item, Arrived):
            session.sight = see(session.sight, item.message, item.at_ms)
        elif isinstance(item, LinkUp):
            session.hello, session.sight = item.hello, replace(session.sight, last={})


def _where_it_stopped(error: Exception) -> str:
    """What stopped us and where, for everybody to see: no values, they may be secrets. The whole is in the log."""
    last = traceback.extract_tb(error.__traceback__)[-1]
    return f"{type(error).__name__} in {last.name}, {last.filename.rpartition('/')[2]} line {last.lineno}"


def _way_to(error: Exception) -> tuple[str, ...]:
    """The calls that led there, by file, line and function alone."""
    frames = traceback.extract_tb(error.__traceback__)
    return tuple(
        f"{frame.filename.rpartition('/')[2]} line {frame.lineno} in {frame.name}" for frame in frames
    )
