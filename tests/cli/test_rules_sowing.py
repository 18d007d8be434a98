"""What `naqala rules sowings` and `judge` answer; the commands' common manners are in test_rules.py."""

from __future__ import annotations

import json
import subprocess
import sys
from pathlib import Path

import pytest
from click.testing import CliRunner
from naqala.cli import main
from naqala.cli.rules_sowing import AT_ONCE, judge_answer, sowings_answer
from naqala.rules.board import TILES
from naqala.rules.breach import InvalidAction

NAQALA = Path(sys.executable).parent / "naqala"


def board(**tiles: str) -> tuple[str, ...]:
    return tuple(tiles.get(tile, "") for tile in TILES)


def test_sowings_in_numbers() -> None:
    # From C3 the green one opens the way for the red one, by C4 or D3; the red one on D4 has nowhere to go.
    assert (
        "".join(sowings_answer(board(C3="GR", D4="R")))
        == '{"count": 2, "outcomes": 1, "per_start": {"C3": 2}}\n'
    )


def test_sowings_listed() -> None:
    told = "".join(sowings_answer(board(C3="GR", D4="R"), listed=True))
    assert json.loads(told) == {
        "count": 2,
        "outcomes": 1,
        "per_start": {"C3": 2},
        "sowings": [
            {"start": "C3", "drops": [["C4", "G"], ["D4", "R"]]},
            {"start": "C3", "drops": [["D3", "G"], ["D4", "R"]]},
        ],
    }
    assert told.count("\n") == 1 + 2  # one sowing a line


def test_no_sowings_at_all() -> None:
    none = {"count": 0, "outcomes": 0, "per_start": {}}
    assert json.loads("".join(sowings_answer(board()))) == none
    assert json.loads("".join(sowings_answer(board(), listed=True))) == {**none, "sowings": []}


def test_a_long_list_comes_in_pieces_and_whole() -> None:
    pieces = list(sowings_answer(board(C3="YYYYYYYYB", E2="B", F4="B"), listed=True))
    told = json.loads("".join(pieces))
    assert len(told["sowings"]) == told["count"] > 5 * AT_ONCE
    assert max(piece.count("\n") for piece in pieces) == AT_ONCE


def test_an_endless_list_begins_at_once() -> None:
    pieces = sowings_answer(board(C3="YYYWWWGGGBBBRRR", E2="B"), listed=True)
    assert [next(pieces)[:10], next(pieces)[:12]] == ['{"count": ', '\n{"start": "']


NINETEEN = {"C3": {"meeples": "YYYYWWWWGGGGBBBBRRR"}, "E2": {"meeples": "B"}}


def test_a_list_without_end_says_how_long_it_is_and_can_be_left() -> None:
    """Nineteen meeples on a tile: whoever asks reads the number first, takes what is wanted and goes."""
    pipes = {"stdin": subprocess.PIPE, "stdout": subprocess.PIPE, "stderr": subprocess.PIPE}
    command = [NAQALA, "rules", "sowings", "--list"]
    with subprocess.Popen(command, text=True, **pipes) as asked:  # type: ignore[call-overload]
        asked.stdin.write(json.dumps({"tiles": NINETEEN}))
        asked.stdin.close()
        count = int(asked.stderr.readline().split()[0])
        assert count > 10**15
        assert json.loads(asked.stdout.readline().partition(', "sowings"')[0] + "}")["count"] == count
        for _ in range(3 * AT_ONCE):
            assert len(json.loads(asked.stdout.readline().rstrip(",\n"))["drops"]) == 19
        asked.stdout.close()
        assert "Traceback" not in asked.stderr.read()


def test_the_first_of_a_list() -> None:
    told = CliRunner().invoke(
        main, ["rules", "sowings", "--list", "--first", "7"], json.dumps({"tiles": NINETEEN})
    )
    assert told.exit_code == 0
    assert told.stderr.endswith(" sowings, 7 are listed\n")
    answer = json.loads(told.stdout)
    assert len(answer["sowings"]) == 7 and answer["count"] > 10**15


