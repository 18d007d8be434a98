"""Robots at a table where people move the pieces: they think in a thread of their own, tell what can be told, and ask for the rest.

A choice is made from a snapshot, outside the session, and arrives there as a value: bids, purchases, djinns and sales as taps, moves on
the board as a plan (`robot_plan.py`) that people carry out. Works at any table: with readers the referee confirms, without them
a tap. Between two things that a robot tells it waits as long as people need to read the first.
"""

from __future__ import annotations

import logging
import threading
from collections.abc import Callable, Mapping
from random import Random
from time import monotonic
from typing import Any, Protocol

from naqala.robots import ROBOTS, kept
from naqala.rules import notation
from naqala.rules.actions import Action, End
from naqala.rules.model import PALACE, PALM
from naqala.session import commands as c
from naqala.session.chronicle import COMPANION
from naqala.session.robot_plan import Plan, by_hand, planned, steps_of
from naqala.session.snapshot import PLAY, Snapshot
from naqala.table.readings import Quiet, Wrong

READING_S = 3.0  # for a sentence of a robot
BRIEFLY_S = 0.5  # for the end of its turn, which says nothing new
LONGEST_THOUGHT_S = 5.0  # a turn takes six at worst, and the rest of the house needs some of it
ASKED_FOR = "places_what_the_tile_asks"  # the rule of a flag that a robot answers with a plan
IDLE_S = 20.0  # after so long without news: is the session still there?

log = logging.getLogger(__name__)


class Watched(Protocol):
    """What a robot needs of a session."""

    @property
    def snapshot(self) -> Snapshot: ...

    def wait(self, version: int, timeout: float) -> Snapshot: ...

    def tell(self, command: c.Command) -> c.Answer: ...


class RobotPlayers:
    """The robots of one table. For any thread; `act` is for one at a time."""

    def __init__(self, session: Watched, reading_s: float = READING_S, dice: Random | None = None) -> None:
        self._session = session
        self.reading_s = reading_s
        self.dice = dice or Random()
        self._seats: dict[str, str] = {}
        self._lock = threading.Lock()
        self._changed = threading.Event()
        self._thread: threading.Thread | None = None

    @property
    def seats(self) -> dict[str, str]:
        """Player -> robot."""
        return dict(self._seats)

    def take_on(self, seats: Mapping[str, str], alone: bool = True) -> None:
        """Play these from now on; the plan of a robot that has left goes with it. Not `alone`: the caller lets them `act`."""
        with self._lock:
            self._seats = dict(seats)
            self._changed.set()
            if seats and alone and (self._thread is None or not self._thread.is_alive()):
                self._thread = threading.Thread(target=self._run, name="naqala-robot-players", daemon=True)
                self._thread.start()
        shown = self._session.snapshot
        if shown.plan is not None and shown.plan.player not in seats:
            self._session.tell(c.ShowPlan(COMPANION, shown.step, None))

    def _run(self) -> None:
        version = -1
        while self._seats:
            shown = self._session.wait(version, IDLE_S)
            if shown.version == version and self._session.tell(c.Look(c.OWNER)).why == "stopped":
                return
            version = shown.version
            try:
                pause = self.act(shown)
            except (
                Exception
            ):  # nobody expected it: the robots wait for the next change, table and people go on
                log.exception("a robot of table '%s' could not play", shown.table)
                continue
            if pause:
                self._changed.clear()
                self._changed.wait(pause)

    # --- one action -------------------------------------------------------------------------------------------

    def act(self, shown: Snapshot) -> float:
        """Do the next thing that is a robot's to do, if there is one; for how long people read it then, in seconds."""
        if shown.stage != PLAY or shown.stopped:
            return 0.0
        if shown.asked is not None:
            return self._agree(shown)
        name = shown.game.turn.player
        if name not in self._seats or shown.plan is not None or not _is_quiet(shown):
            return 0.0
        level = self._seats[name]
        if shown.drawn is not None:
            return self._tap(shown, kept(level, shown.game, shown.drawn.power, shown.drawn.drawn, self.dice))
        action = ROBOTS[level](shown.game, self.dice, self._until(shown))
        if self._session.snapshot.step != shown.step:
            return 0.0  # the game went on meanwhile: the next look is at that
        if by_hand(action):
            self._ask(shown, planned(shown.game, action, level, _standing(shown)))
            return 0.0
        return self._tap(shown, action)

    def _agree(self, shown: Snapshot) -> float:
        """A robot agrees to whatever people ask for."""
        assert shown.asked is not None
        for name in shown.asked.waiting_for:
            if name in self._seats:
                self._session.tell(c.Consent(name, shown.step, shown.asked.number, True))
        return 0.0

    def _until(self, shown: Snapshot) -> Callable[[], bool]:
        """Thinking ends at its limit, when the game has gone on, and when somebody else plays."""
        end, seats = monotonic() + LONGEST_THOUGHT_S, self._seats
        return lambda: (
            monotonic() > end or self._session.snapshot.step != shown.step or self._seats is not seats
        )

    def _tap(self, shown: Snapshot, action: Action) -> float:
        """Tell an action. Where no reader watches, people are asked for the pieces that follow from it."""
        name = str(shown.game.turn.player)
        if not self._session.tell(c.Tap(name, shown.step, notation.to_json(action))).accepted:
            return 0.0
        now = self._session.snapshot
        if now.reading is None and now.stage == PLAY:
            told = next((line for line in reversed(now.log) if line.action is not None), None)
            steps = steps_of(told.events) if told is not None and told.by == name else ()
            if steps:
                self._ask(now, Plan(name, self._seats.get(name, ""), _standing(now), steps))
        return BRIEFLY_S if isinstance(action, End) else self.reading_s

    def _ask(self, shown: Snapshot, plan: Plan) -> None:
        self._session.tell(c.ShowPlan(COMPANION, shown.step, plan))


