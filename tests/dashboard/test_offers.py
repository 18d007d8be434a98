"""The buttons of a seat: each choice once."""

from __future__ import annotations

import json
from collections import Counter
from pathlib import Path

from naqala.dashboard import offers
from naqala.dashboard.view import show
from naqala.dashboard.viewers import Viewer
from naqala.rules.choices import legal
from naqala.rules.game import play

from tests.dashboard.stand import Stand, a_game, app_for, snapshot_after


def test_a_purchase_in_either_order_is_one_button(tmp_path: Path) -> None:
    """Over a whole game: every set of cards that can be bought is on one button, though `legal` lists both orders."""
    record = a_game(("Ann", "Bob"), 8)
    doubled = 0
    app = app_for(tmp_path, Stand(snapshot_after(record, 0)))
    for step in range(len(record.steps)):
        game = record.at(step)
        buys = [choice for choice in legal(game) if type(choice.action).__name__ == "Buy"]
        if not buys:
            continue
        player = str(game.turn.player)
        with app.test_request_context("/t/oak/seat"):
            shown = show(snapshot_after(record, step), Viewer("seat", player))
            (group,) = [group for group in offers.groups(shown) if group["do"] == "buy"]
        offered = Counter(tuple(sorted(json.loads(button["value"])["cards"])) for button in group["buttons"])
        assert set(offered.values()) == {1}
        assert set(offered) == {tuple(sorted(choice.action.cards)) for choice in buys}
        doubled += len(buys) - len(offered)
        ends = {}  # the order matters to no rule: what the buyer holds is the same
        for choice in buys:
            after = play(game, choice.action)[0].player(player)
            ends.setdefault(tuple(sorted(choice.action.cards)), set()).add(
                (after.gold, after.fakirs, tuple(sorted(after.goods)))
            )
        assert all(len(one) == 1 for one in ends.values())
    assert doubled > 0, "some purchase was listed in both orders"


def test_where_nothing_is_waited_for_the_end_of_the_turn_comes_first(tmp_path: Path) -> None:
    """One good sold for one gold is seldom what people want: the sale is folded below the end of the turn."""
    record = a_game(("Ann", "Bob"), 8)
    app = app_for(tmp_path, Stand(snapshot_after(record, 0)))
    firsts = set()
    for step in range(len(record.steps)):
        player = str(record.at(step).turn.player)
        with app.test_request_context("/t/oak/seat"):
            shown = show(snapshot_after(record, step), Viewer("seat", player))
            found = offers.groups(shown)
        if {"end", "sell"} <= {group["do"] for group in found}:
            firsts.add((shown["turn"]["phase"], found[0]["do"]))
            assert [group["do"] for group in found if group["first"]] == [found[0]["do"]]
    assert ("end", "end") in firsts and ("end", "sell") not in firsts


def test_the_tiles_that_a_move_can_start_from_in_few_words(tmp_path: Path) -> None:
    snapshot = snapshot_after(a_game(("Ann", "Bob"), 8), 4)
    player = str(snapshot.game.turn.player)
    with app_for(tmp_path, Stand(snapshot)).test_request_context("/t/oak/seat"):
        shown = show(snapshot, Viewer("seat", player))
        sows = [choice for choice in shown["choices"] if choice["do"] == "sow"]
        said = offers.starts_in_words(shown)
        assert len(sows) > 20 and len(said) < 90 and said.startswith("A legal move can start from any tile")
        few = shown | {"choices": sows[:2]}
        tiles = " or ".join(choice["action"]["start"] for choice in sows[:2])
        assert offers.starts_in_words(few) == f"A legal move can start from {tiles}."
