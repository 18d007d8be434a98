"""`naqala rules`, `replay` and `simulate` as programs call them: answers, and exit 2 with one line for anything bad."""

from __future__ import annotations

import contextlib
import json
import os
import pty
import re
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest
from click.testing import CliRunner, Result
from naqala.cli import main
from naqala.rules import position
from naqala.rules.model import SWITCHES
from naqala.rules.record import read

NAQALA = Path(sys.executable).parent / "naqala"


def run(*arguments: str, given: str | bytes = "") -> Result:
    """The command within this process; `as_a_program` is the same from outside."""
    return CliRunner().invoke(main, list(arguments), input=given, prog_name="naqala", catch_exceptions=False)


def as_a_program(*arguments: str, given: bytes = b"", **settings: str) -> tuple[int, str, str]:
    done = subprocess.run(
        [NAQALA, *arguments],
        input=given,
        env=os.environ | settings,
        capture_output=True,
        timeout=120,
        check=False,
    )
    return done.returncode, done.stdout.decode(), done.stderr.decode()


def answer(*arguments: str, given: Any) -> Any:
    done = run(*arguments, given=json.dumps(given))
    assert (done.exit_code, done.stderr) == (0, "")
    return json.loads(done.stdout)


def refusal(*arguments: str, given: str | bytes = "") -> str:
    done = run(*arguments, given=given)
    assert (done.exit_code, done.stdout) == (2, ""), done.stderr
    assert done.stderr.count("\n") == 1
    return done.stderr.strip().removeprefix("naqala: ")


LEAST = {"tiles": {"C3": {"meeples": "GR"}, "D4": {"meeples": "R"}}}


def test_sowings() -> None:
    assert answer("rules", "sowings", given=LEAST) == {"count": 2, "outcomes": 1, "per_start": {"C3": 2}}
    listed = answer("rules", "sowings", "--list", given=LEAST)
    assert len(listed["sowings"]) == 2


def test_judge() -> None:
    sowing = {"start": "C3", "drops": [["C4", "G"], ["C3", "R"]]}
    found = answer("rules", "judge", given={"position": LEAST, "sowing": sowing})
    assert found["legal"] is False
    assert found["breaches"] == [
        {"rule": "no_immediate_backtracking", "drop": 2, "tiles": ["C3"]},
        {"rule": "ends_on_its_own_colour", "drop": 2, "tiles": ["C3"]},
    ]


def test_score() -> None:
    players = [
        {"name": "Ann", "viziers": 3, "elders": 2, "djinns": ["Boaz"], "goods": {"fish": 1}},
        {"name": "Bob"},
    ]
    found = answer("rules", "score", given={"players": players})
    assert found == {
        "scores": [
            {
                "name": "Ann",
                "total": 74,
                "gold": 50,
                "viziers": 13,
                "elders": 4,
                "djinns": 6,
                "tiles": 0,
                "palms": 0,
                "palaces": 0,
                "goods": 1,
            },
            {
                "name": "Bob",
                "total": 50,
                "gold": 50,
                "viziers": 0,
                "elders": 0,
                "djinns": 0,
                "tiles": 0,
                "palms": 0,
                "palaces": 0,
                "goods": 0,
            },
        ],
        "winners": ["Ann"],
    }


BAD: list[tuple[str | bytes, str]] = [
    ("", "no JSON was given"),
    ("{", "not JSON: Expecting property name enclosed in double quotes"),
    ("[" * 200_000, "not JSON: nested too deeply"),
    (b"\xff\xfe", "standard input is not UTF-8 text (byte 0)"),
    ('{"bag": "' + "Y" * 10_000_000 + '"}', "standard input is longer than 4 MB"),
    ('{"bag": NaN}', "not JSON: NaN is no number"),
    ('{"tiles": {"A1": {}, "A1": {}}}', 'not JSON: key "A1" stands twice in one object'),
    ('{"round": ' + "9" * 5000 + "}", "not JSON: Exceeds the limit"),
    ('{"round": 1e400}', "round: expected a whole number, not Infinity"),
    ("[]", "position: expected an object, not []"),
    ('{"tiles": {"G7": {}}}', 'tiles: no such tile "G7"'),
    ('{"players": [{"name": "Ann", "gold": -1}]}', "players.Ann.gold: -1 is not possible"),
    ('{"bag": "' + "Y" * 91 + '"}', "meeples: 91 of Y in all, but the box holds 16"),
    ('{"bag": "P"}', 'bag: no such meeple "P" (letters are Y W G B R)'),
    ('{"players": [{"name": "\\ud800"}]}', "players[0].name:"),
    ('{"players": [{"name": "A\\nB"}]}', "players[0].name:"),
]


def test_a_mark_that_some_editors_put_before_a_text_is_none_of_its_words() -> None:
    marked = run("rules", "sowings", given=b"\xef\xbb\xbf" + b'{"tiles": {"C3": {"meeples": "G"}}}')
    assert (marked.exit_code, json.loads(marked.output)["count"]) == (0, 0)


