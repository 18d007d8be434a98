"""A game's story so far: its record, and the log in which nothing is ever deleted.

Values in, values out: `after(entry)` gives a new chronicle. The entries are those of the journal, so a chronicle is
told again from disk exactly as it was told the first time.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, replace
from typing import Any

from naqala.journal import KINDS, Entry
from naqala.rules import notation, position
from naqala.rules.actions import Action, Bid, Correct, Kill, Power, Reveal, Undo
from naqala.rules.model import Game
from naqala.rules.record import Record, append
from naqala.rules.scoring import score
from naqala.session.snapshot import LogLine
from naqala.table.readings import Wrong
from naqala.table.remedy import Surplus
from naqala.transcript import Piece

ACTION, CORRECTION, OVERRIDE, UNDO, NOTE = KINDS  # of entries
HANDS = "hands"  # author of what was seen on the table
COMPANION = "companion"  # author of what nobody tapped: cards dealt by the host


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

    def changed_since(self, step: int) -> tuple[LogLine, ...]:
        """What was written after a page with this step was made, apart from notes that change no question to anybody."""
        return tuple(line for line in self.log[step - 1 :] if line.kind != NOTE or "drawn" in line.body)

    def is_past(self, step: int) -> bool:
        """Whether a page with this step shows another state of the game than this one."""
        return not 0 < step <= self.next_number or bool(self.changed_since(step))

    def at(self, step: int) -> Game:
        """The game as a page with this step shows it, where nothing was taken back since."""
        return self.record.at(sum(number < step for number in self.lines))

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
        if isinstance(action, Correct):
            line = replace(line, body={"were": [_as_it_was(self.game, tile.tile) for tile in action.tiles]})
        if entry.kind in (CORRECTION, OVERRIDE):
            points = dict(points_changed(self.game, record.game))
            line = replace(line, body=(line.body if isinstance(action, Correct) else {}) | {"points": points})
        return Chronicle(record, (*self.log, line), (*self.lines, entry.number))

    def _undone(self, record: Record, undo: Undo, line: LogLine) -> Chronicle:
        gone = set(self.lines[undo.to :])
        log = tuple(replace(old, undone=True) if old.number in gone else old for old in self.log)
        return Chronicle(record, (*log, line), self.lines[: undo.to])


def points_changed(before: Game, after: Game) -> tuple[tuple[str, int], ...]:
    """By how much each player's score differs, without those where it does not."""
    then = {one.name: one.total for one in score(before)}
    gained = ((one.name, one.total - then[one.name]) for one in score(after))
    return tuple((name, points) for name, points in gained if points)


def _as_it_was(game: Game, tile: str) -> dict[str, Any]:
    """A tile before a correction, for the log to tell what has changed."""
    old = game.tile(tile)
    standing = {"meeples": old.meeples, "camel": old.camel, "palms": old.palms, "palaces": old.palaces}
    return {"tile": tile} | standing


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
    """What an undo would take back: whose actions, whether a card that was turned up is among it, and whose turn it is."""

    actions: tuple[Action, ...]
    players: tuple[str, ...]
    past_a_card: bool
    turn: str | None

    def free_for(self, by: str) -> bool:
        """Free within one's own turn, never silently past a revealed card. A bid is free until somebody acts on it, though
        the next one to bid has the turn."""
        within = self.turn == by or all(isinstance(action, Bid) for action in self.actions)
        return within and not self.past_a_card and set(self.players) <= {by}


def undoing(chronicle: Chronicle, to: int) -> Undoing:
    """What would be gone if only `to` actions stood."""
    gone = chronicle.record.actions[to:]
    players = tuple(dict.fromkeys(name for action in gone if (name := getattr(action, "player", None))))
    last = chronicle.lines[to - 1] if to else 0
    drawn = any(line.kind == NOTE and "drawn" in line.body for line in chronicle.log if line.number > last)
    past_a_card = drawn or any(_turns_up_a_card(action) for action in gone)
    return Undoing(gone, players, past_a_card, chronicle.game.turn.player)


def _turns_up_a_card(action: Action) -> bool:
    if isinstance(action, Reveal):
        return bool(action.row or action.djinns)
    if isinstance(action, Power):
        return bool(action.card or action.drawn or action.meeples)
    return isinstance(action, Kill) and bool(action.card)


# --- what people said of the table -----------------------------------------------------------------------------


def still_lying(chronicle: Chronicle) -> Surplus:
    """The differences that people let lie; those that were put right since are found to be so at the first look."""
    found: dict[tuple[str, Piece], int] = {}
    for line in chronicle.log:
        if line.kind == CORRECTION:
            found = {}
        elif line.kind == NOTE and isinstance(line.body, dict) and "lies" in line.body:
            found = {(tile, Piece(*words.split(" ", 1))): count for tile, words, count in line.body["lies"]}
    return found


def is_aside(line: LogLine) -> bool:
    """Whether a line says nothing of the table: it is about a seat, or in the middle of a move. It ends nothing."""
    return lets_a_move_go_on(line) or (line.kind == NOTE and "seat" in line.body)


def lets_a_move_go_on(line: LogLine) -> bool:
    """Whether a line says that people let a breach stand in the middle of a move: it is no end of anything."""
    return line.kind == NOTE and "played_on" in line.body and "lies" not in line.body


def forgiven_by(chronicle: Chronicle, reading: Wrong) -> str | None:
    """Who last let stand what this flag objects to, while the move it speaks of is being made; None when nobody did."""
    by, forgiven = None, set[tuple[str, ...]]()
    for line in reversed(chronicle.log):
        if line.kind != NOTE or "not_agreed" in line.body:
            break
        if lets_a_move_go_on(line):
            by = by or line.by
            forgiven |= {(breach["rule"], *breach["tiles"]) for breach in line.body["played_on"]}
    objected = {(breach.rule, *breach.tiles) for breach in reading.breaches}
    return by if objected <= forgiven else None


def still_entered(chronicle: Chronicle) -> dict[str, str]:
    """What was told of tiles with a dead reader since the game last moved on; older tellings are in the record."""
    found: dict[str, str] = {}
    for line in chronicle.log:
        if line.kind != NOTE:
            found = {}
        elif isinstance(line.body, dict):
            found |= line.body.get("entered", {})
    return found


def restoring(chronicle: Chronicle) -> bool:
    """Whether somebody has just taken a step back by a tap: then the table is to follow, before anything is read from it."""
    last = next((line for line in reversed(chronicle.log) if line.kind != NOTE), None)
    return last is not None and last.kind == UNDO and last.by != HANDS
