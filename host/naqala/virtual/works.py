"""What lies under the virtual table: chips and controller, in this process or in a MicroPython process of their own.

In: the world's words (`naqala_firmware.simulated.world`) and bytes of the host. Out: the controller's bytes, and the
table's clock. `tell` may be called from any thread; everything else belongs to the one that carries the wire.
"""

from __future__ import annotations

import contextlib
import os
import select
import shutil
import subprocess
import sys
import threading
import time
from collections import deque
from pathlib import Path
from typing import Protocol

import naqala_firmware
from naqala_firmware.simulated.table import SimulatedTable
from naqala_firmware.simulated.world import World

FIRMWARE = Path(naqala_firmware.__file__).parent
HEAP = "16m"  # thirty simulated chips and their tags need more than the chip's own 192k
MICROPYTHON = "NAQALA_MICROPYTHON"


class NoMicroPython(Exception):
    """There is no MicroPython on this machine: one line says what to do."""


class Works(Protocol):
    """The electronics."""

    @property
    def now_ms(self) -> int:
        """Milliseconds of the table's own clock."""

    def tell(self, line: str) -> None:
        """Words of the world: a tag is moved, a chip breaks."""

    def hear(self, data: bytes) -> None:
        """Bytes of the host."""

    def run_to(self, ms: int) -> bytes:
        """Let time pass until then, or until something is said; what was said."""

    def close(self) -> None: ...


class SameProcess:
    """Chips and controller here, in simulated time: it passes only in `run_to`, as fast as this machine can."""

    def __init__(self, seed: int, name: str, misses: float = 0.0, air: str = "micropython") -> None:
        self.table = SimulatedTable(seed=seed, name=name, misses=misses, air=air)
        self._world = World(self.table)
        self._told: deque[str] = deque()

    @property
    def now_ms(self) -> int:
        return self.table.now_us // 1000

    def tell(self, line: str) -> None:
        self._told.append(line)

    def hear(self, data: bytes) -> None:
        self.table.hear(data)

    def run_to(self, ms: int) -> bytes:
        while self._told:
            self._world.do(self._told.popleft())
        self._world.run_to(1000 * ms)
        return self.table.said()

    def close(self) -> None:
        """Nothing is held."""


def _pseudo_terminal() -> tuple[int, int]:
    """Our end and the other program's, which carries bytes as they are. Windows has none: OSError."""
    if sys.platform == "win32":
        raise OSError("a virtual controller of its own needs a pseudo-terminal, which Windows does not have")
    import pty
    import tty

    ours, theirs = pty.openpty()
    tty.setraw(theirs)
    return ours, theirs


def _never_wait(file: int) -> None:
    if sys.platform != "win32":
        os.set_blocking(file, False)


class Interpreter:
    """Chips and controller in a MicroPython process, its wire a pseudo-terminal; time is the wall's."""

    def __init__(self, seed: int, name: str, misses: float = 0.0) -> None:
        command = [str(micropython()), "-X", f"heapsize={HEAP}", str(FIRMWARE / "simulated/main.py")]
        self._speaking, self._closed = threading.Lock(), False
        self._wire, wire = _pseudo_terminal()
        words, self._words = os.pipe()
        self._process = subprocess.Popen(
            [*command, str(seed), name, f"/dev/fd/{words}"],
            stdin=wire,
            stdout=wire,
            stderr=subprocess.DEVNULL,
            pass_fds=(words,),
        )
        os.close(wire)
        os.close(words)
        for end in (self._wire, self._words):
            _never_wait(end)  # nobody empties it when the process has ended
        self._began = time.monotonic_ns()
        self.now_ms = 0  # as far as the wire was carried
        if misses:
            self.tell(f"misses {misses}")

    def tell(self, line: str) -> None:
        # A process that has ended, or that reads no more: its silence speaks for itself.
        with self._speaking, contextlib.suppress(BrokenPipeError, BlockingIOError):
            if not self._closed:  # the number of a closed pipe may be another file's by now
                os.write(self._words, line.encode() + b"\n")

    def hear(self, data: bytes) -> None:
        with contextlib.suppress(BlockingIOError):  # what a full wire loses, the protocol asks for again
            os.write(self._wire, data)

    def run_to(self, ms: int) -> bytes:
        wait = max(0.0, (ms - self._wall_ms()) / 1000)
        ready, _, _ = select.select([self._wire], [], [], wait)
        data = b""
        try:
            data = os.read(self._wire, 4096) if ready else b""
        except OSError:  # the process has ended
            time.sleep(wait)
        self.now_ms = self._wall_ms()
        return data

    def _wall_ms(self) -> int:
        return (time.monotonic_ns() - self._began) // 1_000_000

    def close(self) -> None:
        with self._speaking:
            if self._closed:
                return
            self._closed = True
            os.close(self._words)  # it ends by itself when nobody can say a word any more
        try:
            self._process.wait(2)
        except subprocess.TimeoutExpired:
            self._process.kill()
            self._process.wait()
        os.close(self._wire)


def micropython() -> Path:
    """The MicroPython interpreter of this machine. NoMicroPython when there is none."""
    named = os.environ.get(MICROPYTHON)
    unpacked = Path(".tools/micropython/micropython")
    found = named or (str(unpacked.absolute()) if unpacked.is_file() else shutil.which("micropython"))
    if not found or not os.access(found, os.X_OK):
        where = f"'{named}' is no program" if named else "there is none on the path"
        raise NoMicroPython(
            f"--micropython needs the MicroPython interpreter, and {where}; install it or set {MICROPYTHON}"
        )
    return Path(found)
