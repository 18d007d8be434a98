"""The board: 30 tiles in a 6 x 5 grid, who lies beside whom, and the letters of the tribes. Facts only, no state.

Tiles are named A1..F5 (columns A-F along the long side, rows 1-5). Fast code uses a tile's number, its place in TILES.
"""

from __future__ import annotations

COLUMNS = "ABCDEF"
ROWS = "12345"
TILES: tuple[str, ...] = tuple(column + row for column in COLUMNS for row in ROWS)
NUMBER: dict[str, int] = {tile: number for number, tile in enumerate(TILES)}

# The five tribes by their letter, and how many meeples of each are in the box (90 in all).
VIZIER, ELDER, MERCHANT, BUILDER, ASSASSIN = TRIBES = "YWGBR"
MEEPLES: dict[str, int] = {VIZIER: 16, ELDER: 20, MERCHANT: 18, BUILDER: 18, ASSASSIN: 18}


def _steps(first: str, second: str) -> tuple[int, int]:
    return abs(ord(first[0]) - ord(second[0])), abs(ord(first[1]) - ord(second[1]))


def distance(first: str, second: str) -> int:
    """Steps from side to side between two tiles; 0 on the spot."""
    return sum(_steps(first, second))


# Tiles that share a side: where the next drop may go.
NEIGHBOURS: dict[str, tuple[str, ...]] = {a: tuple(b for b in TILES if distance(a, b) == 1) for a in TILES}
# A tile and the up to 8 around it: where builders count blue.
SURROUNDINGS: dict[str, tuple[str, ...]] = {
    a: tuple(b for b in TILES if max(_steps(a, b)) <= 1) for a in TILES
}
