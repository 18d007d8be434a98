"""Hands quicker than readers: a single meeple scooped before it was read, a victim taken within a second of the scoop."""

from __future__ import annotations

from collections import Counter
from functools import cache
from random import Random

import pytest
from naqala.rules.actions import Kill, Sow
from naqala.rules.model import Game
from naqala.rules.sowing import Sowing
from naqala.simulate import simulated
from naqala.table.playback import watched
from naqala.table.readings import Did, Unclear, Wrong

from tests.table.hands import BAD, CLEAN, Stage, recorded, sow
from tests.table.test_moves import moves, outcome, owed, standing

SINGLES = 150
KILLS = 120


def scooped_unread(seed: int, game: Game, action: Sow) -> Stage:
    """One meeple is lifted and its group scooped a moment later; it stands on the end tile for no look of a reader."""
    stage = Stage(game, Random(seed))
    stage.now = 1500
    stage.wait(400, 1500)
    (end, colour), tag = action.drops[0], stage.on(action.start)[0]
    stage.put(tag, None)
    stage.wait(*((200, 400) if seed % 2 else (500, 900)))
    if seed % 3 == 0:
        stage.put(tag, end)
        stage.wait(40, 150)
    for one in stage.on(end, which=colour):
        stage.put(one, None)
    return stage


@pytest.mark.long
def test_a_single_meeple_scooped_before_it_was_read() -> None:
    results: Counter[str] = Counter()
    singles = [one for one in moves() if len(one[1].drops) == 1]
    for seed in range(SINGLES):
        game, action = Random(seed).choice(singles)
        stage = scooped_unread(seed, game, action)
        readings = [reading for _, reading in watched(recorded(stage, CLEAN if seed % 4 else BAD))]
        assert not [r for r in readings if isinstance(r, Wrong) and not owed(r)], (seed, str(action))
        found = standing(readings)
        if found is None:
            # Only two tiles that held the same single meeple can be taken for one another.
            assert game.tile(action.start).meeples == game.tile(action.drops[0][0]).meeples, seed
            asked = [reading for reading in readings if isinstance(reading, Unclear)]
            assert outcome(action) in [outcome(option.sowing) for option in asked[-1].options], seed
        results["asked" if found is None else "did"] += 1
        assert found is None or outcome(found) == outcome(action), (seed, str(action), found)
    assert results["did"] > 0.7 * SINGLES, results


@cache
def kills() -> tuple[tuple[Game, Sow, Kill], ...]:
    """Sowings that robots followed up with a victim on a tile, and nothing else to tell."""
    found = []
    for seed in range(12):
        record = simulated(2 + seed % 3, seed)
        games = [record.opening, *(step.game for step in record.steps)]
        for number, (game, step) in enumerate(zip(games, record.steps[:-1], strict=False)):
            then = record.steps[number + 1].action
            if not isinstance(step.action, Sow) or not isinstance(then, Kill) or then.fakirs or then.card:
                continue
            if len(then.victims) == 1 and then.victims[0].tile:
                found.append((game, step.action, then))
    return tuple(found)


@pytest.mark.long
def test_a_victim_taken_within_a_second_of_the_scoop() -> None:
    flagged = 0
    for seed in range(KILLS):
        dice = Random(seed)
        game, action, kill = dice.choice(kills())
        stage = Stage(game, Random(seed))
        stage.now = 1500
        manner = dice.choice(("plain", "last never put down"))
        sow(stage, Sowing(action.start, action.drops), manner, "at once")
        stage.wait(*((150, 500) if seed % 2 else (500, 1100)))
        victim = kill.victims[0]
        stage.put(stage.on(str(victim.tile), which=victim.meeple)[0], None)
        readings = [reading for _, reading in watched(recorded(stage, CLEAN if seed % 4 else BAD))]
        found = standing(readings)
        assert found is not None and outcome(found) == outcome(action), (seed, manner, str(action))
        done = [r.action for r in readings if isinstance(r, Did) and isinstance(r.action, Kill)]
        assert [one.victims for one in done] == [kill.victims], (seed, manner, str(action), kill)
        flagged += any(isinstance(r, Wrong) and not owed(r) for r in readings)
    assert flagged <= 0.02 * KILLS
