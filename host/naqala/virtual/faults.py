"""Faults on demand: a table of kinds, each a name, what people see of it, and what happens to the table.

A page asks for one with `inject`; a script lets them come by chance from a seed with `Storm`. A fault that lasts ends by
itself. What a fault does is said in the world's words or to the line; nothing here knows a rule.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable
from dataclasses import dataclass
from random import Random

from naqala.rules.board import NEIGHBOURS
from naqala.table.evidence import FRAME
from naqala.virtual.box import READER_OF
from naqala.virtual.table import VirtualTable

NOISE = 0.02  # of bytes, while a line is noisy
MORE_MISSES = 0.12  # of answers
SLOW_US = 400  # a slow chip is busy after every frame


@dataclass(frozen=True, slots=True)
class Fault:
    """One kind. `cause(table, tile, ms, dice)` lets it happen at a tile, or to the whole table where no tile matters."""

    name: str
    cause: Callable[[VirtualTable, str, int, Random], None]
    ms: int  # how long it lasts unless told


def _misses(table: VirtualTable, tile: str, ms: int, dice: Random) -> None:
    table.disturb(f"misses {MORE_MISSES} {ms}")


def _ghost(table: VirtualTable, tile: str, ms: int, dice: Random) -> None:
    """Half of the ghosts are ids nobody knows, half are pieces that stand elsewhere or nowhere."""
    known = [tag for tag, piece in table.tags().items() if piece.kind != "tile" and table.where(tag) != tile]
    tag = dice.choice(known) if dice.random() < 0.5 else f"e0040150{dice.getrandbits(32):08x}"
    table.disturb(f"echo {tag} {READER_OF[tile]} {ms}")


def _leak(table: VirtualTable, tile: str, ms: int, dice: Random) -> None:
    near = [tag for other in NEIGHBOURS[tile] for tag in table.at(other) if not table.lying(tag)]
    if near:
        table.disturb(f"echo {dice.choice(near)} {READER_OF[tile]} {ms}")


def _chip(kind: str) -> Callable[[VirtualTable, str, int, Random], None]:
    def cause(table: VirtualTable, tile: str, ms: int, dice: Random) -> None:
        table.disturb(f"fault {READER_OF[tile]} {kind} {ms}")

    return cause


def _slow(table: VirtualTable, tile: str, ms: int, dice: Random) -> None:
    table.disturb(f"slow {READER_OF[tile]} {SLOW_US} {ms}")


def _reboot(table: VirtualTable, tile: str, ms: int, dice: Random) -> None:
    table.disturb("restart")


def _pull(table: VirtualTable, tile: str, ms: int, dice: Random) -> None:
    table.line.pull(table.works.now_ms + ms)


def _noise(table: VirtualTable, tile: str, ms: int, dice: Random) -> None:
    table.line.disturb(NOISE, table.works.now_ms + ms)


KINDS: dict[str, Fault] = {
    fault.name: fault
    for fault in (
        Fault("missed_reads", _misses, 8_000),
        Fault("ghost_read", _ghost, 1_000),
        Fault("neighbour_leak", _leak, 1_000),
        Fault("dead_reader", _chip("dead"), 6_000),
        Fault("stuck_busy", _chip("stuck"), 6_000),
        Fault("cable_pulled", _pull, 4_000),
        Fault("line_noise", _noise, 4_000),
        Fault("controller_reboot", _reboot, 0),
        Fault("brown_out", _chip("brownout"), 0),
        Fault("slow_reader", _slow, 6_000),
    )
}


class Faults:
    """What is done to one table. For any thread of the host."""

    def __init__(self, table: VirtualTable, seed: int = 1) -> None:
        self.table = table
        self.injected: Counter[str] = Counter()
        self._dice = Random(seed)

    def inject(self, name: str, tile: str | None = None, ms: int | None = None) -> str:
        """Let a fault happen; on a tile by chance if none is named. Which tile it met."""
        fault = KINDS[name]
        where = tile or self._dice.choice(tuple(FRAME.values()))
        fault.cause(self.table, where, fault.ms if ms is None else ms, self._dice)
        self.injected[name] += 1
        self.table.touch()
        return where

    def clear(self) -> None:
        """Mend everything at once."""
        self.table.line.mend()
        self.table.disturb("calm")
        self.table.touch()


class Storm:
    """Faults by chance: about `per_minute` of them, of these kinds in turn, from a seed."""

    def __init__(
        self, faults: Faults, seed: int, per_minute: float, kinds: tuple[str, ...] = tuple(KINDS)
    ) -> None:
        self.faults = faults
        self.kinds = kinds
        self._dice = Random(seed)
        self._gap_ms = 60_000 / per_minute
        self._kinds: list[str] = []
        self._due = self._next(faults.table.works.now_ms)

    def blow(self) -> None:
        """To be called now and then: lets happen what is due."""
        now = self.faults.table.works.now_ms
        while self._due <= now:
            if not self._kinds:
                self._kinds = list(self.kinds)
                self._dice.shuffle(self._kinds)
            self.faults.inject(self._kinds.pop())
            self._due = self._next(self._due)

    def _next(self, at: int) -> int:
        return at + round(self._dice.expovariate(1 / self._gap_ms)) + 1
