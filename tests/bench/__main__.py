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
        (ROOT / "BENCHMARKS.md").write_text(head + table(topics))


if __name__ == "__main__":
    main(sys.argv[1:])
