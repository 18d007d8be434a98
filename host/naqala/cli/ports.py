"""`naqala ports`: which serial ports there are and who answers on them."""

from __future__ import annotations

import json

import click

from naqala import settings
from naqala.cli import fail
from naqala.link import ports


@click.command()
@click.argument("port", nargs=-1)
@click.option("--json", "as_json", is_flag=True, help="One JSON object per port, for programs.")
@click.option("--config", type=click.Path(), help="Another naqala.toml.")
def command(port: tuple[str, ...], as_json: bool, config: str | None) -> None:
    """List serial ports: the controller on each, or what is in the way.

    Every port is asked, unless PORTs are named (wildcards allowed). Nothing is changed on any of them; a port that
    another program uses is left alone.

    \b
    naqala ports
    naqala ports '/dev/serial/by-id/*'
    """
    try:
        further = port or settings.load(config=config).ports
    except settings.SettingsError as error:
        fail(str(error))
    for named in port:
        if not ports.matching(named) and not set(named) & set("*?["):
            fail(f"there is no port '{named}'; `naqala ports` lists those that are there")
    devices = ports.matching(*port) if port else ports.candidates(further)
    found = ports.who_answers(devices, "host")
    for one in found:
        click.echo(json.dumps(_as_json(one)) if as_json else _as_line(one))
    if not found and not as_json:
        click.echo("No serial port. Plug the controller in; its cable must carry data, not only power.")


def _as_json(found: ports.Found) -> dict[str, object]:
    hello = found.hello
    known = {"name": hello.name, "firmware": hello.firmware, "readers": hello.wired} if hello else {}
    return {"port": found.device, "state": found.state, **known, "text": found.text}


def _as_line(found: ports.Found) -> str:
    text = found.text.removeprefix(f"{found.device} ")
    return f"{found.device:<16}  {found.state:<18}  {text}"
