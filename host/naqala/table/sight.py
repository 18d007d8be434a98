"""Sight: lines of readers in, a table out. Where each piece is thought to be, and everything that is not known.

A reader says all tags it sees, or that it is at fault. From that come six different things, none of them an empty tile:
a tag nobody registered (`unknown`), a tag on two readers (`doubles`, kept where it has been seen longest), a reader that
is at fault, has not spoken, or does not see even its own tile (`silent`: what stood there is thought to stand there
still), one that says that its reading is `incomplete` (what it sees is there, more may be), a piece not read for a moment
(it fades, see `timing`), and a piece that is gone (its last place is remembered). No rule lives here.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from typing import Any

from naqala_protocol import Alive, Fault, Hello, Seen

from naqala.rules.board import COLUMNS, NUMBER, ROWS, TILES
from naqala.rules.model import in_tribe_order
from naqala.table import timing
from naqala.table.pieces import CAMEL, MEEPLE, PALACE, PALM, TILE, Registry
from naqala.transcript import Piece

WORKS, PARTLY = "ok", "incomplete"  # codes of a `fault` line that speak of a reader that answers


@dataclass(frozen=True, slots=True)
class Place:
    """Where a tag is thought to be, since when, and since which line. `lost` is when its reader stopped seeing it,
    `gone` from when it counts as gone (later than `lost`, so that a missed read passes unnoticed)."""

    tile: str
    at: int
    seq: int
    lost: int | None = None
    gone: int | None = None

    def there(self, at: int) -> bool:
        return self.gone is None or at < self.gone

    def stands_off(self, tile: str) -> bool:
        """Whether it is read on another tile."""
        return self.tile != tile and self.lost is None


@dataclass(frozen=True, slots=True)
class Table:
    """What lies where, as far as it was seen. `on` and `last` are each reader's newest line and its number;
    `sightings` are the readers that see a tag now, with the number and moment of the line that showed it first; `news`
    counts the lines that changed what is believed, so that a repeated or flickering line costs nothing; `sweep` is how long the
    controller says that a round over all readers takes."""

    readers: Mapping[int, str]
    tags: Registry
    on: Mapping[int, frozenset[str]] = field(default_factory=dict)
    last: Mapping[int, int] = field(default_factory=dict)
    sightings: Mapping[str, Mapping[str, tuple[int, int]]] = field(default_factory=dict)
    places: Mapping[str, Place] = field(default_factory=dict)
    faults: Mapping[int, str] = field(default_factory=dict)
    blind: frozenset[int] = frozenset()
    doubled: frozenset[str] = frozenset()
    began: int | None = None
    news: int = 0
    sweep: int = 0

    def complete(self, at: int) -> bool:
        """Every mapped reader has spoken, or has had its time."""
        if self.began is None:
            return False
        spoken = all(reader in self.on or reader in self.faults for reader in self.readers)
        return spoken or at - self.began >= timing.SWEEP

    @property
    def silent(self) -> frozenset[str]:
        """Tiles of which nothing is known now: no reader, at fault, never heard, or blind even to the tile itself."""
        dumb = {tile for reader, tile in self.readers.items() if self.sees_nothing(reader)}
        return frozenset(dumb | (set(TILES) - set(self.readers.values())))

    @property
    def partial(self) -> frozenset[str]:
        """Tiles on which more may stand than is seen: their readers say so."""
        partly = {reader for reader, code in self.faults.items() if code == PARTLY}
        return frozenset(
            tile for reader, tile in self.readers.items() if reader in partly and reader in self.on
        )

    def sees_nothing(self, reader: int) -> bool:
        """At fault, blind even to its own tile, or not heard since it began or was mended."""
        broken = self.faults.get(reader, PARTLY) != PARTLY
        return broken or reader in self.blind or reader not in self.on

    def doubles(self, at: int) -> dict[str, tuple[str, ...]]:
        """Registered tags that two readers have seen for a while, with their tiles; the one it is kept on comes first."""
        found = {}
        for tag in sorted(self.doubled):
            if self._double_since(tag) + timing.DOUBLE <= at:
                kept = self.places[tag].tile
                found[tag] = (kept, *(tile for tile in self.sightings[tag] if tile != kept))
        return found

    def _double_since(self, tag: str) -> int:
        return max(at for _, at in self.sightings[tag].values())

    @property
    def unknown(self) -> dict[str, tuple[str, ...]]:
        """Tags nobody registered, per tile."""
        found = {}
        for reader, tags in self.on.items():
            strangers = tuple(sorted(tag for tag in tags if tag not in self.tags))
            if strangers and reader in self.readers:
                found[self.readers[reader]] = strangers
        return found

    @property
    def shifted(self) -> dict[str, str]:
        """Tiles whose own tag lies on another tile's reader: tile -> where it is seen."""
        return {
            self.tags[tag].which: place.tile
            for tag, place in self.places.items()
            if self.tags[tag].kind == TILE
            and self.tags[tag].which in NUMBER
            and place.gone is None
            and place.tile != self.tags[tag].which
        }

    def standing(self, at: int) -> dict[str, list[tuple[str, Piece]]]:
        """Per tile the pieces thought to stand there at this moment, with their tags."""
        found: dict[str, list[tuple[str, Piece]]] = {tile: [] for tile in TILES}
        for tag, place in self.places.items():
            if place.there(at):
                found[place.tile].append((tag, self.tags[tag]))
        return found


