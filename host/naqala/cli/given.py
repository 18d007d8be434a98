"""What was given to a command: text and JSON from a file or standard input, with limits, and exit 2 for anything bad."""

from __future__ import annotations

import sys
from collections.abc import Iterable
from pathlib import Path
from typing import Any

import click

from naqala import settings
from naqala.cli import fail
from naqala.rules import BadPosition, Game, position
from naqala.rules.reading import parsed

A_YEAR_S = 31_536_000
MOST_BYTES = 4_000_000  # the longest record of a game is a tenth of that


def a_port(_context: click.Context, _option: click.Parameter, text: str) -> int:
    """The port of an option, or one clear line."""
    if not text.isascii() or not text.isdigit() or len(text) > 9 or int(text) > 65535:
        fail(f"--port is a number from 0 to 65535 (0 takes a free one), not '{text}'")
    return int(text)


def a_while(_context: click.Context, _option: click.Parameter, seconds: float | None) -> float | None:
    """The seconds of an option: a number, and no more than a year."""
    if seconds is not None and not 0 <= seconds <= A_YEAR_S:
        fail(f"--seconds is a number from 0 to {A_YEAR_S}, not {seconds:g}")
    return seconds


def tables_from(texts: Iterable[str]) -> dict[str, str]:
    """The tables of options NAME=LINK."""
    found: dict[str, str] = {}
    for text in texts:
        name, equals, where = text.partition("=")
        if not equals or not name or not where:
            fail(f"--table is NAME=LINK, for example oak=serial, not '{text}'")
        if name in found:
            fail(f"table '{name}' is named twice")
        found[name] = where
    return found


def journal_in(home: Path | None) -> str | None:
    """The journal of another home folder; None for the usual one, where the settings say where it is."""
    return None if home in (None, settings.data_folder()) else str(Path(home or "") / "journal.sqlite")


def text_from(source: str, most: int = MOST_BYTES) -> str:
    """The text of a file, or of standard input for `-`."""
    name = "standard input" if source == "-" else source
    if source == "-" and sys.stdin is None:
        fail("cannot read standard input: it is closed")
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
        return given.decode("utf-8-sig")  # some editors put a mark before every text
    except UnicodeDecodeError as error:
        fail(f"{name} is not UTF-8 text (byte {error.start})")


def json_from(source: str) -> Any:
    """One JSON value; keys that stand twice and numbers that are none are refused."""
    text = text_from(source)
    if not text.strip():
        fail("no JSON was given")
    try:
        return parsed(text)
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
