"""A table against the record: what the record owes the hands, and which pieces nothing explains yet.

In: a `Watcher` and a game of the record. Out: a `Scene`. The record is often ahead of the hands: a move was read before its group
was taken up, a victim was told before it was taken off, a camel is due. Such pieces are *owed*: whether they have moved
already or not, they need no further story. Whatever else has moved is left for `stories` and `rest`.

Example: the record has collected two elders from D4, which were there when table and record last agreed. Until they are
gone `to_take` holds them; when one is lost, it is explained by that and no slip of a reader has to be paid for.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping
from dataclasses import dataclass, replace

from naqala.rules.board import TILES, distance
from naqala.rules.model import Game
from naqala.table.compare import cleared, difference, expected, silenced
from naqala.table.evidence import Evidence, Stand, settled, stand
from naqala.table.noise import Noise
from naqala.table.pieces import CAMEL, MEEPLE, PALACE, PALM
from naqala.table.remedy import Surplus
from naqala.table.tracks import Track, tracks
from naqala.table.watch import Open, Watcher, counted
from naqala.transcript import Piece

SETTLES_S = 3.0  # a table that agrees for so long has shown what it is: what was read before is forgotten
Owed = Counter[tuple[str, Piece]]


@dataclass(frozen=True, slots=True)
class Scene:
    """A table against the record as it stands: what is owed, and which pieces nothing explains."""

    game: Game
    record: Stand  # what stands there by the record, with the differences that people left
    to_take: Owed  # pieces that the record has taken off and that stood there when it did
    to_put: Owed  # pieces that the record has put down and that have not come yet
    left: tuple[Track, ...]  # tracks that what is owed does not explain
    moved: tuple[Track, ...]  # of these, those of which anything was seen
    noise: Noise
    settles: dict[str, str | None]  # pieces that have done what was owed: where they belong from now on
    carriers: dict[
        str, str
    ]  # which tag stands for the piece of which home: alike pieces may have changed places


def differing(watching: Watcher, game: Game) -> Surplus:
    """What is read more or less than the record has."""
    seen = silenced(stand(watching.evidence), watching.evidence, game, watching.told)
    return difference(seen, expected(game), watching.seeable)


def settled_at(watching: Watcher) -> Watcher:
    """Table and record agree: from here on only what comes new has to be explained."""
    silent = watching.evidence.silent | watching.evidence.partial
    kept = {tag: tile for tag, tile in watching.homes.items() if tile in silent}
    return replace(
        watching,
        homes={**kept, **watching.evidence.places()},
        since=watching.at,
        evidence=settled(watching.evidence, watching.at),
        open=None,
        turned=None,
        transit={},
    )


def meeples_of(watching: Watcher, game: Game) -> tuple[str, ...]:
    """The record's meeples with the differences that people left, and those of the first sweep."""
    if not watching.lies and not watching.flagged:
        return game.meeples
    back = [{key: -n for key, n in kept.items()} for kept in (watching.lies, watching.flagged)]
    return cleared(expected(game), *back).meeples


