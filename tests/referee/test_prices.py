"""The price table: every row with its number and its reason, and what is wrong with a table is said in one line."""

from __future__ import annotations

import math

import pytest
from naqala.referee.prices import FILE, from_toml, standard, written


def test_the_table_of_the_package_is_whole() -> None:
    prices = standard()
    assert prices.sure_of_a_flag == pytest.approx(math.log(200))
    assert prices.sure_of_a_move < prices.sure_of_a_flag


@pytest.mark.parametrize(
    ("old", "new", "why"),
    [
        ("lift = [0.7,", "lifted = [0.7,", "lift, lifted"),
        ('lift = [0.7, "somebody begins to move"]', "lift = 0.7", "lift"),
        ('lift = [0.7, "somebody begins to move"]', 'lift = [0.7, ""]', "lift"),
    ],
)
def test_a_row_that_is_missing_or_has_no_reason_is_named(old: str, new: str, why: str) -> None:
    text = FILE.read_text()
    assert old in text
    with pytest.raises(ValueError, match=why):
        from_toml(text.replace(old, new))


def test_changed_prices_leave_the_reasons_as_people_wrote_them() -> None:
    text = FILE.read_text()
    after = written(text, {"lift": 0.9})
    assert from_toml(after).lift == 0.9
    assert after.replace("lift = [0.9,", "lift = [0.7,") == text
