"""The session: one table, one inbox, one thread. The only object of the host that changes.

In: events of the link, commands of people, the passing of time. Out: frozen snapshots. Whatever changes a game goes
through `write`: the rules judge it, the ledger has it on disk, and only then anybody sees it. An exception nobody
expected stops this session and no other: the last good snapshot stays on show and says so. The commands themselves are
functions in `taps`, `evening` and `mending`; those may use what has no underscore here, in the session's own thread.
"""

from __future__ import annotations

import contextlib
import logging
import queue
import random
import threading
import traceback
from collections.abc import Callable, Mapping
from concurrent.futures import Future
from dataclasses import dataclass, replace
from typing import Any

from naqala_protocol import Alive, Fault, Focus, Light, Seen

from naqala.journal import Journal, JournalConflict, JournalError
from naqala.link import Arrived, Link, LinkDown, LinkUp, Message
from naqala.link.inbox import clock_ms
from naqala.rules import notation
from naqala.rules.actions import Action, Reveal, Undo
from naqala.rules.breach import IllegalMove, InvalidAction
from naqala.rules.choices import legal
from naqala.session import catching, dealer, enrolling, evening, mending, opening, taps
from naqala.session import commands as c
from naqala.session.chronicle import ACTION, HANDS, NOTE, UNDO, Chronicle, undoing
from naqala.session.health import link_health, reader_health
from naqala.session.lamps import lamps
from naqala.session.ledger import Ledger
from naqala.session.missed import Missed
from naqala.session.refusal import Refused
from naqala.session.snapshot import OVER, PLAY, SETUP, ReaderHealth, Snapshot, UndoAsked
from naqala.table import watch
from naqala.table.guide import Guide
from naqala.table.readings import Did, Reading, Unclear
from naqala.table.sight import Table, next_change, see
from naqala.transcript import Piece

COMPANION = "companion"  # author of what nobody tapped: cards dealt by the host
FLUSH_MS = 2_000  # raw lines wait at most so long for the disk
RETRY_MS = 1_000  # what the journal could not take is tried again so often

log = logging.getLogger(__name__)


@dataclass(frozen=True, slots=True)
class Asked:
    """A command in the inbox, and where its answer goes."""

    command: c.Command
    answer: Future[c.Answer]


