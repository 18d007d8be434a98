"""Evidence: what the readers said, as one frozen value. Facts only; what they mean is decided in `stories`.

In: messages of the controller with the moment at which each arrived. Out: `Evidence`. It knows, per tag, every stay (tile,
from when, until when) that is not yet settled; per tile when its reader last looked; which line numbers are missing; and
which readers tell nothing. None of these is an empty tile, and each is something else:

    unknown tag       somebody's stay card, or a piece nobody enrolled      `unknown`
    a tag twice       two readers hold it: one of them reads across         two open stays
    silent reader     at fault, never heard, or blind to its own tile       `silent`: what stood there is thought to stand there
    incomplete        what it reads is there, more may be                   `partial`

A stay on a reader that falls silent stays open: nobody said that the piece went away. A line that arrives late (its number is
lower than that of lines heard before) is dated back to the moment at which the line after it was heard.

Example: `seen 31 12 -` closes every stay on reader 12's tile; `looked 31 5,5,6` says that readers 5 (twice) and 6 were asked
and saw what they had said before: from then on a drop that should lie there and is not read costs a story dearly.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from typing import Any

from naqala_protocol import Alive, Fault, Hello, Looked, Seen

from naqala.rules.board import COLUMNS, NUMBER, ROWS, TILES
from naqala.rules.model import in_tribe_order
from naqala.table.pieces import CAMEL, MEEPLE, PALACE, PALM, TILE, Registry
from naqala.transcript import Piece

WORKS, PARTLY = "ok", "incomplete"  # codes of a `fault` line that speak of a reader that answers
SAYS_MS = 500  # a controller that says which readers looked says so every tenth of a second
SWEEP_MS = 5000  # a mapped reader that has not spoken so long after the first one is silent
MOST_LOOKS = 24  # moments of looks kept per tile: more than any story asks for
MOST_LINES = 64  # numbers of lines whose moments are kept, to date back a line that comes late
MOST_MISSING = (
    256  # line numbers that are waited for; beyond that the controller sends a whole snapshot anyway
)


@dataclass(frozen=True, slots=True)
class Stay:
    """One tag on one tile: the moment and the number of the line that showed it first, and when its reader lost it."""

    tile: str
    since: int
    seq: int
    until: int | None = None
    early: bool = False  # its reader had not spoken before: it may have stood there for long
    lost: int = 0  # the number of the line that no longer showed it

    @property
    def open(self) -> bool:
        return self.until is None


@dataclass(frozen=True, slots=True)
class Evidence:
    readers: Mapping[int, str]  # reader -> tile
    tags: Registry  # tag -> piece
    on: Mapping[int, frozenset[str]] = field(default_factory=dict)  # each reader's newest line
    last: Mapping[int, int] = field(default_factory=dict)  # and its number
    stays: Mapping[str, tuple[Stay, ...]] = field(default_factory=dict)  # of registered tags, oldest first
    faults: Mapping[int, str] = field(default_factory=dict)
    blind: frozenset[int] = frozenset()  # readers that no longer see their own tile
    looks: Mapping[str, tuple[int, ...]] = field(
        default_factory=dict
    )  # tile -> moments at which its reader looked
    looked_at: int | None = None  # when the controller last said which readers looked
    looked_from: int = 0  # and since when it has said so without a pause
    top: int | None = None  # the highest line number heard of
    missing: frozenset[int] = frozenset()  # numbers below it that were never heard
    gap_since: int = 0  # since when some are missing
    lines: tuple[tuple[int, int], ...] = ()  # (number, moment) of the newest lines
    began: int | None = None  # the first line of a reader
    changed: int = 0  # when a registered piece last came or went
    news: int = 0  # counts what may change a reading
    sweep: int = 0  # milliseconds that the controller needs for a round over all readers

    def complete(self, at: int) -> bool:
        """Every mapped reader has spoken, or has had its time."""
        if self.began is None:
            return False
        spoken = all(reader in self.on or reader in self.faults for reader in self.readers)
        return spoken or at - self.began >= SWEEP_MS

    def sees_nothing(self, reader: int) -> bool:
        """At fault, blind even to its own tile, or not heard since it began or was mended."""
        broken = self.faults.get(reader, PARTLY) != PARTLY
        return broken or reader in self.blind or reader not in self.on

    @property
    def silent(self) -> frozenset[str]:
        """Tiles of which nothing is known now."""
        dumb = {tile for reader, tile in self.readers.items() if self.sees_nothing(reader)}
        return frozenset(dumb | (set(TILES) - set(self.readers.values())))

    @property
    def partial(self) -> frozenset[str]:
        """Tiles on which more may stand than is read: their readers say so."""
        return frozenset(
            self.readers[reader]
            for reader, code in self.faults.items()
            if code == PARTLY and reader in self.on and reader in self.readers
        )

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
    def doubled(self) -> dict[str, tuple[str, ...]]:
        """Registered tags that two working readers hold now, with the tiles, the older one first."""
        silent = self.silent
        found = {}
        for tag, stays in self.stays.items():
            tiles = tuple(stay.tile for stay in stays if stay.open and stay.tile not in silent)
            if len(tiles) > 1:
                found[tag] = tiles
        return dict(sorted(found.items()))

    @property
    def shifted(self) -> dict[str, str]:
        """Tiles whose own tag lies on another tile's reader: tile -> where it is read."""
        found = {}
        for tag, tile in self.places().items():
            known = self.tags[tag]
            if known.kind == TILE and known.which in NUMBER and known.which != tile:
                found[known.which] = tile
        return found

    def places(self) -> dict[str, str]:
        """Where each registered tag is read now; of two tiles that of a working reader, then the older stay."""
        silent = self.silent
        found = {}
        for tag, stays in self.stays.items():
            standing = [stay for stay in stays if stay.open]
            if standing:
                found[tag] = min(standing, key=lambda stay: (stay.tile in silent, stay.since, stay.seq)).tile
        return found

    def standing(self) -> dict[str, list[tuple[str, Piece]]]:
        """Per tile the pieces that are read there now, with their tags."""
        found: dict[str, list[tuple[str, Piece]]] = {tile: [] for tile in TILES}
        for tag, tile in self.places().items():
            found[tile].append((tag, self.tags[tag]))
        return found


