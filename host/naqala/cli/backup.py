"""`naqala backup`: one file with journal, tags, keys and settings; made, listed, checked, taken back."""

from __future__ import annotations

import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

import click

from naqala import settings as all_settings
from naqala.backup import BackupError, Found, in_folder, make, verify
from naqala.backup import restore as put_back
from naqala.cli import fail
from naqala.cli.given import journal_in
from naqala.settings import Settings, SettingsError

Command = Callable[..., None]


@click.group()
def command() -> None:
    """Backups: one file with the journal, tags, keys and settings of a house.

    `naqala play` makes one after every game and every night by itself.
    """


def _of_a_house(function: Command) -> Command:
    """The options that say whose backups are meant."""
    for option in (
        click.option(
            "--config", type=click.Path(), metavar="FILE", help="Settings file instead of naqala.toml."
        ),
        click.option("--journal", metavar="FILE|URL", help="Another journal, as with `naqala play`."),
        click.option(
            "--home", type=click.Path(path_type=Path), help="Another home folder, as with `naqala play`."
        ),
    ):
        function = option(function)
    return function


def _house(home: Path | None, journal: str | None, config: str | None) -> tuple[Settings, Path, Path]:
    """Settings, home folder, and the folder of backups."""
    try:
        settings = all_settings.load({"journal": journal or journal_in(home)}, config)
    except SettingsError as error:
        fail(str(error))
    home = home or all_settings.data_folder()
    return settings, home, settings.backups(home)


@command.command()
@_of_a_house
@click.option(
    "--to", type=click.Path(path_type=Path), metavar="FOLDER", help="Another folder, such as a USB stick."
)
def now(home: Path | None, journal: str | None, config: str | None, to: Path | None) -> None:
    """Make a backup; prints its path. Games may go on meanwhile."""
    settings, house, folder = _house(home, journal, config)
    if to is not None and not to.is_dir():
        fail(f"there is no folder {to}")
    try:
        if "://" not in settings.journal_url and not Path(settings.journal_url).expanduser().is_file():
            raise BackupError(
                f"there is no journal at {settings.journal_url} yet"
            )  # and no folder is made for it
        click.echo(make(settings.journal_url, house, to or folder, settings.file))
    except BackupError as error:
        fail(str(error))


@command.command("list")
@_of_a_house
@click.option("--json", "as_json", is_flag=True, help="One JSON object per backup, for programs.")
def list_(home: Path | None, journal: str | None, config: str | None, as_json: bool) -> None:
    """List the backups of this house, newest first."""
    _, _, folder = _house(home, journal, config)
    found = in_folder(folder)
    if not found and not as_json:
        click.echo(f"there is no backup in {folder}; `naqala backup now` makes one")
    for one in found:
        click.echo(json.dumps(_as_json(one)) if as_json else _as_line(one))


def _as_json(one: Found) -> dict[str, Any]:
    told: dict[str, Any] = {"file": str(one.path), "at": one.at.isoformat(), "bytes": one.bytes}
    if one.manifest is None:
        return told | {"problem": one.problem}
    return told | {
        "games": len(one.manifest.games),
        "tables": list(one.manifest.tables),
        "why": one.manifest.why,
        "program": one.manifest.program,
        "whole": one.manifest.is_whole,
    }


def _as_line(one: Found) -> str:
    head = f"{one.path.name}  {one.at.astimezone():%Y-%m-%d %H:%M}  {one.bytes / 1_000_000:7.1f} MB"
    if one.manifest is None:
        return f"{head}  damaged: {one.problem}"
    damaged = "" if one.manifest.is_whole else ", some damaged"
    return f"{head}  {len(one.manifest.games)} games{damaged}, {one.manifest.why}"


@command.command("verify")
@_of_a_house
@click.argument("files", nargs=-1, type=click.Path(path_type=Path))
def verify_(home: Path | None, journal: str | None, config: str | None, files: tuple[Path, ...]) -> None:
    """Read backups to their end and check every digest; the newest one when no file is named.

    Ends with exit code 0 when all is whole and 1 when something is not.
    """
    _, _, folder = _house(home, journal, config)
    chosen = files or tuple(one.path for one in in_folder(folder)[:1])
    if not chosen:
        fail(f"there is no backup in {folder}")
    damaged = False
    for path in chosen:
        try:
            found = verify(path)
            problems, games = found.problems, found.manifest.games
        except BackupError as error:
            problems, games = (str(error),), ()
        for problem in problems:
            click.echo(f"{path}: {problem}")
        if not problems:
            click.echo(
                f"{path} is whole: {len(games)} games with {sum(game.entries for game in games)} entries"
            )
        damaged = damaged or bool(problems)
    raise SystemExit(1 if damaged else 0)


@command.command("restore")
@_of_a_house
@click.argument("file", type=click.Path(path_type=Path))
@click.option(
    "--replace", is_flag=True, help="Also where something else is; that is kept in a folder beside it."
)
def restore_(home: Path | None, journal: str | None, config: str | None, file: Path, replace: bool) -> None:
    """Put everything of a backup into its place. Refuses to overwrite anything unless told so."""
    settings, house, _ = _house(home, journal, config)
    to = settings.file or (all_settings.config_folder() if home is None else house) / all_settings.FILE
    try:
        done = put_back(file, settings.journal_url, house, to, replace)
    except BackupError as error:
        fail(str(error))
    games = done.manifest.games
    click.echo(f"restored {len(games)} games of {done.manifest.made:%Y-%m-%d %H:%M} UTC:")
    for place in done.files:
        click.echo(f"  {place}")
    if done.aside is not None:
        click.echo(f"what was there before is in {done.aside}")
    if to in done.files and to.parent not in (all_settings.config_folder(), Path()):
        click.echo(f"start with these settings: naqala play --home {house} --config {to}")
