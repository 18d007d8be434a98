"""The session: one table, one inbox, one thread. The only object of the host that changes.

In: events of the link, commands of people, the passing of time. Out: frozen snapshots. Whatever changes a game goes
through `write`: the rules judge it, the ledger has it on disk, and only then anybody sees it. An exception nobody
expected stops this session and no other: the last good snapshot stays on show and says so. What happens at the table is
carried out in `following`, what is shown in `showing`, the commands in `taps`, `evening`, `mending` and `enrolling`:
functions that may use what has no underscore here, in the session's own thread.
"""

from __future__ import annotations

import contextlib
import logging
import random
import threading
from collections.abc import Callable, Mapping
from dataclasses import replace
from typing import Any

from naqala_protocol import Alive, Fault, Focus, Light, Seen

from naqala.journal import Journal, JournalConflict, JournalError
from naqala.link import Arrived, Link, LinkDown, LinkUp, Message
from naqala.link.inbox import clock_ms
from naqala.rules import notation
from naqala.rules.actions import Action, Reveal, Undo
from naqala.rules.breach import IllegalMove, InvalidAction
from naqala.rules.reading import BadPosition
from naqala.session import catching, dealer, enrolling, evening, following, mending, showing, taps
from naqala.session import commands as c
from naqala.session.chronicle import ACTION, COMPANION, HANDS, NOTE, UNDO, Chronicle
from naqala.session.health import link_health, where_it_stopped
from naqala.session.inbox import STOPPED, Inbox
from naqala.session.ledger import Ledger
from naqala.session.missed import Missed
from naqala.session.refusal import Refused
from naqala.session.snapshot import OVER, PLAY, Snapshot
from naqala.table import watch
from naqala.table.evidence import Evidence, see
from naqala.table.guide import Guide
from naqala.transcript import Piece

FLUSH_MS = 2_000  # raw lines wait at most so long for the disk
RETRY_MS = 1_000  # what the journal could not take is tried again so often

log = logging.getLogger(__name__)


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
}


