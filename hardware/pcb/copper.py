"""Plotted copper as a maker of boards sees it: Gerber and drill files in, islands of connected copper out.

Nothing here knows the circuit, the layout or KiCad: the files are drawn onto a fine raster, plated holes join both faces,
and what touches is one island. Copper can be cut, as with a knife, to see what hangs on what. `judge.py` uses it for the
bare-board test (every net is one island of its own) and for the coil's cut test.
"""

import re
from collections.abc import Iterator
from pathlib import Path

from PIL import Image, ImageDraw

PER_MM = 20  # pixels; the smallest gap on the boards, 0.2 mm, is four
FRONT, BACK = "F", "B"

Run = tuple[int, int, int]  # first and last pixel of a row's copper, index of its set


class Layer:
    """One face, drawn. Millimetres as in the file, but y down."""

    def __init__(self, text: str, box: tuple[float, float, float, float]) -> None:
        self.left, self.top, right, bottom = box
        size = (round((right - self.left) * PER_MM) + 1, round((bottom - self.top) * PER_MM) + 1)
        self.image = Image.new("L", size, 0)
        self.pen = ImageDraw.Draw(self.image)
        self._draw(text)

    def at(self, x: float, y: float) -> tuple[int, int]:
        return round((x - self.left) * PER_MM), round((y - self.top) * PER_MM)

    def _stroke(self, a: tuple[float, float], b: tuple[float, float], width: float, ink: int) -> None:
        self.pen.line([self.at(*a), self.at(*b)], fill=ink, width=max(1, round(width * PER_MM)))
        for x, y in (a, b):
            self._disc(x, y, width / 2, ink)

    def _disc(self, x: float, y: float, radius: float, ink: int) -> None:
        px, py = self.at(x, y)
        r = radius * PER_MM
        self.pen.ellipse([px - r, py - r, px + r, py + r], fill=ink)

    def _flash(self, aperture: tuple[str, list[float]], x: float, y: float, ink: int) -> None:
        shape, sizes = aperture
        if shape == "C":
            self._disc(x, y, sizes[0] / 2, ink)
        elif shape == "R":
            px, py = self.at(x, y)
            w, h = sizes[0] / 2 * PER_MM, sizes[1] / 2 * PER_MM
            self.pen.rectangle([px - w, py - h, px + w, py + h], fill=ink)
        else:
            raise ValueError(f"aperture of a shape that is not read here: {shape}")

    def _draw(self, text: str) -> None:
        apertures: dict[int, tuple[str, list[float]]] = {}
        ink, tool, here = 1, 0, (0.0, 0.0)
        outline: list[tuple[float, float]] | None = None
        for line in text.splitlines():
            if line.startswith("%ADD"):
                found = re.match(r"%ADD(\d+)([A-Za-z]+),([\d.X]+)\*%", line)
                if not found:
                    raise ValueError(f"aperture that is not read here: {line}")
                apertures[int(found[1])] = (found[2], [float(size) for size in found[3].split("X")])
            elif line.startswith("%LP"):
                ink = 1 if line[3] == "D" else 0
            elif line == "G36*":
                outline = []
            elif line == "G37*":
                if outline:
                    self.pen.polygon([self.at(*point) for point in outline], fill=ink)
                outline = None
            elif re.fullmatch(r"D\d\d+\*", line):
                tool = int(line[1:-1])
            elif move := re.fullmatch(r"(?:X(-?\d+))?(?:Y(-?\d+))?D0([123])\*", line):
                x = int(move[1]) / 1e6 if move[1] else here[0]
                y = -int(move[2]) / 1e6 if move[2] else here[1]
                if outline is not None:
                    outline.append((x, y))
                elif move[3] == "1":
                    self._stroke(here, (x, y), apertures[tool][1][0], ink)
                elif move[3] == "3":
                    self._flash(apertures[tool], x, y, ink)
                here = (x, y)

    def cut(self, x: float, y: float, width: float, height: float) -> None:
        """Takes a rectangle of copper away; its middle is given."""
        left, top = self.at(x - width / 2, y - height / 2)
        right, bottom = self.at(x + width / 2, y + height / 2)
        self.pen.rectangle([left, top, right, bottom], fill=0)

    def crossings(self, a: tuple[float, float], b: tuple[float, float]) -> list[tuple[float, float]]:
        """The middle of each piece of copper that a straight way from a to b crosses."""
        steps = max(abs(b[0] - a[0]), abs(b[1] - a[1])) * PER_MM
        inside: list[tuple[float, float]] = []
        found = []
        for k in range(int(steps) + 1):
            point = (a[0] + (b[0] - a[0]) * k / steps, a[1] + (b[1] - a[1]) * k / steps)
            if self.image.getpixel(self.at(*point)):
                inside.append(point)
            elif inside:
                found.append(inside[len(inside) // 2])
                inside = []
        return found

    def rows(self) -> Iterator[list[tuple[int, int]]]:
        """The runs of copper of each row of pixels."""
        width = self.image.width
        data = self.image.tobytes()
        for start in range(0, len(data), width):
            row = data[start : start + width]
            runs, at = [], row.find(1)
            while at >= 0:
                end = row.find(0, at)
                end = width if end < 0 else end
                runs.append((at, end - 1))
                at = row.find(1, end)
            yield runs


class Copper:
    """Both faces and the plated holes of a board."""

    def __init__(self, folder: Path, name: str) -> None:
        edge = (folder / f"{name}-Edge_Cuts.gbr").read_text()
        points = [(int(x) / 1e6, -int(y) / 1e6) for x, y in re.findall(r"X(-?\d+)Y(-?\d+)D0[12]", edge)]
        xs, ys = [x for x, _ in points], [y for _, y in points]
        self.box = (min(xs) - 1, min(ys) - 1, max(xs) + 1, max(ys) + 1)
        self.faces = {
            face: Layer((folder / f"{name}-{face}_Cu.gbr").read_text(), self.box) for face in (FRONT, BACK)
        }
        self.holes = list(plated_holes((folder / f"{name}.drl").read_text()))

    def islands(self) -> "Islands":
        return Islands(self)


def plated_holes(drill: str) -> Iterator[tuple[float, float]]:
    plated: dict[str, bool] = {}
    kind, tool = True, ""
    for line in drill.splitlines():
        if "AperFunction" in line:
            kind = "NonPlated" not in line
        elif head := re.match(r"(T\d+)C", line):
            plated[head[1]] = kind
        elif re.fullmatch(r"T\d+", line):
            tool = line
        elif (at := re.match(r"X(-?[\d.]+)Y(-?[\d.]+)", line)) and plated.get(tool):
            yield float(at[1]), -float(at[2])


class Islands:
    """Which copper hangs together, as of now: cuts that are made later do not count."""

    def __init__(self, copper: Copper) -> None:
        self.parent: list[int] = []
        self.faces = copper.faces
        self.runs: dict[str, list[list[Run]]] = {
            face: self._face(layer) for face, layer in copper.faces.items()
        }
        for x, y in copper.holes:
            front, back = (self._find_run(face, x, y) for face in (FRONT, BACK))
            if front is not None and back is not None:
                self._join(front, back)

    def _face(self, layer: Layer) -> list[list[Run]]:
        rows: list[list[Run]] = []
        above: list[Run] = []
        for found in layer.rows():
            row: list[Run] = []
            k = 0
            for first, last in found:
                index = len(self.parent)
                self.parent.append(index)
                while k < len(above) and above[k][1] < first:
                    k += 1
                j = k
                while j < len(above) and above[j][0] <= last:
                    self._join(index, above[j][2])
                    j += 1
                row.append((first, last, index))
            rows.append(row)
            above = row
        return rows

    def _root(self, index: int) -> int:
        while self.parent[index] != index:
            self.parent[index] = self.parent[self.parent[index]]
            index = self.parent[index]
        return index

    def _join(self, a: int, b: int) -> None:
        self.parent[self._root(a)] = self._root(b)

    def _find_run(self, face: str, x: float, y: float) -> int | None:
        px, py = self.faces[face].at(x, y)
        return next((index for first, last, index in self.runs[face][py] if first <= px <= last), None)

    def island(self, x: float, y: float, face: str = FRONT) -> int | None:
        """The island at a point; None where there is no copper."""
        run = self._find_run(face, x, y)
        return None if run is None else self._root(run)
