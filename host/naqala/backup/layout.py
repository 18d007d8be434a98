"""What is inside a backup, and which backups of a folder stay. Values and text only; nothing here touches the disk.

naqala-20261118-031509.zip        the time is UTC
  manifest.json                   what is here, with sums, and the games with the digest of their last entry
  journal.sqlite or journal.sql   a copy of the file, or what pg_dump wrote
  tags.csv, naqala.toml, ...      see PLAIN
  https/...                       the authority of the house, so that phones need not trust a new one
"""

from __future__ import annotations

import json
import re
from collections.abc import Iterable, Mapping
from dataclasses import asdict, dataclass, field
from datetime import UTC, datetime
from typing import Any

FORM = 1
MANIFEST = "manifest.json"
SQLITE, DUMP = "journal.sqlite", "journal.sql"
SETTINGS = "naqala.toml"
TAGS = "tags.csv"
HTTPS = "https"
# Files of the home folder that belong to the house; all others (logs, locks, backups themselves) do not.
PLAIN = (
    TAGS,
    "dashboard-keys.json",
    "dashboard-seats.json",
    "dashboard-seat-log.json",
    "dashboard-robots.json",
    "api-keys.json",
)
LARGEST_PLAIN = 16 * 1024 * 1024  # bytes; all but the journal are small
LARGEST_MANIFEST = 64 * 1024 * 1024
NEWEST, DAYS, WEEKS, MONTHS = 10, 14, 8, 13  # how many of each stay in the rotating folder

_NAME = re.compile(r"naqala-(\d{8}-\d{6})(-\d+)?\.zip")
_OF_HTTPS = re.compile(rf"{HTTPS}/[A-Za-z0-9_][A-Za-z0-9_.-]*")


class BackupError(Exception):
    """A backup that cannot be made, read or restored: one sentence says why and what to do."""


@dataclass(frozen=True)
class File:
    bytes: int
    sha256: str


@dataclass(frozen=True)
class GameInside:
    """A game of the journal: `whole` of its `entries` are as they were written, `digest` is that of the last of them."""

    id: int
    table: str
    at_ms: int
    players: tuple[str, ...]
    entries: int
    whole: int
    how: str
    digest: str


@dataclass(frozen=True)
class Manifest:
    made: datetime
    program: str
    why: str
    files: Mapping[str, File]
    games: tuple[GameInside, ...] = field(default=())

    @property
    def is_whole(self) -> bool:
        return all(game.whole == game.entries for game in self.games)

    @property
    def tables(self) -> tuple[str, ...]:
        return tuple(sorted({game.table for game in self.games}))

    def to_json(self) -> str:
        told = {
            "naqala-backup": FORM,
            "made": self.made.isoformat(timespec="seconds"),
            "program": self.program,
            "why": self.why,
            "files": {name: asdict(file) for name, file in self.files.items()},
            "games": [asdict(game) for game in self.games],
        }
        return json.dumps(told, indent=1, ensure_ascii=False) + "\n"


def manifest_from(text: str) -> Manifest:
    """The manifest of an archive. BackupError for anything that is none."""
    try:
        told = json.loads(text)
        form = told["naqala-backup"]
        if isinstance(form, int) and form > FORM:
            raise BackupError(
                f"it was made by a newer Naqala (its form is {form}, this program knows {FORM}); update Naqala first"
            )
        return Manifest(
            datetime.fromisoformat(told["made"]),
            _text(told["program"]),
            _text(told["why"]),
            {
                _text(name): File(int(one["bytes"]), _text(one["sha256"]))
                for name, one in told["files"].items()
            },
            tuple(_game(one) for one in told["games"]),
        )
    except (ValueError, KeyError, TypeError, AttributeError, RecursionError) as error:
        raise BackupError(f"its {MANIFEST} cannot be read ({type(error).__name__})") from None


def _game(told: Mapping[str, Any]) -> GameInside:
    return GameInside(
        int(told["id"]),
        _text(told["table"]),
        int(told["at_ms"]),
        tuple(_text(name) for name in told["players"]),
        int(told["entries"]),
        int(told["whole"]),
        _text(told["how"]),
        _text(told["digest"]),
    )


def _text(value: object) -> str:
    if not isinstance(value, str):
        raise TypeError
    return value


def belongs(name: str) -> bool:
    """Whether an archive may hold a file of this name. Anything else, and any way out of the folder, is refused."""
    return name in (SQLITE, DUMP, SETTINGS, *PLAIN) or bool(_OF_HTTPS.fullmatch(name))


def journal_in(manifest: Manifest) -> str:
    """The name of the journal inside."""
    found = [name for name in (SQLITE, DUMP) if name in manifest.files]
    if len(found) != 1:
        raise BackupError("it holds no journal")
    return found[0]


# --- names and the rotating folder ----------------------------------------------------------------------------------------


def name_at(at: datetime, again: int = 1) -> str:
    """The name of a backup of this moment; `again` counts those of the same second."""
    return f"naqala-{at.astimezone(UTC):%Y%m%d-%H%M%S}{f'-{again}' if again > 1 else ''}.zip"


def time_of(name: str) -> datetime | None:
    """When a backup was made; None for files that are not ours."""
    found = _NAME.fullmatch(name)
    if not found:
        return None
    try:
        return datetime.strptime(found[1], "%Y%m%d-%H%M%S").replace(tzinfo=UTC)
    except ValueError:
        return None


@dataclass(frozen=True)
class Seen:
    """A backup in a folder: is everything in it as it was written?"""

    name: str
    at: datetime
    whole: bool


def kept(seen: Iterable[Seen]) -> frozenset[str]:
    """Which ones stay: the newest, then the newest of each day, week and month. The newest whole one stays whatever comes
    after it, so that a journal that broke unnoticed does not push out its last good copy."""
    ordered = sorted(seen, key=lambda one: (one.at, one.name), reverse=True)
    found = {one.name for one in ordered[:NEWEST]}
    found |= {one.name for one in [one for one in ordered if one.whole][:1]}
    for count, period in ((DAYS, "%Y-%j"), (WEEKS, "%G-%V"), (MONTHS, "%Y-%m")):
        newest: dict[str, str] = {}
        for one in ordered:
            newest.setdefault(one.at.strftime(period), one.name)
        found |= set(list(newest.values())[:count])
    return frozenset(found)
