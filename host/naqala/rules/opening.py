"""Setting up: the 30 tiles, 90 meeples, decks, gold, camels and markers, from facts or by a caller's own dice.

`opened` takes what lies on the table; `dealt` shuffles with a die that the caller brings. With cards that players
turn up themselves the rows begin empty, and the first action is their `reveal`.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import replace
from typing import TypeVar

from naqala.rules.board import MEEPLES, TILES
from naqala.rules.breach import InvalidAction
from naqala.rules.model import (
    DJINN_ROW,
    EDITIONS,
    ROW,
    Game,
    Player,
    Tile,
    Turn,
    camels_at_the_start,
    house_of,
    in_tribe_order,
    markers_of_each,
)
from naqala.rules.piles import DJINN_PILE, RESOURCE_PILE, Pick, drawn_by, missing, split_draw
from naqala.rules.tiles import TILE_TYPES

Printed = tuple[str, int]  # type and points of a tile
ON_EACH_TILE = 3
BOX_TILES: tuple[Printed, ...] = tuple(
    (kind.name, points) for kind in TILE_TYPES.values() for points in kind.points
)
BOX_MEEPLES = "".join(tribe * count for tribe, count in MEEPLES.items())

T = TypeVar("T")


def opened(
    names: Sequence[str],
    layout: Sequence[Printed],
    meeples: Sequence[str],
    *,
    bid_order: Sequence[str] = (),
    row: Iterable[str] = (),
    djinn_row: Iterable[str] = (),
    edition: str = EDITIONS[0],
    switches: Mapping[str, str] | None = None,
) -> Game:
    """The opening of what was set up, in the order of TILES. InvalidAction says what does not fit the box."""
    if not 2 <= len(names) <= 4 or len(set(names)) != len(names):
        raise InvalidAction(f"two to four players with different names, not {list(names)}")
    if Counter(layout) != Counter(BOX_TILES):
        raise InvalidAction("these are not the 30 tiles of the box")
    if Counter("".join(meeples)) != Counter(BOX_MEEPLES) or {len(m) for m in meeples} != {ON_EACH_TILE}:
        raise InvalidAction("an opening has the 90 meeples of the box, three on each tile")
    markers = list(names) * markers_of_each(len(names))
    order = tuple(bid_order or markers)
    if Counter(order) != Counter(markers):
        raise InvalidAction(f"the bid order {list(order)} does not name every marker once")
    game = Game(
        tiles=tuple(
            Tile(kind, points, in_tribe_order(there))
            for (kind, points), there in zip(layout, meeples, strict=True)
        ),
        players=tuple(Player(name, camels=camels_at_the_start(len(names))) for name in names),
        bid_order=order,
        edition=edition,
        house=house_of(dict(switches or {})),
    )
    return _with_rows(game, tuple(row), tuple(djinn_row))


def _with_rows(game: Game, row: tuple[str, ...], djinn_row: tuple[str, ...]) -> Game:
    if len(row) > ROW or len(djinn_row) > DJINN_ROW:
        raise InvalidAction(f"at most {ROW} cards and {DJINN_ROW} djinns lie in the rows")
    split_draw(game, RESOURCE_PILE, row)
    split_draw(game, DJINN_PILE, djinn_row)
    game = replace(game, row=row, djinn_row=djinn_row)
    if any(missing(game)):
        return replace(game, round=0, turn=Turn(None, "reveal"))
    return replace(game, turn=Turn(game.bid_order[0], "bid"))


def shuffled(things: Iterable[T], pick: Pick) -> list[T]:
    """All things in an order of the die."""
    left = list(things)
    return [left.pop(pick(len(left))) for _ in range(len(left))]


def dealt(
    names: Sequence[str], pick: Pick, *, edition: str = EDITIONS[0], switches: Mapping[str, str] | None = None
) -> Game:
    """A shuffled opening; `pick` is the caller's die, a number below the given one."""
    layout = shuffled(BOX_TILES, pick)
    bag = "".join(shuffled(BOX_MEEPLES, pick))
    meeples = [bag[at : at + ON_EACH_TILE] for at in range(0, len(TILES) * ON_EACH_TILE, ON_EACH_TILE)]
    order = shuffled(list(names) * markers_of_each(len(names)), pick)
    game = opened(names, layout, meeples, bid_order=order, edition=edition, switches=switches)
    row = drawn_by(game, RESOURCE_PILE, ROW, pick)
    return _with_rows(replace(game, round=1), row, drawn_by(game, DJINN_PILE, DJINN_ROW, pick))
