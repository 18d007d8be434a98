"""One look at the table: which game to compare it with, which stories explain it, and what is said.

In: a `Watcher`, the record, a moment. Out: the watcher after the look and the reading, if it is another than the last one.
Three questions in this order: is the last move that hands made still the cheapest story since before it (else it is replaced
or withdrawn, `revision`); what is owed by the record and not yet done (`scene`, `overdue`: never a flag while its turn
lasts); and what do all other pieces say, those of a sowing through `stories`, the rest through `rest`.
"""

from __future__ import annotations

import math
from dataclasses import replace

from naqala.rules.actions import Kill
from naqala.rules.record import Record
from naqala.table import remedy
from naqala.table.claim import Claim, Rest
from naqala.table.evidence import SWEEP_MS
from naqala.table.overdue import forgotten, next_note, notes_of, overdue_of, quiet_of
from naqala.table.pieces import MEEPLE
from naqala.table.readings import Did, Quiet, Reading, Wrong
from naqala.table.rest import claims
from naqala.table.revision import adopted, next_move_begun, places_after, revised
from naqala.table.scene import SETTLES_S, Scene, brought_home, differing, meeples_of, scene_of, settled_at
from naqala.table.stories import stories
from naqala.table.story import Root
from naqala.table.unwatched import takeback_of, unwatched
from naqala.table.verdict import Bench, Verdict, judge, odds, within
from naqala.table.watch import Watcher, offer, reconciled

FIRST_LOOK_MS = 20  # before that nothing is looked at again while nobody speaks


def look(
    watching: Watcher, record: Record, at: int, over: bool = False, forced: bool = False
) -> tuple[Watcher, Reading | None]:
    """What the table says at this moment; None when it was said before. `over`: whatever was being made is over; `forced`: and
    the likeliest answer is wanted, however unsure it is."""
    watching = replace(watching, at=max(at, watching.at))
    if not watching.started:
        if not watching.evidence.complete(at):
            due = watching.evidence.began
            return replace(watching, due=None if due is None else due + SWEEP_MS), None
        watching = _begun(watching, record)
    watching = adopted(reconciled(watching, record), record, watching.count)
    watching, verdict = _verdict(watching, record, over, forced)
    # Rates change on the way, so a moment that was worked out may prove too early: then it is put off ever longer.
    looks = watching.looks + 1 if watching.news == watching.evidence.news else 0
    due = None
    if verdict.due is not None:
        due = watching.at + max(math.ceil(verdict.due * 1000), FIRST_LOOK_MS << min(looks, 6))
    watching = replace(watching, due=due, looks=looks, news=watching.evidence.news)
    reading = verdict.reading
    if reading == watching.said and (not isinstance(reading, Did) or reading is watching.said):
        return watching, None
    return replace(watching, said=reading), reading


def _begun(watching: Watcher, record: Record) -> Watcher:
    """The first sweep is complete: what differs from the record is a flag, unless people let it lie before."""
    begun = replace(
        watching,
        started=True,
        homes=watching.evidence.places(),
        since=watching.at,
        count=len(record.steps),
    )
    found = differing(begun, record.game)
    return replace(begun, flagged={key: n for key, n in found.items() if begun.lies.get(key) != n})


def _left_of(before: int, now: int) -> int:
    """What is left of a difference: as much as there was at most, and nothing when it has changed its sign."""
    return max(0, min(before, now)) if before > 0 else min(0, max(before, now))


# --- which answer counts ------------------------------------------------------------------------------------


def _verdict(watching: Watcher, record: Record, over: bool, forced: bool) -> tuple[Watcher, Verdict]:
    if watching.restoring:
        left = differing(watching, record.game)
        if left:
            return watching, Verdict(Wrong((), remedy.of_difference(left)))
        watching = settled_at(replace(watching, restoring=False))
    if watching.flagged:
        healed = differing(watching, record.game)
        flagged = {
            key: n for key, was in watching.flagged.items() if (n := _left_of(was, healed.get(key, 0)))
        }
        watching = replace(watching, flagged=flagged)
        if not flagged:
            watching = settled_at(watching)
    watching, heals = _lies_put_right(watching, record)
    scene = scene_of(watching, record.game)
    if watching.open is None and scene.moved and not differing(watching, record.game):
        # Piece by piece the table is as the record has it, whichever of them changed places.
        watching = settled_at(watching)
        scene = scene_of(watching, record.game)
    watching = brought_home(watching, scene)
    if watching.open is not None and next_move_begun(watching.open, scene):
        watching = replace(watching, open=None)
    watching, revision = revised(watching, record)
    if revision.verdict is not None:
        return watching, revision.verdict
    watching, verdict = _of_now(watching, record, scene, (over, forced), revision.slack)
    dues = [due for due in (revision.due, verdict.due, heals) if due is not None]
    return watching, replace(verdict, due=min(dues, default=None))


