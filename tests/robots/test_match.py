"""Matches: who plays when, the figures against numbers worked out elsewhere, and going on after an interruption."""

from __future__ import annotations

import json
import os
import signal
import subprocess
import sys
from pathlib import Path
from time import monotonic, sleep

import pytest
from naqala.match import BadMatch, Match, Played, elo, play, read, standings, wilson

NAQALA = str(Path(sys.executable).with_name("naqala"))


def test_every_deal_is_played_from_every_place() -> None:
    match = Match(("strong", "greedy", "greedy"), 6, 70)
    assert [match.deal(game) for game in range(6)] == [70, 70, 70, 71, 71, 71]
    assert [match.seats(game).index("strong") for game in range(6)] == [0, 1, 2, 0, 1, 2]


def test_the_interval_is_wilson_s() -> None:
    """Against the worked example of 81 of 263 (Newcombe 1998, method 3: 0.2553 to 0.3662)."""
    rate = wilson(81, 263)
    assert (round(rate.low, 4), round(rate.high, 4)) == (0.2553, 0.3662)
    assert wilson(0, 10).low == 0 and wilson(10, 10).high == 1


def test_elo_is_that_of_the_usual_table() -> None:
    """Of the rating tables of chess: 64 % is 100 points, 76 % is 200, 50 % none."""
    assert elo(0.5) == 0
    assert elo(0.64) == pytest.approx(100, abs=1)
    assert elo(0.76) == pytest.approx(200, abs=1)


def test_standings_share_ties_and_count_seats() -> None:
    games = [
        Played(0, ("strong", "greedy", "greedy"), (100, 90, 80)),
        Played(1, ("greedy", "strong", "greedy"), (100, 100, 80)),
    ]
    strong, greedy = standings(games)
    assert (strong.robot, strong.wins.share, strong.chance) == ("strong", 0.75, 1 / 3)
    assert (greedy.wins.share, greedy.points) == (0.25, 87.5)
    assert strong.margin == 12.5
    assert strong.elo.share == pytest.approx(elo((1 + 0.75) / 2))


def test_a_game_of_a_match_is_always_the_same() -> None:
    match = Match(("greedy", "random"), 2, 71)
    assert play(match, 1) == play(match, 1)


def test_a_match_that_was_cut_off_goes_on(tmp_path: Path) -> None:
    whole, half = tmp_path / "whole", tmp_path / "half"
    run("match", "greedy", "random", "--games", "6", "--seed", "72", "--jobs", "1", "--out", str(whole))
    lines = whole.read_text().splitlines(keepends=True)
    assert len(lines) == 7
    half.write_text("".join(lines[:4]) + lines[4][:9])  # the process died while it wrote
    done = run(
        "match",
        "greedy",
        "random",
        "--games",
        "6",
        "--seed",
        "72",
        "--jobs",
        "1",
        "--out",
        str(half),
        "--json",
    )
    assert sorted(half.read_text().splitlines()) == sorted(whole.read_text().splitlines())
    told = json.loads(done.stdout)
    assert told["games"] == 6
    assert [one["robot"] for one in told["standings"]] == ["greedy", "random"]


@pytest.mark.parametrize(
    "later_ms", [0, 7, 19, 31]
)  # the exit blocked for ever at some moments, not at all of them
def test_ctrl_c_keeps_what_was_played(tmp_path: Path, later_ms: int) -> None:
    file = tmp_path / "games"
    words = ("match", "random", "random", "--games", "5000", "--jobs", "1", "--out", str(file))
    process = subprocess.Popen(
        [NAQALA, *words], stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True, start_new_session=True
    )
    try:
        until = monotonic() + 60
        while not file.exists() or file.read_text().count("\n") < 3:
            assert monotonic() < until
            process.poll()
            sleep(0.01)
        sleep(later_ms / 1000)
        os.killpg(process.pid, signal.SIGINT)  # as a terminal does: the workers get it, too
        out, told = process.communicate(timeout=60)
    finally:
        process.kill()
    assert process.returncode == 130
    assert "of 5000 games; the same command goes on" in told and "Traceback" not in told
    assert out.startswith("robot")
    assert len(read(Match(("random", "random"), 5000, 1), file.read_text())) >= 2


def test_another_match_is_not_gone_on_with() -> None:
    match = Match(("greedy", "random"), 2, 71)
    head = json.dumps(match.head()) + "\n"
    assert read(match, head) == []
    for other in (Match(("random", "greedy"), 2, 71), Match(("greedy", "random"), 2, 73)):
        with pytest.raises(BadMatch, match="it is a match with"):
            read(other, head)
    for text in ("hello\n", "[]\n", head + "{}\n", head + "7\n"):
        with pytest.raises(BadMatch):
            read(match, text)


@pytest.mark.parametrize(
    ("words", "told"),
    [
        (("genius", "greedy"), "no such robot 'genius'"),
        (("greedy",), "two to four robots play, not 1"),
        (("greedy", "random", "--out", "/nowhere/x"), "cannot write /nowhere/x"),
        (("greedy", "trial", "--weights", "/nowhere/x"), "cannot read /nowhere/x"),
        (("greedy", "trial"), "no such robot 'trial'"),
    ],
)
def test_bad_input_is_one_line(words: tuple[str, ...], told: str) -> None:
    done = run("match", *words, "--games", "1", code=2)
    assert told in done.stderr
    assert done.stderr.count("\n") == 1


def run(*words: str, code: int = 0) -> subprocess.CompletedProcess[str]:
    done = subprocess.run([NAQALA, *words], capture_output=True, text=True, check=False)
    assert done.returncode == code, done.stderr
    return done
