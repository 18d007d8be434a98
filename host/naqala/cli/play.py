"""`naqala play`: start the companion and say where to look."""

from __future__ import annotations

import signal
import sys
import webbrowser
from collections.abc import Iterable
from pathlib import Path
from queue import SimpleQueue
from typing import Any

import click
import segno

from naqala import settings as all_settings
from naqala.cli import fail
from naqala.cli.given import a_port, journal_in, tables_from
from naqala.journal import JournalError
from naqala.link import LinkError, ports
from naqala.service import Place, Service
from naqala.session.evening import LONGEST_NAME
from naqala.settings import SettingsError
from naqala.table.pieces import CAMEL_COLOURS, BadPiece

DEFAULT_PORT, DEFAULT_HTTPS_PORT = 8000, 8443
OWN_BOARD = "board"  # the table of people with a board and no readers
ENDS = (signal.SIGINT, signal.SIGTERM)


@click.command()
@click.option(
    "--table",
    "tables",
    multiple=True,
    metavar="NAME=LINK",
    help="A table and its link; may be given several times.",
)
@click.option(
    "--link",
    help="The link of the only table: serial, serial:PORT, mqtts://user@broker/NAME, phones, virtual, replay:FILE.",
)
@click.option(
    "--phones", is_flag=True, help="Your own board without readers: people tell their moves on phones."
)
@click.option("--virtual", is_flag=True, help="A simulated table that runs the very firmware.")
@click.option(
    "--micropython",
    is_flag=True,
    help="A virtual table whose controller runs in a MicroPython process of its own.",
)
@click.option(
    "--robots",
    metavar="NAMES",
    help="A virtual table where robots play these players, for example Bob,Cy; people play the others.",
)
@click.option(
    "--turned",
    is_flag=True,
    help="The frame of the real table stands half round: its last reader is under A1.",
)
@click.option(
    "--journal",
    metavar="FILE|URL",
    help="Where games are kept: an SQLite file or postgresql://user@host/name.",
)
@click.option("--home", type=click.Path(path_type=Path), help="Folder for tags, keys and the journal.")
@click.option(
    "--port",
    default=str(DEFAULT_PORT),
    show_default=True,
    metavar="NUMBER",
    callback=a_port,
    help="Port of the pages; 0 takes a free one.",
)
@click.option(
    "--lan/--no-lan",
    default=None,
    help="Let phones on this network join. Asked on a terminal when not given.",
)
@click.option(
    "--https/--no-https",
    default=None,
    help="The code for phones leads to https; or serve none. By default https is there beside http.",
)
@click.option(
    "--https-port",
    default=str(DEFAULT_HTTPS_PORT),
    show_default=True,
    metavar="NUMBER",
    callback=a_port,
    help="Port of the pages with https; 0 takes a free one.",
)
@click.option(
    "--browser/--no-browser", default=None, help="Open the page here. By default only on a terminal."
)
@click.option("--config", type=click.Path(), metavar="FILE", help="Settings file instead of naqala.toml.")
def command(
    tables: tuple[str, ...],
    link: str | None,
    phones: bool,
    virtual: bool,
    micropython: bool,
    robots: str | None,
    turned: bool,
    journal: str | None,
    home: Path | None,
    port: int,
    lan: bool | None,
    https: bool | None,
    https_port: int,
    browser: bool | None,
    config: str | None,
) -> None:
    """Start the companion: tables, journal and pages. Ends with Ctrl-C; nothing is lost.

    Without a link it looks for a controller on the serial ports. The first page then asks how you play: on your own board
    with phones alone, at a table with readers, or without a board on a virtual table.
    """
    terminal = sys.stdin.isatty() and sys.stdout.isatty()
    home = home or all_settings.data_folder()
    try:
        seated = _robots(robots)
        simulated = "virtual:table?micropython" if micropython else "virtual" if virtual or seated else ""
        chosen = _tables(tables, link, simulated, phones)
        flags: dict[str, Any] = {"tables": chosen, "journal": journal or journal_in(home)}
        settings = all_settings.load(flags, config)
        if settings.tables == all_settings.Settings().tables and chosen is None:
            found = {"table": _found_or_virtual(settings.ports), OWN_BOARD: "phones"}
            settings = all_settings.load({**flags, "tables": found}, config)
        if lan is None:
            lan = terminal and click.confirm("Let phones on this network join?", default=True)
        secure = None if https is False else https_port if port else 0
        host = "0.0.0.0" if lan else "127.0.0.1"
        service = Service(settings, home, host, port, seated, turned, secure, bool(https))
        place = service.start()
    except (SettingsError, LinkError, JournalError, BadPiece) as error:
        fail(str(error))
    except OSError as error:
        if error.filename:
            raise  # a file, not the port
        fail(
            f"port {port} cannot be used: {(error.strerror or str(error)).lower()}; "
            "take another one, or --port 0 for any that is free"
        )
    over = _listen_for_the_end()
    _welcome(place)
    if seated:
        click.echo(f"Robots play {', '.join(seated)} in every game with players of these names.")
    if browser or (browser is None and terminal):
        webbrowser.open(place.owner)
    over.get()
    click.echo("\nstopping; a game in play is kept: start again and press Resume")
    service.stop()


