"""What nobody saw being made: pieces put back to an earlier position, and a table that had moved before anybody looked.

In: a `Watcher`, the record, a `Scene`. Out: a `Verdict`. A table that differs at the first look is a flag; when a legal sowing
explains all of it, people are asked instead, because nobody saw the way.
"""

from __future__ import annotations

from collections import Counter
from dataclasses import replace

from naqala.rules.actions import Sow, Undo
from naqala.rules.model import Game
from naqala.rules.record import Record
from naqala.table import remedy
from naqala.table.compare import difference, expected, silenced
from naqala.table.evidence import stand
from naqala.table.noise import Noise
from naqala.table.pieces import MEEPLE
from naqala.table.readings import Did, Note, Option, Quiet, Unclear, Wrong
from naqala.table.revision import places_after
from naqala.table.scene import Scene, differing
from naqala.table.stories import stories
from naqala.table.story import Root, Story
from naqala.table.tracks import track, tracks
from naqala.table.verdict import LATEST, MOST_OPTIONS, Verdict, odds, within
from naqala.table.watch import Watcher, offer, sowing_of

MOST_TAKEBACKS = 12  # actions that pieces put back on their tiles may take back


def takeback_of(watching: Watcher, record: Record, scene: Scene) -> Verdict | None:
    """Pieces put back to where they stood before an action: a takeback of everything since."""
    seen = silenced(stand(watching.evidence), watching.evidence, record.game, watching.told)
    by_homes = stand(watching.evidence, watching.homes)
    for number in range(len(record.steps) - 1, max(-1, len(record.steps) - 1 - MOST_TAKEBACKS), -1):
        then = expected(record.at(number))
        if then == scene.record or difference(seen, then, watching.seeable):
            continue
        if not difference(by_homes, then, watching.seeable):
            return None  # the table has never shown what was told since: it only lags behind
        idle = watching.prices.idle_rate * (watching.at - watching.evidence.changed) / 1000
        lacking = watching.prices.sure_of_a_flag + watching.prices.takeback_turn - idle
        if lacking > 0:
            return Verdict(watching.said or Quiet(), None, min(lacking / watching.prices.idle_rate, LATEST))
        return Verdict(Did(Undo(number, record.at(number).turn.player)))
    return None


def unwatched(watching: Watcher, record: Record) -> tuple[Watcher, Verdict]:
    """The table differed when it was first looked at: legal sowings that explain all of it are a question, else a flag."""
    game, evidence = record.game, watching.evidence
    flag = _first_sweep(watching)
    if game.turn.phase != "sow" or not any(piece.kind == MEEPLE for _, piece in watching.flagged):
        return watching, flag
    noise = Noise(evidence, watching.at, watching.prices, watching.told)
    options: dict[object, Story] = {}
    beginnings: dict[str, dict[str, str]] = {}  # start tile -> where the pieces stood if it was that one
    surplus = [(tile, piece) for (tile, piece), n in watching.flagged.items() if n > 0 for _ in range(n)]
    for start in {tile for (tile, _), n in watching.flagged.items() if n < 0}:
        homes, lacking = (
            dict(watching.homes),
            Counter({p: -n for (t, p), n in watching.flagged.items() if t == start}),
        )
        for tile, piece in surplus:
            tag = next((t for t, h in homes.items() if h == tile and evidence.tags[t] == piece), None)
            if tag is not None and lacking[piece] > 0:
                lacking[piece] -= 1
                homes[tag] = start
        for tag in evidence.stays:  # what was in the hand then and has been put down since
            if tag not in homes and lacking[evidence.tags[tag]] > 0:
                lacking[evidence.tags[tag]] -= 1
                homes[tag] = start
        lost = [(t, p) for (t, p), n in watching.flagged.items() if n < 0 for _ in range(-n)]
        unseen = [track(p, "", t, watching.since) for t, p in lost if p.kind == MEEPLE]
        for tag, home in homes.items():
            gone = next(
                (
                    u
                    for u in unseen
                    if home == u.home != watching.homes.get(tag) and evidence.tags[tag] == u.piece
                ),
                None,
            )
            if gone is not None:
                unseen.remove(gone)
        beginnings[start] = homes
        found = (*tracks(evidence, homes, watching.since, watching.at), *unseen)
        root = Root(game.meeples, found, noise, True, watched=False)
        for story in stories(root):
            if story.done and story.price < 2 * watching.prices.sure_of_a_move:
                options.setdefault(story.outcome, story)
    if not options:
        return watching, flag
    likely = sorted(options.values(), key=lambda story: story.price)
    if len(likely) == 1 and _went_on(watching, game):
        action = Sow(str(game.turn.player), str(likely[0].start), likely[0].drops)
        begun = replace(watching, homes=beginnings[action.start])
        places = places_after(likely[0])
        return offer(begun, len(record.steps), action, begun.homes, places, False), Verdict(Did(action))
    notes: tuple[Note, ...] = ()
    if len(likely) > MOST_OPTIONS:
        notes = tuple(Note("enter_tile", tile) for tile in sorted(evidence.silent))
    shown = tuple(Option(sowing_of(Sow("", str(s.start), s.drops))) for s in likely[:MOST_OPTIONS])
    return watching, Verdict(Unclear(shown, notes=notes))


def _went_on(watching: Watcher, game: Game) -> bool:
    """Whether hands have moved on since the first sweep: something differs that did not differ then. Pieces that are put back
    only make less differ."""
    return any(abs(n) > abs(watching.flagged.get(key, 0)) for key, n in differing(watching, game).items())


def _first_sweep(watching: Watcher) -> Verdict:
    """What differed at the first sweep: pieces that were only not read yet, or a table that is not as recorded."""
    prices, noise = watching.prices, Noise(watching.evidence, watching.at, watching.prices, watching.told)
    missing = sum(-count for count in watching.flagged.values() if count < 0)
    # One reader that was slow at the start is hardly alone: further pieces that are not read cost little.
    cost = noise.unread("", [watching.since] * missing).price if missing else 0.0
    cost += (prices.ghost + prices.both) * sum(count for count in watching.flagged.values() if count > 0)
    lacking = prices.sure_of_a_flag + prices.unwatched - cost
    if lacking > 0:
        return Verdict(Quiet(), None, within(lacking, prices.unread_rate))
    return Verdict(Wrong((), remedy.of_difference(watching.flagged), sure=odds(cost - prices.unwatched)))