def test_judge_of_the_design_page() -> None:
    sowing = {"start": "C3", "drops": [["C4", "G"], ["C3", "R"], ["D3", "R"]]}
    assert judge_answer(board(C3="GRR", D3="R"), sowing) == {
        "legal": False,
        "breaches": [{"rule": "no_immediate_backtracking", "drop": 2, "tiles": ["C3"]}],
    }


def test_judge_of_a_legal_sowing() -> None:
    sowing = {"start": "C3", "drops": [["C4", "G"], ["D4", "R"]]}
    assert judge_answer(board(C3="GR", D4="R"), sowing) == {"legal": True, "breaches": []}


def test_judge_names_all_breaches() -> None:
    sowing = {"start": "C3", "drops": [["D4", "G"]]}
    assert judge_answer(board(C3="GR", D4="R"), sowing) == {
        "legal": False,
        "breaches": [
            {"rule": "drops_on_neighbours", "drop": 1, "tiles": ["D4"]},
            {"rule": "ends_on_its_own_colour", "drop": 1, "tiles": ["D4"]},
            {"rule": "takes_every_meeple", "tiles": ["C3"]},
        ],
    }


def test_judge_refuses_what_is_no_sowing() -> None:
    with pytest.raises(InvalidAction, match='no tile "Z9"'):
        judge_answer(board(C3="GR"), {"start": "Z9", "drops": []})


# --- as commands --------------------------------------------------------------------------------------------


def test_a_position_of_the_perft_file_by_command() -> None:
    """Two tiles of nine, as positions.txt has it, listed to the last sowing."""
    tiles = {"B2": "WWWWWWWWG", "E4": "GGGGGGGGW", "D1": "G", "B5": "W"}
    position = {"tiles": {tile: {"meeples": meeples} for tile, meeples in tiles.items()}}
    done = CliRunner().invoke(main, ["rules", "sowings", "--list"], input=json.dumps(position))
    told = json.loads(done.stdout)
    assert (told["count"], told["outcomes"], told["per_start"]) == (27236, 31, {"B2": 14795, "E4": 12441})
    assert len({json.dumps(sowing) for sowing in told["sowings"]}) == 27236


def test_a_program_that_has_read_enough_may_hang_up() -> None:
    """Millions of sowings into a pipe that closes after the first line: the list stops, and no traceback."""
    crowd = {"tiles": {"C3": {"meeples": "YYWWGGBBR"}, "D4": {"meeples": "RB"}}}
    command = [NAQALA, "rules", "sowings", "--list"]
    pipe = subprocess.PIPE
    with subprocess.Popen(command, stdin=pipe, stdout=pipe, stderr=pipe, text=True) as running:
        assert running.stdin and running.stdout and running.stderr
        running.stdin.write(json.dumps(crowd))
        running.stdin.close()
        assert running.stdout.readline().startswith('{"count": ')
        running.stdout.close()
        assert running.stderr.read() == ""


@pytest.mark.parametrize(
    ("question", "line"),
    [
        ('{"tiles": {"C6": {}}}, "sowing": {"start": "C3", "drops": []}', 'tiles: no such tile "C6"'),
        ('{"bag": "K"}, "sowing": {"start": "C3", "drops": []}', 'bag: no such meeple "K"'),
        ('{}, "sowing": {"start": "C3\\nC4", "drops": []}', r'no tile "C3\nC4"'),
        ('{}, "sowing": {"start": "C3", "drops": [["C4", "K"]]}', 'no meeple "K" in drop 1'),
        ('{}, "sowing": {"start": "C3", "drops": [' + '["C4", "G"],' * 90 + '["C4", "G"]]}', "91 drops"),
        ('{}, "sowing": {"start": "' + "C" * 1_000_000 + '", "drops": []}', 'no tile "CCC'),
        ('{}, "sowing": ' + "[" * 100_000, "not JSON: nested too deeply"),
    ],
    ids=("tile", "meeple", "start", "letter", "drops", "long", "deep"),
)
def test_bad_questions_to_the_judge(question: str, line: str) -> None:
    done = CliRunner().invoke(main, ["rules", "judge"], input='{"position": ' + question + "}")
    assert (done.exit_code, done.stdout) == (2, "")
    assert done.stderr.startswith(f"naqala: {line}")
    assert done.stderr.count("\n") == 1 and len(done.stderr) < 200
