"""The board as numbers for its drawing: where tiles, meeples, camels and the steps of a hand go. No game rule, no words.

In comes the `board` part of what `view.show` gives; out go plain values that `templates/board.svg` puts into marks.
A tile is 120 units wide. Up to six meeples are drawn one by one, more as one per tribe with its count, so a crowded
tile stays readable. The way of a hand is drawn on the borders it crosses: beside the meeples, never over them.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from functools import lru_cache
from typing import Any

from naqala.rules.board import COLUMNS, ROWS, TILES, TRIBES

TILE, GUTTER, MARGIN = 120, 14, 12
WIDTH = 2 * MARGIN + len(COLUMNS) * (TILE + GUTTER) - GUTTER
HEIGHT = 2 * MARGIN + len(ROWS) * (TILE + GUTTER) - GUTTER
ONE_BY_ONE = 6  # meeples up to here are drawn singly


@dataclass(frozen=True, slots=True)
class Figure:
    """One drawn meeple: its letter, its place within the tile, and how many it stands for."""

    letter: str
    x: float
    y: float
    size: float
    count: int = 1


@dataclass(frozen=True, slots=True)
class Step:
    """One drop of a hand, drawn where the hand crossed the border; `turn` is the direction in degrees, None where it crossed
    no border: such a drop points nowhere."""

    number: int
    x: float
    y: float
    turn: int | None
    wrong: bool


@dataclass(frozen=True, slots=True)
class Stray:
    """A camel, a palm or a palace where it does not belong, on the tile's lower edge."""

    what: str
    colour: str
    initial: str
    x: int
    y: int
    width: int


@dataclass(frozen=True, slots=True)
class DrawnTile:
    """A tile with its corner on the board and what stands on it, ready for the template."""

    name: str
    x: int
    y: int
    facts: dict[str, Any]
    figures: tuple[Figure, ...]
    strays: tuple[Stray, ...] = ()


def corner(tile: str) -> tuple[int, int]:
    """Left and upper edge of a tile."""
    return (
        MARGIN + COLUMNS.index(tile[0]) * (TILE + GUTTER),
        MARGIN + ROWS.index(tile[1]) * (TILE + GUTTER),
    )


@lru_cache(maxsize=4096)
def figures(meeples: str) -> tuple[Figure, ...]:
    """Where the meeples of one tile stand: one by one, or counted per tribe when they are many."""
    if len(meeples) <= ONE_BY_ONE:
        size, pitch = ((36.0, 37.0), (31.0, 36.0), (28.5, 32.5))[max(0, min(2, len(meeples) - 3))]
        places = _places(len(meeples), size, pitch, per_row=2 if len(meeples) == 4 else 3)
        return tuple(Figure(t, x, y, size) for t, (x, y) in zip(_sorted(meeples), places, strict=True))
    tribes = [tribe for tribe in TRIBES if tribe in meeples]
    size, pitch, per_row = COUNTED[len(tribes)]
    places = _places(len(tribes), size, pitch, per_row)
    return tuple(
        Figure(t, x - 8, y, size, meeples.count(t)) for t, (x, y) in zip(tribes, places, strict=True)
    )


# Counted tribes: size, distance and how many in a row, by the number of tribes on the tile.
COUNTED = {1: (40.0, 0.0, 1), 2: (35.0, 54.0, 2), 3: (27.0, 38.5, 3), 4: (28.0, 54.0, 2), 5: (25.0, 38.5, 3)}


def _sorted(meeples: str) -> str:
    return "".join(tribe * meeples.count(tribe) for tribe in TRIBES)


def _places(count: int, size: float, pitch: float, per_row: int) -> Iterable[tuple[float, float]]:
    """Corners of up to six figures: one row of three, or two rows, each in the middle."""
    rows = -(-count // per_row)
    top = 32.0 if rows > 1 else 39.0
    for number in range(count):
        row, column = divmod(number, per_row)
        in_row = min(per_row, count - per_row * row)
        left = (TILE - (in_row - 1) * pitch - size) / 2
        yield round(left + column * pitch, 1), round(top + row * (size - 0.5), 1)


def steps(start: str | None, path: Sequence[Sequence[str]], wrong: Iterable[int] = ()) -> tuple[Step, ...]:
    """The drops of a hand as arrows on the borders. A border crossed twice carries its arrows side by side.

    A drop that does not go to a neighbour has no border: its number stands on the corner of its tile.
    """
    found: list[Step] = []
    crossed: dict[tuple[str, ...], int] = {}
    bad = frozenset(wrong)
    before = start
    for number, (tile, _letter) in enumerate(path, 1):
        x, y = corner(tile)
        x, y = x + TILE // 2, y + TILE // 2
        turn = None
        if before is not None and _beside(before, tile):
            fx, fy = corner(before)
            dx, dy = (x - fx - TILE // 2), (y - fy - TILE // 2)
            turn = {(1, 0): 0, (0, 1): 90, (-1, 0): 180, (0, -1): 270}[(_sign(dx), _sign(dy))]
            border = tuple(sorted((before, tile)))
            times = crossed.get(border, 0)
            crossed[border] = times + 1
            shift = (BELOW_EACH_OTHER if dy else BESIDE_EACH_OTHER)[times % 3]
            x, y = x - dx // 2, y - dy // 2
            x, y = (x + shift, y) if dy else (x, y + shift)
        else:
            x, y = x + TILE // 2 - 8, y + TILE // 2 - 8
        found.append(Step(number, x, y, turn, number in bad))
        before = tile
    return tuple(found)


# Where on a border its first, second and third crossing stand, from its middle. Between tiles beside each other that is the
# gap between the meeples and what stands below them, then the one above the meeples: an arrow's tip reaches into the tile.
BELOW_EACH_OTHER = (0, 30, -30)
BESIDE_EACH_OTHER = (19, -32, 47)


def _beside(one: str, other: str) -> bool:
    return abs(ord(one[0]) - ord(other[0])) + abs(ord(one[1]) - ord(other[1])) == 1


def _sign(value: int) -> int:
    return (value > 0) - (value < 0)


def tiles(board: dict[str, dict[str, Any]]) -> tuple[DrawnTile, ...]:
    """Every tile of the board in reading order, row by row."""
    return tuple(
        DrawnTile(name, x, y, board[name], figures(board[name]["meeples"]), strays(board[name]))
        for name, x, y in IN_ROWS
    )


# The lower edge of a tile from left to right: camel, palms, palaces.
PLACES = {"camel": (3, 83, 45), "palm": (47, 90, 28), "palace": (78, 90, 28)}
ABOVE = 34  # where all places are taken: so that both are seen


def strays(facts: dict[str, Any]) -> tuple[Stray, ...]:
    """What lies there by mistake: in its own place, or where there is room, or above what stands there already."""
    if not facts["strays"]:  # nearly always, and asked thirty times for every page
        return ()
    taken = {kind for kind, there in (("camel", facts["camel"]), ("palm", facts["palms"])) if there}
    taken |= {"palace" if facts["palms"] else "palm"} if facts["palaces"] else set()
    found = []
    for piece, colour, initial in facts["strays"]:
        kind = piece.partition(" ")[0]
        place = next((one for one in (kind, "palace", "palm", "camel") if one not in taken), "")
        taken.add(place)
        x, y, width = PLACES[place or kind][0], PLACES[kind][1], PLACES[kind][2]
        found.append(Stray(kind, colour, initial, x, y if place else y - ABOVE, width))
    return tuple(found)


IN_ROWS = tuple((name, *corner(name)) for name in sorted(TILES, key=lambda tile: (tile[1], tile[0])))
