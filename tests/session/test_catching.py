"""The host was away and the controller was not: its lines are read on in their order, and a move is what the hands made.

Over a pseudo-terminal, with a controller that keeps the last lines. Many moves end in the same picture as another one, so
that only the order of the drops tells which was made: those are played here.
"""

from __future__ import annotations

import itertools

import pytest
from naqala.journal import Line
from naqala.link import Mark
from naqala.rules import paths
from naqala.rules.actions import Sow
from naqala.rules.game import play
from naqala.rules.model import Game
from naqala.rules.sowing import Sowing
from naqala.session import commands as c
from naqala.session.chronicle import still_lying
from naqala.session.missed import known, mark
from naqala.session.session import Session
from naqala.table.evidence import Evidence as Sight
from naqala.table.readings import Doing, Quiet, Unclear, Wrong
from naqala_protocol import Hello, Seen, words

from tests.session.conftest import READERS, Table, in_play, until


def two_alike(game: Game) -> tuple[Sow, Sow]:
    """Two sowings that put the same meeples on the same tiles, and end on different ones."""
    seen: dict[object, Sowing] = {}
    for found in itertools.islice(paths.sowings(game.meeples), 5_000):
        other = seen.setdefault((found.start, tuple(sorted(found.drops))), found)
        if other.drops[-1] != found.drops[-1]:
            player = str(game.turn.player)
            return Sow(player, other.start, other.drops), Sow(player, found.start, found.drops)
    raise AssertionError("no such sowings")


def resumed(table: Table) -> Session:
    session = table.open()
    assert session.tell(c.Resume("owner")).accepted
    return session


@pytest.mark.parametrize("which", [0, 1])
def test_the_order_of_drops_survives_a_host_that_was_away(table: Table, which: int) -> None:
    """All drops are down, nothing is scooped: only their order tells the one move from the other."""
    game = in_play(table).snapshot.game
    sow = two_alike(game)[which]
    table.close()
    table.sow(sow.start, sow.drops, scoop=False)
    shown = until(resumed(table), lambda shown: shown.game.turn.phase != "sow", 60)
    assert shown.log[-1].action == sow
    assert shown.log[-1].by == "hands"
    assert shown.game == play(game, sow)[0]


@pytest.mark.parametrize("which", [0, 1])
def test_a_move_is_begun_under_one_host_and_ended_under_no_host(table: Table, which: int) -> None:
    session = in_play(table)
    sow = two_alike(session.snapshot.game)[which]
    table.lift(sow.start)
    table.drop(*sow.drops[0])
    until(session, lambda shown: isinstance(shown.reading, Doing) and len(shown.reading.drops) == 1, 60)
    table.close()
    for drop in sow.drops[1:]:
        table.drop(*drop)
    shown = until(resumed(table), lambda shown: shown.game.turn.phase != "sow", 60)
    assert shown.log[-1].action == sow


def test_the_game_is_resumed_before_the_controller_is_there(table: Table) -> None:
    game = in_play(table).snapshot.game
    sow = two_alike(game)[1]
    table.close()
    table.cable.pull()
    table.sow(sow.start, sow.drops, scoop=False)
    session = resumed(table)
    assert session.snapshot.game == game
    table.cable.plug()
    shown = until(session, lambda shown: shown.game.turn.phase != "sow", 60)
    assert shown.log[-1].action == sow


def test_the_game_is_resumed_after_the_controller_has_told_all(table: Table) -> None:
    game = in_play(table).snapshot.game
    sow = two_alike(game)[0]
    table.close()
    table.sow(sow.start, sow.drops, scoop=False)
    session = table.open()
    last = table.controller.seq
    until(session, lambda shown: bool(shown.sight) and max(shown.sight.last.values(), default=0) > last, 60)
    assert session.tell(c.Resume("owner")).accepted
    shown = until(session, lambda shown: shown.game.turn.phase != "sow", 60)
    assert shown.log[-1].action == sow


def test_a_broken_rule_is_found_though_nobody_looked(table: Table) -> None:
    """Straight back: the picture alone could be another move, the order names the rule."""
    game = in_play(table).snapshot.game
    table.close()
    table.lift("C3")
    for onto, letter in zip(("C4", "C5", "C4"), game.tile("C3").meeples, strict=True):
        table.drop(onto, letter)
    shown = until(resumed(table), lambda shown: isinstance(shown.reading, Wrong), 60)
    assert "no_immediate_backtracking" in [breach.rule for breach in shown.reading.breaches]
    assert shown.game == game


def test_lines_that_the_controller_no_longer_keeps_are_not_guessed(table: Table) -> None:
    """More happened than the controller remembers: people are asked, or put it right; no move is read into it."""
    game = in_play(table).snapshot.game
    sow = two_alike(game)[0]
    table.close()
    table.controller.ring_size = 3
    table.sow(sow.start, sow.drops)
    table.show("F5")
    table.show("F4")
    shown = until(resumed(table), lambda shown: isinstance(shown.reading, Unclear), 60)
    assert shown.repair
    assert (shown.game, shown.log[-1].action.player) == (game, shown.log[-1].by)


