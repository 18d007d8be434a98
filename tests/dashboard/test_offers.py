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
