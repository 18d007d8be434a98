"""The five kinds of tile as one table: colour, printed points, and what the end tile asks or offers."""

from __future__ import annotations

from dataclasses import dataclass

from naqala.rules.board import SURROUNDINGS
from naqala.rules.model import PALACE, PALM, Game


@dataclass(frozen=True, slots=True)
class TileType:
    """One kind of tile. `places` is compulsory; a market sells `takes` of the `first` cards for `price`."""

    name: str
    points: tuple[int, ...]
    blue: bool = False
    places: str | None = None
    summons: bool = False
    price: int = 0
    takes: int = 0
    first: int = 0


TILE_TYPES: dict[str, TileType] = {
    kind.name: kind
    for kind in (
        TileType("village", (5,) * 5, blue=True, places=PALACE),
        TileType("sacred_place", (6, 6, 6, 6, 10, 12, 15), blue=True, summons=True),
        TileType("oasis", (8,) * 6, places=PALM),
        TileType("small_market", (6,) * 8, price=3, takes=1, first=3),
        TileType("large_market", (4,) * 4, price=6, takes=2, first=6),
    )
}
# A tile of unknown kind, as in a position that names only meeples: it asks and offers nothing, and is not blue.
NO_TYPE = TileType("no tile action", ())


def kind_of(game: Game, tile: str) -> TileType:
    """The row of the table for a tile on the board."""
    return TILE_TYPES.get(game.tile(tile).type or "", NO_TYPE)


def blue_around(game: Game, tile: str) -> int:
    """Blue tiles among a tile and its up to 8 neighbours: what a builder earns there."""
    return sum(kind_of(game, near).blue for near in SURROUNDINGS[tile])


def asked_for(game: Game) -> str | None:
    """The palm or palace that the end tile still asks for in this turn, or None. An empty supply asks nothing."""
    if game.turn.tile is None or game.turn.phase not in ("build", "kill", "tile"):
        return None
    what = kind_of(game, game.turn.tile).places
    return what if what and game.supply(what) else None
