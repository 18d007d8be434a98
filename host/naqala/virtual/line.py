"""The cable between the virtual table and the host: it can be pulled out, and it can be noisy. Bytes in, bytes out."""

from __future__ import annotations

from random import Random
from typing import Any


class Line:
    """`pulled` True: nothing goes through and the host notices. `noise` is how often a byte is spoilt."""

    def __init__(self, seed: int) -> None:
        self.pulled = False
        self.noise = 0.0
        self.spoilt = 0
        self._dice = Random(seed)

    def carry(self, data: bytes) -> bytes:
        """What arrives at the other end."""
        if self.pulled:
            return b""
        if not self.noise or not data:
            return data
        return b"".join(self._byte(byte) for byte in data)

    def _byte(self, byte: int) -> bytes:
        if self._dice.random() >= self.noise:
            return bytes([byte])
        self.spoilt += 1
        # A byte is changed, lost, or another one slips in.
        return self._dice.choice(
            (bytes([byte ^ 1 << self._dice.randrange(8)]), b"", bytes([byte, byte ^ 0x55]))
        )

    def state(self) -> dict[str, Any]:
        """For a page."""
        return {"pulled": self.pulled, "noise": self.noise}
