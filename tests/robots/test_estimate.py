"""Estimates and ways of sowing against the rulebook's own listing of sowings."""

from __future__ import annotations

from random import Random

from naqala.robots import ROBOTS
from naqala.robots.estimate import Estimator, ends_per_start, free_tiles, picks
from naqala.robots.evaluation import standing
from naqala.robots.ways import after, ways
from naqala.robots.weights import learned
from naqala.rules.actions import Sow
from naqala.rules.board import NUMBER, TILES
from naqala.rules.game import play
from naqala.rules.model import Game
from naqala.rules.opening import dealt
from naqala.rules.paths import sowings
from naqala.rules.sowing import Sowing, breaches
from naqala.simulate import simulated


def boards() -> list[Game]:
    record = simulated(3, 6100, {}, ("greedy",))
    sowing = [step for step in range(len(record.steps)) if record.at(step).turn.phase == "sow"]
    return [record.at(step) for step in sowing[:: max(1, len(sowing) // 6)]]


def test_ends_are_those_of_all_sowings() -> None:
    for game in boards():
        listed = {(one.start, *one.drops[-1]) for one in sowings(game.meeples)}
        seen = {
            (TILES[start], TILES[end], colour)
            for start, colour, ends in ends_per_start(game.meeples)
            for end in range(len(TILES))
            if ends >> end & 1
        }
        assert seen == listed


def test_ways_are_legal_different_and_lead_where_they_should() -> None:
    dice = Random(6101)
    for game in boards()[::2]:
        meeples = game.meeples
        for start, colour, ends in ends_per_start(meeples):
            for end in range(len(TILES)):
                if not ends >> end & 1:
                    continue
                found = ways(meeples, start, end, colour, 4, dice)
                assert 1 <= len(found) <= 4
                boards_left = {
                    tuple("".join(sorted(there)) for there in after(meeples, start, way, NUMBER))
                    for way in found
                }
                assert len(boards_left) == len(found)
                for way in found:
                    assert way[-1] == (TILES[end], colour)
                    assert not breaches(meeples, Sowing(TILES[start], way))


def test_the_board_after_a_way_is_the_one_the_rules_leave() -> None:
    game = boards()[1]
    name = str(game.turn.player)
    for start, colour, ends in ends_per_start(game.meeples)[:12]:
        end = ends.bit_length() - 1
        way = ways(game.meeples, start, end, colour, 1, Random(3))[0]
        then = play(game, Sow(name, TILES[start], way))[0]
        left = ["".join(sorted(there)) for there in after(game.meeples, start, way, NUMBER)]
        assert left == ["".join(sorted(there)) for there in then.meeples]


def test_two_players_do_not_take_the_same_tile() -> None:
    best = [(9.0, 3, "Y"), (8.0, 3, "R"), (5.0, 7, "G")]
    assert picks([best, best, best]) == [9.0, 5.0, 0.0]


def test_an_estimate_ranks_turns_as_the_rules_do() -> None:
    """The estimated gain goes with what the sowing really leaves on the score sheet."""
    game = dealt(("Ann", "Bob"), Random(6102).randrange)
    while game.turn.phase == "bid":
        game = play(game, ROBOTS["normal"](game, Random(1)))[0]
    name = str(game.turn.player)
    estimator, weights = Estimator(game, name, learned()), learned()
    table = [one for one in estimator.gains(game.meeples, free_tiles(game)) if one[2] in "YW"]
    real = []
    for _, end, colour in table:
        start = next(
            s for s, c, ends in ends_per_start(game.meeples) if c == colour and ends >> end & 1 and s != end
        )
        way = ways(game.meeples, start, end, colour, 1, Random(2))[0]
        real.append(standing(play(game, Sow(name, TILES[start], way))[0], name, weights))
    half = len(table) // 2
    assert half >= 4
    assert sum(real[:half]) / half > sum(real[-half:]) / half
