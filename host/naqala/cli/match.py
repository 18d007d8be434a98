"""`naqala match`: robots play many games against each other, on all cores; how strong they are, with intervals."""

from __future__ import annotations

import json
import os
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import asdict
from functools import partial
from pathlib import Path
from typing import IO, Any

import click

from naqala.cli import fail
from naqala.cli.processes import worked
from naqala.match import TRIAL, BadMatch, Match, Played, play, read, standings
from naqala.robots import ROBOTS
from naqala.robots.weights import BadWeights, Weights, parsed

INTERRUPTED = 130  # the exit code that shells give to what Ctrl-C ended


@contextmanager
def _kept(path: str | None, match: Match) -> Iterator[tuple[list[Played], IO[str] | None]]:
    """The games of the file that are played already, and the file to go on with."""
    if path is None:
        yield [], None
        return
    file = Path(path)
    try:
        text = file.read_text(encoding="utf-8") if file.exists() else ""
        done = read(match, text)
    except BadMatch as error:
        fail(f"cannot go on with {path}: {error}")
    except (OSError, UnicodeDecodeError) as error:
        fail(f"cannot read {path}: {(getattr(error, 'strerror', None) or str(error)).lower()}")
    try:
        with file.open("w", encoding="utf-8") as out:  # written again: a line that was cut off goes
            out.write(json.dumps(match.head()) + "\n")
            out.writelines(one.line() + "\n" for one in done)
            out.flush()
            yield done, out
    except OSError as error:
        fail(f"cannot write {path}: {(error.strerror or str(error)).lower()}")


def _play_all(match: Match, missing: list[int], jobs: int, out: IO[str] | None) -> Iterator[Played]:
    """The missing games, each written down as soon as it is over."""
    for played in worked(partial(play, match), missing, jobs):
        if out is not None:
            out.write(played.line() + "\n")
            out.flush()
        yield played


def _weights(path: str) -> Weights:
    try:
        return parsed(Path(path).read_text(encoding="utf-8"))
    except BadWeights as error:
        fail(f"{path} holds no weights: {error}")
    except (OSError, UnicodeDecodeError) as error:
        fail(f"cannot read {path}: {(getattr(error, 'strerror', None) or str(error)).lower()}")


def _table(games: list[Played]) -> str:
    lines = [
        f"{'robot':<10}{'wins':>8}{'95 %':>16}{'chance':>9}{'points':>9}{'margin':>9}{'Elo':>7}{'95 %':>14}"
    ]
    for one in standings(games):
        wins = f"{100 * one.wins.low:.1f} to {100 * one.wins.high:.1f}"
        rated = f"{one.elo.low:+.0f} to {one.elo.high:+.0f}"
        lines.append(
            f"{one.robot:<10}{100 * one.wins.share:>7.1f}%{wins:>16}{100 * one.chance:>8.0f}%"
            f"{one.points:>9.1f}{one.margin:>+9.1f}{one.elo.share:>+7.0f}{rated:>14}"
        )
    return "\n".join(lines)


def _summary(match: Match, games: list[Played]) -> dict[str, Any]:
    return {**match.head(), "games": len(games), "standings": [asdict(one) for one in standings(games)]}


@click.command()
@click.argument("robots", nargs=-1, required=True, metavar="ROBOT ROBOT...")
@click.option("--games", type=click.IntRange(1), default=100, show_default=True, help="How many are played.")
@click.option("--seed", type=int, default=1, show_default=True, help="Of the first deal.")
@click.option(
    "--out", metavar="FILE", help="Keep the games here; the same command again goes on where it stopped."
)
@click.option("--jobs", type=click.IntRange(1), default=None, help="Games at once.  [default: one per core]")
@click.option("--weights", metavar="FILE", help='Of the robot "trial": the strong one with these weights.')
@click.option("--json", "as_json", is_flag=True, help="Print the result for programs.")
def command(
    robots: tuple[str, ...],
    games: int,
    seed: int,
    out: str | None,
    jobs: int | None,
    weights: str | None,
    as_json: bool,
) -> None:
    """Let robots play a match: two to four, one per seat, such as "strong greedy" or "strong normal normal".

    Every deal is played once for each place around the table. Wins are shared in a tie. Elo compares a robot with the
    others of the table, seat by seat.
    """
    known = (*ROBOTS, TRIAL) if weights else tuple(ROBOTS)
    for robot in robots:
        if robot not in known:
            fail(f"no such robot {robot!r}; there are {', '.join(known)}")
    if not 2 <= len(robots) <= 4:
        fail(f"two to four robots play, not {len(robots)}")
    match = Match(robots, games, seed, _weights(weights) if weights else None)
    with _kept(out, match) as (done, file):
        missing = sorted(set(range(games)) - {one.game for one in done})
        bar = click.progressbar(
            length=games, label="playing", file=sys.stderr, hidden=not sys.stderr.isatty()
        )
        try:
            with bar:
                bar.update(len(done))
                for one in _play_all(match, missing, jobs or os.cpu_count() or 1, file):
                    done.append(one)
                    bar.update(1)
        except KeyboardInterrupt:
            where = "the same command goes on" if out else "without --out they are lost"
            click.echo(f"naqala: stopped after {len(done)} of {games} games; {where}", err=True)
    click.echo(json.dumps(_summary(match, done)) if as_json else _table(done))
    if len(done) < games:
        raise SystemExit(INTERRUPTED)
