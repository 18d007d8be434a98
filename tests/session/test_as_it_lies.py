"""Play on as it lies: what breaks a rule and is let stand, in the middle of a move, at its end, and with a meeple too many."""

from __future__ import annotations

import random
from collections import Counter

import pytest
from naqala.journal import Journal, JournalFull
from naqala.rules.actions import Sow
from naqala.rules.board import NEIGHBOURS, TILES, distance
from naqala.session import commands as c
from naqala.session.session import Session
from naqala.session.snapshot import Snapshot
from naqala.table.readings import Doing, Quiet, Wrong

from tests.session.conftest import Table, in_play, until


def flagged(session: Session) -> Snapshot:
    return until(session, lambda shown: isinstance(shown.reading, Wrong))


def play_on(session: Session, by: str = "Ann") -> None:
    answer = session.tell(c.PlayOn(by, session.snapshot.step))
    assert answer.accepted, answer
    all_agree(session)


def all_agree(session: Session) -> None:
    """Whoever is asked says yes."""
    while (asked := session.snapshot.asked) is not None:
        consent = c.Consent(asked.waiting_for[0], session.snapshot.step, asked.number, True)
        assert session.tell(consent).accepted


def three_meeples(table: Table) -> tuple[str, tuple[str, ...]]:
    """A tile in the middle and its three meeples."""
    return "C3", tuple(table.layout.tile("C3").meeples)


def test_a_breach_in_the_middle_of_a_move_is_let_stand_and_the_move_goes_on(table: Table) -> None:
    session = in_play(table)
    player = session.snapshot.game.turn.player
    start, (first, second, third) = three_meeples(table)
    before = session.snapshot
    table.lift(start)
    table.drop("D4", first)  # a diagonal step
    flagged(session)
    play_on(session)
    shown = session.snapshot
    assert shown.game == before.game, "two meeples are still in the hand: nothing was collected"
    assert (shown.log[-1].kind, shown.log[-1].body["played_on"][0]["rule"]) == ("note", "drops_on_neighbours")
    assert isinstance(shown.reading, Doing) and shown.guide is None
    assert Counter(shown.reading.hand) == Counter(second + third)
    table.drop("D5", second)
    until(session, lambda shown: isinstance(shown.reading, Doing) and shown.reading.hand == third)
    assert session.snapshot.game == before.game
    table.drop("E5", third)
    shown = until(session, lambda shown: isinstance(shown.reading, Wrong) or shown.game is not before.game)
    if shown.game is before.game:  # the colour at the end is a breach of its own, and a decision of its own
        assert "ends_on_its_own_colour" in [breach.rule for breach in shown.reading.breaches]
        play_on(session)
    drops = (("D4", first), ("D5", second), ("E5", third))
    line = next(line for line in reversed(session.snapshot.log) if line.kind != "note")
    assert (line.kind, line.by, line.action) == (
        "override",
        "Ann",
        Sow(player, start, drops, as_it_lies=True),
    )
    assert session.snapshot.game.tile(start).meeples == ""
    collected = table.layout.tile("E5").meeples.count(third) + 1
    assert session.snapshot.game.turn.collected in ("", third * collected)
    table.scoop("E5", third)
    until(session, lambda shown: isinstance(shown.reading, Quiet))


def test_what_was_let_stand_in_a_move_is_still_so_for_another_host(table: Table) -> None:
    session = in_play(table)
    start, (first, second, third) = three_meeples(table)
    table.lift(start)
    table.drop("D4", first)
    flagged(session)
    play_on(session)
    table.close()
    session = table.open()
    assert session.tell(c.Resume("owner")).accepted
    wanted = Counter(second + third)
    shown = until(
        session, lambda shown: isinstance(shown.reading, Doing) and Counter(shown.reading.hand) == wanted
    )
    assert shown.reading.drops == (("D4", first),) and shown.guide is None


