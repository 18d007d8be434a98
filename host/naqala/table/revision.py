"""The last action that hands made, compared again with all other stories since before it.

In: a `Watcher` whose last action is still open, and the record. Out: a `Revision`: another action in its place, a withdrawal, a
flag that belongs to it, or nothing. A move is read before its group is taken up; what hands do then may show that it was
another one. Once the group is gone and a while has passed the move is settled, whatever else happens on the table.
"""

from __future__ import annotations

import math
from collections import Counter
from dataclasses import dataclass, replace

from naqala.rules.actions import Sow
from naqala.rules.board import TILES
from naqala.rules.record import Record
from naqala.table.noise import Noise
from naqala.table.pieces import MEEPLE
from naqala.table.readings import Did, Quiet, Reading
from naqala.table.scene import SETTLES_S, Scene, meeples_of, scene_of
from naqala.table.stories import WINDOW, stories
from naqala.table.story import Root, Story
from naqala.table.verdict import Bench, Verdict, did, doing, odds, within, wrong
from naqala.table.watch import Open, Watcher, offer
from naqala.transcript import Piece


@dataclass(frozen=True, slots=True)
class Revision:
    """What another story since before the last move means: an answer, or only that nobody may be flagged too soon."""

    verdict: Verdict | None = None
    slack: float = 0.0  # how much cheaper the best other story is, as a negative number: it may explain what looks wrong now
    due: float | None = None


def revised(watching: Watcher, record: Record) -> tuple[Watcher, Revision]:
    """Compare the last action that hands made with all other stories since before it."""
    last = watching.open
    if last is None:
        return watching, Revision()
    if not isinstance(last.action, Sow):
        return watching, _undone_by_a_slip(watching, record, last)
    before = record.at(last.number)
    then = scene_of(watching, before, last)
    found = stories(Root(meeples_of(watching, before), then.left, then.noise))
    bench = Bench(before.meeples, last.action.player, watching.prices, 0.0)
    mine = [story for story in found if last.same(story)]
    fair = next((story for story in mine if not story.breaches), None)
    # Once its group is taken up the move is over: what is touched then is no part of it.
    ended = _group_gone(watching, last)
    foul = next((story for story in mine if story.breaches and ended is None), None)
    kept = fair.price if fair else found[0].price + WINDOW
    if foul is not None and kept - foul.price >= watching.prices.sure_of_a_flag:
        return watching, Revision(Verdict(wrong(bench, foul, odds(kept - foul.price))))
    rival = next((s for s in found if not last.same(s) and not (ended is not None and s.breaches)), None)
    if rival is None or (ended is not None and watching.at - ended >= SETTLES_S * 1000):
        return watching, Revision()
    needed = watching.prices.sure_of_a_flag if rival.breaches else watching.prices.sure_of_a_move
    lacking = needed - (kept - rival.price)
    slack = 0.0 if rival.breaches else min(0.0, rival.price - kept)
    if lacking > 0:
        rate = (fair.rate if fair else 0.0) - rival.rate
        return watching, Revision(None, slack, within(lacking, rate))
    if rival.done:
        action = did(bench, rival).action
        watching = offer(watching, last.number, action, then.carriers, places_after(rival), since_open=True)
        sure = odds(kept - rival.price)
        return watching, Revision(Verdict(Did(action, replaces=True, sure=sure), rival))
    if len(record.steps) > last.number + 1:
        return watching, Revision(None, slack)  # something was told since: hands do not take that back
    reading: Reading = Quiet(withdraws=True)
    if rival.breaches:
        reading = replace(wrong(bench, rival, odds(kept - rival.price)), withdraws=True)
    elif rival.start is not None:
        reading = replace(doing(bench, rival), withdraws=True)
    return watching, Revision(Verdict(reading, rival))


def next_move_begun(last: Open, scene: Scene) -> bool:
    """Whether hands are at another tile in a later turn: then the last move is settled as it is."""
    if scene.game.turn.phase != "sow" or not isinstance(last.action, Sow):
        return False
    own = {last.action.start, *(tile for tile, _ in last.action.drops)}
    lifted = Counter(
        one.home for one in scene.moved if one.piece.kind == MEEPLE and one.left is not None and not one.back
    )
    for tile, count in lifted.items():
        if tile is not None and (tile not in own or count == len(scene.game.tile(tile).meeples)):
            return True
    return False


def _group_gone(watching: Watcher, last: Open) -> int | None:
    """When the last of a move's group was lost from its end tile; None while one of them is read there."""
    assert isinstance(last.action, Sow)
    end, colour = last.action.drops[-1]
    lost = [0]
    for tag, tile in last.after.items():
        if tile != end or watching.evidence.tags[tag] != Piece(MEEPLE, colour):
            continue
        stays = [stay for stay in watching.evidence.stays.get(tag, ()) if stay.tile == end]
        if any(stay.open for stay in stays):
            return None
        lost += [stay.until for stay in stays if stay.until is not None]
    return max(lost)


def _undone_by_a_slip(watching: Watcher, record: Record, last: Open) -> Revision:
    """A piece that was read as gone, or as placed, is back where it was: it was never touched."""
    if len(record.steps) > last.number + 1:
        return Revision()
    noise = Noise(watching.evidence, watching.at, watching.prices, watching.told)
    for tag, home in last.homes.items():
        if last.after.get(tag) == home:
            continue
        for stay in watching.evidence.stays.get(tag, ()):
            if stay.open and stay.tile == home and stay.since > watching.since:
                lost = stay.since - watching.since
                slip = watching.prices.unread + watching.prices.unread_rate * lost / 1000
                gap = noise.ghost(stay).price + math.log(len(TILES)) - slip
                if gap >= watching.prices.sure_of_a_move:
                    return Revision(Verdict(Quiet(withdraws=True)))
    return Revision()


def places_after(story: Story) -> dict[str, str | None]:
    """Where a story leaves the pieces: its drops on their tiles. A group that was taken up is owed until it is seen gone."""
    return dict(story.places)


def adopted(watching: Watcher, record: Record, known: int) -> Watcher:
    """A sowing that was told: when its pieces lie there already, they are where it says; else they are on their way, and the
    last one may stand with its group before all of them are taken up."""
    new = [(n, a) for n, a in enumerate(record.actions) if n >= known and isinstance(a, Sow)]
    if not new or (watching.open is not None and watching.open.number == new[-1][0]):
        return watching
    number, action = new[-1]
    before = record.at(number)
    then = scene_of(watching, before)
    root = Root(meeples_of(watching, before), then.left, then.noise)
    told = Open(number, action, watching.homes, watching.since, watching.homes)
    story = next((story for story in stories(root) if told.same(story) and not story.breaches), None)
    end, colour = action.drops[-1]
    if story is None:
        return replace(watching, transit={(end, Piece(MEEPLE, colour)): 1})
    return replace(watching, homes={**then.carriers, **dict(story.places)}, since=watching.at)
