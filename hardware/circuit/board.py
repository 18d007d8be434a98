"""What a board is: parts with their kinds, and nets that name the pins they join. Plain data, read by everyone downstream:
the rule check and the netlists (`check.py`), the drawings (`draw.py`), the bill of materials and the tests.
"""

from collections.abc import Iterable, Mapping
from typing import NamedTuple

from hardware.circuit.parts import KINDS, Pin


class Board(NamedTuple):
    name: str
    title: str
    parts: Mapping[str, str]  # reference -> kind
    nets: Mapping[str, tuple[str, ...]]  # net -> "U1.SCK", ...
    open_pins: frozenset[str] = frozenset()  # left open on purpose

    def pin(self, place: str) -> Pin:
        """The pin that "U1.SCK" means."""
        reference, _, name = place.partition(".")
        for pin in KINDS[self.parts[reference]].pins:
            if pin.name == name:
                return pin
        raise KeyError(f"{self.name}: no pin {place}")

    def net_of(self, place: str) -> str | None:
        return next((net for net, places in self.nets.items() if place in places), None)


class Builder:
    """Collects a board's parts and connections in the order in which they are easiest to read."""

    def __init__(self, name: str, title: str) -> None:
        self.name, self.title = name, title
        self.parts: dict[str, str] = {}
        self.nets: dict[str, list[str]] = {}
        self.opens: set[str] = set()

    def add(self, kind: str, reference: str, **wires: str) -> None:
        """A part, and the net of each of its pins: add("595", "U2", SER="SER", ...). `_3V3` names the pin 3V3."""
        if reference in self.parts:
            raise ValueError(f"{reference} twice on the {self.name} board")
        self.parts[reference] = kind
        for pin, net in wires.items():
            self.wire(net, f"{reference}.{pin.removeprefix('_')}")

    def wire(self, net: str, *places: str) -> None:
        self.nets.setdefault(net, []).extend(places)

    def ground(self, reference: str) -> None:
        """Every pin of a part whose name begins with GND goes to ground."""
        for pin in KINDS[self.parts[reference]].pins:
            if pin.name.startswith(("GND", "AGND")):
                self.wire("GND", f"{reference}.{pin.name}")

    def leave_open(self, reference: str, names: Iterable[str]) -> None:
        self.opens |= {f"{reference}.{name}" for name in names}

    def board(self) -> Board:
        nets = {net: tuple(places) for net, places in self.nets.items()}
        board = Board(self.name, self.title, dict(self.parts), nets, frozenset(self.opens))
        check_complete(board)
        return board


def check_complete(board: Board) -> None:
    """Every pin is in exactly one net or left open on purpose; every name exists. Raises ValueError with all that is wrong."""
    wrong = []
    seen: dict[str, str] = {}
    for net, places in board.nets.items():
        for place in places:
            board.pin(place)
            if place in seen:
                wrong.append(f"{place} is in {seen[place]} and {net}")
            seen[place] = net
    for reference, kind in board.parts.items():
        for pin in KINDS[kind].pins:
            place = f"{reference}.{pin.name}"
            if (place in seen) == (place in board.open_pins):
                wrong.append(f"{place} is {'both wired and open' if place in seen else 'not connected'}")
    if wrong:
        raise ValueError(f"{board.name} board: " + "; ".join(wrong))
