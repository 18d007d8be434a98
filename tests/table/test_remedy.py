"""The way back: sentences, and the shortest repair of a mess."""

from __future__ import annotations

from itertools import permutations

from hypothesis import given, settings
from hypothesis import strategies as st
from naqala.rules.board import TILES, distance
from naqala.table.remedy import of_difference, repair
from naqala.transcript import Piece

W, Y = Piece("meeple", "W"), Piece("meeple", "Y")


def test_what_is_too_much_goes_beside_the_board_and_what_lacks_comes_from_there() -> None:
    way = of_difference({("A1", W): 1, ("C4", Piece("camel", "Ann")): -1, ("D4", Piece("palm")): -1})
    assert way.text == "Take the white one from A1. Put a camel of Ann on C4. Put a palm on D4."


TILE = st.sampled_from(TILES)


@settings(max_examples=60, deadline=None)
@given(st.lists(TILE, min_size=1, max_size=5), st.lists(TILE, min_size=1, max_size=5))
def test_a_repair_is_the_shortest_there_is(here: list[str], there: list[str]) -> None:
    surplus: dict[tuple[str, Piece], int] = {}
    for tile in here:
        surplus[tile, W] = surplus.get((tile, W), 0) + 1
    for tile in there:
        surplus[tile, W] = surplus.get((tile, W), 0) - 1
    surplus = {key: count for key, count in surplus.items() if count}
    more = [tile for (tile, _), n in surplus.items() for _ in range(n)]
    less = [tile for (tile, _), n in surplus.items() for _ in range(-n)]
    steps = repair(surplus)
    moved = sum(distance(step.take_from, step.onto[0]) for step in steps if step.take_from and step.onto)
    few, many = sorted((more, less), key=len)
    best = min(
        (
            sum(distance(a, b) for a, b in zip(few, order, strict=False))
            for order in permutations(many, len(few))
        ),
        default=0,
    )
    assert moved == best
    assert len(steps) == max(len(more), len(less))
    # doing what is said puts the table right
    for step in steps:
        if step.take_from:
            surplus[step.take_from, W] -= 1
        if step.onto:
            surplus[step.onto[0], W] += 1
    assert not any(surplus.values())


def test_a_great_mess_is_repaired_as_well() -> None:
    surplus = {(tile, Y): 1 for tile in TILES[:15]} | {(tile, Y): -1 for tile in TILES[15:]}
    steps = repair(surplus)
    assert len(steps) == 15
    assert all(step.take_from and step.onto for step in steps)
