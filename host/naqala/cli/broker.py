"""`naqala broker`: configuration for an MQTT broker in which each controller has a user, a password and topics of its own."""

from __future__ import annotations

import json
import os
from pathlib import Path

import click

from naqala.cli import fail
from naqala.link.broker_files import GUEST, WORDS, NoSuchBroker, Place, controller, files, words_for

PORT, TLS_PORT = 1883, 8883


@click.command()
@click.argument("tables", nargs=-1, required=True, metavar="TABLE...")
@click.option(
    "--out",
    type=click.Path(path_type=Path),
    default=Path("broker"),
    show_default=True,
    help="Folder for the files.",
)
@click.option("--host", required=True, help="The broker's address, as controllers and the host reach it.")
@click.option("--port", type=click.IntRange(1, 65535), help="Its port; 1883, or 8883 with a certificate.")
@click.option("--cert", type=click.Path(path_type=Path), help="The broker's certificate: switches TLS on.")
@click.option("--key", type=click.Path(path_type=Path), help="The key of that certificate.")
@click.option(
    "--ca", type=click.Path(path_type=Path), help="The authority that signed it, for those who connect."
)
def command(
    tables: tuple[str, ...],
    out: Path,
    host: str,
    port: int | None,
    cert: Path | None,
    key: Path | None,
    ca: Path | None,
) -> None:
    """Make the configuration of a mosquitto broker for these tables, and the settings of their controllers.

    Without it whoever reaches the broker can play a move. Run it again with all tables when there is another one: passwords
    that are there stay.

    \b
    naqala broker oak elm --host clubhouse
    mosquitto -c broker/mosquitto.conf
    naqala flash --config broker/controller-oak.json
    naqala play --config broker/naqala.toml
    """
    if (cert is None) != (key is None):
        fail("--cert and --key belong together")
    place = Place(host, port or (PORT if cert is None else TLS_PORT), *map(_absolute, (cert, key, ca)))
    folder = out.absolute()
    try:
        made = files(folder, tables, place, words_for(tables, _known(folder / WORDS)))
        folder.mkdir(mode=0o700, parents=True, exist_ok=True)
        for name, text in made.items():
            _write(folder / name, text)
    except NoSuchBroker as error:
        fail(str(error))
    except OSError as error:
        fail(f"cannot write {folder}: {error.strerror}")
    click.echo(f"the broker:      mosquitto -c {out}/mosquitto.conf")
    for table in tables:
        trust = f" --ca {ca}" if ca is not None else ""
        click.echo(f"controller {table}: naqala flash --config {out}/{controller(table)}.json{trust}")
    click.echo(f"the host:        naqala play --config {out}/naqala.toml")
    click.echo(
        f"Other programs read `naqala/TABLE/state` as {GUEST}; all passwords are in {out}/{WORDS}, for you alone."
    )


def _absolute(path: Path | None) -> Path | None:
    return None if path is None else path.absolute()


def _known(path: Path) -> dict[str, str]:
    """The passwords of an earlier run."""
    try:
        found = json.loads(path.read_text()) if path.exists() else {}
    except (OSError, ValueError, RecursionError):
        fail(f"{path} cannot be read; put it right or take it away: controllers would need new passwords")
    if not isinstance(found, dict) or not all(isinstance(word, str) for word in found.values()):
        fail(f"{path} should be an object of users and passwords")
    return found


def _write(path: Path, text: str) -> None:
    """For its owner only. Mosquitto, when it runs as a user of its own, must be given the files: `chown mosquitto`."""
    with os.fdopen(os.open(path, os.O_WRONLY | os.O_CREAT | os.O_TRUNC, 0o600), "w") as file:
        file.write(text)
    path.chmod(0o600)
