"""The ledger: one table's game as the journal has it, and the chronicle it tells. Both move on together or not at all.

In: entries and raw lines. Out: the chronicle after them. `append` returns when the entry is on disk; what it raises is the
journal's, and then nothing has changed, or, after a conflict, the chronicle is what the disk says.
"""

from __future__ import annotations

import contextlib
from dataclasses import replace
from typing import Any

from naqala_protocol import Seen, words

from naqala.journal import Entry, Journal, JournalConflict, now_ms
from naqala.journal import Game as Kept
from naqala.link import Message
from naqala.rules.model import Game
from naqala.session.chronicle import Chronicle, begun, lets_a_move_go_on, retold
from naqala.session.missed import Known, known
from naqala.session.snapshot import Unfinished
from naqala.table.evidence import Evidence


class Ledger:
    """Touched by the session's own thread only."""

    def __init__(self, journal: Journal, table: str) -> None:
        self.game_id = 0
        self.chronicle: Chronicle | None = None
        self._journal, self._table = journal, table
        self._began_ms = 0
        self._in_doubt: Entry | None = None  # the journal failed while it was written: it may be there or not

    def claim(self) -> None:
        """Be the only one who writes for this table; JournalBusy names who is."""
        self._journal.claim(self._table)

    # --- games --------------------------------------------------------------------------------------------------

    def unfinished(self) -> Unfinished | None:
        """The newest game of this table that can be resumed."""
        games = [game for game in self._journal.games(self._table) if game.ended_ms is None]
        if not games:
            return None
        names = tuple(player["name"] for player in games[-1].opening["players"])
        return Unfinished(games[-1].id, names, games[-1].entries, games[-1].at_ms)

    def begin(self, game: Game, opening: dict[str, Any]) -> Chronicle:
        """A new game, with its opening as the journal keeps it."""
        self._began_ms = now_ms()
        self.game_id = self._journal.new_game(self._table, opening, self._began_ms)
        self.chronicle = begun(game)
        return self.chronicle

    def resume(self, game_id: int) -> Kept:
        """Take a game up again: its chronicle is told anew from disk."""
        kept = self._journal.game(game_id)
        self._began_ms = kept.at_ms
        self.chronicle, self.game_id = retold(kept.opening, self._journal.entries(game_id)), game_id
        return kept

    def end(self, how: str, game_id: int = 0) -> None:
        """The game in hand, or another one, is over."""
        self._journal.close_game(game_id or self.game_id, how)

    def reopen(self) -> None:
        """The game in hand goes on after its end; nothing to do when it was reopened before and nobody heard of it."""
        with contextlib.suppress(JournalConflict):
            self._journal.reopen(self.game_id)

    def put_away(self) -> None:
        """No game any more; its record stays."""
        self.chronicle, self.game_id, self._in_doubt = None, 0, None

    # --- entries ------------------------------------------------------------------------------------------------

    def append(self, kind: str, by: str, body: Any) -> None:
        """Judge and write down. After a conflict the chronicle is told anew: the journal knows more than we do."""
        assert self.chronicle is not None
        entry = Entry(self.chronicle.next_number, now_ms(), kind, by, body)
        doubt = self._in_doubt
        if doubt is not None and replace(doubt, at_ms=entry.at_ms) == entry:
            entry = doubt  # the very same again: the journal finds it or writes it
        after = self.chronicle.after(entry)
        self._in_doubt = entry
        try:
            self._journal.append(self.game_id, entry.number, kind, by, body, entry.at_ms)
        except JournalConflict:
            self.resume(self.game_id)
            self._in_doubt = None
            raise
        self._in_doubt = None
        self.chronicle = after

    # --- raw lines ----------------------------------------------------------------------------------------------

    def record(self, message: Message, at_ms: int | None = None) -> None:
        """Keep a line of the controller; it is on disk with the next entry, or after `flush`."""
        if self.game_id:
            self._journal.record(self.game_id, now_ms() if at_ms is None else at_ms, words(message))

    def record_table(self, hello: Message, table: Evidence) -> None:
        """Keep a whole table as the one of the last entry: what comes after is read from there."""
        if hello is not None:
            self.record(hello, self._last_ms)
        last = table.last  # without the readers that have not spoken since their controller restarted
        seen = [Seen(last.get(reader, 0), reader, tuple(sorted(tags))) for reader, tags in table.on.items()]
        for line in sorted(line for line in seen if line.reader not in table.faults):
            self.record(line, self._last_ms)

    def flush(self) -> bool:
        """Write the lines kept so far; whether there were any."""
        return bool(self.game_id) and self._journal.flush(self.game_id)

    def takes_writing(self, hello: Message) -> bool:
        """Whether the journal takes something again: what waits, else the controller's greeting once more, which changes
        nothing. Raises why it does not; False when there is nothing to try it with."""
        if not self.game_id or self.flush():
            return True
        if hello is not None:
            self.record(hello)
        return self.flush()

    def known(self, table: Evidence) -> Known | None:
        """The table at the last entry and the lines since, from an empty table; None when there are no lines."""
        return known(table, self._journal.lines(self.game_id), self._last_ms)

    @property
    def _last_ms(self) -> int:
        assert self.chronicle is not None
        log = reversed(self.chronicle.log)
        return next((line.at_ms for line in log if not lets_a_move_go_on(line)), self._began_ms)
