"""What a session shows: one frozen value per change. Everything in it is for the session's own eyes; what a viewer may
see is cut out of it in one place, `dashboard.view`.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Any

from naqala.rules.actions import Action, Power
from naqala.rules.choices import Choice
from naqala.rules.events import Event
from naqala.rules.model import Game
from naqala.table.evidence import Evidence
from naqala.table.guide import Guide
from naqala.table.readings import Note, Reading, Step

# The stages of an evening, in order.
WELCOME, SETUP, PLAY, OVER = ("welcome", "setup", "play", "over")


@dataclass(frozen=True, slots=True)
class Seat:
    """A place at the table: a player's name and the colour of the camels."""

    name: str
    colour: str


@dataclass(frozen=True, slots=True)
class LogLine:
    """One line of the journal as the log shows it. `kind`: action, undo, correction, override, note."""

    number: int
    at_ms: int  # since 1970
    by: str
    kind: str
    action: Action | None = None
    events: tuple[Event, ...] = ()
    undone: bool = False
    body: Any = None  # of a note; of a correction how its tiles `were`


@dataclass(frozen=True, slots=True)
class ReaderHealth:
    """One reader as the diagnostics show it."""

    reader: int
    tile: str
    state: str  # "ok", "silent" (never spoke), "blind" (does not see even its tile), or its fault's code
    tags: int = 0
    last: int | None = None  # the number of its last line
    per_second: float | None = None  # answers
    misses: int | None = None  # times a tag that was there did not answer, since the controller started
    reads: int | None = None  # answers since then
    took_ms: int | None = None  # of its last visit
    quiet_ms: int | None = None  # since its last answer


@dataclass(frozen=True, slots=True)
class LinkHealth:
    """The link in numbers, for one quiet dot and for the diagnostics page."""

    kind: str = "none"
    up: bool = False
    why: str = ""
    controller: str = ""
    firmware: str = ""
    counters: tuple[tuple[str, int], ...] = ()
    controller_counters: tuple[tuple[str, int], ...] = ()


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
    entries: int
    at_ms: int


@dataclass(frozen=True, slots=True)
class Problem:
    """One thing that is not ready for a game: by its word and tile, as the check's own English sentence, and as the facts
    that this sentence is made of, for another language."""

    problem: str
    tile: str = ""
    text: str = ""
    facts: tuple[tuple[str, Any], ...] = field(default=(), compare=False)


@dataclass(frozen=True, slots=True)
class DjinnsDrawn:
    """Djinns that a paid power turned up: its owner says which one is kept."""

    player: str
    djinn: str
    drawn: tuple[str, ...]
    power: Power  # the action that paid for them, still without the one kept


@dataclass(frozen=True, slots=True)
class Snapshot:
    """The state of one table. `game`, `choices`, `reading`, `sight` are values of the rules and table rooms."""

    table: str
    version: int = 0  # rises with every change, also of what is seen: for the stream
    step: int = 0  # rises with every entry of the journal: what taps are stamped with
    stage: str = WELCOME
    seats: tuple[Seat, ...] = ()
    edition: str = "fakir"
    cards: str = "dealt"
    help: bool = False
    language: str = "en"
    opening: Game | None = None
    game: Game | None = None
    choices: tuple[Choice, ...] | None = None
    reading: Reading | None = None
    sight: Evidence | None = None
    problems: tuple[Problem, ...] = ()  # of the set-up check
    repair: tuple[Step, ...] = ()  # instructions of the guided repair, first one first
    guide: Guide | None = None  # the flag that is being followed, with its list and how far people are
    due: tuple[Note, ...] = ()  # reminders: what the record has done and the table not yet
    log: tuple[LogLine, ...] = ()
    link: LinkHealth = field(default_factory=LinkHealth)
    readers: tuple[ReaderHealth, ...] = ()
    undo_asked: UndoAsked | None = None
    drawn: DjinnsDrawn | None = None
    unfinished: Unfinished | None = None
    trouble: str = ""  # what the journal could not do the last time it was asked
    stopped: str = ""  # why the companion stopped following, if it did: the last good snapshot stays on show

    @property
    def playing(self) -> Game:
        """The game, where there must be one."""
        assert self.game is not None
        return self.game
