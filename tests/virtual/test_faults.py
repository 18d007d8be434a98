"""Each kind of fault does what its name says, as the host would notice, and ends by itself."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator

import pytest
from naqala import link as links
from naqala.link import Arrived, LinkDown
from naqala.rules.board import TILES
from naqala.table.evidence import FRAME
from naqala.virtual.box import READER_OF
from naqala.virtual.faults import KINDS, MORE_MISSES, Faults, Storm
from naqala.virtual.link import VirtualLink
from naqala_protocol import Fault, Seen


class Stage:
    """A table in fast time, its faults, and what the host heard since the last look."""

    def __init__(self, seed: int = 3, misses: float = 0.0) -> None:
        link = links.open(f"virtual:oak?seed={seed}&pace=fast&misses={misses}")
        assert isinstance(link, VirtualLink)
        self.link, self.table = link, link.table
        self.faults = Faults(link.table, seed)
        self.events: list[object] = []
        self.seen: dict[str, set[str]] = {}
        link.start(self._take)
        self.after(4000)

    def _take(self, event: object) -> None:
        self.events.append(event)
        if isinstance(event, Arrived) and isinstance(event.message, Seen):
            self.seen[FRAME[event.message.reader]] = set(event.message.tags)

    def after(self, ms: int) -> list[object]:
        self.events = []
        self.link.run(ms)
        return self.events

    def codes(self, tile: str) -> list[str]:
        return [
            event.message.code
            for event in self.events
            if isinstance(event, Arrived)
            and isinstance(event.message, Fault)
            and event.message.reader == READER_OF[tile]
        ]

    def as_it_lies(self) -> bool:
        return self.seen == {tile: set(self.table.at(tile)) for tile in TILES}


@pytest.fixture
def stage() -> Iterator[Stage]:
    stage = Stage()
    yield stage
    stage.link.stop()


@pytest.mark.parametrize("name", ["dead_reader", "stuck_busy"])
def test_a_broken_chip_is_a_fault_of_its_reader_and_mends(stage: Stage, name: str) -> None:
    stage.faults.inject(name, "C3", 3000)
    stage.after(2000)
    assert stage.codes("C3") and stage.codes("C3")[-1] != "ok"
    stage.after(16000)
    assert stage.codes("C3")[-1] == "ok" and stage.as_it_lies()


@pytest.mark.parametrize("name", ["ghost_read", "neighbour_leak"])
def test_a_tag_that_is_not_there_comes_and_goes(stage: Stage, name: str) -> None:
    at_home = set(stage.table.at("C3"))
    for _ in range(6):  # a reader may look away while the ghost is there
        stage.faults.inject(name, "C3", 1500)
        stage.after(1500)
    strangers = [
        set(event.message.tags) - at_home
        for event in stage.events
        if isinstance(event, Arrived) and isinstance(event.message, Seen)
    ]
    assert any(strangers)
    if name == "neighbour_leak":
        near = {tag for tile in ("B3", "D3", "C2", "C4") for tag in stage.table.at(tile)}
        assert set().union(*strangers) <= near
    stage.after(6000)
    assert stage.as_it_lies()


def test_a_piece_put_down_where_its_ghost_was_is_read_once(stage: Stage) -> None:
    (tag,) = stage.table.at("A1", "meeple")[:1]
    stage.table.disturb(f"echo {tag} {READER_OF['C3']} 5000", f"echo {tag} {READER_OF['C3']} 5000")
    stage.table.move([tag], "C3")
    stage.table.disturb(f"echo {tag} {READER_OF['C3']} 5000")
    stage.after(8000)
    assert stage.as_it_lies()


def test_missed_reads_are_settled(stage: Stage) -> None:
    stage.faults.inject("missed_reads", ms=5000)
    stage.after(9000)
    assert stage.as_it_lies()
    assert misses(stage) == 0.0


def misses(stage: Stage) -> float:
    rate: float = stage.table.works.table.misses  # type: ignore[attr-defined]
    return rate


def test_of_two_that_overlap_the_last_word_counts(stage: Stage) -> None:
    """Misses twice, the same reader dead twice: each lasts as long as was said last, and then all is as it was."""
    stage.faults.inject("missed_reads", ms=3000)
    stage.faults.inject("dead_reader", "C3", 3000)
    stage.after(2000)
    stage.faults.inject("missed_reads", ms=6000)
    stage.faults.inject("dead_reader", "C3", 6000)
    stage.after(3000)  # the first ones would be over
    assert misses(stage) == MORE_MISSES and stage.codes("C3")[-1:] != ["ok"]
    stage.after(4000)
    assert misses(stage) == 0.0
    stage.after(16000)
    assert stage.as_it_lies()


def test_a_disturbance_leaves_a_table_as_bad_as_it_was() -> None:
    stage = Stage(misses=0.03)
    for _ in range(2):
        stage.faults.inject("missed_reads", ms=2000)
        stage.after(1000)
    assert misses(stage) == MORE_MISSES
    stage.after(2000)
    assert misses(stage) == 0.03
    stage.faults.inject("missed_reads", ms=60_000)
    stage.faults.clear()
    stage.after(100)
    assert misses(stage) == 0.03
    stage.link.stop()


def test_everything_is_mended_at_once_and_stays_so(stage: Stage) -> None:
    """Faults that never end, and some that would end later: nothing of them is left, nothing comes back."""
    where = {
        "ghost_read": "B4",
        "neighbour_leak": "E4",
        "dead_reader": "D2",
        "slow_reader": "A1",
        "missed_reads": None,
    }
    for name, tile in where.items():
        stage.faults.inject(name, tile, 20_000)
        stage.faults.inject(name, tile, 0)
    stage.after(4000)
    assert misses(stage) == MORE_MISSES and stage.codes("D2")
    assert not stage.as_it_lies()
    stage.faults.clear()
    stage.after(16_000)
    assert misses(stage) == 0.0 and stage.as_it_lies()
    stage.faults.inject("dead_reader", "D2", 0)  # lasting: no older end may mend it
    stage.after(8000)
    assert stage.codes("D2") and stage.codes("D2")[-1] != "ok"


def test_a_fault_that_lasts_is_not_ended_by_another_kind(stage: Stage) -> None:
    stage.faults.inject("dead_reader", "C3", 0)
    stage.faults.inject("slow_reader", "C3", 500)
    stage.faults.inject("brown_out", "C3", 500)
    stage.after(8000)
    assert stage.codes("C3") and stage.codes("C3")[-1] != "ok"


def test_a_slow_reader_slows_itself(stage: Stage) -> None:
    sweep = stage.link.health().alive.sweep
    stage.faults.inject("slow_reader", "C3", 8000)
    stage.after(8000)
    assert stage.link.health().alive.sweep < 1.5 * sweep
    stage.after(6000)
    assert stage.as_it_lies()


def test_a_brown_out_is_survived(stage: Stage) -> None:
    for tile in TILES:
        stage.faults.inject("brown_out", tile)
    stage.after(12000)
    assert stage.as_it_lies() and stage.link.health().up


def test_a_pulled_cable_a_noisy_line_and_a_reboot(stage: Stage) -> None:
    stage.faults.inject("cable_pulled", ms=2000)
    assert any(isinstance(event, LinkDown) for event in stage.after(1000))
    stage.after(4000)
    assert stage.link.health().up and not stage.table.line.pulled
    stage.faults.inject("line_noise", ms=3000)
    stage.after(4000)
    assert stage.table.line.spoilt and not stage.table.line.noise
    stage.faults.inject("controller_reboot")
    stage.after(8000)
    assert stage.link.health().counters.reboots == 1 and stage.as_it_lies()


def test_a_storm_brings_every_kind_from_its_seed(stage: Stage) -> None:
    storm = Storm(stage.faults, seed=5, per_minute=60)
    while min((stage.faults.injected[name] for name in KINDS), default=0) < 2:
        stage.link.run(200)
        storm.blow()
    assert set(stage.faults.injected) == set(KINDS)
    stage.faults.clear()
    stage.after(20000)
    assert stage.as_it_lies()
    again = Stage()
    other = Storm(again.faults, seed=5, per_minute=60)
    for _ in range(50):
        again.link.run(200)
        other.blow()
    again.link.stop()
    assert again.faults.injected <= Counter(stage.faults.injected)
