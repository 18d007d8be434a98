"""The table was moved while nobody looked, or lags behind what was told: never a guessed move, always a way back."""

from __future__ import annotations

from collections.abc import Iterable
from itertools import islice
from pathlib import Path
from random import Random

import pytest
from naqala.robots import ROBOTS
from naqala.rules import notation, paths
from naqala.rules.actions import Sow
from naqala.rules.board import TILES
from naqala.rules.game import play
from naqala.rules.model import Game
from naqala.rules.record import Record
from naqala.session import commands as c
from naqala.session.opening import bound
from naqala.session.snapshot import Seat
from naqala.table import watch
from naqala.table.evidence import Evidence as Sight
from naqala.table.evidence import see
from naqala.table.pieces import CAMEL_COLOURS
from naqala.table.playback import Playback
from naqala.table.readings import Did, Quiet, Reading, Unclear, Wrong
from naqala_protocol import Seen

from tests.session.conftest import READERS, Table, in_play, tap, until

A_WHILE = 60_000  # longer than any reading waits


def test_a_table_moved_while_no_host_looked_is_put_right(table: Table) -> None:
    """The controller lost power, too: nobody knows in which order the pieces went, only where they are."""
    session = in_play(table)
    before = session.snapshot
    table.close()
    table.cable.pull()
    found = next(paths.sowings(before.game.meeples))
    table.sow(found.start, found.drops)
    table.cable.plug(reboot=True)
    session = table.open()
    assert session.tell(c.Resume("owner")).accepted
    shown = until(session, lambda shown: isinstance(shown.reading, Unclear), 60)
    assert shown.repair
    assert (shown.log, shown.game) == (before.log, before.game)
    table.follow(before.game)
    shown = until(session, lambda shown: isinstance(shown.reading, Quiet) and not shown.repair, 60)
    assert (shown.log, shown.game) == (before.log, before.game)


def test_people_may_say_that_the_table_is_right_after_a_resume(table: Table) -> None:
    session = in_play(table)
    before = session.snapshot
    table.close()
    table.lift("C3")
    table.cable.pull()
    table.cable.plug(reboot=True)
    session = table.open()
    assert session.tell(c.Resume("owner")).accepted
    shown = until(session, lambda shown: isinstance(shown.reading, Wrong), 60)
    assert session.tell(c.TableIsRight("owner", shown.step)).accepted
    assert before.game.tile("C3").meeples != ""
    assert session.snapshot.game.tile("C3").meeples == ""
    assert session.snapshot.log[-1].kind == "correction"


def test_a_move_that_was_told_is_on_disk_and_its_pieces_are_asked_for(table: Table) -> None:
    """The power fails between a tap and the hands: after the resume the pieces are to follow the record."""
    session = in_play(table)
    found = next(paths.sowings(session.snapshot.game.meeples))
    sow = Sow(session.snapshot.game.turn.player, found.start, found.drops)
    assert tap(session, "owner", **notation.to_json(sow)).accepted
    told = session.snapshot
    table.close()
    session = table.open()
    assert session.tell(c.Resume("owner")).accepted
    shown = until(session, lambda shown: isinstance(shown.reading, Wrong), 60)
    assert (shown.log, shown.game) == (told.log, told.game)
    assert shown.repair
    table.follow(told.game)
    until(session, lambda shown: not isinstance(shown.reading, Wrong), 60)
    assert session.snapshot.log == told.log


# --- the same by the referee's own clock, many times ----------------------------------------------------------


