"""What hands do in a turn besides sowing, taken from the events of the rules: no djinn and no tile is named here.

In: what an action brought about (`rules.events`). Out: motions. A camel that marks control, a palm or palace however it came,
victims, meeples out of the bag, elders that are paid. A djinn that puts something new on the board needs no change here, as
long as its event is one of these.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable
from typing import Any

from naqala.hands.people import Person
from naqala.hands.table import BAG, SUPPLY, Motion, Pieces, before, beside
from naqala.rules import events as e
from naqala.rules.actions import Action, Kill, Place, Sow
from naqala.rules.board import ELDER, NUMBER, distance
from naqala.rules.model import Game
from naqala.transcript import Piece


def is_seen(game: Game, action: Action) -> bool:
    """Whether the table alone tells the whole action, so that people do not tap it: sowings, what a tile asks for, and
    victims on a tile that need no fakir and bring no card."""
    if isinstance(action, Kill):
        reach = len(game.turn.collected)
        tiles = [victim.tile for victim in action.victims]
        near = all(tile and distance(str(game.turn.tile), tile) <= reach for tile in tiles)
        return bool(tiles) and near and not action.card and not action.fakirs
    return isinstance(action, Sow | Place)


def motions(table: Pieces, person: Person, happened: Iterable[e.Event]) -> list[Motion]:
    """What hands do about these events, in their order. Events of a sowing's own drops are not among them."""
    made: list[Motion] = []
    used: set[str] = set()
    for event in happened:
        handle = _HANDLES.get(type(event))
        if handle:
            for piece, of, to in handle(event):
                tag = _pick(table, piece, of, used)
                used.add(tag)
                made.append(Motion(person.between(person.pace.grab), (tag,), to))
    return made


def _pick(table: Pieces, piece: Piece, of: str, used: set[str]) -> str:
    there = table.at(of, piece.kind, piece.which)
    return next(tag for tag in (*there, *beside(table, piece)) if tag not in used)


Handled = list[tuple[Piece, str, str]]  # a piece, where it is taken from, where it goes


def _controlled(event: e.Controlled) -> Handled:
    return [(Piece("camel", event.player), before(event.player), event.tile)]


def _placed(event: e.Placed) -> Handled:
    return [(Piece(event.what), SUPPLY, event.tile)]


def _struck(event: e.Killed | e.Kept) -> Handled:
    to = before(event.player) if isinstance(event, e.Kept) else BAG
    return [(Piece("meeple", event.meeple), event.tile or before(str(event.of)), to)]


def _arrived(event: e.MeeplesArrived) -> Handled:
    return [(Piece("meeple", letter), BAG, event.tile) for letter in event.meeples]


def _spent(event: e.Spent) -> Handled:
    return [(Piece("meeple", ELDER), before(event.player), BAG)] * event.elders


_HANDLES: dict[type, Callable[[Any], Handled]] = {
    e.Controlled: _controlled,
    e.Placed: _placed,
    e.Killed: _struck,
    e.Kept: _struck,
    e.MeeplesArrived: _arrived,
    e.Spent: _spent,
}


def on_the_board(made: Iterable[Motion], table: Pieces) -> bool:
    """Whether any of these motions touches the board, so that a reader can see it."""
    return any(motion.spot in NUMBER or any(table.where(t) in NUMBER for t in motion.tags) for motion in made)
