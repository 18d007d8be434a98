"""Meeples that move while no sowing is due: victims of assassins, hands out of turn, pieces that lie on their side.

In: a `Rest`. Out: claims. A victim that was taken and one that is only not read look alike at first; which it is shows with
time, and sooner when the camel of the same tile is not read either.
"""

from __future__ import annotations

import math
from collections.abc import Iterator

from naqala.rules.actions import Kill, Victim
from naqala.rules.board import TILES
from naqala.rules.breach import Breach
from naqala.rules.model import Game
from naqala.table import remedy
from naqala.table.claim import Claim, Rest, counted, did_or_ask, flag, legal
from naqala.table.noise import FREE, Cost
from naqala.table.pieces import MEEPLE
from naqala.table.readings import Unclear, Wrong
from naqala.table.remedy import Surplus
from naqala.table.tracks import Track

EARLIER_MS = 3000  # a victim may be taken so long before the move that allows it was read


def meeples_out_of_place(rest: Rest) -> Iterator[Claim]:
    """Victims, and hands out of turn."""
    meeples = [t for t in rest.moved if t.piece.kind == MEEPLE and t.home is not None and not t.back]
    gone = [t for t in meeples if not t.places and t.home not in rest.noise.silent and t.left is not None]
    carried = [t for t in meeples if t.places and t.places[-1].tile not in rest.noise.silent]
    struck = [t for t in gone if rest.game.turn.phase == "kill" and (t.left or 0) >= rest.since - EARLIER_MS]
    other = [t for t in gone if t not in struck]
    if struck:
        yield from _victims(rest, struck)
    if other:
        yield _missing(rest, other)
    if carried:
        yield _carried(rest, carried, gone)


def _victims(rest: Rest, gone: list[Track]) -> Iterator[Claim]:
    """Meeples gone while a kill is due: all of them, or one of them while the others are only not read."""
    prices, game = rest.noise.prices, rest.game
    player, whole = str(game.turn.player), rest.absence(gone)
    best: tuple[float, Claim] | None = None
    for group in [gone, *([track] for track in gone)] if len(gone) > 1 else [gone]:
        victims = tuple(
            Victim(track.piece.which, tile=str(track.home))
            for track in sorted(group, key=lambda t: (str(t.home), t.piece.which))
        )
        fewest = range(game.player(player).fakirs + 1)
        allowed, _ = legal(game, (Kill(player, victims, fakirs) for fakirs in fewest))
        gap = rest.absence(group)
        if not allowed:
            continue
        price = prices.victim + (prices.untold if allowed[0].fakirs else 0.0)  # type: ignore[union-attr]
        price += prices.victim_first if rest.group else 0.0
        total = whole.price - gap.price + price
        if best is None or total < best[0]:
            # That all were struck, against the rules, is a rival of every smaller group.
            rival = Cost(prices.bad_victim - total + price) if group is not gone else gap
            best = total, did_or_ask(allowed[:1], min(gap, rival), price, rest.noise, group)
    if best is not None:
        yield best[1]
        if len(gone) == 1 or best[1].tracks == tuple(gone):
            return
    victims = tuple(Victim(track.piece.which, tile=str(track.home)) for track in gone)
    _, refused = legal(game, [Kill(player, victims)])
    if refused:
        way = remedy.of_difference(counted(gone))
        slip = whole if best is None else Cost(min(whole.price, best[0]), whole.rate)
        yield flag(Wrong(refused, way), slip, prices.bad_victim, rest.noise)
    elif best is None:  # only a drawn card is missing (Kandicha): it is told, not seen
        asked = Unclear(actions=(Kill(player, victims),))
        yield Claim(asked, whole.price - prices.victim, whole.rate, prices.sure_of_a_move, tuple(gone))


def _missing(rest: Rest, gone: list[Track]) -> Claim:
    """Meeples that are read nowhere: a whole tile was lifted out of turn, or they lie on their side."""
    slip, surplus = rest.absence(gone), counted(gone)
    for tile in {str(track.home) for track in gone}:
        there = rest.game.tile(tile).meeples
        if len(there) > 1 and sum(track.home == tile for track in gone) == len(there):
            return flag(_out_of_turn(rest.game, surplus), slip, rest.noise.prices.out_of_turn, rest.noise)
    return flag(Wrong((), remedy.of_difference(surplus)), slip, rest.noise.prices.unasked, rest.noise)


def _carried(rest: Rest, carried: list[Track], gone: list[Track]) -> Claim:
    """Meeples were moved from tile to tile although no sowing is due."""
    slip, surplus = FREE, counted([*carried, *gone])
    for track in carried:
        slip = slip.plus(min(rest.slip(track), _struck_and_read(rest, track)))
        key = (track.places[-1].tile, track.piece)
        surplus[key] = surplus.get(key, 0) + 1
    return flag(_out_of_turn(rest.game, surplus), slip, rest.noise.prices.out_of_turn, rest.noise)


def _struck_and_read(rest: Rest, track: Track) -> Cost:
    """A victim that was taken off the board and is read from beside it."""
    kill = Kill(str(rest.game.turn.player), (Victim(track.piece.which, tile=str(track.home)),))
    if rest.game.turn.phase != "kill" or not legal(rest.game, [kill])[0]:
        return Cost(math.inf)
    return rest.noise.ghost(track.places[-1]).plus(Cost(rest.noise.prices.victim))


def _out_of_turn(game: Game, changed: Surplus) -> Wrong:
    tiles = tuple(sorted({tile for tile, _ in changed}, key=TILES.index))
    details = (("phase", game.turn.phase), ("player", game.turn.player))
    breach = Breach("plays_in_turn", tiles=tiles, details=details)
    return Wrong((breach,), remedy.of_difference(changed))
