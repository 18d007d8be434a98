"""Positions and moves of whole games to try things on, and what a list of readings comes to."""

from __future__ import annotations

from functools import cache

from naqala.rules.actions import Sow
from naqala.rules.model import Game
from naqala.rules.sowing import Sowing
from naqala.simulate import simulated
from naqala.table.readings import Did, Reading, Wrong

# What may be owed when a transcript ends after a legal sowing.
OWED = {"marks_control", "places_what_the_tile_asks", "kills_within_reach"}


@cache
def moves() -> tuple[tuple[Game, Sow], ...]:
    """Positions of whole games, with the sowing that a robot made there."""
    found = []
    for seed in range(10):
        record = simulated(2 + seed % 3, seed)
        games = [record.opening, *(step.game for step in record.steps)]
        found += [
            (g, s.action) for g, s in zip(games, record.steps, strict=False) if isinstance(s.action, Sow)
        ]
    return tuple(found)


def standing(readings: list[Reading]) -> Sow | None:
    """The sowing that stands at the end, when others were replaced or withdrawn."""
    found = None
    for reading in readings:
        if reading.withdraws:
            found = None
        if isinstance(reading, Did) and isinstance(reading.action, Sow):
            found = reading.action
    return found


def outcome(sowing: Sow | Sowing) -> tuple[str, list[tuple[str, str]], tuple[str, str]]:
    return sowing.start, sorted(sowing.drops), sowing.drops[-1]


def owed(flag: Wrong) -> bool:
    """Whether a flag only says that something is still to be put on the board."""
    return bool(flag.breaches) and flag.breaches[0].rule in OWED
