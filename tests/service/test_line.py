"""A bad line between table and host: the record is the same as on a good one. Over a cable and over a broker.

Sowings are shown by hands only; what the hands could not show within a while is told, as people do, and counted.
"""

from __future__ import annotations

import signal
import tracemalloc
from collections.abc import Callable
from pathlib import Path
from random import Random

import pytest
from naqala import link
from naqala.journal import Journal
from naqala.rules import notation
from naqala.rules.actions import Sow
from naqala.rules.scoring import score
from naqala.session import commands as c
from naqala.session.session import Session
from naqala.session.snapshot import Snapshot
from naqala.table.readings import Unclear, Wrong

from tests.link.broker import Broker, MqttController
from tests.service.evening import decided
from tests.session.conftest import READERS, Table, until

A_WHOLE_GAME = 1000
ASKED_S = 8  # a question that stands so long will not be answered by a late line any more
EARLY = 2_000  # lines after which memory has its size
Spoil = Callable[[bytes], bytes]


def bit_errors(dice: Random, rate: float = 1e-3) -> Spoil:
    """Each bit of each byte turns with this chance: a line of eighty bytes arrives whole about every second time."""

    def spoil(line: bytes) -> bytes:
        return bytes(byte ^ sum(1 << bit for bit in range(8) if dice.random() < rate) for byte in line)

    return spoil


def dropped(dice: Random) -> Spoil:
    return lambda line: b"" if dice.random() < 0.1 else line


def doubled(dice: Random) -> Spoil:
    return lambda line: line * 2 if dice.random() < 0.3 else line


def reordered(dice: Random) -> Spoil:
    """Some lines wait for the next one."""
    held: list[bytes] = []

    def spoil(line: bytes) -> bytes:
        if not held and dice.random() < 0.2:
            held.append(line)
            return b""
        return line + (held.pop() if held else b"")

    return spoil


def play(
    table: Table,
    session: Session,
    disturb: Callable[[int], None] = lambda number: None,
    actions: int = A_WHOLE_GAME,
) -> tuple[int, int]:
    """So many actions of a planned game, by the plan; returns how many sowings there were, and how many the hands showed."""
    table.begin(session, cards="physical")
    plan = decided(session.snapshot.game, 9)[: actions + 1]
    sowings = shown = 0
    for number, (game, action) in enumerate(plan[:-1]):
        assert session.snapshot.game == game
        assert action is not None
        disturb(number)
        entries = len(session.snapshot.log)
        if isinstance(action, Sow):
            sowings += 1
            table.sow(action.start, action.drops)
            shown += _seen(session, entries)
        if len(session.snapshot.log) == entries:
            answer = session.tell(c.Tap("owner", session.snapshot.step, notation.to_json(action)))
            assert answer.accepted or answer.why == "stale", answer
        table.follow(plan[number + 1][0])
    final = plan[-1][0]
    assert session.snapshot.game == final
    assert score(session.snapshot.game) == score(final)
    return sowings, shown


def _seen(session: Session, entries: int) -> bool:
    """Whether the hands were read; not, when the companion asks what was done, or does not know."""
    try:
        until(session, lambda shown: len(shown.log) > entries or isinstance(shown.reading, Unclear | Wrong))
        until(session, lambda shown: len(shown.log) > entries, ASKED_S)
    except AssertionError:
        assert not session.snapshot.stopped
        return False
    return True


@pytest.mark.long
@pytest.mark.parametrize("fault", [bit_errors, dropped, doubled, reordered])
def test_the_same_record_on_a_bad_cable(table: Table, fault: Callable[[Random], Spoil]) -> None:
    table.cable.spoil = fault(Random(3))
    session = table.open()
    # Every second line is damaged by the bits: the hands wait for each, so that a third of a game will do.
    sowings, shown = play(table, session, actions=60 if fault is bit_errors else A_WHOLE_GAME)
    assert shown >= sowings - sowings // 8 - 1
    counted = dict(session.snapshot.link.counters)
    healed = {"bit_errors": "bad", "dropped": "gaps", "doubled": "repeats", "reordered": "gaps"}[
        fault.__name__
    ]
    assert counted[healed] > 5, counted


@pytest.mark.long
def test_the_same_record_though_the_controller_reboots(table: Table) -> None:
    session = table.open()

    def disturb(number: int) -> None:
        if number % 7 == 3:
            with table.cable.lock:
                table.cable._write(table.controller.reboot())

    sowings, shown = play(table, session, disturb)
    assert shown >= sowings - sowings // 8 - 1
    assert dict(session.snapshot.link.counters)["reboots"] >= 3


@pytest.mark.long
def test_the_same_record_though_the_broker_restarts(tmp_path: Path) -> None:
    (tmp_path / "broker").mkdir()
    broker = Broker(tmp_path / "broker")
    broker.start()
    table = Table(tmp_path)
    table.cable = MqttController(broker, table.controller)
    table.cable.start()
    journal = Journal.open(str(tmp_path / "journal.sqlite"))
    session = Session("oak", journal, link.open(broker.url()), READERS, table.tags, Random(5))
    session.start()

    def disturb(number: int) -> None:
        if number in (9, 23):
            broker.stop(signal.SIGKILL)
            until(session, lambda shown: not shown.link.up)
            broker.start()

    try:
        sowings, shown = play(table, session, disturb)
        assert shown >= sowings - sowings // 8 - 1
        assert dict(session.snapshot.link.counters)["drops"] >= 2
    finally:
        session.stop()
        journal.close()
        table.cable.stop()
        broker.stop()


def test_ten_thousand_lines_through_a_live_session(table: Table) -> None:
    """Random and mutated lines, a whole evening's worth: the session lives, counts them all, and holds no memory of them."""
    dice = Random(11)
    session = table.open()
    table.begin(session)
    before = session.snapshot.game
    good = list(table.controller.sweep())
    said = early = 0
    tracemalloc.start()
    for number in range(10_000):
        line = bytearray(dice.choice(good) if number % 2 else dice.randbytes(40).replace(b"\n", b"x") + b"\n")
        for _ in range(dice.randrange(1, 4)):
            place = dice.randrange(len(line) - 1)
            line[place] = dice.choice(b"0123456789abcdef ,-*seen\x00\xff")
        table.cable.say(bytes(line))
        said += 1
        if number % 100 == 0:
            table.cable.say(table.controller.alive())
            said += 1
        if number == EARLY:
            until(session, lambda shown, most=said - 100: _heard(shown) >= most, 60)
            early = tracemalloc.get_traced_memory()[0]
    table.cable.say(table.controller.alive())
    until(session, lambda shown: _heard(shown) >= said, 60)
    assert session.snapshot.stopped == ""
    assert session.snapshot.game == before
    assert session.tell(c.SetHelp("owner", True)).accepted
    counted = dict(session.snapshot.link.counters)
    assert counted["bad"] > 3_000
    assert counted["noise"] > 3_000
    grown = tracemalloc.get_traced_memory()[0] - early
    tracemalloc.stop()
    print(f"{said} lines, {grown / 1000:.0f} kB more than after the first {EARLY}")
    assert grown < 500_000


def _heard(shown: Snapshot) -> int:
    """Lines of every kind, good or not."""
    counted = dict(shown.link.counters)
    return sum(counted[kind] for kind in ("lines", "noise", "bad", "unknown", "malformed"))
