"""Small positions for tests: only what matters is said, the rest is an opening's. `C3="RRB"` are meeples on a tile."""

from __future__ import annotations

from typing import Any

import pytest
from naqala.rules import IllegalMove, InvalidAction, notation, play, position
from naqala.rules import events as e
from naqala.rules.model import Game

NAMES = ("Ann", "Bob", "Cy", "Dee")
Tiles = dict[str, Any]


def table(tiles: Tiles | None = None, *, players: int = 3, phase: str = "sow", **more: Any) -> Game:
    """Ann's turn at a table of so many; `ann={...}`, `bob={...}` are what they hold, `turn={...}` what it owes."""
    seats = [{"name": name} | more.pop(name.lower(), {}) for name in NAMES[:players]]
    board = {
        name: {"meeples": tile} if isinstance(tile, str) else tile for name, tile in (tiles or {}).items()
    }
    turn = {"player": None if phase in ("bid", "reveal", "over") else "Ann", "phase": phase} | more.pop(
        "turn", {}
    )
    return position.from_json({"tiles": board, "players": seats, "turn": turn} | more)


def done(game: Game, *lines: str) -> Game:
    """The game after these actions."""
    for line in lines:
        game, _ = play(game, notation.from_text(line))
    return game


def told(game: Game, line: str) -> tuple[e.Event, ...]:
    """What one action brings about."""
    return play(game, notation.from_text(line))[1]


def gold(game: Game, line: str) -> dict[tuple[str, str], int]:
    """Gold that one action moves, by player and cause."""
    found: dict[tuple[str, str], int] = {}
    for event in told(game, line):
        if isinstance(event, e.GoldMoved):
            key = (event.player, event.cause)
            found[key] = found.get(key, 0) + event.amount
    return found


def broken(game: Game, line: str) -> list[str]:
    """The rules an action breaks, all of them; it must be refused."""
    with pytest.raises(IllegalMove) as refused:
        play(game, notation.from_text(line))
    return [breach.rule for breach in refused.value.breaches]


def invalid(game: Game, line: str) -> str:
    """Why an action is out of place; it must be refused."""
    with pytest.raises(InvalidAction) as refused:
        play(game, notation.from_text(line))
    return str(refused.value)
