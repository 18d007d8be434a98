"""`naqala watch`: read a transcript and say what the hands did, one reading per change."""

from __future__ import annotations

import json
import sys
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Any

import click

from naqala import transcript
from naqala.cli import fail
from naqala.rules.breach import InvalidAction
from naqala.rules.model import Game
from naqala.rules.notation import from_json as action_from_json
from naqala.rules.position import from_json as game_from_json
from naqala.rules.reading import BadPosition
from naqala.table.readings import Did, Doing, Quiet, Reading, Unclear
from naqala.table.watch import Said, finish, follow, tapped, watcher
from naqala.transcript import Piece, Tap, Transcript, TranscriptError


@click.command(name="watch")
@click.argument("file", metavar="TRANSCRIPT", type=click.Path(dir_okay=False, allow_dash=True))
@click.option("--json", "as_json", is_flag=True, help="One JSON object per reading, for programs.")
def command(file: str, as_json: bool) -> None:
    """Follow the hands on a recorded TRANSCRIPT (a file, or - for standard input).

    Every change of reading is one line: quiet, doing, did, wrong or unclear.
    """
    try:
        text = sys.stdin.read() if file == "-" else Path(file).read_text(encoding="utf-8")
    except (OSError, UnicodeDecodeError) as error:
        fail(f"cannot read {file}: {getattr(error, 'strerror', None) or error}")
    try:
        for at, reading in watched(transcript.read(text)):
            click.echo(json.dumps({"at": at, **reading.to_json()}) if as_json else in_words(at, reading))
    except (TranscriptError, BadPosition, InvalidAction) as error:
        fail(f"{file}: {error}")


def watched(recorded: Transcript) -> Iterator[Said]:
    """Every reading of a transcript, each with its moment."""
    if recorded.position is None:
        raise TranscriptError("no position: the least is tiles and turn.player")
    watching = watcher(opening(recorded.position, recorded.tags), recorded.readers, recorded.tags)
    for moment in recorded.moments:
        if isinstance(moment.what, Tap):
            watching, said = tapped(watching, action_from_json(dict(moment.what.action)), moment.at_ms)
        else:
            watching, said = follow(watching, moment.what, moment.at_ms)
        yield from said
    yield from finish(watching)[1]


def opening(position: Mapping[str, Any], tags: Mapping[str, Piece]) -> Game:
    """The game of a transcript's position. Players it does not list are those named by the turn and by camels."""
    data = dict(position)
    if "players" not in data:
        turn, tiles, order = data.get("turn"), data.get("tiles"), data.get("bid_order")
        named = [turn.get("player")] if isinstance(turn, dict) else []
        named += order if isinstance(order, list) else []
        standing = tiles.values() if isinstance(tiles, dict) else ()
        named += [tile.get("camel") for tile in standing if isinstance(tile, dict)]
        named += [piece.which for piece in tags.values() if piece.kind == "camel"]
        names = list(dict.fromkeys(name for name in named if isinstance(name, str)))
        data["players"] = [{"name": name} for name in names]
    return game_from_json(data)


def in_words(at: int, reading: Reading) -> str:
    """One reading as a line for people."""
    time = f"{at / 1000:9.3f} s  "
    if isinstance(reading, Quiet):
        notes = "".join(
            f", {note.note.replace('_', ' ')} {note.tile} {note.what}".rstrip() for note in reading.notes
        )
        return f"{time}quiet{notes}"
    if isinstance(reading, Doing):
        hand = reading.hand or "nothing"
        return f"{time}doing: {hand} in hand, path {'>'.join(reading.path)} {reading.warning}".rstrip()
    if isinstance(reading, Did):
        return (
            f"{time}did: {json.dumps(reading.to_json()['action'])}{' (instead)' if reading.replaces else ''}"
        )
    if isinstance(reading, Unclear):
        options = [str(option.sowing) for option in reading.options] or [
            str(action) for action in reading.actions
        ]
        return f"{time}unclear: {' or '.join(options)}"
    rules = ", ".join(
        breach.rule + (f" at drop {breach.drop}" if breach.drop else "") for breach in reading.breaches
    )
    return f"{time}wrong: {rules or 'not as recorded'}. {reading.remedy.text}"
