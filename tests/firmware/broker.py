"""A real mosquitto on a free loopback port, that a test may stop and start again."""

from __future__ import annotations

import socket
import subprocess
import time
from pathlib import Path


class Mosquitto:
    """Started by `start`, ended by `stop`; `extra` are further lines of its configuration."""

    def __init__(self, folder: Path, extra: str = "allow_anonymous true\n") -> None:
        with socket.create_server(("127.0.0.1", 0)) as free:
            self.port = free.getsockname()[1]
        self._config = folder / "mosquitto.conf"
        self._config.write_text(f"listener {self.port} 127.0.0.1\npersistence false\nuser root\n{extra}")
        self._process: subprocess.Popen[bytes] | None = None

    def start(self) -> None:
        program = "/usr/sbin/mosquitto"
        self._process = subprocess.Popen(
            [program, "-c", str(self._config)], stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL
        )
        end = time.monotonic() + 60
        while True:
            try:
                socket.create_connection(("127.0.0.1", self.port), 1).close()
                return
            except OSError:
                assert time.monotonic() < end and self._process.poll() is None, "mosquitto does not start"
                time.sleep(0.02)

    def stop(self) -> None:
        if self._process:
            self._process.terminate()
            self._process.wait(10)
            self._process = None
