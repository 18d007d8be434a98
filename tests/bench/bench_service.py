"""From the bytes at the serial end to the event at a browser: one table, sixty viewers of it, fifty tables at once.

The service runs in a process of its own, as in an evening; controllers and browsers are here. What is timed are the drops
of sowings, each of which changes the picture at once: the clock starts before the line is written to the pseudo-terminal, and stops when
the stream brings the next message.
"""

from __future__ import annotations

import contextlib
import os
import selectors
import socket
import statistics
import tempfile
import threading
import time
import urllib.request
from collections.abc import Iterator
from pathlib import Path
from random import Random
from typing import Any
from urllib.parse import urlsplit

from naqala.journal import Journal
from naqala.rules import notation, position
from naqala.rules.actions import Sow
from naqala.service import TAGS
from naqala.table.evidence import FRAME
from naqala.table.pieces import write_tags

from tests.service.evening import Hosts, Life, decided
from tests.session.conftest import Table

SOWINGS = 30
VIEWERS = 60
TABLES = 50
LIFTED_S = 0.7
PACE_S = 1.0  # a hand puts down a meeple each second
TICKS = os.sysconf("SC_CLK_TCK")


def rows() -> Iterator[dict[str, Any]]:
    with tempfile.TemporaryDirectory() as folder:
        alone = one_table(Path(folder), 1, 0)
        yield from figures("one table, one viewer", alone)
    with tempfile.TemporaryDirectory() as folder:
        crowd = one_table(Path(folder), VIEWERS, 0)
        yield from figures(f"one table, the last of {VIEWERS} viewers", crowd)
        yield {
            "name": f"{VIEWERS} viewers against one, last against only",
            "value": statistics.median(crowd.times) / statistics.median(alone.times),
            "unit": "times",
            "spread": None,
            "note": "median; all viewers of the screen share one rendering",
        }
    with tempfile.TemporaryDirectory() as folder:
        yield from figures(f"{TABLES} tables at human pace", one_table(Path(folder), 1, TABLES - 1))


class Measured:
    """Milliseconds per line, and the service's share of one core meanwhile."""

    def __init__(self) -> None:
        self.times: list[float] = []
        self.quiet = 0
        self.load = 0.0


def figures(name: str, found: Measured) -> Iterator[dict[str, Any]]:
    cuts = statistics.quantiles(found.times, n=100)
    note = f"a drop on the table to every page that shows it; {len(found.times)} drops"
    note += f", {found.quiet} more changed no page" if found.quiet else ""
    for what, value in (("median", statistics.median(found.times)), ("99th percentile", cuts[98])):
        spread = (cuts[74] - cuts[24]) / 2 if what == "median" else None
        yield {
            "name": f"bytes to stream, {name}, {what}",
            "value": value,
            "unit": "ms",
            "spread": spread,
            "note": note,
        }
    yield {
        "name": f"CPU of the service, {name}",
        "value": 100 * found.load,
        "unit": "% of a core",
        "spread": None,
        "note": "of the computer beside the table, while pieces are moved all the time",
    }


class Viewers:
    """Browsers at their streams; `last` waits until each of them was sent something new."""

    def __init__(self, owner: str, count: int) -> None:
        base = owner.partition("/owner")[0]
        opener = urllib.request.build_opener(urllib.request.HTTPCookieProcessor())
        opener.open(owner, timeout=60).read()
        where = urlsplit(base)
        self._waiting = selectors.DefaultSelector()
        self.sockets = []
        for _ in range(count):
            one = socket.create_connection((where.hostname, where.port))
            one.sendall(
                f"GET /t/oak/stream/screen HTTP/1.1\r\nHost: {where.netloc}\r\nAccept: text/event-stream\r\n\r\n".encode()
            )
            self._waiting.register(one, selectors.EVENT_READ)
            self.sockets.append(one)
        self.settle()

    def settle(self, quiet: float = 0.25) -> None:
        """Read until nothing more comes for a moment."""
        while ready := self._waiting.select(quiet):
            for key, _ in ready:
                key.fileobj.recv(1 << 20)  # type: ignore[union-attr]

    def last(self, timeout: float) -> float | None:
        """When the last of them heard, or None."""
        left = set(self.sockets)
        end = time.perf_counter() + timeout
        while left:
            ready = self._waiting.select(max(0.0, end - time.perf_counter()))
            if not ready:
                return None
            for key, _ in ready:
                data = key.fileobj.recv(1 << 20)  # type: ignore[union-attr]
                if b"data: {" in data:
                    left.discard(key.fileobj)  # type: ignore[arg-type]
        return time.perf_counter()

    def close(self) -> None:
        for one in self.sockets:
            one.close()


