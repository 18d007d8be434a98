"""A broker's configuration in which nobody can speak for another: a user, a password and topics for each controller.

In: names of tables, where the broker listens. Out: texts of files for mosquitto, for `naqala flash` and for `naqala play`.

| file | for |
|---|---|
| `mosquitto.conf`, `acl`, `passwords` | the broker: `mosquitto -c mosquitto.conf` |
| `controller-oak.json` | the controller of table oak: `naqala flash --config controller-oak.json` |
| `naqala.toml` | the host: `naqala play --config naqala.toml` |
| `words.json` | the passwords themselves, so that a later run keeps them |
"""

from __future__ import annotations

import base64
import hashlib
import json
import re
import secrets
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path

HOST, GUEST = "naqala-host", "naqala-guest"
WORDS = "words.json"
ROUNDS = 101  # what mosquitto's own tool takes
# 1 to 32 letters, as the controller's config wants them; a table's name is part of a topic and of a file's name.
NAME = re.compile(r"[A-Za-z0-9._-]{1,32}")


class NoSuchBroker(ValueError):
    """What was asked for makes no configuration; the text says why."""


@dataclass(frozen=True)
class Place:
    """Where the broker listens, as controllers and host reach it; with `cert` and `key` by TLS."""

    host: str
    port: int
    cert: Path | None = None
    key: Path | None = None
    ca: Path | None = None

    @property
    def tls(self) -> bool:
        return self.cert is not None


def controller(table: str) -> str:
    """The user of a table's controller."""
    return f"controller-{table}"


def words_for(tables: Sequence[str], known: Mapping[str, str]) -> dict[str, str]:
    """A password for each user; those that are known stay, as controllers have them already."""
    odd = [table for table in tables if not NAME.fullmatch(table)]
    if odd or not tables:
        raise NoSuchBroker(
            f"a table's name is 1 to 32 letters, digits or . _ -, not '{odd[0]}'"
            if odd
            else "name at least one table"
        )
    users = [HOST, GUEST, *map(controller, dict.fromkeys(tables))]
    return {user: known.get(user) or secrets.token_urlsafe(18) for user in users}


def files(folder: Path, tables: Sequence[str], place: Place, words: Mapping[str, str]) -> dict[str, str]:
    """Every file by its name."""
    found = {
        "mosquitto.conf": _conf(folder, place),
        "acl": _acl(tables),
        "passwords": "".join(f"{user}:{hashed(word)}\n" for user, word in words.items()),
        "naqala.toml": _toml(tables, place, words[HOST]),
        WORDS: json.dumps(words, indent=1) + "\n",
    }
    for table in tables:
        broker = {
            "host": place.host,
            "port": place.port,
            "user": controller(table),
            "password": words[controller(table)],
        }
        config = {"name": table, "link": "mqtt", "broker": broker}
        found[f"{controller(table)}.json"] = json.dumps(config, indent=1) + "\n"
    return found


def _conf(folder: Path, place: Place) -> str:
    lines = [
        "# Made by `naqala broker`: nobody publishes without a password, and each controller on its own topics alone.",
        f"listener {place.port}",
        "allow_anonymous false",
        f"password_file {folder / 'passwords'}",
        f"acl_file {folder / 'acl'}",
        "set_tcp_nodelay true",  # a line is short: it must not wait for the next one
    ]
    if place.tls:
        lines += [f"certfile {place.cert}", f"keyfile {place.key}"]
    return "\n".join(lines) + "\n"


def _acl(tables: Sequence[str]) -> str:
    parts = [[f"user {HOST}"], [f"user {GUEST}"]]
    for table in tables:
        topic = f"naqala/{table}"
        parts[0] += [f"topic {way} {topic}/{what}" for way, what in HOST_MAY]
        parts[0] += [f"topic write homeassistant/+/naqala_{table}/+/config"]
        parts[1] += [f"topic read {topic}/state"]
        parts.append(
            [f"user {controller(table)}", *(f"topic {way} {topic}/{what}" for way, what in CONTROLLER_MAY)]
        )
    return "\n\n".join("\n".join(lines) for lines in parts) + "\n"


HOST_MAY = (("read", "up"), ("read", "status"), ("write", "down"), ("write", "state"))
CONTROLLER_MAY = (("write", "up"), ("write", "status"), ("read", "down"))


def _toml(tables: Sequence[str], place: Place, word: str) -> str:
    scheme = "mqtts" if place.tls else "mqtt"
    lines = ["[tables]", *(f'"{table}" = "{scheme}://{place.host}:{place.port}/{table}"' for table in tables)]
    lines += ["", "[mqtt]", f'user = "{HOST}"', f'password = "{word}"']
    if place.ca is not None:
        lines.append(f"ca = {json.dumps(str(place.ca))}")
    return "\n".join(lines) + "\n"


def hashed(word: str) -> str:
    """A password as mosquitto 2 keeps it: PBKDF2 with SHA-512."""
    salt = secrets.token_bytes(12)
    key = hashlib.pbkdf2_hmac("sha512", word.encode(), salt, ROUNDS)
    return f"$7${ROUNDS}${base64.b64encode(salt).decode()}${base64.b64encode(key).decode()}"
