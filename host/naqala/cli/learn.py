"""`naqala learn`: robots play against themselves, and the weights of their evaluation are learned from that."""

from __future__ import annotations

import os
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from functools import partial
from pathlib import Path
from typing import IO

import click

from naqala.cli import fail
from naqala.cli.processes import worked
from naqala.robots import robot_of
from naqala.robots.learning import Position, learn, positions
from naqala.robots.levels import LEARNER
from naqala.robots.weights import Weights, to_text
from naqala.simulate import simulated


def _game(weights: Weights, seed: int) -> tuple[int, list[Position]]:
    """The positions of one game; two, three and four players in turn."""
    return seed, positions(simulated(2 + seed % 3, seed, {}, (robot_of(LEARNER, weights),)))


@click.command()
@click.option("--games", type=click.IntRange(3), default=80, show_default=True, help="Played in each round.")
@click.option(
    "--rounds", type=click.IntRange(1), default=2, show_default=True, help="Of playing, then learning."
)
@click.option(
    "--seed", type=int, default=500, show_default=True, help="Of the first game; each game has its own."
)
@click.option("--out", default="-", show_default=True, help="Where the weights go; - is standard output.")
@click.option("--jobs", type=click.IntRange(1), default=None, help="Games at once.  [default: one per core]")
def command(games: int, rounds: int, seed: int, out: str, jobs: int | None) -> None:
    """Learn the weights of the evaluation. The first games are played with the guesses of its table of features.

    The same games, rounds and seed give the same weights. `naqala match strong trial --weights FILE` tries them.
    """
    with _opened(out) as file:  # before hours of playing, not after
        total = games * rounds
        weights = _learned(games, rounds, seed, jobs or os.cpu_count() or 1)
        how = f"Learned by: naqala learn --games {games} --rounds {rounds} --seed {seed}"
        file.write(to_text(weights, (how, f"from games with the seeds {seed} to {seed + total - 1}.")))


def _learned(games: int, rounds: int, seed: int, jobs: int) -> Weights:
    weights = Weights()
    with click.progressbar(
        length=games * rounds, label="playing", file=sys.stderr, hidden=not sys.stderr.isatty()
    ) as bar:
        for number in range(rounds):
            first = seed + number * games
            found: dict[int, list[Position]] = {}
            for game, some in worked(partial(_game, weights), range(first, first + games), jobs):
                found[game] = some
                bar.update(1)
            # In the order of the seeds: sums of floating point numbers depend on it.
            weights = learn([one for game in sorted(found) for one in found[game]])
    return weights


@contextmanager
def _opened(out: str) -> Iterator[IO[str]]:
    if out == "-":
        yield sys.stdout
        return
    try:
        with Path(out).open("w", encoding="utf-8") as file:
            yield file
    except OSError as error:
        fail(f"cannot write {out}: {(error.strerror or str(error)).lower()}")
