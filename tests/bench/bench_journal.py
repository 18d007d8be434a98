"""The journal: what an append costs on both databases, against the bare fsync under it, and how fast a game is read."""

from __future__ import annotations

import itertools
import os
import tempfile
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

from naqala.journal import Journal

from tests.bench.measure import milliseconds
from tests.journal.postgres import PostgresServer

RUNS = 200
SOWING = {
    "do": "sow",
    "player": "Ann",
    "start": "C3",
    "drops": [["C4", "G"], ["D4", "R"], ["D3", "Y"], ["C3", "W"], ["B3", "R"]],
}


def rows() -> Iterator[dict[str, Any]]:
    with tempfile.TemporaryDirectory() as folder:
        bare, spread = milliseconds(_bare(Path(folder) / "bare"), RUNS)
        yield _row("write and fsync 4 KB, no database", bare, spread, "what the disk itself takes")
        yield from _append("SQLite", str(Path(folder) / "journal.sqlite"), bare)
    server = PostgresServer()
    try:
        yield from _append("PostgreSQL", server.fresh(), bare)
    finally:
        server.remove()


def _append(name: str, url: str, bare: float) -> Iterator[dict[str, Any]]:
    with Journal.open(url) as journal:
        game = journal.new_game("oak", {})
        number = itertools.count(1)

        def one() -> None:
            at = next(number)
            for _ in range(8):
                journal.record(game, at, "seen 41 17 04a1b2c3,0499ffee")
            journal.append(game, at, "action", "Ann", SOWING)

        took, spread = milliseconds(one, RUNS)
        yield _row(f"append a sowing with its 8 lines, {name}", took, spread, "before anybody sees the move")
        yield _row(
            f"the same against the bare fsync, {name}",
            took / bare,
            None,
            "how much of the wait is ours and not the disk's",
            "times",
        )
        read, spread = milliseconds(lambda: journal.entries(game), 20)
        yield _row(
            f"read and check a game of {RUNS} entries, {name}",
            read,
            spread,
            "what Resume takes after a power cut",
        )


def _bare(path: Path) -> Callable[[], None]:
    file = path.open("wb", buffering=0)
    page = bytes(4096)

    def one() -> None:
        file.write(page)
        os.fsync(file.fileno())

    return one


def _row(name: str, value: float, spread: float | None, note: str, unit: str = "ms") -> dict[str, Any]:
    return {"name": name, "value": value, "unit": unit, "spread": spread, "note": note}
