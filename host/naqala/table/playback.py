"""A whole transcript through the follower: what `naqala watch` prints, what tests and bug reports run.

In: a `Transcript`. Out: every reading with its moment. TranscriptError names the line: no position, a bad position, a tap
that is no action.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any

from naqala.rules.actions import Action
from naqala.rules.breach import InvalidAction
from naqala.rules.model import Game
from naqala.rules.notation import from_json as action_from_json
from naqala.rules.position import from_json as game_from_json
from naqala.rules.reading import BadPosition
from naqala.table.pieces import CAMEL
from naqala.table.watch import Said, finish, follow, tapped, watcher
from naqala.transcript import Piece, Tap, Transcript, TranscriptError


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
    watching = watcher(game, recorded.readers, recorded.tags)
    for moment in recorded.moments:
        if isinstance(moment.what, Tap):
            watching, said = tapped(watching, _action(moment.what, moment.line), moment.at_ms)
        else:
            watching, said = follow(watching, moment.what, moment.at_ms)
        yield from said
    yield from finish(watching)[1]


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
