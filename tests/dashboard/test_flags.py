"""A flag while it is followed, reminders, an undo: what the page says of them."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest
from naqala.dashboard import scene, view, viewers
from naqala.rules.actions import Undo
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
    assert (flag["title"], flag["seen"]) == ("That drop turns straight back", "Seen: B3, C3, then B3.")
    assert flag["stuck"] == "From C3 on this move could no longer end as the rules ask."
    assert (flag["done"], flag["steps"]) == (
        ["Take from B3: an assassin."],
        ["Take from C3: an assassin."],
    )
    assert (flag["more"], flag["back"], flag["calm"]) == ("", [], False)
    assert [step.number for step in found["steps"]] == [1, 2], "what was taken up is drawn no more"
    assert not any(step.wrong for step in found["steps"])


def test_the_same_step_twice_is_one_with_its_number(tmp_path: Path) -> None:
    take = {"piece": "meeple G", "from": "C5", "onto": []}
    guide = guide_for(steps=[take, {"piece": "meeple B", "from": None, "onto": ["C5"]}, take])
    flag = shown_with(tmp_path, reading=Reading(STUCK), guide=guide)["flag"]
    assert flag["steps"] == ["Take from C5: 2 merchants.", "Put on C5: a builder."]


def test_an_undo_is_a_calm_list_and_no_question(tmp_path: Path) -> None:
    guide = guide_for(undone=True, steps=[{"piece": "meeple G", "from": "C4", "onto": ["C3"]}])
    reading = Reading({"reading": "wrong", "breaches": []})
    found = shown_with(tmp_path, reading=reading, guide=guide)
    flag = found["flag"]
    assert (flag["title"], flag["rule"]) == ("Undone", "The pieces go back to where they were.")
    assert flag["steps"] == ["From C4 to C3: a merchant."] and flag["calm"] and found["question"] is None


@pytest.mark.parametrize(
    ("note", "sentence"),
    [
        (("take", "C2", "GG"), "Still to be taken off C2: 2 merchants. They go into the bag."),
        (("take", "C2", "Y"), "Still to be taken off C2: 1 vizier. {player} keeps them."),
        (("owed", "C2", "palm"), "Still to be put on C2: a palm tree."),
        (("owed", "C2", "camel Ann"), "Still to be put on C2: a camel of Ann."),
    ],
)
def test_a_reminder_in_words(tmp_path: Path, note: tuple[str, str, str], sentence: str) -> None:
    game = a_game()
    sown = next(n for n in range(1, 400) if game.at(n).turn.collected[:1] == "Y" and game.at(n).turn.tile)
    found = shown_with(tmp_path, sown, due=(Note(*note),))
    assert found["due"] == [sentence.format(player=game.at(sown).turn.player)]
    differs = Reading({"reading": "wrong", "breaches": []})
    flag = shown_with(tmp_path, sown, due=(Note(*note),), reading=differs)["flag"]
    assert (flag["title"], flag["calm"]) == ("Still to be done on the table", True), "without blame"
    assert shown_with(tmp_path, sown, reading=differs)["flag"]["title"] == "The table and the record differ"


def test_where_a_piece_may_go_is_said_while_it_is_in_the_hand(tmp_path: Path) -> None:
    guide = guide_for(eased=True, steps=[{"piece": "meeple G", "from": None, "onto": ["D3", "B3"]}])
    doing = Reading({"reading": "doing", "hand": "G", "path": ["C3"], "drops": [], "open": []})
    found = shown_with(tmp_path, reading=doing, guide=guide)
    assert (found["flag"], found["due"]) == (None, ["Put on B3 or D3: a merchant."])


def test_an_undo_in_the_log_names_what_it_took_back(tmp_path: Path) -> None:
    record = a_game()
    snapshot = snapshot_after(record, 3)
    first = snapshot.log[1].by
    gone = tuple(replace(line, undone=line.number > 1) for line in snapshot.log)
    undo = LogLine(4, 1_760_000_100_000, "owner", "undo", Undo(1))
    found = shown_with(tmp_path, 1, log=(*gone, undo))
    spot = record.actions[1].spot
    assert found["recent"][0]["said"] == f"The host takes back: {first} bids {spot}. And 1 step after it."
