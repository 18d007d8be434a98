"""Robots that sit down and stand up while a table runs: mixed seats, people and robots at one game.

They move their own pieces, or, `told`, leave that to people as at a real table (`session/robot_players.py`). One thread per table,
from the first robot on; it ends with the link. Who is a robot belongs to a game: a new one begins
without them, and one that is resumed after a restart has them again (`kept` in, `keep` out).
"""

from __future__ import annotations

import threading
import traceback
from collections.abc import Callable, Mapping, Sequence
from dataclasses import replace
from typing import Any

from naqala.robots import LEVELS, ROBOTS
from naqala.session.robot_players import RobotPlayers
from naqala.session.session import Session
from naqala.session.snapshot import Snapshot
from naqala.table.readings import Quiet
from naqala.virtual.evening import lay_as_recorded
from naqala.virtual.link import VirtualLink
from naqala.virtual.paces import PACES
from naqala.virtual.robots import Character, Robots

USUAL = "normal"
OFFERED = tuple(LEVELS)  # those that the pages have words for
NOBODY = Character({})


class RobotSeats:
    """Who of the players is a robot. For any thread. Robots play whoever is named in `always`, in every game."""

    def __init__(
        self,
        link: VirtualLink,
        session: Session,
        always: Sequence[str] = (),
        kept: Any = None,
        keep: Callable[[dict[str, Any]], None] = lambda kept: None,
    ) -> None:
        self.link = link
        self.trouble = ""  # why the robots stopped, if they did
        self._session = session
        self._always = tuple(always)
        self._keep = keep
        self._robots = Robots(link, session, NOBODY, link.table.seed)
        self.players = RobotPlayers(session)  # whose pieces people move
        self.told = False
        self._thread: threading.Thread | None = None
        before = waiting(session.snapshot, kept)
        self.told = bool(before.seats) and isinstance(kept, dict) and kept.get("told") is True
        self._character = NOBODY
        self._play(replace(before, seats={**dict.fromkeys(always, USUAL), **before.seats}))

    @property
    def seats(self) -> dict[str, str]:
        """Player -> robot."""
        return dict(self._character.seats)

    def new_game(
        self,
        players: Mapping[str, str | None],
        pace: str = "human",
        mistakes_per_minute: float = 0.0,
        *,
        told: bool = False,
    ) -> None:
        """A new game: these players with their robots, "" for a person, None where nothing was said. `told`: people move the
        robots' pieces."""
        self.told = told
        usual = {name: USUAL if name in self._always else "" for name in players}
        wanted = {name: usual[name] if robot is None else robot for name, robot in players.items()}
        seats = {name: robot for name, robot in wanted.items() if robot in ROBOTS}
        self._change(Character(seats, pace, mistakes_per_minute=mistakes_per_minute), tuple(players))

    def resumed(self) -> None:
        """A game goes on after a restart: robots do not play until the table stands as the record has it."""
        lay_as_recorded(self.link, self._session)
        self._play(self._character)

    def sit(
        self, name: str, robot: str = USUAL, pace: str = "human", mistakes_per_minute: float = 0.0
    ) -> None:
        """A robot takes over this player. It begins the move anew that a person left with meeples in the hand."""
        shown = self._session.snapshot
        its_turn = shown.game is not None and shown.game.turn.player == name
        in_hand = not self.told and not isinstance(shown.reading, Quiet)
        if its_turn and name not in self.seats and in_hand:
            lay_as_recorded(self.link, self._session)
        seats = self.seats | {name: robot}
        self._change(Character(seats, pace, mistakes_per_minute=mistakes_per_minute))

    def stand_up(self, name: str) -> None:
        """A person plays on."""
        seats = {other: robot for other, robot in self.seats.items() if other != name}
        self._change(replace(self._character, seats=seats))

    def _change(self, character: Character, players: tuple[str, ...] | None = None) -> None:
        if players is None:
            players = tuple(seat.name for seat in self._session.snapshot.seats)
        self._keep(
            {
                "players": players,
                "seats": dict(character.seats),
                "pace": character.pace,
                "mistakes_per_minute": character.mistakes_per_minute,
                "told": self.told,
            }
        )
        self._play(character)

    def _play(self, character: Character) -> None:
        self._character = character
        self.players.take_on(character.seats if self.told else {})
        if self.told:
            character = replace(character, seats={})
        self._robots.take_on(character)
        self.link.table.touch()  # the page shows who is a robot
        if character.seats and (self._thread is None or not self._thread.is_alive()):
            self.trouble = ""
            self._thread = threading.Thread(
                target=self._run, name=f"naqala-robots-{self.link.table.name}", daemon=True
            )
            self._thread.start()

    def _run(self) -> None:
        try:
            self._robots.stay()
        except Exception:  # nobody expected it: the robots stop, the table and its people go on
            self.trouble = traceback.format_exc(limit=-3)
            self.link.table.touch()


def waiting(shown: Snapshot, kept: Any) -> Character:
    """The robots of the game that waits to be resumed, if what was kept is about that one; else nobody."""
    if shown.unfinished is None or not isinstance(kept, dict):
        return NOBODY
    seats, pace, often = (kept.get(key) for key in ("seats", "pace", "mistakes_per_minute"))
    if not isinstance(seats, dict) or not isinstance(pace, str) or not isinstance(often, int | float):
        return NOBODY
    sound = all(isinstance(robot, str) and robot in ROBOTS for robot in seats.values()) and pace in PACES
    if not sound or kept.get("players") != list(shown.unfinished.players):
        return NOBODY
    return Character(seats, pace, mistakes_per_minute=often)