@dataclass(frozen=True, slots=True)
class Stop:
    """The last thing in the inbox."""


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
    """One table's evening. `start`, `stop`, `tell`, `wait` and `snapshot` are for any thread."""

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
        self.keep_tags = keep_tags  # where the registry goes when pieces were enrolled
        self._link = link
        self._inbox: queue.SimpleQueue[Any] = queue.SimpleQueue()
        self._changed = threading.Condition()
        self._snapshot = Snapshot(table)
        self._thread = threading.Thread(target=self._run, name=f"naqala-session-{table}", daemon=True)
        # What follows is touched by the session's own thread only.
        self.sight = Table(dict(readers), dict(tags))
        self.box: Mapping[str, Piece] = dict(tags)  # as enrolled: camels by colour, tiles by what is printed
        self.wanted: c.NewGame | None = None
        self.watcher: watch.Watcher | None = None
        self.guided: Guide | None = None  # the flag on show
        self._first = 0  # actions that stood when the watcher began
        self._sent: tuple[Focus, Light] | None = None
        self._flush_at: int | None = None
        self.hello: Message = None  # of the controller, its last
        self.missed = Missed()
        self.unrecorded = False  # the whole table is to be recorded as soon as it was seen
        self._retry_at: int | None = None
        self._fades_at: int | None = (
            None  # at the set-up: when a piece taken away counts as gone, though nobody speaks
        )

    # --- for everybody ----------------------------------------------------------------------------------------

    def start(self) -> None:
        """Read what the journal holds, follow the link. Raises JournalError when another process has the table."""
        self.ledger.claim()
        self.publish(unfinished=self.ledger.unfinished())
        self._thread.start()
        self._link.start(self._inbox.put)

    def stop(self) -> None:
        """End the thread and the link; everything accepted is on disk already."""
        self._link.stop()
        self._inbox.put(Stop())
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

    def tell(self, command: c.Command, timeout: float = 10.0) -> c.Answer:
        """Put a command into the inbox and wait for what becomes of it."""
        answer: Future[c.Answer] = Future()
        self._inbox.put(Asked(command, answer))
        return answer.result(timeout)

    @property
    def game_id(self) -> int:
        """Of the game in play, in the journal."""
        return self.ledger.game_id

    # --- the thread -------------------------------------------------------------------------------------------

    def _run(self) -> None:
        while True:
            try:
                item = self._inbox.get(timeout=self._until_due())
            except queue.Empty:
                item = None
            if isinstance(item, Stop):
                self._flush()
                return
            try:
                self._take(item)
            except Exception as error:  # nobody expected it: stop here, keep the last good snapshot, say so
                log.exception("table '%s' stopped", self.table)
                self.watcher = self.guided = self._flush_at = self._retry_at = self._fades_at = None
                self.publish(stopped=_where(error))
            if isinstance(item, Asked) and not item.answer.done():
                item.answer.set_result(c.Answer(False, "stopped"))

    def _take(self, item: Any) -> None:
        if isinstance(item, Asked):
            item.answer.set_result(self._obey(item.command))
        elif self._snapshot.stopped:
            return
        elif isinstance(item, Arrived):
            self._arrived(item.message, item.at_ms)
        elif isinstance(item, LinkUp | LinkDown):
            self._sent = None  # a controller that was away knows neither focus nor lamps
            if isinstance(item, LinkUp):
                self._greeted(item.hello)
            self.publish(link=link_health(self._link.health()))
            self.guide()
        else:
            self.tick()
        if self._fades_at is not None and self.clock() >= self._fades_at:
            self.show_setup()
        if self._flush_at is not None and self.clock() >= self._flush_at:
            self._flush()
        if self._retry_at is not None and self.clock() >= self._retry_at:
            self._retry()

    def _greeted(self, hello: Any) -> None:
        """A controller that restarted counts its lines anew: what it says next is news, whatever its number."""
        before, self.hello = self.hello, hello
        self.ledger.record(hello)
        if before is None or hello.boot != before.boot:
            self.sight = replace(self.sight, last={})
            if self.watcher is not None:
                self.watcher = replace(self.watcher, table=self.sight)
        catching.greeted(self)

    def tick(self) -> None:
        """Let the referee's waiting run on to now; while late lines come, their own moments do that."""
        if self.watcher is not None and not self.missed.late:
            self.follow(*watch.tick(self.watcher, self.clock()))

    def _until_due(self) -> float | None:
        if not self._wakes:
            return None
        due = watch.next_due(self.watcher) if self.watcher is not None and not self.missed.late else None
        wanted = (self._flush_at, self._retry_at, self._fades_at, due)
        moments = [moment for moment in wanted if moment is not None]
        return max(0.0, (min(moments) - self.clock()) / 1000) if moments else None

    def _obey(self, command: c.Command) -> c.Answer:
        if self._snapshot.stopped:
            return c.Answer(False, "stopped")
        try:
            HANDLERS[type(command)](self, command)
        except Refused as refused:
            return refused.answer
        except IllegalMove as refused:
            return c.Answer(False, "illegal", (("breaches", refused.breaches),))
        except InvalidAction as refused:
            return c.Answer(False, "invalid", (("reason", str(refused)),))
        except JournalError as error:
            self._trouble(error)
            return c.Answer(False, "journal", (("reason", str(error)),))
        return c.Answer(True)

    # --- what the table says ----------------------------------------------------------------------------------

    def _arrived(self, message: Any, at: int) -> None:
        if isinstance(message, Seen | Fault) and self.game_id:
            self.ledger.record(message)
            self._flush_at = self._flush_at or self.clock() + FLUSH_MS
        if isinstance(message, Alive):
            self.publish(link=link_health(self._link.health()), readers=self._readers())
        if self.watcher is not None:
            at = catching.moment(self, message, at)
            self.follow(*watch.follow(self.watcher, message, at))
        else:
            self.sight = see(self.sight, message, at)
            if isinstance(message, Seen | Fault):
                self.missed.unplayed.append(message)
                self.show_setup()

    def follow(self, watcher: watch.Watcher, said: list[watch.Said]) -> None:
        """Carry out what the referee said. What cannot be written down is not followed either: it is said again."""
        before, self.watcher = self.watcher, watcher
        seen_before, self.sight = self.sight, watcher.table
        chronicle = self.ledger.chronicle
        if self.unrecorded and watcher.started:
            self.unrecorded = False
            self.ledger.record_table(self.hello, self.sight)
        try:
            for _, reading in said:
                self._heed(reading)
        except JournalError as error:
            assert before is not None
            if self.ledger.chronicle is chronicle:
                self.watcher = replace(before, table=watcher.table)
            else:
                self.show()
            self._trouble(error)
            return
        moved_on = self.ledger.chronicle is not chronicle
        if self.watcher is watcher and watcher.told and watcher.move is None and moved_on:
            self.watcher = replace(watcher, told={})  # the record knows that tile again
        if said or watcher.table.on is not seen_before.on or mending.led_on(self):
            self.show()

    def _heed(self, reading: Reading) -> None:
        if reading.withdraws or (isinstance(reading, Did) and reading.replaces):
            self.write(Undo(len(self.in_hand.record.steps) - 1), HANDS)
        if isinstance(reading, Did) and isinstance(reading.action, Undo):
            self._taken_back(self._first + reading.action.to)
        elif isinstance(reading, Did):
            self.write(reading.action, HANDS)
            self.go_on()
        elif isinstance(reading, Unclear) and len(reading.actions) == 1 and self._snapshot.cards == "dealt":
            whole = dealer.completed(self.in_hand.game, reading.actions[0], self.pick)
            if whole != reading.actions[0]:  # the only thing not seen is a card that the companion deals
                self.accept(whole, HANDS)
                self.go_on()

    def _taken_back(self, to: int) -> None:
        """Pieces were put back to where they stood: an undo, free or by consent."""
        undo = undoing(self.in_hand, to)
        by = undo.players[0] if len(undo.players) == 1 else HANDS
        if undo.free_for(by):
            self.write(Undo(to), HANDS)
        else:
            self.ask_consent(by, to)
            self.rewatch()

    def ask_consent(self, by: str, to: int) -> None:
        """An undo that reaches into another's turn waits until all the others agree."""
        others = tuple(seat.name for seat in self._snapshot.seats if seat.name != by)
        self.show(undo_asked=UndoAsked(by, to, (), others))

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
        self.write(action, by, kind)
        self.guided = None
        if self.watcher is not None and isinstance(action, Undo):
            self.rewatch()
        elif self.watcher is not None:
            watcher = watch.accepted(self.watcher, action, self.in_hand.game)
            self.follow(*watch.look(watcher, self.clock()))
        self.show()

    def write(self, action: Action, by: str, kind: str | None = None) -> None:
        """Judge and write down; the watcher is the caller's affair."""
        kind = kind or (UNDO if isinstance(action, Undo) else ACTION)
        self._append(kind, by, notation.to_json(action))

    def note(self, body: Any, by: str) -> None:
        """Write down something that is no action."""
        self._append(NOTE, by, body)

    def _append(self, kind: str, by: str, body: Any) -> None:
        try:
            self.ledger.append(kind, by, body)
        except JournalConflict:  # an entry whose end was unknown is there: what is on disk counts
            self.rewatch()
            self.show()
            raise
        self._flush_at = None

    def _trouble(self, error: JournalError) -> None:
        """Say what the journal could not do, and try again soon."""
        self._retry_at = self.clock() + RETRY_MS
        self.publish(trouble=str(error))

    def _retry(self) -> None:
        """What waited for the journal: lines, moves that were seen, cards to be turned up."""
        self._retry_at = None
        try:
            self.ledger.flush()
            self.publish(trouble="")
            if self.watcher is not None:
                self.follow(*watch.look(self.watcher, self.clock()))
            if self.ledger.chronicle is not None and self._retry_at is None:
                self.go_on()
        except JournalError as error:
            self._trouble(error)

    def _flush(self) -> None:
        self._flush_at = None
        try:
            self.ledger.flush()
        except JournalError as error:
            self._trouble(error)

    def go_on(self) -> None:
        """What follows by itself: the companion turns up cards, and closes a game that is over."""
        if self.in_hand.game.turn.phase == "reveal" and self._snapshot.cards == "dealt":
            self.accept(dealer.completed(self.in_hand.game, Reveal(), self.pick), COMPANION)
        if self.in_hand.game.turn.phase == "over" and self._snapshot.stage == PLAY:
            with contextlib.suppress(JournalConflict):  # it has ended already: the answer was lost before
                self.ledger.end("finished")
            self.show(stage=OVER, unfinished=None)

    # --- showing ----------------------------------------------------------------------------------------------

    def take_up(self, **settings: Any) -> None:
        """Begin to follow the game of the ledger, new or resumed: what lies there is compared with it."""
        self.sight = opening.bound(self.sight, settings["seats"])
        self._fades_at, self.unrecorded = None, self.missed.known is None
        self.rewatch()
        self.show(stage=PLAY, unfinished=None, problems=(), **settings)

    def put_away(self) -> None:
        """No game any more."""
        self.watcher = self.wanted = self.guided = None
        self.sight = replace(self.sight, tags=self.box)
        self.ledger.put_away()
        self.missed = Missed()
        fresh = Snapshot(
            self.table, self._snapshot.version, link=self._snapshot.link, readers=self._snapshot.readers
        )
        self._snapshot = replace(fresh, sight=self.sight)
        self.publish(unfinished=self.ledger.unfinished())

    def rewatch(self, at: int | None = None) -> None:
        """Watch anew from the game as it stands: what differs now is to be put right, not read as a move."""
        watcher = watch.watcher(self.in_hand.game, self.sight.readers, self.sight.tags)
        at, told = self.clock() if at is None else at, mending.still_entered(self.in_hand)
        restoring, lies = mending.restoring(self.in_hand), mending.still_lying(self.in_hand)
        self.watcher = replace(watcher, table=self.sight, at=at, told=told, restoring=restoring, lies=lies)
        self.guided = None
        self._first = len(self.in_hand.record.steps)
        self.follow(*watch.look(self.watcher, self.watcher.at))  # at once, though nobody speaks

    def show(self, **changes: Any) -> None:
        """Publish the game as it stands and what the referee makes of the table."""
        chronicle, game = self.in_hand, self.in_hand.game
        if chronicle.log is not self._snapshot.log:  # something was written: what waited for it is over
            changes = {"drawn": None, "undo_asked": None, "trouble": ""} | changes
        choices = self._snapshot.choices if game is self._snapshot.game else legal(game)
        self.publish(
            step=chronicle.next_number,
            opening=chronicle.record.opening,
            game=game,
            choices=choices,
            sight=self.sight,
            log=chronicle.log,
            readers=self._readers(),
            **mending.shown(self),
            **changes,
        )
        self.guide()

    def _readers(self) -> tuple[ReaderHealth, ...]:
        return reader_health(self.sight, self._link.health().pulses, self.clock())

    def show_setup(self) -> None:
        """Publish what lies there before a game has begun, and what is still missing for one."""
        setup = self._snapshot.stage == SETUP
        self._fades_at = next_change(self.sight, self.clock()) if setup else None
        problems = evening.problems(self) if setup else ()
        self.publish(sight=self.sight, problems=problems, readers=self._readers())

    def guide(self) -> None:
        """Tell the controller where to look first, and which lamps to light; only what changed."""
        if self.watcher is None:
            return
        wanted = (Focus(watch.tiles_of_interest(self.watcher)), Light(lamps(self._snapshot, self.sight)))
        before = self._sent or (None, None)
        for message, sent in zip(wanted, before, strict=True):
            if message != sent and not self._link.send(message):
                return
        self._sent = wanted

    def relearn(self, tags: Mapping[str, Piece]) -> None:
        """Another registry: everything on the readers is looked at anew with it."""
        self.box = tags
        old = self.sight
        self.sight = Table(old.readers, dict(tags), faults=old.faults)
        for reader, seen in sorted(old.on.items(), key=lambda item: old.last[item[0]]):
            self.sight = see(self.sight, Seen(old.last[reader], reader, tuple(sorted(seen))), self.clock())
        if self.ledger.chronicle is None:
            self.show_setup()
            return
        self.sight = opening.bound(self.sight, self._snapshot.seats)
        self.rewatch()
        self.show()

    def publish(self, **changes: Any) -> None:
        """The one way a snapshot leaves."""
        with self._changed:
            self._snapshot = replace(self._snapshot, version=self._snapshot.version + 1, **changes)
            self._changed.notify_all()


def _where(error: Exception) -> str:
    """What stopped us and where, for everybody to see: no values, they may be secrets. The whole is in the log."""
    last = traceback.extract_tb(error.__traceback__)[-1]
    return f"{type(error).__name__} in {last.name}, {last.filename.rpartition('/')[2]} line {last.lineno}"
