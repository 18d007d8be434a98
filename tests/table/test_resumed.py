"""A host that was away: the table moved while nobody looked, wholly or in part. What was not seen is never guessed silently."""

from __future__ import annotations

from collections import Counter
from dataclasses import replace
from random import Random

import pytest
from naqala.hands.recording import BEGINS_MS, single
from naqala.hands.table import FRAME
from naqala.rules.sowing import Sowing
from naqala.table.playback import watched
from naqala.table.readings import Unclear, Wrong
from naqala.transcript import Moment, Transcript, read
from naqala_protocol import Alive, Seen

from tests.table.samples import moves, outcome, standing

MOVES = 150
MOST_DROPS = 6


def taken_up(transcript: Transcript, at_ms: int) -> Transcript:
    """The same evening for a host that began to look at this moment: one line per reader, then what follows."""
    shown: dict[int, Seen] = {}
    later: list[Moment] = []
    for moment in transcript.moments:
        if moment.at_ms > at_ms:
            later.append(moment)
        elif isinstance(moment.what, Seen):
            shown[moment.what.reader] = moment.what
    first = [Moment(at_ms, shown[reader]) for reader in FRAME]
    end = Moment(max((m.at_ms for m in later), default=at_ms) + 15_000, Alive(1, 1, 0, 0, ()))
    return replace(transcript, moments=(*first, *later, end))


def made(seed: int, scooping: str | None) -> tuple[Sowing, Transcript, list[int]]:
    """A legal move, what the readers saw of it, and the moments at which something changed."""
    dice = Random(seed)
    game, action = dice.choice([one for one in moves() if len(one[1].drops) <= MOST_DROPS])
    transcript = read(single(game, action, seed, scooping=scooping).text)
    seen = [moment for moment in transcript.moments if isinstance(moment.what, Seen)]
    changes = [moment.at_ms for moment in seen if moment.at_ms > BEGINS_MS]
    return Sowing(action.start, action.drops), transcript, changes


@pytest.mark.long
def test_a_move_that_was_not_seen_whole_is_never_read_as_another() -> None:
    results: Counter[str] = Counter()
    for seed in range(MOVES):
        sowing, transcript, changes = made(seed, "at_once" if seed % 3 else None)
        began = changes[seed % len(changes)]
        readings = [reading for _, reading in watched(taken_up(transcript, began))]
        found = standing(readings)
        whole = began == changes[-1]
        if found is not None:
            results["did"] += 1
            assert outcome(found) == outcome(sowing), (seed, began, str(sowing), found)
            continue
        asked = [reading for reading in readings if isinstance(reading, Unclear)]
        if asked:
            results["asked"] += 1
            options = [outcome(option.sowing) for option in asked[-1].options]
            assert outcome(sowing) in options, (seed, began, str(sowing))
            assert len(options) <= 4
        else:
            results["flag"] += 1
            assert any(isinstance(reading, Wrong) for reading in readings), (seed, began, str(sowing))
            assert not whole, (seed, str(sowing))
    assert results["did"] > 20 and results["asked"] > 20, results
