"""A club's evening: 1, 20 and 100 tables at human pace with five viewers each, and 2,000 screens where nothing happens.

The service runs in a process of its own; controllers, phones and screens are here. Each table has a screen and four phones with
seats of their own. A drop falls every three seconds and is taken up again in between; timed is from the line's first byte on the
pseudo-terminal to the message at each viewer. `NAQALA_OLD=<checkout of an older version>` measures that one in the same run.
"""

from __future__ import annotations

import contextlib
import heapq
import http.client
import os
import re
import selectors
import socket
import statistics
import tempfile
import time
from collections.abc import Iterator
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any
from urllib.parse import urlencode, urlsplit

from naqala.journal import Journal
from naqala.rules import notation, position
from naqala.rules.actions import Sow
from naqala.service import TAGS
from naqala.table.evidence import FRAME
from naqala.table.pieces import write_tags

from tests.bench.bench_service import cpu
from tests.conftest import ROOT
from tests.service.attacks import allow_many_files
from tests.service.evening import Hosts, Life, decided
from tests.session.conftest import Table

SIZES = (1, 20, 100)
IDLE = 2000
WATCHED_S = 24.0
HALF_CYCLE_S = 1.5  # from a drop to taking it up, and from there to the next drop
PEOPLE = ("Ann", "Bob", "Cy", "Dee")


@dataclass
class Found:
    """Milliseconds from wire to viewer, and what the service used meanwhile."""

    times: list[float] = field(default_factory=list)
    viewers: int = 0
    refused: int = 0
    quiet: int = 0
    load: float = 0.0
    megabytes_each: float = 0.0


def memory(pid: int) -> float:
    """Resident megabytes."""
    found = re.search(r"VmRSS:\s+(\d+)", Path(f"/proc/{pid}/status").read_text())
    assert found
    return int(found[1]) / 1024


class Club:
    """So many tables in one service, each with a hand that holds the meeples of its first move."""

    def __init__(self, folder: Path, tree: Path, count: int) -> None:
        self.names = ["oak", *(f"t{number}" for number in range(1, count))]
        self.tables = {}
        for name in self.names:
            own = folder / name
            own.mkdir()
            self.tables[name] = Table(own, 1, PEOPLE, readers=FRAME)
            self.tables[name].cable.plug()
        (folder / TAGS).write_text(write_tags(self.tables["oak"].tags))
        links = "|".join(f"{name}=serial:{table.cable.path}" for name, table in self.tables.items())
        self._hosts = Hosts(folder, tree)
        self.life = Life(self._hosts, {"home": str(folder), "link": links, "kind": "service"})
        self._folder = folder
        self.drops: dict[str, tuple[str, str]] = {}

    def begin(self) -> None:
        """Every table in its first sowing: told up to there, and the meeples taken up."""
        for name in self.names:
            answer = self.life.tell(new=list(PEOPLE), table=name)
            assert answer is not None and answer.startswith("True"), answer
            with Journal.open(str(self._folder / "journal.sqlite")) as journal:
                opening = journal.game(journal.games(name)[-1].id).opening
            for step, (_, action) in enumerate(decided(position.from_json(dict(opening)), 1), 1):
                if isinstance(action, Sow):
                    self.tables[name].lift(action.start)
                    self.drops[name] = (str(action.drops[0][0]), str(action.drops[0][1]))
                    break
                assert action is not None
                answer = self.life.tell(tap=notation.to_json(action), step=step, table=name)
                assert answer is not None and answer.startswith("True"), answer

    def drop(self, name: str) -> None:
        self.tables[name].drop(*self.drops[name])

    def take_up(self, name: str) -> None:
        tile, _ = self.drops[name]
        table = self.tables[name]
        table.aside["hand"].append(table.on[tile].pop())
        table.show(tile)

    def close(self) -> None:
        self.life.kill(0)
        self.life.over()
        self._hosts.died_of()
        self._hosts.close()
        for table in self.tables.values():
            table.cable.pull()


