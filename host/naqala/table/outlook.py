"""The outlook: all that a follower remembers and what stands on the table now, made one Explanation.

In: a `Watcher` and the counted table. Out: the watcher (a move closed or reopened) and the Explanation; nothing is said and
nothing is played here. `explain` and `rest` explain, this decides which of them is asked and against which game.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import replace

from naqala.rules.actions import Sow, Undo
from naqala.rules.board import NUMBER, TILES
from naqala.rules.breach import Breach
from naqala.rules.model import Game
from naqala.rules.sowing import Sowing
from naqala.table import remedy, timing
from naqala.table.compare import cleared, difference, expected, silenced
from naqala.table.difference import scene, still_lifted
from naqala.table.explain import explain
from naqala.table.memory import Move, Watcher
from naqala.table.moves import MOST_OPTIONS, fitting
from naqala.table.pieces import MEEPLE
from naqala.table.readings import (
    WHEN_OVER,
    Did,
    Explanation,
    Note,
    Option,
    Quiet,
    Reading,
    Unclear,
    Wrong,
    say,
)
from naqala.table.remedy import Surplus
from naqala.table.rest import Rest, explain_rest
from naqala.table.sight import Stand, stand

MOST_DOUBLES = 3  # pieces read in two places whose other place is tried, too


def _standing(watching: Watcher, game: Game, seen: Stand) -> Stand:
    """What stands on the table, silent tiles as the game (or a tap) has them, accepted differences left out."""
    seen = silenced(seen, watching.table, game, watching.homes, watching.told)
    return cleared(seen, watching.lies, watching.flagged)


def differing(watching: Watcher, seen: Stand) -> Surplus:
    seen = silenced(seen, watching.table, watching.game, watching.homes, watching.told)
    return difference(seen, expected(watching.game), watching.seeable)


def closed(watching: Watcher, seen: Stand) -> Watcher:
    """An open move whose result stands on the table is closed; differences that healed are forgotten."""
    found = differing(watching, seen)
    watching = _healed(watching, found)
    if watching.move and _standing(watching, watching.game, seen).meeples == expected(watching.game).meeples:
        return replace(
            watching, move=None, recent=watching.move, homes=watching.table.places, shown=watching.count
        )
    if watching.move is None and not found:
        return replace(
            watching, homes=watching.table.places, lifted={}, shown=watching.count, restoring=False
        )
    return watching


def _healed(watching: Watcher, found: Surplus) -> Watcher:
    lies = {key: count for key, count in watching.lies.items() if found.get(key) == count or watching.move}
    flagged = {key: n for key, n in watching.flagged.items() if found.get(key) == n or watching.move}
    return replace(watching, lies=lies, flagged=flagged)


def explained(watching: Watcher, seen: Stand, at: int) -> tuple[Watcher, Explanation]:
    """The most charitable explanation; a piece read in two places is tried in the other when the first does not do."""
    if watching.restoring:
        return watching, say((timing.AT_ONCE, Wrong((), remedy.of_difference(differing(watching, seen)))))
    watching, found = _explained_as(watching, seen, at)
    if _settles(found):
        return watching, found
    doubles = list(watching.table.doubles(at).items())[:MOST_DOUBLES]
    for instead in _placements(doubles):
        there = stand(watching.table, at, instead)
        _, other = _explained_as(_healed(watching, differing(watching, there)), there, at, instead)
        if _settles(other):
            return watching, other
    if not _flags(found):
        return watching, found
    for instead in _placements(_just_moved(watching)):
        _, other = _explained_as(watching, stand(watching.table, at, instead), at, instead)
        if not _flags(other):
            # The flag hangs on a piece that two readers see: one of them will soon see it no more.
            return watching, Explanation(
                tuple((max(wait, timing.STRANGE) if _is_flag(r) else wait, r) for wait, r in found.steps)
            )
    return watching, found


def _placements(doubles: Sequence[tuple[str, tuple[str, ...]]]) -> Iterator[dict[str, str]]:
    """Every choice of pieces that stand where they were seen later, or only by the neighbour."""
    for choice in range(1, 1 << len(doubles)):
        yield {tag: tiles[1] for bit, (tag, tiles) in enumerate(doubles) if choice >> bit & 1}


def _just_moved(watching: Watcher) -> list[tuple[str, tuple[str, ...]]]:
    """Pieces that have left their place and are seen in two others, with both."""
    table, found = watching.table, []
    for tag in sorted(table.doubled):
        place, home = table.places[tag], watching.homes.get(tag)
        if table.tags[tag].kind == MEEPLE and (home is None or home.seq != place.seq):
            found.append((tag, (place.tile, *(tile for tile in table.sightings[tag] if tile != place.tile))))
    return found[:MOST_DOUBLES]


def _is_flag(reading: Reading) -> bool:
    return isinstance(reading, Wrong)


def _flags(explanation: Explanation) -> bool:
    return any(_is_flag(reading) and wait < WHEN_OVER for wait, reading in explanation.steps)


def _settles(explanation: Explanation) -> bool:
    return all(isinstance(reading, (Quiet, Did)) for _, reading in explanation.steps)


def _explained_as(
    watching: Watcher, seen: Stand, at: int, instead: Mapping[str, str] | None = None
) -> tuple[Watcher, Explanation]:
    if watching.move and watching.move.sow.as_it_lies:
        return watching, _decided(watching, watching.move, seen)
    if watching.move and watching.game.turn.phase == "kill":
        killed = _victims_already(watching, seen, at)
        if killed is not None:
            return watching, killed
    before = watching.move.before if watching.move else watching.game
    seen = _standing(watching, before, seen)
    meeples = expected(before).meeples
    sowing = before.turn.phase == "sow"
    unwatched = _unwatched(watching, before, at, instead) if sowing and not watching.move else None
    if unwatched is not None:
        return watching, unwatched
    if sowing and seen.meeples != meeples:
        watching, found = _of_hands(watching, before, seen, at, instead)
        if found is not None:
            taken = _taken_on_the_way(watching, watching.move, seen) if watching.move else None
            if taken is not None and not any(isinstance(reading, Did) for _, reading in found.steps):
                return watching, taken
            return watching, _of_open_move(watching, found, at)
    if watching.move and watching.move.told:
        return watching, _decided(watching, watching.move, stand(watching.table, at, instead))
    if watching.move and seen.meeples == meeples:
        return watching, say((timing.REOPENED, Quiet(withdraws=True)))
    found = _between_moves(watching, seen, at)
    more = any(len(here) > len(there) for here, there in zip(seen.meeples, meeples, strict=True))
    if watching.recent and not sowing and more and not _settles(found):
        return _reopened(watching, watching.recent, at, instead) or (watching, found)
    return watching, found


def _victims_already(watching: Watcher, seen: Stand, at: int) -> Explanation | None:
    """The group was taken up, and in the same breath a victim: the move is whole, what is missing now is a matter of the
    kill."""
    surplus = difference(_standing(watching, watching.game, seen), expected(watching.game), watching.seeable)
    counts = [count for (_, piece), count in surplus.items() if piece.kind == MEEPLE]
    return _between_moves(watching, seen, at) if counts and max(counts) < 0 else None


def _decided(watching: Watcher, move: Move, seen: Stand) -> Explanation:
    """A move that people told or let stand is not judged again; its pieces are still to be moved."""
    left = difference(_standing(watching, watching.game, seen), expected(watching.game), watching.seeable)
    return say((timing.AT_ONCE, Did(move.sow)), (timing.OWED, Wrong((), remedy.of_difference(left))))


def _taken_on_the_way(watching: Watcher, move: Move, seen: Stand) -> Explanation | None:
    """The move stands, its group too, and only meeples that it dropped on the way are gone: the wrong ones were taken up.
    If those were seen to come last, they may well have been the last: it is for the hands to show."""
    end, colour = move.sow.drops[-1]
    laid = [Counter(letters) for letters in expected(move.before).meeples]
    laid[NUMBER[move.sow.start]].clear()
    for tile, letter in move.sow.drops:
        laid[NUMBER[tile]][letter] += 1
    gone: list[tuple[str, str]] = []
    for tile, there, here in zip(TILES, laid, seen.meeples, strict=True):
        if Counter(here) - there:
            return None
        gone += [(tile, letter) for letter in (there - Counter(here)).elements()]
    if not gone or not all(drop in move.sow.drops and drop != (end, colour) for drop in gone):
        return None
    if set(gone) == {watching.came_last}:
        return None
    breach = Breach("collects_every_one_of_its_colour", len(move.sow.drops), (end,))
    way = remedy.taken_instead(gone, (end, colour), seen.meeples[NUMBER[end]].count(colour))
    wrong = Wrong((breach,), way, Sowing(move.sow.start, move.sow.drops))
    return say((timing.AT_ONCE, Did(move.sow)), (timing.SCOOPS, wrong))


def _of_hands(
    watching: Watcher, before: Game, seen: Stand, at: int, instead: Mapping[str, str] | None
) -> tuple[Watcher, Explanation | None]:
    """What hands made of the game before, remembering when each tile was first found short."""
    meeples = expected(before).meeples
    view = scene(
        meeples, seen.meeples, watching.table, at, watching.homes, watching.lifted, instead, watching.told
    )
    lifted = still_lifted(view, watching.lifted, at)
    found = explain(replace(view, lifted=lifted), str(before.turn.player))
    return replace(watching, lifted=lifted), found


def _unwatched(
    watching: Watcher, before: Game, at: int, instead: Mapping[str, str] | None
) -> Explanation | None:
    """The table had moved when it was first looked at: legal sowings that explain it together with all that was seen since.

    Nobody saw the way, so that a single one is a question as well, unless hands were seen to finish it.
    """
    if not any(piece.kind == MEEPLE for _, piece in watching.flagged):
        return None
    player, record = str(before.turn.player), expected(before).meeples
    told = (watching.homes, watching.lifted, instead, watching.told)
    all_seen = silenced(
        stand(watching.table, at, instead), watching.table, before, watching.homes, watching.told
    )
    whole = scene(record, cleared(all_seen, watching.lies).meeples, watching.table, at, *told)
    found = {c.outcome: c.sowing for c in fitting(whole)}
    if not found:
        return None
    since = scene(
        record, cleared(all_seen, watching.lies, watching.flagged).meeples, watching.table, at, *told
    )
    found |= {c.outcome: c.sowing for c in fitting(since)}
    options = list(found.values())
    if len(options) == 1 and since.before != since.after:
        return say((timing.ASKS, Did(Sow(player, options[0].start, options[0].drops))))
    notes = (
        tuple(Note("enter_tile", TILES[tile]) for tile in sorted(whole.silent))
        if options[MOST_OPTIONS:]
        else ()
    )
    return say((timing.STRANGE, Unclear(tuple(Option(one) for one in options[:MOST_OPTIONS]), notes=notes)))


def _reopened(
    watching: Watcher, move: Move, at: int, instead: Mapping[str, str] | None
) -> tuple[Watcher, Explanation] | None:
    """A move that was closed on a misreading: the group stands there after all, or another one is gone."""
    again = replace(watching, move=move, recent=None, homes=move.homes)
    seen = _standing(again, move.before, stand(watching.table, at, instead))
    again, found = _of_hands(again, move.before, seen, at, instead)
    if found is None or not any(isinstance(reading, Did) for _, reading in found.steps):
        return None
    return again, _of_open_move(again, found, at)


def _of_open_move(watching: Watcher, found: Explanation, at: int) -> Explanation:
    """How an explanation of the same beginning changes a move that was read as done already."""
    takeback = None if isinstance(found.steps[0][1], Did) else _earlier(watching, at)
    if takeback is not None:
        return takeback
    if watching.move is None:
        return found
    steps: list[tuple[int, Reading]] = []
    kept = any(
        isinstance(r, Did) and isinstance(r.action, Sow) and watching.move.same(r.action)
        for _, r in found.steps
    )
    if any(
        isinstance(r, Unclear) and any(watching.move.same(o.sowing) for o in r.options)
        for _, r in found.steps
    ):
        return say((timing.AT_ONCE, Did(watching.move.sow)))  # nobody could tell, and it has been told
    if watching.move.told and not kept:
        return _decided(watching, watching.move, stand(watching.table, at))
    for wait, reading in found.steps:
        if isinstance(reading, Did):
            steps.append((wait, reading if kept else replace(reading, replaces=True)))
        elif kept:
            if isinstance(reading, Wrong):
                steps.append((wait, reading))
        else:
            steps.append((max(wait, timing.REOPENED), replace(reading, withdraws=True)))
    return Explanation(tuple(steps))


def _earlier(watching: Watcher, at: int) -> Explanation | None:
    """Pieces put back to where they stood before an action: a takeback of everything since.

    An action that was told, and whose pieces still have to be moved, is not taken back: the table only lags behind.
    """
    seen, silent = stand(watching.table, at), watching.table.silent
    lags = expected(watching.past[watching.shown]) if watching.shown < watching.count else None
    for number in range(min(watching.count, watching.shown) - 1, -1, -1):
        game = watching.past[number]
        if not silent and any(t.meeples != here for t, here in zip(game.tiles, seen.meeples, strict=True)):
            continue
        there, then = silenced(seen, watching.table, game, watching.homes, watching.told), expected(game)
        if then not in (expected(watching.game), lags) and not difference(there, then, watching.seeable):
            return say((timing.STRANGE, Did(Undo(number, game.turn.player))))
    return None


def _between_moves(watching: Watcher, seen: Stand, at: int) -> Explanation:
    surplus = difference(seen, expected(watching.game), watching.seeable)
    put_back = any(count > 0 or piece.kind != MEEPLE for (_, piece), count in surplus.items())
    takeback = _earlier(watching, at) if put_back and watching.move is None else None
    if takeback is not None:
        return takeback
    table = watching.table
    bumped = frozenset(
        (place.tile, table.tags[tag]) for tag, place in table.places.items() if not place.there(at)
    )
    silent = table.silent | table.partial
    found = explain_rest(Rest(watching.game, surplus, bumped, watching.seeable, silent))
    first = found.steps[0][1]
    if watching.flagged and isinstance(first, Quiet) and not surplus:
        return say((timing.STRANGE, Wrong((), remedy.of_difference(watching.flagged))))
    notes = _notes(watching, at)
    if notes and isinstance(first, Quiet):
        more = replace(first, notes=first.notes + notes)
        return Explanation((found.steps[0], (timing.STRANGE, more), *found.steps[1:]))
    return found


def _notes(watching: Watcher, at: int) -> tuple[Note, ...]:
    """What is not known, said beside a quiet reading."""
    table = watching.table
    found = [Note("unknown_tag", tile, tag) for tile, tags in sorted(table.unknown.items()) for tag in tags]
    found += [
        Note("two_places", tiles[0], f"{table.tags[tag]} {tag}") for tag, tiles in table.doubles(at).items()
    ]
    found += [
        Note("silent_reader", tile, table.faults.get(reader, "blind" if reader in table.on else "unheard"))
        for reader, tile in sorted(table.readers.items())
        if reader in table.faults or table.sees_nothing(reader)
    ]
    found += [Note("shifted_tile", place, f"tile {tile}") for tile, place in sorted(table.shifted.items())]
    return tuple(found)
