"""The tables this app serves: what it needs of a session, and where a request finds it."""

from __future__ import annotations

import threading
from collections.abc import Callable, Mapping
from functools import partial
from typing import Any, Protocol

from flask import abort, current_app, g

from naqala.dashboard.keys import NotKept, Tell
from naqala.session.commands import Answer, Command, SeatTold
from naqala.session.robot_players import ToldSeats
from naqala.session.snapshot import Snapshot


class Session(Protocol):
    """What a session gives the dashboard: the latest snapshot, the next one, a call at every
    change, and an answer to a command."""

    @property
    def snapshot(self) -> Snapshot: ...

    def wait(self, version: int, timeout: float) -> Snapshot: ...

    def listen(self, changed: Callable[[], None]) -> None: ...

    def tell(self, command: Command) -> Answer: ...


class Robots(Protocol):
    """Who of a table's players is a robot, and who shall be one. A new game (`new_game`) has other robots, a `resumed` one has them
    again. `told`: people move their pieces, as they do at any table that has no hands of its own."""

    @property
    def seats(self) -> Mapping[str, str]: ...

    def new_game(self, players: Mapping[str, str | None], *, told: bool) -> None: ...

    def resumed(self) -> None: ...

    def sit(self, name: str, robot: str) -> None: ...

    def stand_up(self, name: str) -> None: ...


def sessions() -> Mapping[str, Session]:
    """All tables by their id, as they are now: one may be plugged in while a page is made."""
    return dict(current_app.extensions["naqala-sessions"])


def session_of(table: str) -> Session:
    """The session of a table, or 404. Its language and edition become the defaults of this request."""
    found = sessions().get(table)
    if found is None:
        abort(404)
    g.table_language = found.snapshot.language
    g.table_edition = found.snapshot.edition
    return found


_seating = threading.Lock()


def robots_of(table: str) -> Robots:
    """The robots of a table: a virtual one brings its own, which have hands; at any other people move their pieces."""
    found: dict[str, Robots] = current_app.extensions["naqala-robots"]
    with _seating:
        if table not in found:
            kept = current_app.extensions["naqala-kept-robots"]
            found[table] = ToldSeats(sessions()[table], kept.of(table), partial(kept.keep, table))
    return found[table]


def moves_itself(table: str) -> bool:
    """Whether this table can move its robots' pieces: a virtual one."""
    return table in current_app.extensions.get("naqala-virtual", ())


def setting(name: str) -> Any:
    """One of the app's settings."""
    return getattr(current_app.extensions["naqala-settings"], name)


def written_down_by(sessions: Mapping[str, Session]) -> Tell:
    """What happens to a seat becomes a note of the game in play. NotKept when that could not be written: then nobody sits down."""

    def tell(table: str, what: str, name: str) -> None:
        found = sessions.get(table)
        told = found.tell(SeatTold(what, name)) if found is not None else None
        if told is not None and not told.accepted:
            raise NotKept(0, told.why, table)

    return tell
