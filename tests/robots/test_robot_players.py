"""Robots whose pieces people move: whole games with hands that only follow the steps, with readers and without."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from pathlib import Path
from random import Random
from typing import Any

import pytest
from naqala import link as links
from naqala.hands.people import PACES, Person
from naqala.journal import Journal
from naqala.rules import notation
from naqala.rules.actions import Bid, Power, Sow
from naqala.rules.paths import sowings
from naqala.session import commands as c
from naqala.session import following
from naqala.session.lamps import OPEN, lamps
from naqala.session.robot_players import RobotPlayers, ToldSeats
from naqala.session.session import Session
from naqala.session.snapshot import OVER, Snapshot
from naqala.table.readings import Doing, Quiet, Wrong
from naqala.virtual import evening
from naqala.virtual.link import VirtualLink
from naqala.virtual.standing import put_right, unlike

from tests.robots.hands import colours_of, obey

MOST_LOOKS = 4000


class Evening:
    """A virtual table as fast as the machine can; nothing happens unless the test lets time pass."""

    def __init__(self, folder: Path, seed: int = 5, players: tuple[str, ...] = ("Ann", "Robo")) -> None:
        link = links.open(f"virtual:oak?seed={seed}&pace=fast")
        assert isinstance(link, VirtualLink)
        self.link, self.table = link, link.table
        self.journal = Journal.open(str(folder / "journal.sqlite"))
        self.session: Session = evening.opened(link, self.journal, seed)
        evening.begin(link, self.session, players)
        self.robots = RobotPlayers(self.session, 0.0, Random(seed))

    @property
    def shown(self) -> Snapshot:
        return self.session.snapshot

    def until(self, wanted: Callable[[Snapshot], bool], looks: int = 200) -> Snapshot:
        for _ in range(looks):
            if wanted(self.shown):
                return self.shown
            self.link.rest(100)
        raise AssertionError(f"never seen: {self.shown.reading} {self.shown.due}")

    def obey(self) -> None:
        plan = self.shown.plan
        told = [(step.kind, step.tile, step.what) for step in plan.steps]
        obey(self.table, colours_of(self.shown)[plan.player], told, lambda: self.link.rest(600))

    def remind(self) -> None:
        """What is still due is done as people do it."""
        shown, colours = self.shown, colours_of(self.shown)
        person = Person(Random(1), PACES["quick"], "pink")
        tiles = unlike(shown.game, self.table, colours)
        for motion in put_right(shown.game, self.table, colours, person, tiles):
            self.table.move(motion.tags, motion.spot)
            self.link.rest(300)

    def bid(self) -> None:
        """Everybody takes the first place offered."""
        while self.shown.game.turn.phase == "bid":
            choice = self.shown.choices[0]
            told = c.Tap(str(choice.player), self.shown.step, notation.to_json(choice.action))
            assert self.session.tell(told).accepted

    def close(self) -> None:
        self.session.stop()
        self.journal.close()


@pytest.fixture
def evening_(tmp_path: Path) -> Iterator[Evening]:
    one = Evening(tmp_path)
    yield one
    one.close()


def unwatched(monkeypatch: pytest.MonkeyPatch) -> None:
    """Nobody looks at the table: as without readers, the session knows what people tell it and nothing else."""
    monkeypatch.setattr(following, "rewatch", lambda session, at=None: None)


def test_a_whole_game_with_readers_by_hands_that_only_follow_the_steps(evening_: Evening) -> None:
    evening_.robots.take_on({"Ann": "easy", "Robo": "normal"}, alone=False)
    plans = 0
    for _ in range(MOST_LOOKS):
        shown = evening_.shown
        if shown.stage == OVER:
            break
        if shown.plan is not None:
            plans += 1
            evening_.obey()
            evening_.until(lambda now: now.plan is None)
            assert not any(line.by == "companion" and line.kind == "undo" for line in evening_.shown.log)
            continue
        evening_.robots.act(shown)
        if evening_.shown.version == shown.version:
            if shown.due:
                evening_.remind()
            evening_.link.rest(200)
    assert evening_.shown.stage == OVER and plans > 20
    by_hand = [line for line in evening_.shown.log if isinstance(line.action, Sow)]
    assert {line.by for line in by_hand} == {"hands"}, "the referee confirmed every move"


def test_a_whole_game_without_readers_leaves_the_board_as_recorded(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    unwatched(monkeypatch)
    one = Evening(tmp_path, seed=11, players=("Ann", "Bo", "Cy"))
    try:
        one.robots.take_on({"Ann": "easy", "Bo": "normal", "Cy": "easy"}, alone=False)
        after: set[bool] = set()
        for _ in range(MOST_LOOKS):
            shown = one.shown
            if shown.stage == OVER:
                break
            if shown.plan is None:
                one.robots.act(shown)
                continue
            after.add(shown.plan.action is None)
            told = [(step.kind, step.tile, step.what) for step in shown.plan.steps]
            obey(one.table, colours_of(shown)[shown.plan.player], told)
            assert one.session.tell(c.DoneAsTold("Ann", shown.step)).accepted
            assert unlike(one.shown.game, one.table, colours_of(shown)) == [], shown.plan
        assert one.shown.stage == OVER
        assert False in after, "moves were asked for"
    finally:
        one.close()


def planned(one: Evening) -> Snapshot:
    """The robots' first move is asked for."""
    one.bid()
    one.robots.take_on({"Ann": "easy", "Robo": "easy"}, alone=False)
    one.until(lambda now: isinstance(now.reading, Quiet))
    one.robots.act(one.shown)
    assert one.shown.plan is not None and isinstance(one.shown.plan.action, Sow)
    return one.shown


