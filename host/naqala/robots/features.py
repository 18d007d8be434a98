"""The evaluation: what a player can still expect, as one table of features; a weight for each is learned (`weights.txt`).

A player's expected final points are what the score sheet counts already (gold, tiles, palms, palaces, elders, viziers,
djinns, goods; the tens for viziers apart) plus weight times feature for every line of FEATURES:

    Ann: 61 counted + 0.9 x 12.5 (viziers_ahead) + 0.6 x 3 (fakirs) + ...

Every feature is linear in its weight, so the points of a decision can be told line by line: that is where the reasons of the
coach and the review come from.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from functools import lru_cache
from math import exp, sqrt
from typing import NamedTuple

from naqala.rules import djinns
from naqala.rules.board import ELDER, VIZIER
from naqala.rules.djinns import DJINNS
from naqala.rules.goods import SUIT_VALUES, best_split, best_suits, split_value
from naqala.rules.model import PALACE, PALM, Game, Player, markers_of_each
from naqala.rules.scoring import FEWER_VIZIERS, PRINTED


@dataclass(slots=True)
class Holding:
    """What one player holds and how long the game may last: all that a feature can see."""

    player: Player
    rivals: tuple[int, ...]  # viziers of each
    turns: float  # turns this player can still expect
    tiles: int = 0  # points on the sheet
    palms: int = 0
    palaces: int = 0
    oases: int = 0  # own tiles on which more can be placed
    villages: int = 0

    @property
    def suits(self) -> tuple[int, ...]:
        """Sizes of the best split of the goods, the longest first."""
        return suit_sizes(self.player.goods)


@lru_cache(maxsize=20_000)
def suit_sizes(goods: tuple[str, ...]) -> tuple[int, ...]:
    """How many different goods each suit of a hand has."""
    return tuple(map(len, best_suits(goods)))


@lru_cache(maxsize=20_000)
def _goods_value(goods: tuple[str, ...], wilds: int) -> int:
    return split_value(best_split(goods, wilds))


class DjinnTotals(NamedTuple):
    """What a player's djinns are worth together, and what other things are worth because of them."""

    points: int
    per_turn: float
    vizier: int
    elder: int
    palm: int
    palace: int
    wilds: bool


@lru_cache(maxsize=4096)
def djinn_totals(held: tuple[str, ...]) -> DjinnTotals:
    """The djinns of one player, added up."""
    owner = Player("", djinns=held, fakirs=djinns.FAKIRS_OF_A_WILD)
    vizier, elder, palm, palace = (
        djinns.worth(owner, what, PRINTED[what]) for what in (VIZIER, ELDER, PALM, PALACE)
    )
    points, per_turn = sum(DJINNS[name].points for name in held), sum(PER_TURN[name] for name in held)
    return DjinnTotals(points, per_turn, vizier, elder, palm, palace, djinns.wilds(owner) > 0)


