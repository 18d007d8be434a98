"""`naqala simulate`: robots play whole games, written down as records."""

from __future__ import annotations

import sys
from collections.abc import Callable
from functools import partial
from pathlib import Path

import click

from naqala.cli import fail
from naqala.robots import ROBOTS
from naqala.rules.board import MEEPLES
from naqala.rules.model import EDITIONS, SWITCHES, Game
from naqala.rules.record import Record, to_text
from naqala.simulate import simulated

MEEPLES_AT_FIRST = sum(MEEPLES.values())
# The printings as people call them; the first one is kept in records by the word that its cards have.
PRINTINGS: dict[str, str] = {"fakir": EDITIONS[0], "first": EDITIONS[1]}
KNOWN: dict[str, tuple[str, ...]] = SWITCHES | {
    "edition": (*PRINTINGS, EDITIONS[1])
}  # a switch as well, though it changes only words


def _switches(given: tuple[str, ...]) -> dict[str, str]:
    found: dict[str, str] = {}
    for word in given:
        name, _, value = word.partition("=")
        if name not in KNOWN:
            fail(f"no such switch {name!r}; there are {', '.join(KNOWN)}")
        if value not in KNOWN[name]:
            fail(f"switch {name} is {' or '.join(KNOWN[name])}, not {value!r}")
        found[name] = value
    return found


def _played(play: Callable[..., Record]) -> Record:
    """Play, on a terminal with a progress bar: it fills as the board empties."""
    if not sys.stderr.isatty():
        return play()
    with click.progressbar(length=MEEPLES_AT_FIRST, label="playing", file=sys.stderr) as bar:

        def watch(game: Game) -> None:
            bar.label = f"round {game.round}"
            bar.update(max(0, MEEPLES_AT_FIRST - len("".join(game.meeples)) - bar.pos))

        record = play(watch=watch)
        bar.update(MEEPLES_AT_FIRST - bar.pos)
    return record


@click.command()
@click.option(
    "--players", type=click.IntRange(2, 4), default=4, show_default=True, help="How many robots play."
)
@click.option("--seed", type=int, default=1, show_default=True, help="The same seed gives the same game.")
@click.option("--out", default="-", show_default=True, help="Where the record goes; - is standard output.")
@click.option(
    "--robots",
    default="random",
    show_default=True,
    help=f"Around the table, with commas: {', '.join(ROBOTS)}.",
)
@click.option(
    "--switch", "given", multiple=True, metavar="NAME=VALUE", help="A house rule; else by the seed."
)
@click.option("--house-rules", type=click.Choice(["any", "default"]), default="any", show_default=True)
@click.option(
    "--edition",
    metavar=f"[{'|'.join(PRINTINGS)}]",
    type=click.Choice(KNOWN["edition"]),
    default="fakir",
    show_default=True,
    help="Which words the record uses: those of the newer printing, or of the first one.",
)
def command(
    players: int, seed: int, out: str, robots: str, given: tuple[str, ...], house_rules: str, edition: str
) -> None:
    """Let robots play a whole game and write its record.

    With "any" house rules the seed chooses every switch that is not given, so that over many seeds everything occurs.
    """
    seats = robots.split(",")
    for robot in seats:
        if robot not in ROBOTS:
            fail(f"no such robot {robot!r}; there are {', '.join(ROBOTS)}")
    switches = _switches(given)
    printing = switches.pop("edition", edition)
    edition = PRINTINGS.get(printing, printing)
    play = partial(simulated, players, seed, switches, seats, edition=edition, any_house=house_rules == "any")
    record = _played(play)
    if out == "-":
        click.echo(to_text(record), nl=False)
        return
    try:
        Path(out).write_text(to_text(record), encoding="utf-8")
    except OSError as error:
        fail(f"cannot write {out}: {(error.strerror or str(error)).lower()}")
