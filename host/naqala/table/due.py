"""What people still owe the table: the group of a move that was read and not yet taken up, a camel, a palm, a palace.

In: a `Watcher` and the record. Out: notes, `take` (letters of the meeples that still stand there) and `owed` (a piece still to be
put there). The record is ahead of the hands here and nothing is wrong: these are reminders, from the moment an action stands
until the table shows it. A reminder to take up a group comes only when its tile has not changed for a while, so that nobody is
told what the hand is just doing. Once the referee has objected, the reminders stay until all is done.

What is owed is what two comparisons agree on: the record against the table now, and the record against the table when both
last agreed (`homes`). A palm that the record has and that is not read is owed when it never stood there; when it did, it is
only not read, and that is a note of the referee.
"""

from __future__ import annotations

from collections.abc import Iterator

from naqala.rules.board import NUMBER, TILES
from naqala.rules.model import Game
from naqala.rules.record import Record
from naqala.rules.tiles import asked_for
from naqala.table.compare import difference, expected
from naqala.table.evidence import stand
from naqala.table.pieces import MEEPLE, PALACE, PALM
from naqala.table.readings import Note, Wrong
from naqala.table.remedy import Surplus
from naqala.table.scene import differing
from naqala.table.watch import Watcher
from naqala.transcript import Piece

REMINDS_MS = 2500  # a tile that has not changed for so long: nobody is at work on it


def still_due(watching: Watcher, record: Record) -> tuple[Note, ...]:
    """Reminders, in the order of the board; none before the first sweep, and none while an undo is put right."""
    if not watching.started or watching.restoring:
        return ()
    now, then = _compared(watching, record.game)
    found = [*_to_take(watching, now, then), *_to_put(now, then), *_asked(watching, record.game)]
    return tuple(sorted(found, key=lambda note: TILES.index(note.tile)))


def _compared(watching: Watcher, game: Game) -> tuple[Surplus, Surplus]:
    """What differs from the record now, and what differed when table and record last agreed; less what people let lie."""
    homes = stand(watching.evidence, watching.homes)
    found = differing(watching, game), difference(homes, expected(game), watching.seeable)
    now, then = ({key: n - watching.lies.get(key, 0) for key, n in surplus.items()} for surplus in found)
    return now, then


def _to_take(watching: Watcher, now: Surplus, then: Surplus) -> Iterator[Note]:
    """Meeples that the record has taken off: the group of a move, victims that were told."""
    for (tile, piece), count in now.items():
        owed = min(count, then.get((tile, piece), 0)) if piece.kind == MEEPLE else 0
        if owed > 0 and (isinstance(watching.said, Wrong) or _lies_still(watching, tile) <= watching.at):
            yield Note("take", tile, piece.which * owed)


def _to_put(now: Surplus, then: Surplus) -> Iterator[Note]:
    """Camels, palms and palaces that the record has and that never stood there."""
    for (tile, piece), count in now.items():
        if piece.kind != MEEPLE and count < 0 and then.get((tile, piece), 0) < 0:
            yield Note("owed", tile, str(piece))


def _asked(watching: Watcher, game: Game) -> Iterator[Note]:
    """The palm or palace that the action of the end tile asks for, until one more stands there."""
    asked, tile = asked_for(game), game.turn.tile
    if not asked or tile is None or Piece(asked) not in watching.seeable:
        return
    if tile in watching.evidence.silent | watching.evidence.partial:
        return
    seen, recorded = (
        {PALM: there.palms, PALACE: there.palaces}[asked][NUMBER[tile]]
        for there in (stand(watching.evidence), expected(game))
    )
    if seen <= recorded:
        yield Note("owed", tile, asked)


def _lies_still(watching: Watcher, tile: str) -> int:
    """From when on nobody is thought to be at work on this tile, if nothing changes."""
    here = (stay for stays in watching.evidence.stays.values() for stay in stays if stay.tile == tile)
    return max((max(stay.since, stay.until or 0) + REMINDS_MS for stay in here), default=0)


def next_reminder(watching: Watcher, record: Record) -> int | None:
    """When a group may be reminded of, if hands have touched its tile lately."""
    if not watching.started or watching.restoring:
        return None
    now, then = _compared(watching, record.game)
    moments = [
        _lies_still(watching, tile)
        for (tile, piece), count in now.items()
        if piece.kind == MEEPLE and min(count, then.get((tile, piece), 0)) > 0
    ]
    return min((moment for moment in moments if moment > watching.at), default=None)
