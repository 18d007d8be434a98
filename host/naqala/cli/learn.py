"""`naqala learn`: robots play against themselves, and the weights of their evaluation are learned from that."""

from __future__ import annotations

import os
import sys
from concurrent.futures import ProcessPoolExecutor
from functools import partial
from pathlib import Path

import click

from naqala.cli import fail
from naqala.robots import robot_of
from naqala.robots.learning import Position, learn, positions
from naqala.robots.levels import LEARNER
from naqala.robots.weights import Weights, to_text
from naqala.simulate import simulated


def _game(weights: Weights, seed: int) -> list[Position]:
    """The positions of one game; two, three and four players in turn."""
    return positions(simulated(2 + seed % 3, seed, {}, (robot_of(LEARNER, weights),)))


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
    weights = Weights()
    total = games * rounds
    with (
        ProcessPoolExecutor(jobs or os.cpu_count() or 1) as pool,
        click.progressbar(
            length=total, label="playing", file=sys.stderr, hidden=not sys.stderr.isatty()
        ) as bar,
    ):
        for number in range(rounds):
            first = seed + number * games
            found: list[Position] = []
            for some in pool.map(partial(_game, weights), range(first, first + games)):
                found += some
                bar.update(1)
            weights = learn(found)
    how = f"naqala learn --games {games} --rounds {rounds} --seed {seed}"
    text = to_text(
        weights, (f"Learned by: {how}", f"from games with the seeds {seed} to {seed + total - 1}.")
    )
    if out == "-":
        click.echo(text, nl=False)
        return
    try:
        Path(out).write_text(text, encoding="utf-8")
    except OSError as error:
        fail(f"cannot write {out}: {(error.strerror or str(error)).lower()}")
