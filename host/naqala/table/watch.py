"""The follower: one table over time. Messages, taps and the clock go in, readings come out when they change.

`Watcher` is a frozen value; `follow`, `tick`, `tapped` and `finish` give the next one and what is to be said, each with its
moment. What is explained against which game is decided in `outlook`; here explanations stand for their time, are said, and
have their effect on the record: a sowing is played, replaced, withdrawn, or taken back.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace
from itertools import pairwise
from typing import Any

from naqala.rules.actions import Action, Correct, Sow, Undo
from naqala.rules.board import NEIGHBOURS, TILES, distance
from naqala.rules.breach import IllegalMove, InvalidAction
from naqala.rules.game import play
from naqala.rules.model import Game
from naqala.rules.notation import to_text
from naqala.table import timing
from naqala.table.due import next_reminder
from naqala.table.flight import SLIP
from naqala.table.memory import Move, Watcher
from naqala.table.outlook import closed, differing, explained
from naqala.table.readings import WHEN_OVER, Did, Doing, Explanation, Reading, Remedy, Wrong
from naqala.table.sight import Place, Table, changes, next_change, see, stand
from naqala.transcript import Piece

__all__ = (
    "Said",
    "Watcher",
    "accepted",
    "entered",
    "finish",
    "follow",
    "look",
    "next_due",
    "play_on",
    "taken_back",
    "tapped",
    "tick",
    "tiles_of_interest",
    "watcher",
)

Said = tuple[int, Reading]
MOST_ROUNDS = 8  # readings that may follow from one another at one moment


def watcher(game: Game, readers: Mapping[int, str], tags: Mapping[str, Piece]) -> Watcher:
    """A follower of a table on which nothing has been seen yet."""
    return Watcher(Table(dict(readers), dict(tags)), game, frozenset(tags.values()))


# --- what goes in -------------------------------------------------------------------------------------------


def follow(watching: Watcher, message: Any, at: int) -> tuple[Watcher, list[Said]]:
    """Take in one message of the controller."""
    watching, said = tick(watching, at)
    table = see(watching.table, message, watching.at)
    if not watching.started and changes(watching.table, table):
        # Hands do not wait for a reader that has not spoken: what was seen so far is the beginning.
        watching, more = look(_begin(watching, watching.at), watching.at)
        said += more
    news = table.news != watching.table.news
    watching = replace(watching, table=table, homes=_at_home(watching, table))
    if not news:
        return watching, said
    watching, more = look(watching, watching.at)
    return watching, said + more


def _at_home(watching: Watcher, table: Table) -> Mapping[str, Place]:
    """What a reader shows with its first line stood there before: nobody saw it come."""
    homes = watching.homes
    if not watching.started or len(table.places) == len(watching.table.places):
        return homes
    late = {reader for reader in table.on if watching.table.sees_nothing(reader)}
    new = {
        tag: table.places[tag]
        for reader in late
        for tag in table.on[reader]
        if tag in table.places and tag not in watching.table.places
    }
    return {**homes, **new} if new else homes


def tick(watching: Watcher, at: int) -> tuple[Watcher, list[Said]]:
    """Let the clock run: readings that waited long enough are said at their own moment."""
    said: list[Said] = []
    at = max(at, watching.at)
    while (due := next_due(watching)) is not None and due <= at:
        watching, more = look(watching, due)
        said += more
    return replace(watching, at=at), said


def _waited(watching: Watcher, explanation: Explanation) -> int:
    return watching.at - watching.since if explanation == watching.explanation else 0


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
        watching, explanation = explained(closed(watching, seen), seen, at)
        reading = explanation.at_the_end(_waited(watching, explanation))
        if reading is None or _already_said(watching, reading):
            break
        watching, more = _say(replace(watching, explanation=explanation), reading, at)
        said += more
        if not (isinstance(reading, Did) or reading.withdraws):
            break
    return watching, said


def tapped(watching: Watcher, action: Action, at: int) -> tuple[Watcher, list[Said]]:
    """Take in an action that was told. What the rules refuse is a reading of its own and changes nothing: what was said of
    the table before stands."""
    watching, said = tick(watching, at)
    if isinstance(action, Undo):
        return _undone(watching, action, said)
    watching, more = _next_action(watching, action)
    said += more
    before = watching.move.before if watching.move and isinstance(action, Sow) else watching.game
    try:
        game, _ = play(before, action)
    except (IllegalMove, InvalidAction) as error:
        why = f'the rules forbid "{to_text(action)}"' if isinstance(error, IllegalMove) else str(error)
        wrong = Wrong(error.breaches, Remedy(f"Nothing was changed: {why}."))
        return watching, [*said, (watching.at, wrong)]
    watching = accepted(watching, action, game)
    if isinstance(action, Sow):
        said.append((watching.at, Did(action)))
        watching = replace(watching, said=Did(action))
    watching, more = look(watching, watching.at)
    return watching, said + more


def accepted(watching: Watcher, action: Action, game: Game, told: bool = True) -> Watcher:
    """Go on from a game that has moved on by this action: `told` by someone, or seen."""
    if isinstance(action, Sow):
        old = watching.move
        before, homes = (old.before, old.homes) if old else (watching.game, watching.homes)
        move = Move(before, action, homes, told)
        past = watching.past if old else (*watching.past, watching.game)
        after = replace(
            watching, game=game, move=move, past=past, recent=None, explanation=None, restoring=False
        )
        return _flags_explained(after)
    if isinstance(action, Correct):
        watching = replace(watching, move=None, lies={}, flagged={}, restoring=False)
    homes = watching.homes if watching.move else watching.table.places
    past = (*watching.past, watching.game)
    return replace(watching, game=game, move=None, recent=None, homes=homes, past=past, explanation=None)


def _flags_explained(watching: Watcher) -> Watcher:
    """A sowing that was told may be the very reason of a difference that was flagged before: that one is none any more."""
    left = differing(watching, stand(watching.table, watching.at)) if watching.flagged else {}
    return replace(watching, flagged={key: n for key, n in watching.flagged.items() if left.get(key) == n})


def _next_action(watching: Watcher, action: Action) -> tuple[Watcher, list[Said]]:
    """Another action begins, so the move before it is over: what waited only for that is said."""
    if isinstance(action, Sow) or watching.explanation is None:
        return watching, []
    reading = watching.explanation.at_the_end(0)
    # A piece that is owed is no part of the move: the action that is told now may be the very one that brings it.
    of_the_move = isinstance(reading, Did) or (isinstance(reading, Wrong) and reading.sowing is not None)
    over = of_the_move and reading is not None and not _already_said(watching, reading)
    return _say(watching, reading, watching.at) if over and reading is not None else (watching, [])


def _undone(watching: Watcher, action: Undo, said: list[Said]) -> tuple[Watcher, list[Said]]:
    if not 0 <= action.to < watching.count:
        wrong = Wrong(
            (), Remedy(f"Nothing was changed: {watching.count} actions stand, not more than {action.to}.")
        )
        return watching, [*said, (watching.at, wrong)]
    watching, more = look(taken_back(watching, action.to), watching.at)
    return watching, said + more


def taken_back(watching: Watcher, to: int) -> Watcher:
    """The follower after an undo: `to` actions stand."""
    game, past = watching.past[to], watching.past[:to]
    return replace(watching, game=game, past=past, move=None, recent=None, explanation=None)


# --- people's decisions -------------------------------------------------------------------------------------


def play_on(watching: Watcher) -> Watcher:
    """ "Play on as it lies": what differs now is no longer a flag, until it is put right by itself."""
    lies = differing(watching, stand(watching.table, watching.at))
    return replace(watching, lies=lies, flagged={}, explanation=None, restoring=False)


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
    reminder = next_reminder(watching)
    if reminder is not None:
        moments.append(reminder)
    if not watching.started and watching.table.began is not None:
        moments.append(watching.table.began + timing.SWEEP)
    if watching.explanation is not None:
        wait = watching.explanation.next_wait(watching.at - watching.since)
        if wait is not None:
            moments.append(watching.since + wait)
    return min((moment for moment in moments if moment > watching.at), default=None)


def look(watching: Watcher, at: int) -> tuple[Watcher, list[Said]]:
    """Explain what is seen now and say what is due, also when nobody has spoken: after a tap, or when a game is taken up.
    Readings that follow from what was said come at once."""
    watching = replace(watching, at=at)
    said: list[Said] = []
    if not watching.started:
        if not watching.table.complete(at):
            return watching, said
        watching = _begin(watching, at)
    seen = stand(watching.table, at)
    for _ in range(MOST_ROUNDS):
        watching = closed(watching, seen)
        watching, explanation = explained(watching, seen, at)
        if explanation != watching.explanation:
            watching = replace(watching, explanation=explanation, since=at)
        reading = explanation.due(at - watching.since)
        if (
            reading is None
            or _already_said(watching, reading)
            or _flag_stands(watching, explanation, reading)
        ):
            break
        watching, more = _say(watching, reading, at)
        said += more
        if not (isinstance(reading, Did) or reading.withdraws):
            break  # the record is as it was, so another look would find the same
    return watching, said


def _begin(watching: Watcher, at: int) -> Watcher:
    """The first sweep is complete: what differs from the position is a flag, unless people let it lie before."""
    watching = replace(watching, started=True, homes=watching.table.places)
    found = differing(watching, stand(watching.table, at))
    return replace(watching, flagged={key: n for key, n in found.items() if watching.lies.get(key) != n})


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


def _flag_stands(watching: Watcher, explanation: Explanation, reading: Reading) -> bool:
    """Whether hands only went on after a flag: it stands until a repair has begun, and what it says is said anew in its time."""
    flag = watching.said
    if not isinstance(reading, Doing) or not isinstance(flag, Wrong) or flag.sowing is None:
        return False
    start, drops = flag.sowing
    return any(
        isinstance(later, Wrong)
        and later.sowing is not None
        and wait < WHEN_OVER
        and (later.sowing.start, later.sowing.drops[: len(drops)]) == (start, drops)
        and later.breaches[:1] == flag.breaches[:1]
        for wait, later in explanation.steps
    )


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
            watching = accepted(watching, reading.action, game, told=False)
    return replace(watching, said=reading), [(at, reading)]


def tiles_of_interest(watching: Watcher) -> tuple[int, ...]:
    """Readers to look at first, the most wanted first (`focus` on the wire): under the drops that a move in flight has open,
    or under the tiles that would close a gap in its path; then all within a slip of the hand, where a flag is due. While a
    flag stands, those that the way back names."""
    reading, wanted, near = watching.said, set[str](), set[str]()
    if isinstance(reading, Doing):
        wanted = {tile for tile, _ in reading.open}
        for one, other in pairwise(reading.path):
            if other not in NEIGHBOURS[one] and not reading.open:
                wanted |= {other, *(set(NEIGHBOURS[one]) & set(NEIGHBOURS[other]))}
        if reading.hand:
            near = {tile for tile in TILES if distance(reading.path[-1], tile) <= SLIP}
    if isinstance(reading, Wrong):
        for step in reading.remedy.steps:
            wanted |= {*step.onto, *([step.take_from] if step.take_from else [])}
    at = {tile: reader for reader, tile in watching.table.readers.items()}
    ordered = (*sorted(wanted), *sorted(near - wanted))
    return tuple(at[tile] for tile in ordered if tile in at)
