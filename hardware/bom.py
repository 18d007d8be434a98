"""The bills of materials (`bom/*.csv`): what each kit costs, and whether they agree with circuit, harness, power and pieces.

`python -m hardware.bom` prints the totals and fails when a bill and the design differ, in either direction.
"""

import csv
import math
import sys
from collections import Counter
from pathlib import Path
from typing import NamedTuple

from hardware import partnumbers
from hardware.circuit.boards import BOARDS, KITS
from hardware.circuit.parts import KINDS
from hardware.harness.harness import cables, metres

FOLDER = Path(__file__).parent / "bom"
SOURCES = ("circuit", "assembly", "harness", "power", "pieces", "frame")

# What carries a tag at a full table: 90 meeples, 4 x 11 camels (two players use 11 each), 12 palms, 10 palaces, 30 tiles.
TAGGED = {"meeple": 90, "camel": 44, "palm": 12, "palace": 10, "tile": 30}
SPARE = 1.05  # one tag in twenty is lost or bad


class Line(NamedTuple):
    line: str
    part: str
    mpn: str
    quantity: int
    source: str
    where: str
    price: float
    substitute: str

    @property
    def cost(self) -> float:
        return self.quantity * self.price


def read(kit: str) -> list[Line]:
    with (FOLDER / f"{kit}.csv").open(newline="") as file:
        return [
            Line(r[0], r[1], r[2], int(r[3]), r[4], r[5], float(r[6]), r[7])
            for r in list(csv.reader(file))[1:]
        ]


def total(lines: list[Line]) -> float:
    return sum(line.cost for line in lines)


def in_circuit(kit: str) -> Counter[str]:
    """Parts to buy for the kit's boards, by line of the bill."""
    needed: Counter[str] = Counter()
    for board, count in KITS[kit].items():
        for kind in BOARDS[board].parts.values():
            if KINDS[kind].bom:
                needed[KINDS[kind].bom] += count
    return needed


def in_harness() -> Counter[str]:
    needed = Counter(
        {f"idcs{size}": 2 * sum(c.many for c in cables() if c.kind == f"ribbon {size}") for size in (14, 20)}
    )
    for line, kind in (
        ("ribbon14", "ribbon 14"),
        ("ribbon20", "ribbon 20"),
        ("wire2", "2 x 0.5 mm2"),
        ("pair", "twisted pair"),
    ):
        needed[line] = math.ceil(metres(kind))
    return needed


def in_assembly() -> Counter[str]:
    tiles, rows = KITS["table"]["tile"], KITS["table"]["row"]
    found = Counter(tilepcb=tiles, header13=tiles, socket13=tiles, rowpcb=rows, controllerpcb=1)
    return found + Counter(sockets20=2, ties=20)


def differences(kit: str, lines: list[Line]) -> list[str]:
    """Everything in which the bill and the design disagree, in plain words."""
    wrong = [
        f"{kit}: {line.line} comes from an unknown source, {line.source}"
        for line in lines
        if line.source not in SOURCES
    ]
    wrong += [
        f"{kit}: {name} is listed {n} times"
        for name, n in Counter(line.line for line in lines).items()
        if n > 1
    ]
    wrong += [
        f"{kit}: {line.line} has no {field}"
        for line in lines
        for field in ("part", "where")
        if not getattr(line, field)
    ]
    for line in lines:
        wrong += [f"{kit}: {fault}" for fault in partnumbers.faults(line.line, line.part, line.mpn)]
    designs = {"circuit": in_circuit(kit)}
    if kit == "table":
        designs |= {"harness": in_harness(), "assembly": in_assembly()}
        tags = math.ceil(sum(TAGGED.values()) * SPARE)
        listed = sum(line.quantity for line in lines if line.line == "tag15693")
        if listed < tags:
            wrong.append(f"table: {tags} tags needed with spares, the bill has {listed}")
    for source, needed in designs.items():
        listed_lines = {line.line: line.quantity for line in lines if line.source == source}
        for name in sorted(needed.keys() | listed_lines.keys()):
            if needed[name] != listed_lines.get(name, 0):
                wrong.append(
                    f"{kit}: the {source} has {needed[name]} x {name}, the bill {listed_lines.get(name, 0)}"
                )
    return wrong


def main() -> None:
    wrong = []
    for kit in KITS:
        lines = read(kit)
        wrong += differences(kit, lines)
        parts = sum(line.quantity for line in lines)
        print(f"{kit:8} {len(lines):3} lines {parts:5} pieces  US$ {total(lines):7.2f}")
        for source in SOURCES:
            cost = total([line for line in lines if line.source == source])
            if cost:
                print(f"           {source:10} {cost:8.2f}")
    if wrong:
        sys.exit("\n".join(wrong))


if __name__ == "__main__":
    main()