class Crowd:
    """Viewers at their streams, each with an address of its own."""

    def __init__(self, owner: str) -> None:
        where = urlsplit(owner)
        self._host, self._port = str(where.hostname), int(where.port or 0)
        self.waiting = selectors.DefaultSelector()
        self.of: dict[socket.socket, str] = {}
        self.refused = 0
        self._number = 0

    def _address(self) -> tuple[str, int]:
        self._number += 1
        return (f"127.1.{self._number // 100 % 250}.{self._number % 100 + 1}", 0)

    def seat(self, table: str, name: str) -> None:
        """A phone that takes a seat and looks on."""
        address = self._address()
        _, cookie, page = self._ask(address, "GET", f"/t/{table}/join")
        token = re.search(r'name="csrf" value="([^"]+)"', page)
        assert token
        _, cookie, _ = self._ask(address, "POST", f"/t/{table}/sit", cookie, {"csrf": token[1], "name": name})
        self.look(table, f"/t/{table}/stream/seat", address, cookie)

    def _ask(
        self, address: Any, method: str, path: str, cookie: str = "", form: dict[str, str] | None = None
    ) -> tuple[int, str, str]:
        connection = http.client.HTTPConnection(self._host, self._port, timeout=60, source_address=address)
        headers = {"Origin": f"http://{self._host}:{self._port}"} | ({"Cookie": cookie} if cookie else {})
        if form is not None:
            headers["Content-Type"] = "application/x-www-form-urlencoded"
        connection.request(method, path, urlencode(form) if form is not None else None, headers)
        answer = connection.getresponse()
        text = answer.read().decode()
        connection.close()
        return answer.status, (answer.headers.get("Set-Cookie") or cookie).partition(";")[0], text

    def look(self, table: str, path: str, address: Any = None, cookie: str = "") -> None:
        """Open a stream; who is refused is counted and gone."""
        one = socket.create_connection(
            (self._host, self._port), 60, source_address=address or self._address()
        )
        extra = f"Cookie: {cookie}\r\n" if cookie else ""
        one.sendall(f"GET {path} HTTP/1.1\r\nHost: {self._host}:{self._port}\r\n{extra}\r\n".encode())
        head = one.recv(1 << 16)
        if b" 200 " not in head[:20]:
            self.refused += 1
            one.close()
            return
        one.setblocking(False)
        self.of[one] = table
        self.waiting.register(one, selectors.EVENT_READ)

    def heard(self, seconds: float) -> Iterator[tuple[socket.socket, bytes, float]]:
        """What comes within so many seconds, until something has come."""
        for key, _ in self.waiting.select(max(0.0, seconds)):
            one = key.fileobj
            assert isinstance(one, socket.socket)
            with contextlib.suppress(BlockingIOError):
                data = one.recv(1 << 20)
                if not data:
                    self.waiting.unregister(one)
                yield one, data, time.perf_counter()

    def settle(self, quiet: float = 0.5, most: float = 20.0) -> None:
        end = time.monotonic() + most
        while time.monotonic() < end and list(self.heard(quiet)):
            pass

    def close(self) -> None:
        for one in self.of:
            one.close()


def evening(tree: Path, tables: int) -> Found:
    """A screen and four phones at each table while hands move."""
    found = Found()
    with tempfile.TemporaryDirectory() as folder:
        club = Club(Path(folder), tree, tables)
        crowd = None
        try:
            club.begin()
            crowd, before = Crowd(club.life.owner), memory(club.life.pid)
            for name in club.names:
                crowd.look(name, f"/t/{name}/stream/screen")
                for person in PEOPLE:
                    crowd.seat(name, person)
            crowd.settle()
            found.viewers, found.refused = len(crowd.of), crowd.refused
            found.megabytes_each = (memory(club.life.pid) - before) / max(1, found.viewers)
            began, used = time.perf_counter(), cpu(club.life.pid)
            watch(club, crowd, found)
            found.load = (cpu(club.life.pid) - used) / (time.perf_counter() - began)
        finally:
            if crowd is not None:
                crowd.close()
            club.close()
    return found


