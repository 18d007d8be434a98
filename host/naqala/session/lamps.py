"""Which lamps to light: where a drop may go (when help is on), where the hand has been, what is wrong."""

from __future__ import annotations

from naqala.session.snapshot import Snapshot
from naqala.table.evidence import Evidence
from naqala.table.readings import Doing, Wrong

OPEN, TAKEN, WRONG = "open", "taken", "wrong"


def lamps(snapshot: Snapshot, table: Evidence) -> tuple[tuple[int, str], ...]:
    """The whole state of the lamps, by reader."""
    meaning: dict[str, str] = {}
    reading = snapshot.reading
    if isinstance(reading, Doing):
        meaning = dict.fromkeys(reading.path, TAKEN)
        if snapshot.help:
            meaning |= {tile: OPEN for tile, _ in reading.open}
    elif isinstance(reading, Wrong):
        meaning = {tile: WRONG for breach in reading.breaches for tile in breach.tiles}
    return tuple((reader, meaning[tile]) for reader, tile in sorted(table.readers.items()) if tile in meaning)
