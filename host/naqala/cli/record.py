"""`naqala record`: a transcript from a live link."""

from __future__ import annotations

import os
import queue
import time
from pathlib import Path
from typing import IO

import click
from naqala_protocol import Alive

from naqala import link as links
from naqala import settings, transcript
from naqala.cli import fail
from naqala.cli.given import a_while, text_from
from naqala.link import Arrived, Event, LinkDown, LinkUp


@click.command()
@click.argument("link")
@click.argument("file", type=click.Path(dir_okay=False))
@click.option(
    "--head",
    type=click.Path(exists=True, dir_okay=False),
    help="A transcript whose position, readers and tags to copy.",
)
@click.option("--seconds", type=float, callback=a_while, help="Stop after so long; otherwise with Ctrl-C.")
@click.option("--alive", is_flag=True, help="Write the controller's `alive` lines too, one per second.")
@click.option("--force", is_flag=True, help="Write over an existing FILE.")
@click.option("--config", type=click.Path(), help="Another naqala.toml.")
def command(
    link: str,
    file: str,
    head: str | None,
    seconds: float | None,
    alive: bool,
    force: bool,
    config: str | None,
) -> None:
    """Record what a table says on LINK into FILE, a transcript that `naqala watch` reads.

    Lines are written in order and once, whatever the link does meanwhile; each is on its way to disk when it appears.

    \b
    naqala record serial:name=oak evening.txt
    naqala record mqtt://host@clubhouse/oak evening.txt --head oak-tags.txt
    """
    path = Path(file)
    try:
        opened = links.open(link, settings.load(config=config).link_options())
        copied = transcript.read(text_from(head)) if head else None
        if path.exists() and not force:
            fail(f"'{file}' is there already; choose another name or say --force")
        # for its owner only: with the position of a game a transcript tells what everybody holds
        out = os.fdopen(os.open(path, os.O_WRONLY | os.O_CREAT | os.O_TRUNC, 0o600), "w")
    except (links.LinkError, settings.SettingsError, transcript.TranscriptError) as error:
        fail(str(error))
    except OSError as error:
        fail(f"cannot write '{file}': {error.strerror}")
    with out:
        lines = [transcript.HEAD]
        if copied is not None:
            lines += transcript.write_head(copied.position, copied.readers, copied.tags)
        out.writelines(line + "\n" for line in lines)
        inbox: queue.Queue[Event] = queue.Queue()
        opened.start(inbox.put)
        try:
            count = _record(inbox, out, seconds, alive)
        finally:
            opened.stop()
    if count == 0:
        path.unlink(missing_ok=True)
        fail(f"nothing was heard on {link}, so no file was written; `naqala doctor` looks for the cause")
    click.echo(f"{count} lines in {file}", err=True)


def _record(inbox: queue.Queue[Event], out: IO[str], seconds: float | None, alive: bool) -> int:
    begun = time.monotonic()
    first: int | None = None
    count = 0
    while True:
        left = None if seconds is None else seconds - (time.monotonic() - begun)
        try:
            event = inbox.get(timeout=None if left is None else max(0.0, left))
        except (queue.Empty, KeyboardInterrupt):
            return count
        first = event.at_ms if first is None else first
        if isinstance(event, LinkDown):
            click.echo(event.why, err=True)
            out.write(f"# {event.why}\n")
            if event.for_good:
                return count
            continue
        message = event.hello if isinstance(event, LinkUp) else event.message
        if isinstance(event, LinkUp):
            click.echo(f"recording '{message.name}'", err=True)
        if isinstance(event, Arrived) and isinstance(message, Alive) and not alive:
            continue
        out.write(transcript.write_moment(transcript.Moment(event.at_ms - first, message)) + "\n")
        out.flush()
        count += 1
