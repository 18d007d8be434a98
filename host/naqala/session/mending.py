"""When table and record disagree: the flag that people follow, and what they may decide instead: the table is right, play on
as it lies, a dead reader's tile."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from naqala.rules.actions import Sow
from naqala.rules.board import NUMBER, TRIBES
from naqala.session import commands as c
from naqala.session.chronicle import CORRECTION, HANDS, NOTE, OVERRIDE, UNDO, Chronicle
from naqala.session.refusal import Refused
from naqala.table import watch
from naqala.table.compare import Surplus, guided_repair, take_over
from naqala.table.due import still_due
from naqala.table.guide import led
from naqala.table.readings import Unclear, Wrong
from naqala.transcript import Piece

if TYPE_CHECKING:
    from naqala.session.session import Session


def led_on(session: Session) -> bool:
    """Whether a step was done or undone, of the flag on show or of what is still due, though the referee has said nothing."""
    watcher = session.watcher
    if watcher is None:
        return False
    return led(session.guided, watcher) is not session.guided or still_due(watcher) != session.snapshot.due


def shown(session: Session) -> dict[str, Any]:
    """What the referee makes of the table, for the snapshot: the flag that is being followed stands before all others."""
    watcher = session.watcher
    if watcher is None:
        session.guided = None
        return {"reading": None, "repair": (), "guide": None, "due": ()}
    guide = session.guided = led(session.guided, watcher)
    reading = guide.flag if guide is not None and not guide.eased else watcher.said
    differs = isinstance(reading, Wrong | Unclear)
    repair = guided_repair(session.in_hand.game, session.sight, session.clock()) if differs else ()
    return {"reading": reading, "repair": repair, "guide": guide, "due": still_due(watcher)}


def table_is_right(session: Session, asked: c.TableIsRight) -> None:
    """The game takes over what lies there, on one tile or on all; who decided stays in the journal."""
    chronicle = session.in_play(asked.step)
    correction = take_over(chronicle.game, session.sight, session.clock(), asked.tile)
    if not correction.tiles:
        raise Refused("nothing_differs")
    session.accept(correction, asked.by, CORRECTION)


def play_on(session: Session, asked: c.PlayOn) -> None:
    """Play on as it lies: a move that broke a rule counts as made, with its breaches in the journal. What lies there is
    what the referee says of it now, not what the flag said before people began to follow it."""
    chronicle = session.in_play(asked.step)
    reading = session.watcher.said if session.watcher is not None else None
    if not isinstance(reading, Wrong):
        raise Refused("nothing_differs")
    player = chronicle.game.turn.player
    broken = [breach.to_json() for breach in reading.breaches]
    if reading.sowing is not None and player is not None and chronicle.game.turn.phase == "sow":
        session.note({"played_on": broken}, asked.by)
        sow = Sow(player, reading.sowing.start, reading.sowing.drops, as_it_lies=True)
        session.accept(sow, asked.by, OVERRIDE)
        session.go_on()
    else:
        assert session.watcher is not None
        session.guided = None
        watcher = watch.play_on(session.watcher)
        lies = [[tile, str(piece), count] for (tile, piece), count in watcher.lies.items()]
        session.note({"played_on": broken, "lies": lies}, asked.by)
        session.follow(*watch.look(watcher, session.clock()))
        session.show()


def enter_tile(session: Session, told: c.EnterTile) -> None:
    """What lies on a tile whose reader is dead."""
    session.in_play(told.step)
    if told.tile not in NUMBER or set(told.meeples) - set(TRIBES):
        raise Refused("invalid", reason="no such tile or meeple")
    if told.tile not in session.sight.silent | session.sight.partial:
        raise Refused("reader_works", tile=told.tile)
    assert session.watcher is not None
    session.note({"entered": {told.tile: told.meeples}}, told.by)
    session.follow(*watch.look(watch.entered(session.watcher, told.tile, told.meeples), session.clock()))
    session.show()


def still_lying(chronicle: Chronicle) -> Surplus:
    """The differences that people let lie; those that were put right since are found to be so at the first look."""
    found: dict[tuple[str, Piece], int] = {}
    for line in chronicle.log:
        if line.kind == CORRECTION:
            found = {}
        elif line.kind == NOTE and isinstance(line.body, dict) and "lies" in line.body:
            found = {(tile, Piece(*words.split(" ", 1))): count for tile, words, count in line.body["lies"]}
    return found


def still_entered(chronicle: Chronicle) -> dict[str, str]:
    """What was told of tiles with a dead reader since the game last moved on; older tellings are in the record."""
    found: dict[str, str] = {}
    for line in chronicle.log:
        if line.kind != NOTE:
            found = {}
        elif isinstance(line.body, dict):
            found |= line.body.get("entered", {})
    return found


def restoring(chronicle: Chronicle) -> bool:
    """Whether somebody has just taken a step back by a tap: then the table is to follow, before anything is read from it."""
    last = next((line for line in reversed(chronicle.log) if line.kind != NOTE), None)
    return last is not None and last.kind == UNDO and last.by != HANDS
