"""What a board is made from: outline, holes, pads with their nets, copper that is fixed, and how to route the rest.

`plans()` gives the boards by name. The tile board's plan stands in `tile.py`, those of the row and the controller in `logic.py`.
Millimetres, y down, seen from above.
"""

from typing import NamedTuple

FRONT, BACK, BOTH = "F", "B", "FB"
Point = tuple[float, float]
Box = tuple[float, float, float, float]  # left, top, right, bottom


class Pad(NamedTuple):
    reference: str
    number: int
    name: str
    net: str  # "" for a pin that is left open
    x: float
    y: float
    width: float
    height: float
    layer: str
    drill: float = 0.0


class Track(NamedTuple):
    net: str
    layer: str
    width: float
    a: Point
    b: Point


class Text(NamedTuple):
    words: str
    x: float
    y: float
    front: bool = True
    size: float = 0.9
    upright: bool = False


class Placed(NamedTuple):
    """A part for the placement machine and for the drawing: middle, turn in degrees, side, body."""

    reference: str
    x: float
    y: float
    turn: float
    side: str
    body: Box


class Plan(NamedTuple):
    name: str
    title: str
    outline: Box
    holes: tuple[Point, ...]
    hole: float  # mm
    pads: tuple[Pad, ...]
    placed: tuple[Placed, ...]
    texts: tuple[Text, ...]
    fixed: tuple[Track, ...]  # tracks that are not the router's
    area: Box  # where the router may lay
    ground: Box  # where ground is poured on both faces
    grid: float
    clearance: float
    signal: float  # mm, width of a net that is not in `widths`
    widths: dict[str, float]
    order: tuple[str, ...]  # nets in the order in which the router begins
    across: float = 0.0  # extra price of going up or down on the upper face, sideways on the lower one
    patience: int = 150  # nets routed in all before it gives up

    def width(self, net: str) -> float:
        return self.widths.get(net, self.signal)
