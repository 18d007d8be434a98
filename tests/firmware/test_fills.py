"""Ten thousand fills of one reader: every tag found or "incomplete" said, and never an id that is not there."""

from __future__ import annotations

import pytest
from naqala_firmware.reader import GHOSTS
from naqala_firmware.simulated import roll
from naqala_firmware.simulated.bench import Bench
from naqala_firmware.simulated.chance import Chance

AMPLE = 600_000
MOST = 14


def fill(bench: Bench, chance: Chance, turn: int, *, uneven: bool = False) -> tuple[str, ...]:
    """0 to 14 tags of one of the three kinds; uneven: some near, some at the edge of the field."""
    tags = roll.tags(roll.KINDS[turn % 3], turn // 3 % (MOST + 1), chance)
    bench.coils.clear()
    for tag in tags:
        bench.coils.put(tag, 0, 0.9 + chance.below(60) / 10 if uneven else 6.7)
    return tuple(sorted(tag.id for tag in tags))


@pytest.mark.long
def test_ten_thousand_fills_are_found_whole() -> None:
    bench = Bench(rows=1, columns=1)
    chance = Chance(100)
    for turn in range(10_000):
        ids = fill(bench, chance, turn)
        assert bench.readers[0].inventory(budget_us=AMPLE) == (ids, True), turn


@pytest.mark.long
def test_within_the_usual_budget_a_fill_is_whole_or_said_to_be_incomplete() -> None:
    bench = Bench(rows=1, columns=1)
    chance = Chance(101)
    incomplete = 0
    for turn in range(300):
        ids = fill(bench, chance, turn)
        answers = [bench.readers[0].inventory() for _ in range(8)]
        for answer in answers:
            assert set(answer.ids) <= set(ids), turn
            assert not answer.complete or answer.ids == ids, turn
        incomplete += not answers[0].complete
        assert answers[-1].complete, turn
    assert incomplete  # fourteen strangers at once are too many for one budget


@pytest.mark.long
@pytest.mark.parametrize(
    ("errors", "capture", "blind", "turns"),
    [
        (0.002, 0.0, 0.0, 900),
        (0.0, 1.3, 0.0, 900),
        (0.02, 1.5, 0.0, 300),
        (0.01, 0.0, 0.5, 500),
        (0.1, 1.2, 0.5, 60),
    ],
)
def test_with_bit_errors_and_capture_no_id_that_is_not_there_ever(
    errors: float, capture: float, blind: float, turns: int
) -> None:
    """blind: a receiver that lets every second mangled answer pass, so that hundreds of wrong ids reach the driver."""
    bench = Bench(rows=1, columns=1, errors=errors, capture=capture)
    bench.airs[0].blind = blind
    chance = Chance(102)
    ghosts = 0
    for turn in range(turns):
        ids = fill(bench, chance, turn, uneven=True)
        for _ in range(2):
            answer = bench.readers[0].inventory()
            assert set(answer.ids) <= set(ids), turn
            # Capture hides tags without a sign; nothing else does.
            assert capture or not answer.complete or answer.ids == ids, turn
        ghosts += bench.readers[0].counts[GHOSTS]
        bench.readers[0].counts[GHOSTS] = 0
    assert bool(ghosts) == bool(blind)