def _lies_put_right(watching: Watcher, record: Record) -> tuple[Watcher, float | None]:
    """What people let lie and then put right after all is over, once the table has shown it for a while; else in how many
    seconds that will be."""
    if not watching.lies:
        return watching, None
    now = differing(watching, record.game)
    left = {key: n for key, was in watching.lies.items() if (n := _left_of(was, now.get(key, 0)))}
    if left == watching.lies:
        return watching, None
    wait = SETTLES_S - (watching.at - watching.evidence.changed) / 1000
    return (watching, wait) if wait > 0 else (replace(watching, lies=left), None)


def _of_now(
    watching: Watcher, record: Record, scene: Scene, over: tuple[bool, bool], slack: float
) -> tuple[Watcher, Verdict]:
    game = scene.game
    sowing = game.turn.phase == "sow" and game.turn.player is not None
    owed = +scene.to_take or +scene.to_put
    if not owed:
        watching = replace(watching, turned=None)
    if all(one.back and not one.places for one in scene.moved) and not owed:
        quiet_s = (watching.at - watching.evidence.changed) / 1000
        if watching.flagged:
            return unwatched(watching, record)
        if quiet_s >= SETTLES_S or (watching.open is None and not watching.evidence.missing):
            watching = (
                settled_at(watching)
                if watching.open or watching.since < watching.evidence.changed
                else watching
            )
            return watching, Verdict(Quiet(notes_of(watching, scene)))
        due = SETTLES_S - quiet_s if watching.open else None
        return watching, Verdict(Quiet(notes_of(watching, scene)), None, due)
    overdue = overdue_of(watching, scene) or forgotten(watching, scene)
    if overdue is not None and isinstance(overdue.reading, Wrong):
        return watching, overdue
    waits = [overdue.due] if overdue is not None else []
    waits.append(next_note(watching, scene))
    lost: dict[str, list[int]] = {}
    for track in scene.moved:
        if track.home is not None and not track.back and not track.places and track.left is not None:
            lost.setdefault(track.home, []).append(track.left)
    # What the last move moved is explained with it.
    last = watching.open
    own = {tag for tag in last.after if last.after[tag] != last.homes.get(tag)} if last else set()
    others = tuple(one for one in scene.moved if one.tag not in own or not one.places)
    group = any(piece.kind == MEEPLE for _, piece in +scene.to_take)
    rest = Rest(game, others, lost, scene.noise, +scene.to_put, group, watching.since)
    found = [replace(claim, gap=claim.gap + slack) for claim in claims(rest, sowing)]
    best = max((c for c in found if c.sure and isinstance(c.reading, Did)), key=lambda c: c.gap, default=None)
    if best is not None and isinstance(best.reading, Did):
        return _claimed(watching, record, scene, best, best.reading), Verdict(_with_odds(best))
    takeback = takeback_of(watching, record, scene) if scene.moved else None
    if takeback is not None:
        return watching, takeback
    verdict = Verdict(quiet_of(watching, scene))
    if sowing and any(track.piece.kind == MEEPLE for track in scene.moved):
        verdict = _of_a_sowing(watching, scene, over, slack)
    if isinstance(verdict.reading, Did) and verdict.story is not None:
        after = places_after(verdict.story)
        number, carriers = len(record.steps), scene.carriers
        return offer(watching, number, verdict.reading.action, carriers, after, since_open=False), verdict
    sure = max((c for c in found if c.sure), key=lambda c: c.gap, default=None)
    if sure is not None and not isinstance(verdict.reading, Wrong):
        return watching, Verdict(_with_odds(sure))
    waits += [verdict.due, *(within(c.needs - c.gap, c.rate) for c in found if not c.sure)]
    due = min((wait for wait in waits if wait is not None), default=None)
    if isinstance(verdict.reading, Quiet):
        if watching.flagged:
            return unwatched(watching, record)
        verdict = replace(verdict, reading=replace(quiet_of(watching, scene), sure=verdict.reading.sure))
    return watching, replace(verdict, due=due)


def _with_odds(claim: Claim) -> Reading:
    return replace(claim.reading, sure=odds(claim.gap))


def _claimed(watching: Watcher, record: Record, scene: Scene, claim: Claim, reading: Did) -> Watcher:
    """Where the pieces of a claim stand when it is recorded: victims are gone, placed pieces are where they were put."""
    gone = isinstance(reading.action, Kill)
    places = {one.tag: None if gone else one.places[-1].tile for one in claim.tracks}
    return offer(watching, len(record.steps), reading.action, scene.carriers, places, since_open=False)


def _of_a_sowing(watching: Watcher, scene: Scene, over: tuple[bool, bool], slack: float) -> Verdict:
    game = scene.game
    meeples = meeples_of(watching, game)
    found = stories(Root(meeples, scene.left, scene.noise, over[0]))
    if slack:  # nobody has moved in this turn, and the move before it was another one
        idle_story = next(story for story in found if story.start is None)
        found = sorted([replace(idle_story, price=idle_story.price + slack), *found], key=lambda s: s.price)
    idle = (watching.at - watching.evidence.changed) / 1000
    bench = Bench(meeples, str(game.turn.player), watching.prices, idle, *over)
    return judge(bench, found)
