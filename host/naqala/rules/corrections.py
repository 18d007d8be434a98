"""The table is right: tiles take over what lies there, in any phase, and the record says so.

Nothing appears from nowhere: meeples come from the bag and go to it, camels from and to their players, palms and palaces
from and to the supply. What that does not allow is refused.
"""

from __future__ import annotations

from collections import Counter

from naqala.rules import events as e
from naqala.rules.actions import Correct
from naqala.rules.breach import InvalidAction
from naqala.rules.evolve import evolve
from naqala.rules.model import Game, in_tribe_order


def correct(game: Game, action: Correct) -> tuple[Game, tuple[e.Event, ...]]:
    """The game with these tiles as they are said to be, and an event for each that changed."""
    if len({standing.tile for standing in action.tiles}) != len(action.tiles):
        raise InvalidAction("a tile is corrected once at a time")
    events: list[e.Event] = []
    # Tiles that lose something come first, so that a meeple that went from one tile to another passes through the bag.
    order = sorted(action.tiles, key=lambda s: len(s.meeples) - len(game.tile(s.tile).meeples))
    for standing in order:
        event = e.Corrected(
            standing.tile, in_tribe_order(standing.meeples), standing.camel, standing.palms, standing.palaces
        )
        _possible(game, event)
        events.append(event)
        game = evolve(game, event)
    return game, tuple(events)


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
