"""`naqala demo --fast`: the smoke test of everything from tag to score, run as people run it."""

from __future__ import annotations

import contextlib
import os
import pty
import re
import signal
import subprocess
import sys

import pytest


def run(*arguments: str) -> subprocess.CompletedProcess[str]:
    command = [sys.executable, "-c", "from naqala.cli import main; main()", "demo", *arguments]
    return subprocess.run(command, capture_output=True, text=True, timeout=280, check=False)


@pytest.mark.long
def test_a_whole_game_ends_with_its_score_sheet() -> None:
    done = run("--fast", "--players", "2", "--seed", "1")
    assert done.returncode == 0, done.stderr
    lines = done.stdout.splitlines()
    rows = {line.split()[0]: [int(word) for word in line.split()[1:]] for line in lines[1:10]}
    assert lines[0].split() == ["Ann", "Bob"]
    assert list(rows) == [
        "gold", "viziers", "elders", "djinns", "tiles", "palms", "palaces", "goods", "total"
    ]  # fmt: skip
    for seat in (0, 1):
        assert rows["total"][seat] == sum(row[seat] for name, row in rows.items() if name != "total")
    assert "won by" in done.stdout
    assert re.search(r"[1-9] mistakes? flagged and repaired \([a-z_, ]+\)", done.stdout)


@pytest.mark.parametrize(
    ("arguments", "words"),
    [
        (("--fast", "--micropython"), "--fast needs simulated time"),
        (("--fast", "--players", "5"), "5 is not in the range"),
        (("--fast", "--seed", "oak"), "'oak' is not a valid integer"),
        (("--fast", "--mistakes", "-1"), "a number from 0 to 60 a minute, not -1"),
        (("--fast", "--mistakes", "nan"), "a number from 0 to 60 a minute, not nan"),
        (("--fast", "now"), "unexpected extra argument"),
    ],
)
def test_what_cannot_be_is_said_in_one_line(arguments: tuple[str, ...], words: str) -> None:
    done = run(*arguments)
    assert done.returncode == 2 and done.stdout == ""
    assert done.stderr.startswith("naqala: ") and done.stderr.count("\n") == 1
    assert words in done.stderr


def test_ctrl_c_ends_it_in_one_line_with_the_bar_taken_away() -> None:
    """On a terminal: as soon as the bar shows, Ctrl-C; the cursor is back and nothing but a line is left."""
    master, slave = pty.openpty()
    command = [sys.executable, "-c", "from naqala.cli import main; main()", "demo"]
    demo = subprocess.Popen(
        command, stdin=subprocess.DEVNULL, stdout=slave, stderr=slave, start_new_session=True
    )
    os.close(slave)
    seen = b""
    with contextlib.suppress(OSError):  # the terminal is gone with its program
        while data := os.read(master, 4096):
            interrupted = b"round 1" in seen
            seen += data
            if b"round 1" in seen and not interrupted:
                demo.send_signal(signal.SIGINT)
    os.close(master)
    assert demo.wait(60) == 130
    shown = seen.decode()
    assert "Traceback" not in shown and shown.rstrip().endswith("actions")
    assert shown.rindex("\x1b[?25h") > shown.rindex("\x1b[?25l")


def test_without_micropython_it_says_what_to_do(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("NAQALA_MICROPYTHON", "/nowhere/micropython")
    done = run("--micropython")
    assert done.returncode == 2 and done.stderr.count("\n") == 1
    assert "'/nowhere/micropython' is no program" in done.stderr
