"""What people still owe the table: the group of a move that was read and not yet taken up, a camel, a palm, a palace.

In: a `Watcher`. Out: notes, `take` (letters of the meeples that still stand there) and `owed` (a piece still to be put there).
The record is ahead of the hands here and nothing is wrong: these are reminders, from the moment an action stands until the
table shows it. Who is taking up a group needs no reminder: it is said when its tile has lain still for a while. Once the
referee has objected, it stays until all is done: a flag that only reminds must not turn into another under the hand.
"""

from __future__ import annotations

from collections.abc import Iterator

from naqala.rules.board import NUMBER, TILES
from naqala.rules.model import Game
from naqala.rules.tiles import asked_for
from naqala.table import timing
from naqala.table.compare import difference, expected, silenced
from naqala.table.memory import Watcher
from naqala.table.pieces import MEEPLE, PALACE, PALM
from naqala.table.readings import Note, Wrong
from naqala.table.remedy import Surplus
from naqala.table.sight import stand
from naqala.transcript import Piece


def still_due(watching: Watcher) -> tuple[Note, ...]:
    """Reminders, in the order of the board; none before the first sweep, and none while an undo is put right."""
    if not watching.started or watching.restoring:
        return ()
    game, table = watching.game, watching.table
    seen = silenced(stand(table, watching.at), table, game, watching.homes, watching.told)
    surplus = difference(seen, expected(game), watching.seeable)
    found = [*_to_take(watching, surplus), *_to_put(watching, surplus)]
    asked = asked_for(game)
    if asked and Piece(asked) in watching.seeable and str(game.turn.tile) not in table.silent | table.partial:
        standing = {PALM: seen.palms, PALACE: seen.palaces}[asked][NUMBER[str(game.turn.tile)]]
        recorded = {PALM: expected(game).palms, PALACE: expected(game).palaces}[asked]
        if standing <= recorded[NUMBER[str(game.turn.tile)]]:
            found.append(Note("owed", str(game.turn.tile), asked))
    return tuple(sorted(found, key=lambda note: TILES.index(note.tile)))


def _to_take(watching: Watcher, surplus: Surplus) -> Iterator[Note]:
    """Meeples that the record has taken off: the group of a move, victims that were told."""
    lags = watching.past[watching.shown] if watching.shown < watching.count else None
    end = watching.move.sow.drops[-1] if watching.move else None
    for (tile, piece), count in surplus.items():
        if piece.kind != MEEPLE or count < 1:
            continue
        gone = lags is not None and _fewer(lags, watching.game, tile, piece.which)
        said = isinstance(watching.said, Wrong) or _lies_still(watching, tile) <= watching.at
        if ((tile, piece.which) == end or gone) and said:
            yield Note("take", tile, piece.which * count)


def _lies_still(watching: Watcher, tile: str) -> int:
    """From when on nobody is thought to be at work on this tile, if all stays as it is."""
    here = (place for place in watching.table.places.values() if place.tile == tile)
    return max((max(place.at, place.lost or 0) + timing.SCOOPS for place in here), default=0)


def next_reminder(watching: Watcher) -> int | None:
    """When the group of the last move may be reminded of, if hands have touched its tile lately."""
    lags = watching.shown < watching.count
    tile = watching.move.sow.drops[-1][0] if watching.move else watching.game.turn.tile if lags else None
    moment = _lies_still(watching, tile) if tile else 0
    return moment if moment > watching.at else None


def _fewer(before: Game, now: Game, tile: str, letter: str) -> bool:
    return now.tile(tile).meeples.count(letter) < before.tile(tile).meeples.count(letter)


def _to_put(watching: Watcher, surplus: Surplus) -> Iterator[Note]:
    """Camels, palms and palaces that the record has and that never stood there: what did stand there is missing, not due."""
    table, at = watching.table, watching.at
    bumped = {(place.tile, table.tags[tag]) for tag, place in table.places.items() if not place.there(at)}
    for (tile, piece), count in surplus.items():
        if piece.kind != MEEPLE and count < 0 and (tile, piece) not in bumped:
            yield Note("owed", tile, str(piece))
