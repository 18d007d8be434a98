"""Ninety tags on thirty readers of an emulated controller, and hands that carry them about.

A whole minute of hands at the speed of a Pico W, one lane. At the speed of a Pico 2 W, with five lanes, an emulated second costs
twice as much, so CI runs a third of a minute; NAQALA_HANDS_S=60 runs any other length of both.
"""

from __future__ import annotations

import os
import random
from pathlib import Path

import pytest
from naqala_protocol import Alive, Fault, Focus, Looked

from tests.emulated.board import PATIENCE_S
from tests.emulated.table import KINDS, READERS, hands, lying, seen, sweep_at_rest, table, three_each

# Between two collections the free memory goes up and down by some 5 KB. The smallest leak, one block of 16 bytes at each of the
# some 12 visits a second, would take about 8 KB from the first third of a minute to its last.
FLAT_BYTES = 6144


@pytest.mark.long
@pytest.mark.parametrize(
    ("name", "seconds"),
    [
        pytest.param("Pico W, one lane", 60, marks=pytest.mark.xdist_group("emulated-minute")),
        pytest.param("Pico 2 W, five lanes", 20, marks=pytest.mark.xdist_group("emulated")),
    ],
    ids=["pico-w-one-lane", "pico-2-w-five-lanes"],
)
def test_hands_over_thirty_readers(tools: None, tmp_path: Path, name: str, seconds: int) -> None:
    """No fault, nothing a data sheet forbids, memory flat, every piece seen in its last place. How long a sweep takes is printed
    only: what the host says arrives at other moments on a busy machine; `python -m tests.emulated.measure` measures it."""
    seconds = int(os.environ.get("NAQALA_HANDS_S", seconds))
    kind, tags = KINDS[name], three_each(READERS)
    with table(tmp_path, kind, tags) as (board, host):
        rest = sweep_at_rest(board, host, kind)
        start = board.ms
        moves = hands(seconds, tags, random.Random(kind.speed))
        board.order(moves=moves)
        host.say(Focus(tuple(sorted({where for _, _, where in moves[:8] if where is not None}))))
        board.wait(lambda: board.ms >= start + 1000 * seconds, f"{seconds} s of hands", 4 * PATIENCE_S)
        now_on = dict.fromkeys(range(READERS), ()) | lying(tags)
        board.wait(lambda: seen(host) == now_on, "every piece in its last place")
        assert host.of(Fault) == []
        assert len(host.of(Looked)) > seconds  # while a focus is set
        alive = host.of(Alive)
        state = board.state()
        resets = list(board.resets)
    assert state["errors"] == [], state["errors"][:5]
    assert resets.count("watchdog") == 0
    frees = [line.free for line in alive]
    third = len(frees) // 3
    assert min(frees[-third:]) > min(frees[:third]) - FLAT_BYTES, frees
    sweeps = sorted(line.sweep for line in alive if line.sweep)
    print(
        f"{name}: sweep at rest {rest} ms, with hands {sweeps[len(sweeps) // 2]} ms, {min(frees)} bytes free, "
        f"{sum(state['fieldOns'])} visits, {state['turns']} turns of the decoders in {board.ms} ms"
    )
