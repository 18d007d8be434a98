"""The cable between the virtual table and the host: it can be pulled out, and it can be noisy. Bytes in, bytes out.

Both end by themselves at a moment of the table's clock, or when somebody ends them.
"""

from __future__ import annotations

from random import Random
from typing import Any

FOREVER = 1 << 60


class Line:
    """`pulled` True: nothing goes through and the host notices. `noise` is how often a byte is spoilt."""

    def __init__(self, seed: int) -> None:
        self.pulled = False
        self.noise = 0.0
        self.spoilt = 0
        self._dice = Random(seed)
        self._plugged_at = self._calm_at = FOREVER

    def pull(self, until_ms: int = FOREVER) -> None:
        """Pull the cable out, until that moment of the table's clock."""
        self.pulled, self._plugged_at = True, until_ms

    def disturb(self, rate: float, until_ms: int = FOREVER) -> None:
        """Spoil bytes at this rate, until that moment."""
        self.noise, self._calm_at = rate, until_ms

    def mend(self) -> None:
        """Plugged in and quiet."""
        self.pulled, self.noise = False, 0.0

    def pass_time(self, now_ms: int) -> bool:
        """End what is over. True when something was."""
        over = (self.pulled and now_ms >= self._plugged_at, bool(self.noise) and now_ms >= self._calm_at)
        self.pulled = self.pulled and not over[0]
        self.noise = 0.0 if over[1] else self.noise
        return any(over)

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
