"""The house in which the evening takes place: a fresh clone, `make play`, and the power that can fail.

The clone runs its own files; only the installed packages of other people are shared with this environment, so that the
evening does not wait for a download. What `make play` installs from nothing is proven where the wheel is tested.
"""

from __future__ import annotations

import os
import re
import shlex
import signal
import site
import subprocess
import sys
from pathlib import Path

from tests.conftest import MICROPYTHON, ROOT
from tests.link.broker import free_port

ROOMS = ("host", "firmware", "protocol")
COMMAND = """#!{python}
import sys
from naqala.cli import main
sys.exit(main())
"""


def clone(folder: Path) -> Path:
    """A fresh clone of what is committed, with an environment beside it."""
    subprocess.run(["git", "clone", "--quiet", ROOT, folder], check=True, timeout=120)
    venv = folder / ".venv"
    subprocess.run([sys.executable, "-m", "venv", "--without-pip", venv], check=True, timeout=120)
    inside = next((venv / "lib").glob("python*/site-packages"))
    paths = [*(folder / room for room in ROOMS), *site.getsitepackages()]
    (inside / "evening.pth").write_text("".join(f"{path}\n" for path in paths))
    command = venv / "bin/naqala"
    command.write_text(COMMAND.format(python=venv / "bin/python"))
    command.chmod(0o755)
    (venv / ".installed").touch()
    return folder


class House:
    """`make play` in a folder. The port stays the same, so that pages find it again; so do journal and keys."""

    def __init__(self, folder: Path, home: Path, *arguments: str) -> None:
        self.folder, self.home, self.port = folder, home, free_port()
        self.arguments = (
            *arguments,
            "--home",
            str(home),
            "--port",
            str(self.port),
            "--no-lan",
            "--no-browser",
        )
        self._process: subprocess.Popen[str] | None = None

    @property
    def address(self) -> str:
        return f"http://127.0.0.1:{self.port}"

    @property
    def journal(self) -> str:
        return str(self.home / "journal.sqlite")

    def start(self) -> str:
        """The owner's address, as it is printed."""
        self.home.mkdir(exist_ok=True)
        inherited = {key: value for key, value in os.environ.items() if not key.startswith("MAKE")}
        with (self.home / "errors.txt").open("a") as errors:
            self._process = subprocess.Popen(
                ["make", "--silent", "play", f"ARGS={shlex.join(self.arguments)}"],
                cwd=self.folder,
                env=inherited | {"NAQALA_MICROPYTHON": str(MICROPYTHON), "PYTHONUNBUFFERED": "1"},
                stdout=subprocess.PIPE,
                stderr=errors,
                text=True,
                start_new_session=True,
            )
        assert self._process.stdout is not None
        for line in self._process.stdout:
            if found := re.search(r"http://\S+/owner\S+", line):
                return found[0]
        raise AssertionError((self.home / "errors.txt").read_text())

    def end(self, how: signal.Signals) -> None:
        """End everything that was started: SIGKILL is a power cut, SIGTERM a goodbye."""
        if self._process is not None:
            os.killpg(self._process.pid, how)
            self._process.wait(60)
            assert self._process.stdout is not None
            self._process.stdout.read()  # ends when the last of its processes has ended
            self._process = None
