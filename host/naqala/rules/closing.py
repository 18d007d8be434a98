"""Comparing a game with a position somebody wrote down, such as the closing position of a record."""

from __future__ import annotations

from typing import Any

from naqala.rules.board import TRIBES
from naqala.rules.model import Game, in_tribe_order
from naqala.rules.position import to_json
from naqala.rules.reading import BadPosition, shown

# What is compared: the board, hands, rows, bag, discards and whose turn it is. How rounds are counted and in which form
# markers are written is each program's own.
WHOLE = ("bag", "row", "djinn_row", "supply", "discards", "djinn_discards", "ending")
PARTS: dict[str, Any] = {"turn": {}, "tiles": {}, "players": []}


def differences(game: Game, written: Any) -> list[str]:
    """Where a written position differs from the game. Only keys that were written are compared."""
    if not isinstance(written, dict):
        raise BadPosition(f"position: expected an object, not {shown(written)}")
    ours = to_json(game)
    found: list[str] = []
    for key in WHOLE:
        if key in written:
            _compare(key, ours.get(key), written[key], found)
    turn, tiles, players = (written.get(key) or empty for key, empty in PARTS.items())
    if not isinstance(turn, dict) or not isinstance(tiles, dict) or not isinstance(players, list):
        raise BadPosition("position: turn and tiles are objects and players a list")
    if "phase" in turn:
        over, theirs = game.turn.phase == "over", turn["phase"] == "over"
        _compare("the game's being over", over, theirs, found)
    if game.turn.player is not None and turn.get("player") is not None:
        _compare("turn.player", game.turn.player, turn["player"], found)
    for name, tile in tiles.items():
        _compare_parts(name, ours["tiles"].get(name), tile, found)
    seats = {player["name"]: player for player in ours["players"]}
    for player in players:
        name = player.get("name") if isinstance(player, dict) else player
        _compare_parts(str(name), seats.get(name) if isinstance(name, str) else None, player, found)
    return found


def _compare_parts(where: str, ours: Any, theirs: Any, found: list[str]) -> None:
    if ours is None or not isinstance(theirs, dict):
        found.append(f"{shown(where)} is not in the game")
        return
    for key, value in ours.items():
        if key in theirs and key != "used":
            _compare(f"{where}.{key}", value, theirs[key], found)


def _compare(where: str, ours: Any, theirs: Any, found: list[str]) -> None:
    key = where.rpartition(".")[2]
    if _plain(key, ours) != _plain(key, theirs):
        found.append(f"{where} is {shown(ours)}, written {shown(theirs)}")


def _plain(key: str, value: Any) -> Any:
    """A value without what does not matter: the order of meeples and djinns, cards of which there are none."""
    if isinstance(value, str) and key in ("meeples", "bag"):
        return in_tribe_order(value) if set(value) <= set(TRIBES) else value
    if isinstance(value, list) and key in ("djinns", "djinn_discards"):
        return sorted(map(str, value))
    if isinstance(value, dict):
        return {name: count for name, count in value.items() if count}
    return value
