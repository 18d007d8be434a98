"""`naqala` itself: version, help, and a word it does not know; as a person would type them."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

import naqala
import pytest
from naqala.cli import COMMANDS

NAQALA = Path(sys.executable).parent / "naqala"


def run(*arguments: str) -> subprocess.CompletedProcess[str]:
    return subprocess.run([NAQALA, *arguments], capture_output=True, text=True, timeout=60, check=False)


def test_version() -> None:
    done = run("--version")
    assert (done.returncode, done.stdout) == (0, f"naqala, version {naqala.__version__}\n")


def test_help_lists_every_command() -> None:
    done = run("--help")
    assert done.returncode == 0
    for name in COMMANDS:
        assert f"  {name} " in done.stdout


@pytest.mark.parametrize(
    ("words", "sentence"),
    [
        (["shuffle"], "No such command 'shuffle'"),
        (["--loud"], "No such option"),
        (["rules", "shuffle"], "No such command 'shuffle'"),
        (["simulate", "--players", "5"], "5 is not in the range 2<=x<=4"),
        (["replay"], "Missing argument 'FILE'"),
        (["watch", "/"], "is a directory"),
    ],
    ids=lambda value: "_".join(value) if isinstance(value, list) else "",
)
def test_words_that_make_no_sense_are_one_line_and_exit_2(words: list[str], sentence: str) -> None:
    done = run(*words)
    assert (done.returncode, done.stdout, done.stderr.count("\n")) == (2, "", 1)
    assert done.stderr.startswith("naqala: ")
    assert sentence in done.stderr
    assert "--help'" in done.stderr


@pytest.mark.parametrize("name", COMMANDS)
def test_every_command_explains_itself(name: str) -> None:
    done = run(name, "--help")
    assert done.returncode == 0, done.stderr
    assert done.stdout.startswith("Usage: naqala ")
