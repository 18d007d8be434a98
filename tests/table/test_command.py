"""`naqala watch` as other programs call it."""

from __future__ import annotations

import json
from pathlib import Path

import pytest
from click.testing import CliRunner
from naqala.cli import main

GOLDEN = Path(__file__).parent / "golden"
LEAST = """naqala-transcript 1
position {"tiles": {"C3": {"meeples": "G"}, "C4": {"meeples": "G"}}, "turn": {"player": "Ann"}}
reader 3 C3
reader 9 C4
tag 0400000A meeple G
tag 0400000b meeple G
tag 0400000c camel Bob
@0 seen 1 3 0400000a
@10 seen 2 9 0400000B
@900 seen 3 3 -
@1500 seen 4 9 0400000a,0400000b
"""


def watch(text: str, *arguments: str) -> tuple[int, str]:
    done = CliRunner().invoke(main, ["watch", "-", *arguments], input=text)
    return done.exit_code, done.output


def test_one_json_object_per_reading() -> None:
    code, output = watch(LEAST, "--json")
    assert code == 0
    readings = [json.loads(line) for line in output.splitlines()]
    assert [reading["reading"] for reading in readings] == ["quiet", "doing", "did"]
    assert readings[2]["at"] == 1500
    assert readings[2]["sowing"] == {"start": "C3", "drops": [["C4", "G"]]}


def test_players_who_are_not_listed_are_those_named_by_camels_on_tiles() -> None:
    position = '"players": [{"name": "Ann"}], "tiles": {"D5": {"meeples": "R", "camel": "Bob"},'
    text = LEAST.replace('"tiles": {', position + " ").replace("reader 9", "reader 7 D5\nreader 9")
    text = text.replace("tag 0400000c", "tag 0400000d meeple R\ntag 0400000c")
    code, output = watch(text.replace("@10 ", "@5 seen 9 7 0400000c,0400000d\n@10 "), "--json")
    assert code == 0, output
    assert [json.loads(line)["reading"] for line in output.splitlines()] == ["quiet", "doing", "did"]


def test_words_for_people() -> None:
    code, output = watch((GOLDEN / "alone_of_its_colour.txt").read_text())
    assert code == 0
    assert "wrong: ends_on_its_own_colour at drop 2. Take the yellow one from C5 and drop it on D4." in output
    assert "doing: YG in hand, path C3" in output
    code, output = watch((GOLDEN / "question.txt").read_text())
    assert "unclear: C3>C4G>C5W>D5Y>D4B>D3R or C3>D3R>D4B>D5Y>C5W>C4G" in output


def test_a_file_by_name(tmp_path: Path) -> None:
    file = tmp_path / "evening.txt"
    file.write_text(LEAST)
    assert CliRunner().invoke(main, ["watch", str(file), "--json"]).output == watch(LEAST, "--json")[1]


@pytest.mark.parametrize(
    ("text", "line"),
    [
        ("", "begins with 'naqala-transcript 1'"),
        ("naqala-transcript 1\n", "no position"),
        ("naqala-transcript 1\nposition []\n", "position"),
        (
            'naqala-transcript 1\n# an evening\nposition {"tiles": {"Z9": {}}}\n',
            'line 3: tiles: no such tile "Z9"',
        ),
        ('naqala-transcript 1\nposition {"tiles": {}, "turn": []}\n', "line 2: turn: "),
        (LEAST + "@2000 seen x y z\n", "line 12"),
        (LEAST + '@2000 tap {"do": "dance"}\n', "line 12: "),
        (LEAST + '@2000 tap {"do": "sow"}\n', "line 12: "),
        (LEAST + "@2000 tap nonsense\n", "line 12"),
    ],
)
def test_bad_input_is_one_line_and_exit_code_two(text: str, line: str) -> None:
    code, output = watch(text, "--json")
    assert code == 2
    problem = [printed for printed in output.splitlines() if printed.startswith("naqala:")]
    assert len(problem) == 1 and line in problem[0]
    assert "Traceback" not in output


def test_a_file_that_is_not_there() -> None:
    done = CliRunner().invoke(main, ["watch", "/no/such/file"])
    assert done.exit_code == 2 and done.output.startswith("naqala: cannot read /no/such/file")


def test_an_unknown_word_of_a_newer_table_is_passed_over() -> None:
    assert watch(LEAST + "@2000 weather sunny\n", "--json") == watch(LEAST, "--json")
