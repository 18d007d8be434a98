"""Golden transcripts: one file per behaviour, each with the readings it must give (`#=` lines). Text in, text out.

Meaning and order are compared, times with a tolerance: how long the referee waits follows from its prices and may change. Of a
move in flight only the last reading before another kind counts, of a `quiet` one its notes. `golden_must` holds transcripts of
defects that were found once, with claims in their comments (`# must: did D4>E4Y between @0 and @end`): those are what
people at the table need, whatever else is said.
"""

from __future__ import annotations

import json
import re
from collections.abc import Iterable
from pathlib import Path
from typing import Any

import pytest
from naqala import transcript
from naqala.table.playback import watched

HERE = Path(__file__).parent
FILES = sorted((HERE / "golden").glob("*.txt"))
CLAIMS = sorted((HERE / "golden_must").glob("*.txt"))
EARLIER_MS, LATER_MS = 3_000, 4_000  # how far a reading may be from its time in the file
LASTS_MS = 500  # a move in flight that is shown for a shorter time is not compared

Json = dict[str, Any]


def readings_of(text: str) -> list[Json]:
    return [{"at": at, **reading.to_json()} for at, reading in watched(transcript.read(text))]


def expected_in(text: str) -> list[Json]:
    return [json.loads(line[2:]) for line in text.splitlines() if line.startswith("#=")]


def meaning(reading: Json) -> Json:
    """What a reading says, without its moment, its wording and how sure it is."""
    kept = ("reading", "hand", "path", "action", "replaces", "withdraws", "notes", "actions", "stuck")
    found = {key: reading[key] for key in kept if key in reading}
    if "breaches" in reading:
        found["breaches"] = [[breach["rule"], breach.get("drop")] for breach in reading["breaches"]]
        found["repair"] = sorted(json.dumps(step) for step in reading.get("repair", ()))
    if "options" in reading:
        found["options"] = sorted(json.dumps(option) for option in reading["options"])
    if reading["reading"] == "doing":
        found["warning"] = bool(reading.get("warning"))
    return found


def told(readings: Iterable[Json]) -> list[tuple[int, Json]]:
    """What is told one after another: of moves in flight the last one that stood for a while before something else was said."""
    found = [(reading["at"], meaning(reading)) for reading in readings]
    after = [at for at, _ in found[1:]]
    lasting = [
        one
        for one, then in zip(found, [*after, found[-1][0] + LASTS_MS], strict=True)
        if one[1]["reading"] != "doing" or then - one[0] >= LASTS_MS
    ]
    following = [kind(what) for _, what in lasting[1:]]
    return [
        one
        for one, then in zip(lasting, [*following, ""], strict=True)
        if kind(one[1]) != then or then != "doing"
    ]


def kind(what: Json) -> str:
    return "warning" if what.get("warning") else str(what["reading"])


def test_there_are_enough_of_them() -> None:
    assert len(FILES) >= 30
    assert len(CLAIMS) >= 30


@pytest.mark.parametrize("file", FILES, ids=lambda file: file.stem)
def test_a_golden_transcript_gives_its_readings(file: Path) -> None:
    text = file.read_text()
    assert text.startswith("# "), "the first line says what is shown"
    assert expected_in(text), "no readings to compare with"
    found, wanted = told(readings_of(text)), told(expected_in(text))
    assert [what for _, what in found] == [what for _, what in wanted]
    late = [(at, due, what) for (at, what), (due, _) in zip(found, wanted, strict=True) if not near(at, due)]
    assert not late


def near(at: int, due: int) -> bool:
    return due - EARLIER_MS <= at <= due + LATER_MS


@pytest.mark.parametrize("file", FILES, ids=lambda file: file.stem)
def test_a_golden_transcript_survives_being_written_again(file: Path) -> None:
    """What `record` writes is what `watch` reads: the same readings after a round trip."""
    text = file.read_text()
    assert readings_of(transcript.write(transcript.read(text))) == readings_of(text)


# --- transcripts with claims ----------------------------------------------------------------------------------

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
