"""An hour of play on the real interpreter, 30 readers and 130 tags: the heap does not grow and the picture is right."""

from __future__ import annotations

import json
import subprocess
from pathlib import Path
from typing import Any

import pytest

ROOT = Path(__file__).parents[2]
# Crowds on single readers become ever rarer and a little larger: their tables grow to fit, and stop.
LEEWAY = 1536


def soak(micropython: Path, heap: str, kind: str, seconds: int) -> dict[str, Any]:
    command = [
        micropython,
        "-X",
        f"heapsize={heap}",
        ROOT / "tests/firmware/soak_main.py",
        kind,
        str(seconds),
    ]
    done = subprocess.run(command, capture_output=True, text=True, cwd=ROOT, timeout=600, check=False)
    assert done.returncode == 0, done.stdout + done.stderr
    result: dict[str, Any] = json.loads(done.stdout)
    return result


@pytest.mark.long
def test_an_hour_of_the_loop_in_the_controllers_heap(micropython: Path) -> None:
    result = soak(micropython, "192k", "scripted", 3600)
    assert result["seconds"] >= 3600
    assert result["lines"] > 3600  # a lift and a drop every two seconds
    assert result["right"]
    heap = result["heap"]
    assert max(heap[3:]) - heap[2] < LEEWAY, heap
    assert max(heap) < 130_000, heap  # of 192 KB; what the loop itself needs, code included
    assert result["largest"] >= 32_768


@pytest.mark.long
def test_a_hundred_seconds_of_the_whole_firmware_on_simulated_chips(micropython: Path) -> None:
    result = soak(micropython, "512k", "chips", 100)
    assert result["right"]
    heap = result["heap"]
    assert max(heap[5:]) - heap[4] < 3 * LEEWAY, heap  # the pieces on the simulated coils, too, come and go
