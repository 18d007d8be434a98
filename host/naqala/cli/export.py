"""`naqala export`: a game of the journal for other programs."""

from __future__ import annotations

import json
from collections.abc import Callable
from pathlib import Path

import click
import segno

from naqala import export
from naqala import settings as all_settings
from naqala.cli import fail
from naqala.cli.given import journal_in
from naqala.journal import Game, Journal, JournalError
from naqala.session.chronicle import retold
from naqala.settings import SettingsError


def _json(value: object) -> str:
    return json.dumps(value, ensure_ascii=False, indent=2) + "\n"


LARGEST = 2**31 - 1  # number that a journal can give
# What can be made of a game. The score alone for people and spreadsheets, the whole game for programs.
FORMS: dict[str, Callable[[export.Play], str]] = {
    "json": lambda play: _json(export.game_json(play)),
    "score": lambda play: _json(export.score_json(play)),
    "csv": export.score_csv,
    "record": export.record,
    "bgstats": lambda play: _json(export.bgstats(play)),
    "bgstats-link": lambda play: export.bgstats_link(play) + "\n",
}


def _number(_context: click.Context, _argument: click.Parameter, text: str | None) -> int | None:
    """The number of a game, or one clear line."""
    if text is None:
        return None
    if not text.isascii() or not text.isdigit() or not 0 < int(text[:20]) <= LARGEST:
        fail(f"GAME is a number from the list that `naqala export` shows, not '{text}'")
    return int(text)


@click.command()
@click.argument("game", callback=_number, required=False)
@click.option(
    "--as",
    "form",
    type=click.Choice(list(FORMS)),
    default="json",
    show_default=True,
    help="json: the whole game; score: points as JSON; csv: the score sheet; record: the text `naqala replay` reads; "
    "bgstats: the play for the app BG Stats, and bgstats-link its link.",
)
@click.option("--out", type=click.Path(path_type=Path), help="Write to this file instead of the terminal.")
@click.option(
    "--qr", type=click.Path(path_type=Path), help="Also draw the BG Stats link as a QR code (.svg or .png)."
)
@click.option("--journal", metavar="FILE|URL", help="Where games are kept, if not at the usual place.")
@click.option(
    "--home", type=click.Path(path_type=Path), help="The folder that `naqala play --home` keeps games in."
)
@click.option("--config", type=click.Path(), metavar="FILE", help="Settings file instead of naqala.toml.")
def command(
    game: int | None,
    form: str,
    out: Path | None,
    qr: Path | None,
    journal: str | None,
    home: Path | None,
    config: str | None,
) -> None:
    """Hand a finished GAME to other programs. Without a number the games of the journal are listed.

    \b
    naqala export
    naqala export 12 --as csv --out evening.csv
    naqala export 12 --as bgstats-link --qr evening.svg
    """
    try:
        url = all_settings.load({"journal": journal or journal_in(home)}, config).journal_url
        if "://" not in url and not Path(url).expanduser().exists():
            fail(f"there is no journal at {url}")
        with Journal.open(url) as kept:
            if game is None:
                games = [_line(one) for one in kept.games()]
                click.echo("\n".join(games) or "No game was played yet.")
                return
            play = _play(kept, game)
        if qr is not None:
            _draw(export.bgstats_link(play), qr)
        text = FORMS[form](play)
        if out is None:
            click.echo(text, nl=False)
        else:
            out.write_text(text, encoding="utf-8", newline="")
    except (SettingsError, JournalError) as error:
        fail(str(error))


def _draw(link: str, picture: Path) -> None:
    try:
        segno.make(link).save(str(picture), scale=4)
    except ValueError as error:  # a kind of picture that segno does not know
        fail(f"'{picture}' should end with .svg or .png ({error})")


def _play(journal: Journal, number: int) -> export.Play:
    game = journal.game(number)
    if game.how != "finished":
        fail(
            f"game {number} is {'given up' if game.ended_ms else 'not over yet'}; only finished games are exported"
        )
    past = retold(game.opening, journal.entries(number))
    return export.Play(past.record, game.table, game.at_ms / 1000, (game.ended_ms or game.at_ms) / 1000)


def _line(game: Game) -> str:
    names = ", ".join(player["name"] for player in game.opening["players"])
    return (
        f"{game.id:>5}  {export.day(game.at_ms / 1000)}  {game.table}  {names}  {game.how or 'not over yet'}"
    )
