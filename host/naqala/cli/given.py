"""What was given to a command: text and JSON from a file or standard input, with limits, and exit 2 for anything bad."""

from __future__ import annotations

import json
import sys
from pathlib import Path
from typing import Any, NoReturn

import click

from naqala import settings
from naqala.cli import fail
from naqala.rules import BadPosition, Game, position

MOST_BYTES = 4_000_000  # the longest record of a game is a tenth of that


def a_port(_context: click.Context, _option: click.Parameter, text: str) -> int:
    """The port of an option, or one clear line."""
    if not text.isascii() or not text.isdigit() or len(text) > 9 or int(text) > 65535:
        fail(f"--port is a number from 0 to 65535 (0 takes a free one), not '{text}'")
    return int(text)


def journal_in(home: Path | None) -> str | None:
    """The journal of another home folder; None for the usual one, where the settings say where it is."""
    return None if home in (None, settings.data_folder()) else str(Path(home or "") / "journal.sqlite")


def text_from(source: str, most: int = MOST_BYTES) -> str:
    """The text of a file, or of standard input for `-`."""
    name = "standard input" if source == "-" else source
    try:
        if source == "-":
            given = sys.stdin.buffer.read(most + 1)
        else:
            with Path(source).open("rb") as file:
                given = file.read(most + 1)
    except OSError as error:
        fail(f"cannot read {name}: {(error.strerror or str(error)).lower()}")
    if len(given) > most:
        fail(f"{name} is longer than {most // 1_000_000} MB")
    try:
        return given.decode()
    except UnicodeDecodeError as error:
        fail(f"{name} is not UTF-8 text (byte {error.start})")


def json_from(source: str) -> Any:
    """One JSON value; keys that stand twice and numbers that are none are refused."""
    text = text_from(source)
    if not text.strip():
        fail("no JSON was given")
    try:
        return json.loads(text, object_pairs_hook=_each_once, parse_constant=_no_number)
    except RecursionError:
        fail("not JSON: nested too deeply")
    except ValueError as error:
        fail(f"not JSON: {_one_line(error)}")


def game_from(data: Any) -> Game:
    """The game of a position."""
    try:
        return position.from_json(data)
    except BadPosition as error:
        fail(_one_line(error))


def _one_line(error: Exception) -> str:
    line = " ".join(str(error).split())
    return line if len(line) <= 200 else line[:197] + "..."


def _each_once(pairs: list[tuple[str, Any]]) -> dict[str, Any]:
    found: dict[str, Any] = {}
    for key, value in pairs:
        if key in found:
            raise ValueError(f"key {json.dumps(key)} stands twice in one object")
        found[key] = value
    return found


def _no_number(word: str) -> NoReturn:
    raise ValueError(f"{word} is no number")