def test_a_move_that_is_all_down_counts_as_made(table: Table) -> None:
    session = in_play(table)
    player = session.snapshot.game.turn.player
    start, letters = three_meeples(table)
    path = ("C4", "D5", "E5")  # the second step goes over a corner
    table.sow(start, tuple(zip(path, letters, strict=True)), scoop=False)
    shown = flagged(session)
    assert "drops_on_neighbours" in [breach.rule for breach in shown.reading.breaches]
    drops = shown.reading.sowing.drops
    play_on(session, "Bob")
    shown = session.snapshot
    assert [(line.kind, line.by) for line in shown.log[-2:]] == [("note", "Bob"), ("override", "Bob")]
    assert shown.log[-1].action == Sow(player, start, drops, as_it_lies=True)
    assert shown.step == shown.log[-1].number + 1
    table.scoop(*drops[-1])
    until(session, lambda shown: isinstance(shown.reading, Quiet))


def carried_along(table: Table, session: Session) -> tuple[str, str, str]:
    """A whole move, and a meeple of a second tile carried along as its last: start, that tile, and the meeple's letter."""
    start, letters = three_meeples(table)
    chance = random.Random(3)
    game = session.snapshot.game
    path = [start]
    while len(path) < 5:
        path.append(chance.choice([tile for tile in NEIGHBOURS[path[-1]] if tile not in path]))
    other = next(
        tile
        for tile in TILES
        if tile not in path and set(game.tile(tile).meeples) - set(letters) and distance(tile, path[-1]) > 1
    )
    foreign = next(letter for letter in game.tile(other).meeples if letter not in letters)
    table.lift(start)
    for tile, letter in zip(path[1:4], letters, strict=True):
        table.drop(tile, letter)
    table.move(foreign, other, path[4])
    return start, other, foreign


def test_a_meeple_of_another_tile_that_was_carried_along_is_a_correction_first(table: Table) -> None:
    session = in_play(table)
    before = session.snapshot
    start, other, foreign = carried_along(table, session)
    shown = until(
        session,
        lambda shown: (
            isinstance(shown.reading, Wrong) and shown.reading.sowing and len(shown.reading.sowing.drops) == 4
        ),
    )
    drops = shown.reading.sowing.drops
    assert drops[-1][1] == foreign
    play_on(session)
    shown = session.snapshot
    assert [line.kind for line in shown.log[-3:]] == ["note", "correction", "override"]
    assert shown.step == shown.log[-1].number + 1
    assert shown.log[-1].action.drops == drops
    assert Counter(shown.game.tile(other).meeples) == Counter(before.game.tile(other).meeples) - Counter(
        foreign
    )
    assert shown.game.tile(start).meeples == ""
    table.scoop(*drops[-1])
    until(session, lambda shown: isinstance(shown.reading, Quiet))


def test_a_full_disk_between_two_entries_leaves_no_tap_stale(
    table: Table, monkeypatch: pytest.MonkeyPatch
) -> None:
    session = in_play(table)
    start, letters = three_meeples(table)
    table.sow(start, tuple(zip(("C4", "D5", "E5"), letters, strict=True)), scoop=False)
    flagged(session)
    append = Journal.append

    def only_notes(journal: Journal, game: int, number: int, kind: str, *more: object) -> object:
        if kind != "note":
            raise JournalFull("the disk is full")
        return append(journal, game, number, kind, *more)  # type: ignore[arg-type]

    with monkeypatch.context() as patched:
        patched.setattr(Journal, "append", only_notes)
        answer = session.tell(c.PlayOn("Ann", session.snapshot.step))
        assert (answer.accepted, answer.why) == (False, "journal")
    shown = session.snapshot
    assert shown.step == len(table.journal.entries(1)) + 1, "the note is on disk, and everybody has seen it"
    assert isinstance(shown.reading, Wrong), (
        "the move is not recorded, so the flag stands and can be answered"
    )
    play_on(session)
    assert session.snapshot.log[-1].kind == "override"
