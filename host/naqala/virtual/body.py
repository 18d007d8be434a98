"""A robot's body: it lets the table's time pass, looks at its phone, tells the companion, and makes motions.

With a link whose pace is `fast` the bodies are also the clock: the table's time passes only while they rest.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence

from naqala.hands.table import Motion
from naqala.session import commands as c
from naqala.session.session import Session
from naqala.session.snapshot import Snapshot
from naqala.virtual.evening import PATIENCE_S
from naqala.virtual.faults import Storm
from naqala.virtual.link import VirtualLink

LOOK_MS = 60  # between two looks at the phone


class Body:
    """Hands and eyes at one table."""

    def __init__(self, link: VirtualLink, session: Session, storms: Sequence[Storm] = ()) -> None:
        self.link, self.table, self.session = link, link.table, session
        self.storms = tuple(storms)

    def _make(self, motions: Iterable[Motion]) -> bool:
        """Make them one after the other; False when the table was closed meanwhile, and the rest was not made."""
        for motion in motions:
            if not self._rest(motion.wait_ms):
                return False
            self.table.move(motion.tags, motion.spot, motion.lying)
        return True

    def _rest(self, ms: int) -> bool:
        """Let so much of the table's time pass; False when the table was closed."""
        for storm in self.storms:
            storm.blow()
        return self.link.rest(ms)

    def _until(self, wanted: Callable[[Snapshot], bool], ms: int) -> bool:
        """Rest until the companion shows what is wanted, at most so long."""
        end = self.link.clock() + ms
        while not wanted(self._look()):
            if self.link.clock() >= end or not self._rest(LOOK_MS):
                return False
        return True

    def _tell(self, command: c.Command) -> c.Answer:
        return self.session.tell(command, PATIENCE_S)

    def _look(self) -> Snapshot:
        """The newest snapshot; when the robots are the clock, with everything taken in."""
        if self.link.pace is None:
            self._tell(c.Look(c.OWNER))
        shown = self.session.snapshot
        if shown.stopped:
            raise RuntimeError(f"the companion stopped following: {shown.stopped}")
        return shown
