"""The power budget: what the table draws (from `power.csv`), which supply and which fuses follow, what the cables lose.

A fuse must open, not only be there. A slow 4 A fuse behind a 5 A supply never does: on a short the supply switches itself off and on
for ever, and each attempt is too short for the fuse. So every branch has a small quick-acting fuse of its own, and the supply can
give several times its rating while the rest of the table goes on drawing its share.

Readers could be put into reset after each visit, which would save 0.6 A and cost each visit a start of 3 ms and its
settings: a tenth of a sweep, in which a brown-out could no longer be told from a start. So they stay awake.

`python -m hardware.power` prints it; it fails when supply or fuses do not fit the budget.
"""

import csv
import sys
from pathlib import Path
from typing import NamedTuple

VOLTS = 5.0
MARGIN = 1.25  # a fuse carries its load for ever at 1 / MARGIN of its rating
FUSE = 1.0  # A, quick-acting, 5 x 20 mm: one per row and one for the controller board
OPENS_AT = 2.75  # times its rating: a quick-acting fuse of IEC 60127-2 opens within seconds
STANDARD_SUPPLIES = (2.0, 3.0, 4.0, 5.0, 6.0, 8.0)  # A at 5 V
LAMP_FULL = 0.060  # A, one lamp at full white: what a row may draw when somebody lights it all
ROW_LOGIC = 0.010

COPPER = 0.0175  # ohm mm2 / m
ROW_WIRE = 0.5  # mm2
RIBBON = 0.089  # mm2, AWG 28


class Draw(NamedTuple):
    consumer: str
    typical: float
    most: float
    many: int


def budget() -> list[Draw]:
    with (Path(__file__).parent / "power.csv").open() as file:
        return [
            Draw(r["consumer"], float(r["typical mA"]), float(r["most mA"]), int(r["count"]))
            for r in csv.DictReader(file)
        ]


def totals(draws: list[Draw]) -> tuple[float, float]:
    """Typical and most, in A at 5 V."""
    return sum(d.typical * d.many for d in draws) / 1000, sum(d.most * d.many for d in draws) / 1000


def supply(typical: float, most: float) -> float:
    """Gives what the table draws at most, and opens one branch's fuse while the others draw what they usually do."""
    return next(
        rating for rating in STANDARD_SUPPLIES if rating >= max(most * MARGIN, OPENS_AT * FUSE + typical)
    )


def row_most(draws: list[Draw], lamp: float = LAMP_FULL) -> float:
    """One row: a reader on air, five awake, six lamps, its logic."""
    most = {d.consumer: d.most / 1000 for d in draws}
    return most["reader on air"] + 5 * most["reader awake"] + 6 * lamp + ROW_LOGIC


def drop(amps: float, metres: float, area: float, returns: int = 1) -> float:
    """Volts lost there and back; `returns` conductors carry the way back."""
    one_way = COPPER * metres / area
    return amps * (one_way + one_way / returns)


def main() -> None:
    draws = budget()
    typical, most = totals(draws)
    row = row_most(draws)
    for d in draws:
        print(
            f"{d.consumer:18} {d.many:3} x {d.typical:6g} mA ({d.most:g})  {d.many * d.typical:7.1f} mA ({d.many * d.most:.1f})"
        )
    print(
        f"{'sum':18} {typical:.2f} A typical, {most:.2f} A at most, {typical * VOLTS:.1f} W and {most * VOLTS:.1f} W"
    )
    print(
        f"supply {VOLTS:.0f} V / {supply(typical, most):.0f} A; a short opens a fuse at {OPENS_AT * FUSE:.2f} A beside {typical:.2f} A of the rest"
    )
    print(
        f"a row draws at most {row:.2f} A with its lamps at full white; its fuse is {FUSE:g} A, quick-acting"
    )
    row_loss, tile_loss = drop(row, 0.51, ROW_WIRE), drop(0.17, 0.33, RIBBON, returns=4)
    print(
        f"lost on the longest way: {row_loss * 1000:.0f} mV to the row, {tile_loss * 1000:.0f} mV to the tile"
    )
    if row * MARGIN > FUSE or row_loss + tile_loss > 0.25:
        sys.exit("a row's fuse or wire is too small for what it may draw")


if __name__ == "__main__":
    main()
