"""What a session shows: snapshots for everybody's eyes, and for the controller where to look first and which lamps to light."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from naqala_protocol import Focus, Light

from naqala.rules.choices import legal
from naqala.session import as_it_lies
from naqala.session.health import reader_health
from naqala.session.lamps import lamps
from naqala.session.opening import problems
from naqala.session.snapshot import SETUP, ReaderHealth
from naqala.table import watch
from naqala.table.compare import guided_repair
from naqala.table.due import still_due
from naqala.table.guide import led
from naqala.table.readings import Unclear, Wrong

if TYPE_CHECKING:
    from naqala.session.session import Session


def show(session: Session, **changes: Any) -> None:
    """Publish the game as it stands and what the referee makes of the table."""
    before, chronicle, game = session.snapshot, session.in_hand, session.in_hand.game
    if chronicle.log is not before.log:  # something was written: what waited for it is over
        changes = {"drawn": None, "undo_asked": None, "trouble": ""} | changes
    session.publish(
        step=chronicle.next_number,
        opening=chronicle.record.opening,
        game=game,
        choices=before.choices if game is before.game else legal(game),
        sight=session.evidence,
        log=chronicle.log,
        readers=readers(session),
        **_read(session),
        **changes,
    )
    direct(session)


def _read(session: Session) -> dict[str, Any]:
    """What the referee makes of the table: the flag that is being followed stands before all others."""
    watcher = session.watcher
    if watcher is None:
        session.guided = None
        return {"reading": None, "repair": (), "guide": None, "due": ()}
    in_flight = as_it_lies.still_made(session, watcher.said)
    if in_flight is not None:
        session.guided = None
        return {
            "reading": in_flight,
            "repair": (),
            "guide": None,
            "due": still_due(watcher, session.in_hand.record),
        }
    guide = session.guided = led(session.guided, watcher, session.in_hand.game)
    reading = guide.flag if guide is not None and not guide.eased else watcher.said
    differs = isinstance(reading, Wrong | Unclear)
    repair = guided_repair(session.in_hand.game, session.evidence) if differs else ()
    return {
        "reading": reading,
        "repair": repair,
        "guide": guide,
        "due": still_due(watcher, session.in_hand.record),
    }


def led_on(session: Session) -> bool:
    """Whether a step was done or undone, of the flag on show or of what is still due, though the referee has said nothing."""
    watcher = session.watcher
    if watcher is None:
        return False
    if still_due(watcher, session.in_hand.record) != session.snapshot.due:
        return True
    in_flight = as_it_lies.still_made(session, watcher.said)
    if in_flight is not None:
        return bool(in_flight != session.snapshot.reading)
    return led(session.guided, watcher, session.in_hand.game) is not session.guided


def show_setup(session: Session) -> None:
    """Publish what lies there before a game has begun, and what is still missing for one."""
    setup = session.snapshot.stage == SETUP
    missing = problems(session.wanted, session.evidence) if setup else ()
    session.publish(sight=session.evidence, problems=missing, readers=readers(session))


def readers(session: Session) -> tuple[ReaderHealth, ...]:
    """How each reader is."""
    return reader_health(session.evidence, session.link.health().pulses, session.clock())


def direct(session: Session) -> None:
    """Tell the controller where to look first, and which lamps to light; only what changed."""
    if session.watcher is None:
        return
    tiles = watch.tiles_of_interest(session.watcher)
    wanted = (Focus(tiles), Light(lamps(session.snapshot, session.evidence)))
    before = session.sent or (None, None)
    for message, sent in zip(wanted, before, strict=True):
        if message != sent and not session.link.send(message):
            return
    session.sent = wanted
