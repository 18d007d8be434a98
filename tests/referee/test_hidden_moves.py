"""What the referee with one measure makes of legal moves that nobody saw whole: over a dead reader, or begun before it looked.

The moves and the ways in which readers die are those of `tests.table`; what counts is that a legal move is never flagged, and
that what is read is the move that was made.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Iterator
from dataclasses import replace

import pytest
from naqala.referee.playback import watched
from naqala.referee.readings import Did, Reading, Unclear, Wrong
from naqala.rules.actions import Sow
from naqala.transcript import Moment, Transcript
from naqala_protocol import Alive, Fault, Looked, Seen

from tests.table import test_resumed
from tests.table.samples import OWED, outcome
from tests.table.test_dead_readers import PARTS, cases, made, with_dead_reader

EVERY = 12  # of the cases with a dead reader, one in so many
RESUMED = range(0, 150, 5)


def numbered(transcript: Transcript) -> Transcript:
    """The lines with numbers that follow one another, as a controller counts them; others tell the last one."""

    def lines(moments: Iterable[Moment]) -> Iterator[Moment]:
        count = 0
        for moment in moments:
            count += isinstance(moment.what, (Seen, Fault))
            counts = isinstance(moment.what, (Seen, Fault, Looked, Alive))
            yield replace(moment, what=moment.what._replace(seq=count)) if counts else moment

    return replace(transcript, moments=tuple(lines(transcript.moments)))


def standing(readings: Iterable[Reading]) -> Sow | None:
    found = None
    for reading in readings:
        if reading.withdraws:
            found = None
        if isinstance(reading, Did) and isinstance(reading.action, Sow):
            found = reading.action
    return found


def asked(readings: list[Reading]) -> list[object]:
    """The options of the last question."""
    questions = [reading for reading in readings if isinstance(reading, Unclear)]
    return [outcome(option.sowing) for question in questions[-1:] for option in question.options]


@pytest.mark.long
def test_a_legal_move_over_a_dead_reader_is_never_wrong() -> None:
    results: Counter[str] = Counter()
    for seed, game, action, tile, death in [case for part in PARTS for case in cases(part)][::EVERY]:
        for scooping in ("at_once", None):
            where = (seed, tile, death, scooping, str(action))
            transcript = numbered(with_dead_reader(made(seed, game, action, scooping), tile, death))
            readings = [reading for _, reading in watched(transcript)]
            flags = [r for r in readings if isinstance(r, Wrong) and not _owed(r)]
            assert not flags, (where, flags[0])
            found = standing(readings)
            if found is not None:
                assert outcome(found) == outcome(action), (where, found)
                results["did"] += 1
            else:
                assert outcome(action) in asked(readings), where
                results["asked"] += 1
    assert results["did"] >= 0.8 * sum(results.values()), results


def _owed(flag: Wrong) -> bool:
    return bool(flag.breaches) and flag.breaches[0].rule in OWED


@pytest.mark.long
def test_a_move_that_was_not_seen_whole_is_never_read_as_another() -> None:
    results: Counter[str] = Counter()
    for seed in RESUMED:
        sowing, transcript, changes = test_resumed.made(seed, "at_once" if seed % 3 else None)
        began = changes[seed % len(changes)]
        readings = [reading for _, reading in watched(test_resumed.taken_up(transcript, began))]
        found, where = standing(readings), (seed, began, str(sowing))
        if found is not None:
            assert outcome(found) == outcome(sowing), (where, found)
            results["did"] += 1
        elif asked(readings):
            assert outcome(sowing) in asked(readings), where
            results["asked"] += 1
        else:
            assert any(isinstance(reading, Wrong) for reading in readings), where
            assert began != changes[-1], where
            results["flag"] += 1
    assert results["flag"] <= len(RESUMED) // 5 and results["did"] > len(RESUMED) // 2, results
