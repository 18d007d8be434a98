"""The cables: lengths from where things lie in the frame, wires from the circuit's own connectors.

Out: the cut list (CSV) and one WireViz file per drawing. `python -m hardware.harness.harness FOLDER` writes them.
"""

import csv
import json
import sys
from pathlib import Path
from typing import Any, NamedTuple

from hardware.circuit.boards import BOARDS, COLUMNS, ROWS
from hardware.circuit.parts import KINDS, ROW_CABLE, TILE_CABLE

PITCH = 75  # mm, tile to tile
SLACK = 60  # mm, both ends together: to turn a board over without unplugging it
ACROSS = 46  # mm, from the row board's headers over to the tile board's strip
UP = 30  # mm, from plug to plug in height
LEAST = 180  # mm: a shorter tile cable cannot be plugged in before its board is lowered
SIDE = 300  # mm, from the controller's bay to the middle of a row
STEP = 10  # mm, cable is cut to full centimetres


class Cable(NamedTuple):
    name: str
    many: int
    length: int  # mm
    kind: str
    ends: str  # connector at both ends
    between: str

    @property
    def metres(self) -> float:
        return self.many * self.length / 1000


def _cut(length: float) -> int:
    return int(-(-length // STEP) * STEP)


def cables() -> list[Cable]:
    """Every cable of the full table."""
    found = []
    for away, columns in ((0.5, "C and D"), (1.5, "B and E"), (2.5, "A and F")):
        length = max(LEAST, _cut(away * PITCH + ACROSS + UP + SLACK))
        found.append(
            Cable(
                f"tile {columns}",
                2 * ROWS,
                length,
                "ribbon 14",
                "socket 2x7",
                "row board J1..J6 and tile board J1",
            )
        )
    for away, rows in ((0, ("3",)), (1, ("2", "4")), (2, ("1", "5"))):
        length = _cut(SIDE + away * PITCH + SLACK)
        name = "row " + " and ".join(rows)
        found.append(
            Cable(name, len(rows), length, "ribbon 20", "socket 2x10", "controller J0..J4 and row board J0")
        )
        found.append(
            Cable(
                f"power {name}",
                len(rows),
                length,
                "2 x 0.5 mm2",
                "ferrules",
                "controller J11..J15 and row board J7",
            )
        )
    found.append(
        Cable("feed", ROWS * COLUMNS, 50, "twisted pair", "soldered", "module antenna pads and tile board J2")
    )
    return found


def metres(kind: str) -> float:
    return sum(cable.metres for cable in cables() if cable.kind == kind)


# A font that is there wherever the drawings are made: with another's widths the words would run into each other.
OPTIONS = {"fontname": "DejaVu Sans"}
COLOURS = {
    "GND": "BK",
    "5V": "RD",
    "3V3": "OG",
    "SCK": "YE",
    "MOSI": "GN",
    "MISO": "BU",
    "BUSY": "GY",
    "NSS": "VT",
    "EN": "VT",
}
COLOURS |= {"RESET": "WH", "A": "BN", "LAMP_IN": "PK", "LAMP_OUT": "PK"}


def _colour(name: str) -> str:
    return COLOURS.get(name) or COLOURS.get(name.rstrip("0123456789"), "WH")


def ribbon(title: str, names: str, left: str, right: str, length: int) -> dict[str, Any]:
    labels = names.split()
    every = list(range(1, len(labels) + 1))
    end = {"type": f"ribbon socket 2x{len(labels) // 2}", "pinlabels": labels, "show_pincount": False}
    wire = {
        "wirecount": len(labels),
        "length": length / 1000,
        "gauge": "28 AWG",
        "colors": [_colour(name) for name in labels],
    }
    wire |= {
        "category": "bundle",
        "notes": "grey ribbon, its red edge is wire 1; the colours here only help the eye",
    }
    return {
        "connectors": {left: end, right: end},
        "cables": {title: wire},
        "connections": [[{left: every}, {title: every}, {right: every}]],
    }


def kit(name: str, hub: str) -> dict[str, Any]:
    """A small kit's wiring as a drawing: from the controller to every other part, straight from its circuit."""
    board = BOARDS[name]
    connectors: dict[str, Any] = {}
    labels: dict[str, list[str]] = {}
    for reference, kind in board.parts.items():
        if kind in ("c100n", "r4k7", "r10k"):
            continue
        wired = [p.name for p in KINDS[kind].pins if board.net_of(f"{reference}.{p.name}")]
        if reference == hub:  # one ground of the many is drawn
            wired = [name for name in wired if "GND" not in name or name == "GND3"]
        labels[reference] = wired
        numbers = [p.number for p in KINDS[kind].pins if p.name in wired]
        connectors[reference] = {
            "type": KINDS[kind].what,
            "pinlabels": wired,
            "pins": numbers,
            "show_pincount": False,  # not all pins are drawn
        }
    wires: dict[str, Any] = {}
    connections: list[Any] = []
    for reference in labels:
        if reference == hub:
            continue
        joined = []
        for pin in labels[reference]:
            net = board.net_of(f"{reference}.{pin}")
            mates = [place.partition(".") for place in board.nets[net or ""]]
            mate = next((m[2] for m in mates if m[0] == hub), None)
            if mate:
                joined.append((mate, pin, net or ""))
        bundle = f"W{len(wires) + 1}"
        wires[bundle] = {
            "category": "bundle",
            "wirecount": len(joined),
            "length": 0.2,
            "gauge": "24 AWG",
            "colors": [_colour(n) for _, _, n in joined],
        }
        connections.append(
            [
                {hub: [m for m, _, _ in joined]},
                {bundle: list(range(1, len(joined) + 1))},
                {reference: [p for _, p, _ in joined]},
            ]
        )
    connections += _between(name, hub, labels, wires)
    return {"connectors": connectors, "cables": wires, "connections": connections}


def _between(name: str, hub: str, labels: dict[str, list[str]], wires: dict[str, Any]) -> list[Any]:
    """Nets that join parts without passing the hub: shift register to reader, reader to its gate."""
    board = BOARDS[name]
    pairs: dict[tuple[str, str], list[tuple[str, str, str]]] = {}
    for net, places in board.nets.items():
        ends = [place.partition(".") for place in places if place.partition(".")[0] in labels]
        if len(ends) == 2 and hub not in (ends[0][0], ends[1][0]):
            (a, _, pin_a), (b, _, pin_b) = ends
            pairs.setdefault((a, b), []).append((pin_a, pin_b, net))
    found: list[Any] = []
    for (a, b), joined in pairs.items():
        bundle = f"W{len(wires) + 1}"
        colours = [_colour(net.partition("_")[0]) for _, _, net in joined]
        wires[bundle] = {
            "category": "bundle",
            "wirecount": len(joined),
            "length": 0.2,
            "gauge": "24 AWG",
            "colors": colours,
        }
        found.append(
            [
                {a: [p for p, _, _ in joined]},
                {bundle: list(range(1, len(joined) + 1))},
                {b: [p for _, p, _ in joined]},
            ]
        )
    return found


def drawings() -> dict[str, dict[str, Any]]:
    longest = {kind: max(c.length for c in cables() if c.kind == kind) for kind in ("ribbon 14", "ribbon 20")}
    return {
        "tile_cable": ribbon(
            "tile cable", TILE_CABLE, "row board J1 to J6", "tile board J1", longest["ribbon 14"]
        ),
        "row_cable": ribbon(
            "row cable", ROW_CABLE, "controller J0 to J4", "row board J0", longest["ribbon 20"]
        ),
        "bench": kit("bench", "U1"),
        "onetile": kit("onetile", "U1"),
        "starter": kit("starter", "U1"),
    }


def main() -> None:
    folder = Path(sys.argv[1])
    folder.mkdir(parents=True, exist_ok=True)
    with (folder / "cut_list.csv").open("w", newline="") as file:
        writer = csv.writer(file)
        writer.writerow(("cable", "how many", "length mm", "kind", "both ends", "between", "together m"))
        for c in cables():
            writer.writerow((c.name, c.many, c.length, c.kind, c.ends, c.between, f"{c.metres:.2f}"))
    for name, drawing in drawings().items():
        (folder / f"{name}.yml").write_text(
            json.dumps(drawing | {"options": OPTIONS}, indent=1)
        )  # JSON is YAML
    print(
        f"cut list: {sum(c.many for c in cables())} cables, {metres('ribbon 14'):.2f} m of 14-way, {metres('ribbon 20'):.2f} m of 20-way ribbon"
    )


if __name__ == "__main__":
    main()