def test_the_program_itself_answers_and_refuses() -> None:
    code, out, err = as_a_program("rules", "sowings", given=json.dumps(LEAST).encode())
    assert (code, json.loads(out)["count"], err) == (0, 2, "")
    code, out, err = as_a_program("rules", "score", given=b'{"bag": "' + b"Y" * 10_000_000)
    assert (code, out, err) == (2, "", "naqala: standard input is longer than 4 MB\n")
    code, out, err = as_a_program("rules", "score", given=b"[" * 200_000)
    assert (code, out, err) == (2, "", "naqala: not JSON: nested too deeply\n")


def test_a_name_that_the_terminal_has_no_letters_for() -> None:
    given = json.dumps({"players": [{"name": "Анна"}]}, ensure_ascii=False).encode()
    code, out, err = as_a_program("rules", "score", given=given, PYTHONIOENCODING="latin-1")
    assert (code, json.loads(out)["winners"], err) == (0, ["Анна"], "")


@pytest.mark.parametrize("command", ["sowings", "score"])
@pytest.mark.parametrize(("given", "line"), BAD, ids=[line for _, line in BAD])
def test_bad_input_is_one_clear_line(command: str, given: str | bytes, line: str) -> None:
    assert refusal("rules", command, given=given).startswith(line)


@pytest.mark.parametrize(
    "given",
    [
        {},
        {"position": {}},
        {"position": [], "sowing": {"start": "A1", "drops": []}},
        {"position": {}, "sowing": []},
        {"position": {}, "sowing": {"start": "Z9", "drops": []}},
        {"position": {}, "sowing": {"start": "A1", "drops": [["A2"]]}},
    ],
)
def test_bad_input_to_judge_is_one_clear_line(given: Any) -> None:
    assert refusal("rules", "judge", given=json.dumps(given))


# --- simulate and replay ------------------------------------------------------------------------------------


@pytest.fixture(scope="module")
def game(tmp_path_factory: pytest.TempPathFactory) -> Path:
    out = tmp_path_factory.mktemp("games") / "seven.txt"
    done = run("simulate", "--players", "4", "--seed", "7", "--out", str(out))
    assert (done.exit_code, done.stdout, done.stderr) == (0, "", "")
    return out


def test_simulate_gives_the_same_game_for_the_same_seed(game: Path) -> None:
    again = run("simulate", "--players", "4", "--seed", "7")
    assert again.stdout == game.read_text()
    other = run("simulate", "--players", "4", "--seed", "8")
    assert other.stdout != again.stdout


def test_replay_shows_scores_for_people_and_programs(game: Path) -> None:
    record = read(game.read_text())
    result = json.loads(run("replay", str(game), "--json").stdout)
    assert (result["actions"], result["over"], result["ending"]) == (
        len(record.steps),
        True,
        record.game.ending,
    )
    table = run("replay", str(game)).stdout
    for one in result["scores"]:
        assert one["name"] in table
        assert str(one["total"]) in table
    assert f"Winner: {' and '.join(result['winners'])}" in table


def test_replay_of_its_own_actions_gives_the_same(game: Path, tmp_path: Path) -> None:
    lines = run("replay", str(game), "--actions").stdout
    again = tmp_path / "lines.jsonl"
    again.write_text(lines)
    assert run("replay", str(again), "--actions").stdout == lines
    opening, *actions, final = (json.loads(line) for line in lines.splitlines())
    assert opening["turn"]["phase"] == "bid"
    assert {"bid", "sow", "end", "reveal"} <= {action["do"] for action in actions}
    assert final == json.loads(run("replay", str(game), "--position").stdout)
    assert position.from_json(final).turn.phase == "over"
    # The closing position may be absent; standard input will do as well.
    shorter = "\n".join(lines.splitlines()[:-1])
    assert json.loads(run("replay", "-", "--position", given=shorter).stdout) == final


def test_replay_stops_at_the_first_bad_line(game: Path, tmp_path: Path) -> None:
    lines = game.read_text().splitlines()
    first = next(number for number, line in enumerate(lines) if " sow " in line)
    broken = [*lines[:first], lines[first].split(" sow ")[0] + " sow A1>C3Y", *lines[first + 1 :]]
    file = tmp_path / "broken.txt"
    file.write_text("\n".join(broken))
    line = refusal("replay", str(file), "--json")
    assert line.startswith(f"{file}, line {first + 1}: illegal ")
    assert "drops_on_neighbours" in line


def test_replay_compares_the_closing_position(game: Path, tmp_path: Path) -> None:
    *lines, closing = game.read_text().splitlines()
    data = json.loads(closing.removeprefix("closing "))
    data["players"][0]["gold"] += 1
    file = tmp_path / "richer.txt"
    file.write_text("\n".join([*lines, "closing " + json.dumps(data)]))
    assert f"line {len(lines) + 1}: the closing position differs: " in refusal("replay", str(file))


