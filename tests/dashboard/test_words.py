"""Everything the rules can say has its sentence: rules, djinns, goods, tiles, phases, causes, actions, refusals."""

from __future__ import annotations

import ast
import re
from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path

import pytest
from naqala.dashboard import (
    answers,
    end,
    flags,
    offers,
    problems,
    reminders,
    setup,
    story,
    view,
    viewers,
    words,
)
from naqala.dashboard.keys import load_keys
from naqala.rules.actions import VERBS, Kill, Power, Victim
from naqala.rules.board import TILES
from naqala.rules.djinns import DJINNS
from naqala.rules.goods import RESOURCES
from naqala.rules.model import PHASES, SWITCHES
from naqala.rules.scoring import CATEGORIES
from naqala.rules.tiles import TILE_TYPES
from naqala.session import commands
from naqala.session.commands import Answer
from naqala.session.snapshot import Problem
from naqala.table.readings import Note, Unclear

from tests.dashboard.stand import Reading, Stand, a_game, app_for, snapshot_after, step_where

RULES_TEXT = "\n".join(path.read_text() for path in Path(commands.__file__).parents[1].glob("rules/*.py"))


def refusals() -> Iterator[str]:
    """Every key a session refuses with, read from its sources."""
    for path in Path(commands.__file__).parent.glob("*.py"):
        for node in ast.walk(ast.parse(path.read_text())):
            if isinstance(node, ast.Call) and isinstance(node.func, ast.Name) and node.func.id == "Refused":
                first = node.args[0]
                assert isinstance(first, ast.Constant)
                yield str(first.value)


def test_tables_of_words_are_complete() -> None:
    assert set(words.DJINN_WORDS) == set(DJINNS)
    assert set(words.CARD_NAMES) == set(RESOURCES)
    assert set(words.TILE_NAMES) == set(words.OFFERS) == set(TILE_TYPES)
    assert set(words.DOING_NOW) == set(words.YOU_NOW) == set(PHASES) - {"reveal", "over"}
    assert set(end.ROWS) == set(CATEGORIES)
    assert set(setup.SWITCH_WORDS) == set(SWITCHES)
    for name, (_, options) in setup.SWITCH_WORDS.items():
        assert tuple(options) == SWITCHES[name]
    assert set(story.TOLD) | {"undo", "correct"} >= set(VERBS)
    assert set(story.DEEDS) | {"undo"} == set(VERBS)
    assert set(offers.BUTTONS) | {"sow", "undo", "correct"} >= set(VERBS)


def test_every_breach_of_the_rules_has_its_flag() -> None:
    named = set(re.findall(r'Breach\(\s*"(\w+)"', RULES_TEXT)) | {
        "no_immediate_backtracking",
        "marks_control",
    }
    assert len(named) >= 10
    assert named <= set(flags.RULES)


def test_every_refusal_has_its_sentence() -> None:
    known = set(answers.WHY)
    assert set(refusals()) <= known
    assert {"stale", "stopped", "invalid", "journal"} <= known


@pytest.mark.parametrize("seed", range(6))
def test_every_line_of_a_game_is_told(tmp_path: Path, seed: int) -> None:
    record = a_game(2 + seed % 3, seed, switches=None if seed % 2 else {})
    snapshot = snapshot_after(record, len(record.steps))
    with app_for(tmp_path, Stand(snapshot)).test_request_context("/"):
        for line in view.show(snapshot, viewers.THE_SCREEN)["log"]:
            said = story.tell(line)
            assert said.endswith(".")
            assert "%" not in said
            assert "None" not in said


def test_a_broken_rule_is_refused_in_words(tmp_path: Path) -> None:
    from naqala.rules.breach import Breach

    breaches = (Breach("pays_the_price", details=(("gold", 3), ("price", 5))),)
    with app_for(tmp_path, Stand(snapshot_after(a_game(), 0))).test_request_context("/"):
        said = answers.refusal(Answer(False, "illegal", (("breaches", breaches),)))
    assert said.startswith("That can't be paid. ")


def flag_for(
    tmp_path: Path, reading: dict[str, object], repair: tuple[dict[str, object], ...] = ()
) -> dict[str, object]:
    shown = {"reading": Reading(reading), "repair": tuple(map(Reading, repair))}
    snapshot = snapshot_after(a_game(), 4, **shown)
    with app_for(tmp_path, Stand(snapshot)).test_request_context("/"):
        found = flags.flag(view.show(snapshot, viewers.THE_SCREEN))
    assert found is not None
    return found