@dataclass(frozen=True, slots=True)
class Stand:
    """What stands on the 30 tiles, counted: the form in which table and game are compared."""

    meeples: tuple[str, ...]
    camels: tuple[tuple[str, ...], ...]
    palms: tuple[int, ...]
    palaces: tuple[int, ...]


def stand(table: Table, at: int, instead: Mapping[str, str] | None = None) -> Stand:
    """The table counted. `instead` puts single tags on another tile (a tag that is seen in two places)."""
    meeples = [""] * len(TILES)
    camels: list[tuple[str, ...]] = [()] * len(TILES)
    counts = {PALM: [0] * len(TILES), PALACE: [0] * len(TILES)}
    tags = table.tags
    for tag, place in table.places.items():
        if place.gone is not None and at >= place.gone:
            continue
        known = tags[tag]
        here = NUMBER[instead.get(tag, place.tile) if instead else place.tile]
        if known.kind == MEEPLE:
            meeples[here] += known.which
        elif known.kind == CAMEL:
            camels[here] = tuple(sorted((*camels[here], known.which)))
        elif known.kind in counts:
            counts[known.kind][here] += 1
    ordered = tuple([letters if len(letters) < 2 else in_tribe_order(letters) for letters in meeples])
    return Stand(ordered, tuple(camels), tuple(counts[PALM]), tuple(counts[PALACE]))


def see(table: Table, message: Any, at: int) -> Table:
    """The table after one message. What speaks neither of a reader nor of how long a round takes changes nothing."""
    if isinstance(message, Hello):
        # A controller that began to count anew: what it says next is news, what was seen stands until then.
        fresh = message.seq < max(table.last.values(), default=0)
        return replace(table, last={}) if fresh else table
    if isinstance(message, Alive):
        sweep = message.sweep or 0
        return table if sweep == table.sweep else replace(table, sweep=sweep)
    if isinstance(message, (Seen, Fault)):
        if message.reader not in table.readers or message.seq <= table.last.get(message.reader, -1):
            return table
        began = at if table.began is None else table.began
        table = replace(table, last={**table.last, message.reader: message.seq}, began=began)
        return _fault(table, message) if isinstance(message, Fault) else _seen(table, message, at)
    return table


def changes(before: Table, after: Table) -> bool:
    """Whether a reader that had spoken now says something else: something happened on the table."""
    return any(
        after.on.get(reader) != tags
        for reader, tags in before.on.items()
        if not before.sees_nothing(reader) and not after.sees_nothing(reader)
    )


def _fault(table: Table, message: Any) -> Table:
    reader, faults = message.reader, {**table.faults, message.reader: message.code}
    if message.code == PARTLY:
        return replace(table, faults=faults, news=table.news + 1)
    if message.code != WORKS:
        return replace(_unseeing(table, reader), faults=faults)
    if reader not in table.faults:
        return table
    # It works again, but what it sees it has not said yet.
    mended = {other: code for other, code in table.faults.items() if other != reader}
    on = {
        other: tags for other, tags in table.on.items() if other != reader or not table.sees_nothing(reader)
    }
    return replace(table, faults=mended, on=on, news=table.news + 1)


def _unseeing(table: Table, reader: int) -> Table:
    """A reader that sees nothing any more. What stood there is thought to stand there until it is seen elsewhere."""
    tile, sightings = table.readers[reader], dict(table.sightings)
    for tag in table.on.get(reader, ()):
        sightings[tag] = {place: first for place, first in sightings.get(tag, {}).items() if place != tile}
    places = {
        tag: _believed(place, sightings.get(tag, {}), 0, False) or place if tag in table.doubled else place
        for tag, place in table.places.items()
    }
    doubled = frozenset(tag for tag in table.doubled if len(sightings.get(tag, ())) > 1)
    on = {**table.on, reader: frozenset[str]()}
    return replace(table, on=on, sightings=sightings, places=places, doubled=doubled, news=table.news + 1)


