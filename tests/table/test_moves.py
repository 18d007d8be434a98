"""Two thousand moves by made-up hands before bad readers: what is recognised, what is asked, what is flagged."""

from __future__ import annotations

from collections import Counter
from functools import cache
from itertools import permutations
from random import Random

import pytest
from naqala.rules.actions import Sow
from naqala.rules.board import NUMBER
from naqala.rules.model import Game
from naqala.rules.sowing import Sowing, breaches
from naqala.simulate import simulated
from naqala.table.playback import watched
from naqala.table.readings import Did, Reading, Unclear, Wrong

from tests.table.hands import (
    BAD,
    FAULTS,
    MANNERS,
    OUT_OF_REACH,
    Noise,
    Stage,
    recorded,
    sow,
    sow_wrongly,
    spoilt,
)

RAW = Noise(settle=1)  # a reader that reports every single missed read
PARTS = range(4)
LEGAL, ILLEGAL = 350, 150  # of each part: 2,000 in all
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


def played(game: Game, sowing: Sowing, seed: int, manner: str, scoops: str, noise: Noise) -> list[Reading]:
    stage = Stage(game, Random(seed))
    stage.now = 1500
    sow(stage, sowing, manner, scoops)
    return [reading for _, reading in watched(recorded(stage, noise))]


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


@pytest.mark.long
@pytest.mark.parametrize("part", PARTS)
def test_legal_moves_are_recognised_and_never_end_as_wrong(part: int) -> None:
    results: Counter[str] = Counter()
    for number in range(LEGAL):
        seed = part * LEGAL + number
        dice = Random(seed)
        game, action = dice.choice(moves())
        manner = MANNERS[number % len(MANNERS)]
        scoops = dice.choice(("at once", "at once", "in two grabs", "not at all"))
        noise = RAW if number % 5 == 0 else BAD
        readings = played(game, Sowing(action.start, action.drops), seed, manner, scoops, noise)
        found = standing(readings)
        asked = [reading for reading in readings if isinstance(reading, Unclear)]
        flags = [reading for reading in readings if isinstance(reading, Wrong) and not owed(reading)]
        assert readings[-1] not in flags, (seed, manner, scoops, readings[-1])
        results["flagged for a moment"] += bool(flags) and manner != OUT_OF_REACH
        if found is not None:
            # order or scoop settled it; a question that the scoop answered by itself is no harm
            results["right" if outcome(found) == outcome(action) else "other"] += 1
        else:
            assert len(asked) == 1, (seed, manner, scoops, readings[-3:])
            options = [outcome(option.sowing) for option in asked[0].options]
            assert outcome(action) in options, (seed, manner, scoops, options)
            assert len(options) <= 4
            results["asked"] += 1
    settled = results["right"] + results["other"]
    assert results["right"] >= 0.97 * settled, results
    assert results["asked"] <= 0.03 * LEGAL, results
    # Ghosts and leaks outlast the wait in a few.
    assert results["flagged for a moment"] <= 0.02 * LEGAL, results


def owed(flag: Wrong) -> bool:
    return bool(flag.breaches) and flag.breaches[0].rule in OWED


@pytest.mark.long
@pytest.mark.parametrize("part", PARTS)
def test_illegal_moves_are_all_found_and_the_rule_is_named(part: int) -> None:
    results: Counter[str] = Counter()
    number = 0
    while sum(results.values()) < ILLEGAL:
        number += 1
        seed = 1_000_000 * (part + 1) + number
        dice = Random(seed)
        game, action = dice.choice(moves())
        fault = FAULTS[number % len(FAULTS)]
        sowing = spoilt(game.meeples, Sowing(action.start, action.drops), fault, dice)
        rule = sowing and broken_rule(game, sowing, fault)
        if not sowing or not rule:
            continue
        stage = Stage(game, dice)
        stage.now = 1500
        sow_wrongly(stage, sowing, fault, dice.choice(("at once", "not at all")))
        readings = [reading for _, reading in watched(recorded(stage, BAD))]
        flags = [r.breaches[0].rule for r in readings if isinstance(r, Wrong) and r.breaches]
        flags = [flag for flag in flags if flag not in OWED]
        assert flags, (seed, fault, str(sowing), readings)
        results["named" if flags[-1] == rule else "another"] += 1
    assert results["named"] >= 0.97 * ILLEGAL, results


def broken_rule(game: Game, sowing: Sowing, fault: str) -> str | None:
    """The first rule a spoilt move breaks; None where the pieces fit a legal sowing after all (then that was done)."""
    end, colour = sowing.drops[-1]
    there = game.tile(end).meeples + "".join(letter for tile, letter in sowing.drops if tile == end)
    if len(sowing.drops) > 6:
        return None
    if fault in ("one forgotten", "wrong colour"):
        others = sorted(set(there) - {colour}, key="YWGBR".index)
        if end == sowing.start or (there.count(colour) < 2 if fault == "one forgotten" else not others):
            return None
        taken = (end, others[0]) if fault == "wrong colour" else None
        orders = (order for order in permutations(sowing.drops) if order[-1] == taken)
        legal = any(not breaches(game.meeples, Sowing(sowing.start, order)) for order in orders)
        return None if legal else "collects_every_one_of_its_colour"
    drops = list(sowing.drops)
    if fault == "left behind":
        left = Counter(game.tile(sowing.start).meeples) - Counter(sowing.hand)
        drops += [(sowing.start, letter) for letter in left.elements()]
        if len(sowing.drops) == 1 and game.tile(end).meeples == colour:
            return None  # scooped, it looks like the legal move the other way round
    if fault == "second tile":
        # a meeple of the same colour dropped on that tile makes good for the one taken: nobody can tell them apart
        alike = {tile for tile, letter in sowing.drops[:-1] if letter == colour}
        second = next((t for t in sowing.path[1:-2] if colour in game.meeples[NUMBER[t]] or t in alike), None)
        if second is None or second in alike:
            return None
    elif any(not breaches(game.meeples, Sowing(sowing.start, order)) for order in set(permutations(drops))):
        return None
    found = breaches(game.meeples, sowing)
    return found[0].rule if found else None
