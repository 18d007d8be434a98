"""A game as its list of actions: text or JSON lines in, verified line by line; text or JSON lines out.

A record is a header, the opening position, one line per action, and perhaps the closing position, which is compared.
`undo` is one more line: nothing is deleted, and every earlier game is kept, so going back costs nothing.

    naqala-record 1
    position {"tiles": ...}
    Ann bid 3
    Bob bid 0
    Bob undo 1
    closing {"tiles": ...}
"""

from __future__ import annotations

import json
import re
from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any

from naqala.rules import notation, position
from naqala.rules.actions import Action, Undo
from naqala.rules.breach import IllegalMove, InvalidAction
from naqala.rules.closing import differences
from naqala.rules.events import Event
from naqala.rules.game import play
from naqala.rules.model import Game
from naqala.rules.reading import BadPosition, parsed
from naqala.rules.scoring import Told

HEADER = "naqala-record"
# Versions of the text and what changed with each. A line here that says so is why an old record no longer replays.
HISTORY: dict[int, str] = {1: "the first"}
VERSION = max(HISTORY)


class BadRecord(Exception):
    """The first bad line of a record, counted from 1, and why."""

    def __init__(self, line: int, why: str) -> None:
        self.line = line
        self.why = why
        super().__init__(f"line {line}: {why}")


@dataclass(frozen=True, slots=True)
class Step:
    """An action that stands, the game after it, and what happened."""

    action: Action
    game: Game
    events: tuple[Event, ...]


@dataclass(frozen=True, slots=True)
class Record:
    """A game with its past. `written` is every action ever made, undone ones and undos too."""

    opening: Game
    steps: tuple[Step, ...] = ()
    written: tuple[Action, ...] = ()

    @property
    def game(self) -> Game:
        """The game as it stands."""
        return self.steps[-1].game if self.steps else self.opening

    @property
    def actions(self) -> tuple[Action, ...]:
        """The actions that stand."""
        return tuple(step.action for step in self.steps)

    def at(self, number: int) -> Game:
        """The game after so many of the actions that stand."""
        return self.steps[number - 1].game if number else self.opening

    def told(self) -> Iterator[Told]:
        """Every event that stands, with the number of its action and its round."""
        before = self.opening
        for number, step in enumerate(self.steps, 1):
            for event in step.events:
                yield Told(number, before.round, event)
            before = step.game


def append(record: Record, action: Action) -> Record:
    """The record with one more action. InvalidAction or IllegalMove leave it as it was."""
    written = (*record.written, action)
    if isinstance(action, Undo):
        return Record(
            record.opening, record.steps[: _kept(record.opening, len(record.steps), action)], written
        )
    game, events = play(record.game, action)
    return Record(record.opening, (*record.steps, Step(action, game, events)), written)


def _kept(opening: Game, standing: int, action: Undo) -> int:
    """How many of the actions that stand are left by an undo."""
    if action.player is not None and action.player not in [player.name for player in opening.players]:
        raise InvalidAction(f"nobody is called {action.player!r}")
    if action.to > standing:
        raise InvalidAction(f"undo to {action.to}, but only {standing} actions stand")
    return action.to


# --- writing ------------------------------------------------------------------------------------------------


def to_text(record: Record, *, closing: bool = True) -> str:
    """The whole record for people: every line ever written, and the closing position to be compared."""
    lines = [f"{HEADER} {VERSION}", f"position {position.to_text(record.opening)}"]
    lines += [notation.to_text(action) for action in record.written]
    if closing:
        lines.append(f"closing {position.to_text(record.game)}")
    return "\n".join(lines) + "\n"


def to_json_lines(record: Record) -> Iterator[str]:
    """The opening position, every action that stands, the final position."""
    yield position.to_text(record.opening)
    for action in record.actions:
        yield json.dumps(notation.to_json(action), ensure_ascii=False)
    yield position.to_text(record.game)


# --- reading ------------------------------------------------------------------------------------------------


