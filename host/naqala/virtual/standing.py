"""What a game wants to stand on the table and what stands there: the motions that bring the second to the first.

For robots after an action that was told: the camel of a tile just won, a djinn's palm, a victim that goes back to the bag.
And for people whose table was put away: everything as the record has it.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Mapping

from naqala.hands.people import Person
from naqala.hands.table import Motion, beside, home
from naqala.rules.model import Game
from naqala.transcript import Piece
from naqala.virtual.box import READER_OF
from naqala.virtual.table import VirtualTable

Colours = Mapping[str, str]  # a player's name -> the colour of the camels


def wanted(game: Game, tile: str, colours: Colours) -> Counter[Piece]:
    """The pieces that the game has on a tile."""
    here = game.tile(tile)
    found = Counter(Piece("meeple", letter) for letter in here.meeples)
    if here.camel is not None:
        found[Piece("camel", colours[here.camel])] += 1
    found += Counter({Piece("palm"): here.palms, Piece("palace"): here.palaces})
    return found


def standing(table: VirtualTable, tile: str) -> Counter[Piece]:
    """The pieces that are on it, lying ones included, its own tile left out."""
    return Counter(table.piece(tag) for tag in table.at(tile) if table.piece(tag).kind != "tile")


def unlike(game: Game, table: VirtualTable, colours: Colours) -> list[str]:
    """The tiles that differ."""
    return [tile for tile in READER_OF if wanted(game, tile, colours) != standing(table, tile)]


def put_right(
    game: Game, table: VirtualTable, colours: Colours, person: Person, tiles: Iterable[str]
) -> list[Motion]:
    """Take away what is too much on these tiles, put there what is missing."""
    made: list[Motion] = []
    used: set[str] = set()
    for tile in tiles:
        want, there = wanted(game, tile, colours), standing(table, tile)
        for piece, count in (there - want).items():
            gone = table.at(tile, piece.kind, piece.which)[:count]
            made += [Motion(0, (tag,), home(piece)) for tag in gone]
        for piece, count in (want - there).items():
            for _ in range(count):
                tag = next(tag for tag in beside(table, piece) if tag not in used)
                used.add(tag)
                made.append(Motion(person.between(person.pace.grab), (tag,), tile))
    return made


def as_recorded(
    game: Game, table: VirtualTable, colours: Colours, own: Mapping[str, str]
) -> dict[str, list[str]]:
    """The whole board as the game has it: spot -> pieces to put there. Pieces that stand right stay. Of tiles that look
    alike each goes to its own place: tag -> tile, as far as known."""
    missing: list[tuple[str, Piece]] = []
    spare: dict[Piece, list[str]] = {}
    for tag, piece in table.tags().items():
        spare.setdefault(piece, []).append(tag)
    for tile in READER_OF:
        card = Piece("tile", f"{game.tile(tile).type} {game.tile(tile).points}")
        for piece in (wanted(game, tile, colours) + Counter([card])).elements():
            there = table.at(tile, piece.kind, piece.which)
            fits = [tag for tag in there if tag in spare[piece] and not table.lying(tag)]
            here = [tag for tag in fits if own.get(tag, tile) == tile]
            if here:
                spare[piece].remove(here[0])
            else:
                missing.append((tile, piece))
    moves: dict[str, list[str]] = {}
    for tile, piece in missing:
        tag = next((tag for tag in spare[piece] if own.get(tag) == tile), spare[piece][-1])
        spare[piece].remove(tag)
        moves.setdefault(tile, []).append(tag)
    for piece, tags in spare.items():
        moves.setdefault(home(piece), []).extend(tag for tag in tags if table.where(tag) in READER_OF)
    return moves


def camel_due(game: Game, table: VirtualTable, colours: Colours, name: str) -> str | None:
    """The tile where this player's camel is all that is missing on the whole table, if there is one."""
    tiles = unlike(game, table, colours)
    camel = Counter({Piece("camel", colours[name]): 1})
    if len(tiles) == 1 and wanted(game, tiles[0], colours) == standing(table, tiles[0]) + camel:
        return tiles[0]
    return None
