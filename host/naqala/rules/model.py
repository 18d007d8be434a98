"""A game as one frozen value: tiles, players, rows, tracks, and what the turn still owes. No rule lives here.

`Game` is what `play` takes and gives back. Its JSON and text form is in `position.py`; whatever changes it is an
event (`events.py`). Cards on the piles are not stored: a pile is what is in the box and lies nowhere else.
"""

from __future__ import annotations

from dataclasses import dataclass, replace

from naqala.rules.board import NUMBER, TILES, TRIBES

# House rules of a table; the first value is the default (`edition` only changes words).
SWITCHES: dict[str, tuple[str, ...]] = {
    "djinn_once_per": ("round", "marker"),
    "anun_nak_short_bag": ("draw_what_there_is", "needs_three"),
    "lamia_hagis_scope": ("any_placement", "tile_action_only"),
    "kandicha_feeds_nekir": ("no", "yes"),
    "large_market_take_one": ("no", "yes"),
    "hand_visibility": ("private", "public"),
    "promo_dhenim": ("off", "per_taking", "per_vizier"),
}
EDITIONS = ("fakir", "slave")

# The phases of a round in their order. `bid` and `reveal` belong to the round, the others to one marker's turn.
PHASES = ("bid", "sow", "build", "kill", "tile", "end", "reveal", "over")
TURN_PHASES = ("sow", "build", "kill", "tile", "end")
ENDINGS = ("last_camel", "no_sowing")

PALM, PALACE = PIECES = ("palm", "palace")
SUPPLY: dict[str, int] = {PALM: 12, PALACE: 10}
OPENING_GOLD = 50
ROW, DJINN_ROW = 9, 3


def camels_at_the_start(players: int) -> int:
    """Camels of each player: 8, or 11 in a game of two."""
    return 8 if players > 2 else 11


def markers_of_each(players: int) -> int:
    """Turn markers of each player: 1, or 2 in a game of two."""
    return 1 if players > 2 else 2


def in_tribe_order(meeples: str) -> str:
    """The same meeples as every tile and the bag keep them: viziers first, assassins last."""
    return "".join(tribe * meeples.count(tribe) for tribe in TRIBES)


@dataclass(frozen=True, slots=True)
class Tile:
    """One tile and what stands on it. `camel` is its owner's name; a tile without `type` has no action."""

    type: str | None = None
    points: int = 0
    meeples: str = ""
    camel: str | None = None
    palms: int = 0
    palaces: int = 0

    @property
    def bare(self) -> bool:
        """No camel, palm or palace; meeples may stand there."""
        return self.camel is None and not self.palms and not self.palaces


@dataclass(frozen=True, slots=True)
class Player:
    """What one player holds. `goods` are in the order of the deck's table; `used` are djinns used up for now."""

    name: str
    gold: int = OPENING_GOLD
    camels: int = 8
    viziers: int = 0
    elders: int = 0
    djinns: tuple[str, ...] = ()
    goods: tuple[str, ...] = ()
    fakirs: int = 0
    used: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class Turn:
    """Who acts and where the turn stands. `tile` and `collected` are the end tile and the meeples taken there.

    `active` are modifier djinns that were paid and wait for the action they change. `player` is None in `reveal`
    (anybody turns up the cards) and `over`.
    """

    player: str | None = None
    phase: str = "bid"
    tile: str | None = None
    collected: str = ""
    active: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class Game:
    """Everything needed to go on. `track` is the turn-order track in the order of play: pairs of (spot, player).

    `bid_order` is what stands on the bid-order track: markers still to bid, or, while turns are played, those that
    bid first in the next round. `house` holds the switches that differ from their default, sorted.
    """

    tiles: tuple[Tile, ...] = (Tile(),) * len(TILES)
    players: tuple[Player, ...] = ()
    bag: str = ""
    row: tuple[str, ...] = ()
    djinn_row: tuple[str, ...] = ()
    palms: int = SUPPLY[PALM]
    palaces: int = SUPPLY[PALACE]
    discards: tuple[str, ...] = ()
    djinn_discards: tuple[str, ...] = ()
    round: int = 1
    bid_order: tuple[str, ...] = ()
    track: tuple[tuple[int, str], ...] = ()
    turn: Turn = Turn()
    ending: str | None = None
    edition: str = EDITIONS[0]
    house: tuple[tuple[str, str], ...] = ()

    def tile(self, name: str) -> Tile:
        """The tile of that name."""
        return self.tiles[NUMBER[name]]

    def player(self, name: str) -> Player:
        """The player of that name. KeyError when nobody is called so."""
        for player in self.players:
            if player.name == name:
                return player
        raise KeyError(name)

    def opponents(self, name: str) -> tuple[Player, ...]:
        """Everybody else, in the order of seats."""
        return tuple(player for player in self.players if player.name != name)

    def supply(self, what: str) -> int:
        """Palms or palaces left beside the board."""
        return self.palms if what == PALM else self.palaces

    def switch(self, name: str) -> str:
        """How the table plays an open question."""
        return dict(self.house).get(name, SWITCHES[name][0])

    @property
    def meeples(self) -> tuple[str, ...]:
        """Meeples of every tile, in the order of TILES: what sowing works on."""
        return tuple(tile.meeples for tile in self.tiles)

    def with_tile(self, name: str, tile: Tile) -> Game:
        """The game with one tile replaced."""
        at = NUMBER[name]
        return replace(self, tiles=(*self.tiles[:at], tile, *self.tiles[at + 1 :]))

    def with_player(self, changed: Player) -> Game:
        """The game with the player of that name replaced."""
        return replace(self, players=tuple(changed if p.name == changed.name else p for p in self.players))


def house_of(switches: dict[str, str]) -> tuple[tuple[str, str], ...]:
    """Switches as a game keeps them: those that differ from the default, sorted."""
    return tuple(sorted((name, value) for name, value in switches.items() if value != SWITCHES[name][0]))
