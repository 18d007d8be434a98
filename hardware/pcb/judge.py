"""Is a plotted board fit to be made? KiCad's report and the Gerber files in, everything that is wrong out."""

import re
from collections.abc import Sequence
from pathlib import Path

VIOLATION = re.compile(r"^\[(\w+)\].*\n.*Severity: error\n\s*(.*)", re.M)
DRAWN = {".gbr": r"D0[13]\*", ".drl": r"^X"}  # a file that draws or drills anything has such a line


def faults(report: str, plotted: Sequence[Path], expected: int) -> list[str]:
    found = [f"{rule}: {where}" for rule, where in VIOLATION.findall(report)]
    unconnected = re.search(r"Found (\d+) unconnected pads", report)
    if not unconnected:
        found.append("KiCad gave no report")
    elif int(unconnected[1]):
        found.append(f"{unconnected[1]} unconnected pads")
    found += [
        f"{path.name} is empty"
        for path in plotted
        if not re.search(DRAWN[path.suffix], path.read_text(), re.M)
    ]
    if len(plotted) < expected:
        found.append(f"{len(plotted)} Gerber and drill files instead of {expected}")
    return found
