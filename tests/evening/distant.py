"""A table of its own at the broker: MicroPython with the firmware's MQTT link, and a pipe that carries the world's words."""

from __future__ import annotations

import os
import subprocess
from pathlib import Path

from naqala.virtual.works import HEAP

from tests.conftest import MICROPYTHON
from tests.link.broker import PASSWORDS, Broker, openssl

PROGRAM = Path(__file__).parent / "at_broker.py"


class Distant:
    """What lies under a virtual table (`naqala.virtual.works.Works`), with no other wire than the broker."""

    now_ms = 0

    def __init__(self, broker: Broker, seed: int, name: str) -> None:
        openssl(broker.folder, "x509", "-in", "ca.crt", "-outform", "der", "-out", "ca.der")
        words, self._words = os.pipe()
        arguments = (
            seed,
            name,
            f"/dev/fd/{words}",
            broker.tls_port,
            PASSWORDS[name],
            broker.folder / "ca.der",
        )
        self._process = subprocess.Popen(
            [MICROPYTHON, "-X", f"heapsize={HEAP}", PROGRAM, *map(str, arguments)], pass_fds=(words,)
        )
        os.close(words)

    def tell(self, line: str) -> None:
        os.write(self._words, line.encode() + b"\n")

    def hear(self, data: bytes) -> None:
        """Only the broker speaks to it."""

    def run_to(self, ms: int) -> bytes:
        """Time is the wall's, and what it says goes to the broker."""
        return b""

    def close(self) -> None:
        os.close(self._words)
        self._process.wait(60)
