"""The follower: one table over time. Messages, taps and the clock go in, readings come out when they change.

`Watcher` is a frozen value; `follow`, `tick`, `tapped` and `finish` give the next one and what is to be said, each with its
moment. Explaining is pure (`explain`, `rest`); here is what needs a memory: which game table and record last agreed on, the
sowing that is done but not yet scooped (another one may still replace it), how long an explanation has stood, and the
earlier games, so that pieces put back are read as a takeback.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from typing import Any

from naqala.rules.actions import Action, Correct, Sow, Undo
from naqala.rules.breach import IllegalMove, InvalidAction
from naqala.rules.game import play
from naqala.rules.model import Game
from naqala.rules.sowing import Sowing
from naqala.table import remedy, timing
from naqala.table.compare import Surplus, cleared, difference, expected, silenced
from naqala.table.difference import scene, still_lifted
from naqala.table.explain import explain
from naqala.table.pieces import MEEPLE
from naqala.table.readings import (
    Did,
    Doing,
    Explanation,
    Note,
    Quiet,
    Reading,
    Remedy,
    Unclear,
    Wrong,
    say,
)
from naqala.table.rest import Rest, explain_rest
from naqala.table.sight import Place, Stand, Table, next_change, see, stand
from naqala.transcript import Piece

Said = tuple[int, Reading]
MOST_DOUBLES = 3  # pieces read in two places whose other place is tried, too
MOST_ROUNDS = 8  # readings that may follow from one another at one moment


@dataclass(frozen=True, slots=True)
class Move:
    """A sowing that was read as done: the game before it, the action, and where each tag stood before. Open until the
    table shows its result."""

    before: Game
    sow: Sow
    homes: Mapping[str, Place] = field(default_factory=dict)

    def same(self, other: Sow | Sowing) -> bool:
        """Whether another reading is this move, whatever order of drops it found."""
        mine, theirs = self.sow, other
        return (mine.start, mine.drops[-1:], sorted(mine.drops)) == (
            theirs.start,
            theirs.drops[-1:],
            sorted(theirs.drops),
        )


@dataclass(frozen=True, slots=True)
class Watcher:
    """All that is remembered. `game` is the record's, the sowing of an open `move` included; `recent` is the move closed
    last, while nothing has followed: it may prove to be closed too early; `homes` is where each tag was when table and game
    last agreed; `past` are the games that stood before each action, `shown` is how many stood when the table last showed
    their result; `lies` are differences that people decided to leave ("play on as it lies") and `flagged` those found at
    the first sweep; `told` is what taps say of tiles with a dead reader."""

    table: Table
    game: Game
    seeable: frozenset[Piece] = frozenset()
    move: Move | None = None
    recent: Move | None = None
    homes: Mapping[str, Place] = field(default_factory=dict)
    past: tuple[Game, ...] = ()
    shown: int = 0
    lies: Surplus = field(default_factory=dict)
    flagged: Surplus = field(default_factory=dict)
    told: Mapping[str, str] = field(default_factory=dict)
    lifted: Mapping[int, int] = field(default_factory=dict)
    explanation: Explanation | None = None
    since: int = 0
    said: Reading | None = None
    started: bool = False
    at: int = 0

    @property
    def count(self) -> int:
        """Actions that stand since this watcher began."""
        return len(self.past)


def watcher(game: Game, readers: Mapping[int, str], tags: Mapping[str, Piece]) -> Watcher:
    """A follower of a table on which nothing has been seen yet."""
    return Watcher(Table(dict(readers), dict(tags)), game, frozenset(tags.values()))


# --- what goes in -------------------------------------------------------------------------------------------


def follow(watching: Watcher, message: Any, at: int) -> tuple[Watcher, list[Said]]:
    """Take in one message of the controller."""
    watching, said = tick(watching, at)
    table = see(watching.table, message, watching.at)
    news = table.news != watching.table.news
    watching = replace(watching, table=table)
    if not news:
        return watching, said
    watching, more = _look(watching, watching.at)
    return watching, said + more


def tick(watching: Watcher, at: int) -> tuple[Watcher, list[Said]]:
    """Let the clock run: readings that waited long enough are said at their own moment."""
    said: list[Said] = []
    at = max(at, watching.at)
    while (due := next_due(watching)) is not None and due <= at:
        watching, more = _look(watching, due)
        said += more
    return replace(watching, at=at), said


def finish(watching: Watcher) -> tuple[Watcher, list[Said]]:
    """The end of the file: all waiting runs out, at the moment of the last line."""
    at = watching.at
    said: list[Said] = []
    places = {
        tag: replace(place, gone=at) if place.gone is not None and place.gone > at else place
        for tag, place in watching.table.places.items()
    }
    watching = replace(watching, table=replace(watching.table, places=places))
    if watching.table.began is not None:
        watching = replace(watching, table=replace(watching.table, began=at - timing.SWEEP))
    if not watching.started and watching.table.complete(at):
        watching = _begin(watching, at)
    for _ in range(MOST_ROUNDS if watching.started else 0):
        seen = stand(watching.table, at)
        watching, explanation = _explained(_closed(watching, seen), seen, at)
        reading = explanation.at_the_end
        if reading is None or _already_said(watching, reading):
            break
        watching, more = _say(replace(watching, explanation=explanation), reading, at)
        said += more
        if not (isinstance(reading, Did) or reading.withdraws):
            break
    return watching, said


def tapped(watching: Watcher, action: Action, at: int) -> tuple[Watcher, list[Said]]:
    """Take in an action that was told. What the rules refuse is a reading of its own and changes nothing."""
    watching, said = tick(watching, at)
    if isinstance(action, Undo):
        return _undone(watching, action, said)
    watching, more = _next_action(watching, action)
    said += more
    before = watching.move.before if watching.move and isinstance(action, Sow) else watching.game
    try:
        game, _ = play(before, action)
    except (IllegalMove, InvalidAction) as error:
        wrong = Wrong(error.breaches, Remedy(f"Nothing was changed: {error}."))
        return replace(watching, said=wrong, explanation=None), [*said, (watching.at, wrong)]
    watching = accepted(watching, action, game)
    if isinstance(action, Sow):
        said.append((watching.at, Did(action)))
        watching = replace(watching, said=Did(action))
    watching, more = _look(watching, watching.at)
    return watching, said + more


def accepted(watching: Watcher, action: Action, game: Game) -> Watcher:
    """Go on from a game that someone else (the session) has moved on by this action."""
    if isinstance(action, Sow):
        old = watching.move
        move = Move(old.before, action, old.homes) if old else Move(watching.game, action, watching.homes)
        past = watching.past if old else (*watching.past, watching.game)
        return replace(watching, game=game, move=move, past=past, recent=None, explanation=None)
    if isinstance(action, Correct):
        watching = replace(watching, move=None, lies={}, flagged={})
    homes = watching.homes if watching.move else watching.table.places
    past = (*watching.past, watching.game)
    return replace(watching, game=game, move=None, recent=None, homes=homes, past=past, explanation=None)


def _next_action(watching: Watcher, action: Action) -> tuple[Watcher, list[Said]]:
    """Another action begins, so the move before it is over: what waited only for that is said."""
    if isinstance(action, Sow) or watching.explanation is None:
        return watching, []
    reading = watching.explanation.at_the_end
    over = isinstance(reading, (Did, Wrong)) and not _already_said(watching, reading)
    return _say(watching, reading, watching.at) if over and reading is not None else (watching, [])


def _undone(watching: Watcher, action: Undo, said: list[Said]) -> tuple[Watcher, list[Said]]:
    if not 0 <= action.to < watching.count:
        wrong = Wrong(
            (), Remedy(f"Nothing was changed: {watching.count} actions stand, not more than {action.to}.")
        )
        return replace(watching, said=wrong), [*said, (watching.at, wrong)]
    watching, more = _look(taken_back(watching, action.to), watching.at)
    return watching, said + more


def taken_back(watching: Watcher, to: int) -> Watcher:
    """The follower after an undo: `to` actions stand."""
    game, past = watching.past[to], watching.past[:to]
    return replace(watching, game=game, past=past, move=None, recent=None, explanation=None)


# --- people's decisions -------------------------------------------------------------------------------------


def play_on(watching: Watcher) -> Watcher:
    """ "Play on as it lies": what differs now is no longer a flag, until it is put right by itself."""
    return replace(
        watching, lies=_difference(watching, stand(watching.table, watching.at)), flagged={}, explanation=None
    )


def entered(watching: Watcher, tile: str, meeples: str) -> Watcher:
    """What lies on a tile whose reader is dead, told by a tap."""
    return replace(watching, told={**watching.told, tile: meeples}, explanation=None)


# --- looking ------------------------------------------------------------------------------------------------


def next_due(watching: Watcher) -> int | None:
    """The next moment at which something is to be looked at though nobody speaks; None when all is at rest."""
    moments = []
    change = next_change(watching.table, watching.at)
    if change is not None:
        moments.append(change)
    if not watching.started and watching.table.began is not None:
        moments.append(watching.table.began + timing.SWEEP)
    if watching.explanation is not None:
        wait = watching.explanation.next_wait(watching.at - watching.since)
        if wait is not None:
            moments.append(watching.since + wait)
    return min((moment for moment in moments if moment > watching.at), default=None)


def _look(watching: Watcher, at: int) -> tuple[Watcher, list[Said]]:
    """Explain what is seen now and say what is due. Readings that follow from what was said come at once."""
    watching = replace(watching, at=at)
    said: list[Said] = []
    if not watching.started:
        if not watching.table.complete(at):
            return watching, said
        watching = _begin(watching, at)
    seen = stand(watching.table, at)
    for _ in range(MOST_ROUNDS):
        watching = _closed(watching, seen)
        watching, explanation = _explained(watching, seen, at)
        if explanation != watching.explanation:
            watching = replace(watching, explanation=explanation, since=at)
        reading = explanation.due(at - watching.since)
        if reading is None or _already_said(watching, reading):
            break
        watching, more = _say(watching, reading, at)
        said += more
    return watching, said


def _begin(watching: Watcher, at: int) -> Watcher:
    """The first sweep is complete: what differs from the position is a flag."""
    watching = replace(watching, started=True, homes=watching.table.places)
    return replace(watching, flagged=_difference(watching, stand(watching.table, at)))


def _standing(watching: Watcher, game: Game, seen: Stand) -> Stand:
    """What stands on the table, silent tiles as the game (or a tap) has them, accepted differences left out."""
    seen = silenced(seen, watching.table, game, watching.homes, watching.told)
    return cleared(seen, watching.lies, watching.flagged)


def _difference(watching: Watcher, seen: Stand) -> Surplus:
    seen = silenced(seen, watching.table, watching.game, watching.homes, watching.told)
    return difference(seen, expected(watching.game), watching.seeable)


def _closed(watching: Watcher, seen: Stand) -> Watcher:
    """An open move whose result stands on the table is closed; differences that healed are forgotten."""
    found = _difference(watching, seen)
    lies = {key: count for key, count in watching.lies.items() if found.get(key) == count or watching.move}
    flagged = {key: n for key, n in watching.flagged.items() if found.get(key) == n or watching.move}
    watching = replace(watching, lies=lies, flagged=flagged)
    if watching.move and _standing(watching, watching.game, seen).meeples == expected(watching.game).meeples:
        return replace(
            watching, move=None, recent=watching.move, homes=watching.table.places, shown=watching.count
        )
    if watching.move is None and not found:
        return replace(watching, homes=watching.table.places, lifted={}, shown=watching.count)
    return watching


def _explained(watching: Watcher, seen: Stand, at: int) -> tuple[Watcher, Explanation]:
    """The most charitable explanation; a piece read in two places is tried in the other when the first does not do."""
    watching, found = _explained_as(watching, seen, at)
    if _settles(found):
        return watching, found
    doubles = list(watching.table.doubles(at).items())[:MOST_DOUBLES]
    for choice in range(1, 1 << len(doubles)):
        instead = {tag: tiles[1] for bit, (tag, tiles) in enumerate(doubles) if choice >> bit & 1}
        _, other = _explained_as(watching, stand(watching.table, at, instead), at, instead)
        if _settles(other):
            return watching, other
    return watching, found


def _settles(explanation: Explanation) -> bool:
    return all(isinstance(reading, (Quiet, Did)) for _, reading in explanation.steps)


def _explained_as(
    watching: Watcher, seen: Stand, at: int, instead: Mapping[str, str] | None = None
) -> tuple[Watcher, Explanation]:
    if watching.move and watching.move.sow.as_it_lies:
        return watching, _as_it_lies(watching, watching.move, seen)
    before = watching.move.before if watching.move else watching.game
    seen = _standing(watching, before, seen)
    meeples = expected(before).meeples
    sowing = before.turn.phase == "sow"
    if sowing and seen.meeples != meeples:
        watching, found = _of_hands(watching, before, seen, at, instead)
        if found is not None:
            return watching, _of_open_move(watching, found, at)
    if watching.move and seen.meeples == meeples:
        return watching, say((timing.REOPENED, Quiet(withdraws=True)))
    found = _between_moves(watching, seen, at)
    more = any(len(here) > len(there) for here, there in zip(seen.meeples, meeples, strict=True))
    if watching.recent and not sowing and more and not _settles(found):
        return _reopened(watching, watching.recent, at, instead) or (watching, found)
    return watching, found


def _as_it_lies(watching: Watcher, move: Move, seen: Stand) -> Explanation:
    """A move that people let stand is not judged again; its group is still to be taken up."""
    left = difference(_standing(watching, watching.game, seen), expected(watching.game), watching.seeable)
    return say((timing.AT_ONCE, Did(move.sow)), (timing.OWED, Wrong((), remedy.of_difference(left))))


def _of_hands(
    watching: Watcher, before: Game, seen: Stand, at: int, instead: Mapping[str, str] | None
) -> tuple[Watcher, Explanation | None]:
    """What hands made of the game before, remembering when each tile was first found short."""
    meeples = expected(before).meeples
    view = scene(meeples, seen.meeples, watching.table, at, watching.homes, watching.lifted, instead)
    lifted = still_lifted(view, watching.lifted, at)
    found = explain(replace(view, lifted=lifted), str(before.turn.player))
    return replace(watching, lifted=lifted), found


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
    for number in range(min(watching.count, watching.shown) - 1, -1, -1):
        game = watching.past[number]
        if not silent and any(t.meeples != here for t, here in zip(game.tiles, seen.meeples, strict=True)):
            continue
        there, then = silenced(seen, watching.table, game, watching.homes, watching.told), expected(game)
        if then != expected(watching.game) and not difference(there, then, watching.seeable):
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
    found = explain_rest(Rest(watching.game, surplus, bumped, watching.seeable))
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
        Note("silent_reader", tile, table.faults.get(reader, "blind"))
        for reader, tile in sorted(table.readers.items())
        if reader in table.faults or reader in table.blind or reader not in table.on
    ]
    found += [Note("shifted_tile", place, f"tile {tile}") for tile, place in sorted(table.shifted.items())]
    return tuple(found)


# --- saying -------------------------------------------------------------------------------------------------


def _known(watching: Watcher, reading: Reading) -> Reading:
    """A sowing that stands is said once: after a flag, what is said is that it is in order again."""
    move = watching.move
    known = (
        move and isinstance(reading, Did) and isinstance(reading.action, Sow) and move.same(reading.action)
    )
    if not move or not known:
        return reading
    return watching.said if isinstance(watching.said, Did) else Doing("", move.sow.start, move.sow.drops)


def _already_said(watching: Watcher, reading: Reading) -> bool:
    reading = _known(watching, reading)
    if watching.said is None or (reading.withdraws and watching.move):
        return False
    return replace(reading, withdraws=False) == replace(watching.said, withdraws=False)


def _say(watching: Watcher, reading: Reading, at: int) -> tuple[Watcher, list[Said]]:
    """Say a reading and let it have its effect on the record."""
    reading = _known(watching, reading)
    if reading.withdraws and watching.move:
        watching = replace(
            watching, game=watching.move.before, past=watching.past[:-1], move=None, explanation=None
        )
    if isinstance(reading, Did):
        if isinstance(reading.action, Undo):
            watching = taken_back(watching, reading.action.to)
        else:
            before = watching.move.before if reading.replaces and watching.move else watching.game
            game, _ = play(before, reading.action)
            watching = accepted(watching, reading.action, game)
    return replace(watching, said=reading), [(at, reading)]


def tiles_of_interest(watching: Watcher) -> tuple[int, ...]:
    """Readers to look at first: those under the drops that a move in flight has open (`focus` on the wire)."""
    reading = watching.said
    open_tiles = {tile for tile, _ in getattr(reading, "open", ())}
    return tuple(sorted(r for r, tile in watching.table.readers.items() if tile in open_tiles))


def look(watching: Watcher, at: int) -> tuple[Watcher, list[Said]]:
    """Look at once, though nobody has spoken: after a tap, or when a game is taken up."""
    return _look(replace(watching, at=at), at)
