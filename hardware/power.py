"""The power budget: what the table draws (from `power.csv`), which supply and which fuses follow, what the cables lose.

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
STANDARD_FUSES = (1.0, 1.6, 2.0, 2.5, 3.15, 4.0, 5.0, 6.3)  # A, IEC 60127, 5 x 20 mm, slow
STANDARD_SUPPLIES = (2.0, 3.0, 4.0, 5.0, 6.0, 8.0)  # A at 5 V
ROW_HOLD = 1.1  # A, the resettable fuse of a row
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


def main_fuse(most: float) -> float:
    return next(rating for rating in STANDARD_FUSES if rating >= most * MARGIN)


def supply(fuse: float) -> float:
    """The supply must blow the fuse, not sag under it."""
    return next(rating for rating in STANDARD_SUPPLIES if rating > fuse)


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
    fuse = main_fuse(most)
    row = row_most(draws)
    for d in draws:
        print(
            f"{d.consumer:18} {d.many:3} x {d.typical:6g} mA ({d.most:g})  {d.many * d.typical:7.1f} mA ({d.many * d.most:.1f})"
        )
    print(
        f"{'sum':18} {typical:.2f} A typical, {most:.2f} A at most, {typical * VOLTS:.1f} W and {most * VOLTS:.1f} W"
    )
    print(f"main fuse {fuse} A slow, supply {VOLTS:.0f} V / {supply(fuse):.0f} A")
    print(f"a row draws at most {row:.2f} A with its lamps at full white; its fuse holds {ROW_HOLD} A")
    row_loss, tile_loss = drop(row, 0.51, ROW_WIRE), drop(0.31, 0.25, RIBBON, returns=4)
    print(
        f"lost on the longest way: {row_loss * 1000:.0f} mV to the row, {tile_loss * 1000:.0f} mV to the tile"
    )
    if row * MARGIN > ROW_HOLD or row_loss + tile_loss > 0.25:
        sys.exit("a row's fuse or wire is too small for what it may draw")


if __name__ == "__main__":
    main()
