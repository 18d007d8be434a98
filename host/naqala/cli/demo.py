"""`naqala demo`: robots play a whole game on a virtual table, from the chips to the score sheet."""

from __future__ import annotations

import sys
import tempfile
from pathlib import Path

import click

from naqala import link as links
from naqala.cli import fail
from naqala.cli.sheet import sheet
from naqala.journal import Journal
from naqala.rules.board import MEEPLES
from naqala.rules.scoring import score, winners
from naqala.session.session import Session
from naqala.session.snapshot import Snapshot
from naqala.simulate import NAMES
from naqala.virtual import evening
from naqala.virtual.faults import Faults, Storm
from naqala.virtual.link import VirtualLink
from naqala.virtual.robots import Character, Robots

MEEPLES_AT_FIRST = sum(MEEPLES.values())
FAULTS_PER_MINUTE = 3.0
MISSED = 0.03
MOST_MISTAKES = 60
SHOW_CURSOR = "\x1b[?25h"
INTERRUPTED = 130  # as a shell says it of a program ended by Ctrl-C


@click.command()
@click.option("--fast", is_flag=True, help="As fast as this machine can; otherwise at human pace.")
@click.option("--players", type=click.IntRange(2, 4), default=3, show_default=True)
@click.option("--seed", type=int, default=1, show_default=True, help="The same seed gives the same game.")
@click.option("--faults", is_flag=True, help="Missed reads, ghosts, dead readers, pulled cables: all of it.")
@click.option(
    "--mistakes",
    type=float,
    default=1.0,
    show_default=True,
    help="Mistakes a minute, of all the kinds people make; each is flagged and repaired.",
)
@click.option("--micropython", is_flag=True, help="Run the controller in a real MicroPython process.")
def command(fast: bool, players: int, seed: int, faults: bool, mistakes: float, micropython: bool) -> None:
    """Let robots play a whole game on a virtual table and print the score sheet.

    Everything is the real thing: chip registers, firmware, wire, referee, rules, journal. Only the chips are simulated.
    """
    if fast and micropython:
        fail("--fast needs simulated time, and a MicroPython process lives in real time; use one of them")
    if not 0 <= mistakes <= MOST_MISTAKES:
        fail(f"--mistakes is a number from 0 to {MOST_MISTAKES} a minute, not {mistakes:g}")
    query = f"seed={seed}&pace={'fast' if fast else 1}&misses={MISSED if faults else 0}"
    try:
        link = links.open(f"virtual:demo?{query}{'&micropython' if micropython else ''}")
    except links.LinkError as error:
        fail(str(error))
    assert isinstance(link, VirtualLink)
    with tempfile.TemporaryDirectory() as folder:
        journal = Journal.open(str(Path(folder) / "journal.sqlite"))
        session = evening.opened(link, journal, seed)
        try:
            robots = _played(link, session, players, seed, mistakes, fast, faults)
        except KeyboardInterrupt:
            if sys.stderr.isatty():  # the bar may have been interrupted while it was hiding the cursor
                click.echo(SHOW_CURSOR, err=True, nl=False)
            click.echo(f"\nstopped after {len(session.snapshot.log)} actions", err=True)
            raise SystemExit(INTERRUPTED) from None
        finally:
            session.stop()
            journal.close()
    shown = session.snapshot
    _tell(shown, robots, link)
    if shown.playing.turn.phase != "over":
        raise SystemExit(1)


def _played(
    link: VirtualLink, session: Session, players: int, seed: int, mistakes: float, fast: bool, faults: bool
) -> Robots:
    names = NAMES[:players]
    evening.begin(link, session, names)
    storms = [Storm(Faults(link.table, seed), seed, FAULTS_PER_MINUTE)] if faults else []
    pace = "quick" if fast else "human"
    character = Character(dict.fromkeys(names, "random"), pace, mistakes_per_minute=mistakes)
    robots = Robots(link, session, character, seed, storms)
    with click.progressbar(length=MEEPLES_AT_FIRST, label="round 1", file=sys.stderr) as bar:

        def watch(shown: Snapshot) -> None:
            gone = MEEPLES_AT_FIRST - len("".join(shown.playing.meeples))
            if gone > bar.pos:
                bar.label = f"round {shown.playing.round}"
                bar.update(gone - bar.pos)

        robots.watch = watch
        robots.play()
        bar.update(MEEPLES_AT_FIRST - bar.pos)
    return robots


def _tell(shown: Snapshot, robots: Robots, link: VirtualLink) -> None:
    scores = score(shown.playing)
    click.echo("\n".join((*sheet(scores), f"\nwon by {' and '.join(winners(scores))}")))
    counters = link.health().counters
    made = robots.tally.mistakes
    flags = (
        f"{made} mistake{'s' if made > 1 else ''} flagged and repaired ({', '.join(robots.tally.kinds)})"
        if made
        else "no mistakes"
    )
    click.echo(
        f"\n{len(robots.done)} actions in {link.clock() // 1000} s of the table's time; {flags}; "
        f"{counters.lines} lines on the wire (missing ones asked for: {counters.resyncs})."
    )
    for storm in robots.storms:
        told = ", ".join(f"{name} {count}" for name, count in sorted(storm.faults.injected.items()))
        click.echo(f"Faults: {told}.")
