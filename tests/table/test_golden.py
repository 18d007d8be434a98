"""Golden transcripts: one file per behaviour, each with the readings it must give (`#=` lines). Text in, text out."""

from __future__ import annotations

import json
from pathlib import Path

import pytest
from naqala import transcript
from naqala.table.playback import watched

GOLDEN = Path(__file__).parent / "golden"
FILES = sorted(GOLDEN.glob("*.txt"))


def readings_of(text: str) -> list[dict[str, object]]:
    return [{"at": at, **reading.to_json()} for at, reading in watched(transcript.read(text))]


def expected_in(text: str) -> list[dict[str, object]]:
    return [json.loads(line[2:]) for line in text.splitlines() if line.startswith("#=")]


def test_there_are_enough_of_them() -> None:
    assert len(FILES) >= 30


@pytest.mark.parametrize("file", FILES, ids=lambda file: file.stem)
def test_a_golden_transcript_gives_its_readings(file: Path) -> None:
    text = file.read_text()
    assert text.startswith("# "), "the first line says what is shown"
    assert expected_in(text), "no readings to compare with"
    assert readings_of(text) == json.loads(json.dumps(expected_in(text)))


@pytest.mark.parametrize("file", FILES, ids=lambda file: file.stem)
def test_a_golden_transcript_survives_being_written_again(file: Path) -> None:
    """What `record` writes is what `watch` reads: the same readings after a round trip."""
    text = file.read_text()
    assert readings_of(transcript.write(transcript.read(text))) == expected_in(text)
