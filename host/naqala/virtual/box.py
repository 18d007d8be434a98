"""The box: every piece with its tag, and the readers under the table. A seed in, the same box every time.

The ids are as tags come off several rolls. Camels are told apart by their colour: whose they are is the players' affair.
"""

from __future__ import annotations

from random import Random

from naqala.rules.board import MEEPLES
from naqala.rules.model import SUPPLY
from naqala.rules.opening import BOX_TILES
from naqala.table.enrol import MOST_CAMELS
from naqala.table.evidence import FRAME
from naqala.table.pieces import CAMEL_COLOURS
from naqala.transcript import Piece

READER_OF: dict[str, int] = {tile: reader for reader, tile in FRAME.items()}


def pieces() -> list[Piece]:
    """What is in the box."""
    tiles = [Piece("tile", f"{kind} {points}") for kind, points in BOX_TILES]
    meeples = [Piece("meeple", tribe) for tribe, count in MEEPLES.items() for _ in range(count)]
    camels = [Piece("camel", colour) for colour in CAMEL_COLOURS for _ in range(MOST_CAMELS)]
    rest = [Piece(kind) for kind, count in SUPPLY.items() for _ in range(count)]
    return [*tiles, *meeples, *camels, *rest]


def tagged(seed: int) -> dict[str, Piece]:
    """Every piece with its own tag."""
    dice = Random(seed)
    numbers = dice.sample(range(1 << 32), len(pieces()))
    return {f"e0040150{number:08x}": piece for number, piece in zip(numbers, pieces(), strict=True)}
