"""Actions as JSON and as text: the same value both ways, and one sentence for what is no action."""

from __future__ import annotations

from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st
from naqala.rules import InvalidAction, notation
from naqala.rules import actions as a
from naqala.rules.board import TILES, TRIBES
from naqala.rules.djinns import DJINNS
from naqala.rules.goods import RESOURCES

# Every kind of action, with the line a record shows.
EXAMPLES = [
    ({"do": "bid", "player": "Ann", "spot": 3, "fakirs": 0}, "Ann bid 3"),
    ({"do": "bid", "player": "Ann", "spot": 18, "fakirs": 2}, "Ann bid 18 fakirs 2"),
    (
        {"do": "sow", "player": "Ann", "start": "C3", "drops": [["C4", "G"], ["D4", "R"]]},
        "Ann sow C3>C4G>D4R",
    ),
    ({"do": "pass", "player": "Ann"}, "Ann pass"),
    ({"do": "build", "player": "Ann", "fakirs": 2}, "Ann build fakirs 2"),
    (
        {"do": "kill", "player": "Ann", "victims": [{"tile": "D4", "meeple": "B"}], "fakirs": 0},
        "Ann kill D4:B",
    ),
    (
        {
            "do": "kill",
            "player": "Ann",
            "victims": [{"player": "Bob", "meeple": "Y"}, {"player": "Bob", "meeple": "W"}],
            "fakirs": 1,
        },
        "Ann kill Y of Bob W of Bob fakirs 1",
    ),
    (
        {
            "do": "kill",
            "player": "Ann",
            "victims": [{"tile": "D4", "meeple": "G"}, {"tile": "D4", "meeple": "G"}],
            "fakirs": 0,
            "card": ["fish", "fakir"],
        },
        "Ann kill D4:G D4:G card fish fakir",
    ),
    ({"do": "kill", "player": "Ann", "victims": [], "fakirs": 0}, "Ann kill nobody"),
    ({"do": "place", "player": "Ann", "what": "palm", "tile": "C3"}, "Ann place palm C3"),
    ({"do": "buy", "player": "Ann", "cards": ["fish", "silk"]}, "Ann buy fish silk"),
    (
        {"do": "summon", "player": "Ann", "djinn": "Ba'al", "elders": 1, "fakirs": 1},
        "Ann summon Ba'al elders 1 fakirs 1",
    ),
    (
        {
            "do": "power",
            "player": "Ann",
            "djinn": "Anun-Nak",
            "elders": 1,
            "fakirs": 0,
            "tile": "C3",
            "meeples": "YWB",
        },
        "Ann power Anun-Nak elders 1 tile C3 meeples YWB",
    ),
    (
        {"do": "power", "player": "Ann", "djinn": "Sloar", "elders": 0, "fakirs": 1, "card": "fish"},
        "Ann power Sloar fakirs 1 card fish",
    ),
    (
        {
            "do": "power",
            "player": "Ann",
            "djinn": "Sibittis",
            "elders": 2,
            "fakirs": 0,
            "drawn": ["Boaz", "Enki", "Leta"],
            "keep": "Enki",
        },
        "Ann power Sibittis elders 2 drawn Boaz Enki Leta keep Enki",
    ),
    ({"do": "sell", "player": "Ann", "suits": [["fish", "silk"], ["fish"]]}, "Ann sell fish+silk fish"),
    ({"do": "end", "player": "Ann"}, "Ann end"),
    ({"do": "reveal", "row": ["fish", "fakir"], "djinns": ["Enki"]}, "reveal fish fakir djinns Enki"),
    ({"do": "reveal", "row": [], "djinns": []}, "reveal"),
    ({"do": "undo", "player": "Ann", "to": 12}, "Ann undo 12"),
    (
        {"do": "sow", "player": "Ann", "start": "C3", "drops": [["C4", "G"]], "as_it_lies": True},
        "Ann sow C3>C4G as_it_lies",
    ),
    (
        {"do": "correct", "tiles": {"C4": {"meeples": "WG", "camel": None, "palms": 1, "palaces": 0}}},
        r'correct "{\"C4\": {\"meeples\": \"WG\", \"camel\": null, \"palms\": 1, \"palaces\": 0}}"',
    ),
]


@pytest.mark.parametrize(("data", "line"), EXAMPLES, ids=[line for _, line in EXAMPLES])
def test_json_and_text_say_the_same(data: dict[str, Any], line: str) -> None:
    action = notation.from_json(data)
    assert notation.to_text(action) == line
    assert notation.from_text(line) == action
    assert notation.to_json(action) == data


def test_every_kind_of_action_has_an_example() -> None:
    assert {data["do"] for data, _ in EXAMPLES} == set(a.VERBS)