def read(text: str) -> Record:
    """Verify a record, text or JSON lines. BadRecord names the first bad line."""
    lines = [
        (number, line.strip())
        for number, line in enumerate(text.split("\n"), 1)
        if line.strip() and not line.lstrip().startswith("#")
    ]
    if not lines:
        raise BadRecord(1, "an empty file is no record")
    entries = _json_lines(lines) if lines[0][1].startswith("{") else _text_lines(lines)
    return _verified(entries)


Entry = tuple[int, str, Any]  # line number; "position", "action" or "closing"; its value


def _verified(entries: Iterator[Entry]) -> Record:
    opening: Game | None = None
    steps: list[Step] = []
    written: list[Action] = []
    for number, kind, value in entries:
        try:
            if opening is None:
                opening = position.from_json(value)
            elif kind == "action":
                written.append(value)
                if isinstance(value, Undo):
                    del steps[_kept(opening, len(steps), value) :]
                else:
                    game, events = play(steps[-1].game if steps else opening, value)
                    steps.append(Step(value, game, events))
            else:
                wrong = differences(steps[-1].game if steps else opening, value)
                if wrong:
                    raise BadRecord(number, "the closing position differs: " + "; ".join(wrong[:5]))
        except IllegalMove as refused:
            rules = ", ".join(" ".join((breach.rule, *breach.tiles)) for breach in refused.breaches)
            raise BadRecord(number, f"illegal {notation.to_text(value)!r}: {rules}") from None
        except (InvalidAction, BadPosition) as refused:
            rules = ", ".join(breach.rule for breach in getattr(refused, "breaches", ()))
            raise BadRecord(number, f"{refused} ({rules})" if rules else str(refused)) from None
    assert opening is not None
    return Record(opening, tuple(steps), tuple(written))


def _text_lines(lines: list[tuple[int, str]]) -> Iterator[Entry]:
    number, first = lines[0]
    _check_version(number, first)
    if len(lines) < 2 or not lines[1][1].startswith("position "):
        raise BadRecord(lines[1][0] if len(lines) > 1 else number, "the opening position is missing")
    yield lines[1][0], "position", _parsed(lines[1][0], lines[1][1].removeprefix("position "))
    for at, (number, line) in enumerate(lines[2:], 3):
        if line.startswith("closing {"):
            if at != len(lines):
                raise BadRecord(number, "nothing may follow the closing position")
            yield number, "closing", _parsed(number, line.removeprefix("closing "))
        else:
            yield number, "action", _action(number, notation.from_text, line)


def _check_version(number: int, line: str) -> None:
    word, _, version = line.partition(" ")
    if word != HEADER or not re.fullmatch(r"[0-9]{1,9}", version):
        raise BadRecord(number, f"a record begins with '{HEADER} {VERSION}' or with a position in JSON")
    if int(version) > VERSION:
        raise BadRecord(
            number, f"record version {version} is newer than this program, which reads up to {VERSION}"
        )
    if int(version) not in HISTORY:
        raise BadRecord(number, f"there is no record version {version}")


def _json_lines(lines: list[tuple[int, str]]) -> Iterator[Entry]:
    for at, (number, line) in enumerate(lines):
        value = _parsed(number, line)
        if at == 0:
            if "do" in value:
                raise BadRecord(number, "the opening position is missing")
            yield number, "position", value
        elif at == len(lines) - 1 and _is_closing(value):
            yield number, "closing", value
        else:
            yield number, "action", _action(number, notation.from_json, value)


def _is_closing(value: Any) -> bool:
    """A position rather than an action that lost its `do`."""
    return isinstance(value, dict) and "do" not in value and bool({"tiles", "players"} & set(value))


def _parsed(number: int, line: str) -> Any:
    try:
        return parsed(line)
    except ValueError as error:
        raise BadRecord(number, f"not JSON: {error}") from None


def _action(number: int, read_one: Any, value: Any) -> Action:
    try:
        action: Action = read_one(value)
    except InvalidAction as error:
        raise BadRecord(number, str(error)) from None
    return action
