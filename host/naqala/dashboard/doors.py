"""The first page: what Naqala is, and three ways in. Which table each leads to is found among those that run."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

from flask import current_app, url_for

from naqala.dashboard.tables import Session
from naqala.session.snapshot import PHONES, WELCOME


@dataclass(frozen=True, slots=True)
class Door:
    """One way in: `kind` chooses words and picture, `address` is where it leads ("" where it cannot be entered now), `busy` says
    that a game is going on behind it."""

    kind: str
    address: str = ""
    busy: bool = False


def doors(sessions: Mapping[str, Session]) -> list[Door]:
    """Our board without readers, a table with readers, no board at all."""
    virtual = current_app.extensions.get("naqala-virtual", ())
    phones = [name for name, one in sessions.items() if one.snapshot.link.kind == PHONES]
    readers = [name for name in sessions if name not in virtual and name not in phones]
    simulated = [name for name in sessions if name in virtual]
    found = []
    for kind, names in (("phones", phones), ("readers", readers), ("virtual", simulated)):
        name = names[0] if names else ""
        stage = sessions[name].snapshot.stage if name else WELCOME
        waiting = name and sessions[name].snapshot.unfinished is not None
        address = url_for("pages.screen", table=name) if name else ""
        if kind == "phones" and name and stage == WELCOME and not waiting:
            address = url_for("setup.wizard", table=name)
        if kind == "readers" and not name and simulated:
            address = url_for("real.page", table=simulated[0])
        found.append(Door(kind, address, stage != WELCOME or bool(waiting)))
    return found
