"""Tiles drawn once: a drop changes one tile of thirty, and the other twenty-nine need no new drawing.

In: tiles as `drawing` has them. Out: their SVG, from the template's macro or from memory; the same for everybody who reads
the same language and wording.
"""

from __future__ import annotations

import threading
from collections.abc import Callable, Iterable
from typing import Any

from flask import current_app
from markupsafe import Markup

from naqala.dashboard import language
from naqala.dashboard.drawing import DrawnTile

MOST_KEPT = 4096  # a few evenings' worth of tiles, some 4 MB
Label = Callable[[str, dict[str, Any]], str]


class Engraver:
    """Remembers the tiles it has drawn."""

    def __init__(self) -> None:
        self._kept: dict[Any, Markup] = {}
        self._lock = threading.Lock()

    def engraved(self, tiles: Iterable[DrawnTile], label: Label) -> Markup:
        """The tiles of the board, one after the other."""
        words = (language.language_here(), language.wording_here())
        found = []
        for tile in tiles:
            key = (words, tile.name, *tile.facts.values())
            found.append(self._kept.get(key) or self._engrave(key, tile, label))
        return Markup("").join(found)

    def _engrave(self, key: Any, tile: DrawnTile, label: Label) -> Markup:
        macro: Any = current_app.jinja_env.get_template("tile.svg").module
        found = Markup(macro.tile(tile, label))
        with self._lock:
            if len(self._kept) >= MOST_KEPT:
                self._kept.clear()
            self._kept[key] = found
        return found
