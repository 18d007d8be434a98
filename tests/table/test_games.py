"""Whole robots' games played by hands before bad readers: the referee's record is the robots' record."""

from __future__ import annotations

import pytest
from naqala.rules.notation import from_json
from naqala.simulate import simulated
from naqala.table.watch import finish, follow, tapped, watcher
from naqala.transcript import Tap

from tests.table.evening import play_record
from tests.table.hands import BAD, recorded


@pytest.mark.long
@pytest.mark.parametrize("seed", range(20))
def test_a_whole_game_is_followed(seed: int) -> None:
    record = simulated(2 + seed % 3, 100 + seed)
    transcript = recorded(play_record(record, seed), BAD)
    watching = watcher(record.opening, transcript.readers, transcript.tags)
    for moment in transcript.moments:
        if isinstance(moment.what, Tap):
            watching, _ = tapped(watching, from_json(dict(moment.what.action)), moment.at_ms)
        else:
            watching, _ = follow(watching, moment.what, moment.at_ms)
    watching, _ = finish(watching)
    # Every game in turn, not only the last: gold, cards and camels after each action.
    assert [*watching.past[1:], watching.game] == [step.game for step in record.steps]