def test_replay_tells_where_points_come_from(game: Path) -> None:
    told = run("replay", str(game), "--story").stdout
    assert "  gold 50: at the start\n" in told
    assert re.search(r"^  tiles \d+: [A-F][1-5]; camel placed by sowing in round \d+$", told, re.MULTILINE)
    assert re.search(r"^  gold -\d+: bid; in rounds? \d", told, re.MULTILINE)
    result = json.loads(run("replay", str(game), "--story", "--json").stdout)
    for one in result["scores"]:
        parts = result["story"][one["name"]]
        assert sum(part["points"] for part in parts) == one["total"]
        for part in parts:
            if part["category"] == "tiles":
                (event,) = part["events"]
                assert (event["event"], event["tile"]) == ("Controlled", part["what"])


@pytest.mark.parametrize(
    ("given", "line"),
    [
        ("", "standard input, line 1: an empty file is no record"),
        ("hello", "standard input, line 1: a record begins with 'naqala-record 1'"),
        ("naqala-record 99\n", "standard input, line 1: record version 99 is newer than this program"),
        ("naqala-record 1\n", "standard input, line 1: the opening position is missing"),
        ("naqala-record 1\nposition {\n", "standard input, line 2: not JSON"),
        ('naqala-record 1\nposition {"bag": "X"}\n', "standard input, line 2: bag: no such meeple"),
        ("naqala-record 1\n# a comment\n\nposition {}\nAnn dance\n", "standard input, line 5: no action in"),
        (
            'naqala-record 1\nposition {}\n"A\rB" end\n',
            r"""standard input, line 3: unreadable name '"A\rB"'""",
        ),
        ('{}\n{"do": "bid"}\n', "standard input, line 2: bid needs player"),
        ("{}\n" + "[" * 100_000, "standard input, line 2: not JSON: nested too deeply"),
        (
            '{"players": [{"name": "Ann"}]}\n{"do": "bid", "player": "Ann", "spot": 3, "spot": 0}\n',
            'standard input, line 2: not JSON: key "spot" stands twice in one object',
        ),
        ('naqala-record 1\nposition {"round": 1, "x": NaN}\n', "standard input, line 2: not JSON: NaN is no"),
    ],
)
def test_what_is_no_record_is_one_clear_line(given: str, line: str) -> None:
    assert refusal("replay", "-", given=given).startswith(line)


def test_replay_of_a_file_that_is_not_there() -> None:
    assert (
        refusal("replay", "/nowhere/game.txt") == "cannot read /nowhere/game.txt: no such file or directory"
    )


def test_simulate_with_chosen_house_rules_and_robots() -> None:
    chosen = [f"--switch={name}={values[-1]}" for name, values in SWITCHES.items()]
    done = run("simulate", "--players", "2", "--robots", "greedy,random", "--edition", "first", *chosen)
    record = read(done.stdout)
    assert dict(record.opening.house) == {name: values[-1] for name, values in SWITCHES.items()}
    assert record.opening.edition == "slave"
    plain = read(run("simulate", "--players", "3", "--house-rules", "default").stdout)
    assert plain.opening.house == ()
    for word in ("first", "slave"):  # the word of 0.1.0 is still understood
        worded = read(run("simulate", "--players", "2", "--switch", f"edition={word}").stdout)
        assert worded.opening.edition == "slave"
    assert "slave" not in run("simulate", "--help").stdout


@pytest.mark.parametrize(
    ("arguments", "line"),
    [
        (("--switch", "luck=yes"), "no such switch 'luck'; there are djinn_once_per"),
        (("--switch", "promo_dhenim=on"), "switch promo_dhenim is off or per_taking or per_vizier, not 'on'"),
        (("--robots", "genius"), "no such robot 'genius'; there are random, greedy, easy, normal, strong"),
        (("--out", "/nowhere/x"), "cannot write /nowhere/x: no such file or directory"),
    ],
)
def test_bad_options_of_simulate(arguments: tuple[str, ...], line: str) -> None:
    assert refusal("simulate", "--players", "2", *arguments).startswith(line)


def test_too_many_players_is_exit_2() -> None:
    done = run("simulate", "--players", "5")
    assert done.exit_code == 2
    assert "5 is not in the range 2<=x<=4" in done.stderr


def test_simulate_shows_its_progress_on_a_terminal(tmp_path: Path) -> None:
    ours, theirs = pty.openpty()
    command = [NAQALA, "simulate", "--players", "2", "--out", tmp_path / "game.txt"]
    with subprocess.Popen(command, stderr=theirs, env=os.environ | {"TERM": "xterm"}) as playing:
        os.close(theirs)
        shown = b""
        with contextlib.suppress(OSError):  # a closed terminal ends in an error on Linux
            while some := os.read(ours, 4096):
                shown += some
        assert playing.wait(timeout=60) == 0
    os.close(ours)
    assert b"round 2" in shown
    assert b"100%" in shown
