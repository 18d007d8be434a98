"""Ways on for a sowing that broke a rule: sentences, steps, and why there is no shorter one."""

from __future__ import annotations

from collections import Counter

from naqala.rules.board import NUMBER, TILES
from naqala.rules.sowing import Sowing, breaches, breaches_so_far
from naqala.table.readings import Remedy
from naqala.table.ways import of_sowing


def board(**tiles: str) -> list[str]:
    return [tiles.get(tile, "") for tile in TILES]


def way(before: list[str], sowing: str, behind: str = "", **instead: str) -> Remedy:
    """The way on when everything lies where it was dropped, the rest in the hand or `behind` on the start tile; `instead`
    is what lies on tiles where that is not so."""
    made = Sowing.from_text(sowing)
    after = list(before)
    after[NUMBER[made.start]] = behind
    for tile, letter in made.drops:
        after[NUMBER[tile]] += letter
    for tile, letters in instead.items():
        after[NUMBER[tile]] = letters
    in_flight = Counter(before[NUMBER[made.start]]) - Counter(made.hand) - Counter(behind)
    found = breaches_so_far(before, made) if in_flight else breaches(before, made)
    return of_sowing(before, after, made, found)


def steps(remedy: Remedy) -> list[tuple[str, str | None, tuple[str, ...]]]:
    return [(step.piece[-1], step.take_from, step.onto) for step in remedy.steps]


def test_a_sentence_names_the_piece_and_where_it_may_go() -> None:
    before = board(C3="WG", C4="Y", B3="Y", C2="Y", D3="Y", B4="G", C5="G", D2="G")
    found = way(before, "C3>D4W")
    assert found.text == "Take the white one from D4 and drop it on B3, C2, C4 or D3."
    assert steps(found) == [("W", "D4", ("B3", "C2", "C4", "D3"))]


def test_a_move_that_is_all_down_is_mended_as_a_whole() -> None:
    """D3 and E4 stay: only D4 and E3 lie between them. It is the same when the blue group has been taken up already."""
    before = board(C3="WGB", D3="Y", E3="Y", E4="B")
    for found in (way(before, "C3>D3W>E5G>E4B"), way(before, "C3>D3W>E5G>E4B", E4="")):
        assert found.text == "Take the green one from E5 and drop it on D4 or E3."
        assert steps(found) == [("G", "E5", ("D4", "E3"))]


def test_a_drop_that_would_be_out_of_reach_of_the_next_is_not_offered() -> None:
    """With red to come the yellow one may go on to B4, C5 or D4; with red on B3 already only B4 is next door to it."""
    before = board(C3="GYR", C4="R", B3="R", D3="R", D5="R")
    assert steps(way(before, "C3>C4G>C3Y")) == [("Y", "C3", ("B4", "C5", "D4"))]
    assert steps(way(before, "C3>C4G>C3Y>B3R")) == [("Y", "C3", ("B4",))]


def test_in_the_middle_of_a_move_all_drops_from_the_wrong_one_on_are_taken_up() -> None:
    """The green one alone cannot be moved: it would lie there after the white one, whose place is then out of reach."""
    before = board(C3="GWBR", C4="Y", C5="Y", D5="R", E5="R", D4="R")
    found = way(before, "C3>D4G>D5W")
    assert steps(found) == [("W", "D5", ()), ("G", "D4", ())]
    assert found.text.startswith("Take the drops back into the hand and go on with ")


def test_where_another_colour_must_go_first() -> None:
    found = way(board(C3="GR", D4="R", C4="Y"), "C3>D4R")
    assert found.text == "Take the red one from D4 and go on with the green one on C4 or D3."
    assert steps(found) == [("R", "D4", ())]


def test_a_move_that_could_not_end_any_more_says_since_when() -> None:
    """The hand of a newcomer. The red one of A2 is met from B3 by way of A3, but from C3 no red one is in reach."""
    found = way(board(B2="GRR", B3="W", C3="W", A2="R", E5="R"), "B2>B3G>C3R>B3R")
    assert found.stuck == "C3"
    assert found.text == (
        "From C3 on no drop could end on its own colour. "
        "Take the drops after B3 back into the hand and go on with the red one on A3."
    )
    assert steps(found) == [("R", "B3", ()), ("R", "C3", ())]
    shorter = way(board(B2="GRR", B3="W", C3="W", C4="R", E5="R"), "B2>B3G>C3R>B3R")
    assert (shorter.stuck, steps(shorter)) == ("", [("R", "B3", ("C4",))])


def test_where_no_move_could_end_from_the_start_tile() -> None:
    found = way(board(C3="G", A1="G"), "C3>C4G")
    assert found.text == (
        "Put all meeples of the move back on C3 and choose another tile: none can end from there."
    )
    assert (found.stuck, steps(found)) == ("C3", [("G", "C4", ("C3",))])
    longer = way(board(C3="GRY", C4="B", B4="Y", A3="B"), "C3>C2R>C1G>B1Y")
    assert longer.text == found.text
    assert sorted(steps(longer)) == [("G", "C1", ("C3",)), ("R", "C2", ("C3",)), ("Y", "B1", ("C3",))]


def test_meeples_left_behind_are_taken_up_as_well() -> None:
    found = way(board(C3="GY", C4="B", D4="Y", C5="Y"), "C3>C4G", behind="Y")
    assert found.text == "Take the yellow one from C3 as well and go on with the yellow one on C5 or D4."
    assert steps(found) == [("Y", "C3", ())]


def test_a_group_taken_up_too_soon_goes_back() -> None:
    """Two yellow ones lay on C5. The third is of the hand and stays there: it is to be dropped again."""
    found = way(board(C3="GYR", C4="B", C5="BYY", D5="R"), "C3>C4G>C5Y", behind="R", C5="B")
    assert found.text == (
        "Put the 2 yellow ones back on C5. Take the red one from C3 as well and go on with the yellow one on C5 or D4."
    )
    assert steps(found) == [("Y", None, ("C5",)), ("Y", None, ("C5",)), ("R", "C3", ())]


def test_a_meeple_of_a_second_tile_goes_home_and_the_move_stands() -> None:
    found = way(board(C3="GY", C4="B", C5="Y", D4="W"), "C3>C4G>C5Y>D5W", D4="")
    assert (found.text, found.stuck) == ("Take the white one from D5 and put it on D4.", "")
    assert steps(found) == [("W", "D5", ("D4",))]
