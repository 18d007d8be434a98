"""The field and timing models and the coil against the figures from which the design was chosen: within 2 %."""

from math import log
from statistics import mean

import pytest

from hardware import field_model as field
from hardware import timing_model as timing
from hardware.pcb import coil as spiral

# coil, height, own min (22), own min (24), cross max at 65, 70, 75 mm
FIELD = [
    (50, 5, 4.7, 0.8, 1.27, 0.87, 0.62),
    (54, 5, 6.7, 4.6, 1.59, 1.08, 0.76),
    (54, 8, 4.7, 2.6, 1.25, 0.92, 0.68),
    (58, 5, 6.3, 6.3, 1.98, 1.32, 0.93),
]
# tags, then ms: air standard, air fast, Python standard, Python fast
TILE = [
    (0, 9.8, 9.2, 22.1, 22.7),
    (1, 13.9, 11.2, 25.9, 24.4),
    (3, 23.6, 16.7, 35.4, 29.5),
    (5, 35.5, 24.2, 47.0, 36.7),
    (8, 56.2, 37.9, 68.6, 50.6),
    (10, 72.0, 48.6, 85.0, 62.4),
    (14, 107, 73, 122, 88),
]
# position, then ms: 1 lane air, 1 lane Python, 5 lanes air, air fast, Python, Python fast (None: not stated)
TABLE = [
    ("set-up, 30 x 3 = 90", 746, 1099, 174, 131, 249, 209),
    ("90 + 40 random", 983, 1334, 265, 188, 339, 267),
    ("130 random", 1001, 1358, 305, 216, 381, 296),
    ("60 random (mid game)", 606, 965, 181, 130, 254, 208),
    ("empty table", 329, 698, 66, 62, 140, None),
]
WAYS = (timing.AIR, timing.AIR_FAST, timing.PYTHON, timing.PYTHON_FAST)


@pytest.mark.parametrize(("side", "height", "own22", "own24", "cross65", "cross70", "cross75"), FIELD)
def test_field_table(
    side: float, height: float, own22: float, own24: float, cross65: float, cross70: float, cross75: float
) -> None:
    row = field.coil_row(side, height)
    expected = {"own22": own22, "own24": own24, "cross65": cross65, "cross70": cross70, "cross75": cross75}
    assert row == pytest.approx(expected, rel=0.02)


def test_separation_is_why_the_pitch_is_75() -> None:
    row = field.coil_row(54, 5)
    assert [row["own22"] / row[f"cross{pitch}"] for pitch in (65, 70, 75)] == pytest.approx(
        [4.2, 6.2, 8.8], rel=0.02
    )


def test_field_of_a_square_loop_at_its_centre() -> None:
    # 2 * sqrt(2) * I / (pi * side) per turn, in metres
    one_turn = field.square_turns(54, 1, 0)
    assert field.vertical_field(one_turn, 0, 0, 1e-9) == pytest.approx(
        2 * 2**0.5 * 0.1 / (3.14159265 * 0.054), rel=1e-6
    )


def test_a_stock_module_does_not_cover_a_tile() -> None:
    assert field.reversal(37, 4, 0.8) == pytest.approx(19, abs=0.5)


def test_timing_constants() -> None:
    assert timing.request(5) == pytest.approx(1623.6, abs=0.1)
    assert timing.reply(12) == pytest.approx(3926.8, abs=0.1)
    assert timing.sixteen_slots(0) == pytest.approx(9779, abs=1)
    assert timing.sixteen_slots(3) == pytest.approx(22027, abs=1)
    assert timing.sixteen_slots(10) == pytest.approx(50606, abs=1)
    assert timing.one_slot(0) == pytest.approx(2098, abs=1)
    assert timing.one_slot(1) == pytest.approx(6181, abs=1)


@pytest.mark.parametrize(("tags", "air", "air_fast", "python", "python_fast"), TILE)
def test_tile_table(tags: int, air: float, air_fast: float, python: float, python_fast: float) -> None:
    measured = [mean(timing.sample_tile(tags, way, 2500)) for way in WAYS]
    assert measured == pytest.approx([air, air_fast, python, python_fast], rel=0.02)


@pytest.mark.parametrize(("position", "one", "one_python", "air", "fast", "python", "python_fast"), TABLE)
def test_table_table(
    position: str,
    one: float,
    one_python: float,
    air: float,
    fast: float,
    python: float,
    python_fast: float | None,
) -> None:
    columns = [
        (timing.AIR, 1),
        (timing.PYTHON, 1),
        (timing.AIR, 5),
        (timing.AIR_FAST, 5),
        (timing.PYTHON, 5),
        (timing.PYTHON_FAST, 5),
    ]
    expected = [one, one_python, air, fast, python, python_fast]
    for (way, lanes), figure in zip(columns, expected, strict=True):
        if figure is not None:
            assert mean(timing.sample_table(position, way, lanes, 150)) == pytest.approx(figure, rel=0.02)


def test_lanes_and_hot_set() -> None:
    lanes = [mean(timing.sample_table("130 random", timing.PYTHON, n, 150)) for n in (1, 2, 3, 5)]
    assert lanes == pytest.approx([1360, 790, 580, 380], rel=0.02)
    assert timing.hot_set(5, 3, timing.PYTHON, 2500) == pytest.approx((183, 128, 220), rel=0.02)


def test_two_tags_in_one_slot_cost_two_more_questions() -> None:
    apart, together = [0b0001, 0b0010], [0b00001, 0b10001]
    extra = timing.inventory(together, timing.AIR) - timing.inventory(apart, timing.AIR)
    one_slot_less = timing.AIR.empty - timing.AIR.busy
    assert extra == pytest.approx(one_slot_less + 2 * timing.one_slot(1, timing.AIR, 5))


@pytest.mark.parametrize(("turns", "microhenry", "picofarad"), [(3, 1.2, 115), (4, 2.0, 69)])
def test_inductance_of_the_design_study(turns: int, microhenry: float, picofarad: float) -> None:
    coil = spiral.Coil(turns=turns)
    assert spiral.wheeler(coil) * 1e6 == pytest.approx(microhenry, rel=0.02)
    assert spiral.tuning(spiral.wheeler(coil)) * 1e12 == pytest.approx(picofarad, rel=0.02)


def test_the_track_agrees_with_the_formula() -> None:
    for turns, apart in ((3, 0.16), (4, 0.10)):
        coil = spiral.Coil(turns=turns)
        assert spiral.greenhouse(coil) == pytest.approx(spiral.wheeler(coil), rel=apart)


def test_greenhouse_on_a_single_square() -> None:
    # Grover, square of round wire: 8e-7 * a * (ln(a / r) - 0.774); a thin strip has r = 0.2235 * (width + thickness)
    coil = spiral.Coil(side=50.5, turns=1, width=0.5)
    radius = 0.2235 * (0.5 + spiral.COPPER) / 1000
    assert spiral.greenhouse(coil) == pytest.approx(8e-7 * 0.05 * (log(0.05 / radius) - 0.774), rel=0.05)


def test_the_track_fills_the_outline_and_keeps_its_gap() -> None:
    points = spiral.track(spiral.Coil(turns=4))
    assert max(abs(c) for point in points for c in point) == 27 - 0.25
    assert min(abs(point[1]) for point in points) == pytest.approx(27 - 0.25 - 3)
    one = spiral.track(spiral.TILE)
    assert {abs(c) for point in one[1:-1] for c in point} == {27 - 0.5}
