"""An emulated controller with its readers: a process, a serial port that any program can open, and orders to its world.

    with Board(tmp_path, wiring="table", tags=(("e004...", 3),), speed=2) as board:
        board.port            # a pseudo-terminal: `naqala flash --port` and the host's own link open it
        board.wait_ms(5000)   # of emulated time

The controller is the real MicroPython image on an emulated RP2040 (board.mjs); the chips are pn5180.mjs.
"""

from __future__ import annotations

import contextlib
import json
import os
import pty
import queue
import select
import socket
import subprocess
import threading
import time
import tty
from collections.abc import Callable, Iterable
from pathlib import Path
from typing import Any

from naqala_protocol import FROM_CONTROLLER, Decoder, encode

HERE = Path(__file__).parent
ROOT = HERE.parents[1]
TOOLS = ROOT / ".tools/rp2040"
PATIENCE_S = 600.0  # of real time: a busy machine emulates slowly
# The processor's loop is one long function: by default V8 would not compile it, and would interpret it too long before.
FLAGS = [
    "--sparkplug",
    "--max-optimized-bytecode-size=2000000",
    "--max-inlined-bytecode-size-cumulative=20000",
]
PLACES = [[8, 13, 20], [9, 14, 21]]  # NSS, BUSY, RESET of hardware/configs/bench.json


class Board:
    def __init__(
        self,
        folder: Path,
        wiring: str = "table",
        tags: Iterable[tuple[str, int]] = (),
        speed: float = 2,
        **more: Any,
    ) -> None:
        readers = 30 if wiring == "table" else len(PLACES)
        setup = {
            "image": str(TOOLS / "micropython.bin"),
            "library": str(TOOLS),
            "delayAt": int((TOOLS / "delay").read_text(), 16),
            "wiring": wiring,
            "readers": readers,
            "places": PLACES,
            "pins": json.loads((ROOT / "hardware/pinmap.json").read_text()),
            "tags": list(tags),
            "speed": speed,
            **more,
        }
        path = folder / "setup.json"
        path.write_text(json.dumps(setup))
        self._mine, theirs = socket.socketpair()
        self._process = subprocess.Popen(
            ["node", *FLAGS, str(HERE / "board.mjs"), str(path)],
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            text=True,
            preexec_fn=lambda: os.dup2(theirs.fileno(), 3),
            close_fds=False,
        )
        theirs.close()
        self._master, self._slave = pty.openpty()
        tty.setraw(self._slave)
        os.set_blocking(self._master, False)
        self.port = os.ttyname(self._slave)
        self.ms = 0
        self.resets: list[str] = []
        self._reports: queue.Queue[dict[str, Any]] = queue.Queue()
        self._closing = False
        self._threads = [threading.Thread(target=work, daemon=True) for work in (self._pump, self._listen)]
        for thread in self._threads:
            thread.start()

    def __enter__(self) -> Board:
        return self

    def __exit__(self, *_: object) -> None:
        self._closing = True
        self._process.kill()
        self._process.wait()
        for thread in self._threads:
            thread.join(5)
        for descriptor in (self._master, self._slave):
            os.close(descriptor)
        self._mine.close()

    # --- the world ----------------------------------------------------------------------------------------

    def order(self, **order: Any) -> None:
        assert self._process.stdin is not None
        self._process.stdin.write(json.dumps(order) + "\n")
        self._process.stdin.flush()

    def state(self) -> dict[str, Any]:
        """Counts of the emulated chips, and what the firmware did that a data sheet forbids."""
        self.order(ask="state")
        return dict(self._reports.get(timeout=PATIENCE_S)["state"])

    def save(self, path: Path) -> Path:
        """What is on the flash, for another board."""
        self.order(save=str(path))
        self._reports.get(timeout=PATIENCE_S)
        return path

    def wait_ms(self, milliseconds: int) -> None:
        """Until so much emulated time has gone."""
        end = self.ms + milliseconds
        self.wait(lambda: self.ms >= end, f"{milliseconds} ms")

    def wait(self, happened: Callable[[], bool], what: str, patience: float = PATIENCE_S) -> None:
        end = time.monotonic() + patience
        while not happened():
            assert self._process.poll() is None, "the emulator has ended"
            assert time.monotonic() < end, (
                f"no {what} in {patience:g} s; {self.ms} ms emulated, {self.resets}"
            )
            time.sleep(0.02)

    # --- threads: bytes between socket and terminal, reports ----------------------------------------------

    def _pump(self) -> None:
        with contextlib.suppress(OSError):
            while not self._closing:
                ready, _, _ = select.select([self._master, self._mine], [], [], 0.2)
                if self._master in ready:
                    self._mine.sendall(os.read(self._master, 4096))
                if self._mine in ready:
                    data = self._mine.recv(4096)
                    if not data:
                        return
                    with contextlib.suppress(
                        BlockingIOError
                    ):  # nobody reads: as a cable without a host, it is lost
                        os.write(self._master, data)

    def _listen(self) -> None:
        assert self._process.stdout is not None
        for line in self._process.stdout:
            report = json.loads(line)
            self.ms = report.get("ms", report.get("at_ms", self.ms))
            if "reset" in report:
                self.resets.append(report["reset"])
            if "state" in report or "saved" in report:
                self._reports.put(report)


class Host:
    """Whoever listens at the serial port: every message so far, and the last state of each reader."""

    def __init__(self, board: Board) -> None:
        self.board = board
        self.messages: list[Any] = []
        self.noise = bytearray()
        self._decoder = Decoder(FROM_CONTROLLER)
        self._port = os.open(board.port, os.O_RDWR | os.O_NOCTTY)
        self._closing = False
        self._thread = threading.Thread(target=self._read, daemon=True)
        self._thread.start()

    def __enter__(self) -> Host:
        return self

    def __exit__(self, *_: object) -> None:
        self._closing = True
        self._thread.join(5)
        os.close(self._port)

    def say(self, message: tuple[object, ...]) -> None:
        os.write(self._port, encode(message))

    def of(self, kind: type) -> list[Any]:
        return [message for message in list(self.messages) if isinstance(message, kind)]

    def wait(self, kind: type, count: int = 1) -> Any:
        self.board.wait(lambda: len(self.of(kind)) >= count, f"{count} {kind.__name__}")
        return self.of(kind)[count - 1]

    def _read(self) -> None:
        with contextlib.suppress(OSError):  # closed while it was read
            while not self._closing:
                if select.select([self._port], [], [], 0.2)[0]:
                    data = os.read(self._port, 4096)
                    self.noise += data
                    self.messages += self._decoder.feed(data)
