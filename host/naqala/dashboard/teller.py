"""What the board picture and the card pictures show while somebody tells: a move so far, or the cards that were turned up.

In comes what `view.show` gives and what was told so far (the address carries it); out goes what `fragments/seat-teller.html`
and `fragments/seat-cards.html` draw. The rules judge in `telling` and `rules`; nothing is remembered here.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from typing import Any

from naqala.dashboard import drawing, offers, story
from naqala.dashboard.telling import standing, told
from naqala.rules import events as rule_events
from naqala.rules import notation
from naqala.rules.actions import Sow
from naqala.rules.board import TILES
from naqala.rules.breach import IllegalMove, InvalidAction
from naqala.rules.game import play
from naqala.rules.goods import RESOURCES
from naqala.rules.model import Game

NOTHING_TOLD: dict[str, Any] = {"telling": None, "turned_up": None, "faces": (), "numbers": {}, "moves": ()}


def move(
    shown: dict[str, Any], way: str = "", at: str = "", game: Game | None = None
) -> dict[str, Any] | None:
    """A move told so far; None for an address that makes no sense. With the game, a whole move says what it brings."""
    meeples = [shown["board"][tile]["meeples"] for tile in TILES]
    telling = told(meeples, list(offers.sowing_starts(shown)), way, at)
    if telling is None:
        return None
    after = standing(meeples, telling)
    board = {name: facts | {"meeples": after[name], "mark": None} for name, facts in shown["board"].items()}
    numbers: dict[str, str] = {}
    for number, (tile, _) in enumerate(telling.steps, 1):
        numbers[tile] = f"{numbers[tile]},{number}" if tile in numbers else str(number)
    moves = [Sow(str(shown["me"]), telling.start, way) for way in telling.ways] if telling.whole else []
    return {
        "telling": telling,
        "faces": drawing.tiles(board),
        "numbers": numbers,
        "moves": [
            {
                "drops": sow.drops,
                "action": notation.to_json(sow),
                "brings": _foreseen(game, sow) if game else "",
            }
            for sow in moves
        ],
    }


def _foreseen(game: Game, sow: Sow) -> str:
    """What a move brings, in the words of the log: what is collected, the tile that is won, the cards."""
    try:
        after, happened = play(game, sow)
    except (IllegalMove, InvalidAction):
        return ""
    events = [rule_events.to_json(event) for event in happened]
    line = {"kind": "action", "do": "sow", "player": sow.player, "events": events, "points": {}}
    said = story.tell(line)
    kind = after.tile(sow.drops[-1][0]).type
    return f"{said} {story.then_the_tile(sow.drops[-1][0], kind)}" if kind else said


def asked_cards(shown: dict[str, Any]) -> dict[str, int]:
    """How many cards and djinns have to be told now, by their field."""
    for choice in shown["choices"]:
        if choice["do"] == "reveal":
            return {ask["field"]: ask["count"] for ask in choice["asks"]}
    return {}


def cards(
    shown: dict[str, Any], row: Sequence[str] = (), djinns: Sequence[str] = ()
) -> dict[str, Any] | None:
    """The cards turned up, told so far; None when none are asked for, or when they make no sense."""
    asked = asked_cards(shown)
    if not asked:
        return None
    wanted = asked.get("row", 0), asked.get("djinns", 0)
    unseen = Counter(shown["unseen"]["cards"])
    left = unseen - Counter(row)
    spirits = [name for name in shown["unseen"]["djinns"] if name not in djinns]
    known = not (Counter(row) - unseen) and set(djinns) <= set(shown["unseen"]["djinns"])
    if not known or len(row) > wanted[0] or len(djinns) > wanted[1] or len(set(djinns)) < len(djinns):
        return None
    return {
        "turned_up": {
            "row": list(row),
            "djinns": list(djinns),
            "cards_wanted": wanted[0],
            "djinns_wanted": wanted[1],
            "cards": [(name, left[name]) for name in RESOURCES],
            "spirits": spirits,
            "whole": (len(row), len(djinns)) == wanted,
            "action": {"do": "reveal", "row": list(row), "djinns": list(djinns)},
        }
    }


def begun(shown: dict[str, Any]) -> dict[str, Any]:
    """Where nothing was told yet: the picture to begin with, for who is to tell something at a board without readers, and the
    cards wherever real ones are turned up."""
    found = dict(NOTHING_TOLD)
    if not shown.get("turn") or not shown["me"]:
        return found
    if shown["evidence"] == "phones" and offers.sowing_starts(shown):
        found |= move(shown) or {}
    return found | (cards(shown) or {})