def test_the_flag_says_what_was_seen_and_the_way_back(tmp_path: Path) -> None:
    found = flag_for(
        tmp_path,
        {
            "reading": "wrong",
            "breaches": [{"rule": "no_immediate_backtracking", "drop": 3, "tiles": ["C4"]}],
            "remedy": "",
            "repair": [
                {"piece": "meeple R", "from": "C4", "onto": ["E4", "D3"]},
                {"piece": "camel Ann", "from": "A1", "onto": []},
                {"piece": "palm", "from": None, "onto": ["B2"]},
            ],
            "sowing": {"start": "C3", "drops": [["C4", "G"], ["D4", "B"], ["C4", "R"]]},
        },
    )
    assert found["title"] == "That meeple went straight back"
    assert found["seen"] == "Seen: C4, D4, then C4."
    assert found["steps"] == [
        "Take the assassin off C4. It can go to D3 or E4.",
        "Take a camel of Ann off A1.",
        "Put a palm tree on B2.",
    ]
    assert found["more"] == "2 more steps after this"
    assert (found["print"], found["rules"]) == ("drop 3", "no_immediate_backtracking")
    assert found["drops"] == [3]


def test_the_shortest_way_on_comes_before_the_way_back_to_the_start(tmp_path: Path) -> None:
    wrong = {
        "reading": "wrong",
        "breaches": [{"rule": "drops_on_neighbours", "drop": 2, "tiles": ["E5"]}],
        "repair": [{"piece": "meeple R", "from": "E5", "onto": ["D3"]}],
        "sowing": {"start": "C3", "drops": [["C4", "G"], ["E5", "R"]]},
    }
    home = (
        {"piece": "meeple R", "from": "E5", "onto": ["C3"]},
        {"piece": "meeple G", "from": "C4", "onto": ["C3"]},
    )
    found = flag_for(tmp_path, wrong, home)
    assert found["steps"] == ["Move the assassin from E5 to D3."]
    assert (found["back"], found["back_more"]) == (
        ["Move the assassin from E5 to C3."],
        "1 more step after this",
    )
    assert flag_for(tmp_path, wrong | {"repair": []}, home)["steps"] == [
        "Move the assassin from E5 to C3.",
        "Move the merchant from C4 to C3.",
    ]


def test_a_question_has_a_way_out_when_it_was_none_of_them(tmp_path: Path) -> None:
    asked = {"reading": "unclear", "options": [{"start": "C3", "drops": [], "end": "D3", "colour": "B"}]}
    home = ({"piece": "meeple B", "from": "D3", "onto": ["C3"]},)
    snapshot = snapshot_after(a_game(), 4, reading=Reading(asked), repair=tuple(map(Reading, home)))
    with app_for(tmp_path, Stand(snapshot)).test_request_context("/"):
        found = flags.question(view.show(snapshot, viewers.THE_SCREEN))
    assert found is not None
    assert found["options"] == [(0, "From C3, ending on D3 with a builder")]
    assert found["back"] == ["Move the builder from D3 to C3."]


def test_a_question_says_what_an_answer_costs(tmp_path: Path) -> None:
    """For whoever answers: the host, for a player without a phone. Others read who decides."""
    snapshot = snapshot_after(a_game(), 4)
    name = str(snapshot.game.turn.player)
    kill = Kill(name, (Victim("G", tile="F1"),), 3)
    powers = (Power(name, "Utug", 2), Power(name, "Utug", 1, 1))
    snapshot = replace(snapshot, reading=Unclear(actions=(kill, *powers)))
    with app_for(tmp_path, Stand(snapshot)).test_request_context("/"):
        found = flags.question(view.show(snapshot, viewers.Viewer("screen", owner=True)))
        others = flags.question(view.show(snapshot, viewers.THE_SCREEN))
    assert found is not None and others is not None
    assert found["options"] == [
        (0, "Struck: 1 merchant (F1), costs 3 fakirs"),
        (1, "Utug: 2 elders"),
        (2, "Utug: 1 elder and 1 fakir"),
    ]
    assert (others["title"], others["options"]) == (f"{name} decides how this was paid.", [])


def test_every_note_of_the_referee_has_its_sentence() -> None:
    sources = sorted((Path(commands.__file__).parents[1] / "table").glob("*.py"))
    kinds = {kind for source in sources for kind in re.findall(r'Note\(\s*"(\w+)"', source.read_text())}
    assert kinds == set(reminders.NOTES)


@pytest.mark.parametrize(
    ("note", "sentence"),
    [
        ({"note": "silent_reader", "tile": "C4", "what": "absent"}, "C4: this reader is silent"),
        ({"note": "missing", "tile": "C4", "what": "R"}, "C4: a piece is missing (an assassin)"),
    ],
)
def test_a_note_in_words(tmp_path: Path, note: dict[str, str], sentence: str) -> None:
    snapshot = snapshot_after(a_game(), 4, reading=Reading({"reading": "quiet", "notes": [note]}))
    with app_for(tmp_path, Stand(snapshot)).test_request_context("/"):
        assert reminders.notes(view.show(snapshot, viewers.THE_SCREEN)) == [sentence]


