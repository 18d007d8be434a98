"""A quick estimate: for every tile on which a sowing can end, about how many points that turn brings to one player.

A whole turn is searched in `turns.py`; that takes milliseconds for each sowing. An estimate of the whole board takes a
fraction of one, so it says which sowings are worth a search, what is left to the players who come after, and what a place
in the turn order is worth. It rests on one observation: what a turn brings depends on the end tile, the colour and how many
are collected, hardly on where the hand started.

Everything that does not change while sowings are compared (what a vizier, a card, a djinn, a tile adds to this player's
expected points) is worked out once, in an `Estimator`, by asking the evaluation.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import replace
from itertools import combinations

from naqala.robots.evaluation import worth
from naqala.robots.features import Holding, holdings, turns_left
from naqala.robots.weights import Weights
from naqala.rules import djinns
from naqala.rules.board import ASSASSIN, BUILDER, ELDER, MERCHANT, TILES, TRIBES, VIZIER, distance
from naqala.rules.goods import FAKIR, in_order
from naqala.rules.model import PALACE, PALM, Game, Player
from naqala.rules.scoring import PRINTED
from naqala.rules.tiles import NO_TYPE, TILE_TYPES, TileType, blue_around, kind_of
from naqala.rules.walks import reach

Gain = tuple[float, int, str]  # points, number of the end tile, colour collected

MOST = 9  # more meeples of a colour than that are not told apart
# Tiles no farther from a tile than so many steps, as bits: where assassins reach.
_WITHIN: tuple[tuple[int, ...], ...] = tuple(
    tuple(
        sum(1 << number for number, other in enumerate(TILES) if distance(tile, other) <= steps)
        for steps in range(MOST + 2)
    )
    for tile in TILES
)


def held_bits(meeples: Sequence[str]) -> dict[str, int]:
    """Per colour the tiles on which one lies, as bits."""
    found = dict.fromkeys(TRIBES, 0)
    bit = 1
    for there in meeples:
        for colour in there:
            found[colour] |= bit
        bit <<= 1
    return found


def ends_per_start(meeples: Sequence[str]) -> list[tuple[int, str, int]]:
    """(start, colour, end tiles as bits) of all legal sowings."""
    held = held_bits(meeples)
    found = []
    for start, hand in enumerate(meeples):
        if hand:
            ends, returns = reach(len(hand))
            away = ~(1 << start)
            for colour in set(hand):
                met = held[colour] & away & ends[start]
                if hand.count(colour) > 1:
                    met |= returns[start]
                if met:
                    found.append((start, colour, met))
    return found


def free_tiles(game: Game) -> int:
    """The tiles without a camel, as bits."""
    return sum(1 << number for number, tile in enumerate(game.tiles) if tile.camel is None)


class Estimator:
    """What things are worth to one player of a game, and what a board offers to that player."""

    def __init__(self, game: Game, name: str, weights: Weights) -> None:
        self.name = name
        self._weights = weights
        turns = turns_left(game, weights.pace)
        turns[name] = max(1.0, turns[name])  # the turn that is looked at is this player's
        self._all = holdings(game, turns)
        self._me = next(held for held in self._all if held.player.name == name)
        self._now = worth(self._me, weights)
        self._share = 1 / max(1, len(self._all) - 1)
        player = self._me.player
        self.camels = player.camels
        self.free = free_tiles(game)
        self.own = sum(1 << number for number, tile in enumerate(game.tiles) if tile.camel == name)
        self._viziers = self._taking(lambda n: replace(player, viziers=player.viziers + n))
        self._elders = self._taking(lambda n: replace(player, elders=player.elders + n))
        self._cards = self._taking(lambda n: with_cards(player, game.row[:n]))
        self._blue = [blue_around(game, tile) for tile in TILES]
        self._fakirs = player.fakirs
        self._fakir = (
            self._added(player) - self._added(replace(player, fakirs=player.fakirs - 1))
            if player.fakirs
            else 0.0
        )
        self._held_victim = max([0.0, *self._victims()])
        self._control = [self._controlling(game, number) for number in range(len(TILES))]
        by_kind = {kind: self._offer(game, kind) for kind in {kind_of(game, tile).name for tile in TILES}}
        self._offers = [by_kind[kind_of(game, tile).name] for tile in TILES]

    # --- what things are worth --------------------------------------------------------------------------------

    def _added(self, player: Player) -> float:
        """Points more than now with these holdings in the hand, the rivals' tens for viziers included."""
        total = worth(_of(self._me, player), self._weights) - self._now
        if player.viziers != self._me.player.viziers:
            seat = self._all.index(self._me)
            for held in self._all:
                if held is not self._me:
                    mine = seat if self._all.index(held) > seat else seat - 1
                    rivals = (*held.rivals[:mine], player.viziers, *held.rivals[mine + 1 :])
                    changed = replace(held, rivals=rivals)
                    lost = worth(held, self._weights) - worth(changed, self._weights)
                    total += self._share * lost
        return total

    def _taking(self, taken: Callable[[int], Player]) -> list[float]:
        return [self._added(taken(count)) if count else 0.0 for count in range(MOST + 1)]

    def _victims(self) -> list[float]:
        """What killing a vizier or elder in front of each rival is worth."""
        found = []
        for seat, held in enumerate(self._all):
            player = held.player
            if held is self._me:
                continue
            for meeple, count in ((VIZIER, player.viziers), (ELDER, player.elders)):
                if not count or djinns.protected(player, meeple):
                    continue
                fewer = (
                    replace(player, viziers=count - 1)
                    if meeple == VIZIER
                    else replace(player, elders=count - 1)
                )
                gain = self._share * (worth(held, self._weights) - worth(_of(held, fewer), self._weights))
                if meeple == VIZIER:
                    place = seat if seat < self._all.index(self._me) else seat - 1
                    rivals = (*self._me.rivals[:place], count - 1, *self._me.rivals[place + 1 :])
                    gain += worth(replace(self._me, rivals=rivals), self._weights) - self._now
                found.append(gain)
        return found

    def _controlling(self, game: Game, number: int) -> float:
        tile = game.tiles[number]
        if tile.camel is not None or not self.camels:
            return 0.0
        player = replace(self._me.player, camels=self.camels - 1)
        held = replace(
            self._me,
            player=player,
            tiles=self._me.tiles + tile.points,
            palms=self._me.palms + tile.palms,
            palaces=self._me.palaces + tile.palaces,
            oases=self._me.oases + (tile.type == "oasis" and game.palms > 0),
            villages=self._me.villages + (tile.type == "village" and game.palaces > 0),
        )
        return worth(held, self._weights) - self._now

    def _offer(self, game: Game, name: str) -> tuple[str, list[float]]:
        """What a kind of tile asks or offers: "place" with its points on an own tile, or "take" by elders just collected."""
        kind, player = TILE_TYPES.get(name, NO_TYPE), self._me.player
        if kind.places:
            left = game.palms if kind.places == PALM else game.palaces
            what = PALM if kind.places == PALM else PALACE
            return "place", [float(djinns.worth(player, what, PRINTED[what])) if left else 0.0]
        if kind.price and kind.price <= player.gold:
            return "take", [self._best_purchase(game, kind)] * (MOST + 1)
        if kind.summons:
            return "take", self._summons(game)
        return "take", [0.0] * (MOST + 1)

    def _best_purchase(self, game: Game, market: TileType) -> float:
        player = replace(self._me.player, gold=self._me.player.gold - market.price)
        bundles = set(combinations(game.row[: market.first], min(market.takes, len(game.row))))
        return max([0.0, *(self._added(with_cards(player, cards)) for cards in bundles if cards)])

    def _summons(self, game: Game) -> list[float]:
        player = self._me.player
        best = max(
            [0.0, *(self._added(replace(player, djinns=(*player.djinns, one))) for one in game.djinn_row)]
        )
        found = []
        for more in range(MOST + 1):
            rich = replace(player, elders=player.elders + more)
            costs = [
                self._added(rich) - self._added(replace(rich, elders=rich.elders - e, fakirs=rich.fakirs - f))
                for e, f in djinns.TO_SUMMON
                if e <= rich.elders and f <= rich.fakirs
            ]
            found.append(max(0.0, best - min(costs)) if costs else 0.0)
        return found

    # --- the board --------------------------------------------------------------------------------------------

    def gain(self, meeples: Sequence[str], free: int, start: int | None, end: int, colour: str) -> float:
        """About what a turn brings that ends there with that colour; `free` are tiles without a camel, as bits."""
        there = "" if start == end else meeples[end]
        lies = there.count(colour)
        count = min(lies + 1 if lies else 2, MOST)
        bit = 1 << end
        points = 0.0
        own = self.own & bit
        if free & bit and len(there) == lies and self.camels:
            points, own = self._control[end], bit
        if colour == VIZIER:
            points += self._viziers[count]
        elif colour == ELDER:
            points += self._elders[count]
        elif colour == MERCHANT:
            points += self._cards[count]
        elif colour == BUILDER:
            blue = self._blue[end]
            points += count * blue
            if blue > self._fakir:
                points += self._fakirs * (blue - self._fakir)
        elif colour == ASSASSIN:
            points += self._kill(meeples, free, end, count, len(there) - lies)
        how, worth_ = self._offers[end]
        if how == "take":
            return points + worth_[count if colour == ELDER else 0]
        if own:
            return points + worth_[0]
        return points if free & bit else points - self._share * worth_[0]

    def _kill(self, meeples: Sequence[str], free: int, end: int, count: int, others: int) -> float:
        """The best victim: held by a rival, or the last meeple of a tile that is then won."""
        best = self._held_victim
        if self.camels > 1 or others:
            if others == 1 and free >> end & 1:
                best = max(best, self._control[end])
            near = _WITHIN[end][count] & free & ~(1 << end)
            control = self._control
            while near:
                low = near & -near
                near ^= low
                number = low.bit_length() - 1
                if len(meeples[number]) == 1 and control[number] > best:
                    best = control[number]
        return best

    def gains(self, meeples: Sequence[str], free: int) -> list[Gain]:
        """Every end tile and colour with its gain, the best first."""
        reached = dict.fromkeys(TRIBES, 0)
        for _, colour, ends in ends_per_start(meeples):
            reached[colour] |= ends
        found = []
        for colour, ends in reached.items():
            while ends:
                low = ends & -ends
                ends ^= low
                end = low.bit_length() - 1
                found.append((self.gain(meeples, free, None, end, colour), end, colour))
        found.sort(reverse=True)
        return found


def _of(held: Holding, player: Player) -> Holding:
    return Holding(
        player, held.rivals, held.turns, held.tiles, held.palms, held.palaces, held.oases, held.villages
    )


def with_cards(player: Player, cards: Sequence[str]) -> Player:
    """The player with these cards in the hand."""
    fakirs = sum(card == FAKIR for card in cards)
    goods = in_order((*player.goods, *(card for card in cards if card != FAKIR)))
    return replace(player, goods=goods, fakirs=player.fakirs + fakirs)


def picks(tables: Sequence[list[Gain]]) -> list[float]:
    """What players who come one after the other take, each the best that is left: one table of gains for each.

    Two do not end on the same tile. That the board changes in between is left out.
    """
    taken: set[int] = set()
    found = []
    for table in tables:
        for points, end, _ in table:
            if end not in taken:
                taken.add(end)
                found.append(points)
                break
        else:
            found.append(0.0)
    return found
