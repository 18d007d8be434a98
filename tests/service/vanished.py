"""The access point vanishes: `unshare --net python -m tests.service.vanished FOLDER`, in a network of its own.

Forty-five phones and screens look on from an address that is then taken away, so that no packet of theirs arrives any more and
none of the server's gets out: no FIN, no RST, as when a router loses power. All of them come back from another address at once.
Prints one JSON object: how many were let in again, and after how many seconds the server had let go of the dead ones.
"""

from __future__ import annotations

import json
import subprocess
import sys
import time
from pathlib import Path

from tests.service.attacks import Companion

BEFORE, AFTER = "10.9.0.2", "10.9.0.3"
VIEWERS = 45
WATCHED_S = 30.0


def ip(*words: str) -> None:
    subprocess.run(["ip", *words], check=True)


def main(folder: Path) -> None:
    ip("link", "set", "lo", "up")
    for address in (BEFORE, AFTER):
        ip("addr", "add", f"{address}/32", "dev", "lo")
    companion = Companion(folder)
    try:
        looking = [companion.stream(BEFORE) for _ in range(VIEWERS)]
        first = sum(stream.status == 200 and stream.until(b"data: {") for stream in looking)
        ip("addr", "del", f"{BEFORE}/32", "dev", "lo")
        vanished = time.monotonic()
        back = [companion.stream(AFTER) for _ in range(VIEWERS)]
        again = sum(stream.status == 200 and stream.until(b"data: {") for stream in back)
        while companion.connections(BEFORE) and time.monotonic() < vanished + WATCHED_S:
            time.sleep(0.1)
        noticed = time.monotonic() - vanished
        left = companion.connections(BEFORE)
        alive = sum(stream.until(b"event: alive") for stream in back)
    finally:
        companion.stop()
    print(json.dumps({"first": first, "again": again, "noticed": noticed, "left": left, "alive": alive}))


if __name__ == "__main__":
    main(Path(sys.argv[1]))
