"""When table and record disagree, what people may decide: the table is right, play on as it lies, what a dead reader's tile bears.
Each function without an underscore that takes a command is one; what would change somebody's points is asked of the others first
(`consent`)."""

from __future__ import annotations

from typing import TYPE_CHECKING

from naqala.rules.actions import Action
from naqala.rules.board import NUMBER, TRIBES
from naqala.rules.breach import IllegalMove, InvalidAction
from naqala.rules.game import play
from naqala.rules.model import in_tribe_order
from naqala.session import commands as c
from naqala.session import consent, following, showing
from naqala.session.as_it_lies import as_made, in_hand, let_stand
from naqala.session.chronicle import CORRECTION, still_entered
from naqala.session.refusal import Refused
from naqala.session.snapshot import Question
from naqala.table import watch
from naqala.table.compare import take_over
from naqala.table.readings import Did, Wrong

if TYPE_CHECKING:
    from naqala.session.session import Session

LOOKS_AHEAD_MS = 30_000  # longer than the referee waits with anything that it reads from a table at rest


def table_is_right(session: Session, asked: c.TableIsRight) -> None:
    """The game takes over what lies there, on one tile or on all; who decided stays in the journal."""
    chronicle = session.in_play(asked.step)
    if session.watcher is None:  # nothing is seen that could be right
        raise Refused("nothing_differs")
    correction = take_over(chronicle.game, session.sight, session.clock(), asked.tile)
    if not correction.tiles:
        raise Refused("nothing_differs")
    session.patience.spend(asked.by, session.clock())
    if consent.needed(chronicle.game, [correction]):
        consent.ask(session, asked.by, consent.CORRECTION, [correction], asked.tile or "")
    else:
        session.accept(correction, asked.by, CORRECTION)


def correction_now(session: Session, asked: Question) -> tuple[Action, ...]:
    """The correction as the table would have it now."""
    return (take_over(session.in_hand.game, session.sight, session.clock(), asked.about or None),)


def play_on(session: Session, asked: c.PlayOn) -> None:
    """Play on as it lies, with the breaches in the journal. A move that is all down counts as made; one that is not goes on,
    and what was let stand is no flag any more; any other difference lies until it is put right by itself. What lies there is
    what the referee says of it now, not what the flag said before people began to follow it."""
    chronicle = session.in_play(asked.step)
    watcher = session.watcher
    if watcher is None or not isinstance(watcher.said, Wrong):
        raise Refused("nothing_differs")
    session.patience.spend(asked.by, session.clock())
    sowing = watcher.said.sowing
    made = _made_now(session)
    if made and consent.needed(chronicle.game, made):
        consent.ask(session, asked.by, consent.OVERRIDE, made)
        return
    session.guided = None
    if made:
        note_breaches(session, asked.by)
        let_stand(session, made, asked.by)
    elif sowing is not None and chronicle.game.turn.phase == "sow" and in_hand(session, sowing):
        note_breaches(session, asked.by)
        showing.show(session)
    else:
        broken = [breach.to_json() for breach in watcher.said.breaches]
        watcher = watch.play_on(watcher)
        lies = [[tile, str(piece), count] for (tile, piece), count in watcher.lies.items()]
        session.note({"played_on": broken, "lies": lies}, asked.by)
        following.follow(session, *watch.look(watcher, session.clock()))
        showing.show(session)


def _made_now(session: Session) -> tuple[Action, ...]:
    """The actions by which the move that the flag speaks of counts as made; none when there is no such move."""
    said = session.watcher.said if session.watcher is not None else None
    if not isinstance(said, Wrong) or said.sowing is None or session.in_hand.game.turn.phase != "sow":
        return ()
    return as_made(session, said.sowing)


def override_now(session: Session, asked: Question) -> tuple[Action, ...]:
    """The move that breaks a rule, as it lies now."""
    return _made_now(session)


def note_breaches(session: Session, by: str) -> None:
    """Write down which rules are let be broken, and by whom."""
    assert session.watcher is not None and isinstance(session.watcher.said, Wrong)
    session.note({"played_on": [breach.to_json() for breach in session.watcher.said.breaches]}, by)


# --- a dead reader's tile -----------------------------------------------------------------------------------


def enter_tile(session: Session, told: c.EnterTile) -> None:
    """What lies on a tile whose reader is dead."""
    chronicle = session.in_play(told.step)
    if told.tile not in NUMBER or set(told.meeples) - set(TRIBES):
        raise Refused("invalid", reason="no such tile or meeple")
    if session.watcher is None or told.tile not in session.sight.silent | session.sight.partial:
        raise Refused("reader_works", tile=told.tile)
    meeples = in_tribe_order(told.meeples)
    if still_entered(chronicle).get(told.tile) == meeples:
        return  # a double tap: it is in the journal already
    session.patience.spend(told.by, session.clock())
    read = _would_be_read(session, told.tile, meeples)
    if read and consent.needed(chronicle.game, read):
        consent.ask(session, told.by, consent.TILE, read, f"{told.tile} {meeples}")
    else:
        _enter(session, told.tile, meeples, told.by)


def _enter(session: Session, tile: str, meeples: str, by: str) -> None:
    assert session.watcher is not None
    session.note({"entered": {tile: meeples}}, by)
    entered = watch.entered(session.watcher, tile, meeples)
    following.follow(session, *watch.look(entered, session.clock()))
    showing.show(session)


def _would_be_read(session: Session, tile: str, meeples: str) -> tuple[Action, ...]:
    """What the referee would read as done when this is told, now or after it has waited; the referee is a value, so it can be
    asked without consequences."""
    assert session.watcher is not None
    now = session.clock()
    watcher, said = watch.look(watch.entered(session.watcher, tile, meeples), now)
    while (due := watch.next_due(watcher)) is not None and due <= now + LOOKS_AHEAD_MS:
        watcher, more = watch.tick(watcher, max(due, watcher.at + 1))
        said = [*said, *more]
    found: list[Action] = []
    game = session.in_hand.game
    for _, reading in said:
        if isinstance(reading, Did):
            try:
                game, _ = play(game, reading.action)
            except (IllegalMove, InvalidAction):
                break  # it takes something back first: that is asked for by itself
            found.append(reading.action)
    return tuple(found)


def readings_now(session: Session, asked: Question) -> tuple[Action, ...]:
    """What would be read now if the tile were told."""
    tile, _, meeples = asked.about.partition(" ")
    return _would_be_read(session, tile, meeples)


def enter_as_agreed(session: Session, asked: Question) -> None:
    """All agree with what lies there."""
    tile, _, meeples = asked.about.partition(" ")
    _enter(session, tile, meeples, asked.by)
