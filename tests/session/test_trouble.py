"""When something fails: the journal, one session of several, a reader at the set-up; and pieces nobody knows yet."""

from __future__ import annotations

import contextlib
import threading
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import pytest
import sqlalchemy as sql
from naqala.journal import JournalFull, JournalUnreachable
from naqala.journal.store import Store
from naqala.rules import paths
from naqala.session import commands as c
from naqala.session.chronicle import undoing
from naqala.session.commands import Answer
from naqala.session.session import Session
from naqala.session.snapshot import Problem
from naqala.table.readings import Doing
from naqala.transcript import Piece
from naqala_protocol import Fault, encode
from sqlalchemy.engine.default import DefaultDialect

from tests.session.conftest import Table, bid_all, in_play, tap, until


class Fails:
    """The journal takes nothing for a while, as on a full disk. `tried` is how often it was asked."""

    def __init__(self, monkeypatch: pytest.MonkeyPatch) -> None:
        self.full, self.tried = True, 0
        write = Store.write

        @contextlib.contextmanager
        def refuse(store: Store) -> Iterator[sql.Connection]:
            self.tried += 1
            if self.full:
                raise JournalFull("the disk is full")
            with write(store) as connection:
                yield connection

        monkeypatch.setattr(Store, "write", refuse)


def test_the_trouble_stays_on_show_until_the_disk_takes_something(
    table: Table, monkeypatch: pytest.MonkeyPatch
) -> None:
    session = table.open()
    bidder = table.begin(session).game.turn.player
    until(session, lambda shown: shown.link.up)
    disk = Fails(monkeypatch)
    assert tap(session, bidder, do="bid", player=bidder, spot=5).why == "journal"
    shown = until(session, lambda shown: disk.tried >= 4)
    assert shown.trouble == "the disk is full"
    disk.full = False
    until(session, lambda shown: shown.trouble == "")
    assert session.snapshot.log == (), "nobody has tapped again"


def test_a_tap_that_cannot_be_written_does_not_count(table: Table, monkeypatch: pytest.MonkeyPatch) -> None:
    session = table.open()
    before = table.begin(session)
    bidder = before.game.turn.player
    disk = Fails(monkeypatch)
    answer = tap(session, bidder, do="bid", player=bidder, spot=5)
    assert (answer.accepted, answer.why) == (False, "journal")
    assert session.snapshot.trouble == "the disk is full"
    assert session.snapshot.game == before.game
    disk.full = False
    assert tap(session, bidder, do="bid", player=bidder, spot=5).accepted
    assert session.snapshot.trouble == ""


def test_a_move_that_could_not_be_written_is_written_when_there_is_room(
    table: Table, monkeypatch: pytest.MonkeyPatch
) -> None:
    session = in_play(table)
    disk = Fails(monkeypatch)
    found = next(paths.sowings(session.snapshot.game.meeples))
    table.sow(found.start, found.drops)
    shown = until(session, lambda shown: shown.trouble != "")
    assert shown.game.turn.phase == "sow"
    disk.full = False
    shown = until(session, lambda shown: shown.game.turn.phase != "sow")
    assert (shown.log[-1].action.start, shown.log[-1].by) == (found.start, "hands")
    until(session, lambda shown: shown.trouble == "")


