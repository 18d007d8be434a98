"""A whole transcript through the follower: what `naqala watch` prints, what tests and bug reports run.

In: a `Transcript`. Out: every reading with its moment. TranscriptError names the line: no position, a bad position, a tap
that is no action.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass, replace
from typing import Any

from naqala.rules.actions import Action, Sow, Undo
from naqala.rules.breach import IllegalMove, InvalidAction
from naqala.rules.model import Game
from naqala.rules.notation import from_json as action_from_json
from naqala.rules.notation import to_text
from naqala.rules.position import from_json as game_from_json
from naqala.rules.reading import BadPosition
from naqala.rules.record import Record, append
from naqala.table import watch
from naqala.table.evidence import SWEEP_MS
from naqala.table.look import look
from naqala.table.pieces import CAMEL
from naqala.table.readings import Did, Reading, Remedy, Unclear, Wrong
from naqala.table.watch import Watcher, consequences
from naqala.transcript import Piece, Tap, Transcript, TranscriptError

MOST_ROUNDS = 8  # readings that may follow from one another at one moment
LAST_WAIT_MS = 6_000  # at the end of the file all waiting runs out

Said = tuple[int, Reading]


@dataclass(slots=True)
class Playback:
    """A follower with a record of its own: what a session does with readings, without a session."""

    watching: Watcher
    record: Record
    refused: tuple[Action, ...] = ()

    def hear(self, message: Any, at: int) -> Iterator[Said]:
        yield from self.wait(at)
        before = self.watching
        self.watching = watch.heard(before, message, at)
        if watch.has_news(before, self.watching) or not before.started:
            yield from self.look(at)

    def wait(self, at: int) -> Iterator[Said]:
        """Let the clock run: readings that come with time alone are said at their own moment."""
        while (due := watch.next_due(self.watching)) is not None and due <= at:
            yield from self.look(due)

    def look(self, at: int, over: bool = False, forced: bool = False) -> Iterator[Said]:
        for _ in range(MOST_ROUNDS):
            self.watching, reading = look(self.watching, self.record, at, over, forced)
            if reading is None:
                return
            changes: tuple[Action, ...] = ()
            try:
                record = self.record
                changes = consequences(self.watching, record, reading)
                for action in changes:
                    record = append(record, action)
            except (IllegalMove, InvalidAction):
                # The referee reads nonsense: a question instead of a stop.
                self.watching = replace(self.watching, offered=None)
                yield at, Unclear(actions=changes)
                return
            self.record = record
            yield at, reading
            if not changes:
                return

    def tap(self, action: Action, at: int) -> Iterator[Said]:
        """Take in an action that was told. What the rules refuse is a reading of its own and changes nothing."""
        yield from self.wait(at)
        if not isinstance(action, Sow | Undo) and self.record.game.turn.phase == "sow":
            yield from self.look(
                at, over=True, forced=True
            )  # another action begins: the move before it is over
        try:
            if isinstance(action, Undo) and not 0 <= action.to < len(self.record.steps):
                raise InvalidAction(f"{len(self.record.steps)} actions stand, not more than {action.to}")
            told = self._instead(action)
            for one in told:
                self.record = append(self.record, one)
        except (IllegalMove, InvalidAction) as error:
            why = f'the rules forbid "{to_text(action)}"' if isinstance(error, IllegalMove) else str(error)
            yield at, Wrong(error.breaches, Remedy(f"Nothing was changed: {why}."))
            return
        if isinstance(action, Undo):
            self.watching = replace(self.watching, restoring=True)
        if isinstance(action, Sow):
            self.watching = replace(self.watching, said=Did(action))
            yield at, Did(action)
        yield from self.look(at)

    def _instead(self, action: Action) -> tuple[Action, ...]:
        """A sowing that is told takes the place of the one that was read in this turn."""
        last = self.watching.open
        seen = last is not None and isinstance(last.action, Sow) and len(self.record.steps) == last.number + 1
        return (Undo(last.number), action) if last and seen and isinstance(action, Sow) else (action,)

    def finish(self) -> Iterator[Said]:
        """The end of the file: all waiting runs out, at the moment of the last line."""
        at = self.watching.at
        if not self.watching.started and not self.watching.evidence.complete(at):
            evidence = self.watching.evidence
            if evidence.began is None:
                return
            self.watching = replace(self.watching, evidence=replace(evidence, began=at - SWEEP_MS))
            yield from self.look(at)
        said = []
        self.watching = replace(self.watching, ending=True)
        for wait in range(500, LAST_WAIT_MS, 500):
            said += [(at, reading) for _, reading in self.look(at + wait)]
        said += [(at, reading) for _, reading in self.look(at + LAST_WAIT_MS, over=True)]
        yield from said


def watched(recorded: Transcript) -> Iterator[Said]:
    """Every reading of a transcript, each with its moment."""
    if recorded.position is None:
        raise TranscriptError(
            "no position: the least is tiles and turn.player; `naqala record --head` copies it from another transcript"
        )
    try:
        game = opening(recorded.position, recorded.tags)
    except BadPosition as error:
        raise _at(recorded.position_line, error) from None
    play = Playback(watch.watcher(recorded.readers, recorded.tags), Record(game))
    for moment in recorded.moments:
        if isinstance(moment.what, Tap):
            yield from play.tap(_action(moment.what, moment.line), moment.at_ms)
        else:
            yield from play.hear(moment.what, moment.at_ms)
    yield from play.finish()


def _action(tap: Tap, line: int) -> Action:
    try:
        return action_from_json(dict(tap.action))
    except InvalidAction as error:
        raise _at(line, error) from None


def _at(line: int, error: Exception) -> TranscriptError:
    return TranscriptError(f"line {line}: {error}" if line else str(error))


def opening(position: Mapping[str, Any], tags: Mapping[str, Piece]) -> Game:
    """The game of a transcript's position. Players it does not list are those named by the turn and by camels."""
    data = dict(position)
    turn, tiles, order = data.get("turn"), data.get("tiles"), data.get("bid_order")
    named = [turn.get("player")] if isinstance(turn, dict) else []
    named += order if isinstance(order, list) else []
    standing = tiles.values() if isinstance(tiles, dict) else ()
    named += [tile.get("camel") for tile in standing if isinstance(tile, dict)]
    listed = data.get("players", [])
    if "players" not in data:  # otherwise a camel that stands nowhere may be of a colour that nobody plays
        named += [piece.which for piece in tags.values() if piece.kind == CAMEL]
    if isinstance(listed, list):
        known = [one.get("name") for one in listed if isinstance(one, dict)]
        more = dict.fromkeys(name for name in named if isinstance(name, str) and name not in known)
        data["players"] = [*listed, *({"name": name} for name in more)]
    return game_from_json(data)