def _misses_its_tile(table: Table, reader: int) -> bool:
    """Whether a line without any tag says that the reader is blind: it saw its tile before, or should see it now."""
    tile = table.readers[reader]
    if reader in table.blind:
        return True
    seen = [tag for tag, place in table.places.items() if place.tile == tile and place.lost is None]
    if any(table.tags[tag].kind == TILE for tag in seen):
        return True
    return reader not in table.on and any(
        known.kind == TILE and known.which == tile and tag not in table.places
        for tag, known in table.tags.items()
    )


def _seen(table: Table, message: Any, at: int) -> Table:
    reader, tile = message.reader, table.readers[message.reader]
    now, before = frozenset(message.tags), table.on.get(message.reader, frozenset())
    if not now and _misses_its_tile(table, reader):
        faults = {other: code for other, code in table.faults.items() if other != reader}
        return replace(_unseeing(table, reader), blind=table.blind | {reader}, faults=faults)
    fresh = table.sees_nothing(reader)
    faults = {other: code for other, code in table.faults.items() if other != reader}
    sightings, places = dict(table.sightings), dict(table.places)
    for tag in now - before:
        # What a reader sees with its first look stood there before: it is not gone because one read misses it.
        since = at - timing.FADES if fresh and tag not in places else at
        sightings[tag] = {**sightings.get(tag, {}), tile: (message.seq, since)}
    lost = before - now
    if fresh:  # what it was thought to hold may be gone
        lost |= {tag for tag, place in places.items() if place.tile == tile and place.lost is None} - now
    for tag in lost:
        sightings[tag] = {place: first for place, first in sightings.get(tag, {}).items() if place != tile}
    together = sum(1 for tag in lost if tag in table.tags and not sightings[tag]) > 1
    together = together and table.faults.get(reader) != PARTLY  # it is about to say that this is not all
    news = fresh or reader in table.faults
    for tag in (now - before) | lost:
        if tag not in table.tags:
            news = True
            continue
        old = places.get(tag)
        believed = _believed(old, sightings[tag], at, together)
        if believed is not None:
            places[tag] = believed
            same = old is not None and old.tile == believed.tile and old.there(at) == believed.there(at)
            news = news or not same
    doubled = (table.doubled - now - lost) | {tag for tag in now | lost if _is_double(sightings, table, tag)}
    return replace(
        table,
        on={**table.on, reader: now},
        sightings=sightings,
        places=places,
        faults=faults,
        blind=table.blind - {reader},
        doubled=doubled,
        news=table.news + 1 if news else table.news,
    )


def _is_double(sightings: Mapping[str, Mapping[str, tuple[int, int]]], table: Table, tag: str) -> bool:
    return len(sightings.get(tag, ())) > 1 and tag in table.tags


def _believed(
    place: Place | None, sighted: Mapping[str, tuple[int, int]], at: int, together: bool
) -> Place | None:
    """Where a tag is now thought to be: presence is believed at once, absence after a while, the old place longest."""
    if not sighted:
        if place is None or place.lost is not None:
            return place
        # A group that goes together was lifted; what came a moment ago was a ghost or a hand passing by.
        brief = at - place.at < timing.FADES
        return replace(place, lost=at, gone=at if together or brief else at + timing.FADES)
    if place is not None and place.tile in sighted:
        if place.lost is None:
            return place
        # What vanished together with others was lifted, so that a return is a drop; what vanished alone was missed.
        lifted = place.gone == place.lost
        if at - place.lost <= (timing.FADES if lifted else timing.REAPPEARS):
            return replace(place, lost=None, gone=None)
    tile, (seq, since) = min(sighted.items(), key=lambda item: item[1])
    return Place(tile, since, seq)


# --- the map of readers -------------------------------------------------------------------------------------

# Reader -> tile as the frame is wired: row by row, six columns each. The simulated coils lie as these do.
FRAME: dict[int, str] = dict(enumerate(column + row for row in ROWS for column in COLUMNS))


def turned(readers: Mapping[int, str]) -> dict[int, str]:
    """The reader map of the same table turned half round."""
    return {
        reader: COLUMNS[-1 - COLUMNS.index(tile[0])] + ROWS[-1 - ROWS.index(tile[1])]
        for reader, tile in readers.items()
    }


def next_change(table: Table, at: int) -> int | None:
    """The next moment at which time alone changes what is believed: a piece counts as gone, or as read in two places."""
    moments = [place.gone for place in table.places.values() if place.gone is not None and place.gone > at]
    moments += [since for tag in table.doubled if (since := table._double_since(tag) + timing.DOUBLE) > at]
    return min(moments, default=None)
