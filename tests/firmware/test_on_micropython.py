"""The shared tests of the chips once more, on the real interpreter with the controller's heap."""

from __future__ import annotations

from collections.abc import Callable

import pytest

SHARED = (
    "reader",
    "crc",
    "iso15693",
    "inventory",
    "sweep",
    "pn5180",
    "selection",
    "mfrc522",
    "readers",
    "simulated_pn5180",
    "allocation",
    "lanes",
    "times",
    "bus",
    "tune",
)


# Beside the firmware these hold simulated chips and their tags (a sweep thirty and 130), which no controller does.
HEAPS = {"sweep": "256k", "lanes": "256k", "times": "256k", "tune": "512k"}


@pytest.mark.parametrize("topic", SHARED)
def test_on_micropython(on_micropython: Callable[..., str], topic: str) -> None:
    told = on_micropython(f"tests/firmware/test_{topic}.py", heap=HEAPS.get(topic, "192k"))
    assert told.endswith(" 0 failed\n")
