"""Who looks: the shared screen, a seat, the owner, a spectator. Out of the signed cookie comes a frozen `Viewer`.

Everything that may be shown or done is decided from that value, never from the cookie itself.
"""

from __future__ import annotations

import hmac
from dataclasses import dataclass, replace
from typing import Any

from flask import current_app, request, session

from naqala.dashboard.keys import Keys, Seats
from naqala.dashboard.tables import robots_of

SCREEN, SEAT, OWNER, SPECTATOR = KINDS = ("screen", "seat", "owner", "spectator")


@dataclass(frozen=True, slots=True)
class Viewer:
    """`name` is the player whose secrets this viewer may see; `names` are all seats this phone holds."""

    kind: str
    name: str | None = None
    names: tuple[str, ...] = ()
    owner: bool = False


THE_SCREEN = Viewer(SCREEN)


@dataclass(frozen=True, slots=True)
class Sitting:
    """Who sits at a table: the names that phones hold, and those that robots play."""

    taken: frozenset[str] = frozenset()
    robots: frozenset[str] = frozenset()


def seats() -> Seats:
    """The app's seats."""
    found = current_app.extensions["naqala-seats"]
    assert isinstance(found, Seats)
    return found


def sitting(table: str) -> Sitting:
    """Who sits at this table now."""
    robots = robots_of(table)
    return Sitting(seats().taken(table), frozenset(robots.seats if robots is not None else ()))


def _held(table: str) -> dict[str, str]:
    """Names and claims of the cookie that are still good."""
    cookie: Any = session.get("seats", {})
    mine = cookie.get(table, {}) if isinstance(cookie, dict) else {}
    if not isinstance(mine, dict):
        return {}
    return {name: claim for name, claim in mine.items() if seats().holds(table, name, str(claim))}


def is_owner() -> bool:
    """Whether this browser showed the owner's token."""
    return session.get("owner") is True


def who(table: str) -> Viewer:
    """The viewer of a phone or a browser at this table: a seat before all else, then the owner. A browser may hold several
    seats, each in a window of its own: its page says which one it is."""
    names = tuple(_held(table))
    owner = is_owner()
    if names:
        wanted = (request.values.get("seat"), session.get("sitting", {}).get(table), names[0])
        return Viewer(SEAT, next(name for name in wanted if name in names), names, owner)
    return Viewer(OWNER if owner else SPECTATOR, owner=owner)


def screen() -> Viewer:
    """The shared screen: never a secret, whoever opened it; but the owner's browser may decide."""
    return Viewer(SCREEN, owner=is_owner())


def hands(table: str) -> Viewer:
    """Who moves the pieces of a virtual table: sees what the screen sees, and knows the seats of this browser."""
    return replace(screen(), names=who(table).names)


def sit(table: str, name: str) -> bool:
    """Take a free seat, or turn to another seat that this phone already holds."""
    held = _held(table)
    if name not in held:
        claim = seats().claim(table, name)
        if claim is None:
            return False
        session["seats"] = {**session.get("seats", {}), table: {**held, name: claim}}
    session["sitting"] = {**session.get("sitting", {}), table: name}
    return True


def stand_up(table: str, name: str) -> None:
    """Leave a seat this phone holds."""
    if name in _held(table):
        seats().free(table, name)


def show_token(token: str) -> bool:
    """Make this browser the owner's, if the token is right."""
    keys = current_app.extensions["naqala-keys"]
    assert isinstance(keys, Keys)
    if not hmac.compare_digest(token.encode(), keys.owner.encode()):
        return False
    session["owner"] = True
    return True
