"""The tile's coil: a square spiral in copper, its inductance and what tunes it. All lengths in mm, origin at its centre, y down.

`python -m hardware.pcb.coil` prints inductance and tuning for the coils that were compared.
"""

import itertools
from math import asinh, hypot, pi, sqrt
from typing import NamedTuple

MU0 = 4e-7 * pi
FC = 13.56e6
COPPER = 0.035  # thickness, 1 oz
LEAD = 1.0  # half of the gap between the two ends, where each turn steps inwards

Point = tuple[float, float]


class Coil(NamedTuple):
    side: float = 54.0  # outer edge to outer edge of the copper
    turns: int = 4
    width: float = 0.5
    gap: float = 0.5

    @property
    def pitch(self) -> float:
        return self.width + self.gap

    @property
    def inner(self) -> float:
        return self.side - 2 * (self.turns * self.width + (self.turns - 1) * self.gap)


TILE = Coil(turns=1, width=1.0)  # `matching.py` says why one


def track(coil: Coil) -> list[Point]:
    """Centre line from the outer end to the inner one; both ends lie on the lower side, LEAD left and right of the middle."""
    half = coil.side / 2 - coil.width / 2
    points = [(-LEAD, half)]
    for turn in range(coil.turns):
        h = half - turn * coil.pitch
        points += [(-h, h), (-h, -h), (h, -h), (h, h), (LEAD, h)]
        if turn + 1 < coil.turns:
            points.append((-LEAD, h - coil.pitch))
    return points


def wheeler(coil: Coil) -> float:
    """Modified Wheeler formula for a square spiral: henry."""
    average = (coil.side + coil.inner) / 2e3
    fill = (coil.side - coil.inner) / (coil.side + coil.inner)
    return 2.34 * MU0 * coil.turns**2 * average / (1 + 2.75 * fill)


def between_filaments(a: tuple[float, float], b: tuple[float, float], distance: float) -> float:
    """Neumann's integral for two parallel filaments that reach from a[0] to a[1] and from b[0] to b[1]."""

    def f(u: float) -> float:
        return u * asinh(u / distance) - sqrt(u * u + distance * distance)

    return 1e-10 * (f(b[1] - a[0]) - f(b[1] - a[1]) - f(b[0] - a[0]) + f(b[0] - a[1]))


def greenhouse(coil: Coil) -> float:
    """The same from the track itself: every straight piece with itself and with every parallel one (Greenhouse): henry."""
    sides: list[tuple[bool, float, float, float, int]] = []
    points = track(coil)
    for (ax, ay), (bx, by) in itertools.pairwise(points):
        level = abs(bx - ax) >= abs(by - ay)  # the short steps inwards count as level
        low, high = sorted((ax, bx) if level else (ay, by))
        sides.append(
            (
                level,
                low,
                high,
                (ay + by) / 2 if level else (ax + bx) / 2,
                1 if (bx if level else by) == high else -1,
            )
        )
    own_distance = 0.2235 * (coil.width + COPPER)
    total = 0.0
    for i, (level, low, high, at, sense) in enumerate(sides):
        for j, (other_level, other_low, other_high, other_at, other_sense) in enumerate(sides):
            if level == other_level:
                distance = own_distance if i == j else max(abs(at - other_at), own_distance)
                total += (
                    sense * other_sense * between_filaments((low, high), (other_low, other_high), distance)
                )
    return total


def tuning(inductance: float) -> float:
    """The capacitance that brings a coil to 13.56 MHz: farad."""
    return 1 / ((2 * pi * FC) ** 2 * inductance)


def resistance(coil: Coil) -> float:
    """Ohms at 13.56 MHz: skin depth 18 um, current on both faces of the copper."""
    points = track(coil)
    length = sum(hypot(bx - ax, by - ay) for (ax, ay), (bx, by) in itertools.pairwise(points))
    skin = 503.3 * sqrt(1.68e-8 / FC) * 1e3
    return 1.68e-5 * length / (2 * skin * (coil.width + COPPER))


def quality(coil: Coil) -> float:
    return 2 * pi * FC * wheeler(coil) / resistance(coil)


def main() -> None:
    print("| coil | Wheeler | from the track | tunes with | copper | Q of the bare copper |")
    print("|---|---|---|---|---|---|")
    for coil in (Coil(turns=4), Coil(turns=3), Coil(turns=2), TILE):
        low, high = sorted((wheeler(coil), greenhouse(coil)))
        name = f"{coil.side:.0f} mm, {coil.turns} turns, {coil.width}/{coil.gap}"
        print(
            f"| {name} | {wheeler(coil) * 1e6:.2f} uH | {greenhouse(coil) * 1e6:.2f} uH | {tuning(high) * 1e12:.0f}..{tuning(low) * 1e12:.0f} pF "
            f"| {resistance(coil):.2f} ohm | {quality(coil):.0f} |"
        )


if __name__ == "__main__":
    main()