class Session:
    """One table's evening. `start`, `stop`, `tell`, `learn`, `wait`, `listen` and `snapshot` are for any thread."""

    def __init__(
        self,
        table: str,
        journal: Journal,
        link: Link,
        readers: Mapping[int, str],
        tags: Mapping[str, Piece],
        chance: random.Random | None = None,
        clock: Callable[[], int] = clock_ms,
        keep_tags: Callable[[Mapping[str, Piece]], None] = lambda tags: None,
        wakes: bool = True,
    ) -> None:
        self.table = table
        self.ledger = Ledger(journal, table)
        self.clock = clock  # milliseconds; the one that stamps the link's events
        self.pick = (chance or random.SystemRandom()).randrange
        self._wakes = wakes  # False: its time passes only when a Look says so, never by the wall's clock
        self.keep_tags = keep_tags  # where pieces go that were enrolled here
        self.link = link
        self._inbox = Inbox()
        self._changed = threading.Condition()
        self._listeners: tuple[Callable[[], None], ...] = ()
        self._snapshot = Snapshot(table)
        self._thread = threading.Thread(target=self._run, name=f"naqala-session-{table}", daemon=True)
        # What follows is touched by the session's own thread only.
        self._seen = Evidence(dict(readers), dict(tags))  # while no game is followed
        self.box: Mapping[str, Piece] = dict(tags)  # as enrolled: camels by colour, tiles by what is printed
        self.wanted: c.NewGame | None = None
        self.watcher: watch.Watcher | None = None
        self.guided: Guide | None = None  # the flag on show
        self.sent: tuple[Focus, Light] | None = None
        self._flush_at: int | None = None
        self.hello: Message = None  # of the controller, its last
        self.missed = Missed()
        self.unrecorded = False  # the whole table is to be recorded as soon as it was seen
        self._retry_at: int | None = None

    # --- for everybody ----------------------------------------------------------------------------------------

    def start(self) -> None:
        """Read what the journal holds, follow the link. Raises JournalError when another process has the table."""
        self.ledger.claim()
        self.publish(unfinished=self.ledger.unfinished())
        self._thread.start()
        self.link.start(self._inbox.put)

    def stop(self) -> None:
        """End the thread and the link; everything accepted is on disk already."""
        self.link.stop()
        self._inbox.put(c.Stop())
        if self._thread.is_alive():
            self._thread.join()

    @property
    def snapshot(self) -> Snapshot:
        """The newest."""
        return self._snapshot

    def wait(self, version: int, timeout: float) -> Snapshot:
        """The newest snapshot, as soon as it is newer than this version; after the timeout as it is."""
        with self._changed:
            self._changed.wait_for(lambda: self._snapshot.version > version, timeout)
            return self._snapshot

    def listen(self, changed: Callable[[], None]) -> None:
        """Call this after every new snapshot, in the session's own thread: it must not wait for anything."""
        self._listeners = (*self._listeners, changed)

    def tell(self, command: c.Command, timeout: float = 10.0) -> c.Answer:
        """Put a command into the inbox and wait for what becomes of it; `slow` when nobody knows yet after so many seconds."""
        return self._inbox.ask(command, timeout)

    def learn(self, tags: Mapping[str, Piece]) -> None:
        """Know this registry from now on; nobody waits for it."""
        self._inbox.put(c.Learned(tags))

    @property
    def game_id(self) -> int:
        """Of the game in play, in the journal."""
        return self.ledger.game_id

    # --- the thread -------------------------------------------------------------------------------------------

    def _run(self) -> None:
        while True:
            item = self._inbox.next(self._until_due())
            if isinstance(item, c.Stop):
                self._flush()
                self._inbox.close()
                return
            try:
                self._take(item)
            except Exception as error:  # nobody expected it: stop here, keep the last good snapshot, say so
                log.exception("table '%s' stopped", self.table)
                self.saw(self.evidence, followed=False)
                self.guided = self._flush_at = self._retry_at = None
                self.publish(stopped=where_it_stopped(error))
            if isinstance(item, c.Asked) and not item.answer.done():
                item.answer.set_result(STOPPED)

    def _take(self, item: Any) -> None:
        if isinstance(item, c.Asked):
            item.answer.set_result(self._obey(item.command))
        elif self._snapshot.stopped:
            return
        elif isinstance(item, Arrived):
            self._arrived(item.message, item.at_ms)
        elif isinstance(item, c.Learned):
            following.relearn(self, {**self.box, **item.tags})
        elif isinstance(item, LinkUp | LinkDown):
            self.sent = None  # a controller that was away knows neither focus nor lamps
            if isinstance(item, LinkUp):
                self._greeted(item.hello)
            self.publish(link=link_health(self.link.health()))
            showing.direct(self)
        else:
            self.tick()
        if self._flush_at is not None and self.clock() >= self._flush_at:
            self._flush()
        if self._retry_at is not None and self.clock() >= self._retry_at:
            self._retry()

    def _greeted(self, hello: Any) -> None:
        """A controller that restarted counts its lines anew: what it says next is news, whatever its number."""
        before, self.hello = self.hello, hello
        self.ledger.record(hello)
        evidence = see(self.evidence, hello, self.clock())
        if before is None or hello.boot != before.boot:
            evidence = replace(evidence, last={}, top=hello.seq, missing=frozenset(), lines=())
        self.saw(evidence)
        catching.greeted(self)

    def tick(self) -> None:
        """Let the referee's waiting run on to now; while late lines come, their own moments do that."""
        if self.watcher is not None and not self.missed.late:
            following.wait(self, self.clock())

    def _until_due(self) -> float | None:
        if not self._wakes:
            return None
        due = following.next_due(self) if not self.missed.late else None
        wanted = (self._flush_at, self._retry_at, due)
        moments = [moment for moment in wanted if moment is not None]
        return max(0.0, (min(moments) - self.clock()) / 1000) if moments else None

    def _obey(self, command: c.Command) -> c.Answer:
        if self._snapshot.stopped:
            return STOPPED
        try:
            HANDLERS[type(command)](self, command)
        except Refused as refused:
            return refused.answer
        except IllegalMove as refused:
            return c.Answer(False, "illegal", (("breaches", refused.breaches),))
        except (InvalidAction, BadPosition) as refused:
            return c.Answer(False, "invalid", (("reason", str(refused)),))
        except JournalError as error:
            if self.ledger.chronicle is not None and self._snapshot.step != self.in_hand.next_number:
                showing.show(self)  # the first of several entries is on disk
            self.trouble(error)
            return c.Answer(False, "journal", (("reason", str(error)),))
        return c.Answer(True)

    # --- what the table says ----------------------------------------------------------------------------------

    @property
    def evidence(self) -> Evidence:
        """What was seen: the follower's while a game is followed, else the session's own."""
        return self._seen if self.watcher is None else self.watcher.evidence

    def saw(self, evidence: Evidence, followed: bool = True) -> None:
        """Hold on to what was seen, in the one place where it belongs."""
        if self.watcher is not None and followed:
            self.watcher = replace(self.watcher, evidence=evidence)
        else:
            self.watcher, self._seen = None, evidence

    def _arrived(self, message: Any, at: int) -> None:
        if isinstance(message, Seen | Fault) and self.game_id:
            self.ledger.record(message)
            self._flush_at = self._flush_at or self.clock() + FLUSH_MS
        if isinstance(message, Alive):
            self.publish(link=link_health(self.link.health()), readers=showing.readers(self))
        if self.watcher is not None:
            at = catching.moment(self, message, at)
            following.hear(self, message, at)
        else:
            self.saw(see(self.evidence, message, at))
            if isinstance(message, Seen | Fault):
                self.missed.unplayed.append(message)
                showing.show_setup(self)

    # --- writing down -----------------------------------------------------------------------------------------

    @property
    def in_hand(self) -> Chronicle:
        """The chronicle, where there must be one."""
        assert self.ledger.chronicle is not None
        return self.ledger.chronicle

    def in_play(self, step: int | None = None) -> Chronicle:
        """The chronicle of the game in play. Refused when there is none, or when the asker saw an older one."""
        if self.ledger.chronicle is None or self._snapshot.stage not in (PLAY, OVER):
            raise Refused("no_game")
        if step is not None and step != self.in_hand.next_number:
            raise Refused("stale", now=self.in_hand.next_number)
        return self.in_hand

    def accept(self, action: Action, by: str, kind: str | None = None) -> None:
        """Judge, write down, follow on from there, show. Raises before anything is changed."""
        undo = following.takes_the_place(self, action)
        if undo is not None:
            self.write(undo, by)
        self.write(action, by, kind)
        self.guided = None
        if not isinstance(action, Undo):
            self.go_on()
        following.look(self)

    def write(self, action: Action, by: str, kind: str | None = None) -> None:
        """Judge and write down; what the table shows of it is the next look's affair. A mistake of the last turn is often found
        while people count: with an undo the game that is over is taken up again."""
        if isinstance(action, Undo) and self._snapshot.stage == OVER:
            self.ledger.reopen()
            self.publish(stage=PLAY)
        kind = kind or (UNDO if isinstance(action, Undo) else ACTION)
        self._append(kind, by, notation.to_json(action))
        if by != HANDS:
            following.told(self, action)

    def note(self, body: Any, by: str) -> None:
        """Write down something that is no action."""
        self._append(NOTE, by, body)

    def _append(self, kind: str, by: str, body: Any) -> None:
        try:
            self.ledger.append(kind, by, body)
        except JournalConflict:  # an entry whose end was unknown is there: what is on disk counts
            if self.watcher is not None:
                following.rewatch(self)
            showing.show(self)
            raise
        self._flush_at = None

    def trouble(self, error: JournalError) -> None:
        """Say what the journal could not do, and try again soon."""
        self._retry_at = self.clock() + RETRY_MS
        self.publish(trouble=str(error))

    def _retry(self) -> None:
        """What waited for the journal: lines, moves that were seen, cards to be turned up."""
        self._retry_at = None
        try:
            if self.ledger.takes_writing(self.hello):
                self.publish(trouble="")
            else:
                self._retry_at = self.clock() + RETRY_MS
            if self.ledger.chronicle is not None and self._retry_at is None:
                self.go_on()
            if self.watcher is not None:
                following.look(self)
        except JournalError as error:
            self.trouble(error)

    def _flush(self) -> None:
        self._flush_at = None
        try:
            self.ledger.flush()
        except JournalError as error:
            self.trouble(error)

    def go_on(self) -> None:
        """What follows by itself: the companion turns up cards, and closes a game that is over."""
        if self.in_hand.game.turn.phase == "reveal" and self._snapshot.cards == "dealt":
            self.write(dealer.completed(self.in_hand.game, Reveal(), self.pick), COMPANION)
        if self.in_hand.game.turn.phase == "over" and self._snapshot.stage == PLAY:
            with contextlib.suppress(JournalConflict):  # it has ended already: the answer was lost before
                self.ledger.end("finished")
            showing.show(self, stage=OVER, unfinished=None)

    def publish(self, fresh: Snapshot | None = None, **changes: Any) -> None:
        """The one way a snapshot leaves: the newest with these changes, or a fresh one with them."""
        with self._changed:
            version = self._snapshot.version + 1
            self._snapshot = replace(fresh or self._snapshot, version=version, **changes)
            self._changed.notify_all()
        for changed in self._listeners:
            changed()
