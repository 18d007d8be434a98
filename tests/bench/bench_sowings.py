"""Sowings: listed and counted against the naive counter in the same run, and mid-move sight by size of hand."""

from __future__ import annotations

import random
from collections.abc import Callable, Iterator
from statistics import quantiles
from time import process_time
from typing import Any

from naqala.rules import paths
from naqala.rules.board import MEEPLES, NUMBER, TILES, TRIBES

from tests.rules import naive

REPEATS = 7
# Nine meeples in the middle, at an edge and in a corner; few colours, or doing every sowing would not end.
NINES = ({"C3": "YYYYYYYYB"}, {"C1": "GGGGGGGGR"}, {"A1": "RRRRRRRWW"})
BESIDE_THEM = {"E2": "BRG", "A5": "YW", "F4": "BWR", "B4": "GY"}


def opening(seed: int) -> naive.Board:
    bag = [colour for colour, number in MEEPLES.items() for _ in range(number)]
    random.Random(seed).shuffle(bag)
    return {tile: "".join(bag[3 * place : 3 * place + 3]) for place, tile in enumerate(TILES)}


def meeples(board: naive.Board) -> tuple[str, ...]:
    return tuple(board.get(tile, "") for tile in TILES)


def seconds(work: Callable[[], object]) -> float:
    begun = process_time()
    work()
    return process_time() - begun


def row(name: str, values: list[float], unit: str, note: str) -> dict[str, Any]:
    """Median and spread (half the range between the quartiles)."""
    low, middle, high = quantiles(values, n=4)
    return {"name": name, "value": middle, "unit": unit, "spread": (high - low) / 2, "note": note}


def ratio(name: str, naively: Callable[[], object], ours: Callable[[], object], note: str) -> dict[str, Any]:
    """How many times faster, over pairs of runs, one after the other, so that both see the same load."""
    return row(name, [seconds(naively) / seconds(ours) for _ in range(REPEATS)], "ratio", note)


def rows() -> Iterator[dict[str, Any]]:
    openings = [opening(seed) for seed in range(50)]
    ours = [meeples(board) for board in openings]
    nines = [{**BESIDE_THEM, **nine} for nine in NINES]

    def listed_naively() -> None:
        for board in openings:
            list(naive.every_move(board))

    def listed() -> None:
        for board in ours:
            list(paths.sowings(board))

    first = seconds(listed)
    yield {
        "name": "listing 50 openings, the first time",
        "value": seconds(listed_naively) / first,
        "unit": "ratio",
        "spread": None,
        "note": "against doing every sowing, with all tables still to be made",
    }
    yield ratio("listing 50 openings", listed_naively, listed, "against doing every sowing; at least 8")
    yield ratio(
        "counting 50 openings",
        lambda: [naive.count(board, tile) for board in openings for tile in TILES],
        lambda: [paths.count_per_start(board) for board in ours],
        "against doing every sowing; at least 50",
    )
    yield ratio(
        "counting tiles of 9 meeples",
        lambda: [naive.count(board, tile) for board in nines for tile in TILES],
        lambda: [paths.count_per_start(meeples(board)) for board in nines],
        "against doing every sowing; at least 50",
    )
    for hand in (3, 6, 10, 15):
        yield sight(hand)


def sight(size: int) -> dict[str, Any]:
    """The open drops after the first of a hand from the middle of a crowded board, each on another board."""
    chance = random.Random(size)
    times = []
    for seed in range(100):
        board = list(meeples(opening(seed)))
        board[NUMBER["C3"]] = "".join(chance.choices(TRIBES, k=size + 1))
        drops = [("C4", board[NUMBER["C3"]][0])]
        times.append(1000 * seconds(lambda: paths.open_drops(board, "C3", drops)))  # noqa: B023 (called at once)
    note = f"which next drops can still end legally; the slowest of 100 boards {max(times):.2f} ms, at most 5"
    return row(f"mid-move sight, {size} in hand", times, "ms", note)
