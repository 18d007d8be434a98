"""`naqala service` as people call it: systemd's own verifier reads the unit, a recorded systemctl hears what is asked of it."""

from __future__ import annotations

import os
import shlex
import subprocess
import sys
from pathlib import Path

import pytest

NAQALA = Path(sys.executable).parent / "naqala"
RECORDER = """#!/bin/sh
echo "$(basename "$0") $*" >> "{log}"
case "$*" in *{fails}*) echo "Failed to connect to bus" >&2; exit 1;; esac
exit {code}
"""


class Machine:
    """A home, and programs of systemd that only write down how they are called."""

    def __init__(self, folder: Path) -> None:
        self.folder, self.log = folder, folder / "called"
        (folder / "bin").mkdir()
        self.let()
        self.file = folder / "config/systemd/user/naqala.service"

    def let(self, fails: str = "nothing-of-this", code: int = 0) -> None:
        for name in ("systemctl", "journalctl", "loginctl"):
            program = self.folder / "bin" / name
            program.write_text(RECORDER.format(log=self.log, fails=fails, code=code))
            program.chmod(0o755)

    def naqala(self, *words: str, path: str | None = None) -> subprocess.CompletedProcess[str]:
        environment = {
            **os.environ,
            "PATH": path if path is not None else f"{self.folder / 'bin'}:{os.environ['PATH']}",
            "XDG_CONFIG_HOME": str(self.folder / "config"),
            "XDG_DATA_HOME": str(self.folder / "data"),
        }
        environment.pop("SUDO_USER", None)
        return subprocess.run(
            [NAQALA, "service", *words],
            env=environment,
            capture_output=True,
            text=True,
            timeout=120,
            check=False,
        )

    @property
    def called(self) -> list[str]:
        return self.log.read_text().splitlines() if self.log.exists() else []


@pytest.fixture
def machine(tmp_path: Path) -> Machine:
    return Machine(tmp_path)


def verified(unit: str, folder: Path) -> str:
    """What systemd itself says about a unit; empty when it has no objection."""
    path = folder / "naqala.service"
    path.write_text(unit)
    done = subprocess.run(
        ["systemd-analyze", "verify", "--man=no", path],
        capture_output=True,
        text=True,
        timeout=120,
        check=False,
    )
    said = [line for line in (done.stdout + done.stderr).splitlines() if "naqala.service" in line]
    return "\n".join(said)


def test_install_status_logs_remove(machine: Machine) -> None:
    done = machine.naqala("install")
    assert done.returncode == 0, done.stderr
    assert machine.file.is_file()
    assert machine.called == [
        "systemctl --user daemon-reload",
        "systemctl --user enable --now naqala.service",
        "loginctl enable-linger",
    ]
    assert machine.naqala("status").returncode == 0
    assert machine.naqala("logs", "--lines", "7").returncode == 0
    assert machine.called[3:] == [
        "systemctl --user status --no-pager naqala.service",
        "journalctl --user --unit naqala.service --lines 7 --no-pager",
    ]
    assert "games, tags and keys stay" in machine.naqala("remove").stdout
    assert not machine.file.exists()
    assert machine.called[5:] == [
        "systemctl --user disable --now naqala.service",
        "systemctl --user daemon-reload",
    ]


def test_the_exit_code_of_status_is_systemctl_s(machine: Machine) -> None:
    machine.naqala("install")
    machine.let(code=3)
    assert machine.naqala("status").returncode == 3


@pytest.mark.parametrize(
    "words",
    [
        ["install"],
        [
            "install",
            "--system",
            "--user",
            "daemon",
            "--home",
            "/var/lib/a place",
            "--port",
            "80",
            "--https-port",
            "443",
        ],
    ],
    ids=["of a user", "of the system"],
)
def test_systemd_has_no_objection_to_the_unit(machine: Machine, words: list[str]) -> None:
    done = machine.naqala(*words, "--dry-run")
    assert done.returncode == 0, done.stderr
    assert machine.called == [] and not machine.file.exists()
    assert verified(done.stdout, machine.folder) == ""


def test_the_verifier_can_object(machine: Machine) -> None:
    unit = machine.naqala("install", "--dry-run").stdout
    assert "Restrat" in verified(unit.replace("Restart=", "Restrat="), machine.folder)


def test_the_unit_starts_this_installation_with_what_was_asked(machine: Machine) -> None:
    done = machine.naqala(
        "install", "--dry-run", "--no-lan", "--home", "/srv/a place", "--", "--link", "serial:name=50%"
    )
    line = next(line for line in done.stdout.splitlines() if line.startswith("ExecStart="))
    words = shlex.split(line.removeprefix("ExecStart=").replace("%%", "%"))
    assert Path(words[0]).samefile(NAQALA)
    assert words[1:] == [
        "play", "--home", "/srv/a place", "--port", "8000", "--https-port", "8443", "--no-lan", "--no-browser",
        "--link", "serial:name=50%",
    ]  # fmt: skip
    started = subprocess.run([*words, "--help"], capture_output=True, text=True, timeout=120, check=False)
    assert started.returncode == 0


def test_a_system_unit_is_locked_in(machine: Machine) -> None:
    """systemd's own judgement of how exposed a unit is, from 0 (locked in) to 10."""
    unit = machine.naqala("install", "--system", "--user", "daemon", "--port", "80", "--dry-run").stdout
    path = machine.folder / "naqala.service"
    path.write_text(unit)
    done = subprocess.run(
        ["systemd-analyze", "security", "--offline=true", "--no-pager", path],
        capture_output=True, text=True, timeout=120, check=False,
    )  # fmt: skip
    level = next(line for line in done.stdout.splitlines() if "Overall exposure level" in line)
    assert float(level.split(":")[1].split()[0]) < 4.0, done.stdout
    assert "CapabilityBoundingSet=CAP_NET_BIND_SERVICE\n" in unit
    assert (
        "CapabilityBoundingSet=\n"
        in machine.naqala("install", "--system", "--user", "daemon", "--dry-run").stdout
    )


WRONG = {
    "status": "naqala service install",
    "logs": "naqala service install",
    "remove": "naqala service install",
    "install --port 80": "needs --system",
    "install --system": "--user NAME",
    "install --system --user root": "not root",
    "install --system --user nobody-of-this-name": "there is no user",
    "install --user ann": "belongs to --system",
}


@pytest.mark.parametrize("typed", WRONG)
def test_what_cannot_be_done_is_said_in_one_line(machine: Machine, typed: str) -> None:
    done = machine.naqala(*typed.split())
    assert done.returncode == 2
    assert WRONG[typed] in done.stderr and len(done.stderr.splitlines()) == 1
    assert machine.called == []


def test_without_systemd_or_a_session_the_sentence_says_so(machine: Machine) -> None:
    done = machine.naqala("install", path="/nowhere")
    assert done.returncode == 2 and "no systemctl" in done.stderr
    machine.let(fails="daemon-reload")
    done = machine.naqala("install")
    assert done.returncode == 2 and "Failed to connect to bus" in done.stderr and "--system" in done.stderr
