"""Bad input of every kind: one clear line on standard error, exit code 2, never a traceback. As a shell would hand it over."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

import pytest

NAQALA = Path(sys.executable).parent / "naqala"
FILES = {
    "binary": b"\xff\xfe\x00\x01",
    "tags.csv": b"tag,piece,note\n",
    "wide.csv": b"tag,piece\n" + b"a" * 140_000 + b",palm\n",
    "long.txt": b"w" * 60_000,
    "digits.txt": b"naqala-record " + b"9" * 5_000 + b"\n",
    "wide.toml": b'[serial]\nports = ["x**y"]\n',
    "empty.toml": b"[tables]\n",
    "evening.txt": b"naqala-transcript 1\n",
}
# What is typed, and what the one line has to say.
TYPED = {
    "record mqtt://[::1/oak out.txt": "no host or port",
    "record mqtt://[zz]/oak out.txt": "no host or port",
    "record serial out.txt --head binary": "not UTF-8",
    "record serial out.txt --seconds inf": "--seconds is a number from 0",
    "record serial out.txt --seconds nan": "--seconds is a number from 0",
    "record replay:evening.txt?pace=1e-300 out.txt": "a pace is",
    "enrol serial binary palm": "not UTF-8",
    "enrol serial tags.csv palm --seconds nan": "--seconds is a number from 0",
    "enrol serial nowhere/tags.csv palm": "no folder 'nowhere'",
    "enrol serial wide.csv palm": "line 2: field larger",
    "replay long.txt": "a record begins with",
    "replay digits.txt": "a record begins with",
    "watch long.txt": "long.txt",
    "doctor --table =serial": "NAME=LINK",
    "doctor --config empty.toml": "names no table",
    "play --config empty.toml --no-lan --no-browser": "names no table",
    "export --journal postgresql://u@h:xx/d": "a journal is a file",
    "export --journal mysql://u:hunter2@h/d": "a journal is a file",
}


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    for name, content in FILES.items():
        (tmp_path / name).write_bytes(content)
    return tmp_path


def run(folder: Path, typed: str, shell_end: str = "") -> subprocess.CompletedProcess[str]:
    home = {"XDG_CONFIG_HOME": str(folder), "XDG_DATA_HOME": str(folder)}
    line = f'cd "{folder}" && exec "{NAQALA}" {typed} {shell_end}'
    return subprocess.run(
        ["sh", "-c", line],
        env={**os.environ, **home},
        capture_output=True,
        text=True,
        timeout=60,
        check=False,
    )


def is_one_line(done: subprocess.CompletedProcess[str]) -> str:
    assert (done.returncode, done.stderr.count("\n")) == (2, 1), done.stderr[-2_000:]
    assert done.stderr.startswith("naqala: ")
    assert len(done.stderr) < 600
    return done.stderr


@pytest.mark.parametrize("typed", TYPED)
def test_bad_input_is_one_line(folder: Path, typed: str) -> None:
    line = is_one_line(
        run(folder, f"{typed.split()[0]} " + " ".join(f"'{word}'" for word in typed.split()[1:]))
    )
    assert TYPED[typed] in line.lower() or TYPED[typed] in line
    assert "hunter2" not in line


@pytest.mark.parametrize("typed", ["rules score", "replay -"])
def test_standard_input_that_is_closed(folder: Path, typed: str) -> None:
    assert "standard input" in is_one_line(run(folder, typed, "<&-"))


def test_standard_output_that_is_full(folder: Path) -> None:
    assert "no space left" in is_one_line(run(folder, "simulate --players 2 --seed 1 >/dev/full"))


def test_a_disk_that_is_full_ends_a_recording(folder: Path) -> None:
    done = run(folder, "record 'replay:evening.txt?pace=fast' /dev/full --force")
    assert done.returncode == 2
    assert "Traceback" not in done.stderr
    assert "no space left" in done.stderr.splitlines()[-1]


def test_ports_with_odd_wildcards(folder: Path) -> None:
    done = run(folder, "ports 'x**y'")
    assert "Traceback" not in done.stderr
    assert done.returncode in (0, 2)
    assert "Traceback" not in run(folder, "doctor --only ports --config wide.toml").stderr
