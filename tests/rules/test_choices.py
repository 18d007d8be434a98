"""`legal`: every choice it offers is accepted, and every action of a kind that is accepted is offered."""

from __future__ import annotations

from collections.abc import Iterator
from itertools import combinations
from random import Random
from typing import Any

import pytest
from naqala.robots import wanderer
from naqala.rules import IllegalMove, InvalidAction, play, position
from naqala.rules import actions as a
from naqala.rules.bidding import PRICES
from naqala.rules.board import TILES
from naqala.rules.choices import Choice, filled, legal
from naqala.rules.model import Game
from naqala.rules.opening import dealt
from naqala.rules.paths import count_per_start
from naqala.simulate import any_switches

from tests.rules.table import table

NAMES = ("Ann", "Bob", "Cy")


def games(seed: int, players: int) -> Iterator[Game]:
    """Every position of a random game."""
    dice = Random(seed)
    game = dealt(NAMES[:players], dice.randrange, switches=any_switches(dice))
    while game.turn.phase != "over":
        yield game
        game, _ = play(game, wanderer(game, dice))
    yield game


def accepted(game: Game, action: a.Action) -> bool:
    try:
        play(game, action)
    except (IllegalMove, InvalidAction):
        return False
    return True


@pytest.mark.parametrize(("seed", "players"), [(1, 2), (2, 3), (3, 3)])
def test_every_choice_offered_is_accepted(seed: int, players: int) -> None:
    dice = Random(seed)
    for game in games(seed, players):
        choices = legal(game)
        assert bool(choices) == (game.turn.phase != "over")
        assert len(set(choices)) == len(choices)
        for choice in choices:
            action = filled(game, choice, dice.randrange)
            play(game, action)
            assert choice.player in (None, game.turn.player)
            for ask in choice.asks:
                told = getattr(action, ask.field)
                assert (1 if ask.field == "keep" else len(told)) == ask.count
                assert ask.field == "drops" or set([told] if ask.field == "keep" else told) <= set(
                    ask.options
                )


def brute_force(game: Game) -> Iterator[a.Action]:
    """Actions of every kind that needs no fact, whether they make sense or not."""
    name = str(game.turn.player)
    player = game.player(name)
    for spot in PRICES:
        for fakirs in range(player.fakirs + 1):
            yield a.Bid(name, spot, fakirs)
    for fakirs in range(player.fakirs + 1):
        yield a.Build(name, fakirs)
    for tile in TILES:
        yield a.Place(name, "palm", tile)
        yield a.Place(name, "palace", tile)
        for meeple in "YWGBR":
            yield a.Kill(name, (a.Victim(meeple, tile=tile),))
            yield a.Kill(name, (a.Victim(meeple, tile=tile), a.Victim(meeple, tile=tile)))
        for djinn in ("Enki", "Bouraq", "Utug", "Leta"):
            for payment in ((1, 0), (0, 1), (1, 1), (2, 0)):
                yield a.Power(name, djinn, *payment, tile=tile)
    for djinn in ("Lamia", "Hagis", "Iblis", "Echidna"):
        for payment in ((1, 0), (0, 1), (1, 1), (2, 0)):
            yield a.Power(name, djinn, *payment)
    for other in game.players:
        for meeples in ("Y", "W", "YY", "YW", "WW"):
            yield a.Kill(name, tuple(a.Victim(meeple, player=other.name) for meeple in meeples))
    yield a.Kill(name, ())
    for size in (1, 2):
        for cards in combinations(game.row, size):
            yield a.Buy(name, cards)
    for djinn in game.djinn_row:
        for payment in ((2, 0), (1, 1), (0, 2), (1, 0)):
            yield a.Summon(name, djinn, *payment)
    yield a.Pass(name)
    yield a.End(name)