def lit(shown: Snapshot) -> set[str]:
    readers = shown.sight.readers
    return {readers[reader] for reader, meaning in lamps(shown, shown.sight) if meaning == OPEN}


def test_lamps_and_steps_follow_the_hands(evening_: Evening) -> None:
    plan = planned(evening_).plan
    sow = plan.action
    assert lit(evening_.shown) == {sow.start}
    evening_.table.lift(sow.start)
    evening_.until(lambda now: isinstance(now.reading, Doing))
    assert lit(evening_.shown) == {sow.drops[0][0]}
    assert evening_.shown.plan == plan, "the plan stands while it is carried out"


def test_a_legal_move_that_the_robot_did_not_want_is_taken_back_or_stands(evening_: Evening) -> None:
    for stands in (False, True):
        shown = planned(evening_) if evening_.shown.plan is None else evening_.shown
        wanted = shown.plan.action
        other = next(s for s in sowings(shown.game.meeples) if s.start != wanted.start)
        player, standing = shown.plan.player, shown.plan.standing
        steps = [("lift", other.start, shown.game.tile(other.start).meeples)]
        steps += [("drop", tile, letter) for tile, letter in other.drops]
        tile, letter = other.drops[-1]
        obey(evening_.table, colours_of(shown)[player], steps, lambda: evening_.link.rest(600))
        tags = evening_.table.at(tile, "meeple", letter)
        evening_.table.move(tags, "bag")
        now = evening_.until(lambda now: now.plan is not None and now.plan.strayed)
        assert evening_.robots.act(now) == 0.0, "the robot waits for people"
        assert not evening_.session.tell(c.DoneAsTold("Ann", now.step)).accepted
        assert evening_.session.tell(c.Strayed("Ann", now.step, stands)).accepted
        done = [line for line in evening_.shown.log if isinstance(line.action, Sow) and not line.undone]
        if stands:
            assert done and done[-1].action.start == other.start
        else:
            assert not done and evening_.shown.plan is None
            assert (
                len([x for x in evening_.shown.log if x.action and not x.undone and x.kind != "undo"])
                == standing
            )
            assert evening.lay_as_recorded(evening_.link, evening_.session)  # the way back, by hand
            evening_.until(lambda now: isinstance(now.reading, Quiet) and not now.due)
            evening_.robots.act(evening_.shown)
            assert evening_.shown.plan is not None and not evening_.shown.plan.strayed


def test_an_illegal_move_for_a_robot_is_flagged_as_anybodys(evening_: Evening) -> None:
    sow = planned(evening_).plan.action
    evening_.table.lift(sow.start)
    evening_.link.rest(800)
    far = next(
        tile for tile in ("A1", "F5", "A5", "F1") if tile not in (sow.start, *(t for t, _ in sow.drops))
    )
    evening_.table.move(evening_.table.at("hand", "meeple")[:1], far)
    shown = evening_.until(lambda now: isinstance(now.reading, Wrong))
    assert shown.reading.breaches and shown.plan is not None, "the plan comes back when it is put right"


def test_who_takes_over_from_a_robot_is_asked_for_nothing(evening_: Evening) -> None:
    shown = planned(evening_)
    evening_.robots.take_on({})
    assert evening_.shown.plan is None and evening_.shown.step == shown.step


def test_a_robot_stops_thinking_when_the_game_goes_on(evening_: Evening) -> None:
    evening_.robots.take_on({"Ann": "strong", "Robo": "strong"}, alone=False)
    shown = evening_.shown
    stop = evening_.robots._until(shown)
    assert not stop()
    choice = shown.choices[0]
    assert evening_.session.tell(
        c.Tap(str(choice.player), shown.step, notation.to_json(choice.action))
    ).accepted
    assert stop()
    assert evening_.robots.act(shown) == 0.0, "what was thought of an older game is not told"
    assert sum(isinstance(line.action, Bid) for line in evening_.shown.log) == 1


def test_robots_come_back_with_their_game(evening_: Evening) -> None:
    kept: dict[str, Any] = {}
    seats = ToldSeats(evening_.session, None, kept.update)
    seats.new_game({"Ann": "", "Robo": "strong", "Nobody": "genius"}, told=True)
    assert seats.seats == {"Robo": "strong"} and kept["players"] == ("Ann", "Robo", "Nobody")
    kept = {"players": ["Ann", "Robo"], "seats": {"Robo": "strong"}}
    again = ToldSeats(evening_.session, kept)
    assert again.seats == {"Robo": "strong"}
    for odd in ({"players": ["Ann", "Bob"]}, {"seats": {"Robo": "genius"}}, {"seats": ["Robo"]}):
        assert ToldSeats(evening_.session, kept | odd).seats == {}
    for one in (seats, again):
        one.stand_up("Robo")


@pytest.mark.parametrize("level", ["easy", "normal", "strong", "greedy"])
def test_of_the_djinns_turned_up_a_robot_keeps_one_worth_it(level: str, evening_: Evening) -> None:
    """Jafaar (viziers 3 each) for a player with nine viziers, whatever else is drawn; the points printed on both are 6."""
    from dataclasses import replace

    from naqala.robots import kept

    evening_.bid()
    game = evening_.shown.game
    name = str(game.turn.player)
    rich = [
        replace(one, viziers=9, elders=4, djinns=("Sibittis",)) if one.name == name else one
        for one in game.players
    ]
    game = replace(game, players=tuple(rich), djinn_row=tuple(d for d in game.djinn_row if d not in DRAWN))
    power = Power(name, "Sibittis", elders=2)
    assert kept(level, game, power, DRAWN, Random(1)).keep == "Jafaar"


DRAWN = ("Boaz", "Jafaar", "Hagis")
