"""`naqala play` as a person starts it: it answers on its port, says what is wrong in one line, and ends cleanly."""

from __future__ import annotations

import contextlib
import re
import signal
import socket
import subprocess
import sys
import time
import urllib.error
import urllib.request
from collections.abc import Iterator
from itertools import takewhile
from pathlib import Path
from random import Random

import pytest
from naqala.rules.actions import Bid
from naqala.rules.notation import to_json
from naqala.service import Service
from naqala.session.commands import Tap
from naqala.settings import Settings
from naqala.virtual.evening import begin
from naqala.virtual.table import VirtualTable

from tests.virtual.terminal import on_a_terminal

NAQALA = Path(sys.executable).parent / "naqala"


@contextlib.contextmanager
def playing(home: Path, *more: str) -> Iterator[tuple[subprocess.Popen[str], str]]:
    """A running companion and its owner's address."""
    command = [NAQALA, "play", "--home", home, "--no-browser", "--no-lan", *more]
    process = subprocess.Popen(command, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True)
    try:
        assert process.stdout is not None
        for line in process.stdout:
            if found := re.search(r"http://\S+", line):
                yield process, found[0]
                return
        raise AssertionError(process.communicate())
    finally:
        process.kill()
        process.wait()


def refused(*arguments: str | Path) -> str:
    """What a start that must fail says."""
    done = subprocess.run(
        [NAQALA, "play", *arguments], capture_output=True, text=True, timeout=60, check=False
    )
    assert done.returncode == 2, done.stdout + done.stderr
    assert done.stderr.count("\n") == 1, done.stderr
    return done.stderr.strip()


def test_it_answers_on_its_port_and_ends_cleanly(tmp_path: Path) -> None:
    with playing(tmp_path, "--virtual", "--port", "0") as (process, address):
        with urllib.request.urlopen(address, timeout=60) as page:
            assert page.status == 200
            assert b"Naqala" in page.read()
        process.send_signal(signal.SIGTERM)
        assert process.wait(timeout=60) == 0
    assert (tmp_path / "journal.sqlite").exists()


@pytest.mark.parametrize("how", [signal.SIGINT, signal.SIGTERM])
def test_it_ends_cleanly_however_often_it_is_told(tmp_path: Path, how: signal.Signals) -> None:
    """`make` hands a signal on to what has had it already; people press Ctrl-C twice."""
    for _ in range(3):
        with playing(tmp_path, "--virtual", "--port", "0") as (process, _address):
            end = time.monotonic() + 60
            while process.poll() is None and time.monotonic() < end:
                process.send_signal(how)
            assert process.wait(timeout=60) == 0
            assert process.stderr is not None
            assert process.stderr.read() == ""


def test_several_tables_in_one_process(tmp_path: Path) -> None:
    more = ("--table", "oak=virtual:oak?seed=1", "--table", "elm=virtual:elm?seed=2", "--port", "0")
    with playing(tmp_path, *more) as (_process, address):
        opener = urllib.request.build_opener(urllib.request.HTTPCookieProcessor())
        opener.open(address, timeout=60)
        base = address.split("/owner")[0]
        for table in ("oak", "elm"):
            with opener.open(f"{base}/t/{table}/", timeout=60) as page:
                assert page.status == 200


def test_the_controller_in_a_micropython_process(tmp_path: Path) -> None:
    """The real interpreter runs chips and firmware; the companion greets it and every reader answers."""
    with playing(tmp_path, "--micropython", "--port", "0") as (process, address):
        children = Path(f"/proc/{process.pid}/task/{process.pid}/children").read_text().split()
        (running,) = [Path(f"/proc/{child}/cmdline").read_text() for child in children]
        assert "micropython" in running and "simulated/main.py" in running
        opener = urllib.request.build_opener(urllib.request.HTTPCookieProcessor())
        opener.open(address, timeout=60)
        stream = opener.open(f"{address.split('/owner')[0]}/t/table/stream/screen", timeout=60)
        end = time.monotonic() + 120
        assert any(
            b"All readers answer" in line for line in takewhile(lambda _: time.monotonic() < end, stream)
        )
        process.send_signal(signal.SIGTERM)
        assert process.wait(timeout=60) == 0


