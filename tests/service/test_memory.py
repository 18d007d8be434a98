"""Memory with viewers stays flat: what was sent to a phone is not kept.

The old server kept up to 16 MB of what it had already sent for each open stream; with a dozen viewers an evening grew by 150 MB.
"""

from __future__ import annotations

import threading
import urllib.request
from pathlib import Path

from naqala.service import Service
from naqala.session.snapshot import Unfinished
from naqala.settings import Settings

VIEWERS, MESSAGES, MESSAGE_BYTES = 4, 120, 100_000
SENT_MB = VIEWERS * MESSAGES * MESSAGE_BYTES / 1e6


def memory_mb() -> float:
    """What this process holds, as the system counts it."""
    line = next(
        line for line in Path("/proc/self/status").read_text().splitlines() if line.startswith("VmRSS")
    )
    return int(line.split()[1]) / 1024


class Reader(threading.Thread):
    """A viewer that reads what comes."""

    def __init__(self, address: str) -> None:
        super().__init__(daemon=True)
        self.address = address
        self.read = 0
        self.progress = threading.Condition()

    def run(self) -> None:
        with urllib.request.urlopen(self.address, timeout=60) as stream:
            while part := stream.read1(65536):
                with self.progress:
                    self.read += len(part)
                    self.progress.notify_all()

    def await_bytes(self, count: int) -> None:
        with self.progress:
            assert self.progress.wait_for(lambda: self.read >= count, 60), (
                f"{self.read} of {count} bytes came"
            )


def test_what_was_sent_is_not_kept(tmp_path: Path) -> None:
    service = Service(
        Settings(tables={"oak": "virtual"}, journal=str(tmp_path / "j.sqlite")), tmp_path, port=0
    )
    place = service.start()
    try:
        session = service.sessions["oak"]
        readers = [Reader(f"{place.address}/t/oak/stream/screen") for _ in range(VIEWERS)]
        for reader in readers:
            reader.start()
            reader.await_bytes(1000)

        def send(number: int) -> None:
            """A long line of the log, and a new snapshot: everybody's page changes, and everybody has it before the next."""
            had = [reader.read for reader in readers]
            name = f"{number} " + "x" * MESSAGE_BYTES
            session.publish(unfinished=Unfinished(1, (name,), 1, 1))
            for reader, before in zip(readers, had, strict=True):
                reader.await_bytes(before + MESSAGE_BYTES)

        for number in range(8):
            send(number)  # until everything that is needed once is there
        before = memory_mb()
        for number in range(MESSAGES):
            send(number)
        grown = memory_mb() - before
        print(f"{SENT_MB:.0f} MB were sent to {VIEWERS} viewers; memory grew by {grown:.1f} MB")
        assert grown < SENT_MB / 4
    finally:
        service.stop()
