"""Settling as a general rule: any readings, any order. Hypothesis, on CPython."""

from __future__ import annotations

import random

from hypothesis import given, settings
from hypothesis import strategies as st
from naqala_firmware.settle import MOST, WEIGHT, Settle

TAGS = ("e1", "e2", "e3", "e4")
readings = st.lists(st.tuples(st.sets(st.sampled_from(TAGS)), st.booleans()), max_size=120)


@given(readings)
def test_presence_at_once_absence_within_the_bound_and_never_sooner(
    history: list[tuple[set[str], bool]],
) -> None:
    settle = Settle()
    silent: dict[
        str, list[bool]
    ] = {}  # settled tag -> its readings without an answer, True for complete ones
    for ids, complete in history:
        k = settle.k
        before = set(settle.ids)
        changed = settle.feed(tuple(sorted(ids)), complete)
        after = set(settle.ids)
        assert changed == (after != before)
        assert ids <= after <= before | ids
        assert 2 <= k <= MOST
        for tag in ids:
            silent[tag] = []
        for tag in before - ids:
            silent[tag].append(complete)
            if tag not in after:
                # What arrived in this very reading may have changed k: it never falls by an arrival's misses.
                assert sum(WEIGHT if c else 1 for c in silent[tag]) >= min(k, settle.k) * WEIGHT
            else:
                assert len(silent[tag]) < MOST * WEIGHT
        assert settle.open == any(silent[tag] for tag in after)


@settings(max_examples=12, deadline=None)
@given(st.integers(0, 2**32))
def test_no_flapping_at_3_percent_misses_in_an_hour_of_sweeps(seed: int) -> None:
    """One reader, five tags, 3,600 sweeps and the looks in between: nothing is ever said to be gone."""
    dice = random.Random(seed)
    settle = Settle()
    tags = tuple(f"e{n}" for n in range(5))
    settle.feed(tags)
    for _ in range(3600):
        assert not settle.feed(tuple(tag for tag in tags if dice.random() > 0.03))
    assert settle.k <= 7  # 3 % asks for 6; the estimate may sway by one
    looks = 0
    while settle.ids:
        settle.feed(())
        looks += 1
    assert looks <= 7
