"""An emulated table: thirty readers with three tags each, flashed as a user does it, and hands that carry the tags about.

Two speeds of the processor: the emulator counts the cycles of a slow board, so twice its speed stands for a Pico W and four times
for a Pico 2 W. Ratios are good, absolute times within about 40 % (the review of 0.1.0 compared a public snippet).
"""

from __future__ import annotations

import json
import random
from collections.abc import Iterator
from contextlib import contextmanager
from functools import partial
from pathlib import Path
from typing import NamedTuple

import pytest
from click.testing import CliRunner
from mpremote.transport_serial import SerialTransport
from naqala import flash
from naqala.cli.flash import command as flash_command
from naqala_protocol import Alive, Resync, Seen

from tests.emulated.board import PATIENCE_S, Board, Host

READERS = 30
PICO_W, PICO_2_W = 2, 4
# Chips as they come: each with its own times (microseconds), within the data sheet's limits or our guess of them.
TIMES = {"field": [20, 400], "send": [20, 120], "sof": [5, 120], "busy": [10, 80], "boot": [2300, 2500]}


class Kind(NamedTuple):
    """A controller and how it asks; `rest_ms` is how long it is left alone until a sweep at rest is over."""

    speed: int
    lanes: int
    rest_ms: int


# The names under which hardware/emulated.json keeps their sweep times.
KINDS = {
    "Pico W, one lane": Kind(PICO_W, 1, 7000),
    "Pico 2 W, one lane": Kind(PICO_2_W, 1, 5000),
    "Pico 2 W, five lanes": Kind(PICO_2_W, 5, 3000),
}


def tag(number: int) -> str:
    return f"e0040150{number * 2654435761 % 2**32:08x}"


def three_each(readers: int) -> list[tuple[str, int]]:
    return [(tag(number), number % readers) for number in range(3 * readers)]


def lying(tags: list[tuple[str, int]]) -> dict[int, tuple[str, ...]]:
    readers = {reader for _, reader in tags}
    return {reader: tuple(sorted(t for t, where in tags if where == reader)) for reader in readers}


def seen(host: Host) -> dict[int, tuple[str, ...]]:
    return {line.reader: line.tags for line in host.of(Seen)}


def put_on(board: Board, *options: str) -> str:
    """`naqala flash` as a user calls it."""
    done = CliRunner().invoke(flash_command, ["--port", board.port, *options])
    assert done.exit_code == 0, done.output
    return done.output


@contextmanager
def patience() -> Iterator[None]:
    """How long `naqala flash` waits is meant for a controller in real time; an emulated one on a busy machine takes longer."""
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(flash, "wait_for_hello", partial(flash.wait_for_hello, seconds=PATIENCE_S))
        patch.setattr(flash.prompt, "PROMPT_S", PATIENCE_S)
        patch.setattr(flash.prompt, "SerialTransport", patient_transport)
        yield


def patient_transport(device: str, baud: int, timeout: float) -> SerialTransport:
    """Not too patient: a controller that just restarts says nothing, and is asked again after this time."""
    return SerialTransport(device, baud, timeout=10 * timeout)


@contextmanager
def table(folder: Path, kind: Kind, tags: list[tuple[str, int]]) -> Iterator[tuple[Board, Host]]:
    """An emulated table that was flashed onto an empty image and has told the right tags of every reader."""
    config = folder / "table.json"
    config.write_text(
        json.dumps({"name": "table", "wiring": "table", "lamps": {"count": READERS}, "lanes": kind.lanes})
    )
    with Board(folder, tags=tags, speed=kind.speed, times=TIMES, seed=kind.speed) as board:
        put_on(board, "--config", str(config))
        with Host(board) as host:
            host.say(Resync(None))
            board.wait(lambda: seen(host) == lying(tags), "right tag on every reader")
            yield board, host


def sweep_at_rest(board: Board, host: Host, kind: Kind) -> int:
    """Milliseconds of a round over all readers while nobody touches the table and no reader is wanted first."""
    board.wait_ms(kind.rest_ms)
    return int(host.of(Alive)[-1].sweep)


def hands(
    seconds: int, tags: list[tuple[str, int]], chance: random.Random
) -> list[tuple[int, str, int | None]]:
    """Pieces lifted and put down on a neighbour, one after the other: (milliseconds, tag, where)."""
    where = dict(tags)
    moves: list[tuple[int, str, int | None]] = []
    for at in range(500, 1000 * seconds - 4000, 1500):
        piece = chance.choice(sorted(where))
        there = where[piece]
        steps = [there + step for step in (-6, 6) if 0 <= there + step < READERS]
        steps += [there + step for step in (-1, 1) if (there + step) // 6 == there // 6 and there + step >= 0]
        where[piece] = chance.choice(steps)
        moves += [(at, piece, None), (at + 400, piece, where[piece])]
    tags[:] = sorted(where.items())
    return moves
