"""The way back: sentences, and the shortest repair of a mess."""

from __future__ import annotations

from itertools import permutations

from hypothesis import given, settings
from hypothesis import strategies as st
from naqala.rules.board import TILES, distance
from naqala.rules.breach import Breach
from naqala.rules.sowing import Sowing, breaches
from naqala.table.remedy import of_difference, of_sowing, repair
from naqala.transcript import Piece

W, Y = Piece("meeple", "W"), Piece("meeple", "Y")


def board(**tiles: str) -> list[str]:
    return [tiles.get(tile, "") for tile in TILES]


def test_a_sentence_names_the_piece_and_where_it_may_go() -> None:
    before = board(C3="WG", C4="Y", B3="Y", C2="Y", D3="Y", B4="G", C5="G", D2="G")
    sowing = Sowing("C3", (("D4", "W"), ("C4", "G")))
    way = of_sowing(before, sowing, breaches(before, sowing))
    assert way.text == "Take the white one from D4 and drop it on B3, C2, C4 or D3."
    assert way.steps[0].to_json() == {"piece": "meeple W", "from": "D4", "onto": ["B3", "C2", "C4", "D3"]}


def test_where_another_colour_must_go_first() -> None:
    before = board(C3="GR", D4="R", C4="Y")
    sowing = Sowing("C3", (("D4", "R"), ("C4", "G")))
    assert of_sowing(before, sowing, breaches(before, sowing)).text == (
        "Take the red one from D4 and go on with the green one on C4 or D3."
    )


def test_where_the_way_back_is_longer() -> None:
    before = board(C3="GRY", C4="B", B4="Y", A3="B")
    sowing = Sowing("C3", (("C2", "R"), ("C1", "G"), ("B1", "Y")))
    way = of_sowing(before, sowing, breaches(before, sowing))
    assert way.text.startswith("Put all meeples of the move back on C3")
    hopeless = board(C3="G", A1="G")
    alone = Sowing("C3", (("C4", "G"),))
    assert of_sowing(hopeless, alone, breaches(hopeless, alone)).text.endswith("none can end from there.")


def test_meeples_left_behind_and_meeples_of_another_tile() -> None:
    before = board(C3="GY", C4="B", C5="Y")
    left = Sowing("C3", (("C4", "G"),))
    assert of_sowing(before, left, breaches(before, left)).text == (
        "Take the yellow one from C3 as well and go on with the yellow one on C5."
    )
    strange = Sowing("C3", (("C4", "G"), ("C5", "Y"), ("D5", "W")))
    assert of_sowing(before, strange, (Breach("takes_every_meeple", tiles=("C3",)),)).text == (
        "Put the white one back: only the meeples of C3 may be moved."
    )


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