def test_a_commit_whose_end_was_not_heard_is_found_again(
    table: Table, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The entry is on disk, the session does not know: whatever is tapped next, nothing is lost and nothing doubled."""
    session = table.open()
    bidder = table.begin(session).game.turn.player
    commit = DefaultDialect.do_commit

    def cut(dialect: DefaultDialect, connection: object) -> None:
        commit(dialect, connection)  # type: ignore[arg-type]
        raise JournalUnreachable("the line was cut")

    with monkeypatch.context() as patched:
        patched.setattr(DefaultDialect, "do_commit", cut)
        assert tap(session, bidder, do="bid", player=bidder, spot=5).why == "journal"
    assert tap(session, bidder, do="bid", player=bidder, spot=8).why == "journal"
    assert [line.action.spot for line in session.snapshot.log] == [5]
    assert [entry.body["spot"] for entry in table.journal.entries(1)] == [5]
    second = session.snapshot.game.turn.player
    with monkeypatch.context() as patched:
        patched.setattr(DefaultDialect, "do_commit", cut)
        assert tap(session, second, do="bid", player=second, spot=1).why == "journal"
    assert tap(session, second, do="bid", player=second, spot=1).accepted
    assert [line.action.spot for line in session.snapshot.log] == [5, 1]


def test_a_session_that_crashes_leaves_the_others_alone(
    tmp_path: Path, table: Table, monkeypatch: pytest.MonkeyPatch
) -> None:
    (tmp_path / "elm").mkdir()
    elm = Table(tmp_path / "elm", 2, ("Cy", "Dee"))
    elm.cable.plug()
    try:
        oak_session, elm_session = table.open(), elm.open()
        table.begin(oak_session)
        elm.begin(elm_session)
        in_play = type(oak_session).in_play

        def broken(session: object, step: int | None = None) -> object:
            if session is oak_session:
                raise RuntimeError("secret gold 50")
            return in_play(session, step)  # type: ignore[arg-type]

        monkeypatch.setattr(type(oak_session), "in_play", broken)
        game = oak_session.snapshot.game
        answer = tap(oak_session, game.turn.player, do="bid", player=game.turn.player, spot=5)
        assert (answer.accepted, answer.why) == (False, "stopped")
        shown = oak_session.snapshot
        assert shown.game == game, "the last good snapshot stays on show"
        assert shown.stopped.startswith("RuntimeError in broken")
        assert "secret" not in shown.stopped
        assert oak_session.tell(c.SetHelp("owner", True)).why == "stopped"
        bid_all(elm_session)
        assert elm_session.snapshot.game.turn.phase == "sow"
        monkeypatch.undo()
        table.close()
        again = table.open()
        assert again.tell(c.Resume("owner")).accepted
        assert again.snapshot.game == game
    finally:
        elm.close()
        elm.cable.pull()


def test_djinns_turned_up_are_not_put_back_silently(table: Table) -> None:
    session = table.open()
    first = table.begin(session).game.turn.player
    assert tap(session, first, do="bid", player=first, spot=5).accepted
    chronicle = session.ledger.chronicle
    assert chronicle is not None
    assert undoing(chronicle, 0).free_for(first)
    session.note({"drawn": ["Boaz"], "power": {}}, first)
    assert session.ledger.chronicle is not None
    assert not undoing(session.ledger.chronicle, 0).free_for(first)


def test_the_set_up_is_checked_live(table: Table) -> None:
    session = table.open()
    until(session, lambda shown: bool(shown.sight) and len(shown.sight.on) == 30)
    assert session.tell(c.NewGame("owner", table.players, ("pink", "blue"))).accepted
    assert until(session, lambda shown: shown.stage == "setup").problems == ()
    tag = next(tag for tag in table.on["C3"] if table.tags[tag].kind == "meeple")
    table.on["C3"].remove(tag)
    table.on["D4"] += [tag, "e004ffff00000001"]
    table.show("C3")
    table.show("D4")
    wanted = {
        Problem(
            "unknown_tag", "D4", "Tag e004ffff00000001 on D4 is not registered: enrol it or take it away."
        ),
        Problem("not_three", "C3", "2 meeples stand on C3, not 3."),
        Problem("not_three", "D4", "4 meeples stand on D4, not 3."),
    }
    until(session, lambda shown: set(shown.problems) == wanted)
    assert session.tell(c.Begin("owner", 0, ready=True)).why == "stale"
    assert session.tell(c.Begin("owner", 0)).why == "invalid"
    table.on["D4"] = table.on["D4"][:-2]
    table.on["C3"].append(tag)
    table.show("C3")
    table.show("D4")
    until(session, lambda shown: shown.problems == ())
    assert session.tell(c.Begin("owner", 0)).accepted


def test_a_piece_taken_away_during_the_set_up_is_missed_though_nobody_speaks(table: Table) -> None:
    session = table.open()
    until(session, lambda shown: bool(shown.sight) and len(shown.sight.on) == 30)
    assert session.tell(c.NewGame("owner", table.players, ("pink", "blue"))).accepted
    table.on["C3"].pop()
    table.show("C3")
    missed = Problem("not_three", "C3", "2 meeples stand on C3, not 3.")
    until(session, lambda shown: missed in shown.problems)


def test_one_dead_reader_does_not_stop_a_game_from_beginning(table: Table) -> None:
    """What stands on its tile, and the tile itself, is what is left of the box."""
    dead = 13
    del table.cable.controller.state[dead]
    session = table.open()
    until(session, lambda shown: bool(shown.sight) and len(shown.sight.on) == 29)
    assert session.tell(c.NewGame("owner", table.players, ("pink", "blue"))).accepted
    shown = until(session, lambda shown: shown.stage == "setup")
    tile = shown.sight.readers[dead]
    assert ("silent_reader", tile) in [(one.problem, one.tile) for one in shown.problems]
    assert session.tell(c.Begin("owner", 0)).accepted
    got, wanted = session.snapshot.game.tile(tile), table.layout.tile(tile)
    assert (got.type, got.points, sorted(got.meeples)) == (wanted.type, wanted.points, sorted(wanted.meeples))


def test_pieces_are_enrolled_and_known_at_once(table: Table) -> None:
    kept: list[dict[str, Piece]] = []
    strangers = [tag for tag in table.on["C3"] if table.tags[tag].kind == "meeple"]
    for tag in strangers:
        del table.tags[tag]
    session = table.open()
    session.keep_tags = lambda tags: kept.append(dict(tags))
    shown = until(session, lambda shown: bool(shown.sight) and len(shown.sight.on) == 30)
    reader = next(reader for reader, tile in shown.sight.readers.items() if tile == "C3")
    assert shown.sight.unknown == {"C3": tuple(sorted(strangers))}
    assert session.tell(c.Enrol("owner", reader, "meeple Q")).why == "invalid"
    assert session.tell(c.Enrol("owner", 60, "palm")).why == "nothing_there"
    assert not kept
    assert session.tell(c.Enrol("owner", reader, "camel orange")).accepted
    assert kept[-1][strangers[0]] == Piece("camel", "orange")
    assert session.snapshot.sight.unknown == {}
    assert session.tell(c.Enrol("owner", reader, "meeple Y")).why == "known_otherwise"
    one = next(iter(table.cable.controller.state))
    assert session.tell(c.Enrol("owner", one, "meeple Y")).why == "known_otherwise", (
        "they are meeples already"
    )


def restarted(table: Table, session: Session) -> None:
    """The controller has said hello anew, and not yet what lies on its readers."""
    until(session, lambda shown: bool(shown.sight) and len(shown.sight.on) == 30)
    table.cable.deaf = True
    table.controller.boot, table.controller.seq = table.controller.boot + 1, 0
    table.cable.say(table.controller.hello())
    until(session, lambda shown: dict(shown.link.counters).get("reboots") == 1)


def test_pieces_are_enrolled_while_the_controller_starts_again(table: Table) -> None:
    stranger = table.on["C3"][-1]
    known = table.tags.pop(stranger)
    session = table.open()
    restarted(table, session)
    session.learn({stranger: known})
    until(session, lambda shown: shown.sight.unknown == {})
    assert session.snapshot.sight.places()[stranger] == "C3"


def test_a_game_begins_while_the_controller_starts_again(table: Table) -> None:
    session = table.open()
    restarted(table, session)
    table.begin(session)
    assert {line.text.split()[0] for line in table.journal.lines(session.game_id)} == {"hello", "seen"}
    table.show("C3")
    assert until(session, lambda shown: shown.sight.last.get(table.reader_of["C3"]) == 1).stage == "play"


def test_a_list_of_tags_that_cannot_be_kept_changes_nothing(table: Table) -> None:
    table.tags.pop(table.on["C3"][-1])
    session = table.open()
    shown = until(session, lambda shown: bool(shown.sight) and len(shown.sight.on) == 30)

    def full(tags: object) -> None:
        raise OSError(28, "No space left on device")

    session.keep_tags = full
    reader = next(reader for reader, tile in shown.sight.readers.items() if tile == "C3")
    table.on["C3"] = table.on["C3"][-1:]
    table.show("C3")
    until(session, lambda shown: len(shown.sight.on[reader]) == 1)
    assert session.tell(c.Enrol("owner", reader, "camel orange")).why == "tags_not_kept"
    assert "C3" in session.snapshot.sight.unknown


def test_a_tile_that_is_told_is_looked_at_at_once(table: Table) -> None:
    session = in_play(table)
    sowing = next(s for s in paths.sowings(session.snapshot.game.meeples) if len({*s.path}) == 4)
    (first, _), (dead, letter), _ = sowing.drops
    table.controller.seq += 1
    table.cable.say(encode(Fault(table.controller.seq, table.reader_of[dead], "timeout")))
    until(session, lambda shown: dead in shown.sight.silent)
    table.lift(sowing.start)
    table.drop(*sowing.drops[0])
    until(
        session, lambda shown: isinstance(shown.reading, Doing) and shown.reading.drops == (sowing.drops[0],)
    )
    lies = session.snapshot.game.tile(dead).meeples + letter
    assert session.tell(c.EnterTile("Ann", session.snapshot.step, dead, lies)).accepted
    shown = session.snapshot
    assert isinstance(shown.reading, Doing) and {tile for tile, _ in shown.reading.drops} == {first, dead}


def test_who_asks_a_session_that_ends_is_told_at_once(table: Table) -> None:
    session = table.open()
    asking = threading.Barrier(5)

    def ask() -> list[Answer]:
        asking.wait(60)
        answers = [session.tell(c.Look(c.OWNER), 60)]
        while answers[-1].accepted:
            answers.append(session.tell(c.Look(c.OWNER), 60))
        return answers

    with ThreadPoolExecutor(4) as people:
        waiting = [people.submit(ask) for _ in range(4)]
        asking.wait(60)
        session.stop()
        ends = [asked.result(120)[-1] for asked in waiting]
    assert ends == 4 * [Answer(False, "stopped")], "a session that has ended says so, nobody waits in vain"
    assert session.tell(c.Look(c.OWNER), 60) == Answer(False, "stopped")
