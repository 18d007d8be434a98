"""Builders and assassins: what builders earn, whom assassins may kill. The other three tribes need no decision."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator
from itertools import combinations

from naqala.rules import djinns
from naqala.rules.actions import Kill, Victim
from naqala.rules.board import ELDER, NUMBER, TILES, VIZIER, distance
from naqala.rules.breach import Breach
from naqala.rules.model import Game, Player
from naqala.rules.tiles import blue_around


def builder_gold(game: Game, fakirs: int) -> int:
    """(builders + fakirs) x blue tiles around the end tile, doubled where a djinn was paid for it."""
    assert game.turn.tile is not None
    workers = len(game.turn.collected) + fakirs
    return workers * blue_around(game, game.turn.tile) * djinns.builder_factor(game.turn)


def held_meeples(player: Player) -> str:
    """Viziers and elders in front of a player."""
    return VIZIER * player.viziers + ELDER * player.elders


def exposed(player: Player) -> str:
    """The held meeples that assassins may take."""
    return "".join(meeple for meeple in held_meeples(player) if not djinns.protected(player, meeple))


def in_reach(game: Game, fakirs: int) -> tuple[str, ...]:
    """Tiles with meeples no farther from the end tile than assassins and fakirs."""
    assert game.turn.tile is not None
    reach = len(game.turn.collected) + fakirs
    return tuple(
        name for name in TILES if game.tiles[NUMBER[name]].meeples and distance(game.turn.tile, name) <= reach
    )


def someone_can_die(game: Game, killer: str, fakirs: int) -> bool:
    """Whether there is any legal victim with so many fakirs discarded."""
    return any(exposed(player) for player in game.opponents(killer)) or bool(in_reach(game, fakirs))


def groups(game: Game, killer: str, fakirs: int) -> Iterator[tuple[Victim, ...]]:
    """Every legal choice of victims: all on one tile, or all held by one opponent."""
    at_once = djinns.victims_at_once(game.turn)
    for tile in in_reach(game, fakirs):
        there = game.tile(tile).meeples
        for chosen in sorted(set(combinations(there, min(at_once, len(there))))):
            yield tuple(Victim(meeple, tile=tile) for meeple in chosen)
    for player in game.opponents(killer):
        there = exposed(player)
        for chosen in sorted(set(combinations(there, min(at_once, len(there))))) if there else ():
            yield tuple(Victim(meeple, player=player.name) for meeple in chosen)


def kills_within_reach(game: Game, action: Kill) -> Iterator[Breach]:
    """The victims stand within reach on one tile, or are held by one opponent, as many as can and must die."""
    rule = "kills_within_reach"
    if not action.victims:
        if someone_can_die(game, action.player, action.fakirs):
            yield Breach(rule, tiles=in_reach(game, action.fakirs), details=(("victims", 0),))
        return
    places = {(victim.tile, victim.player) for victim in action.victims}
    tiles = tuple(sorted({victim.tile for victim in action.victims if victim.tile}))
    if len(places) > 1:
        yield Breach(rule, tiles=tiles, details=(("places", len(places)),))
    for tile in tiles:
        if tile not in in_reach(game, action.fakirs):
            reach = len(game.turn.collected) + action.fakirs
            yield Breach(rule, tiles=(tile,), details=(("reach", reach),))
    for (spot, owner), meeples in _by_place(action).items():
        there = game.tile(spot).meeples if spot else held_meeples(game.player(str(owner)))
        where = (spot,) if spot else ()
        for meeple in Counter(meeples) - Counter(there):
            yield Breach(rule, tiles=where, details=(("missing", meeple),))
        # Whom a protection spares is the other rule's business: here everybody counts who is there.
        must = min(djinns.victims_at_once(game.turn), max(1, len(there)))
        if len(places) == 1 and len(meeples) != must:
            details = (("must_die", must), ("victims", len(meeples)))
            yield Breach(rule, tiles=where, details=details)
    if any(victim.player == action.player for victim in action.victims):
        yield Breach(rule, details=(("player", action.player),))


def spares_the_protected(game: Game, action: Kill) -> Iterator[Breach]:
    """Held meeples under a djinn's protection can't be killed."""
    for victim in action.victims:
        if victim.player and djinns.protected(game.player(victim.player), victim.meeple):
            yield Breach("spares_the_protected", details=(("player", victim.player),))
            return


def _by_place(action: Kill) -> dict[tuple[str | None, str | None], str]:
    found: dict[tuple[str | None, str | None], str] = {}
    for victim in action.victims:
        place = (victim.tile, victim.player)
        found[place] = found.get(place, "") + victim.meeple
    return found
