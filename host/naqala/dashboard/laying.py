"""A layout of a board without readers, as its pages and the table screen draw it."""

from __future__ import annotations

from typing import Any

from naqala.dashboard import drawing
from naqala.rules.board import ROWS, TILES, TRIBES
from naqala.rules.opening import ON_EACH_TILE
from naqala.rules.tiles import TILE_TYPES
from naqala.session.layout import KINDS, Lying, row_complete


def board_of(lying: Lying) -> dict[str, dict[str, Any]]:
    """A layout as the drawing wants its tiles."""
    found = {}
    for name, printed, meeples in zip(TILES, lying.tiles, lying.meeples, strict=True):
        kind, _, points = (printed or "").rpartition("_")
        found[name] = {
            "type": kind or None,
            "points": int(points) if points else 0,
            "colour": None if not kind else "blue" if TILE_TYPES[kind].blue else "red",
            "meeples": meeples,
            "camel": None,
            "camel_colour": None,
            "initial": "",
            "palms": 0,
            "palaces": 0,
            "strays": (),
            "mark": None,
        }
    return found


def layout_scene(lying: Lying | None) -> dict[str, Any]:
    """What the fragments show of a layout, beside the scene."""
    if lying is None:
        return {"laid": None}
    return {
        "laid": {
            "way": lying.way,
            "faces": drawing.tiles(board_of(lying)),
            "tiles": [(kind, *kind.rpartition("_")[::2], lying.tiles_left[kind]) for kind in KINDS],
            "tribes": [(tribe, lying.meeples_left[tribe]) for tribe in TRIBES],
            "rows": [
                (row, lying.rows[at], row in lying.done, row_complete(lying, row))
                for at, row in enumerate(ROWS)
            ],
            "tiles_open": sum(one is None for one in lying.tiles),
            "meeples_open": sum(ON_EACH_TILE - len(one) for one in lying.meeples),
            "complete": lying.complete,
        }
    }
