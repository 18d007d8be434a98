"""A game's story so far: its record, and the log in which nothing is ever deleted.

Values in, values out: `after(entry)` gives a new chronicle. The entries are those of the journal, so a chronicle is
told again from disk exactly as it was told the first time.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, replace
from typing import Any

from naqala.journal import Entry
from naqala.rules import notation, position
from naqala.rules.actions import Action, Kill, Power, Reveal, Undo
from naqala.rules.model import Game
from naqala.rules.record import Record, append
from naqala.session.snapshot import LogLine

ACTION, CORRECTION, OVERRIDE, UNDO, NOTE = "action", "correction", "override", "undo", "note"
HANDS = "hands"  # author of what was seen on the table


@dataclass(frozen=True, slots=True)
class Chronicle:
    """What happened, in order. `log` has a line per entry; `lines` says which of them each standing step is."""

    record: Record
    log: tuple[LogLine, ...] = ()
    lines: tuple[int, ...] = ()

    @property
    def game(self) -> Game:
        """The game as it stands."""
        return self.record.game

    @property
    def next_number(self) -> int:
        """The number that the next entry bears; also what a tap is stamped with."""
        return len(self.log) + 1

    def after(self, entry: Entry) -> Chronicle:
        """The chronicle after one more entry. Raises what `play` raises."""
        line = LogLine(entry.number, entry.at_ms, entry.author, entry.kind, body=entry.body)
        if entry.kind == NOTE:
            return replace(self, log=(*self.log, line))
        action = notation.from_json(entry.body)
        record = append(self.record, action)
        if isinstance(action, Undo):
            return self._undone(record, action, replace(line, action=action))
        line = replace(line, action=action, events=record.steps[-1].events)
        return Chronicle(record, (*self.log, line), (*self.lines, entry.number))

    def _undone(self, record: Record, undo: Undo, line: LogLine) -> Chronicle:
        gone = set(self.lines[undo.to :])
        log = tuple(replace(old, undone=True) if old.number in gone else old for old in self.log)
        return Chronicle(record, (*log, line), self.lines[: undo.to])


def begun(opening: Game) -> Chronicle:
    """Nothing has happened yet."""
    return Chronicle(Record(opening))


def retold(opening: Mapping[str, Any], entries: Iterable[Entry]) -> Chronicle:
    """The chronicle of a journal's entries, from the opening position as JSON."""
    chronicle = begun(position.from_json(dict(opening)))
    for entry in entries:
        chronicle = chronicle.after(entry)
    return chronicle


# --- taking back --------------------------------------------------------------------------------------------


@dataclass(frozen=True, slots=True)
class Undoing:
    """What an undo would take back: whose actions, and whether a card that was turned up is among it."""

    actions: tuple[Action, ...]
    players: tuple[str, ...]
    past_a_card: bool

    def free_for(self, by: str) -> bool:
        """Free within one's own turn, never silently past a revealed card."""
        return not self.past_a_card and set(self.players) <= {by}


def undoing(chronicle: Chronicle, to: int) -> Undoing:
    """What would be gone if only `to` actions stood."""
    gone = chronicle.record.actions[to:]
    players = tuple(dict.fromkeys(name for action in gone if (name := getattr(action, "player", None))))
    last = chronicle.lines[to - 1] if to else 0
    drawn = any(line.kind == NOTE and "drawn" in line.body for line in chronicle.log if line.number > last)
    return Undoing(gone, players, drawn or any(_turns_up_a_card(action) for action in gone))


def _turns_up_a_card(action: Action) -> bool:
    if isinstance(action, Reveal):
        return bool(action.row or action.djinns)
    if isinstance(action, Power):
        return bool(action.card or action.drawn or action.meeples)
    return isinstance(action, Kill) and bool(action.card)