def test_without_micropython_it_says_what_to_do(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("NAQALA_MICROPYTHON", "/nowhere/micropython")
    said = refused("--home", tmp_path, "--micropython", "--port", "0", "--no-lan", "--no-browser")
    assert said.count("\n") == 0
    assert "needs the MicroPython interpreter, and '/nowhere/micropython' is no program" in said


def test_robots_are_offered_by_the_wizard(tmp_path: Path) -> None:
    with playing(tmp_path, "--robots", "Bob,Cy", "--port", "0") as (process, address):
        opener = urllib.request.build_opener(urllib.request.HTTPCookieProcessor())
        opener.open(address, timeout=60)
        wizard = opener.open(f"{address.split('/owner')[0]}/t/table/setup", timeout=60).read().decode()
        names = re.findall(r'name="name\.(\d)"[^>]*value="(\w*)"', wizard)
        assert names == [("1", ""), ("2", "Bob"), ("3", "Cy"), ("4", "")]
        assert process.stdout is not None
        said = [next(process.stdout) for _ in range(2)]
        assert said[1] == "Robots play Bob, Cy in every game with players of these names.\n"


def test_robots_play_with_a_person(tmp_path: Path) -> None:
    """Ann bids by tap, Bob and Cy on their own, until the last bid is made."""
    settings = Settings(tables={"oak": "virtual:oak?pace=20"}, journal=str(tmp_path / "journal.sqlite"))
    service = Service(settings, tmp_path, port=0, robots=("Bob", "Cy"))
    service.start()
    try:
        session = service.sessions["oak"]
        begin(service._virtual["oak"], session, ("Ann", "Bob", "Cy"))
        shown = session.snapshot
        while shown.game.turn.phase == "bid":
            if shown.game.turn.player == "Ann":
                session.tell(Tap("Ann", shown.step, to_json(shown.choices[0].action)), 60)
            newer = session.wait(shown.version, 60)
            assert newer.version > shown.version
            shown = newer
    finally:
        service.stop()
    bids = [(line.by, line.action.player) for line in shown.log if isinstance(line.action, Bid)]
    assert sorted(bids) == [("Ann", "Ann"), ("Bob", "Bob"), ("Cy", "Cy")]


def test_a_real_controller_is_taken_before_a_virtual_table(tmp_path: Path) -> None:
    """As `make play` does: nothing is said but where to look for ports."""
    (tmp_path / "naqala.toml").write_text(f'[serial]\nports = ["{tmp_path}/ttyACM7"]\n')
    table = VirtualTable(seed=8, name="elm")
    table.set_up(Random(8))
    command = ("--config", str(tmp_path / "naqala.toml"), "--port", "0")
    with on_a_terminal(table, tmp_path / "ttyACM7"), playing(tmp_path, *command) as (_process, address):
        opener = urllib.request.build_opener(urllib.request.HTTPCookieProcessor())
        opener.open(address, timeout=60)
        base = address.split("/owner")[0]
        with pytest.raises(urllib.error.HTTPError, match="404"):
            opener.open(f"{base}/t/table/virtual", timeout=60)
        stream = opener.open(f"{base}/t/table/stream/screen", timeout=60)
        end = time.monotonic() + 120
        assert any(
            b"All readers answer" in line for line in takewhile(lambda _: time.monotonic() < end, stream)
        )
    with playing(tmp_path, *command) as (_process, address):
        opener.open(address, timeout=60)
        base = address.split("/owner")[0]
        assert opener.open(f"{base}/t/table/virtual", timeout=60).status == 200


def test_two_processes_on_one_journal(tmp_path: Path) -> None:
    with playing(tmp_path, "--virtual", "--port", "0"):
        said = refused("--home", tmp_path, "--virtual", "--port", "0", "--no-lan", "--no-browser")
    assert re.fullmatch(
        r"naqala: table 'table' is kept by \S.*; stop that one first, or use another journal than .*", said
    )


def test_a_port_in_use(tmp_path: Path) -> None:
    with socket.socket() as taken:
        taken.bind(("127.0.0.1", 0))
        taken.listen()
        port = str(taken.getsockname()[1])
        said = refused("--home", tmp_path, "--virtual", "--port", port, "--no-lan", "--no-browser")
    assert (
        said
        == f"naqala: port {port} cannot be used: address already in use; take another one, or --port 0 for any that is free"
    )


@pytest.mark.parametrize(
    ("arguments", "words"),
    [
        (("--table", "oak"), "NAME=LINK"),
        (("--table", "oak=virtual", "--table", "oak=serial"), "named twice"),
        (("--table", "oak=virtual", "--virtual"), "two different things"),
        (("--table", "oak=virtual", "--robots", "Bob"), "two different things"),
        (("--link", "serial", "--micropython"), "two different things"),
        (("--robots", "Bob,,Cy"), "--robots is one to four different names"),
        (("--robots", "Bob,Bob"), "--robots is one to four different names"),
        (("--robots", "A,B,C,D,E"), "--robots is one to four different names"),
        (("--link", "pigeon:grey"), "unknown link 'pigeon:grey'"),
        (("--config", "nowhere.toml"), "no settings file"),
        (("--port", "70000"), "--port is a number from 0 to 65535 (0 takes a free one), not '70000'"),
        (("--port", "x"), "--port is a number from 0 to 65535 (0 takes a free one), not 'x'"),
    ],
)
def test_wrong_arguments(tmp_path: Path, arguments: tuple[str, ...], words: str) -> None:
    assert words in refused("--home", tmp_path, "--no-lan", "--no-browser", *arguments)
