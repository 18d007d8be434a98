"""A flag while it is followed, reminders, an undo: what the page says of them."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest
from flask import render_template
from naqala.dashboard import reminders, scene, view, viewers, words
from naqala.journal import Entry
from naqala.rules import notation
from naqala.rules.actions import Correct, Sow, Standing, Undo
from naqala.rules.board import TILES
from naqala.rules.events import Spent
from naqala.rules.tiles import asked_for
from naqala.session import chronicle
from naqala.session.snapshot import LogLine
from naqala.table.readings import Note

from tests.dashboard.stand import Reading, Stand, a_game, app_for, snapshot_after

STUCK: dict[str, Any] = {
    "reading": "wrong",
    "breaches": [{"rule": "no_immediate_backtracking", "drop": 3, "tiles": ["B3"]}],
    "repair": [
        {"piece": "meeple R", "from": "B3", "onto": []},
        {"piece": "meeple R", "from": "C3", "onto": []},
    ],
    "stuck": "C3",
    "sowing": {"start": "B2", "drops": [["B3", "G"], ["C3", "R"], ["B3", "R"]]},
}


def guide_for(**more: object) -> Reading:
    plain = {"steps": [], "done": [], "back": [], "undone": False, "eased": False, "lying": [], "home": ""}
    return Reading(plain | more)


def shown_with(tmp_path: Path, at: int = 4, **facts: object) -> dict[str, Any]:
    """The scene of the big screen, words and all."""
    snapshot = snapshot_after(a_game(), at, **facts)
    with app_for(tmp_path, Stand(snapshot)).test_request_context("/"):
        return scene.scene(view.show(snapshot, viewers.THE_SCREEN))


def test_a_flag_that_is_followed_keeps_its_reason_and_ticks_off_its_steps(tmp_path: Path) -> None:
    first, second = STUCK["repair"]
    guide = guide_for(steps=[second], done=[first], lying=[["B3", "G"], ["C3", "R"]])
    found = shown_with(tmp_path, reading=Reading(STUCK), guide=guide)
    flag = found["flag"]
    assert (flag["title"], flag["seen"]) == ("That meeple went straight back", "Seen: B3, C3, then B3.")
    assert flag["stuck"] == "From C3 on, this move can't end legally."
    assert (flag["done"], flag["steps"]) == (
        ["Take the assassin off B3."],
        ["Take the assassin off C3."],
    )
    assert (flag["more"], flag["back"], flag["calm"]) == ("", [], False)
    assert [step.number for step in found["steps"]] == [1, 2], "what was taken up is drawn no more"
    assert not any(step.wrong for step in found["steps"])


def test_the_same_step_twice_is_one_with_its_number(tmp_path: Path) -> None:
    take = {"piece": "meeple G", "from": "C5", "onto": []}
    guide = guide_for(steps=[take, {"piece": "meeple B", "from": None, "onto": ["C5"]}, take])
    flag = shown_with(tmp_path, reading=Reading(STUCK), guide=guide)["flag"]
    assert flag["steps"] == ["Take 2 merchants off C5.", "Put a builder on C5."]


def test_an_undo_is_a_calm_list_and_no_question(tmp_path: Path) -> None:
    guide = guide_for(undone=True, steps=[{"piece": "meeple G", "from": "C4", "onto": ["C3"]}])
    reading = Reading({"reading": "wrong", "breaches": []})
    found = shown_with(tmp_path, reading=reading, guide=guide)
    flag = found["flag"]
    assert (flag["title"], flag["rule"]) == ("Undone", "The pieces go back to where they were.")
    assert (
        flag["steps"] == ["Move the merchant from C4 to C3."] and flag["calm"] and found["question"] is None
    )


@pytest.mark.parametrize(
    ("letter", "left", "sentence"),
    [
        ("G", 2, "2 merchants. They go into the bag."),
        ("B", 1, "1 builder. It goes into the bag."),
        ("Y", 1, "1 vizier. {player} keeps it."),
        ("W", 2, "2 elders. {player} keeps them."),
    ],
)
def test_what_is_still_to_be_taken_up_says_where_it_goes(
    tmp_path: Path, letter: str, left: int, sentence: str
) -> None:
    game = a_game()
    sown = next(
        n
        for n in range(1, 400)
        if game.actions[n - 1].__class__ is Sow and game.at(n).turn.collected[:left] == letter * left
    )
    turn = game.at(sown).turn
    note = Note("take", str(turn.tile), letter * left)
    found = shown_with(tmp_path, sown, due=(note,))
    said = sentence.format(player=turn.player)
    assert found["due"] == [f"Still to take off {turn.tile}: {said}"]
    assert found["board"][turn.tile]["mark"] == "take"
    later = next(n for n in range(sown, 400) if game.at(n).turn.player != turn.player)
    again = shown_with(tmp_path, later, due=(note,))["due"]
    spent = sum(
        event.elders for step in game.steps[sown:later] for event in step.events if isinstance(event, Spent)
    )
    assert (letter == "W" and spent) or again == found["due"], "whoever's turn it is by now"


def test_elders_spent_before_they_were_taken_up_go_into_the_bag(tmp_path: Path) -> None:
    shown = view.show(snapshot_after(a_game(), 4), viewers.THE_SCREEN)
    taken = {"event": "Collected", "player": "Ann", "tile": "C2", "meeple": "W", "count": 3}
    paid = {"event": "Spent", "player": "Ann", "elders": 2, "fakirs": 0, "cause": "sacred_place"}
    lines = [{"undone": False, "events": [taken]}, {"undone": False, "events": [paid]}]
    with app_for(tmp_path, Stand(snapshot_after(a_game(), 4))).test_request_context("/"):

        def said(letters: str, log: list[dict[str, Any]]) -> str:
            due = [{"note": "take", "tile": "C2", "what": letters}]
            return reminders.due(shown | {"log": log, "due": due})[0].partition(". ")[2]

        assert said("WW", lines) == "They go into the bag."
        assert said("WWW", lines) == "2 of them were spent and go into the bag, the rest is kept."
        assert said("WWW", lines[:1]) == "Ann keeps them."
        assert said("W", [lines[0], {"undone": True, "events": [paid]}]) == "Ann keeps it."
        struck = {"event": "Killed", "player": "Ann", "meeple": "W", "tile": "C2"}
        assert said("W", [{"undone": False, "events": [struck]}]) == "It goes into the bag."
        kept = struck | {"event": "Kept"}
        assert said("W", [{"undone": False, "events": [kept]}]) == "Ann keeps it."


@pytest.mark.parametrize(
    ("what", "sentence"),
    [
        ("palm", "Still to put on C2: a palm tree."),
        ("camel Ann", "Still to put on C2: a camel of Ann."),
    ],
)
def test_what_is_still_to_be_placed_is_said_and_marked_without_blame(
    tmp_path: Path, what: str, sentence: str
) -> None:
    note = Note("owed", "C2", what)
    found = shown_with(tmp_path, due=(note,))
    assert (found["due"], found["board"]["C2"]["mark"]) == ([sentence], "put")
    differs = Reading({"reading": "wrong", "breaches": []})
    found = shown_with(tmp_path, due=(note,), reading=differs)
    assert (found["flag"]["title"], found["flag"]["calm"]) == ("Still to do on the table", True)
    assert found["board"]["C2"]["mark"] == "put"
    assert shown_with(tmp_path, reading=differs)["flag"]["title"] == "The table and the record differ"


def placing(asked: str | None, *repair: tuple[str, str | None, str | None]) -> Reading:
    """A palm or a palace that is not where it should be: the repair as (piece, from, onto)."""
    breach = {"rule": "places_what_the_tile_asks", "tiles": ["B2"], "asked": asked}
    steps = [
        {"piece": piece, "from": source, "onto": [onto] if onto else []} for piece, source, onto in repair
    ]
    return Reading({"reading": "wrong", "breaches": [breach], "repair": steps})


def test_a_palm_on_a_wrong_tile_is_explained_by_the_place(tmp_path: Path) -> None:
    game = a_game()
    at = next(n for n in range(400) if game.at(n).turn.phase == "tile" and asked_for(game.at(n)) == "palm")
    end = str(game.at(at).turn.tile)
    wrong = next(tile for tile in ("A1", "A2") if tile != end)
    here = f"The last meeple of this move stands on {end}."
    back = (Reading({"piece": "palm", "from": wrong, "onto": []}),)

    found = shown_with(tmp_path, at, reading=placing("palm", ("palm", wrong, end)), repair=back)
    flag = found["flag"]
    assert (flag["title"], flag["rule"]) == (f"The palm tree belongs on {end}", here)
    assert (flag["seen"], flag["steps"]) == (
        f"Seen on {wrong}.",
        [f"Move a palm tree from {wrong} to {end}."],
    )
    assert (flag["back"], flag["calm"]) == ([], False), "there is no move to be begun anew"
    assert (found["board"][wrong]["mark"], found["board"][end]["mark"]) == ("wrong", "put")
    assert found["board"][wrong]["strays"] == (("palm", "", ""),)

    other = shown_with(tmp_path, at, reading=placing("palm", ("palace", wrong, None), ("palm", None, end)))
    assert other["flag"]["title"] == f"{end} needs a palm tree"
    assert other["flag"]["rule"] == f"{here} An oasis gets a palm tree, a village gets a palace."

    owed = shown_with(tmp_path, at, reading=placing("palm", ("palm", None, end)))
    assert (owed["flag"]["title"], owed["flag"]["calm"]) == (f"{end} needs a palm tree", True)
    assert (owed["flag"]["seen"], owed["board"][end]["mark"]) == ("", "put")

    undue = shown_with(tmp_path, 4, reading=placing(None, ("palace", "B2", None)))
    assert undue["flag"]["title"] == "No palace is due now"


def test_a_wrong_camel_is_drawn_where_it_lies(tmp_path: Path) -> None:
    breach = {"rule": "marks_control", "tiles": ["B2"]}
    step = {"piece": "camel P1", "from": "B2", "onto": ["D4"]}
    snapshot = snapshot_after(a_game(("P1", "P2")), 4)
    snapshot = replace(
        snapshot, reading=Reading({"reading": "wrong", "breaches": [breach], "repair": [step]})
    )
    with app_for(tmp_path, Stand(snapshot)).test_request_context("/"):
        found = scene.scene(view.show(snapshot, viewers.THE_SCREEN))
        drawn = render_template("fragments/board.html", **found)
    assert found["board"]["B2"]["strays"] == (("camel P1", "pink", "P"),)
    assert found["board"]["B2"]["mark"] == "wrong" and found["board"]["D4"]["mark"] == "put"
    tile = drawn.partition('id="tile-B2"')[2].partition('id="tile-')[0]
    assert 'class="stray player-pink"' in tile and "out of place: a camel of P1" in tile
    assert drawn.count('class="stray') == 1


def test_a_move_that_cannot_end_any_more_is_a_flag_with_the_way_back(tmp_path: Path) -> None:
    """Only the assassin can end, on B3, the one tile with another: whoever drops it earlier has no end left."""
    board = {"A1": "YGR", "B3": "R"}
    opening = a_game().opening
    tiles = tuple(
        replace(tile, meeples=board.get(name, "")) for name, tile in zip(TILES, opening.tiles, strict=True)
    )
    drops = [["A2", "G"], ["B2", "R"]]
    doing = {"reading": "doing", "hand": "Y", "path": ["A1", "A2", "B2"], "drops": drops, "open": []}
    facts: dict[str, Any] = {"game": replace(opening, tiles=tiles), "log": (), "choices": ()}
    reading = Reading(doing | {"warning": "No drop from here can end on its own colour."})
    found = shown_with(tmp_path, 0, reading=reading, **facts)
    flag = found["flag"]
    assert flag["title"] == "This move can't end legally any more"
    assert (flag["calm"], flag["decide"]) == (False, False)
    assert (flag["steps"], flag["more"]) == (["Take the assassin off B2."], "")
    assert (flag["back"], flag["back_more"]) == (
        ["Move the assassin from B2 to A1."],
        "2 more steps after this",
    )
    assert (found["board"]["B2"]["mark"], found["board"]["A2"]["mark"]) == ("wrong", None)
    assert [step.wrong for step in found["steps"]] == [False, True]
    astray = doing | {"path": ["A1", "B1"], "drops": [["B1", "R"]], "warning": "-", "hand": "YG"}
    flag = shown_with(tmp_path, 0, reading=Reading(astray), **facts)["flag"]
    assert flag["steps"] == ["Take the assassin off B1."] and flag["back"] == [
        "Move the assassin from B1 to A1."
    ]
    alone = tuple(replace(tile, meeples="" if tile.meeples == "R" else tile.meeples) for tile in tiles)
    nowhere = facts | {"game": replace(opening, tiles=alone)}
    flag = shown_with(tmp_path, 0, reading=Reading(astray), **nowhere)["flag"]
    assert flag["stuck"] == "No move from A1 can end legally."
    assert (
        flag["steps"][:2] == ["Move the assassin from B1 to A1.", "Put a vizier on A1."]
        and flag["back"] == []
    )
    assert shown_with(tmp_path, 0, reading=Reading(doing), **facts)["flag"] is None


def test_a_correction_says_what_it_took_over_tile_by_tile(tmp_path: Path) -> None:
    opening = a_game().opening
    old = {name: opening.tile(name) for name in ("B2", "C3")}
    told = Correct(
        (
            Standing("B2", old["B2"].meeples[1:], None, 0, 0),
            Standing("C3", old["C3"].meeples + old["B2"].meeples[0], opening.players[0].name, 1, 0),
        )
    )
    entry = Entry(1, 1_760_000_000_000, "correction", "owner", notation.to_json(told))
    line = chronicle.begun(opening).after(entry).log[0]
    found = shown_with(tmp_path, 0, log=(line,))
    name = opening.players[0].name
    with app_for(tmp_path, Stand(snapshot_after(a_game(), 0))).test_request_context("/"):
        before = {tile: words.meeples(old[tile].meeples) for tile in old}
        after = [words.meeples(tile.meeples) for tile in told.tiles]
    assert (
        found["recent"][0]["said"]
        == found["corrected"]
        == (
            f"The host uses what's on the table. B2: {before['B2']} → {after[0]}; "
            f"C3: {before['C3']}, no camel, 0 palm trees → {after[1]}, camel of {name}, 1 palm tree. "
            f"{name}: +{opening.tile('C3').points + 3} points."
        )
    )
    assert shown_with(tmp_path, 4)["corrected"] == ""


def test_where_a_piece_may_go_is_said_while_it_is_in_the_hand(tmp_path: Path) -> None:
    guide = guide_for(eased=True, steps=[{"piece": "meeple G", "from": None, "onto": ["D3", "B3"]}])
    doing = Reading({"reading": "doing", "hand": "G", "path": ["C3"], "drops": [], "open": []})
    found = shown_with(tmp_path, reading=doing, guide=guide)
    assert (found["flag"], found["due"]) == (None, ["Put a merchant on B3 or D3."])


def test_an_undo_in_the_log_names_what_it_took_back(tmp_path: Path) -> None:
    record = a_game()
    snapshot = snapshot_after(record, 3)
    first = snapshot.log[1].by
    gone = tuple(replace(line, undone=line.number > 1) for line in snapshot.log)
    undo = LogLine(4, 1_760_000_100_000, "owner", "undo", Undo(1))
    found = shown_with(tmp_path, 1, log=(*gone, undo))
    spot = record.actions[1].spot
    assert found["recent"][0]["said"] == f"The host takes back: {first} bids {spot}. And 1 step after it."
