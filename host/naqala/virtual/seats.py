"""Robots that sit down and stand up while a table runs: mixed seats, people and robots at one game.

One thread per table, from the first robot on; it ends with the link.
"""

from __future__ import annotations

import threading
import traceback
from dataclasses import replace

from naqala.session.session import Session
from naqala.virtual.link import VirtualLink
from naqala.virtual.robots import Character, Robots


class RobotSeats:
    """Who of the players is a robot. For any thread."""

    def __init__(self, link: VirtualLink, session: Session, seed: int = 1) -> None:
        self.link = link
        self.trouble = ""  # why the robots stopped, if they did
        self._robots = Robots(link, session, Character({}), seed)
        self._thread: threading.Thread | None = None

    @property
    def seats(self) -> dict[str, str]:
        """Player -> robot."""
        return dict(self._robots.character.seats)

    def sit(
        self, name: str, robot: str = "random", pace: str = "human", mistakes_per_minute: float = 0.0
    ) -> None:
        """A robot takes over this player."""
        seats = self.seats | {name: robot}
        self._robots.take_on(Character(seats, pace, mistakes_per_minute=mistakes_per_minute))
        if self._thread is None or not self._thread.is_alive():
            self.trouble = ""
            self._thread = threading.Thread(
                target=self._run, name=f"naqala-robots-{self.link.table.name}", daemon=True
            )
            self._thread.start()

    def stand_up(self, name: str) -> None:
        """A person plays on."""
        seats = {other: robot for other, robot in self.seats.items() if other != name}
        self._robots.take_on(replace(self._robots.character, seats=seats))

    def _run(self) -> None:
        try:
            self._robots.stay()
        except Exception:  # nobody expected it: the robots stop, the table and its people go on
            self.trouble = traceback.format_exc(limit=-3)
            self.link.table.touch()