def scene_of(watching: Watcher, game: Game, base: Open | None = None) -> Scene:
    """What the record owes and what nothing explains, against the homes of now or those before an open move."""
    evidence, tags = watching.evidence, watching.evidence.tags
    homes, since = (watching.homes, watching.since) if base is None else (base.homes, base.since)
    homes = {**_out_of_sight(evidence, homes, game), **homes}
    record = expected(game)
    if watching.lies or watching.flagged:
        record = cleared(record, *({k: -n for k, n in s.items()} for s in (watching.lies, watching.flagged)))
    wanted, have = _counts(record), counted(homes, tags)
    to_take, to_put = have - wanted, wanted - have
    to_put = Counter({key: n for key, n in to_put.items() if key[1] in watching.seeable})
    take, put = to_take.copy(), to_put + Counter(watching.transit)
    taken = _taken(evidence, homes, take)
    homes = {tag: tile for tag, tile in homes.items() if tag not in taken}
    left: list[Track] = []
    settles: dict[str, str | None] = dict.fromkeys(taken)
    carriers: dict[str, str] = {}
    for one in tracks(evidence, homes, since, watching.at):
        if one.home is not None:
            carriers[one.tag] = one.home
        if not one.moved or not _owed(one, take, put):
            left.append(one)
        elif watching.at - max(one.left or 0, *(stay.since for stay in one.stays), 0) >= SETTLES_S * 1000:
            settles[one.tag] = one.places[-1].tile if one.places else None
    moved = tuple(one for one in left if one.moved)
    noise = Noise(evidence, watching.at, watching.prices, watching.told)
    # What may stand somewhere for a while is not owed.
    return Scene(game, record, take, put & to_put, tuple(left), moved, noise, settles, carriers)


def _out_of_sight(evidence: Evidence, homes: Mapping[str, str], game: Game) -> dict[str, str]:
    """Homes of meeples that were first read after they had left a tile whose reader has told nothing: of the tiles that lack
    such a meeple the nearest one."""
    strangers = [tag for tag in evidence.stays if tag not in homes and evidence.tags[tag].kind == MEEPLE]
    if not strangers:
        return {}
    known = counted(homes, evidence.tags)
    lacking: Owed = Counter()
    for tile in evidence.silent:
        for letter in game.tile(tile).meeples:
            lacking[tile, Piece(MEEPLE, letter)] += 1
    lacking -= known
    found = {}
    for tag in strangers:
        first, piece = evidence.stays[tag][0].tile, evidence.tags[tag]
        near = [tile for tile, one in lacking if one == piece and lacking[tile, one] > 0]
        if near:
            found[tag] = min(near, key=lambda tile: (distance(tile, first), tile))
            lacking[found[tag], piece] -= 1
    return found


def _taken(evidence: Evidence, homes: Mapping[str, str], take: Owed) -> list[str]:
    """Tags of pieces that the record has taken off the board and that are read nowhere: they are done with, and one of their
    kind that comes to the same tile is another one. That much less is owed."""
    found = []
    for tag, tile in homes.items() if +take else ():
        key = (tile, evidence.tags[tag])
        if take[key] > 0 and not any(stay.open for stay in evidence.stays.get(tag, ())):
            take[key] -= 1
            found.append(tag)
    return found


def brought_home(watching: Watcher, scene: Scene) -> Watcher:
    """Pieces that have done what was owed for a while belong where they are now."""
    if not scene.settles:
        return watching
    homes = {tag: tile for tag, tile in scene.carriers.items() if scene.settles.get(tag, tile) is not None}
    return replace(watching, homes=homes | {t: p for t, p in scene.settles.items() if p is not None})


def _counts(there: Stand) -> Owed:
    found: Owed = Counter()
    for number, tile in enumerate(TILES):
        for letter in there.meeples[number]:
            found[tile, Piece(MEEPLE, letter)] += 1
        for name in there.camels[number]:
            found[tile, Piece(CAMEL, name)] += 1
        for kind, counts in ((PALM, there.palms), (PALACE, there.palaces)):
            if counts[number]:
                found[tile, Piece(kind)] += counts[number]
    return found


def _owed(track: Track, take: Owed, put: Owed) -> bool:
    """Whether what is owed explains a track; then that much less is owed."""
    places = [stay for stay in track.places if put[stay.tile, track.piece] > 0]
    gone = track.home is not None and not track.back
    if places and (track.home is None or gone):
        if gone and take[str(track.home), track.piece] <= 0:
            return False
        if gone:
            take[str(track.home), track.piece] -= 1
        put[places[0].tile, track.piece] -= 1
        return True
    if gone and not track.places and take[str(track.home), track.piece] > 0:
        take[str(track.home), track.piece] -= 1
        return True
    return False
