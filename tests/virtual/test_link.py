"""The virtual link: the same events as any link, whatever is done to the cable; and the table behind a real terminal."""

from __future__ import annotations

import os
import queue
import signal
import threading
import time
from collections.abc import Callable, Iterator
from pathlib import Path
from random import Random

import pytest
from naqala import link as links
from naqala.link import Arrived, LinkDown, LinkError, LinkUp
from naqala.rules.board import TILES
from naqala.table.evidence import FRAME
from naqala.virtual.link import VirtualLink
from naqala.virtual.table import VirtualTable
from naqala.virtual.works import MICROPYTHON, Interpreter
from naqala_protocol import Focus, Light, Seen

from tests.virtual.terminal import on_a_terminal

Kept = tuple[VirtualLink, list[object]]


@pytest.fixture
def fast() -> Iterator[Kept]:
    link = links.open("virtual:oak?seed=3&pace=fast")
    assert isinstance(link, VirtualLink)
    events: list[object] = []
    link.start(events.append)
    yield link, events
    link.stop()


def seen(events: list[object]) -> dict[str, set[str]]:
    lines = [e.message for e in events if isinstance(e, Arrived) and isinstance(e.message, Seen)]
    return {FRAME[line.reader]: set(line.tags) for line in lines}


def truth(table: VirtualTable) -> dict[str, set[str]]:
    return {tile: set(table.at(tile)) for tile in TILES}


def until(found: Callable[[], bool], timeout: float = 60) -> None:
    end = time.monotonic() + timeout
    while not found():
        assert time.monotonic() < end, "waited in vain"
        time.sleep(0.02)


def test_the_first_sweep_and_a_move(fast: Kept) -> None:
    link, events = fast
    link.run(5000)
    assert isinstance(events[0], LinkUp) and events[0].hello.name == "oak"
    assert seen(events) == truth(link.table)
    events.clear()
    began = link.clock()
    link.table.move(link.table.at("B2", "meeple")[:1], "B3")
    link.run(3000)
    assert seen(events)["B3"] == set(link.table.at("B3"))
    assert all(began <= event.at_ms <= began + 4000 for event in events)  # type: ignore[attr-defined]


def test_the_same_seed_gives_the_same_events() -> None:
    told = []
    for _ in range(2):
        link = links.open("virtual:oak?seed=9&pace=fast&misses=0.05")
        assert isinstance(link, VirtualLink)
        events: list[object] = []
        link.start(events.append)
        link.run(4000)
        link.table.lift("D4")
        link.run(4000)
        link.stop()
        told.append(events)
    assert told[0] == told[1] and len(told[0]) > 30


def test_without_a_seed_the_same_box_is_laid_out_in_another_way() -> None:
    tables = []
    for text in ("virtual:oak", "virtual:oak", "virtual:oak?seed=1", "virtual:oak?seed=1"):
        link = links.open(text)
        assert isinstance(link, VirtualLink)
        tables.append(link.table)
        link.table.close()
    assert all(table.tags() == tables[0].tags() for table in tables)
    layouts = [truth(table) for table in tables]
    assert layouts[2] == layouts[3]
    assert layouts[0] != layouts[1] and layouts[0] != layouts[2]


def test_what_the_host_says_reaches_the_table(fast: Kept) -> None:
    link, _ = fast
    assert not link.send(Focus((1,)))
    link.run(4000)
    assert link.send(Light(((2, "wrong"),)))
    link.run(200)
    assert link.table.works.table.lamps.shown == {2: "wrong"}  # type: ignore[attr-defined]


def test_a_pulled_cable_comes_back_by_itself_with_all_that_happened(fast: Kept) -> None:
    link, events = fast
    link.run(4000)
    link.table.line.pulled = True
    link.run(500)
    assert isinstance(events[-1], LinkDown) and "pulled out" in events[-1].why
    assert not link.health().up
    link.table.lift("E5")
    link.run(5000)
    link.table.line.pulled = False
    link.run(3000)
    assert link.health().up and seen(events) == truth(link.table)


def test_noise_on_the_line_heals(fast: Kept) -> None:
    link, events = fast
    link.table.line.noise = 0.01
    for tile in ("A1", "C3", "F5", "B2"):
        link.run(4000)
        link.table.lift(tile)
    link.run(4000)
    link.table.line.noise = 0.0
    link.run(15000)
    counters = link.health().counters
    assert link.table.line.spoilt > 20 and counters.noise + counters.bad + counters.malformed > 5
    assert seen(events) == truth(link.table)


