"""`naqala tune`: the gain of a reader's coil, live, for who turns its trimmer."""

from __future__ import annotations

import queue
import sys
import time
from typing import Any

import click
from naqala_protocol import MOST_READERS, Fault, Tune, Tuned

from naqala import link as links
from naqala import settings
from naqala.cli import fail
from naqala.cli.given import a_while
from naqala.link import Arrived, Event, LinkDown, LinkUp

AGAIN_S = 3.0  # the controller measures for ten seconds after each order
PATIENCE_S = 20.0  # for a controller that does not answer at all
MOST_GAIN = 1023
BAR = 40


def shown(line: Any) -> str:
    """One measurement as a line: the number, the best so far, and a bar of the top fifth, where tuning happens."""
    short = line.best - line.gain
    full = max(0, BAR - short * 5 * BAR // max(line.best, 1))
    return f"reader {line.reader:2}  gain {line.gain:4}  best {line.best:4}  {'#' * full:<{BAR}}"


@click.command()
@click.argument("link")
@click.argument("reader", type=int, nargs=-1, required=True)
@click.option("--seconds", type=float, callback=a_while, help="Stop after so long; otherwise with Ctrl-C.")
@click.option("--config", type=click.Path(), help="Another naqala.toml.")
def command(link: str, reader: tuple[int, ...], seconds: float | None, config: str | None) -> None:
    """Show how well the coil of a READER on LINK is tuned, ten times a second: the higher the gain, the better.

    Turn the trimmer until the number no longer rises. The lamp under the reader shows the same, the brighter the better.

    \b
    naqala tune serial 17
    naqala tune serial:name=oak 16 17 18 --seconds 30
    """
    if wrong := [number for number in reader if not 0 <= number < MOST_READERS]:
        fail(f"a reader is a number from 0 to {MOST_READERS - 1}, not {wrong[0]}")
    try:
        opened = links.open(link, settings.load(config=config).link_options())
    except (links.LinkError, settings.SettingsError) as error:
        fail(str(error))
    inbox: queue.Queue[Event] = queue.Queue()
    opened.start(inbox.put)
    try:
        _follow(inbox, opened, reader, seconds)
    except KeyboardInterrupt:
        pass
    finally:
        opened.send(Tune(()))
        opened.stop()
    click.echo()


def _follow(
    inbox: queue.Queue[Event], opened: links.Link, reader: tuple[int, ...], seconds: float | None
) -> None:
    began = time.monotonic()
    ordered: float | None = None
    heard = False
    line_end = "\r" if sys.stdout.isatty() else "\n"
    while seconds is None or time.monotonic() < began + seconds:
        now = time.monotonic()
        if ordered is not None and now > ordered + AGAIN_S:
            opened.send(Tune(reader))
            ordered = now
        if not heard and now > began + PATIENCE_S:
            fail(
                "no measurement came: is it a PN5180 table with firmware newer than 0.1.0? `naqala flash` renews it"
            )
        try:
            event = inbox.get(timeout=0.5)
        except queue.Empty:
            continue
        if isinstance(event, LinkUp):
            if "tune" not in event.hello.abilities:
                fail(
                    f"'{event.hello.name}' cannot measure its coils: `naqala flash` puts a firmware on that can"
                )
            opened.send(Tune(reader))
            ordered = now
        elif isinstance(event, LinkDown):
            click.echo(event.why, err=True)
        elif isinstance(event, Arrived) and isinstance(event.message, Tuned):
            heard = True
            click.echo(shown(event.message) + line_end, nl=False)
        elif (
            isinstance(event, Arrived) and isinstance(event.message, Fault) and event.message.reader in reader
        ):
            click.echo(f"reader {event.message.reader}: {event.message.code}", err=True)
