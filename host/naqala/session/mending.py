"""When table and record disagree and people decide: the table is right, play on as it lies, a dead reader's tile."""

from __future__ import annotations

from typing import TYPE_CHECKING

from naqala.rules.actions import Sow
from naqala.rules.board import NUMBER, TRIBES
from naqala.session import commands as c
from naqala.session.chronicle import CORRECTION, NOTE, OVERRIDE, Chronicle
from naqala.session.refusal import Refused
from naqala.table import watch
from naqala.table.compare import take_over
from naqala.table.readings import Wrong

if TYPE_CHECKING:
    from naqala.session.session import Session


def table_is_right(session: Session, asked: c.TableIsRight) -> None:
    """The game takes over what lies there, on one tile or on all; who decided stays in the journal."""
    chronicle = session.in_play(asked.step)
    correction = take_over(chronicle.game, session.sight, session.clock(), asked.tile)
    if not correction.tiles:
        raise Refused("nothing_differs")
    session.accept(correction, asked.by, CORRECTION)


def play_on(session: Session, asked: c.PlayOn) -> None:
    """Play on as it lies: a move that broke a rule counts as made, with its breaches in the journal."""
    chronicle = session.in_play(asked.step)
    reading = session.snapshot.reading
    if not isinstance(reading, Wrong):
        raise Refused("nothing_differs")
    player = chronicle.game.turn.player
    session.note({"played_on": [breach.to_json() for breach in reading.breaches]}, asked.by)
    if reading.sowing is not None and player is not None and chronicle.game.turn.phase == "sow":
        sow = Sow(player, reading.sowing.start, reading.sowing.drops, as_it_lies=True)
        session.accept(sow, asked.by, OVERRIDE)
        session.go_on()
    else:
        assert session.watcher is not None
        session.watcher = watch.play_on(session.watcher)
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


def still_entered(chronicle: Chronicle) -> dict[str, str]:
    """What was told of tiles with a dead reader since the game last moved on; older tellings are in the record."""
    found: dict[str, str] = {}
    for line in chronicle.log:
        if line.kind != NOTE:
            found = {}
        elif isinstance(line.body, dict):
            found |= line.body.get("entered", {})
    return found