def test_a_reboot_is_noticed_and_everything_is_seen_anew(fast: Kept) -> None:
    link, events = fast
    link.run(4000)
    events.clear()
    link.table.disturb("restart")
    link.run(6000)
    assert link.health().counters.reboots == 1
    assert [event for event in events if isinstance(event, LinkUp)]
    assert seen(events) == truth(link.table)


def test_in_real_time_a_thread_carries_the_wire() -> None:
    link = links.open("virtual:oak?pace=20")
    assert isinstance(link, VirtualLink)
    inbox: queue.Queue[object] = queue.Queue()
    link.start(inbox.put)
    first = inbox.get(timeout=60)
    assert isinstance(first, LinkUp)
    assert link.rest(3000) and link.clock() >= 3000
    link.stop()
    assert not link.rest(10)


def test_the_serial_link_finds_it_behind_a_terminal(tmp_path: Path) -> None:
    table = VirtualTable(seed=8, name="elm")
    table.set_up(Random(8))
    with on_a_terminal(table, tmp_path / "tty") as path:
        link = links.open(f"serial:{path}")
        events: list[object] = []
        link.start(events.append)
        until(lambda: seen(events) == truth(table))
        table.lift("C3")
        until(lambda: seen(events) == truth(table))
        assert link.health().hello.name == "elm"
        link.stop()


def test_the_controller_on_real_micropython(micropython: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv(MICROPYTHON, str(micropython))
    link = links.open("virtual:ash?seed=2&micropython")
    assert isinstance(link, VirtualLink) and isinstance(link.table.works, Interpreter)
    events: list[object] = []
    link.start(events.append)
    until(lambda: seen(events) == truth(link.table))
    link.table.lift("C3")
    until(lambda: seen(events) == truth(link.table))
    link.table.disturb(f"fault {4} dead 1500")
    until(lambda: any("reader=4" in str(event) and "Fault" in str(event) for event in events))
    link.stop()


def test_a_controller_that_has_ended_is_silence_and_nothing_hangs(
    micropython: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv(MICROPYTHON, str(micropython))
    children = Path(f"/proc/{os.getpid()}/task/{threading.get_native_id()}/children")
    others = children.read_text().split()
    works = Interpreter(2, "ash")
    (process,) = set(children.read_text().split()) - set(others)
    os.kill(int(process), signal.SIGKILL)
    until(lambda: Path(f"/proc/{process}/stat").read_text().split()[2] == "Z")
    for _ in range(1000):
        works.tell("move nothing")
        works.hear(b"x" * 100)  # far more than its wire holds
    until(lambda: works.run_to(works.now_ms + 20) == b"")
    works.close()
    assert not Path(f"/proc/{process}").exists()


def test_what_is_told_after_the_end_reaches_nobody(
    micropython: Path, monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    """The number of its pipe is another file's by then."""
    monkeypatch.setenv(MICROPYTHON, str(micropython))
    works = Interpreter(2, "ash")
    works.close()
    files = [(tmp_path / str(number)).open("wb") for number in range(8)]  # the numbers that were free again
    works.tell("restart")
    works.close()
    for file in files:
        file.close()
    assert not any((tmp_path / str(number)).read_bytes() for number in range(8))


def test_a_refused_link_starts_no_process(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    program, started = tmp_path / "micropython", tmp_path / "started"
    program.write_text(f"#!/bin/sh\ntouch {started}\n")
    program.chmod(0o755)
    monkeypatch.setenv(MICROPYTHON, str(program))
    children = Path(f"/proc/{os.getpid()}/task/{threading.get_native_id()}/children")
    others = children.read_text()
    with pytest.raises(LinkError, match="wall's pace"):
        links.open("virtual:oak?micropython&pace=4")
    assert children.read_text() == others and not started.exists()


def test_what_makes_no_sense_is_said_in_one_line(monkeypatch: pytest.MonkeyPatch) -> None:
    for text, word in (
        ("virtual:oak?seed=x", "seed"),
        ("virtual:oak?pace=0", "pace"),
        ("virtual:oak?misses=2", "misses"),
        ("virtual:oak?colour=red", "seed, pace, misses, micropython"),
        ("virtual:oak?micropython&pace=4", "pace"),
    ):
        monkeypatch.setenv(MICROPYTHON, "/bin/true")
        with pytest.raises(LinkError, match=word):
            links.open(text)
    monkeypatch.setenv(MICROPYTHON, "/nowhere/micropython")
    with pytest.raises(LinkError, match="'/nowhere/micropython' is no program"):
        links.open("virtual:oak?micropython")
