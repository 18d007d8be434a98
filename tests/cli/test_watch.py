"""`naqala watch` as programs call it: bad input is one line and exit 2, however it comes in."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

import pytest
from naqala.cli.watch import in_words
from naqala.rules.actions import Power
from naqala.table.readings import Unclear

NAQALA = Path(sys.executable).parent / "naqala"


@pytest.mark.parametrize(
    ("given", "sentence"),
    [
        (b"", "a transcript begins with"),
        (b"naqala-transcript 1\n@0 log info \xff\n", "is not UTF-8 text (byte 32)"),
        (b"naqala-transcript 1\nposition {" + b'"a": {' * 100_000, "nested too deeply"),
        (b"naqala-transcript 1\n@" + b"9" * 5000 + b" seen 1 1 -\n", "a time is '@' and milliseconds"),
    ],
    ids=["nothing", "not UTF-8", "deep", "a long time"],
)
def test_bad_transcripts_are_one_line_and_exit_2(given: bytes, sentence: str) -> None:
    done = subprocess.run(
        [NAQALA, "watch", "-", "--json"],
        input=given,
        capture_output=True,
        timeout=60,
        check=False,
        env={"LC_ALL": "C", "PYTHONUTF8": "0", "PYTHONCOERCECLOCALE": "0"},
    )
    assert (done.returncode, done.stdout, done.stderr.count(b"\n")) == (2, b"", 1)
    assert sentence in done.stderr.decode()


def test_a_question_for_people_names_actions_as_a_record_does() -> None:
    ways = (Power("Ann", "Enki", 1, 0, tile="D4"), Power("Ann", "Enki", 0, 1, tile="D4"))
    asked = "Ann power Enki elders 1 tile D4 or Ann power Enki fakirs 1 tile D4"
    assert in_words(0, Unclear(actions=ways)) == f"    0.000 s  unclear: {asked}"
