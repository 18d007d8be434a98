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


def test_an_unknown_command_is_one_line_and_exit_2() -> None:
    done = run("shuffle")
    assert done.returncode == 2
    assert "No such command 'shuffle'" in done.stderr
    assert "Traceback" not in done.stderr


@pytest.mark.parametrize("name", COMMANDS)
def test_every_command_explains_itself(name: str) -> None:
    done = run(name, "--help")
    assert done.returncode == 0, done.stderr
    assert done.stdout.startswith("Usage: naqala ")
