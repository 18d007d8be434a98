"""`naqala demo --fast`: the smoke test of everything from tag to score, run as people run it."""

from __future__ import annotations

import re
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


def test_what_cannot_be_is_said_in_one_line() -> None:
    done = run("--fast", "--micropython")
    assert done.returncode == 2 and done.stderr.count("\n") == 1 and "--fast" in done.stderr