@dataclass(frozen=True, slots=True)
class Stand:
    """What stands on the 30 tiles, counted: the form in which table and record are compared."""

    meeples: tuple[str, ...]
    camels: tuple[tuple[str, ...], ...]
    palms: tuple[int, ...]
    palaces: tuple[int, ...]


def stand(evidence: Evidence, places: Mapping[str, str] | None = None) -> Stand:
    """The table counted, as it is read now or with each tag on the tile that `places` gives."""
    meeples = [""] * len(TILES)
    camels: list[tuple[str, ...]] = [()] * len(TILES)
    counts = {PALM: [0] * len(TILES), PALACE: [0] * len(TILES)}
    for tag, tile in (evidence.places() if places is None else places).items():
        known, here = evidence.tags[tag], NUMBER[tile]
        if known.kind == MEEPLE:
            meeples[here] += known.which
        elif known.kind == CAMEL:
            camels[here] = tuple(sorted((*camels[here], known.which)))
        elif known.kind in counts:
            counts[known.kind][here] += 1
    ordered = tuple([letters if len(letters) < 2 else in_tribe_order(letters) for letters in meeples])
    return Stand(ordered, tuple(camels), tuple(counts[PALM]), tuple(counts[PALACE]))


# --- taking in a message ------------------------------------------------------------------------------------


def see(evidence: Evidence, message: Any, at: int) -> Evidence:
    """The evidence after one message. What speaks neither of a reader nor of the controller's looks changes nothing."""
    if isinstance(message, Hello):
        # A controller that counts from one again: what it says next is news, what was read stands until then.
        restarted = message.seq < max(evidence.last.values(), default=0)
        last = {} if restarted else evidence.last
        top = message.seq if restarted or evidence.top is None else max(evidence.top, message.seq)
        return replace(evidence, last=last, top=top, missing=frozenset(), lines=())
    if isinstance(message, Alive):
        evidence = _heard_of(evidence, message.seq, at)
        return replace(evidence, sweep=message.sweep or 0) if message.sweep != evidence.sweep else evidence
    if isinstance(message, Looked):
        return _looked(_heard_of(evidence, message.seq, at), message.readers, at)
    if not isinstance(message, (Seen, Fault)) or message.reader not in evidence.readers:
        return evidence
    evidence, at = _numbered(evidence, message.seq, at)
    if message.seq <= evidence.last.get(message.reader, -1):
        return evidence
    began = at if evidence.began is None else evidence.began
    evidence = replace(evidence, last={**evidence.last, message.reader: message.seq}, began=began)
    return _fault(evidence, message) if isinstance(message, Fault) else _seen(evidence, message, at)


def _heard_of(evidence: Evidence, seq: int, at: int) -> Evidence:
    """Lines up to this number were said; those that did not arrive are missing."""
    if evidence.top is None or seq <= evidence.top:
        return evidence
    lost = range(max(evidence.top + 1, seq - MOST_MISSING), seq + 1)
    since = evidence.gap_since if evidence.missing else at
    return replace(
        evidence, top=seq, missing=evidence.missing | set(lost), gap_since=since, news=evidence.news + 1
    )


def _numbered(evidence: Evidence, seq: int, at: int) -> tuple[Evidence, int]:
    """Take note of a line's number. Returns also the moment at which it was said, as far as one can tell."""
    if evidence.top is None:
        evidence = replace(evidence, top=seq - 1)
    if seq not in evidence.missing and seq > (evidence.top or 0) + 1:
        evidence = _heard_of(evidence, seq - 1, at)
    when = min((moment for number, moment in evidence.lines if number > seq), default=at)
    missing = evidence.missing - {seq}
    news = evidence.news + (missing != evidence.missing)
    top = max(evidence.top or 0, seq)
    lines = (*evidence.lines[-MOST_LINES:], (seq, when))
    return replace(evidence, top=top, missing=missing, lines=lines, news=news), when


