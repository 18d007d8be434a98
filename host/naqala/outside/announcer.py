"""The public snapshot of a table at the broker, retained, for other programs: `naqala/<table>/state`."""

from __future__ import annotations

import threading
from typing import Any

from naqala import link
from naqala.dashboard.logbook import newest
from naqala.dashboard.view import show
from naqala.dashboard.viewers import THE_SCREEN
from naqala.outside.home_assistant import PART, entities
from naqala.session.session import Session

LOOK_UP_S = 1.0  # how long an announcer may take to notice that the service ends


class Announcer:
    """Shows one table's public snapshot to other programs at the broker, whenever it has changed."""

    def __init__(self, session: Session, way: link.Link) -> None:
        self._session, self._link = session, way
        self._over = threading.Event()
        self._thread = threading.Thread(target=self._run, name="naqala-announcer", daemon=True)

    def start(self) -> None:
        self._thread.start()

    def stop(self) -> None:
        self._over.set()

    def _run(self) -> None:
        version = -1
        said: dict[str, Any] = {}
        while not self._over.is_set():
            snapshot = self._session.wait(version, LOOK_UP_S)
            if snapshot.version > version:
                version = snapshot.version
                # A sign of life of the controller is a new version, too, but nothing new to say.
                seen = show(snapshot, THE_SCREEN)
                public = newest(seen) | {PART: entities(snapshot, seen)}
                shown = {key: value for key, value in public.items() if key != "version"}
                if shown != said:
                    self._link.publish(shown)
                    said = shown
