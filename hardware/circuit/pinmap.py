"""The pin map (`hardware/pinmap.json`) as the circuits need it: which Pico pin, which shift register output."""

import json
from pathlib import Path

_MAP = json.loads((Path(__file__).parents[1] / "pinmap.json").read_text())
CONTROLLER: dict[str, int] = _MAP["controller"]
SHIFT: dict[str, int] = _MAP["shift"]
OUTPUTS = tuple(f"Q{letter}" for letter in "ABCDEFGH")


def pico_pin(signal: str) -> str:
    return f"GP{CONTROLLER[signal]}"


def shift_output(signal: str) -> tuple[int, str]:
    """Register (0 is nearest to the controller) and its output."""
    return SHIFT[signal] // 8, OUTPUTS[SHIFT[signal] % 8]
