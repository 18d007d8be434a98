"""`naqala flash`: the firmware onto a controller, and its config; what happens is in naqala/flash."""

from __future__ import annotations

import json
import ssl
from pathlib import Path
from typing import Any

import click

from naqala import flash
from naqala.cli import fail


def choose_device(port: str | None) -> str | None:
    """The port to use; None when no controller is there."""
    if port:
        return port
    found = flash.find_devices()
    if len(found) > 1:
        fail(f"several controllers found ({', '.join(found)}): name one with --port")
    return found[0] if found else None


def wanted_changes(
    name: str | None, link: str | None, config: Path | None, ca: bytes | None, there: dict[str, Any]
) -> dict[str, Any]:
    """What the options ask for; Wi-Fi and broker are asked only when MQTT is chosen and they are not known yet."""
    changes: dict[str, Any] = {}
    if config is not None:
        try:
            changes = json.loads(config.read_text())
        except (OSError, ValueError) as error:
            fail(f"{config} is no JSON file that can be read: {error}")
        if not isinstance(changes, dict):
            fail(f"{config} is no JSON object")
    if name:
        changes["name"] = name
    if link:
        changes["link"] = link
    if ca is not None and isinstance(changes.setdefault("broker", {}), dict):
        changes["broker"] |= {"tls": True, "ca": flash.CA}
    known = {**there, **changes}
    if known.get("link") == "mqtt":
        if not _has(known, "wifi", "ssid"):
            changes["wifi"] = {
                "ssid": click.prompt("Wi-Fi network"),
                "password": click.prompt("Wi-Fi password", hide_input=True, default="", show_default=False),
                "country": click.prompt("Country (two letters)", default="", show_default=False),
            }
        if not _has(known, "broker", "host"):
            host, _, number = click.prompt("MQTT broker (address or address:port)").partition(":")
            usual = 1883 if ca is None else 8883
            asked = {"host": host, "port": int(number) if number.isdigit() else usual}
            changes["broker"] = changes.get("broker", {}) | asked
    return changes


def read_certificate(path: Path | None) -> bytes | None:
    """The authority's certificate as the controller wants it (DER), from a DER or a PEM file."""
    if path is None:
        return None
    try:
        data = path.read_bytes()
        if data.lstrip().startswith(b"-----BEGIN"):
            data = ssl.PEM_cert_to_DER_cert(data.decode())
        ssl.create_default_context(cadata=data)
    except (OSError, ValueError) as error:
        fail(f"{path} is no certificate that can be read: {error}")
    return data


def _has(known: dict[str, Any], part: str, key: str) -> bool:
    """Whether that is known, or is there in a shape that the check of the whole config will speak of."""
    found = known.get(part, {})
    return not isinstance(found, dict) or bool(found.get(key))


def show_config(text: str) -> dict[str, Any]:
    try:
        given = json.loads(text or "{}")
    except ValueError:
        return {}
    return given if isinstance(given, dict) else {}


@click.command()
@click.option("--port", help="the controller's serial port; found by itself when there is one only")
@click.option("--name", help="the table's name")
@click.option(
    "--link", type=click.Choice(["usb", "mqtt"]), help="how the table speaks; mqtt asks for Wi-Fi and broker"
)
@click.option(
    "--config",
    type=click.Path(path_type=Path),
    help="a JSON file of further settings, such as the reader map",
)
@click.option(
    "--ca",
    type=click.Path(path_type=Path),
    help="the certificate (PEM or DER) of the authority that the broker's own is signed by; switches TLS on",
)
@click.option("--dry-run", is_flag=True, help="say what would be done, and do nothing; needs no controller")
def command(
    port: str | None, name: str | None, link: str | None, config: Path | None, ca: Path | None, dry_run: bool
) -> None:
    """Put the firmware on a controller that runs MicroPython.

    Only what changed is sent; the old firmware stays beside the new one until the new one has proved itself.
    """
    try:
        certificate = read_certificate(ca)
        firmware = flash.build()
        device = choose_device(port)
        if device is None:
            if not dry_run:
                fail("no controller found: plug it in by USB, or name its port with --port")
            text = flash.merge_config("", wanted_changes(name, link, config, certificate, {}))
            click.echo("no controller found; this is what a new one would get")
            click.echo("\n".join(flash.make_plan(firmware, {}, "", text, "", certificate).lines()))
            return
        click.echo(f"asking {device} for MicroPython's prompt", err=True)
        with flash.prompt_at(device) as prompt:
            click.echo(f"MicroPython {flash.check_version(prompt, firmware)} at {device}")
            there = prompt.listing()
            config_there = prompt.read(f"/{flash.CONFIG}") if f"/{flash.CONFIG}" in there else ""
            current = prompt.read("/current") if "/current" in there else ""
            changes = wanted_changes(name, link, config, certificate, show_config(config_there))
            text = flash.merge_config(config_there, changes, prompt.version()[2])
            plan = flash.make_plan(firmware, there, current, text, config_there, certificate)
            if dry_run:
                click.echo("\n".join(plan.lines()))
                prompt.restart()
                return
            with click.progressbar(length=max(plan.size, 1), label=f"{len(plan.send)} files") as bar:
                flash.carry_out(plan, prompt, bar.update)
            prompt.restart()
        hello = flash.wait_for_hello(device, firmware.folder)
    except flash.FlashError as error:
        fail(str(error))
    click.echo(f"'{hello.name}' says hello with {hello.firmware}, {hello.wired} readers wired")
