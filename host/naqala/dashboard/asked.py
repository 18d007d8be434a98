"""What is asked of whom: a part of the gate in `view`, and reached through it alone.

What somebody asks of all the others is for everybody to see. How something was paid is asked of its player: the cards it was paid
with are nobody else's business, nor which ways of paying there are.
"""

from __future__ import annotations

from typing import Any

from naqala.dashboard.viewers import Viewer
from naqala.rules import notation
from naqala.rules.actions import Action
from naqala.rules.breach import IllegalMove, InvalidAction
from naqala.rules.game import play
from naqala.rules.model import Game
from naqala.session.snapshot import Question, Snapshot, TileChange


def asked(asked: Question | None) -> dict[str, Any] | None:
    """What somebody asks of the others. The actions are left out: what would change is said, and nothing else."""
    if asked is None:
        return None
    return {
        "number": asked.number,
        "by": asked.by,
        "kind": asked.kind,
        "to": asked.to,
        "tile": asked.about[:2],
        "tiles": [_before_and_after(change) for change in asked.tiles],
        "points": dict(asked.points),
        "agreed": list(asked.agreed),
        "waiting_for": list(asked.waiting_for),
    }


def _before_and_after(change: TileChange) -> dict[str, Any]:
    return {
        word: {
            "tile": change.tile,
            "meeples": change.meeples[place],
            "camel": change.camel[place],
            "palms": change.palms[place],
            "palaces": change.palaces[place],
        }
        for place, word in enumerate(("before", "after"))
    }


def undo_asked(asked: Question | None) -> dict[str, Any] | None:
    """The same of an undo, in the words that other programs know."""
    if asked is None or asked.kind != "undo":
        return None
    return {
        "by": asked.by,
        "to": asked.to,
        "agreed": list(asked.agreed),
        "waiting_for": list(asked.waiting_for),
    }


def ways_of_paying(snapshot: Snapshot, viewer: Viewer) -> list[dict[str, Any]]:
    """The actions that a question lists, each with the number by which it is chosen: `option`.

    They are paid with cards that nobody else sees. So the player who acts reads those that the hand can pay; the host, who
    answers for players without a phone, reads all that may be supposed; the others read nothing but whose decision it is.
    """
    reading, game = snapshot.reading, snapshot.game
    actions = getattr(reading, "actions", ())
    if not actions or game is None:
        return []
    mine = viewer.name == game.turn.player
    if not mine and not (viewer.owner and viewer.name is None):
        return []
    first = len(reading.options)  # moves are listed before them, and are on the table for everybody to see
    return [
        notation.to_json(action) | {"option": number}
        for number, action in enumerate(actions, first)
        if not mine or _payable(game, action)
    ]


def _payable(game: Game, action: Action) -> bool:
    """Whether the rules allow it with what the player really holds; a card that is still to be drawn does not matter."""
    try:
        play(game, action)
    except IllegalMove:
        return False
    except InvalidAction:
        return True
    return True