def _looked(evidence: Evidence, readers: tuple[int, ...], at: int) -> Evidence:
    looks = dict(evidence.looks)
    for reader in readers:
        tile = evidence.readers.get(reader)
        if tile is not None:
            looks[tile] = (*looks.get(tile, ())[1 - MOST_LOOKS :], at)
    paused = evidence.looked_at is None or at - evidence.looked_at > SAYS_MS
    since = at if paused else evidence.looked_from
    return replace(evidence, looks=looks, looked_at=at, looked_from=since, news=evidence.news + 1)


def _fault(evidence: Evidence, message: Any) -> Evidence:
    reader, news = message.reader, evidence.news + 1
    if message.code != WORKS:
        return replace(evidence, faults={**evidence.faults, reader: message.code}, news=news)
    if reader not in evidence.faults:
        return evidence
    # It works again, but what it sees it has not said yet.
    faults = {other: code for other, code in evidence.faults.items() if other != reader}
    stale = evidence.sees_nothing(reader)
    on = {other: tags for other, tags in evidence.on.items() if other != reader or not stale}
    return replace(evidence, faults=faults, on=on, news=news)


def _misses_its_tile(evidence: Evidence, reader: int) -> bool:
    """Whether a line without any tag says that the reader is blind: it saw its tile before, or should see it now."""
    tile = evidence.readers[reader]
    if reader in evidence.blind:
        return True
    for tag, stays in evidence.stays.items():
        if evidence.tags[tag].kind == TILE and any(stay.open and stay.tile == tile for stay in stays):
            return True
    return reader not in evidence.on and any(
        known.kind == TILE and known.which == tile and tag not in evidence.stays
        for tag, known in evidence.tags.items()
    )


def _seen(evidence: Evidence, message: Any, at: int) -> Evidence:
    reader, tile = message.reader, evidence.readers[message.reader]
    now = frozenset(message.tags)
    faults = {other: code for other, code in evidence.faults.items() if other != reader}
    if not now and _misses_its_tile(evidence, reader):
        blind = evidence.blind | {reader}
        on = {**evidence.on, reader: now}
        return replace(evidence, on=on, blind=blind, faults=faults, news=evidence.news + 1)
    first = evidence.sees_nothing(reader)
    stays, changed = dict(evidence.stays), False
    known = [tag for tag in now if tag in evidence.tags]
    for tag in known:
        held = stays.get(tag, ())
        if not any(stay.open and stay.tile == tile for stay in held):
            stays[tag] = (*held, Stay(tile, at, message.seq, early=first))
            changed = True
    before = evidence.on.get(reader, frozenset()) if not first else [tag for tag in stays if tag not in now]
    for tag in before:
        held = stays.get(tag, ())
        if tag not in now and any(stay.open and stay.tile == tile for stay in held):
            stays[tag] = tuple(
                replace(stay, until=at, lost=message.seq) if stay.open and stay.tile == tile else stay
                for stay in held
            )
            changed = True
    looks = {**evidence.looks, tile: (*evidence.looks.get(tile, ())[1 - MOST_LOOKS :], at)}
    return replace(
        evidence,
        on={**evidence.on, reader: now},
        stays=stays,
        faults=faults,
        blind=evidence.blind - {reader},
        looks=looks,
        changed=at if changed else evidence.changed,
        news=evidence.news + 1,
    )


def settled(evidence: Evidence, at: int) -> Evidence:
    """The evidence without stays that ended before this moment: they have been explained."""
    stays = {
        tag: tuple(stay for stay in held if stay.until is None or stay.until > at)
        for tag, held in evidence.stays.items()
    }
    return replace(evidence, stays={tag: held for tag, held in stays.items() if held})


def happens(before: Evidence, after: Evidence) -> bool:
    """Whether a reader that had spoken now says something else: something happened on the table."""
    return any(
        after.on.get(reader) != tags
        for reader, tags in before.on.items()
        if not before.sees_nothing(reader) and not after.sees_nothing(reader)
    )


# --- the map of readers -------------------------------------------------------------------------------------

# Reader -> tile as the frame is wired: row by row, six columns each. The simulated coils lie as these do.
FRAME: dict[int, str] = dict(enumerate(column + row for row in ROWS for column in COLUMNS))


def turned(readers: Mapping[int, str]) -> dict[int, str]:
    """The reader map of the same table turned half round."""
    return {
        reader: COLUMNS[-1 - COLUMNS.index(tile[0])] + ROWS[-1 - ROWS.index(tile[1])]
        for reader, tile in readers.items()
    }
