"""What people decide against the record changes nobody's points without the others: from the pages to the journal."""

from __future__ import annotations

import random

from naqala.rules.board import TILES
from naqala.rules.scoring import score
from naqala.session import commands as c
from naqala.session.patience import MOST_AT_ONCE
from naqala.transcript import Piece

from tests.dashboard.two_worlds import World, anything


def points(world: World) -> dict[str, int]:
    return {one.name: one.total for one in score(world.game)}


def cheat(world: World) -> tuple[str, list[str], list[str]]:
    """Somebody whose turn it is not puts three camels on the dearest free tiles, and says that the table is right."""
    ann = next(player.name for player in world.game.players if player.name != world.game.turn.player)
    free = sorted(
        (name for name in TILES if not world.game.tile(name).camel),
        key=lambda name: -world.game.tile(name).points,
    )
    for name in free[:3]:
        world.hands.put(name, Piece("camel", world.hands._colours[ann]))
        world.hands.show(name)
    world.rest()
    say_that_the_table_is_right(world, ann)
    others = [player.name for player in world.game.players if player.name != ann]
    return ann, others, free[:3]


def say_that_the_table_is_right(world: World, name: str) -> tuple[int, str, str]:
    return world.post(world.browsers[name], "/t/oak/table-is-right", step=str(world.session.snapshot.step))


def answer(world: World, name: str, agreed: str) -> tuple[int, str, str]:
    asked = world.session.snapshot.asked
    number = asked.number if asked else 1
    step = str(world.session.snapshot.step)
    return world.post(world.browsers[name], f"/t/oak/consent/{number}", step=step, agreed=agreed)


def test_three_camels_on_the_dearest_tiles_bring_nothing_without_the_others(world: World) -> None:
    before, step = points(world), world.session.snapshot.step
    worth = {name: world.game.tile(name).points for name in TILES}
    ann, others, tiles = cheat(world)
    assert (points(world), world.session.snapshot.step) == (before, step), "nobody else was asked"
    asked = world.session.snapshot.asked
    assert asked is not None and (asked.by, set(asked.waiting_for)) == (ann, set(others))
    gained = dict(asked.points)[ann]
    assert gained >= sum(worth[name] for name in tiles) > 30
    for who in (others[0], "spectator"):
        page = world.browsers[who].get("/t/oak/seat" if who in others else "/t/oak/").text
        assert f"{ann} asks to use what&#39;s on the table" in page
        assert f"{ann}: +{gained} points" in page
        for name in tiles:
            assert f"{name}: no camel → camel of {ann}" in page, "before and after, tile by tile"
    answer(world, others[0], "yes")
    assert points(world) == before, "all of them"
    answer(world, ann, "yes")
    assert points(world) == before, "not of the one who asks"
    answer(world, others[1], "yes")
    assert points(world)[ann] == before[ann] + gained
    assert world.session.snapshot.asked is None
    log = world.browsers["spectator"].get("/t/oak/log").text
    assert f"{ann}: +{gained} points." in log
    assert f"agreed to what {ann} asked." in log and all(
        f"{name}: no camel → camel of {ann}" in log for name in tiles
    )


def test_one_no_is_enough(world: World) -> None:
    before, step = points(world), world.session.snapshot.step
    _, others, _ = cheat(world)
    answer(world, others[0], "yes")
    answer(world, others[1], "no")
    assert (points(world), world.session.snapshot.step, world.session.snapshot.asked) == (before, step, None)


def test_what_was_agreed_to_is_what_is_written(world: World) -> None:
    """Another camel is put down between the question and the last yes."""
    before = points(world)
    ann, others, tiles = cheat(world)
    answer(world, others[0], "yes")
    more = next(name for name in TILES if not world.game.tile(name).camel and name not in tiles)
    world.hands.put(more, Piece("camel", world.hands._colours[ann]))
    world.hands.show(more)
    world.rest()
    said = answer(world, others[1], "yes")[2]
    assert said == "The table has changed since this was asked. Ask once more."
    assert (points(world), world.session.snapshot.asked) == (before, None)


def test_the_host_answers_for_those_without_a_phone_only(world: World) -> None:
    before = points(world)
    ann, others, _ = cheat(world)
    assert answer(world, "owner", "yes")[2], "all of them have phones"
    world.post(world.browsers[others[0]], "/t/oak/stand-up", name=others[0])
    answer(world, "owner", "yes")
    asked = world.session.snapshot.asked
    assert asked is not None and asked.waiting_for == (others[1],)
    answer(world, others[1], "yes")
    assert points(world)[ann] > before[ann]


