"""The score by hand, suits of goods by brute force, and the story that adds up."""

from __future__ import annotations

from dataclasses import replace
from functools import cache
from itertools import combinations_with_replacement

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from naqala.rules import events as e
from naqala.rules import notation
from naqala.rules.goods import FAKIR, GOODS, RESOURCES, SUIT_VALUES, best_split, best_suits, split_value
from naqala.rules.record import Record, append
from naqala.rules.scoring import CATEGORIES, Score, Told, score, story, winners
from naqala.simulate import simulated

from tests.rules.table import table


def test_every_category_by_hand() -> None:
    tiles = {
        "A1": {"points": 15, "camel": "Ann", "palms": 2, "palaces": 1},
        "A2": {"points": 8, "camel": "Ann"},
        "A3": {"points": 6, "camel": "Bob", "palms": 5},
        "A4": {"points": 12},
    }
    held = {
        "gold": 17,
        "viziers": 4,
        "elders": 3,
        "djinns": ["Boaz", "Lamia"],
        "goods": {"fish": 2, "silk": 1, "gold": 1},
        "fakirs": 4,
    }
    game = table(tiles, players=4, ann=held, bob={"viziers": 4}, cy={"viziers": 3})
    ann, bob, cy, dee = score(game)
    assert ann == Score("Ann", 17, 4 + 20, 6, 16, 23, 6, 5, 7 + 1)
    assert ann.total == 105
    assert (bob.viziers, cy.viziers, dee.viziers) == (24, 13, 0)
    assert (bob.tiles, bob.palms) == (6, 15)


def test_ties_share_the_victory() -> None:
    game = table(players=3, ann={"gold": 60}, bob={"gold": 60})
    assert winners(score(game)) == ("Ann", "Bob")


def test_six_different_and_three_doubles() -> None:
    hand = [*GOODS[:6], *GOODS[:3]]
    assert best_suits(hand) == (GOODS[:6], GOODS[:3])
    assert split_value(best_split(hand)) == 30 + 7


def test_suit_values_as_printed() -> None:
    assert SUIT_VALUES[1:] == (1, 3, 7, 13, 21, 30, 40, 50, 60)


def test_54_cards() -> None:
    assert sum(RESOURCES.values()) == 54


@cache
def naive(counts: tuple[int, ...]) -> int:
    """The best split of a hand found by trying every first suit: shares nothing with the engine."""
    kinds = [kind for kind, count in enumerate(counts) if count]
    best = 0
    for chosen in range(1, 1 << len(kinds)):
        suit = [kind for place, kind in enumerate(kinds) if chosen >> place & 1]
        if kinds[0] not in suit:
            continue  # some suit holds the first kind; let it be this one
        left = tuple(count - (kind in suit) for kind, count in enumerate(counts))
        best = max(best, SUIT_VALUES[len(suit)] + naive(left))
    return best


@settings(max_examples=60, deadline=None)
@given(st.lists(st.integers(0, 5), max_size=8), st.integers(0, 2))
def test_best_split_with_wilds_against_every_way(kinds: list[int], wilds: int) -> None:
    hand = [GOODS[kind] for kind in kinds]
    expected = 0
    for named in combinations_with_replacement(range(len(GOODS)), wilds):
        every = [*kinds, *named]
        expected = max(expected, naive(tuple(every.count(kind) for kind in range(len(GOODS)))))
    split = best_split(hand, wilds)
    assert split_value(split) == expected
    assert sorted(card for suit, _ in split for card in suit) == sorted(hand)
    assert sum(share for _, share in split) == wilds


@pytest.mark.parametrize(("wilds", "value"), [(0, 0), (1, 1), (8, 50), (9, 60)])
def test_wilds_alone_make_a_suit(wilds: int, value: int) -> None:
    assert split_value(best_split((), wilds)) == value


@pytest.mark.parametrize("seed", range(6))
def test_the_story_adds_up_to_every_number(seed: int) -> None:
    record: Record = simulated(2 + seed % 3, seed)
    for one in score(record.game):
        parts = story(record.opening, record.game, record.told(), one.name)
        for category in CATEGORIES:
            found = [part for part in parts if part.category == category]
            assert sum(part.points for part in found) == getattr(one, category), category
        for part in parts:
            if part.category in ("djinns", "tiles", "palms", "palaces", "goods"):
                assert part.told, part  # everything won has the event that won it


def test_a_suit_tells_of_its_own_cards_and_of_none_that_were_sold() -> None:
    opening = table(phase="end")
    history = [
        Told(1, 1, e.CardTaken("Ann", "fish", "merchants")),
        Told(1, 1, e.CardTaken("Bob", "fish", "merchants")),
        Told(2, 1, e.CardTaken("Ann", "silk", "merchants")),
        Told(3, 1, e.Sold("Ann", ("fish", "silk"))),
        Told(4, 2, e.CardTaken("Ann", "fish", "small_market")),
        Told(5, 2, e.CardDrawn("Ann", "fish", "Sloar")),
        Told(6, 2, e.CardTaken("Ann", "silk", "small_market")),
    ]
    ann = replace(opening.player("Ann"), goods=("fish", "fish", "silk"))
    parts = story(opening, opening.with_player(ann), history, "Ann")
    found = {part.what: [one.action for one in part.told] for part in parts if part.category == "goods"}
    assert found == {"silk+fish": [4, 6], "fish": [5]}


def test_a_wild_tells_of_the_two_fakirs_that_make_it() -> None:
    opening = table(ann={"djinns": ["Al-Amin"]}, phase="end")
    history = [Told(n, 1, e.CardTaken("Ann", FAKIR, "merchants")) for n in (1, 2, 3)]
    history.insert(2, Told(9, 1, e.Spent("Ann", 0, 1, "builders")))
    ann = replace(opening.player("Ann"), fakirs=2)
    (part,) = (p for p in story(opening, opening.with_player(ann), history, "Ann") if p.category == "goods")
    assert (part.what, [one.action for one in part.told]) == ("wild", [2, 3])


def test_a_tile_won_by_a_correction_tells_so() -> None:
    opening = table({"C3": {"points": 8}}, phase="end")
    record = append(
        Record(opening), notation.from_json({"do": "correct", "tiles": {"C3": {"camel": "Ann", "palms": 1}}})
    )
    parts = story(opening, record.game, record.told(), "Ann")
    found = {part.category: part for part in parts if part.category in ("tiles", "palms")}
    assert (found["tiles"].points, found["palms"].points) == (8, 3)
    assert found["tiles"].told == found["palms"].told != ()
