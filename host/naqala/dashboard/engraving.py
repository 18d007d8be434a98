"""Tiles drawn once: a drop changes one tile of thirty, and the other twenty-nine need no new drawing.

In: a tile as `drawing` has it. Out: its SVG, from the template's macro or from memory; the same for everybody who reads
the same language and wording.
"""

from __future__ import annotations

import threading
from collections.abc import Callable
from typing import Any

from flask import current_app
from markupsafe import Markup

from naqala.dashboard import language
from naqala.dashboard.drawing import DrawnTile

MOST_KEPT = 4096  # a few evenings' worth of tiles, some 4 MB


class Engraver:
    """Remembers the tiles it has drawn."""

    def __init__(self) -> None:
        self._kept: dict[Any, Markup] = {}
        self._lock = threading.Lock()

    def engraved(self, tile: DrawnTile, label: Callable[[str, dict[str, Any]], str]) -> Markup:
        """One tile of the board."""
        key = (tile.name, *tile.facts.values(), language.language_here(), language.wording_here())
        found = self._kept.get(key)
        if found is None:
            macro: Any = current_app.jinja_env.get_template("tile.svg").module
            found = Markup(macro.tile(tile, label))
            with self._lock:
                if len(self._kept) >= MOST_KEPT:
                    self._kept.clear()
                self._kept[key] = found
        return found
