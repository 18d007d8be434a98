"""Who looks: the shared screen, a seat, the owner, a spectator. Out of the signed cookie comes a frozen `Viewer`.

Everything that may be shown or done is decided from that value, never from the cookie itself.
"""

from __future__ import annotations

import hmac
from dataclasses import dataclass, replace
from typing import Any

from flask import current_app, request, session

from naqala.dashboard.keys import Keys, Seats, renew_owner
from naqala.dashboard.seat_requests import LEFT, TAKEN, TAKEN_BY_HOST
from naqala.dashboard.tables import robots_of, session_of, setting
from naqala.session.snapshot import PLAY

SCREEN, SEAT, OWNER, SPECTATOR = KINDS = ("screen", "seat", "owner", "spectator")


@dataclass(frozen=True, slots=True)
class Viewer:
    """`name` is the player whose secrets this viewer may see; `names` are all seats this phone holds; `asking` are those it asks
    for, with the number it shows."""

    kind: str
    name: str | None = None
    names: tuple[str, ...] = ()
    owner: bool = False
    asking: tuple[tuple[str, int], ...] = ()


THE_SCREEN = Viewer(SCREEN)


@dataclass(frozen=True, slots=True)
class Sitting:
    """Who sits at a table: the names that phones hold, and those that robots play; who asks for a seat (name, number, whether
    the host said yes), and what was said of seats (milliseconds since 1970, what, name)."""

    taken: frozenset[str] = frozenset()
    robots: frozenset[str] = frozenset()
    asked: tuple[tuple[str, int, bool], ...] = ()
    told: tuple[tuple[int, str, str], ...] = ()


def seats() -> Seats:
    """The app's seats."""
    found = current_app.extensions["naqala-seats"]
    assert isinstance(found, Seats)
    return found


def sitting(table: str) -> Sitting:
    """Who sits at this table now."""
    robots, all_seats = robots_of(table), seats()
    return Sitting(
        all_seats.taken(table),
        frozenset(robots.seats),
        all_seats.requests.of(table),
        all_seats.log.of(table),
    )


def _held(table: str) -> dict[str, str]:
    """Names and claims of the cookie that are still good."""
    cookie: Any = session.get("seats", {})
    mine = cookie.get(table, {}) if isinstance(cookie, dict) else {}
    if not isinstance(mine, dict):
        return {}
    return {name: claim for name, claim in mine.items() if seats().holds(table, name, str(claim))}


def holder() -> str:
    """The owner, or the seats of this browser at all tables in one word: who has a place of their own in a crowd. "" for others."""
    cookie: Any = session.get("seats", {})
    tables = list(cookie) if isinstance(cookie, dict) else []
    seated = [f"{table} {name}" for table in tables for name in _held(table)]
    return "\n".join(seated) or ("owner" if is_owner() else "")


def is_owner() -> bool:
    """Whether this browser showed the owner's token."""
    return session.get("owner") is True


def who(table: str) -> Viewer:
    """The viewer of a phone or a browser at this table: a seat before all else, then the owner. A browser may hold several
    seats, each in a window of its own: its page says which one it is."""
    names, asking = tuple(_held(table)), _asking(table)
    owner = is_owner()
    if names:
        wanted = (request.values.get("seat"), session.get("sitting", {}).get(table), names[0])
        return Viewer(SEAT, next(name for name in wanted if name in names), names, owner, asking)
    return Viewer(OWNER if owner else SPECTATOR, owner=owner, asking=asking)


def _requests(table: str) -> dict[str, str]:
    """The words of this phone's requests, by name."""
    cookie: Any = session.get("asking", {})
    mine = cookie.get(table, {}) if isinstance(cookie, dict) else {}
    return {name: str(word) for name, word in mine.items()} if isinstance(mine, dict) else {}


def _asking(table: str) -> tuple[tuple[str, int], ...]:
    numbers = {name: seats().requests.number(table, name, word) for name, word in _requests(table).items()}
    return tuple((name, number) for name, number in numbers.items() if number is not None)


def screen() -> Viewer:
    """The shared screen: never a secret, whoever opened it; but the owner's browser may decide."""
    return Viewer(SCREEN, owner=is_owner())


def hands(table: str) -> Viewer:
    """Who moves the pieces of a virtual table: sees what the screen sees, and knows the seats of this browser."""
    return replace(screen(), names=who(table).names)


def may_take(table: str, name: str) -> bool:
    """Whether this phone may sit down there without another word: it does already, it is the owner's, nothing is secret yet, or
    the host said yes. It depends on what everybody knows and on nobody's hand."""
    shown = session_of(table).snapshot
    early = shown.stage != PLAY or shown.game is None or shown.game.round <= 1
    admitted = seats().requests.admits(table, name, _requests(table).get(name, ""))
    return name in _held(table) or is_owner() or early or admitted


def ask_for(table: str, name: str) -> None:
    """Ask the host for a seat; the number is in `who().asking` from now on. Whoever asks already goes on asking."""
    request = None if name in dict(_asking(table)) else seats().requests.ask(table, name)
    if request is not None:
        session["asking"] = {table: {**_requests(table), name: request.secret}}


def sit(table: str, name: str) -> bool:
    """Take a free seat, or turn to another seat that this phone already holds."""
    held = _held(table)
    if name not in held:
        claim = seats().claim(table, name, TAKEN_BY_HOST if is_owner() else TAKEN)
        if claim is None:
            return False
        session["seats"] = {**session.get("seats", {}), table: {**held, name: claim}}
    session["sitting"] = {**session.get("sitting", {}), table: name}
    return True


def stand_up(table: str, name: str) -> None:
    """Leave a seat this phone holds."""
    if name in _held(table):
        seats().free(table, name, LEFT)


def show_token(token: str) -> bool:
    """Make this browser the owner's, if the token is right."""
    keys = current_app.extensions["naqala-keys"]
    assert isinstance(keys, Keys)
    if not hmac.compare_digest(token.encode(), keys.owner.encode()):
        return False
    session["owner"] = True
    return True


def leave() -> None:
    """This browser is no longer the owner's."""
    session.pop("owner", None)


def token() -> str:
    """The owner's token, for the owner alone."""
    found = current_app.extensions["naqala-keys"]
    assert isinstance(found, Keys)
    return found.owner if is_owner() else ""


def renew_token() -> None:
    """Make another token: every browser but this one is no longer the owner's."""
    known = current_app.extensions["naqala-keys"]
    current_app.extensions["naqala-keys"] = renew_owner(setting("home"), known)
    session["owner"] = True
