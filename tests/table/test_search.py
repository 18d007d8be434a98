"""The search against brute force: every order of the drops, judged by the rules themselves."""

from __future__ import annotations

from itertools import permutations

from hypothesis import given, settings
from hypothesis import strategies as st
from naqala.rules.board import NEIGHBOURS, NUMBER, TILES
from naqala.rules.sowing import Sowing, breaches
from naqala.table.search import Fit, can_be_joined, in_groups, legal_ends, named, numbered

MIDDLE = ("B2", "B3", "C2", "C3", "C4", "D2", "D3", "D4")


@st.composite
def walks(draw: st.DrawFn) -> tuple[str, tuple[tuple[str, str], ...]]:
    """A start tile and up to six drops, mostly side by side, so that loops and dead ends are common."""
    start = draw(st.sampled_from(MIDDLE))
    here, drops = start, []
    for _ in range(draw(st.integers(1, 6))):
        here = draw(st.sampled_from(NEIGHBOURS[here] if draw(st.integers(0, 9)) else MIDDLE))
        drops.append((here, draw(st.sampled_from("YWG"))))
    return start, tuple(draw(st.permutations(drops)))


def steps_broken(start: str, order: tuple[tuple[str, str], ...]) -> int:
    """How many steps no rule allows, by the rules' own judgement."""
    bare = ["" for _ in TILES]
    rules = ("drops_on_neighbours", "no_immediate_backtracking")
    return sum(breach.rule in rules for breach in breaches(bare, Sowing(start, order)))


@settings(max_examples=120, deadline=None)
@given(walks())
def test_a_fit_finds_the_ends_that_trying_everything_finds(
    walk: tuple[str, tuple[tuple[str, str], ...]],
) -> None:
    start, drops = walk
    legal = {order for order in set(permutations(drops)) if not steps_broken(start, order)}
    fit = Fit(NUMBER[start], numbered(drops))
    assert {TILES[n] for n in range(30) if fit.ends >> n & 1} == {order[-1][0] for order in legal}
    for end in set(drops):
        order = fit.order(numbered([end])[0])
        if order is None:
            assert not any(one[-1] == end for one in legal)
        else:
            assert named(order) in legal and named(order)[-1] == end


@settings(max_examples=80, deadline=None)
@given(walks())
def test_one_wrong_step_is_found_where_there_is_one(walk: tuple[str, tuple[tuple[str, str], ...]]) -> None:
    start, drops = walk
    once = {order for order in set(permutations(drops)) if steps_broken(start, order) == 1}
    fit = Fit(NUMBER[start], numbered(drops))
    for end in set(drops):
        order = fit.order(numbered([end])[0], wrong=True)
        if order is not None:
            assert steps_broken(start, named(order)) >= 1
            assert sorted(named(order)) == sorted(drops)
        else:
            assert not any(one[-1] == end for one in once)


@settings(max_examples=80, deadline=None)
@given(walks(), st.integers(0, 2), st.text("YWG", min_size=30, max_size=30))
def test_drops_can_be_joined_when_some_way_of_filling_the_gaps_is_legal(
    walk: tuple[str, tuple[tuple[str, str], ...]], gaps: int, board: str
) -> None:
    start, drops = walk
    before = list(board)
    hand = drops[:gaps]
    seen = drops[gaps:]
    before[NUMBER[start]] = "".join(letter for _, letter in drops)
    if not seen:
        return
    letters = "".join(letter for _, letter in hand)
    legal = any(
        not breaches(before, Sowing(start, order))
        for places in _places(len(hand))
        for order in set(permutations((*seen, *zip(places, letters, strict=True))))
    )
    if legal:  # charitable: it may say yes where the answer is no, never the other way round
        assert can_be_joined(before, NUMBER[start], numbered(seen), letters)


def _places(count: int) -> list[tuple[str, ...]]:
    near = [tile for tile in TILES if tile[0] in "ABCDE" and tile[1] in "1234"]
    if count == 0:
        return [()]
    if count == 1:
        return [(tile,) for tile in near]
    return [("C3", "C4"), ("C2", "C3"), ("B3", "C3"), ("D3", "D4"), ("B2", "B3")]


def test_the_order_seen_is_kept_group_by_group() -> None:
    start = NUMBER["C3"]
    forth = numbered([("C4", "G"), ("C5", "W"), ("D5", "Y"), ("D4", "B"), ("D3", "R")])
    assert list(in_groups(start, [[drop] for drop in forth])) == [forth[-1]]
    # nothing known of the order: round the ring either way, or crosswise by D3, D4, C4, C5 to D5
    assert set(in_groups(start, [forth])) == {forth[-1], forth[0], forth[2]}
    assert in_groups(start, [[forth[1]], [forth[0]]]) == {}
    assert in_groups(start, []) == {}


def test_an_end_meets_its_colour_on_the_tile_or_in_the_same_move() -> None:
    before = ["" for _ in TILES]
    before[NUMBER["C4"]] = "G"
    before[NUMBER["C3"]] = "Y"
    drops = numbered([("C4", "G"), ("D4", "W"), ("D4", "W"), ("C3", "Y")])
    assert set(legal_ends(before, NUMBER["C3"], drops)) == set(numbered([("C4", "G"), ("D4", "W")]))
