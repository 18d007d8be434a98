"""`naqala doctor --rung`: the acceptance sheet, with a controller behind a pseudo-terminal and with figures given by hand."""

from __future__ import annotations

import json
from pathlib import Path

import pytest
from click.testing import CliRunner
from naqala.cli import acceptance, main
from naqala.cli.acceptance import RUNGS, Measured, judge, sheet
from naqala.link import Health
from naqala_protocol import Alive, Fault, Hello, Seen, Stats

TAGS = tuple(f"e00401500000{n:04x}" for n in range(14))


def measured(wired: int = 3, *messages: object) -> Measured:
    hello = Hello(1, "oak", wired, 0, 7, "0.1.0", ())
    found = Measured(health=Health("serial", True, "/dev/ttyACM0", hello=hello), seconds=60)
    for message in messages:
        found.take(message)
    return found


def good_tile() -> list[object]:
    return [
        Seen(1, 0, TAGS),
        Stats(0, 100, 2, 60, 1),
        Stats(0, 1100, 7, 60, 1),
        Alive(2, 60, 200, 90000, ()),
    ]


def failures(found: Measured, rung: str = "onetile") -> list[str]:
    return [line.what for line in judge(RUNGS[rung], found) if line.good is False]


def test_a_good_tile_passes() -> None:
    found = measured(3, *good_tile())
    assert failures(found) == []
    assert found.lost_per_mille() == 5.0  # since listening began: 5 of 1000
    text, good = sheet(RUNGS["onetile"], found)
    assert good and "What was measured passes." in text


@pytest.mark.parametrize(
    ("message", "what"),
    [
        (Seen(3, 0, TAGS[:11]), "tags on the first reader, at its poorest"),
        (Seen(3, 1, TAGS[:1]), "tags on its neighbours"),
        (Fault(3, 2, "field"), "faults"),
        (Stats(0, 1200, 40, 60, 1), "tags missed"),
        (Alive(3, 61, 351, 90000, ()), "sweep, slowest"),
    ],
)
def test_each_limit_can_fail(message: object, what: str) -> None:
    assert failures(measured(3, *good_tile(), message)) == [what]


def test_the_first_sweeps_after_a_start_do_not_count() -> None:
    """They start the chips: on the emulated controller 2.9 s instead of 1.6."""
    assert failures(measured(3, *good_tile(), Alive(3, 5, 2900, 90000, ()))) == []


def test_the_sheet_says_whom_it_is_of() -> None:
    text, _ = sheet(RUNGS["onetile"], measured(3, *good_tile()))
    assert "Controller 'oak', firmware 0.1.0, 20" in text


def test_a_reader_too_few_fails() -> None:
    assert failures(measured(2, *good_tile())) == ["readers wired"]


def test_what_was_not_told_is_neither_passed_nor_failed() -> None:
    lines = {line.what: line.good for line in judge(RUNGS["onetile"], measured(3, Seen(1, 0, TAGS)))}
    assert lines["tags missed"] is None and lines["sweep, slowest"] is None


def test_a_fault_that_has_gone_does_not_count() -> None:
    assert failures(measured(3, *good_tile(), Fault(3, 2, acceptance.WELL))) == []


def test_every_rung_needs_more_than_the_one_before() -> None:
    wired = [rung.wired for rung in RUNGS.values()]
    assert list(RUNGS) == ["bench", "onetile", "row", "table"]
    assert wired == sorted(wired) and wired[-1] == 30
    assert all(rung.by_hand for rung in RUNGS.values())


@pytest.fixture
def at_home(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    monkeypatch.setenv("XDG_CONFIG_HOME", str(tmp_path / "config"))
    monkeypatch.setenv("XDG_DATA_HOME", str(tmp_path / "data"))
    (tmp_path / "naqala.toml").write_text(f"[serial]\nports = ['{tmp_path}/tty-*']\n")


def test_the_command_prints_the_sheet(plug, at_home: None) -> None:
    cable = plug("oak", readers=2)
    cable.put(0, *TAGS[:3])
    ask = ("doctor", "--rung", "bench", "--seconds", "2", "--table", "oak=serial:name=oak")
    done = CliRunner().invoke(main, ask)
    assert done.exit_code == 0, done.output
    assert "pass  readers wired: 2 (wanted: 2)" in done.output
    assert "pass  tags on the first reader, at its poorest: 3 (wanted: at least 3)" in done.output
    assert "____  range of one tag over the middle: at least 15 mm: ________" in done.output
    cable.put(1, TAGS[3])
    done = CliRunner().invoke(main, (*ask, "--json"))
    lines = [json.loads(line) for line in done.stdout.splitlines()]
    assert done.exit_code == 1
    assert next(line for line in lines if line["what"] == "tags on its neighbours")["good"] is False


def test_the_command_says_when_there_is_no_table(at_home: None, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(acceptance, "UP_S", 0.2)
    done = CliRunner().invoke(main, ("doctor", "--rung", "table", "--seconds", "1"))
    assert done.exit_code == 2
    assert "is not there" in done.output and "Traceback" not in done.output