def _robots(names: str | None) -> tuple[str, ...]:
    """Whom robots play. They can play whole games alone, but a game has at most four players."""
    if names is None:
        return ()
    found = tuple(name.strip() for name in names.split(","))
    odd = [name for name in found if not name or not name.isprintable() or len(name) > LONGEST_NAME]
    if odd or len(set(found)) < len(found) or len(found) > len(CAMEL_COLOURS):
        raise SettingsError(f"--robots is one to four different names, for example Bob,Cy, not '{names}'")
    return found


def _tables(tables: tuple[str, ...], link: str | None, simulated: str, phones: bool) -> dict[str, str] | None:
    if tables and (link or simulated or phones):
        raise SettingsError("--table and --link, --phones or --virtual say two different things; use one")
    if link and (simulated or phones):
        raise SettingsError(
            "--link and --phones, --virtual, --micropython or --robots say two different things; use one"
        )
    found = tables_from(tables)
    if phones:
        found[OWN_BOARD] = "phones"
    if link or simulated:
        found["table"] = link or simulated
    return found or None


def _found_or_virtual(further: Iterable[str]) -> str:
    """The controller on a serial port, if one answers."""
    for one in ports.who_answers(ports.candidates(further), "naqala", wanted=""):
        if one.state == ports.CONTROLLER:
            click.echo(f"controller '{one.hello.name}' on {one.device}")
            return f"serial:name={one.hello.name}"
        if one.state == ports.FORBIDDEN:
            click.echo(one.text, err=True)
    click.echo(
        "no controller found: play on your own board with phones, or on a virtual table (see hardware/ for readers)"
    )
    return "virtual"


def _welcome(place: Place) -> None:
    """Where to look, for people: the code to scan, the letters to type, the address, for every table."""
    click.echo(f"Naqala is at {place.owner}")
    if not place.phones:
        click.echo("Only this machine can see it; --lan lets phones join.")
        return
    scheme, _, rest = place.phones.partition("://")
    named = f"{scheme}://{place.called}:{rest.rpartition(':')[2]}" if place.called else ""
    for table, code in place.codes.items():
        where = f"Phones join {table} at" if len(place.codes) > 1 else "Phones join at"
        click.echo(f"{where} {place.phones}/{code}" + (f" or {named}/{code}" if named else ""))
        click.echo(f"Code: {code}")
        segno.make(f"{place.phones}/{code}").terminal(compact=True)
    if place.secure and place.secure != place.phones:
        click.echo(f"With https: {place.secure} (the first time see {place.phones}/authority)")


def _listen_for_the_end() -> SimpleQueue[int]:
    """Where the first Ctrl-C or SIGTERM is told. `make` hands on a signal that we have had already, so the second may come
    while the first is being handled: hence a queue that may be entered twice, and no ear for any further one."""
    over: SimpleQueue[int] = SimpleQueue()

    def heard(number: int, _frame: object) -> None:
        sys.unraisablehook = _unless_late
        for one in ENDS:
            signal.signal(one, signal.SIG_IGN)
        over.put(number)

    for one in ENDS:
        signal.signal(one, heard)
    return over


def _unless_late(told: sys.UnraisableHookArgs) -> None:
    """A signal that comes in the very moment in which we stop listening is told as an OSError that nobody can catch."""
    if not isinstance(told.exc_value, OSError):
        sys.__unraisablehook__(told)
