"""Game and table side by side: what stands there by the record, what stands there as seen, and what differs.

In: a Game, a Table, counts (`Stand`). Out: counts and a `Surplus`, per tile and piece how many more are seen than the
record has. Pieces without any tag are never missed, and of a silent tile nothing is claimed.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping
from dataclasses import replace
from functools import lru_cache

from naqala.rules.board import NUMBER, TILES
from naqala.rules.model import Game, in_tribe_order
from naqala.table.pieces import CAMEL, MEEPLE, PALACE, PALM
from naqala.table.readings import Step
from naqala.table.remedy import Surplus, repair
from naqala.table.sight import Place, Stand, Table, stand
from naqala.transcript import Piece

__all__ = ["Surplus", "cleared", "difference", "expected", "guided_repair", "silenced", "take_over"]


@lru_cache(maxsize=64)
def expected(game: Game) -> Stand:
    """What stands on the tiles by the record."""
    return Stand(
        tuple("".join(sorted(tile.meeples)) for tile in game.tiles),
        tuple((tile.camel,) if tile.camel else () for tile in game.tiles),
        tuple(tile.palms for tile in game.tiles),
        tuple(tile.palaces for tile in game.tiles),
    )


def silenced(
    seen: Stand, table: Table, game: Game, homes: Mapping[str, Place], told: Mapping[str, str]
) -> Stand:
    """The same, silent tiles as the record or a tap has them, less the meeples that were seen to go elsewhere."""
    silent = table.silent
    if not silent:
        return seen
    record = expected(game)
    meeples, camels = list(seen.meeples), list(seen.camels)
    palms, palaces = list(seen.palms), list(seen.palaces)
    for tile in silent:
        number = NUMBER[tile]
        moved = Counter(
            table.tags[tag].which
            for tag, home in homes.items()
            if home.tile == tile and table.tags[tag].kind == MEEPLE and table.places[tag].tile != tile
        )
        left = Counter(told.get(tile, record.meeples[number])) - (Counter() if tile in told else moved)
        meeples[number] = "".join(sorted(left.elements()))
        camels[number], palms[number], palaces[number] = (
            record.camels[number],
            record.palms[number],
            record.palaces[number],
        )
    return Stand(tuple(meeples), tuple(camels), tuple(palms), tuple(palaces))


def cleared(seen: Stand, *accepted: Surplus) -> Stand:
    """The table with accepted differences taken out, as if they were put right."""
    if not any(accepted):
        return seen
    meeples = [Counter(letters) for letters in seen.meeples]
    camels = [Counter(names) for names in seen.camels]
    counts = {PALM: list(seen.palms), PALACE: list(seen.palaces)}
    for surplus in accepted:
        for (tile, piece), count in surplus.items():
            number = NUMBER[tile]
            if piece.kind == MEEPLE:
                meeples[number][piece.which] -= count
            elif piece.kind == CAMEL:
                camels[number][piece.which] -= count
            else:
                counts[piece.kind][number] -= count
    return Stand(
        tuple("".join(sorted((+letters).elements())) for letters in meeples),
        tuple(tuple(sorted((+names).elements())) for names in camels),
        tuple(max(0, count) for count in counts[PALM]),
        tuple(max(0, count) for count in counts[PALACE]),
    )


def difference(seen: Stand, record: Stand, seeable: frozenset[Piece]) -> Surplus:
    """Per tile and piece: seen less recorded. Pieces of which no tag is registered are left out."""
    found: dict[tuple[str, Piece], int] = {}
    if seen == record:
        return found
    for number, tile in enumerate(TILES):
        if seen.meeples[number] != record.meeples[number]:
            _count(found, tile, MEEPLE, seen.meeples[number], record.meeples[number])
        if seen.camels[number] != record.camels[number]:
            _count(found, tile, CAMEL, seen.camels[number], record.camels[number])
        for kind, here, there in ((PALM, seen.palms, record.palms), (PALACE, seen.palaces, record.palaces)):
            if here[number] != there[number]:
                found[tile, Piece(kind)] = here[number] - there[number]
    return {key: count for key, count in found.items() if count and (key[1] in seeable or count > 0)}


def _count(
    found: dict[tuple[str, Piece], int],
    tile: str,
    kind: str,
    here: str | tuple[str, ...],
    there: str | tuple[str, ...],
) -> None:
    counts = Counter(here)
    counts.subtract(Counter(there))
    for name, count in counts.items():
        if count:
            found[tile, Piece(kind, name)] = count


# --- getting back in step -----------------------------------------------------------------------------------


def guided_repair(game: Game, table: Table, at: int) -> tuple[Step, ...]:
    """ "The record is right": single instructions that bring the table there, the shortest first. Empty when it is."""
    seen = silenced(stand(table, at), table, game, {}, {})
    return repair(difference(seen, expected(game), frozenset(table.tags.values())))


def take_over(game: Game, table: Table, at: int, tile: str | None = None) -> Game:
    """ "The table is right": the game with what is seen, on one tile or on all. Meeples that are on no tile and with
    nobody go to the bag, so that all are conserved; camels go back to or come from their players. For a recorded correction."""
    record, seen = expected(game), silenced(stand(table, at), table, game, {}, {})
    found = difference(seen, record, frozenset(table.tags.values()))
    surplus = {key: count for key, count in found.items() if tile is None or key[0] == tile}
    tiles = list(game.tiles)
    bag, players = Counter(game.bag), {player.name: player for player in game.players}
    supply = {PALM: game.palms, PALACE: game.palaces}
    for (name, piece), count in surplus.items():
        old = tiles[NUMBER[name]]
        if piece.kind == MEEPLE:
            letters = Counter(old.meeples)
            letters[piece.which] += count
            tiles[NUMBER[name]] = replace(old, meeples=in_tribe_order("".join((+letters).elements())))
            bag[piece.which] -= count
        elif piece.kind == CAMEL and piece.which in players:
            owner = players[piece.which]
            camel = piece.which if count > 0 else (None if old.camel == piece.which else old.camel)
            tiles[NUMBER[name]] = replace(old, camel=camel)
            players[piece.which] = replace(owner, camels=max(0, owner.camels - count))
        elif piece.kind == PALM:
            tiles[NUMBER[name]] = replace(old, palms=old.palms + count)
            supply[PALM] = max(0, supply[PALM] - count)
        elif piece.kind == PALACE:
            tiles[NUMBER[name]] = replace(old, palaces=old.palaces + count)
            supply[PALACE] = max(0, supply[PALACE] - count)
    return replace(
        game,
        tiles=tuple(tiles),
        players=tuple(players[player.name] for player in game.players),
        bag=in_tribe_order("".join((+bag).elements())),
        palms=supply[PALM],
        palaces=supply[PALACE],
    )