def counted(held: Holding) -> int:
    """The points on the sheet already, without the tens for viziers."""
    player = held.player
    points, _, vizier, elder, palm, palace, wilds = djinn_totals(player.djinns)
    return (
        player.gold
        + held.tiles
        + points
        + player.viziers * vizier
        + player.elders * elder
        + held.palms * palm
        + held.palaces * palace
        + _goods_value(player.goods, player.fakirs // djinns.FAKIRS_OF_A_WILD if wilds else 0)
    )


def _ahead(held: Holding) -> float:
    """Ten for each rival with fewer viziers at the end, as likely as the lead of now makes it."""
    steep = 1.5 / sqrt(0.5 + held.turns)
    lead = (held.player.viziers - rival - 0.3 for rival in held.rivals)  # a tie brings nothing
    return sum(FEWER_VIZIERS / (1 + exp(-steep * one)) for one in lead)


# Points that a djinn's effect brings in one turn of its owner, by its text: gold of others' and own moves, an extra palm or
# palace, a tile, a card. The weight of `djinn_effects` says how much of that comes true.
PER_TURN: dict[str, float] = {
    "Al-Amin": 0.4,
    "Anun-Nak": 0.8,
    "Ba'al": 0.5,
    "Boaz": 0.4,
    "Bouraq": 1.6,
    "Dhenim": 1.0,
    "Echidna": 1.0,
    "Enki": 1.2,
    "Hagis": 0.4,
    "Haurvatat": 0.8,
    "Iblis": 0.8,
    "Jafaar": 1.0,
    "Kandicha": 0.8,
    "Kumarbi": 0.6,
    "Lamia": 0.4,
    "Leta": 1.6,
    "Marid": 1.2,
    "Monkir": 1.0,
    "Nekir": 1.2,
    "Shamhat": 1.0,
    "Sibittis": 1.4,
    "Sloar": 0.8,
    "Utug": 2.0,
}


PURSE = 15  # gold that a player is glad to have at hand; more is points and nothing else


def _growth(held: Holding) -> float:
    """What the next new good would add to the longest suit, while there is time to get it."""
    longest = held.suits[0] if held.suits else 0
    step = SUIT_VALUES[min(9, longest + 1)] - SUIT_VALUES[longest]
    return step * min(1.0, held.turns / 3)


@dataclass(frozen=True, slots=True)
class Feature:
    """One line of the evaluation."""

    name: str
    says: str
    guess: float  # its weight before anything was learned; learning moves it by about half of that, if much speaks for it
    of: Callable[[Holding], float]


FEATURES: tuple[Feature, ...] = (
    Feature(
        "viziers_ahead", "the 10 points per rival with fewer viziers, as likely as they look now", 1.0, _ahead
    ),
    Feature(
        "elders_to_pay",
        "elders (at most 4) that can still pay for djinns",
        0.8,
        lambda held: min(held.player.elders, 4) * min(1.0, held.turns / 4),
    ),
    Feature(
        "fakirs",
        "fakirs (at most 4) that can still help or pay",
        1.2,
        lambda held: min(held.player.fakirs, 4) * min(1.0, held.turns / 3),
    ),
    Feature("suit_growth", "what the next new good adds to the longest suit", 0.5, _growth),
    Feature(
        "djinn_effects",
        "what the djinns do in the turns that are left, by the table PER_TURN",
        0.4,
        lambda held: held.turns * djinn_totals(held.player.djinns).per_turn,
    ),
    Feature("own_oases", "palms still to come on own oases", 0.15, lambda held: held.oases * held.turns),
    Feature(
        "own_villages", "palaces still to come on own villages", 0.25, lambda held: held.villages * held.turns
    ),
    Feature(
        "camels_left",
        "camels that can still be placed, as two turns in three place one",
        1.0,
        lambda held: min(float(held.player.camels), 0.67 * held.turns),
    ),
    Feature(
        "purse",
        "gold (at most 15) for bids and markets to come",
        0.2,
        lambda held: min(held.player.gold, PURSE) * min(1.0, held.turns / 4),
    ),
)
NAMES: tuple[str, ...] = tuple(feature.name for feature in FEATURES)


@dataclass(frozen=True, slots=True)
class Pace:
    """How many rounds are left after this one: linear in what `signs` gives."""

    base: float = -0.3
    per_camel: float = 0.5
    per_meeple: float = 0.17
    per_round_played: float = 0.5

    def rounds(self, game: Game) -> float:
        """Whole rounds still to come after this one."""
        if game.ending or game.turn.phase == "over":
            return 0.0
        camels, meeples, played = signs(game)
        told = self.base + self.per_camel * camels + self.per_meeple * meeples
        return max(0.2, told + self.per_round_played * played)


def signs(game: Game) -> tuple[float, float, float]:
    """By what a game's length is told: camels of whoever has fewest and meeples on the board, both for each marker, and
    the share of this round that is played."""
    each = markers_of_each(len(game.players))
    markers = each * len(game.players)
    camels = min([player.camels for player in game.players]) / each
    meeples = sum([len(tile.meeples) for tile in game.tiles]) / markers
    return camels, meeples, 1 - len(waiting_markers(game)) / markers


def waiting_markers(game: Game) -> list[str]:
    """Whose markers still have their turn in this round."""
    waiting = [name for _, name in game.track]
    if game.turn.phase == "bid":
        waiting += game.bid_order
    elif game.turn.phase == "sow":
        waiting.append(str(game.turn.player))
    return waiting


def turns_left(game: Game, pace: Pace) -> dict[str, float]:
    """The turns each player can still expect: those of this round that wait, and those of the rounds to come."""
    later = pace.rounds(game) * markers_of_each(len(game.players))
    waiting = waiting_markers(game)
    return {player.name: later + waiting.count(player.name) for player in game.players}


def holdings(game: Game, turns: Mapping[str, float]) -> list[Holding]:
    """What each player holds, in the order of seats."""
    viziers = [player.viziers for player in game.players]
    found = {
        player.name: Holding(player, (*viziers[:seat], *viziers[seat + 1 :]), turns[player.name])
        for seat, player in enumerate(game.players)
    }
    for tile in game.tiles:
        if tile.camel is not None:
            held = found[tile.camel]
            held.tiles += tile.points
            held.palms += tile.palms
            held.palaces += tile.palaces
            if tile.type == "oasis":
                held.oases += game.palms > 0
            elif tile.type == "village":
                held.villages += game.palaces > 0
    return list(found.values())