NAMES = st.one_of(
    st.sampled_from(["Ann", "Zoë", "reveal", "fakirs", "of", "Ann Lee", 'the "Fox"', "C3:B", "nobody", "#1"]),
    st.text(st.characters(codec="utf-8", exclude_categories=["C", "Z"]), min_size=1, max_size=12),
)
CARDS = st.sampled_from(list(RESOURCES))
SPIRITS = st.sampled_from(list(DJINNS))
PLACES, LETTERS, COUNTS = st.sampled_from(TILES), st.sampled_from(TRIBES), st.integers(0, 20)


def several(one: st.SearchStrategy[Any], least: int = 0) -> st.SearchStrategy[tuple[Any, ...]]:
    return st.lists(one, min_size=least, max_size=4).map(tuple)


VICTIMS = st.one_of(st.builds(a.Victim, LETTERS, tile=PLACES), st.builds(a.Victim, LETTERS, player=NAMES))
ACTIONS = st.one_of(
    st.builds(a.Bid, NAMES, COUNTS, COUNTS),
    st.builds(a.Sow, NAMES, PLACES, several(st.tuples(PLACES, LETTERS))),
    st.builds(a.Pass, NAMES),
    st.builds(a.Build, NAMES, COUNTS),
    st.builds(a.Kill, NAMES, several(VICTIMS), COUNTS, several(CARDS)),
    st.builds(a.Place, NAMES, st.sampled_from(["palm", "palace"]), PLACES),
    st.builds(a.Buy, NAMES, several(CARDS)),
    st.builds(a.Summon, NAMES, SPIRITS, COUNTS, COUNTS),
    st.builds(
        a.Power,
        NAMES,
        SPIRITS,
        COUNTS,
        COUNTS,
        st.none() | PLACES,
        st.text(LETTERS, max_size=3),
        several(CARDS),
        several(SPIRITS),
        st.none() | SPIRITS,
    ),
    st.builds(a.Sell, NAMES, several(several(CARDS, 1))),
    st.builds(a.End, NAMES),
    st.builds(a.Reveal, several(CARDS), several(SPIRITS)),
    st.builds(a.Undo, COUNTS, st.none() | NAMES),
)


@given(ACTIONS)
def test_both_ways_give_back_the_same_value(action: a.Action) -> None:
    assert notation.from_json(notation.to_json(action)) == action
    assert notation.from_text(notation.to_text(action)) == action


NO_ACTIONS: list[tuple[Any, str]] = [
    ([], "an action is an object, not []"),
    ({"do": "fly", "player": "Ann"}, 'no such action: "fly"'),
    ({"do": ["bid"]}, 'no such action: ["bid"]'),
    ({"do": "bid", "spot": 3}, "bid needs player"),
    ({"do": "bid", "player": "Ann"}, "bid needs spot"),
    ({"do": "bid", "player": "Ann", "spot": -1}, "spot: expected a whole number from 0, not -1"),
    ({"do": "bid", "player": "Ann", "spot": True}, "spot: expected a whole number from 0, not true"),
    ({"do": "build", "player": "Ann", "fakir": 2}, 'build has no field "fakir"'),
    ({"do": "place", "player": "Ann", "what": "tree", "tile": "A1"}, 'what: no such piece to place: "tree"'),
    ({"do": "place", "player": "Ann", "what": "palm", "tile": "G1"}, 'tile: no such tile: "G1"'),
    ({"do": "buy", "player": "Ann", "cards": ["salt"]}, 'cards: no such resource card: "salt"'),
    ({"do": "summon", "player": "Ann", "djinn": "Ibus"}, 'djinn: no such djinn: "Ibus"'),
    ({"do": "sell", "player": "Ann", "suits": [[]]}, "suits: a suit has at least one card"),
    (
        {"do": "kill", "player": "Ann", "victims": [{"meeple": "B"}]},
        'victims: a victim has a meeple and a tile or a player, not {"meeple": "B"}',
    ),
]


@pytest.mark.parametrize(("data", "sentence"), NO_ACTIONS, ids=[sentence for _, sentence in NO_ACTIONS])
def test_what_is_no_action_says_why(data: Any, sentence: str) -> None:
    with pytest.raises(InvalidAction) as refused:
        notation.from_json(data)
    assert str(refused.value) == sentence


def test_fields_of_other_actions_may_be_there_when_empty() -> None:
    data = {"do": "end", "player": "Ann", "card": None, "drawn": [], "fakirs": 0}
    assert notation.from_json(data) == a.End("Ann")


@pytest.mark.parametrize(
    "line",
    [
        "",
        "Ann",
        "Ann fly",
        'Ann" bid 3',
        "Ann bid",
        "Ann bid 3 4",
        "Ann end now",
        "Ann sow",
        "Ann reveal",
        "Ann sow C3>C4G as_it_lies foo",
    ],
)
def test_lines_that_are_no_action_are_refused(line: str) -> None:
    with pytest.raises(InvalidAction):
        notation.from_text(line)
