"""Which cards may still turn up, as far as this viewer can know: the box less what lies open and what is in one's own hand.

Part of the gate in `view`. What others hold is not taken off: it would tell their hands. Djinns lie open, so theirs is exact.
"""

from __future__ import annotations

from collections import Counter
from typing import Any

from naqala.dashboard.viewers import Viewer
from naqala.rules import piles
from naqala.rules.goods import FAKIR, RESOURCES
from naqala.rules.model import Game


def unseen(game: Game, viewer: Viewer) -> dict[str, Any]:
    """Cards by name with how many, and the djinns of the pile. When a pile does not reach, its discards are shuffled in."""
    open_hands = game.switch("hand_visibility") == "public"
    known = Counter(game.row)
    for player in game.players:
        if open_hands or player.name == viewer.name:
            known.update(player.goods)
            known[FAKIR] += player.fakirs
    cards, spirits = piles.missing(game)
    if piles.pile(game, piles.RESOURCE_PILE).total() >= cards:
        known.update(game.discards)
    djinns = piles.pile(game, piles.DJINN_PILE)
    if djinns.total() < spirits:
        djinns += Counter(game.djinn_discards)
    return {"cards": dict(Counter(RESOURCES) - known), "djinns": sorted(djinns)}
