"""When table and record disagree, what people may decide: the table is right, play on as it lies, what a dead reader's tile bears.
Each function is one command."""

from __future__ import annotations

from typing import TYPE_CHECKING

from naqala.rules.board import NUMBER, TRIBES
from naqala.session import commands as c
from naqala.session import following, showing
from naqala.session.as_it_lies import as_made, in_hand, let_stand
from naqala.session.chronicle import CORRECTION
from naqala.session.refusal import Refused
from naqala.table import watch
from naqala.table.compare import take_over
from naqala.table.readings import Wrong
from naqala.table.scene import differing

if TYPE_CHECKING:
    from naqala.session.session import Session


def table_is_right(session: Session, asked: c.TableIsRight) -> None:
    """The game takes over what lies there, on one tile or on all; who decided stays in the journal."""
    chronicle = session.in_play(asked.step)
    correction = take_over(chronicle.game, session.evidence, asked.tile)
    if not correction.tiles:
        raise Refused("nothing_differs")
    session.accept(correction, asked.by, CORRECTION)


def play_on(session: Session, asked: c.PlayOn) -> None:
    """Play on as it lies, with the breaches in the journal. A move that is all down counts as made; one that is not goes on,
    and what was let stand is no flag any more; any other difference lies until it is put right by itself. What lies there is
    what the referee says of it now, not what the flag said before people began to follow it."""
    chronicle = session.in_play(asked.step)
    watcher = session.watcher
    if watcher is None or not isinstance(watcher.said, Wrong):
        raise Refused("nothing_differs")
    reading, sowing = watcher.said, watcher.said.sowing
    broken = [breach.to_json() for breach in reading.breaches]
    in_a_move = sowing is not None and chronicle.game.turn.phase == "sow"
    made = as_made(session, sowing) if sowing is not None and in_a_move else ()
    session.guided = None
    if made:
        session.note({"played_on": broken}, asked.by)
        let_stand(session, made, asked.by)
        following.look(session)
    elif sowing is not None and in_a_move and in_hand(session, sowing):
        session.note({"played_on": broken}, asked.by)
        showing.show(session)
    else:
        lies = differing(watcher, chronicle.game)
        listed = [[tile, str(piece), count] for (tile, piece), count in lies.items()]
        session.note({"played_on": broken, "lies": listed}, asked.by)
        following.settle(session, lies)
        following.look(session)


def enter_tile(session: Session, told: c.EnterTile) -> None:
    """What lies on a tile whose reader is dead."""
    session.in_play(told.step)
    if told.tile not in NUMBER or set(told.meeples) - set(TRIBES):
        raise Refused("invalid", reason="no such tile or meeple")
    if told.tile not in session.evidence.silent | session.evidence.partial:
        raise Refused("reader_works", tile=told.tile)
    assert session.watcher is not None
    session.note({"entered": {told.tile: told.meeples}}, told.by)
    session.watcher = watch.entered(session.watcher, told.tile, told.meeples)
    following.look(session)
