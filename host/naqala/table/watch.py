"""The follower: evidence and the last reading in, the next reading out. It reads; it never plays.

    watching = watcher(readers, tags)                     readers: {17: "C4"}, tags: {"04a1b2c3": Piece("meeple", "Y")}
    watching = heard(watching, message, at)               a message of the controller
    watching, reading = look(watching, record, at)        what the table says now; None when that is what was said before
    actions = consequences(watching, record, reading)     what the reading makes of the record, for whoever keeps it
    moment = next_due(watching)                           when to look again though nobody speaks

The record belongs to the caller. A follower remembers where the pieces stood when table and record last agreed (`homes`), and
the last action that hands made (`open`): until the table has shown its result for a while, the stories since before it are
compared again with every look, and when another one becomes much cheaper the action is replaced or withdrawn.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from itertools import pairwise
from typing import Any

from naqala.rules.actions import Action, End, Sow, Undo
from naqala.rules.board import NEIGHBOURS, TILES, distance
from naqala.rules.breach import IllegalMove, InvalidAction
from naqala.rules.record import Record, append
from naqala.rules.sowing import Sowing
from naqala.table import evidence as seen_
from naqala.table.evidence import Evidence
from naqala.table.pieces import MEEPLE
from naqala.table.prices import Prices, standard
from naqala.table.readings import Did, Doing, Reading, Wrong
from naqala.table.remedy import Surplus
from naqala.table.story import Story
from naqala.transcript import Piece

SLIP = 2  # tiles from one drop to the next in the plain mistakes: diagonal, one skipped


@dataclass(frozen=True, slots=True)
class Open:
    """An action that was read from the table and may still prove to be another."""

    number: int  # how many actions stood before it
    action: Action
    homes: Mapping[str, str]  # where the pieces stood before it
    since: int  # and from when on what was read belongs to it
    after: Mapping[str, str]  # where they stand after it

    def same(self, other: Story) -> bool:
        """Whether a story is this very move, whatever order of drops it tells."""
        if not isinstance(self.action, Sow) or not other.drops:
            return False
        mine = self.action
        return (mine.start, mine.drops[-1], sorted(mine.drops)) == (
            other.start,
            other.drops[-1],
            sorted(other.drops),
        )


@dataclass(frozen=True, slots=True)
class Watcher:
    """All that a follower remembers."""

    evidence: Evidence
    seeable: frozenset[Piece] = frozenset()  # pieces that carry a tag at all: what has none is never missed
    prices: Prices = field(default_factory=standard)
    homes: Mapping[str, str] = field(default_factory=dict)  # tag -> tile, by what was seen and recorded
    since: int = 0  # what ended before is explained
    count: int = 0  # actions of the record when it was last compared
    open: Open | None = None  # the last action that hands made
    offered: Open | None = None  # an action that was said and is not yet in the record
    lies: Surplus = field(default_factory=dict)  # differences that people decided to leave
    flagged: Surplus = field(default_factory=dict)  # differences found at the first sweep
    told: Mapping[str, str] = field(default_factory=dict)  # what taps say of tiles with a dead reader
    restoring: bool = False  # after an undo pieces are put back, and nothing else is read
    transit: Surplus = field(
        default_factory=dict
    )  # where pieces of a told sowing may stand before they are taken up
    turned: int | None = None  # when the last turn ended, while something of it is still owed
    started: bool = False  # the first sweep is complete
    ending: bool = (
        False  # the transcript ends: nobody will put anything down any more, and nobody is to blame for that
    )
    said: Reading | None = None
    at: int = 0
    due: int | None = None  # when another look is worth while though nobody speaks
    news: int = 0  # of the evidence at the last look
    looks: int = 0  # looks since then


def watcher(readers: Mapping[int, str], tags: Mapping[str, Piece], prices: Prices | None = None) -> Watcher:
    """A follower of a table on which nothing has been seen yet."""
    return Watcher(Evidence(dict(readers), dict(tags)), frozenset(tags.values()), prices or standard())


def heard(watching: Watcher, message: Any, at: int) -> Watcher:
    """Take in one message of the controller."""
    at = max(at, watching.at)
    evidence = seen_.see(watching.evidence, message, at)
    if not watching.started and seen_.happens(watching.evidence, evidence):
        # Hands do not wait for a reader that has not spoken: what was seen so far is the beginning.
        watching = replace(watching, started=True, homes=watching.evidence.places(), since=at - 1)
    homes = _first_seen(watching, evidence) if watching.started else watching.homes
    return replace(watching, evidence=evidence, homes=homes, at=at)


def has_news(before: Watcher, after: Watcher) -> bool:
    """Whether what was heard can change a reading."""
    return before.evidence.news != after.evidence.news


def _first_seen(watching: Watcher, evidence: Evidence) -> Mapping[str, str]:
    """What a reader shows with its first line stood there before: nobody saw it come."""
    if len(evidence.stays) == len(watching.evidence.stays):
        return watching.homes
    new = {
        tag: stays[-1].tile
        for tag, stays in evidence.stays.items()
        if tag not in watching.evidence.stays and stays[-1].early and tag not in watching.homes
    }
    return {**watching.homes, **new} if new else watching.homes


# --- the record ---------------------------------------------------------------------------------------------


def consequences(watching: Watcher, record: Record, reading: Reading) -> tuple[Action, ...]:
    """The actions by which a reading changes the record, in their order. What the rules refuse later on in the record is left
    out: it was told of another move."""
    if reading.withdraws:
        return (Undo(watching.open.number),) if watching.open else ()
    if not isinstance(reading, Did):
        return ()
    if not reading.replaces or watching.offered is None:
        return (reading.action,)
    number = watching.offered.number
    actions: list[Action] = [Undo(number), reading.action]
    trial = append(append(record, actions[0]), actions[1])
    for action in record.actions[number + 1 :]:
        try:
            trial = append(trial, action)
        except (IllegalMove, InvalidAction):
            break
        actions.append(action)
    return tuple(actions)


def reconciled(watching: Watcher, record: Record) -> Watcher:
    """Bring what is remembered in line with the record: an action that was said now stands, others were told or undone."""
    actions, count = record.actions, len(record.steps)
    offered = watching.offered
    if offered is not None and count > offered.number and actions[offered.number] == offered.action:
        watching = replace(
            watching,
            open=offered,
            homes=offered.after,
            since=watching.at,
            offered=None,
            flagged={},
            turned=None,
        )
        turned = _turn_ended(watching, actions[offered.number + 1 :])
        return replace(watching, count=count, turned=turned)
    if count == watching.count:
        return watching
    known = watching.open
    if known is not None and (count <= known.number or actions[known.number] != known.action):
        watching = replace(watching, open=None, homes=known.homes, since=known.since)
    if count < watching.count:
        return replace(watching, count=count, offered=None)
    return replace(watching, count=count, turned=_turn_ended(watching, actions[watching.count :]))


def _turn_ended(watching: Watcher, new: tuple[Action, ...]) -> int | None:
    return watching.at if any(isinstance(action, End) for action in new) else watching.turned


def offer(
    watching: Watcher,
    number: int,
    action: Action,
    carriers: Mapping[str, str],
    places: Mapping[str, str | None],
    since_open: bool,
) -> Watcher:
    """Remember what is being said, so that it is recognised when it stands in the record. `carriers` is which tag stands for
    the piece of which home, `places` where the action leaves pieces (None: beside the board)."""
    base = watching.open if since_open and watching.open is not None else None
    homes, since = (base.homes, base.since) if base else (watching.homes, watching.since)
    moved = {**carriers, **places}
    after = {tag: tile for tag, tile in moved.items() if tile is not None}
    return replace(watching, offered=Open(number, action, homes, since, after))


# --- people's decisions -------------------------------------------------------------------------------------


def play_on(watching: Watcher, differing: Surplus) -> Watcher:
    """People leave the table as it is: what differs now is not flagged any more, until it is put right by itself."""
    return replace(
        watching,
        lies=dict(differing),
        flagged={},
        homes=watching.evidence.places(),
        since=watching.at,
        open=None,
        offered=None,
        restoring=False,
        said=None,
    )


def entered(watching: Watcher, tile: str, meeples: str) -> Watcher:
    """What lies on a tile whose reader is dead, told by a tap. Meeples that are not read anywhere and of which more lie there than
    before were put there, about when hands were last seen; those of which fewer lie there were taken up."""
    evidence, stays = watching.evidence, dict(watching.evidence.stays)
    there = evidence.places()
    here = [tag for tag, place in there.items() if place == tile and evidence.tags[tag].kind == MEEPLE]
    stood, lies = Counter(evidence.tags[tag].which for tag in here), Counter(meeples)
    for tag in here:
        letter = evidence.tags[tag].which
        if stood[letter] > lies[letter]:
            stood[letter] -= 1
            stays[tag] = tuple(
                replace(stay, until=watching.at) if stay.open and stay.tile == tile else stay
                for stay in stays[tag]
            )
    lifted = [tag for tag in watching.homes if tag not in there and evidence.tags[tag].kind == MEEPLE]
    for tag in sorted(
        lifted, key=lambda tag: -max((stay.until or 0 for stay in stays.get(tag, ())), default=0)
    ):
        letter = evidence.tags[tag].which
        if stood[letter] < lies[letter]:
            stood[letter] += 1
            stays[tag] = (*stays.get(tag, ()), seen_.Stay(tile, evidence.changed, evidence.top or 0))
    evidence = replace(evidence, stays=stays, changed=watching.at, news=evidence.news + 1)
    return replace(watching, evidence=evidence, told={**watching.told, tile: meeples})


def next_due(watching: Watcher) -> int | None:
    """The next moment at which something is to be looked at though nobody speaks; None when all is at rest."""
    return watching.due if watching.due is not None and watching.due > watching.at else None


def tiles_of_interest(watching: Watcher) -> tuple[int, ...]:
    """Readers to look at first, the most wanted first (`focus` on the wire): under the drops that a move in flight has open,
    or under the tiles that would close a gap in its path; then all within a slip of the hand, where a flag is due, or those of
    a whole move. While a flag stands, those that the way back names."""
    reading, wanted, near = watching.said, set[str](), set[str]()
    if isinstance(reading, Doing):
        wanted = {tile for tile, _ in reading.open}
        for one, other in pairwise(reading.path):
            if other not in NEIGHBOURS[one] and not reading.open:
                wanted |= {other, *(set(NEIGHBOURS[one]) & set(NEIGHBOURS[other]))}
        if reading.hand:
            near = {tile for tile in TILES if distance(reading.path[-1], tile) <= SLIP}
        else:
            near = set(reading.path)  # one of its drops may not have been read yet
    if isinstance(reading, Did) and isinstance(reading.action, Sow):
        near = {tile for tile, _ in reading.action.drops}
    if isinstance(reading, Wrong):
        for step in reading.remedy.steps:
            wanted |= {*step.onto, *([step.take_from] if step.take_from else [])}
    at = {tile: reader for reader, tile in watching.evidence.readers.items()}
    ordered = (*sorted(wanted), *sorted(near - wanted))
    return tuple(at[tile] for tile in ordered if tile in at)


def counted(places: Mapping[str, str], tags: Mapping[str, Piece]) -> Counter[tuple[str, Piece]]:
    """How many of each piece stand on each tile."""
    return Counter((tile, tags[tag]) for tag, tile in places.items() if tags[tag].kind != "tile")


def sowing_of(action: Sow) -> Sowing:
    return Sowing(action.start, action.drops)