def test_a_correction_that_changes_nobodys_points_is_one_tap(world: World) -> None:
    before = points(world)
    tile = next(name for name in TILES if len(world.game.tile(name).meeples) > 2)
    letter = world.game.tile(tile).meeples[0]
    to = next(name for name in TILES if name != tile)
    world.hands.take(tile, Piece("meeple", letter))
    world.hands.put(to, Piece("meeple", letter))
    world.hands.show(tile)
    world.hands.show(to)
    world.rest()
    say_that_the_table_is_right(world, world.game.players[0].name)
    line = world.session.snapshot.log[-1]
    assert (line.kind, world.session.snapshot.asked, points(world)) == ("correction", None, before)


def test_a_move_against_the_rules_that_brings_points_waits_for_the_others(world: World) -> None:
    """Viziers taken with a move that goes straight back: "play on as it lies" is asked of the others, and so says the log."""
    while world.game.turn.phase != "sow":
        world.do(anything([world.game], random.Random(3)))
    mover = str(world.game.turn.player)
    start, over, letters = straight_back(world)
    before, step = points(world), world.session.snapshot.step
    for letter in letters:
        world.hands.take(start, Piece("meeple", letter))
    world.hands.show(start)
    for tile, letter in zip((over, start, over), letters, strict=True):
        world.rest(900)
        world.hands.put(tile, Piece("meeple", letter))
        world.hands.show(tile)
    world.rest()
    world.post(world.browsers[mover], "/t/oak/play-on", step=str(world.session.snapshot.step))
    asked = world.session.snapshot.asked
    if (
        asked is None
    ):  # it was let go on before its last meeple was scooped: it is asked for as soon as it is all down
        assert world.session.snapshot.log[-1].body["played_on"]
        while Piece("meeple", letters[-1]) in [world.hands.tags[tag] for tag in world.hands.on[over]]:
            world.hands.take(over, Piece("meeple", letters[-1]))
        world.hands.show(over)
        world.rest()
        asked = world.session.snapshot.asked
    assert points(world) == before
    assert asked is not None and (asked.kind, asked.by) == ("override", mover)
    refuser = asked.waiting_for[0]
    answer(world, refuser, "no")
    world.rest()
    assert (points(world), world.session.snapshot.asked) == (before, None), (
        "and it is not asked again by itself"
    )
    assert (
        f"{refuser} did not agree that the move stands." in world.browsers["spectator"].get("/t/oak/log").text
    )
    world.post(world.browsers[mover], "/t/oak/play-on", step=str(world.session.snapshot.step))
    for name in (asked := world.session.snapshot.asked).waiting_for if asked else ():
        answer(world, name, "yes")
    assert points(world) != before
    line = next(line for line in reversed(world.session.snapshot.log) if line.kind == "override")
    assert line.body["points"] and step < line.number


def straight_back(world: World) -> tuple[str, str, str]:
    """A tile with three meeples, a neighbour that holds the colour of the last one, which brings points (Y or W)."""
    for start in TILES:
        meeples = world.game.tile(start).meeples
        for over in TILES:
            near = abs(ord(start[0]) - ord(over[0])) + abs(int(start[1]) - int(over[1])) == 1
            for last in "YW":
                if (
                    near
                    and len(meeples) == 3
                    and last in meeples
                    and world.game.tile(over).meeples.count(last) >= 1
                ):
                    return start, over, meeples.replace(last, "", 1) + last
    raise AssertionError("no such move in this position")


def test_one_seat_cannot_ask_without_end(world: World) -> None:
    said = []
    ann, others, _ = cheat(world)
    for _ in range(2 * MOST_AT_ONCE):
        answer(world, others[0], "no")
        said.append(say_that_the_table_is_right(world, ann)[2])
    assert said.count("That was often. Wait a moment.") >= MOST_AT_ONCE
    world.rest(60_000)
    answer(world, others[0], "no")
    assert say_that_the_table_is_right(world, ann)[2] == ""


def test_another_question_does_not_push_the_open_one_aside(world: World) -> None:
    ann, others, _ = cheat(world)
    asked = world.session.snapshot.asked
    told = world.session.tell(c.TableIsRight(others[0], world.session.snapshot.step))
    assert (told.accepted, told.why) == (False, "question_open")
    assert world.session.snapshot.asked == asked
    assert asked is not None and asked.by == ann
