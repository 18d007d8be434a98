"""Which function carries out which command. A command without a line here does not exist; a new one gets its line here."""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING, Any

from naqala.session import commands as c
from naqala.session import enrolling, evening, handover, mending, robot_taps, taps, told, tuning

if TYPE_CHECKING:
    from naqala.session.session import Session

HANDLERS: dict[type, Callable[[Session, Any], None]] = {
    c.Tap: taps.tap,
    c.Choose: taps.choose,
    c.UndoTo: taps.undo_to,
    c.Consent: taps.consent,
    c.NewGame: evening.new_game,
    c.Begin: evening.begin,
    c.Resume: evening.resume,
    c.Abort: evening.abort,
    c.SetHelp: evening.set_help,
    c.Look: evening.look,
    c.TableIsRight: mending.table_is_right,
    c.PlayOn: mending.play_on,
    c.EnterTile: mending.enter_tile,
    c.Enrol: enrolling.enrol,
    c.TuneCoil: tuning.tune,
    **told.HANDLERS,
    **handover.HANDLERS,
    **robot_taps.HANDLERS,
}
