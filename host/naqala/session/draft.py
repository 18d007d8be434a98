"""A game that is being set up without readers, on disk after every tap: a pause, a reload or a crash loses nothing.

The file holds one JSON object: the game as the wizard asked for it, and the layout's strokes as text. It is written beside
the old one and then put in its place, so that a full disk leaves the old one whole.
"""

from __future__ import annotations

import json
import logging
from dataclasses import asdict
from pathlib import Path
from typing import Any
from urllib.parse import quote

from naqala.session.commands import NewGame
from naqala.session.layout import Layout
from naqala.session.refusal import Refused

log = logging.getLogger(__name__)


class Draft:
    """One table's file. Without a folder nothing is kept."""

    def __init__(self, folder: Path | None = None, table: str = "") -> None:
        self._path = folder / f"layout-{quote(table, safe='')}.json" if folder is not None else None

    def read(self) -> tuple[NewGame, Layout] | None:
        """What was being set up; None when nothing was, or when the file is damaged: then people begin again."""
        if self._path is None or not self._path.exists():
            return None
        try:
            found: dict[str, Any] = json.loads(self._path.read_text(encoding="utf-8"))
            game = found["game"]
            lists = {"players": tuple(game["players"]), "colours": tuple(game["colours"])}
            switches = tuple((str(name), str(value)) for name, value in game["switches"])
            return NewGame(**game | lists | {"switches": switches}), Layout.from_text(found["layout"])
        except (OSError, ValueError, KeyError, TypeError, AttributeError) as error:
            log.warning("%s is not read: %s", self._path, error)
            return None

    def keep(self, wanted: NewGame, layout: Layout) -> None:
        """Have it on disk. Refused when that cannot be done: then the tap does not count."""
        if self._path is None:
            return
        fresh = self._path.with_suffix(".new")
        try:
            text = json.dumps({"game": asdict(wanted), "layout": str(layout)}, ensure_ascii=False)
            fresh.write_text(text, encoding="utf-8")
            fresh.replace(self._path)
        except OSError as error:
            raise Refused("journal", reason=str(error)) from None

    def forget(self) -> None:
        """The game has begun, or was given up."""
        if self._path is not None:
            self._path.unlink(missing_ok=True)
