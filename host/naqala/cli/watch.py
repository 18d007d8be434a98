"""`naqala watch`: read a transcript and say what the hands did, one reading per change."""

from __future__ import annotations

import json

import click

from naqala import transcript
from naqala.cli import fail
from naqala.cli.given import text_from
from naqala.rules.notation import to_text
from naqala.table.playback import watched
from naqala.table.readings import Did, Doing, Quiet, Reading, Unclear
from naqala.transcript import TranscriptError

MOST_BYTES = 64_000_000  # a long evening of a restless table takes a tenth of that


@click.command(name="watch")
@click.argument("file", metavar="TRANSCRIPT", type=click.Path(dir_okay=False, allow_dash=True))
@click.option("--json", "as_json", is_flag=True, help="One JSON object per reading, for programs.")
def command(file: str, as_json: bool) -> None:
    """Follow the hands on a recorded TRANSCRIPT (a file, or - for standard input).

    Every change of reading is one line: quiet, doing, did, wrong or unclear.
    """
    text = text_from(file, MOST_BYTES)
    try:
        for at, reading in watched(transcript.read(text)):
            click.echo(json.dumps({"at": at, **reading.to_json()}) if as_json else in_words(at, reading))
    except TranscriptError as error:
        fail(f"{'standard input' if file == '-' else file}, {error}")


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
            to_text(action) for action in reading.actions
        ]
        return f"{time}unclear: {' or '.join(options)}"
    rules = ", ".join(
        breach.rule + (f" at drop {breach.drop}" if breach.drop else "") for breach in reading.breaches
    )
    return f"{time}wrong: {rules or 'not as recorded'}. {reading.remedy.text}"
