"""`naqala ports`, `record` and `doctor` with controllers behind pseudo-terminals and a transcript."""

from __future__ import annotations

import json
import os
import signal
import subprocess
import sys
import time
from pathlib import Path

import pytest
from click.testing import CliRunner, Result
from naqala import transcript
from naqala.cli import main
from naqala.cli.doctor import counters_text
from naqala.journal import Journal
from naqala.link import Health
from naqala_protocol import Alive, Hello, Seen

from tests.link.broker import free_port


@pytest.fixture(autouse=True)
def at_home(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    monkeypatch.setenv("XDG_CONFIG_HOME", str(tmp_path / "config"))
    monkeypatch.setenv("XDG_DATA_HOME", str(tmp_path / "data"))
    (tmp_path / "naqala.toml").write_text(f"[serial]\nports = ['{tmp_path}/tty-*']\n")


def naqala(*arguments: str) -> Result:
    return CliRunner().invoke(main, arguments)


def test_ports_lists_controllers_and_what_is_in_the_way(plug, tmp_path: Path) -> None:
    plug("oak")
    plug("ash", readers=30)
    mute = plug("mute")
    mute.controller.receive = lambda data: []
    done = naqala("ports", "--json", str(tmp_path / "tty-*"))
    assert done.exit_code == 0
    found = {Path(one["port"]).name: one for one in map(json.loads, done.output.splitlines())}
    assert found["tty-oak"]["state"] == "controller"
    assert (found["tty-ash"]["name"], found["tty-ash"]["firmware"], found["tty-ash"]["readers"]) == (
        "ash",
        "0.9.1",
        30,
    )
    assert found["tty-mute"]["state"] == "no answer"
    assert "'oak', firmware 0.9.1, 4 readers" in naqala("ports").output


def test_ports_says_when_there_is_none(tmp_path: Path) -> None:
    assert "Plug the controller in" in naqala("ports", str(tmp_path / "nothing*")).output


@pytest.mark.parametrize("named", [".", "/", "", "nowhere"])
def test_a_port_that_is_none_is_said(named: str) -> None:
    done = naqala("ports", named)
    assert done.exit_code == 2
    assert done.output == f"naqala: there is no port '{named}'; `naqala ports` lists those that are there\n"


def test_record_writes_a_transcript_that_reads_back(plug, tmp_path: Path) -> None:
    cable = plug("oak")
    (tmp_path / "tags.txt").write_text("naqala-transcript 1\nreader 2 C4\ntag 04a1b2c3 meeple Y\n")
    command = [Path(sys.executable).parent / "naqala", "record", "serial:name=oak", "evening.txt"]
    command += ["--head", "tags.txt"]
    with subprocess.Popen(command, stderr=subprocess.PIPE, text=True) as recorder:
        assert recorder.stderr is not None
        while "recording 'oak'" not in (line := recorder.stderr.readline()):
            assert line
        cable.put(2, "04a1b2c3")
        while "04a1b2c3" not in Path("evening.txt").read_text().partition("@")[2]:
            assert recorder.poll() is None
            time.sleep(0.02)  # a file has no event to wait for
        os.kill(recorder.pid, signal.SIGINT)
        assert "lines in evening.txt" in recorder.stderr.read()
    assert recorder.returncode == 0
    read = transcript.read(Path("evening.txt").read_text())
    assert read.readers == {2: "C4"} and str(read.tags["04a1b2c3"]) == "meeple Y"
    assert isinstance(read.moments[0].what, Hello) and read.moments[0].at_ms == 0
    seen = {moment.what.reader: moment.what.tags for moment in read.moments if isinstance(moment.what, Seen)}
    assert seen == {0: (), 1: (), 2: ("04a1b2c3",), 3: ()}


def test_a_record_of_nothing_is_said_and_leaves_no_file() -> None:
    done = naqala("record", "serial:/dev/none", "evening.txt", "--seconds", "0.2")
    assert done.exit_code == 2
    assert done.stderr.splitlines()[-1].startswith(
        "naqala: nothing was heard on serial:/dev/none, so no file was written"
    )
    assert not Path("evening.txt").exists()


def test_a_wrong_link_is_said_before_a_file_that_is_there() -> None:
    Path("x.txt").write_text("mine")
    assert "unknown link 'foo'" in naqala("record", "foo", "x.txt").stderr
    assert Path("x.txt").read_text() == "mine"


def test_record_of_a_replay_ends_with_it() -> None:
    Path("a.txt").write_text("naqala-transcript 1\n@0 seen 1 2 -\n@40 seen 2 2 04a1b2c3\n")
    done = naqala("record", "replay:a.txt?pace=fast", "b.txt")
    assert done.exit_code == 0
    assert Path("b.txt").stat().st_mode & 0o777 == 0o600, "a position tells what everybody holds"
    moments = transcript.read(Path("b.txt").read_text()).moments
    assert [(moment.at_ms, moment.what) for moment in moments[1:]] == [
        (0, Seen(1, 2, ())),
        (40, Seen(2, 2, ("04a1b2c3",))),
    ]


@pytest.mark.parametrize(
    ("arguments", "line"),
    [
        (
            ("record", "wifi", "x.txt"),
            "naqala: unknown link 'wifi'; a link looks like serial, serial:/dev/ttyACM0",
        ),
        (
            ("record", "serial", "naqala.toml"),
            "naqala: 'naqala.toml' is there already; choose another name or say --force",
        ),
        (
            ("record", "serial", "no/where.txt"),
            "naqala: cannot write 'no/where.txt': No such file or directory",
        ),
        (("record", "replay:none", "x.txt"), "naqala: cannot read 'none': No such file or directory"),
        (("ports", "--config", "none"), "naqala: there is no settings file 'none'"),
        (("doctor", "--table", "oak"), "naqala: --table is NAME=LINK, for example oak=serial, not 'oak'"),
    ],
)
def test_bad_input_is_one_line_and_exit_code_two(arguments: tuple[str, ...], line: str) -> None:
    done = naqala(*arguments)
    assert done.exit_code == 2
    assert done.stderr.startswith(line) and done.stderr.count("\n") == 1


def test_doctor_finds_all_well(plug) -> None:
    plug("oak")
    done = naqala("doctor", "--table", "oak=serial:name=oak")
    assert done.exit_code == 0, done.output
    assert "ok  journal   there is no journal at" in done.output
    assert "ok  tables    table 'oak': 'oak' at" in done.output and "round trip" in done.output
    assert "controller: sweep 90 ms" in done.output


def test_doctor_compares_the_firmware_and_counts_languages(plug, monkeypatch: pytest.MonkeyPatch) -> None:
    plug("oak")
    done = naqala("doctor", "--only", "ports", "--only", "languages")
    assert done.exit_code == 0, done.output
    assert "firmware 0.9.1, `naqala flash` brings " in done.output
    assert "ok  languages pages speak English, Français, Nederlands, Русский\n" in done.output
    monkeypatch.setattr("naqala.dashboard.language.CATALOGUES", Path("nowhere"))
    done = naqala("doctor", "--only", "languages")
    assert done.exit_code == 1
    assert "the words of Français cannot be read" in done.output


@pytest.mark.parametrize(
    ("free", "said"), [(0, "sweep 340 ms, free bytes not told"), (98304, "sweep 340 ms, 98304 bytes free")]
)
def test_doctor_takes_no_zero_for_free_bytes(free: int, said: str) -> None:
    hello = Hello(1, "oak", 30, 0, 7, "0.1.0", ())
    health = Health("serial", True, "/dev/ttyACM0", hello=hello, alive=Alive(1, 60, 340, free, ()))
    assert counters_text(health).endswith(said)


def test_doctor_says_what_to_do(plug) -> None:
    cable = plug("oak")
    cable.controller.receive = lambda data: [data + b"\r\n>>> "]
    Path("journal.sqlite").write_bytes(b"not a journal " * 500)
    port = free_port()
    done = naqala(
        "doctor", "--json", "--journal", "journal.sqlite", "--table", f"elm=mqtt://127.0.0.1:{port}/elm"
    )
    assert done.exit_code == 1
    found = [json.loads(line) for line in done.output.splitlines()]
    problems = {one["check"]: one for one in found if not one["ok"]}
    assert "is damaged" in problems["journal"]["text"]
    assert problems["ports"]["do"] == "run: naqala flash"
    assert f"no broker at 127.0.0.1:{port}" in problems["tables"]["text"]


def test_doctor_reads_every_game() -> None:
    with Journal.open("journal.sqlite") as journal:
        game = journal.new_game("oak", {})
        journal.append(game, 1, "action", "Ann", {"do": "pass"})
        journal.close_game(game, "finished")
        journal.new_game("oak", {})
    done = naqala("doctor", "--only", "journal", "--journal", "journal.sqlite")
    assert done.output == "ok  journal   journal.sqlite is whole: 2 games, 1 to be resumed\n"


def test_doctor_looks_at_another_home(tmp_path: Path) -> None:
    """The journal that `naqala play --home` would take."""
    with Journal.open(str(tmp_path / "elsewhere/journal.sqlite")) as journal:
        journal.new_game("oak", {})
    done = naqala("doctor", "--only", "journal", "--home", str(tmp_path / "elsewhere"))
    assert done.exit_code == 0
    assert (
        done.output
        == f"ok  journal   {tmp_path}/elsewhere/journal.sqlite is whole: 1 games, 1 to be resumed\n"
    )


def test_doctor_makes_nothing(tmp_path: Path) -> None:
    home = tmp_path / "mistyped"
    done = naqala("doctor", "--only", "journal", "--home", str(home))
    said = f"ok  journal   there is no journal at {home}/journal.sqlite yet; the first game makes it\n"
    assert (done.exit_code, done.output) == (0, said)
    assert not home.exists()
    home.write_text("a file")
    done = naqala("doctor", "--only", "journal", "--home", str(home))
    assert done.exit_code == 1
    assert f"do: {home} is no folder" in done.output


def test_doctor_minds_an_open_password() -> None:
    Path("naqala.toml").write_text("[mqtt]\npassword = 'x'\n")
    Path("naqala.toml").chmod(0o644)
    assert "chmod go-rwx naqala.toml" in naqala("doctor", "--only", "settings").output


def test_doctor_minds_a_clock_of_1970(monkeypatch: pytest.MonkeyPatch) -> None:
    from naqala.cli import doctor

    class Morning(doctor.datetime):
        @classmethod
        def now(cls, tz=None):
            return doctor.datetime(1970, 1, 1, tzinfo=tz)

    monkeypatch.setattr(doctor, "datetime", Morning)
    done = naqala("doctor", "--only", "clock")
    assert done.exit_code == 1 and "the clock says 1970-01-01, before" in done.output
