"""`python -m tests.emulated.measure`: how long a sweep takes on the emulated controller, into hardware/emulated.json.

`make hardware` puts the figures into hardware/models.md beside those of the study; test_hands.py fails when they are no longer true.
"""

from __future__ import annotations

import json
import tempfile
from pathlib import Path

from tests.emulated.board import ROOT
from tests.emulated.table import KINDS, READERS, patience, sweep_at_rest, table, three_each

SWEEPS = ROOT / "hardware/emulated.json"


def main() -> None:
    found = {}
    for name, kind in KINDS.items():
        with (
            tempfile.TemporaryDirectory() as folder,
            patience(),
            table(Path(folder), kind, three_each(READERS)) as (board, host),
        ):
            found[name] = sweep_at_rest(board, host, kind)
            print(f"{name}: {found[name]} ms", flush=True)
    SWEEPS.write_text(
        json.dumps({"made_by": "python -m tests.emulated.measure", "sweep_ms": found}, indent=2) + "\n"
    )


if __name__ == "__main__":
    main()
