"""One meeple goes to its neighbour while readers look seldom, each in its own time: never read the wrong way round."""

from __future__ import annotations

from collections import Counter
from random import Random

import pytest
from naqala.rules.actions import Sow
from naqala.table.readings import Did, Unclear
from naqala_protocol import Alive

from tests.table.stage import Small

BOARDS = (("G", "G"), ("G", "G"), ("G", "GW"), ("G", "GG"), ("G", "GGR"))  # the start tile, the end tile
SWEEPS = ((300, 500), (500, 900), (900, 1500))  # milliseconds between two looks of a reader
QUICK = 300  # some readers are looked at more often than others
MOVES = 120


class Sweep:
    """Two tiles, each looked at now and then: presence is told at once, absence after some looks."""

    def __init__(self, table: Small, tiles: tuple[str, str], dice: Random, sweep: int) -> None:
        self.table, self.dice = table, dice
        self.every = {tile: dice.choice((sweep, sweep, QUICK)) for tile in tiles}
        self.next = {tile: table.now + dice.randint(0, every) for tile, every in self.every.items()}
        self.there = {tile: list(table.on[tile]) for tile in tiles}
        self.patience = dice.choice((1, 2, 2, 3))
        table.hear(Alive(0, 0, max(self.every.values()), 0, ()))
        self.missed: Counter[tuple[str, str]] = Counter()

    def run_to(self, at: int) -> None:
        while min(self.next.values()) <= at:
            tile = min(self.next, key=self.next.__getitem__)
            self.table.wait(max(0, self.next[tile] - self.table.now))
            self.next[tile] += self.every[tile]
            self._look(tile)

    def _look(self, tile: str) -> None:
        told = self.table.on[tile]
        for tag in {*told, *self.there[tile]}:
            self.missed[tile, tag] = 0 if tag in self.there[tile] else self.missed[tile, tag] + 1
        seen = [tag for tag in told if self.missed[tile, tag] < self.patience]
        seen += [tag for tag in self.there[tile] if tag not in told]
        if seen != told:
            self.table.on[tile] = seen
            self.table.line(tile)


def made(seed: int, sweep: tuple[int, int], scoops: bool) -> tuple[Small, str, str]:
    """From one tile to the other, in a hurry or not; the group is taken up, or not."""
    dice = Random(seed)
    start, end = dice.choice((("C3", "C4"), ("C4", "C3")))
    here, there = BOARDS[seed % len(BOARDS)]
    table = Small({start: here, end: there, "A1": "WW", "F5": "BB"})
    table.wait(6000)
    readers = Sweep(table, (start, end), dice, dice.randint(*sweep))
    (mover,) = table.on[start]
    readers.run_to(table.now + dice.randint(100, 1500))
    readers.there[start].remove(mover)
    readers.run_to(table.now + dice.randint(150, dice.choice((400, 2500))))
    readers.there[end].append(mover)
    if scoops:
        readers.run_to(table.now + dice.randint(100, dice.choice((300, 1500))))
        readers.there[end] = [tag for tag in readers.there[end] if table.pieces[tag].which != here]
    readers.run_to(table.now + 20_000)
    table.end()
    return table, start, end


@pytest.mark.parametrize("sweep", SWEEPS)
@pytest.mark.parametrize("scoops", (True, False))
def test_a_single_meeple_is_never_read_backwards(sweep: tuple[int, int], scoops: bool) -> None:
    asked = 0
    for seed in range(MOVES):
        table, start, end = made(seed, sweep, scoops)
        said = [reading for _, reading in table.said]
        found = [r.action for r in said if isinstance(r, Did) and isinstance(r.action, Sow)]
        assert "wrong" not in table.words, (seed, table.words)
        if table.watching.count:
            assert (found[-1].start, found[-1].drops) == (start, ((end, "G"),)), seed
            continue
        # Both tiles are empty and nobody saw who met whom: then people say it.
        questions = [reading for reading in said if isinstance(reading, Unclear)]
        assert questions and {str(option.sowing) for option in questions[-1].options} == {"C3>C4G", "C4>C3G"}
        asked += 1
    assert asked < MOVES / 3 if scoops else asked == 0
