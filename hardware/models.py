"""Writes `models.md`: every table of the models in one page, so that a choice can be seen and redone.

`python -m hardware.models FILE`
"""

import json
import sys
from contextlib import redirect_stdout
from io import StringIO
from pathlib import Path
from statistics import mean

from hardware import field_model, matching, power, timing_model
from hardware.pcb import coil

EMULATED = Path(__file__).parent / "emulated.json"
# The study's own position and lanes for what was emulated, and what the review of 0.1.0 saw there.
BESIDE = {
    "Pico W, one lane": (1, "2070"),
    "Pico 2 W, one lane": (1, "1390 to 1450"),
    "Pico 2 W, five lanes": (5, "-"),
}
POSITION = "set-up, 30 x 3 = 90"


def timing() -> None:
    """The tables of the timing model, then the emulated controller beside the study's figure."""
    timing_model.main()
    sweeps = json.loads(EMULATED.read_text())["sweep_ms"]
    print(
        "\nA sweep of thirty readers with three tags each, at rest, ms. *Emulated*: the firmware on MicroPython's image for an emulated RP2040 with thirty emulated chips, each with its own times; "
        "`python -m tests.emulated.measure` measures it again, and CI fails when it no longer agrees. It is slower than the study because the firmware confirms and calls tags by name, and because "
        "every SPI frame costs Python time of its own. Absolute times of the emulated processor are good within about 40 %.\n"
    )
    print(
        "| controller | study (Python) | emulated | review of 0.1.0, emulated | emulated : study |\n|---|---|---|---|---|"
    )
    for name, (lanes, review) in BESIDE.items():
        study = mean(timing_model.sample_table(POSITION, timing_model.PYTHON, lanes, 400))
        print(f"| {name} | {study:.0f} | {sweeps[name]} | {review} | {sweeps[name] / study:.1f} |")


HEAD = """# What the design was chosen from

Calculated, not measured. Made by `make hardware` from the scripts named below: change a number there and make it again.
A figure that was read in a data sheet or calculated says nothing about your table: [calibration.md](calibration.md) does.
"""
PARTS = (
    (
        "Field",
        "`field_model.py`: Biot-Savart over the coil's straight pieces, vertical component, averaged over a disc of 8 mm (a tag). "
        "*own min* is the weakest field for a tag centre within 22 (24) mm of the tile's centre, *cross max* the strongest field at any "
        "place of the neighbouring tile for three tile pitches. Tags need about 0.8 A/m (13 mm) to 1.3 A/m (10 mm). A population of "
        "tags whose thresholds differ by two needs own : cross of 5 or more: hence 75 mm.",
        field_model.main,
    ),
    (
        "Coil",
        "`pcb/coil.py`: inductance by the modified Wheeler formula (the design study's) and from the track itself (Greenhouse); for a single turn only "
        "the second holds. Resistance counts the skin effect only, so Q is an upper bound. The design study gave 1.2 uH and 115 pF for three turns, 2.0 uH and 69 pF for four.",
        coil.main,
    ),
    (
        "Matching and array",
        "`matching.py` and `array_model.py`: the module's whole network (with C4/C19 and the chip's switch between its ANT pins) with a coil of ours, and thirty such coils side by side. "
        "*Holds* means inside the window below. Beside it the figures of the review of 0.1.0, calculated independently: four turns with C4/C19 1.4 - j5 ohm at TX; 37.6 nH between two four-turn coils; "
        "0.29 to 0.34 of the current in a tuned neighbour; own : cross 2.6 to 2.9 with tuned neighbours and 7.8 with neighbours at 18 MHz. "
        "The design study's 8.8 (field table above) counts no neighbour at all.",
        matching.main,
    ),
    (
        "Timing",
        "`timing_model.py`: ISO 15693 air times, 16 slots, collisions repaired by bit position; *Python* adds 0.45 ms a slot and 0.6 ms a command for the controller's "
        "interpreter and waits 755 us for an empty slot. These two are assumptions: the first thing to measure on a real controller. "
        "The last table has what the firmware needs on an emulated controller.",
        timing,
    ),
    ("Power", "`power.py` and `power.csv`.", power.main),
)


def page() -> str:
    parts = [HEAD]
    for title, words, tell in PARTS:
        told = StringIO()
        with redirect_stdout(told):
            tell()
        body = told.getvalue().rstrip()
        parts.append(
            f"## {title}\n\n{words}\n\n" + (f"```text\n{body}\n```\n" if tell is power.main else f"{body}\n")
        )
    return "\n".join(parts)


def main() -> None:
    Path(sys.argv[1]).write_text(page())


if __name__ == "__main__":
    main()
