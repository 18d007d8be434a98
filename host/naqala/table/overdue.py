"""What people still owe when a turn is over, or when a group was taken up in part: a reminder first, then a flag.

In: a `Watcher` and a `Scene`. Out: a `Verdict`, or None where nothing is overdue. A camel, palm or palace that is missing is never
a flag while its turn lasts: hands are slower than the record. When the player has ended the turn, or the next one begins to
move, nobody will put it down any more.
"""

from __future__ import annotations

from naqala.rules.actions import Sow
from naqala.rules.board import TILES
from naqala.rules.breach import Breach
from naqala.rules.tiles import asked_for
from naqala.table import remedy
from naqala.table.pieces import CAMEL, MEEPLE
from naqala.table.readings import Did, Note, Quiet, Reading, Wrong
from naqala.table.remedy import Surplus
from naqala.table.scene import Scene
from naqala.table.tracks import Track
from naqala.table.verdict import Verdict, odds, within
from naqala.table.watch import Watcher, sowing_of
from naqala.transcript import Piece

NOTED_MS = 1500  # a piece that is missing or read twice for a shorter time is not worth a word


def overdue_of(watching: Watcher, scene: Scene) -> Verdict | None:
    """Pieces of a turn that has ended and that nobody has moved: a reminder first, then a flag."""
    take, put = +scene.to_take, +scene.to_put
    if watching.turned is None or watching.ending or not (take or put):
        return None
    prices = watching.prices
    waited = prices.idle_rate * (watching.at - watching.turned) / 1000
    begun = scene.game.turn.phase == "sow" and any(
        track.piece.kind == MEEPLE and track.left is not None and not track.back for track in scene.moved
    )
    lacking = prices.sure_of_a_flag + 1.0 - waited
    if lacking > 0 and not begun:
        return Verdict(Quiet(), None, within(lacking, prices.idle_rate))
    surplus: Surplus = {**dict(take.items()), **{key: -n for key, n in put.items()}}
    camels = tuple(tile for tile, piece in put if piece.kind == CAMEL)
    groups = tuple(tile for tile, piece in take if piece.kind == MEEPLE)
    breaches: tuple[Breach, ...] = ()
    if camels:
        breaches = (Breach("marks_control", tiles=tuple(sorted(camels, key=TILES.index))),)
    elif groups and not put:
        breaches = (Breach("collects_every_one_of_its_colour", tiles=groups),)
    return Verdict(Wrong(breaches, remedy.of_difference(surplus)))


def forgotten(watching: Watcher, scene: Scene) -> Verdict | None:
    """Some of a group were taken up and the others stand there: a reminder first, then a flag."""
    last = watching.open
    if last is None or not isinstance(last.action, Sow) or watching.ending:
        return None
    end, colour = last.action.drops[-1]
    key = (end, Piece(MEEPLE, colour))
    group = sum(t == end and watching.evidence.tags[tag] == key[1] for tag, t in last.after.items())
    if not 0 < scene.to_take[key] < group:
        return None
    prices = watching.prices
    waited = prices.idle_rate * (watching.at - watching.evidence.changed) / 1000
    lacking = prices.sure_of_a_flag + prices.scoop - waited
    if lacking > 0:
        return Verdict(Quiet(), None, within(lacking, prices.idle_rate))
    breach = Breach("collects_every_one_of_its_colour", len(last.action.drops), (end,))
    way = remedy.of_difference({key: scene.to_take[key]})
    return Verdict(Wrong((breach,), way, sowing_of(last.action), sure=odds(waited - prices.scoop)))


# --- notes beside a quiet reading ---------------------------------------------------------------------------


def quiet_of(watching: Watcher, scene: Scene) -> Reading:
    """Nothing to say but notes. While the group of a move still stands there, that the move was made is what stands."""
    notes = notes_of(watching, scene)
    group = any(piece.kind == MEEPLE for _, piece in +scene.to_take)
    if isinstance(watching.said, Did) and group and not any(note.note == "missing" for note in notes):
        return watching.said
    return Quiet(notes)


def notes_of(watching: Watcher, scene: Scene) -> tuple[Note, ...]:
    """What is not known or still owed, said beside a quiet reading."""
    evidence = watching.evidence
    found = [
        Note("owed", tile, str(piece) if piece.kind == CAMEL else piece.kind)
        for tile, piece in sorted(+scene.to_put, key=str)
        if piece.kind != MEEPLE
    ]
    asked, tile = asked_for(scene.game), scene.game.turn.tile
    if asked and tile:
        found.append(Note("owed", tile, asked))
    missing: dict[tuple[str, str], str] = {}
    for track in scene.moved:
        if _missing(watching, track) and track.home not in scene.noise.silent:
            which = track.piece.which if track.piece.kind == MEEPLE else str(track.piece)
            missing[str(track.home), which] = which
    found += [Note("missing", home, which) for home, which in sorted(missing)]
    found += [
        Note("unknown_tag", tile, tag) for tile, tags in sorted(evidence.unknown.items()) for tag in tags
    ]
    found += [
        Note("two_places", tiles[0], f"{evidence.tags[tag]} {tag}") for tag, tiles in _doubles(watching)
    ]
    found += [
        Note(
            "silent_reader",
            tile,
            evidence.faults.get(reader, "blind" if reader in evidence.on else "unheard"),
        )
        for reader, tile in sorted(evidence.readers.items())
        if reader in evidence.faults or evidence.sees_nothing(reader)
    ]
    found += [Note("shifted_tile", place, f"tile {tile}") for tile, place in sorted(evidence.shifted.items())]
    return tuple(found)


def next_note(watching: Watcher, scene: Scene) -> float | None:
    """Seconds until a piece has been missing, or read twice, for so long that it is worth a word."""
    since = [t.left for t in scene.moved if t.left is not None and not t.back]
    since += [max(stay.since for stay in t.stays if stay.open) for t in scene.moved if t.places]
    waits = [NOTED_MS - (watching.at - moment) for moment in since]
    return min((wait / 1000 for wait in waits if wait > 0), default=None)


def _missing(watching: Watcher, track: Track) -> bool:
    """Whether a piece has not been read for so long that it is worth a word."""
    gone = track.home is not None and track.left is not None and not track.back and not track.places
    return gone and watching.at - (track.left or 0) >= NOTED_MS


def _doubles(watching: Watcher) -> list[tuple[str, tuple[str, ...]]]:
    """Pieces that two readers have held for so long that it is worth a word."""
    return [
        (tag, tiles)
        for tag, tiles in watching.evidence.doubled.items()
        if watching.at - max(s.since for s in watching.evidence.stays[tag] if s.open) >= NOTED_MS
    ]
