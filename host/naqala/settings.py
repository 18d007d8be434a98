"""Settings: flags first, then naqala.toml, then sensible defaults. In: flags and a file. Out: one frozen value.

The file is `naqala.toml` in the folder where the command runs, else in the user's configuration folder; `--config` names
another. Each field of Settings is one setting: its key in the file, its default and its help stand beside it.

    journal = "postgresql://naqala@clubhouse/naqala"
    [tables]
    oak = "serial:name=oak"
    elm = "mqtts://clubhouse/elm"
    [mqtt]
    user = "host"
    password = "caravan"
    ca = "club-ca.crt"
"""

from __future__ import annotations

import difflib
import os
import tomllib
from collections.abc import Mapping
from dataclasses import dataclass, field, fields, replace
from pathlib import Path
from typing import Any

from naqala.link import Mark, Options

FILE = "naqala.toml"


class SettingsError(Exception):
    """A setting that makes no sense: says where it stands and what would."""


def data_folder() -> Path:
    """Where this user's journal lives (XDG)."""
    return Path(os.environ.get("XDG_DATA_HOME") or Path.home() / ".local/share") / "naqala"


def config_folder() -> Path:
    return Path(os.environ.get("XDG_CONFIG_HOME") or Path.home() / ".config") / "naqala"


def _setting(key: str, default: Any, help: str) -> Any:
    return field(default_factory=lambda: default, metadata={"key": key, "help": help})


@dataclass(frozen=True)
class Settings:
    tables: Mapping[str, str] = _setting("tables", {"table": "serial"}, "each table's name and its link")
    journal: str = _setting("journal", "", "where games are kept: a file or postgresql://user@host/name")
    ports: tuple[str, ...] = _setting(
        "serial.ports", (), "further serial ports to look at, wildcards allowed"
    )
    mqtt_user: str = _setting("mqtt.user", "", "the broker's user, unless the link names one")
    mqtt_password: str = _setting("mqtt.password", "", "the broker's password")
    mqtt_ca: str = _setting("mqtt.ca", "", "file of the authority that signed the broker's certificate")
    mqtt_insecure: bool = _setting("mqtt.insecure", False, "go on without checking the broker's certificate")
    mqtt_discovery: str = _setting(
        "mqtt.discovery",
        "homeassistant",
        "where Home Assistant looks for devices at the broker; empty: nowhere",
    )
    backup_folder: str = _setting(
        "backup.folder", "", "where backups go; empty: `backups` in the home folder"
    )
    backup_at: str = _setting(
        "backup.at", "04:00", "when one is made every night, by this machine's clock; empty: never"
    )
    file: Path | None = None  # where they were read from

    @property
    def journal_url(self) -> str:
        return self.journal or str(data_folder() / "journal.sqlite")

    def backups(self, home: Path) -> Path:
        """The folder of backups of a house."""
        return Path(self.backup_folder).expanduser() if self.backup_folder else home / "backups"

    def link_options(
        self, mark: Mark | None = None, announce: bool = False, retained: tuple[tuple[str, str], ...] = ()
    ) -> Options:
        """What `naqala.link.open` should know."""
        return Options(
            mark,
            self.ports,
            self.mqtt_user,
            self.mqtt_password,
            self.mqtt_ca,
            self.mqtt_insecure,
            announce,
            retained,
        )


KEYS = {one.metadata["key"]: one for one in fields(Settings) if "key" in one.metadata}


def load(flags: Mapping[str, Any] | None = None, config: str | Path | None = None) -> Settings:
    """Settings for this run. `flags` maps field names to values; None means that the flag was not given."""
    path = find(config)
    settings = Settings() if path is None else replace(Settings(), file=path, **_from_file(path))
    if not settings.tables:
        raise SettingsError(f"{path}: [tables] names no table; write oak = 'serial' there, or leave it out")
    given = {name: value for name, value in (flags or {}).items() if value is not None}
    return replace(settings, **given)


def find(config: str | Path | None) -> Path | None:
    """The file to read; None when there is none. A file that was named must be there."""
    if config is not None:
        if not Path(config).is_file():
            raise SettingsError(f"there is no settings file '{config}'")
        return Path(config)
    return next((path for path in (Path(FILE), config_folder() / FILE) if path.is_file()), None)


def _from_file(path: Path) -> dict[str, Any]:
    try:
        content = _flat(tomllib.loads(path.read_text()))
    except OSError as error:
        raise SettingsError(f"cannot read {path}: {error.strerror}") from None
    except (tomllib.TOMLDecodeError, UnicodeDecodeError) as error:
        raise SettingsError(f"{path}: {error}") from None
    except RecursionError:
        raise SettingsError(f"{path}: nested too deeply") from None
    found = {}
    for key, value in content:
        if key not in KEYS:
            near = difflib.get_close_matches(key, KEYS, 1)
            hint = f"; did you mean '{near[0]}'?" if near else f"; known are {', '.join(KEYS)}"
            raise SettingsError(f"{path}: unknown setting '{key}'{hint}")
        found[KEYS[key].name] = _checked(path, key, value)
    return found


def _flat(content: Mapping[str, Any], under: str = "") -> list[tuple[str, Any]]:
    """Keys with dots; a table whose own key is a setting stays whole."""
    flat: list[tuple[str, Any]] = []
    for word, value in content.items():
        key = under + word
        flat += _flat(value, key + ".") if isinstance(value, dict) and key not in KEYS else [(key, value)]
    return flat


def _checked(path: Path, key: str, value: Any) -> Any:
    wanted = KEYS[key].default_factory()  # type: ignore[operator]
    texts = list(value.values()) if isinstance(value, dict) else value if isinstance(value, list) else []
    if isinstance(wanted, tuple) and isinstance(value, list) and all(isinstance(text, str) for text in texts):
        return tuple(value)
    if type(value) is type(wanted) and all(isinstance(text, str) for text in texts):
        return value
    kinds = {"dict": "names and texts", "tuple": "a list of texts", "bool": "true or false", "str": "a text"}
    raise SettingsError(
        f"{path}: '{key}' should be {kinds[type(wanted).__name__]}, not {value!r}: {KEYS[key].metadata['help']}"
    )
