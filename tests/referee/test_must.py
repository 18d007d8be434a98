"""Thirty tables on which version 0.1.0 fails, each with what must be read: `# must: did D4>E4Y between @0 and @end`."""

from __future__ import annotations

import re
from pathlib import Path
from typing import Any

import pytest
from naqala import transcript
from naqala.referee.playback import watched

CLAIMS = sorted((Path(__file__).parent / "must").glob("*.txt"))
Json = dict[str, Any]


def readings_of(text: str) -> list[Json]:
    return [{"at": at, **reading.to_json()} for at, reading in watched(transcript.read(text))]


def test_there_are_thirty() -> None:
    assert len(CLAIMS) == 30


CLAIM = re.compile(r"^# (must not|must name|must end|must): (.*)$", re.MULTILINE)


@pytest.mark.parametrize("file", CLAIMS, ids=lambda file: file.stem)
def test_a_transcript_is_read_as_it_must(file: Path) -> None:
    text = file.read_text()
    readings = readings_of(text)
    assert CLAIM.search(text), "nothing is claimed"
    end = max(
        [reading["at"] for reading in readings]
        + [int(at) for at in re.findall(r"^@(\d+)", text, re.MULTILINE)]
    )
    for what, claim in CLAIM.findall(text):
        wanted, _, span = claim.partition(" between ")
        low, high = (
            end if moment == "@end" else int(moment[1:]) for moment in (span or "@0 and @end").split(" and ")
        )
        within = [reading for reading in readings if low <= reading["at"] <= high]
        assert holds(what, wanted, within, readings), f"{what}: {claim}"


def holds(what: str, wanted: str, within: list[Json], readings: list[Json]) -> bool:
    if what == "must end":
        return wanted in standing(readings)
    if what == "must name":
        return any(first_rule(reading) == wanted for reading in within)
    said = any(wanted in words(reading) for reading in within)
    return said if what == "must" else not said


def first_rule(reading: Json) -> str | None:
    breaches = reading.get("breaches") if reading["reading"] == "wrong" else None
    return str(breaches[0]["rule"]) if breaches else None


def words(reading: Json) -> set[str]:
    """The words by which a claim may name a reading: its kind, the kind of its action, its sowing (D4>E4Y)."""
    kind = reading["reading"]
    found = {kind}
    if kind == "did":
        found.add(f"did {reading['action']['do']}")
        if "sowing" in reading:
            end, colour = reading["sowing"]["drops"][-1]
            found |= {"did sow", f"did {reading['sowing']['start']}>{end}{colour}"}
    return found


def standing(readings: list[Json]) -> set[str]:
    """The words for the sowing that stands at the end."""
    stands: list[set[str]] = []
    for reading in readings:
        if reading.get("withdraws") or reading.get("replaces"):
            stands = stands[:-1]
        if reading["reading"] == "did" and "sowing" in reading:
            stands.append(words(reading))
    return stands[-1] if stands else set()
