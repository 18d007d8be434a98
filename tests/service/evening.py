"""A planned game, hosts that can be killed, and an evening on which one host after another plays that game."""

from __future__ import annotations

import contextlib
import json
import os
import queue
import signal
import socket
import subprocess
import sys
import threading
import time
from pathlib import Path
from random import Random
from typing import Any

from naqala.journal import Journal
from naqala.robots import ROBOTS
from naqala.rules import notation, position
from naqala.rules.actions import Action, Sow
from naqala.rules.game import play
from naqala.rules.model import Game
from naqala.session.chronicle import retold

from tests.conftest import ROOT
from tests.session.conftest import Table


def decided(game: Game, seed: int) -> list[tuple[Game, Action | None]]:
    """Each game with the action that is played in it, and the final one with None."""
    found: list[tuple[Game, Action | None]] = []
    while game.turn.phase != "over":
        action = ROBOTS["random"](game, Random(f"{seed} {len(found)}"))
        found.append((game, action))
        game = play(game, action)[0]
    return [*found, (game, None)]


class Life:
    """One host from its birth to its death. `shown` and `begun` are the last entries it showed and began to write."""

    def __init__(self, hosts: Hosts, told: dict[str, str]) -> None:
        hosts.ask(told)
        self._socket, _ = hosts.server.accept()
        self._lines: queue.Queue[str | None] = queue.Queue()
        self.shown = self.begun = self.pid = self.swept = 0
        self.owner = ""
        self._changed = threading.Condition()
        self._thread = threading.Thread(target=self._listen)
        self._thread.start()
        self.ready()
        hosts.last = self.pid

    def _listen(self) -> None:
        with contextlib.suppress(ConnectionError), self._socket.makefile("r") as lines:
            for line in lines:
                if not line.endswith("\n"):
                    break
                word, _, rest = line.strip().partition(" ")
                with self._changed:
                    if word in ("shown", "begun", "pid", "swept"):
                        setattr(self, word, int(rest))
                    elif word == "ready":
                        self.owner = rest
                    else:
                        self._lines.put(rest)
                    self._changed.notify_all()
        self._lines.put(None)

    def ready(self) -> None:
        with self._changed:
            assert self._changed.wait_for(lambda: self.owner, 60), "no life"

    def tell(self, **asked: object) -> str | None:
        """The answer to a command; None when death came first."""
        with contextlib.suppress(OSError):
            self._socket.sendall(json.dumps(asked).encode() + b"\n")
        return self._lines.get(timeout=60)

    def wait(self, shown: int, timeout: float) -> bool:
        with self._changed:
            return self._changed.wait_for(lambda: self.shown >= shown, timeout)

    def kill(self, after: float, within: int = 0) -> None:
        """SIGKILL in so many seconds, whatever it is doing; if `within` an entry, from the moment at which that is begun."""
        with self._changed:
            assert self._changed.wait_for(lambda: self.begun >= within, 60), "nothing is written"
        time.sleep(after)
        os.kill(self.pid, signal.SIGKILL)

    def over(self) -> None:
        self._thread.join()
        self._socket.close()


class Hosts:
    """Where hosts are born, see tests/service/lives.py."""

    def __init__(self, folder: Path, tree: Path = ROOT) -> None:
        """`tree` is the checkout they come from: an older version can be compared."""
        self.last = 0  # the newest life
        path = str(folder / "s")
        self.server = socket.socket(socket.AF_UNIX)
        self.server.bind(path)
        self.server.listen()
        self.server.settimeout(60)
        command = [sys.executable, "-m", "tests.service.lives", path]
        rooms = os.pathsep.join(str(tree / room) for room in ("host", "protocol", "firmware"))
        self._process = subprocess.Popen(
            command,
            cwd=tree,
            env={**os.environ, "PYTHONPATH": rooms},
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            text=True,
        )

    def ask(self, told: dict[str, str]) -> None:
        assert self._process.stdin is not None
        self._process.stdin.write(json.dumps(told) + "\n")
        self._process.stdin.flush()

    def died_of(self) -> int:
        assert self._process.stdout is not None
        return int(self._process.stdout.readline())

    def close(self) -> None:
        assert self._process.stdin is not None
        with contextlib.suppress(ProcessLookupError):
            if self.last:
                os.kill(self.last, signal.SIGKILL)  # after a failed test a life may still go on
        self._process.stdin.close()
        self._process.wait(10)
        self.server.close()


