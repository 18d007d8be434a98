"""Every rule, djinn, switch and tile type has a test that bears its name."""

from __future__ import annotations

import re
from pathlib import Path

import pytest
from naqala.rules.djinns import DJINNS
from naqala.rules.model import ENDINGS, SWITCHES
from naqala.rules.sowing import RULES
from naqala.rules.tiles import TILE_TYPES

ROOT = Path(__file__).parents[2]
NAMES = {
    name
    for path in (ROOT / "tests").rglob("test_*.py")
    for name in re.findall(r"^\s*def (test_\w+)", path.read_text(), re.MULTILINE)
}
# Rules that a table or a tap can break, beside those of the sowing.
FURTHER = (
    "collects_every_one_of_its_colour",
    "marks_control",
    "places_what_the_tile_asks",
    "kills_within_reach",
    "spares_the_protected",
    "plays_in_turn",
    "pays_the_price",
    "once_per_turn",
    "bids_on_a_free_spot",
    "takes_from_the_front",
    "sells_different_goods",
)


def words(name: str) -> str:
    return re.sub(r"[^a-z0-9]+", "_", name.lower())


@pytest.mark.parametrize(
    "name",
    [*(rule.__name__ for rule in RULES), *FURTHER, *DJINNS, *SWITCHES, *TILE_TYPES, *ENDINGS],
    ids=words,
)
def test_it_has_a_test_of_its_name(name: str) -> None:
    assert any(words(name) in test or words(name).replace("_", "") in test.replace("_", "") for test in NAMES)


@pytest.mark.parametrize("rule", [*(rule.__name__ for rule in RULES), *FURTHER])
def test_a_rule_s_id_is_a_function_of_the_rules(rule: str) -> None:
    source = "\n".join(path.read_text() for path in (ROOT / "host/naqala/rules").glob("*.py"))
    assert re.search(rf"^def {rule}\b", source, re.MULTILINE), f"no function {rule}"
