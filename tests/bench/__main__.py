"""The one runner of all benchmarks: `python -m tests.bench [WORD...] [--write]`.

Each `bench_<topic>.py` beside this file yields rows {"name", "value", "unit", "spread", "note"}. They are printed as a
table and written as JSON to build/bench.json; `--write` renews BENCHMARKS.md. Ratios say more than times: they compare
two ways of doing the same thing in the same run on the same machine.
"""

from __future__ import annotations

import importlib
import json
import os
import platform
import sys
import time
from pathlib import Path
from typing import Any

ROOT = Path(__file__).parents[2]

# What a topic's figures mean to somebody at the table. Every topic has its sentence.
TO_A_PLAYER = {
    "crowd": "A club with a hundred tables, a screen and four phones at each, is served by one program: nobody is refused, where 0.1.0 ended "
    "at sixteen tables. These are single runs on a machine with much other work, so the milliseconds of the two versions cannot be told apart: "
    "for one table four runs of 0.1.0 had medians of 7 to 27 ms and five runs of this version 9 to 30 ms. The goal of 100 ms for 500 "
    "viewers has not been shown.",
    "explain": "A flag's words are found while the screen draws one picture (16 ms) or two, however crowded the tile.",
    "inventory": "How long one tile's reader, and the whole table, takes to see what stands there: what you wait for after "
    "a drop is mostly this.",
    "journal": "What is on the screen is already on disk: a power cut after you saw your move does not take it back. It costs "
    "less than a blink (100 ms) by far.",
    "latency": "From the touch of a piece to its line at the host. In focus are the tiles your hand can reach next, so the "
    "move you are making is seen before the hand is back; the rest of the table waits a little longer.",
    "link": "Cable and broker add nothing that a person could notice.",
    "referee": "How often a flag is wrong, and how soon and by which name a real slip is flagged, with hands and readers from very neat "
    "to very bad.",
    "replay": "Opening an old game, jumping in its replay or taking back a move happens as you tap.",
    "robots": "A robot has decided before you have looked up; the review of a game is ready when the table is cleared.",
    "scan": "The same as the latency, in the controller alone.",
    "service": "From the controller's bytes to your phone, everything between included. All viewers of a screen share one "
    "rendering, and fifty tables that are played at once do not slow one down.",
    "sowings": "The lit tiles while you hold meeples, and whether any sowing is left at all, are answered at once; ratios are "
    "against trying every way.",
    "stream": "With sixty screens and phones on one table the last one hears a few hundredths of a second after the first.",
    "wire": "Checking every line for damage costs nothing that you could notice, on the computer or on the controller.",
}


def machine() -> str:
    cpu = platform.processor() or platform.machine()
    info = Path("/proc/cpuinfo")
    if info.exists():
        names = [
            line.split(":")[1].strip()
            for line in info.read_text().splitlines()
            if line.startswith("model name")
        ]
        cpu = names[0] if names else cpu
    return f"{cpu}, {os.cpu_count()} cores, {platform.system()}, Python {platform.python_version()}"


def number(value: float | None) -> str:
    if value is None:
        return ""
    return f"{value:,.0f}" if abs(value) >= 100 else f"{value:.3g}"


def table(topics: dict[str, list[dict[str, Any]]]) -> str:
    lines = []
    for topic, rows in topics.items():
        lines += [
            f"## {topic.capitalize()}",
            "",
            TO_A_PLAYER[topic],
            "",
            "| what | figure | unit | spread | what it means |",
            "|---|---:|---|---:|---|",
        ]
        lines += [
            f"| {row['name']} | {number(row['value'])} | {row['unit']} | {number(row.get('spread'))} | {row.get('note', '')} |"
            for row in rows
        ]
        lines.append("")
    return "\n".join(lines)


def main(arguments: list[str]) -> None:
    write = "--write" in arguments
    wanted = [word for word in arguments if not word.startswith("-")]
    topics: dict[str, list[dict[str, Any]]] = {}
    left_out: list[str] = []
    for path in sorted(Path(__file__).parent.glob("bench_*.py")):
        topic = path.stem.removeprefix("bench_")
        if wanted and not any(word in topic for word in wanted):
            left_out.append(topic)
            continue
        began = time.monotonic()
        print(f"{topic} ...", end=" ", file=sys.stderr, flush=True)
        topics[topic] = list(importlib.import_module(f"tests.bench.{path.stem}").rows())
        print(f"{time.monotonic() - began:.1f} s", file=sys.stderr)
    print(table(topics))
    (ROOT / "build").mkdir(exist_ok=True)
    (ROOT / "build/bench.json").write_text(
        json.dumps({"machine": machine(), "topics": topics}, indent=1) + "\n"
    )
    if write:
        head = (
            "# Benchmarks\n\nThe last run of `make bench ARGS=--write`. Figures are of one machine; ratios compare two ways in the\n"
            f"same run and carry over.\n\nMachine: {machine()}.\n\n"
            + (f"Left out of this run: {', '.join(left_out)}.\n\n" if left_out else "")
        )
        strength = (
            Path(__file__).parent / "strength.md"
        ).read_text()  # hours of matches are not played again
        (ROOT / "BENCHMARKS.md").write_text(head + table(topics) + "\n" + strength)


if __name__ == "__main__":
    main(sys.argv[1:])
