"""Explain: how long one look at the table takes, for hands of 3 to 14 on crowded boards, and for a whole transcript."""

from __future__ import annotations

import statistics
import time
from collections.abc import Iterator
from random import Random
from typing import Any

from naqala.hands.recording import single
from naqala.rules.actions import Sow
from naqala.rules.board import NUMBER, TILES, TRIBES
from naqala.rules.walks import ONWARD, STANDS_ON
from naqala.simulate import simulated
from naqala.table.difference import Scene
from naqala.table.explain import explain
from naqala.table.playback import watched
from naqala.table.search import Drop
from naqala.transcript import read

HANDS = range(3, 15)
DEAD = "half hidden"  # one reader on the way is dead
SCENES = 60  # of each size
MIDDLE = [NUMBER[tile] for tile in TILES if tile[0] in "BCDE" and tile[1] in "234"]


def scene(hand: int, dice: Random, kind: str) -> Scene:
    """A hand dropped along a tangled walk on a crowded board, seen in no order: the search has to find one."""
    start = dice.choice(MIDDLE)
    before = ["".join(dice.choice(TRIBES) for _ in range(dice.randint(2, 5))) for _ in TILES]
    stance, drops = start, list[Drop]()
    letters = [dice.choice(TRIBES) for _ in range(hand)]
    for letter in letters:
        stance = dice.choice(ONWARD[stance])
        drops.append((STANDS_ON[stance], letter))
    if kind == "illegal":
        drops[dice.randrange(hand)] = (dice.randrange(len(TILES)), dice.choice(TRIBES))
        letters = [letter for _, letter in drops]
    if kind == "half made":
        drops = drops[: max(1, hand // 2)]
    before[start] = "".join(sorted(letters))
    after = list(before)
    after[start] = ""
    silent = frozenset({dice.choice(drops)[0]} - {start}) if kind == DEAD else frozenset[int]()
    moments: dict[Drop, list[tuple[int, int]]] = {}
    for number, drop in enumerate(dice.sample(drops, len(drops)), 1):
        if drop[0] in silent:
            continue
        after[drop[0]] += drop[1]
        moments.setdefault(drop, []).append((number, 1000 * number))
    arrived = {drop: tuple(sorted(found)) for drop, found in moments.items()}
    return Scene(_sorted(before), _sorted(after), arrived, lifted={start: 0}, silent=silent)


def _sorted(tiles: list[str]) -> tuple[str, ...]:
    return tuple("".join(sorted(letters)) for letters in tiles)


def rows() -> Iterator[dict[str, Any]]:
    # Processor time: what else the machine does at the moment is not measured.
    for hand in HANDS:
        explain(scene(hand, Random(0), "legal"), "Ann")
    worst = 0.0
    for kind in ("legal", "half made", "illegal", DEAD):
        times = []
        for hand in HANDS:
            dice = Random(hand)
            for _ in range(SCENES):
                one = scene(hand, dice, kind)
                began = time.process_time()
                explain(one, "Ann")
                times.append((time.process_time() - began) * 1000)
        worst = max(worst, *times)
        yield {
            "name": f"explain, {kind} move in no order, hands of 3 to 14: median",
            "value": statistics.median(times),
            "unit": "ms",
            "spread": (statistics.quantiles(times, n=4)[2] - statistics.quantiles(times, n=4)[0]) / 2,
            "note": f"{len(times)} crowded boards; 99 of 100 under {statistics.quantiles(times, n=100)[98]:.1f} ms",
        }
    yield {
        "name": "explain, worst of all",
        "value": worst,
        "unit": "ms",
        "spread": None,
        "note": "must stay under 25 ms",
    }
    yield _transcript()


def _transcript() -> dict[str, Any]:
    record = simulated(3, 7)
    games = [record.opening, *(step.game for step in record.steps)]
    steps = zip(games, record.steps, strict=False)
    game, action = next((game, step.action) for game, step in steps if isinstance(step.action, Sow))
    transcript = read(single(game, action, 1, level="moderate").text)
    began = time.process_time()
    for _ in range(5):
        list(watched(transcript))
    took = (time.process_time() - began) * 1000 / 5
    return {
        "name": "a whole move before bad readers, per line of the wire",
        "value": took * 1000 / len(transcript.moments),
        "unit": "us",
        "spread": None,
        "note": f"{len(transcript.moments)} lines in {transcript.moments[-1].at_ms / 1000:.0f} s of play",
    }