def cpu(pid: int) -> float:
    """Seconds of CPU a process has used."""
    fields = Path(f"/proc/{pid}/stat").read_text().rpartition(")")[2].split()
    return (int(fields[11]) + int(fields[12])) / TICKS


def one_table(folder: Path, viewers: int, others: int) -> Measured:
    """The times at table `oak`, with so many viewers, while others are played at human pace."""
    tables = [Table(folder, 1, readers=FRAME)]
    (folder / TAGS).write_text(write_tags(tables[0].tags))
    for number in range(others):
        own = folder / f"t{number}"
        own.mkdir()
        tables.append(Table(own, 1, readers=FRAME))
    for table in tables:
        table.cable.plug()
    hosts = Hosts(folder)
    names = ["oak", *(f"t{number}" for number in range(others))]
    links = "|".join(f"{name}=serial:{table.cable.path}" for name, table in zip(names, tables, strict=True))
    life = Life(hosts, {"home": str(folder), "link": links, "kind": "service"})
    over = threading.Event()
    crowd = threading.Thread(target=play_others, args=(tables[1:], over))
    try:
        for name in names:
            answer = life.tell(new=["Ann", "Bob"], table=name)
            assert answer is not None and answer.startswith("True"), answer
        crowd.start()
        return measure(folder, tables[0], life, viewers)
    finally:
        over.set()
        with contextlib.suppress(RuntimeError):
            crowd.join()
        life.kill(0)
        life.over()
        hosts.died_of()
        hosts.close()
        for table in tables:
            table.cable.pull()


def play_others(tables: list[Table], over: threading.Event) -> None:
    """Somebody touches each table once a second."""
    dice = Random(1)
    while tables and not over.wait(PACE_S / len(tables)):
        table = dice.choice(tables)
        tile = dice.choice(list(table.on))
        table.on[tile].reverse()
        table.show(tile)


def measure(folder: Path, table: Table, life: Life, viewers: int) -> Measured:
    found = Measured()
    with Journal.open(str(folder / "journal.sqlite")) as journal:
        opening = journal.game(journal.games("oak")[-1].id).opening
    plan = decided(position.from_json(dict(opening)), 1)
    watching = Viewers(life.owner, viewers)
    began, used, sowings = time.perf_counter(), cpu(life.pid), 0
    for number, (_, action) in enumerate(plan):
        if action is None or sowings == SOWINGS:
            break
        if isinstance(action, Sow):
            sowings += 1
            watching.settle()
            table.lift(action.start)
            watching.settle(LIFTED_S)  # what is gone counts as lifted only after a while: that is not timed
            steps = [lambda drop=drop: table.drop(*drop) for drop in action.drops[:-1]]
            for step in steps:
                at = time.perf_counter()
                step()
                heard = watching.last(0.5)
                if heard is None:
                    found.quiet += 1
                else:
                    found.times.append((heard - at) * 1000)
                    watching.settle(0.02)
            table.drop(*action.drops[-1])
            table.scoop(*action.drops[-1])
            life.wait(number + 1, 4)
        if life.shown <= number:
            answer = life.tell(tap=notation.to_json(action), step=number + 1)
            assert answer is not None and (answer.startswith("True") or "stale" in answer), answer
        table.follow(plan[number + 1][0])
        assert life.wait(number + 1, 20)
    found.load = (cpu(life.pid) - used) / (time.perf_counter() - began)
    watching.close()
    return found
