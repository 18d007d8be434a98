"""Look: how long one look at the table takes, for hands of 3 to 14 on crowded boards, and for a whole transcript."""

from __future__ import annotations

import statistics
import time
from collections.abc import Iterator
from random import Random
from typing import Any

from naqala.hands.recording import single
from naqala.rules.actions import Sow
from naqala.rules.board import MEEPLES, NEIGHBOURS, NUMBER, TILES
from naqala.rules.position import from_json
from naqala.rules.record import Record
from naqala.simulate import simulated
from naqala.table.playback import Playback, watched
from naqala.table.watch import heard, watcher
from naqala.transcript import Piece, read
from naqala_protocol import Fault, Seen

HANDS = range(3, 15)
DEAD = "half hidden"  # one reader on the way is dead
MOVES = 3  # of each size
MIDDLE = [NUMBER[tile] for tile in TILES if tile[0] in "BCDE" and tile[1] in "234"]


def table(hand: int, dice: Random, kind: str) -> tuple[Playback, list[Seen | Fault]]:
    """A hand dropped along a tangled walk on a crowded board: a follower after its first sweep, and the lines of the move."""
    start, drops = dice.choice(MIDDLE), list[tuple[int, str]]()
    bag = dice.sample([letter for letter, count in MEEPLES.items() for _ in range(count)], 90)
    before = [""] * len(TILES)
    for letter in bag[hand:]:
        before[dice.randrange(len(TILES))] += letter
    at = last = start
    for letter in (letters := bag[:hand]):
        last, at = at, NUMBER[dice.choice(sorted(set(NEIGHBOURS[TILES[at]]) - {TILES[last]}))]
        drops.append((at, letter))
    before[start] = "".join(letters)
    if kind == "illegal":
        drops[dice.randrange(hand)] = (dice.randrange(len(TILES)), drops[-1][1])
    if kind == "half made":
        drops = drops[: max(1, hand // 2)]
    dead = drops[len(drops) // 2][0] if kind == DEAD else None
    tags = {
        f"04{tile:02x}{n:04x}": (tile, letter)
        for tile, here in enumerate(before)
        for n, letter in enumerate(here)
    }
    on = {tile: [tag for tag, (home, _) in tags.items() if home == tile] for tile in range(len(TILES))}
    position = {
        "tiles": {TILES[n]: {"meeples": here} for n, here in enumerate(before)},
        "players": [{"name": "Ann"}, {"name": "Bob"}],
    }
    game = from_json(position | {"turn": {"player": "Ann", "phase": "sow"}})
    pieces = {tag: Piece("meeple", letter) for tag, (_, letter) in tags.items()}
    play = Playback(watcher(dict(enumerate(TILES)), pieces), Record(game))
    for tile, here in on.items():
        list(play.hear(Seen(tile + 1, tile, tuple(here)), 0))
    lines: list[Seen | Fault] = [] if dead is None else [Fault(len(TILES) + 1, dead, "spi")]
    held, on[start] = on[start], []
    lines.append(Seen(len(TILES) + len(lines) + 1, start, ()))
    for tile, letter in drops:
        tag = next((tag for tag in held if tags[tag][1] == letter), held[0])
        held.remove(tag)
        on[tile].append(tag)
        if tile != dead:
            lines.append(Seen(len(TILES) + len(lines) + 1, tile, tuple(on[tile])))
    return play, lines


def looks(hand: int, dice: Random, kind: str) -> Iterator[float]:
    """Milliseconds of each look of one move. Processor time: what else the machine does at the moment is not measured."""
    play, lines = table(hand, dice, kind)
    for number, line in enumerate(lines, 1):
        play.watching = heard(play.watching, line, 700 * number)
        began = time.process_time()
        list(play.look(700 * number))
        yield (time.process_time() - began) * 1000


def rows() -> Iterator[dict[str, Any]]:
    worst = 0.0
    for kind in ("legal", "half made", "illegal", DEAD):
        times = [
            took
            for hand in HANDS
            for seed in range(MOVES)
            for took in looks(hand, Random(100 * hand + seed), kind)
        ]
        worst = max(worst, *times)
        yield {
            "name": f"one look, {kind} move, hands of 3 to 14: median",
            "value": statistics.median(times),
            "unit": "ms",
            "spread": (statistics.quantiles(times, n=4)[2] - statistics.quantiles(times, n=4)[0]) / 2,
            "note": f"{len(times)} looks on crowded boards; 99 of 100 under {statistics.quantiles(times, n=100)[98]:.1f} ms",
        }
    yield {
        "name": "one look, worst of all",
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
