"""How strong is the field where a tag can lie? Biot-Savart over the straight pieces of a coil.

In: coil side, turns, turn pitch (mm), height of the tag above the coil, pitch of the tiles. Out: A/m, vertical component,
averaged over a tag-sized disc. `python -m hardware.field_model` prints the tables the design was chosen from.
"""

from math import cos, hypot, pi, sin, sqrt

CURRENT = 0.1  # A rms in the coil; every figure scales with it
TURNS = 4
DISC = 4.0  # mm, radius of the averaging disc: a tag's coil of 10 to 13 mm
RINGS, SPOKES = 4, 8
STEP = 2.0  # mm, grid of tag centres

# Turn pitch of the study from which coil size and tile pitch were chosen; the tile board's own coil is in `pcb/coil.py`.
STUDY_TURN_PITCH = 0.8

Segment = tuple[float, float, float, float]


def square_turns(side: float, turns: int, turn_pitch: float) -> list[Segment]:
    """Concentric square turns, the outermost with this side, all with the current in the same sense."""
    segments = []
    for turn in range(turns):
        half = side / 2 - turn * turn_pitch
        corners = [(-half, -half), (half, -half), (half, half), (-half, half)]
        segments += [(*corners[k], *corners[(k + 1) % 4]) for k in range(4)]
    return segments


def vertical_field(segments: list[Segment], x: float, y: float, z: float) -> float:
    """A/m at a point above the coil's plane (mm), for CURRENT."""
    total = 0.0
    for ax, ay, bx, by in segments:
        length = hypot(bx - ax, by - ay)
        ux, uy = (bx - ax) / length, (by - ay) / length
        rx, ry = x - ax, y - ay
        along = rx * ux + ry * uy
        off2 = (rx - along * ux) ** 2 + (ry - along * uy) ** 2 + z * z
        ends = along / sqrt(along * along + off2) + (length - along) / sqrt((length - along) ** 2 + off2)
        total += ends * (ux * ry - uy * rx) / (4 * pi * off2)
    return total * CURRENT * 1000


def disc_points() -> list[tuple[float, float]]:
    """Points of equal area over the disc."""
    points = []
    for ring in range(RINGS):
        radius = DISC * sqrt((ring + 0.5) / RINGS)
        for spoke in range(SPOKES):
            angle = 2 * pi * (spoke + 0.5 * ring) / SPOKES
            points.append((radius * cos(angle), radius * sin(angle)))
    return points


def tag_field(segments: list[Segment], x: float, y: float, z: float) -> float:
    points = disc_points()
    return sum(vertical_field(segments, x + dx, y + dy, z) for dx, dy in points) / len(points)


def _span(reach: float) -> list[float]:
    count = round(reach / STEP)
    return [reach * k / count for k in range(count + 1)]


def own_min(segments: list[Segment], reach: float, z: float) -> float:
    """The weakest field for tag centres within +-reach of the tile's centre (one octant: the coil is square)."""
    spots = [(x, y) for x in _span(reach) for y in _span(reach) if y <= x]
    return min(abs(tag_field(segments, x, y, z)) for x, y in spots)


def cross_max(segments: list[Segment], reach: float, z: float, tile_pitch: float) -> float:
    """The strongest field this coil makes at any tag place of the tile beside it."""
    near = [tile_pitch - reach + 2 * k for k in range(4)]  # it only falls beyond the near edge
    return max(abs(tag_field(segments, x, y, z)) for x in near for y in _span(reach))


def coil_row(
    side: float, z: float, turn_pitch: float = STUDY_TURN_PITCH, turns: int = TURNS
) -> dict[str, float]:
    segments = square_turns(side, turns, turn_pitch)
    row = {f"own{reach}": own_min(segments, reach, z) for reach in (22, 24)}
    return row | {f"cross{pitch}": cross_max(segments, 22, z, pitch) for pitch in (65, 70, 75)}


def usable_reach(side: float, z: float, turn_pitch: float, least: float) -> float:
    """How far from the centre along an axis a tag still gets `least` A/m, to 0.1 mm."""
    segments = square_turns(side, TURNS, turn_pitch)
    reach = 0.0
    while tag_field(segments, reach, 0, z) >= least:
        reach += 0.1
    return round(reach - 0.1, 1)


def reversal(side: float, z: float, turn_pitch: float) -> float:
    """Where along an axis the field changes its sign: the dead ring's middle."""
    return usable_reach(side, z, turn_pitch, 0.0)


def metal_below(side: float, z: float, depth: float, turn_pitch: float) -> float:
    """What is left at the centre with a wide conducting sheet `depth` below the coil (mirror current): the worst case."""
    segments = square_turns(side, TURNS, turn_pitch)
    alone = tag_field(segments, 0, 0, z)
    return (alone - tag_field(segments, 0, 0, z + 2 * depth)) / alone


def main() -> None:
    print(f"{TURNS} turns, {CURRENT * 1000:.0f} mA rms, turn pitch {STUDY_TURN_PITCH} mm; A/m\n")
    print(
        "| coil | height | own min (22) | own min (24) | cross max 65 / 70 / 75 | own:cross at 65 / 70 / 75 |"
    )
    print("|---|---|---|---|---|---|")
    for side, z, turns in ((50, 5, TURNS), (54, 5, TURNS), (54, 8, TURNS), (58, 5, TURNS), (53, 5, 1)):
        row = coil_row(side, z, turns=turns)
        crosses = [row[f"cross{pitch}"] for pitch in (65, 70, 75)]
        name = f"{side} mm" + (", one turn (tile board)" if turns == 1 else "")
        cross = " / ".join(f"{c:.2f}" for c in crosses)
        ratio = " / ".join(f"{row['own22'] / c:.1f}" for c in crosses)
        print(f"| {name} | {z} mm | {row['own22']:.1f} | {row['own24']:.1f} | {cross} | {ratio} |")
    tile = square_turns(53, 1, 0)
    print(
        "\nThe tile board's one turn by height, for the spacers of the calibration, per 100 mA\n\n| height | own min (22) | cross max 75 |\n|---|---|---|"
    )
    for height in (3.0, 5.0, 6.5, 8.0, 10.0, 12.0):
        print(f"| {height:g} mm | {own_min(tile, 22, height):.2f} | {cross_max(tile, 22, height, 75):.3f} |")
    print(
        f"\n- A stock module's coil (37 mm, tag 4 mm above): the field changes its sign {reversal(37, 4, 0.8):.0f} mm from the centre."
    )
    for away in (130, 150):
        print(f"- Another lane's carrier {away} mm away: {abs(tag_field(tile, away, 0, 5)):.3f} A/m.")
    for depth in (10, 20, 30):
        print(
            f"- A conducting sheet {depth} mm below the coil leaves at least {metal_below(54, 5, depth, 1.0):.0%} of the field."
        )


if __name__ == "__main__":
    main()