def _is_quiet(shown: Snapshot) -> bool:
    """Whether the table shows what the record has, so that nobody is asked for two things at once. Without readers it does."""
    reading, turn = shown.reading, shown.game.turn
    if reading is None:
        return True
    # A palm or palace is due on the end tile until the robot has said where it goes.
    due = [note for note in shown.due if note.tile != turn.tile or note.what not in (PALM, PALACE)]
    asks_only = isinstance(reading, Wrong) and {one.rule for one in reading.breaches} == {ASKED_FOR}
    return not due and (isinstance(reading, Quiet) or asks_only)


def _standing(shown: Snapshot) -> int:
    return sum(line.action is not None and line.kind != "undo" and not line.undone for line in shown.log)


class ToldSeats:
    """The robots of a table without hands of its own, as the pages know them: who is one belongs to a game, is kept with it, and
    comes back when it is resumed."""

    def __init__(
        self,
        session: Watched,
        game_kept: Any = None,
        keep: Callable[[dict[str, Any]], None] = lambda what: None,
    ) -> None:
        self._session, self._keep = session, keep
        self.players = RobotPlayers(session)
        self._waiting = _of_this_game(session.snapshot, game_kept)
        if session.snapshot.stage == PLAY:
            self.resumed()

    @property
    def seats(self) -> Mapping[str, str]:
        """Player -> robot."""
        return self.players.seats or self._waiting

    def new_game(self, players: Mapping[str, str | None], *, told: bool = True) -> None:
        """A new game: these players with their robots, "" or None for a person. They are always `told` here."""
        seats = {name: robot for name, robot in players.items() if robot in ROBOTS}
        self._change(seats, tuple(players))

    def resumed(self) -> None:
        """A game goes on after a restart."""
        self.players.take_on(self._waiting)

    def sit(self, name: str, robot: str) -> None:
        """A robot takes over this player."""
        self._change({**self.seats, name: robot})

    def stand_up(self, name: str) -> None:
        """A person plays on."""
        self._change({other: robot for other, robot in self.seats.items() if other != name})

    def _change(self, seats: dict[str, str], players: tuple[str, ...] | None = None) -> None:
        named = players or tuple(seat.name for seat in self._session.snapshot.seats)
        self._keep({"players": named, "seats": seats})
        self._waiting = {}
        self.players.take_on(seats)


def _of_this_game(shown: Snapshot, game_kept: Any) -> dict[str, str]:
    """The robots that were kept, if they belong to the game that waits or is played."""
    names = list(shown.unfinished.players) if shown.unfinished else [seat.name for seat in shown.seats]
    if not isinstance(game_kept, dict) or game_kept.get("players") != names:
        return {}
    seats = game_kept.get("seats")
    sound = isinstance(seats, dict) and all(
        isinstance(robot, str) and robot in ROBOTS for robot in seats.values()
    )
    return dict(seats) if sound and isinstance(seats, dict) else {}