def test_a_second_resume_goes_on_from_the_first(table: Table) -> None:
    """The controller restarts while nobody looks: the table is compared once, and from there hands are followed again."""
    game = in_play(table).snapshot.game
    table.close()
    table.cable.pull()
    table.cable.plug(reboot=True)
    session = resumed(table)
    until(session, lambda shown: shown.reading is not None, 60)
    table.close()
    sow = two_alike(game)[1]
    table.sow(sow.start, sow.drops, scoop=False)
    shown = until(resumed(table), lambda shown: shown.game.turn.phase != "sow", 60)
    assert shown.log[-1].action == sow


def test_what_was_told_of_a_blind_tile_is_known_after_a_resume(table: Table) -> None:
    session = in_play(table)
    game = session.snapshot.game
    blind = next(tile for tile in ("C3", "C4", "D3") if len(game.tile(tile).meeples) == 3)
    table.cable.put(table.reader_of[blind])  # not even the tile itself is read any more
    until(session, lambda shown: blind in shown.sight.silent, 60)
    told = game.tile(blind).meeples[:2]
    assert session.tell(c.EnterTile("owner", session.snapshot.step, blind, told)).accepted
    before = session.snapshot
    assert before.step == len(before.log) + 1 == session.snapshot.step, "the next tap is not stale"
    table.close()
    session = resumed(table)
    shown = until(session, lambda shown: shown.reading is not None and blind in shown.sight.silent, 60)
    assert session.watcher is not None
    assert session.watcher.told == {blind: told}
    assert shown.log == before.log


def test_a_tap_and_lines_that_come_late_do_not_hinder_each_other(table: Table) -> None:
    session = in_play(table)
    game = session.snapshot.game
    sow = two_alike(game)[0]
    table.close()
    table.sow(sow.start, sow.drops, scoop=False)
    session = resumed(table)
    assert session.tell(c.SetHelp("owner", True)).accepted
    shown = until(
        session, lambda shown: shown.game.turn.phase != "sow" or isinstance(shown.reading, Unclear), 60
    )
    assert shown.log[-1].action == sow


# --- what is on disk ------------------------------------------------------------------------------------------


def line(at: int, *message: object) -> Line:
    return Line(at, words(Hello(1, "oak", 30, *message, "1.0", ()) if len(message) == 2 else Seen(*message)))


def test_lines_are_split_at_the_last_entry() -> None:
    lines = [line(5, 0, 77), line(5, 1, 3, ("04a1b2c3",)), line(9, 2, 4, ()), line(20, 3, 3, ())]
    found = known(Sight(READERS, {}), lines, 10)
    assert found is not None
    assert dict(found.table.on) == {3: frozenset({"04a1b2c3"}), 4: frozenset()}
    assert [message.seq for _, message in found.later] == [3]
    assert (found.mark, found.whole) == (Mark(77, 3), True)
    hello = Hello(1, "oak", 30, 5, 77, "1.0", ())
    assert found.continued(hello, [Seen(4, 0, ()), Seen(5, 1, ())])
    assert not found.continued(hello, [Seen(5, 1, ())])
    assert not found.continued(hello._replace(boot=78), [])


def test_a_restart_or_a_gap_after_the_last_entry_makes_the_order_unknown() -> None:
    start = [line(5, 0, 77), line(5, 1, 3, ())]
    for more in (
        [line(20, 0, 78), line(21, 1, 3, ())],
        [line(20, 4, 3, ())],
        [Line(20, "seen 2 not a line")],
    ):
        found = known(Sight(READERS, {}), start + more, 10)
        assert found is not None
        assert not found.whole
        assert not found.continued(Hello(1, "oak", 30, 9, found.mark.boot, "1.0", ()), [])
        # A whole table that was recorded as that of the entry settles it.
        settled = known(Sight(READERS, {}), [*start, *more, line(10, 1, 3, ())], 10)
        assert settled is not None
        assert settled.whole
        assert settled.later == ()


def test_no_mark_without_an_unfinished_game(table: Table) -> None:
    session = in_play(table)
    assert mark(table.journal, "oak") == Mark(table.controller.boot, table.controller.seq)
    assert session.tell(c.Abort("owner", session.snapshot.step)).accepted
    assert mark(table.journal, "oak") is None


def test_what_people_let_lie_is_not_flagged_again_by_another_host(table: Table) -> None:
    """A palm stands where none belongs, and is let stand; after the restart only what differs besides is a flag."""
    session = in_play(table)
    table.place("palm", "B2")
    until(session, lambda shown: isinstance(shown.reading, Wrong))
    assert session.tell(c.PlayOn("Ann", session.snapshot.step)).accepted
    until(session, lambda shown: isinstance(shown.reading, Quiet))
    table.close()
    session = resumed(table)
    until(session, lambda shown: isinstance(shown.reading, Quiet))
    table.place("palm", "E4")
    shown = until(session, lambda shown: isinstance(shown.reading, Wrong))
    assert {step.take_from for step in shown.reading.remedy.steps} == {"E4"}
    assert session.tell(c.TableIsRight("Ann", session.snapshot.step)).accepted  # then nothing lies any more
    table.close()
    assert session.snapshot.game.tile("B2").palms == 1
    assert not still_lying(session.in_hand)