def test_a_table_that_differs_without_a_rule(tmp_path: Path) -> None:
    found = flag_for(
        tmp_path,
        {
            "reading": "wrong",
            "breaches": [],
            "remedy": "",
            "repair": [{"piece": "meeple Y", "from": "A1", "onto": ["B1"]}],
        },
    )
    assert found["title"] == "The table and the record differ"
    assert found["steps"] == ["Move the vizier from A1 to B1."]


def test_every_trouble_of_the_set_up_check_has_its_sentence() -> None:
    source = Path(commands.__file__).parents[1] / "table/setup_check.py"
    kinds = set(re.findall(r'Trouble\(\s*"(\w+)"', source.read_text()))
    assert len(kinds) >= 8
    told = set(problems.PROBLEMS) | set(problems.COUNTED)
    assert kinds <= told


@pytest.mark.parametrize("stage", ["play", "over"])
def test_many_notes_leave_room_for_the_rest_of_the_panel(tmp_path: Path, stage: str) -> None:
    """A table that was bumped has a note for every tile: the first ones and their number are said, none when all is over."""
    bumped = [{"note": "shifted_tile", "tile": tile, "what": ""} for tile in ("A1", "B1", "C1", "D1", "E1")]
    reading = Reading({"reading": "quiet", "notes": bumped})
    stand = Stand(snapshot_after(a_game(), 4, reading=reading, stage=stage))
    page = app_for(tmp_path, stand).test_client().get("/t/oak/").text
    wanted = ["A1", "B1", "C1"] if stage == "play" else []
    assert re.findall(r"(\w\w): this tile belongs elsewhere", page) == wanted
    assert ("2 more" in page) == (stage == "play")


def test_a_table_that_is_being_laid_out_is_no_wall_of_mistakes(tmp_path: Path) -> None:
    """While the tiles come one by one their number is said; what is wrong is said when little is left to do."""
    empty = [Problem("missing_tile", tile, "", (("tiles", (tile,)),)) for tile in TILES]
    for missing, said in ((20, "10 of 30 tiles are ready."), (3, "no tile lies here")):
        stand = Stand(
            replace(snapshot_after(a_game(), 0), stage="setup", game=None, problems=tuple(empty[:missing]))
        )
        client = app_for(tmp_path, stand).test_client()
        client.get(f"/owner?token={load_keys(tmp_path).owner}")
        screen, check = client.get("/t/oak/").text, client.get("/t/oak/setup").text
        assert said in screen and said in check
        assert ('class="problems"' in screen) == ('id="every-problem"' not in check) == (missing == 3)


def test_a_tile_that_is_seen_twice_is_named_as_people_do(tmp_path: Path) -> None:
    with app_for(tmp_path, Stand(snapshot_after(a_game(), 4))).test_request_context("/"):
        assert words.piece("tile small_market 6") == "Small market 6"


def test_a_flag_names_few_tiles_and_counts_many(tmp_path: Path) -> None:
    for count, seen in ((2, "Seen on A1 and A2."), (7, "Seen on 7 tiles.")):
        breach = {"rule": "plays_in_turn", "tiles": list(TILES[:count])}
        found = flag_for(tmp_path, {"reading": "wrong", "breaches": [breach], "remedy": "", "repair": []})
        assert found["seen"] == seen


def test_a_move_that_was_told_is_drawn_once(tmp_path: Path) -> None:
    """The table follows a tap: the hand is on its way, but its drops are in the record already."""
    record = a_game()
    told = step_where(record, "tile")
    reading = Reading({"reading": "doing", "path": ["A1", "A2"], "drops": [["A2", "Y"]], "hand": ""})
    for step in (told, step_where(record, "sow")):
        snapshot = snapshot_after(record, step, reading=reading)
        board = view.show(snapshot, viewers.THE_SCREEN)["board"]
        drawn = {tile: board[tile]["meeples"] for tile in ("A1", "A2")}
        stands = {tile: snapshot.game.tile(tile).meeples for tile in ("A1", "A2")}
        assert drawn == (stands if step == told else {"A1": "", "A2": stands["A2"] + "Y"})


def test_what_the_tile_asks_for_is_said_once(tmp_path: Path) -> None:
    record = a_game()
    step = next(
        n
        for n in range(len(record.steps))
        if (game := record.at(n)).turn.phase == "tile" and game.tile(game.turn.tile).type == "oasis"
    )
    here = record.at(step).turn.tile
    snapshot = snapshot_after(record, step, due=(Note("owed", here, "palm"), Note("owed", "F5", "camel Ann")))
    with app_for(tmp_path, Stand(snapshot)).test_request_context("/"):
        shown = view.show(snapshot, viewers.THE_SCREEN)
        assert reminders.due(shown) == ["Still to put on F5: a camel of Ann."]
        assert words.now(shown)["more"] == f"{here}: put a palm tree here"