def plain(action: a.Action) -> Any:
    """An action for comparison: the order of cards is no matter, nor are fakirs wasted on a bid."""
    if isinstance(action, a.Buy):
        return ("buy", tuple(sorted(action.cards)))
    if isinstance(action, a.Bid):
        return ("bid", action.spot, min(action.fakirs, PRICES.index(action.spot)))
    if isinstance(action, a.Kill):
        return ("kill", tuple(sorted((v.meeple, v.tile or "", v.player or "") for v in action.victims)))
    return action


@pytest.mark.parametrize("seed", [4, 5])
def test_every_action_that_is_accepted_is_offered(seed: int) -> None:
    for number, game in enumerate(games(seed, 3)):
        if number % 3 and game.turn.phase in ("bid", "sow"):  # the many alike
            continue
        if game.turn.player is None:
            continue
        offered = {plain(choice.action) for choice in legal(game)}
        for action in brute_force(game):
            if accepted(game, action):
                assert plain(action) in offered, (action, position.to_text(game))


def test_tiles_to_start_from_are_those_with_legal_sowings() -> None:
    game = next(games(9, 2))
    from_bids = play_bids(game)
    starts = [choice for choice in legal(from_bids) if choice.do == "sow"]
    counts = count_per_start(from_bids.meeples)
    assert {
        choice.action.start: dict(choice.brings)["sowings"]
        for choice in starts
        if isinstance(choice.action, a.Sow)
    } == counts
    assert all(choice.must for choice in starts)


def play_bids(game: Game) -> Game:
    while game.turn.phase == "bid":
        game, _ = play(game, legal(game)[0].action)
    return game


def test_spots_with_their_price() -> None:
    game = table(phase="bid", ann={"gold": 4, "fakirs": 1, "djinns": ["Kumarbi"]})
    offers = {
        (choice.action.spot, choice.action.fakirs): dict(choice.pays)
        for choice in legal(game)
        if isinstance(choice.action, a.Bid)
    }
    assert offers == {
        (0, 0): {},
        (1, 0): {"gold": 1},
        (1, 1): {"fakirs": 1},
        (3, 0): {"gold": 3},
        (3, 1): {"gold": 1, "fakirs": 1},
        (5, 1): {"gold": 3, "fakirs": 1},
    }


def test_suits_to_sell_best_split_first() -> None:
    game = table(phase="end", ann={"goods": {"fish": 2, "silk": 1}})
    sales = [choice for choice in legal(game) if choice.do == "sell"]
    assert [(choice.action, dict(choice.brings)["gold"]) for choice in sales] == [
        (a.Sell("Ann", (("silk", "fish"), ("fish",))), 4),
        (a.Sell("Ann", (("silk", "fish"),)), 3),
        (a.Sell("Ann", (("fish",),)), 1),
    ]


def test_reveal_is_open_to_anybody() -> None:
    game = table(
        {"E1": "Y", "E2": "YB"}, phase="reveal", row=["fish"] * 6, djinn_row=["Enki", "Boaz", "Leta"]
    )
    (choice,) = legal(game)
    assert (choice.do, choice.player, choice.must) == ("reveal", None, True)
    (ask,) = choice.asks
    assert (ask.field, ask.count, "fish" in ask.options, "silk" in ask.options) == ("row", 3, False, True)


def test_a_choice_as_a_page_gets_it() -> None:
    game = table(phase="end", bag="BBG", ann={"djinns": ["Anun-Nak"], "elders": 1})
    choice: Choice = next(choice for choice in legal(game) if choice.do == "power")
    assert choice.to_json() == {
        "do": "power",
        "player": "Ann",
        "must": False,
        "action": {
            "do": "power",
            "player": "Ann",
            "djinn": "Anun-Nak",
            "elders": 1,
            "fakirs": 0,
            "tile": "A1",
        },
        "pays": {"elders": 1},
        "brings": {},
        "asks": [{"field": "meeples", "count": 3, "options": ["W", "G", "B", "B"]}],
    }
