"""`naqala enrol`: register a handful of pieces in `tags.csv`."""

from __future__ import annotations

import queue
import time
from pathlib import Path

import click
from naqala_protocol import Seen

from naqala import link as links
from naqala import settings
from naqala.cli import fail
from naqala.cli.given import a_while, text_from
from naqala.link import Arrived, Event
from naqala.table.enrol import enrol, missing_pieces
from naqala.table.pieces import TILE, BadPiece, Registry, piece, read_tags, write_tags

STILL = 1.5  # seconds without a new line after which the handful lies still


@click.command()
@click.argument("link")
@click.argument("file", metavar="TAGS.CSV", type=click.Path(dir_okay=False))
@click.argument("kind", metavar="PIECE")
@click.option(
    "--reader",
    type=click.IntRange(0, 63),
    help="The reader they lie on; otherwise the one that sees new tags.",
)
@click.option(
    "--count", type=click.IntRange(min=1), help="How many pieces lie there: finds dead and double tags."
)
@click.option("--teach", is_flag=True, help="Let a tag that stands for another piece stand for this one.")
@click.option("--seconds", type=float, callback=a_while, default=20, help="Wait at most so long.")
@click.option("--config", type=click.Path(), help="Another naqala.toml.")
def command(
    link: str,
    file: str,
    kind: str,
    reader: int | None,
    count: int | None,
    teach: bool,
    seconds: float,
    config: str | None,
) -> None:
    """Register what lies on one reader of LINK as PIECE in TAGS.CSV, which is made if it is not there.

    \b
    naqala enrol serial tags.csv "meeple Y" --count 5
    naqala enrol serial tags.csv "camel Ann" --reader 12 --teach
    """
    path = Path(file)
    try:
        wanted = piece(kind)
        before = text_from(file) if path.exists() else ""
        known = read_tags(before)
        opened = links.open(link, settings.load(config=config).link_options())
    except (BadPiece, links.LinkError, settings.SettingsError) as error:
        fail(str(error))
    if not path.parent.is_dir():
        fail(f"there is no folder '{path.parent}' for {path.name}")
    inbox: queue.Queue[Event] = queue.Queue()
    opened.start(inbox.put)
    try:
        seen = look(inbox, seconds)
    finally:
        opened.stop()
    tags, findings = enrol(known, handful(seen, known, wanted.kind == TILE, reader), wanted, count, teach)
    path.write_text(write_tags(tags, before), encoding="utf-8")
    for finding in findings:
        click.echo(finding.text)
    left = sum(missing_pieces(tags).values())
    click.echo(f"{len(tags)} tags in {file}" + (f", {left} pieces of the box without one" if left else ""))


def look(inbox: queue.Queue[Event], seconds: float) -> dict[int, tuple[str, ...]]:
    """What each reader sees once nothing changes any more."""
    seen: dict[int, tuple[str, ...]] = {}
    end = time.monotonic() + seconds
    while (left := end - time.monotonic()) > 0:
        try:
            event = inbox.get(timeout=min(left, STILL if seen else left))
        except queue.Empty:
            if seen:
                return seen
            continue
        if isinstance(event, Arrived) and isinstance(event.message, Seen):
            seen[event.message.reader] = event.message.tags
    if not seen:
        fail(f"no reader said anything for {seconds:g} seconds")
    return seen


def handful(
    seen: dict[int, tuple[str, ...]], known: Registry, tiles: bool, reader: int | None
) -> tuple[str, ...]:
    """The tags to register: those on the reader that was named, or on the only one that sees a new tag."""
    if reader is None:
        fresh = [number for number, tags in seen.items() if any(tag not in known for tag in tags)]
        if len(fresh) != 1:
            listed = ", ".join(str(number) for number in sorted(fresh))
            fail(
                f"readers {listed} see new tags: say which with --reader"
                if fresh
                else "no reader sees a new tag"
            )
        reader = fresh[0]
    on_tile = seen.get(reader, ())
    # The tile itself lies there as well; it is only meant when a tile is being registered.
    return tuple(tag for tag in on_tile if tiles or tag not in known or known[tag].kind != TILE)