def watch(club: Club, crowd: Crowd, found: Found) -> None:
    """Hands move for a while; every viewer's delay of every drop is noted."""
    end = time.perf_counter() + WATCHED_S
    spread = 2 * HALF_CYCLE_S / len(club.names)
    due = [
        (time.perf_counter() + 0.5 + number * spread, name, True) for number, name in enumerate(club.names)
    ]
    heapq.heapify(due)
    since: dict[str, float] = {}
    left: dict[str, set[socket.socket]] = {}
    mine = {name: {one for one, table in crowd.of.items() if table == name} for name in club.names}
    while time.perf_counter() < end:
        at, name, down = due[0]
        if at <= time.perf_counter():
            heapq.heapreplace(due, (at + HALF_CYCLE_S, name, not down))
            found.quiet += len(left.pop(name, ()))
            if down:
                since[name], left[name] = time.perf_counter(), set(mine[name])
                club.drop(name)
            else:
                club.take_up(name)
            continue
        for one, data, now in crowd.heard(at - time.perf_counter()):
            table = crowd.of[one]
            if one in left.get(table, ()) and b"data: {" in data:
                left[table].discard(one)
                found.times.append(1000 * (now - since[table]))


def idle(tree: Path) -> Found:
    """Two thousand screens where nothing happens but a drop at the end."""
    found = Found()
    with tempfile.TemporaryDirectory() as folder:
        club = Club(Path(folder), tree, 1)
        crowd = None
        try:
            club.begin()
            crowd, before = Crowd(club.life.owner), memory(club.life.pid)
            for _ in range(IDLE):
                crowd.look("oak", "/t/oak/stream/screen")
            crowd.settle(0.1, 5)
            found.viewers, found.refused = len(crowd.of), crowd.refused
            found.megabytes_each = (memory(club.life.pid) - before) / max(1, found.viewers)
            began, used = time.perf_counter(), cpu(club.life.pid)
            while time.perf_counter() < began + 12:
                list(crowd.heard(0.5))
            found.load = (cpu(club.life.pid) - used) / (time.perf_counter() - began)
            left, at = set(crowd.of), time.perf_counter()
            club.drop("oak")
            while left and time.perf_counter() < at + 10:
                for one, data, now in crowd.heard(0.5):
                    if one in left and b"data: {" in data:
                        left.discard(one)
                        found.times.append(1000 * (now - at))
        finally:
            if crowd is not None:
                crowd.close()
            club.close()
    return found


def figures(version: str, what: str, found: Found, goal: str = "") -> Iterator[dict[str, Any]]:
    times = sorted(found.times) or [float("nan")]
    note = f"{found.viewers} viewers, {found.refused} refused; {len(found.times)} messages" + goal
    middle = statistics.median(times)
    last = times[max(0, round(0.99 * len(times)) - 1)]
    for name, value, unit in (
        ("median from wire to viewer", middle, "ms"),
        ("99th percentile", last, "ms"),
        ("CPU", 100 * found.load, "% of a core"),
        ("memory for each viewer", 1024 * found.megabytes_each, "KB"),
    ):
        yield {
            "name": f"{version}, {what}: {name}",
            "value": value,
            "unit": unit,
            "spread": None,
            "note": note,
        }


def rows() -> Iterator[dict[str, Any]]:
    allow_many_files()
    trees = {"now": ROOT}
    if old := os.environ.get("NAQALA_OLD"):
        trees = {"0.1.0": Path(old), **trees}
    for tables in SIZES:
        goal = {1: "; goal 3 and 15 ms", 100: "; goal 99th percentile 100 ms, one core"}.get(tables, "")
        for version, tree in trees.items():
            plural = "table" if tables == 1 else "tables"
            yield from figures(version, f"{tables} {plural}", evening(tree, tables), goal)
    for version, tree in trees.items():
        yield from figures(version, f"{IDLE:,} idle screens", idle(tree))
