"""Reads an STL file and says whether a printer can make it: closed, not empty, facing outwards, small enough."""

from collections import Counter
from pathlib import Path
from typing import NamedTuple

Point = tuple[float, float, float]
Facet = tuple[Point, Point, Point]


class Solid(NamedTuple):
    facets: int
    open_edges: int  # edges that do not have exactly one neighbour running the other way
    volume: float  # mm3; negative when the facets face inwards
    size: Point


def read(path: Path) -> list[Facet]:
    """The facets of an ASCII STL, as OpenSCAD writes it."""
    corners: list[Point] = []
    for line in path.read_text().splitlines():
        words = line.split()
        if words[:1] == ["vertex"]:
            corners.append((float(words[1]), float(words[2]), float(words[3])))
    return [(corners[k], corners[k + 1], corners[k + 2]) for k in range(0, len(corners), 3)]


def measure(facets: list[Facet]) -> Solid:
    edges: Counter[tuple[Point, Point]] = Counter()
    volume = 0.0
    for a, b, c in facets:
        edges.update(((a, b), (b, c), (c, a)))
        cross = (b[1] * c[2] - b[2] * c[1], b[2] * c[0] - b[0] * c[2], b[0] * c[1] - b[1] * c[0])
        volume += (a[0] * cross[0] + a[1] * cross[1] + a[2] * cross[2]) / 6
    lonely = sum(abs(count - edges[(end, start)]) for (start, end), count in edges.items())
    points = [point for facet in facets for point in facet]
    size = [
        max(p[axis] for p in points) - min(p[axis] for p in points) if points else 0.0 for axis in range(3)
    ]
    return Solid(len(facets), lonely, volume, (size[0], size[1], size[2]))


def faults(solid: Solid, bed: Point) -> list[str]:
    """Why it cannot be printed; empty when it can."""
    if not solid.facets:
        return ["is empty"]
    found = []
    if solid.open_edges:
        found.append(f"is not watertight: {solid.open_edges} open edges")
    if solid.volume <= 0:
        found.append("is inside out")
    if any(side > room for side, room in zip(solid.size, bed, strict=True)):
        found.append(
            "is {:.0f} x {:.0f} x {:.0f} mm, the bed {:.0f} x {:.0f} x {:.0f}".format(*solid.size, *bed)
        )
    return found
