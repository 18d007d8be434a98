"""Six hundred games by robots: all finish, and over them everything occurs that can."""

from __future__ import annotations

from collections import Counter
from time import process_time

import pytest
from naqala.rules import actions as a
from naqala.rules import events as e
from naqala.rules.actions import VERBS, verb
from naqala.rules.djinns import DJINNS
from naqala.rules.model import ENDINGS, SWITCHES
from naqala.rules.record import Record
from naqala.rules.scoring import score, winners
from naqala.simulate import simulated

GAMES = 200


class Tally:
    """What occurred."""

    def __init__(self) -> None:
        self.finished: Counter[int] = Counter()
        self.endings: Counter[str | None] = Counter()
        self.switches: Counter[tuple[str, str]] = Counter()
        self.kinds: Counter[str] = Counter()
        self.djinns: Counter[str] = Counter()

    def add(self, record: Record) -> None:
        game = record.game
        self.finished[len(game.players)] += game.turn.phase == "over"
        self.endings[game.ending] += 1
        self.switches.update((name, game.switch(name)) for name in SWITCHES)
        self.kinds.update(verb(action) for action in record.actions)
        for step in record.steps:
            if isinstance(step.action, a.Power):
                self.djinns[step.action.djinn] += 1
            for event in step.events:
                if isinstance(event, e.GoldMoved | e.CardDrawn | e.Kept | e.Spent) and event.cause in DJINNS:
                    self.djinns[event.cause] += not isinstance(step.action, a.Power)
        for player in game.players:  # those that only count at the end, or only protect
            self.djinns.update(
                name for name in player.djinns if DJINNS[name].shape in ("scoring", "permission")
            )


@pytest.fixture(scope="module")
def tally() -> Tally:
    found = Tally()
    for players in (2, 3, 4):
        for seed in range(GAMES):
            found.add(simulated(players, seed))
    return found


@pytest.mark.long
@pytest.mark.xdist_group("simulated")
def test_two_hundred_games_each_for_2_3_and_4_players_finish(tally: Tally) -> None:
    assert tally.finished == {2: GAMES, 3: GAMES, 4: GAMES}


@pytest.mark.long
@pytest.mark.xdist_group("simulated")
def test_everything_occurs(tally: Tally) -> None:
    assert set(tally.endings) == set(ENDINGS)
    assert set(tally.switches) == {(name, value) for name, values in SWITCHES.items() for value in values}
    assert set(tally.kinds) == set(VERBS) - {"undo", "correct"}  # these are people's, not the game's
    assert set(tally.djinns) == set(DJINNS)
    assert min(tally.djinns.values()) >= 3, tally.djinns


def test_the_same_seed_gives_the_same_game() -> None:
    assert simulated(2, 77) == simulated(2, 77)
    assert simulated(2, 77) != simulated(2, 78)


def test_the_robot_that_thinks_beats_those_that_do_not() -> None:
    won = 0
    for seed in range(5):
        record = simulated(3, seed, {}, ("greedy", "random", "random"))
        won += winners(score(record.game)) == ("Ann",)
    assert won >= 4


def test_four_thinking_robots_finish_well_under_a_minute() -> None:
    begun = process_time()
    record = simulated(4, 1, {}, ("greedy",))
    assert record.game.turn.phase == "over"
    assert process_time() - begun < 20
