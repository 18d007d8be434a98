"""`naqala doctor --repair`: saves what is whole of a damaged journal, and says what is lost."""

from __future__ import annotations

from pathlib import Path
from typing import NoReturn

import click

from naqala.journal import Journal, JournalDamaged, JournalError
from naqala.journal.rescue import rescue, salvage
from naqala.journal.store import as_url


def run(url: str) -> NoReturn:
    """Ends the program: 0 when the journal is whole now, 1 when nothing could be done."""
    try:
        click.echo("\n".join(_mended(url)))
    except JournalError as error:
        click.echo(str(error))
        raise SystemExit(1) from None
    raise SystemExit(0)


def _mended(url: str) -> list[str]:
    where = as_url(url)
    file = Path(where.database or "") if where.get_backend_name() == "sqlite" else None
    if file is not None and not file.exists():
        return [f"there is no journal at {file}: nothing to repair"]
    try:
        with Journal.open(url) as journal:
            damaged = _problem(journal)
            name = journal.name
    except JournalDamaged as error:
        return rescue(where, error).sentences()
    if not damaged:
        return [f"{name} is whole: nothing to repair"]
    if file is None:
        raise JournalError(
            f"{damaged}; a database is not repaired in its place: put a backup into an empty one (`naqala backup restore`)"
        )
    return salvage(file).sentences()


def _problem(journal: Journal) -> str:
    """The first thing that is not as it was written; empty when all is."""
    for lost in journal.damaged():
        return lost.why
    for game in journal.games():
        try:
            journal.entries(game.id)
        except JournalDamaged as error:
            return str(error)
    return ""
