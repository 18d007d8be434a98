"""The table is right: tiles take over what lies there, in any phase, and the record says so.

Nothing appears from nowhere: meeples come from the bag and go to it, camels from and to their players, palms and palaces
from and to the supply. What that does not allow is refused.
"""

from __future__ import annotations

from collections import Counter

from naqala.rules import events as e
from naqala.rules.actions import Correct, Standing
from naqala.rules.breach import InvalidAction
from naqala.rules.model import Game, Tile, in_tribe_order
from naqala.rules.telling import Telling


def correct(game: Game, action: Correct) -> tuple[Game, tuple[e.Event, ...]]:
    """The game with these tiles as they are said to be, and what changed on each: first what it loses, then what it gains,
    so that a piece that went from one tile to another passes through the bag, its player's hand or the supply."""
    if len({standing.tile for standing in action.tiles}) != len(action.tiles):
        raise InvalidAction("a tile is corrected once at a time")
    telling = Telling(game)
    for standing in action.tiles:
        _take_over(telling, _shared(game.tile(standing.tile), standing))
    for standing in action.tiles:
        event = _as_said(standing)
        _possible(telling.game, event)
        _take_over(telling, event)
    for before, now in zip(game.players, telling.game.players, strict=True):
        if before.camels and not now.camels:
            telling.end_is_near("last_camel", now.name)
    return telling.game, tuple(telling.events)


def _as_said(standing: Standing) -> e.Corrected:
    meeples = in_tribe_order(standing.meeples)
    return e.Corrected(standing.tile, meeples, standing.camel, standing.palms, standing.palaces)


def _shared(old: Tile, standing: Standing) -> e.Corrected:
    """What stood on the tile and still stands there."""
    meeples = "".join((Counter(old.meeples) & Counter(standing.meeples)).elements())
    return e.Corrected(
        standing.tile,
        in_tribe_order(meeples),
        old.camel if old.camel == standing.camel else None,
        min(old.palms, standing.palms),
        min(old.palaces, standing.palaces),
    )


def _take_over(telling: Telling, event: e.Corrected) -> None:
    old = telling.game.tile(event.tile)
    if event != e.Corrected(event.tile, old.meeples, old.camel, old.palms, old.palaces):
        telling.tell(event)


def _possible(game: Game, event: e.Corrected) -> None:
    old = game.tile(event.tile)
    short = Counter(event.meeples) - Counter(old.meeples + game.bag)
    if short:
        letters = in_tribe_order("".join(short.elements()))
        raise InvalidAction(
            f"{event.tile}: there are no further meeples {letters}, in the bag or on the tile"
        )
    if event.camel is not None and event.camel != old.camel:
        if event.camel not in [player.name for player in game.players]:
            raise InvalidAction(f"{event.tile}: nobody is called {event.camel!r}")
        if not game.player(event.camel).camels:
            raise InvalidAction(f"{event.tile}: {event.camel} has no camel left")
    for what, more in (("palm", event.palms - old.palms), ("palace", event.palaces - old.palaces)):
        if more > game.supply(what):
            raise InvalidAction(f"{event.tile}: the supply holds {game.supply(what)} {what}s")
