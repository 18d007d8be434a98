"""Tuning a coil from the owner's page: the controller measures one reader's gain ten times a second, and the page shows it.

The controller stops measuring ten seconds after its last order, so that a host that went away does not leave it at work; the
session repeats the order until somebody stops it, or for LONGEST_MS at most.
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Any

from naqala_protocol import Tune, Tuned

from naqala.link import Arrived
from naqala.session import commands as c
from naqala.session.refusal import Refused
from naqala.session.snapshot import Tuning

if TYPE_CHECKING:
    from naqala.session.session import Session

REPEAT_MS = 3_000
LONGEST_MS = 600_000
SHOW_MS = 250  # a number that changes more often cannot be read, and each change is rendered
ABILITY = "tune"  # of a controller, in its hello


@dataclass(frozen=True, slots=True)
class Order:
    """The reader that is measured, and when to say so again, to show the next figure, and to stop."""

    reader: int
    ends_at: int
    repeat_at: int
    show_at: int = 0


def tune(session: Session, asked: c.TuneCoil) -> None:
    """Measure this reader from now on, or none."""
    if asked.reader is None:
        _stop(session)
        return
    if not session.link.health().up or session.hello is None:
        raise Refused("not_connected")
    if ABILITY not in session.hello.abilities:
        raise Refused("cannot_tune")
    if asked.reader not in session.sight.readers:
        raise Refused("invalid", reason="no such reader")
    now = session.clock()
    session.tuning = Order(asked.reader, now + LONGEST_MS, now)
    session.publish(tuning=Tuning(asked.reader))
    _repeat(session)


def go_on_tuning(session: Session, item: Any) -> None:
    """After each item of the inbox: show the figure that came, say the order again when it is time."""
    order = session.tuning
    if order is None:
        return
    if isinstance(item, Arrived) and isinstance(item.message, Tuned):
        _show(session, order, item.message)
    if session.clock() >= order.repeat_at:
        _repeat(session)


def tuning_due(session: Session) -> int | None:
    """When the order is to be said again."""
    order = session.tuning
    return order.repeat_at if order is not None and not session.snapshot.stopped else None


def _repeat(session: Session) -> None:
    """Say the order again, or stop when it has lasted long enough. While the link is down the figure goes, and the order stays."""
    order, now = session.tuning, session.clock()
    if order is None or now >= order.ends_at:
        _stop(session)
        return
    session.tuning = replace(order, repeat_at=now + REPEAT_MS)
    if not session.link.send(Tune((order.reader,))):
        session.publish(tuning=Tuning(order.reader))


def _show(session: Session, order: Order, message: Any) -> None:
    """Not more often than eyes can follow."""
    now = session.clock()
    if message.reader == order.reader and now >= order.show_at:
        session.tuning = replace(order, show_at=now + SHOW_MS)
        session.publish(tuning=Tuning(message.reader, message.gain, message.best))


def _stop(session: Session) -> None:
    if session.tuning is not None:
        session.tuning = None
        session.link.send(Tune(()))
    session.publish(tuning=None)