class Looker:
    """A referee that looks at a table of ours; the clock is ours, too."""

    def __init__(self, table: Table, game: Game) -> None:
        seats = tuple(Seat(name, colour) for name, colour in zip(table.players, CAMEL_COLOURS, strict=False))
        sight = Sight(READERS, table.tags)
        for reader, tile in READERS.items():
            sight = see(sight, Seen(1, reader, tuple(table.on[tile])), 0)
        self.table, self.seq, self.at = table, 1, 1_000
        self.said: list[Reading] = []
        self.play = Playback(watch.watcher(READERS, bound(sight, seats, game).tags), Record(game))
        for tile in TILES:
            self.look_at(tile)

    def look_at(self, tile: str, after: int = 0) -> None:
        self.seq, self.at = self.seq + 1, self.at + after
        line = Seen(self.seq, self.table.reader_of[tile], tuple(self.table.on[tile]))
        self._take(self.play.hear(line, self.at))

    def wait(self, after: int = A_WHILE) -> None:
        self.at += after
        self._take(self.play.wait(self.at))

    def told(self, action: Sow) -> None:
        self._take(self.play.tap(action, self.at))

    @property
    def game(self) -> Game:
        return self.play.record.game

    @property
    def last(self) -> Reading | None:
        """What the referee says now."""
        return self.play.watching.said

    def _take(self, said: Iterable[tuple[int, Reading]]) -> None:
        self.said += [reading for _, reading in said]


class Still:
    """A cable on which nobody listens."""

    def put(self, reader: int, *tags: str) -> None:
        pass


def a_table(folder: Path, dice: Random) -> tuple[Table, Game]:
    """A table somewhere in a game, with a player about to sow."""
    while True:
        table = Table(folder, dice.randrange(1_000))
        table.cable = Still()
        game, actions = table.layout, dice.randrange(100)
        while game.turn.phase != "over" and (actions > 0 or game.turn.phase != "sow"):
            game, actions = play(game, ROBOTS["random"](game, dice))[0], actions - 1
        if game.turn.phase == "sow" and next(paths.sowings(game.meeples), None):
            table.follow(game)
            return table, game


def a_sowing(game: Game, dice: Random) -> Sow:
    found = dice.choice(list(islice(paths.sowings(game.meeples), 2_000)))
    return Sow(str(game.turn.player), found.start, found.drops)


@pytest.mark.parametrize("seed", range(40))
def test_a_repair_in_any_order_is_never_read_as_a_move(tmp_path: Path, seed: int) -> None:
    """A whole sowing was made while nobody looked; then it is put back, tile by tile, quickly or slowly."""
    dice = Random(seed)
    table, game = a_table(tmp_path, dice)
    sow = a_sowing(game, dice)
    home = {tile: list(tags) for tile, tags in table.on.items()}
    if dice.random() < 0.5:
        table.sow(sow.start, sow.drops)
    else:
        table.follow(play(game, sow)[0])  # with camel, and whichever pieces came to hand
    looker = Looker(table, game)
    looker.wait(dice.choice((0, 100, 3_000)))
    moved = [tile for tile in TILES if set(home[tile]) != set(table.on[tile])]
    dice.shuffle(moved)
    table.on = home
    for tile in moved:
        looker.look_at(tile, dice.choice((0, 5, 100, 1_000, 4_000)))
    looker.wait()
    assert not [reading for reading in looker.said if isinstance(reading, Did)]
    assert looker.game == game
    assert isinstance(looker.last, Quiet)


@pytest.mark.parametrize("seed", range(12))
def test_a_told_move_is_not_taken_back_while_its_pieces_wait(tmp_path: Path, seed: int) -> None:
    """Told first, made by hands later and slowly: one entry of the record, whatever the pieces show on the way."""
    dice = Random(seed)
    table, game = a_table(tmp_path, dice)
    sow = a_sowing(game, dice)
    looker = Looker(table, game)
    looker.told(sow)
    after = looker.game
    looker.wait()
    assert not any(isinstance(reading, Wrong) for reading in looker.said), "its turn lasts: nothing is late"
    before = {tile: list(tags) for tile, tags in table.on.items()}
    table.follow(play(game, sow)[0])
    moved = [tile for tile in TILES if set(before[tile]) != set(table.on[tile])]
    dice.shuffle(moved)
    for tile in moved:
        looker.look_at(tile, dice.choice((0, 100, 2_000, 5_000)))
    looker.wait()
    assert not any(reading.withdraws or getattr(reading, "replaces", False) for reading in looker.said)
    assert looker.game == after
    assert isinstance(looker.last, Quiet), "its result stands on the table"