class Evening:
    """A game that is played to its end by one host after another."""

    def __init__(self, hosts: Hosts, table: Table, link: str, kind: str, seed: int) -> None:
        self.hosts, self.table, self.seed = hosts, table, seed
        self.dice = Random(seed)
        self.wrong: list[AssertionError] = []
        self.told = {"home": str(table.folder), "link": link, "kind": kind}
        self.journal = Journal.open(str(table.folder / "journal.sqlite"))
        life = self.born()
        answer = life.tell(new=list(table.players))
        assert answer is not None and answer.startswith("True"), answer
        self.game_id = self.journal.games("oak")[-1].id
        opening = self.journal.game(self.game_id).opening
        self.plan = decided(position.from_json(dict(opening)), seed)
        self.kills = self.inside = self.held = 0
        self.die(life, 0)

    def born(self) -> Life:
        return Life(self.hosts, self.told)

    def die(self, life: Life, after: float, within: int = 0) -> None:
        """Kill the host, and look whether everything that was shown is on disk."""
        life.kill(after, within)
        assert self.hosts.died_of() == signal.SIGKILL
        life.over()
        self.kills += 1
        written = len(self.journal.entries(self.game_id))
        assert written >= life.shown, "an action that a viewer saw is lost"
        assert written in (life.begun - 1, life.begun) or life.begun == 0
        self.inside += life.begun > life.shown

    def standing(self) -> tuple[int, Game]:
        """How many entries there are, and the game they make: told anew from disk."""
        entries = self.journal.entries(self.game_id)
        return len(entries), retold(self.journal.game(self.game_id).opening, entries).game

    def play(self, kills: int) -> None:
        """Play on; the host is killed so many times on the way, at random moments."""
        while True:
            # People look at the record and set the table by it before the next host looks at either.
            game = self.standing()[1]
            self.table.follow(game)
            if game.turn.phase == "over":
                return
            left = 10_000
            if self.kills < kills:
                left = self.dice.randrange(1, max(2, 2 * len(self.plan) // kills))
            deadly = self.dice.random() ** 2 * 0.02
            self.act(self.born(), left, deadly)

    def act(self, life: Life, left: int, deadly: float) -> None:
        """Some actions, told and then made by hands; the host dies while the last of them is told, and no hand moves then."""
        entries, game = self.standing()
        while game.turn.phase != "over":
            place = self.place_of(game)
            action, after = self.plan[place][1], self.plan[place + 1][0]
            assert action is not None
            told = {"tap": notation.to_json(action), "step": entries + 1}
            if left == 1:
                self.die_during(life, deadly, told)
                return
            answer = life.tell(**told)
            assert answer is not None and answer.startswith("True"), answer
            self.hands(action, after)
            assert life.tell(seen=self.table.controller.seq) == str(entries + 1), "a hand was misread"
            left, entries, game = left - 1, entries + 1, after
        self.die(life, 0.0)

    def hands(self, action: Action, after: Game) -> None:
        """Make the move that was told, drop by drop, and put down what belongs to it."""
        if isinstance(action, Sow):
            self.table.sow(action.start, action.drops)
        self.table.follow(after)

    def die_during(self, life: Life, after: float, told: dict[str, Any]) -> None:
        """SIGKILL, so many seconds from now, while the host is told something; every third time surely within the entry."""
        hold = self.kills % 3 == 0
        self.held += hold
        killer = threading.Thread(target=self._die, args=(life, after, told["step"] if hold else 0))
        killer.start()
        life.tell(**told, hold=hold)
        killer.join()
        assert not self.wrong, self.wrong[0]

    def _die(self, life: Life, after: float, within: int) -> None:
        try:
            self.die(life, after, within)
        except AssertionError as error:
            self.wrong.append(error)

    def place_of(self, game: Game) -> int:
        """Where in the plan this game stands; it must be there, whoever died."""
        return next(place for place, (planned, _) in enumerate(self.plan) if planned == game)

    def close(self) -> None:
        self.journal.close()
