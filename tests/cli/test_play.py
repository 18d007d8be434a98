"""`naqala play` as a person starts it: it answers on its port, says what is wrong in one line, and ends cleanly."""

from __future__ import annotations

import contextlib
import re
import signal
import socket
import subprocess
import sys
import urllib.request
from collections.abc import Iterator
from pathlib import Path

import pytest

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
    assert "Traceback" not in done.stderr
    return done.stderr.strip()


def test_it_answers_on_its_port_and_ends_cleanly(tmp_path: Path) -> None:
    with playing(tmp_path, "--virtual", "--port", "0") as (process, address):
        with urllib.request.urlopen(address, timeout=60) as page:
            assert page.status == 200
            assert b"Naqala" in page.read()
        process.send_signal(signal.SIGTERM)
        assert process.wait(timeout=60) == 0
    assert (tmp_path / "journal.sqlite").exists()


def test_several_tables_in_one_process(tmp_path: Path) -> None:
    more = ("--table", "oak=virtual:oak?seed=1", "--table", "elm=virtual:elm?seed=2", "--port", "0")
    with playing(tmp_path, *more) as (_process, address):
        opener = urllib.request.build_opener(urllib.request.HTTPCookieProcessor())
        opener.open(address, timeout=60)
        base = address.split("/owner")[0]
        for table in ("oak", "elm"):
            with opener.open(f"{base}/t/{table}/", timeout=60) as page:
                assert page.status == 200


def test_two_processes_on_one_journal(tmp_path: Path) -> None:
    with playing(tmp_path, "--virtual", "--port", "0"):
        said = refused("--home", tmp_path, "--virtual", "--port", "0", "--no-lan", "--no-browser")
    assert said.count("\n") == 0
    assert said.startswith("naqala: ")
    assert "table" in said


def test_a_port_in_use(tmp_path: Path) -> None:
    with socket.socket() as taken:
        taken.bind(("127.0.0.1", 0))
        taken.listen()
        port = str(taken.getsockname()[1])
        said = refused("--home", tmp_path, "--virtual", "--port", port, "--no-lan", "--no-browser")
    assert said == f"naqala: port {port} cannot be used: Address already in use"


@pytest.mark.parametrize(
    ("arguments", "words"),
    [
        (("--table", "oak"), "NAME=LINK"),
        (("--table", "oak=virtual", "--table", "oak=serial"), "named twice"),
        (("--table", "oak=virtual", "--virtual"), "two different things"),
        (("--link", "pigeon:grey"), "unknown link 'pigeon:grey'"),
        (("--config", "nowhere.toml"), "no settings file"),
        (("--port", "70000"), "not in the range"),
    ],
)
def test_wrong_arguments(tmp_path: Path, arguments: tuple[str, ...], words: str) -> None:
    assert words in refused("--home", tmp_path, "--no-lan", "--no-browser", *arguments)
