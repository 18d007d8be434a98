"""What a session shows: one frozen value per change. Everything in it is for the session's own eyes; what a viewer may
see is cut out of it in one place, `dashboard.view`.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Any

# The stages of an evening, in order.
WELCOME, SETUP, PLAY, OVER = STAGES = ("welcome", "setup", "play", "over")


@dataclass(frozen=True, slots=True)
class Seat:
    """A place at the table: a player's name and the colour of the camels."""

    name: str
    colour: str


@dataclass(frozen=True, slots=True)
class LogLine:
    """One line of the journal as the log shows it. `kind`: action, undo, correction, override, note."""

    number: int
    at: float
    by: str
    kind: str
    action: Any = None
    events: tuple[Any, ...] = ()
    undone: bool = False
    text: str = ""


@dataclass(frozen=True, slots=True)
class ReaderHealth:
    """One reader as the diagnostics show it."""

    reader: int
    tile: str
    state: str  # "ok", "silent" (never spoke), or the code of its fault
    seen_at: int | None = None
    changes: int = 0


@dataclass(frozen=True, slots=True)
class LinkHealth:
    """The link in numbers, for one quiet dot and for the diagnostics page."""

    kind: str = "none"
    up: bool = False
    why: str = ""
    controller: str = ""
    firmware: str = ""
    counters: tuple[tuple[str, int], ...] = ()


@dataclass(frozen=True, slots=True)
class UndoAsked:
    """An undo that waits for the others: how many actions would stand, who asked, who agreed so far."""

    by: str
    to: int
    agreed: tuple[str, ...] = ()
    waiting_for: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class Unfinished:
    """A game the journal holds that can be resumed."""

    game_id: int
    players: tuple[str, ...]
    round: int
    at: float


@dataclass(frozen=True, slots=True)
class Snapshot:
    """The state of one table. `game`, `choices`, `reading`, `sight` are values of the rules and table rooms."""

    table: str
    version: int = 0
    stage: str = WELCOME
    seats: tuple[Seat, ...] = ()
    edition: str = "fakir"
    cards: str = "dealt"
    help: bool = False
    language: str = "en"
    opening: Any = None
    game: Any = None
    choices: Any = None
    reading: Any = None
    sight: Any = None
    problems: tuple[Any, ...] = ()  # of the set-up check
    repair: tuple[Any, ...] = ()  # instructions of the guided repair, first one first
    log: tuple[LogLine, ...] = ()
    link: LinkHealth = field(default_factory=LinkHealth)
    readers: tuple[ReaderHealth, ...] = ()
    undo_asked: UndoAsked | None = None
    unfinished: Unfinished | None = None
    stopped: str = ""  # why the companion stopped following, if it did: the last good snapshot stays on show
