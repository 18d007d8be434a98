"""One reader is dead while a legal move is made: at its start, on its way, at its end. What is blind is unknown, not empty."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Iterator
from dataclasses import replace
from random import Random

import pytest
from naqala.hands.recording import single
from naqala.hands.slips import SLIPS
from naqala.hands.table import FRAME
from naqala.rules.actions import Sow
from naqala.rules.board import distance
from naqala.rules.model import Game
from naqala.table.playback import watched
from naqala.table.readings import Did, Reading, Unclear, Wrong
from naqala.transcript import Moment, Transcript, read
from naqala_protocol import Alive, Fault, Looked, Seen

from tests.table.samples import OWED, moves, outcome, owed, standing
from tests.table.stage import Small

READER = {tile: number for number, tile in FRAME.items()}
DEATHS = ("fault", "never spoke", "blind", "incomplete")
PARTS = range(2)
MOVES = 40  # of each part; each with a dead reader under every tile it touches
MOST_DROPS = 6


def with_dead_reader(transcript: Transcript, tile: str, death: str) -> Transcript:
    """The same evening with one reader that sees nothing of the move (after its first look, or ever)."""
    reader, spoken = READER[tile], False
    found: list[Moment] = []
    for moment in transcript.moments:
        what = moment.what
        if not isinstance(what, Seen) or what.reader != reader:
            found.append(moment)
        elif death == "incomplete" and spoken:
            # It goes on reading, but only every second piece.
            found.append(replace(moment, what=Seen(what.seq, reader, what.tags[::2])))
            found.append(replace(moment, what=Fault(what.seq, reader, death)))
        elif not spoken:
            spoken = True
            if death != "never spoke":
                found.append(moment)
            if death == "fault":
                found.append(replace(moment, what=Fault(what.seq, reader, "silent")))
            elif death == "blind":
                found.append(replace(moment, what=Seen(what.seq, reader, ())))
    found.sort(key=lambda moment: moment.at_ms)
    later = Moment(found[-1].at_ms + 15_000, Alive(1, 1, 0, 0, ()))  # all waiting runs out while nobody moves
    return replace(transcript, moments=tuple(numbered([*found, later])))


def numbered(moments: Iterable[Moment]) -> Iterator[Moment]:
    """The lines with numbers that follow one another, as a controller counts them; what has none of its own tells the last."""
    count = 0
    for moment in moments:
        if isinstance(moment.what, (Seen, Fault)):
            count += 1
        if isinstance(moment.what, (Seen, Fault, Looked, Alive)):
            yield replace(moment, what=moment.what._replace(seq=count))
        else:
            yield moment


def cases(part: int) -> Iterator[tuple[int, Game, Sow, str, str]]:
    for number in range(MOVES):
        seed = part * MOVES + number
        dice = Random(seed)
        game, action = dice.choice(moves())
        if len(action.drops) <= MOST_DROPS:
            for place, tile in enumerate(dict.fromkeys((action.start, *(t for t, _ in action.drops)))):
                yield seed, game, action, tile, DEATHS[(seed + place) % len(DEATHS)]


def made(seed: int, game: Game, action: Sow, scooping: str | None, level: str = "neat") -> Transcript:
    return read(single(game, action, seed, scooping=scooping, level=level).text)


def verdict(readings: list[Reading], action: Sow) -> str:
    found = standing(readings)
    if any(isinstance(r, Wrong) and not (r.breaches and r.breaches[0].rule in OWED) for r in readings):
        return "wrong"
    if found is not None:
        return "did" if outcome(found) == outcome(action) else "another did"
    asked = [reading for reading in readings if isinstance(reading, Unclear)]
    options = [outcome(option.sowing) for reading in asked[-1:] for option in reading.options]
    if outcome(action) in options and len(options) <= 4:
        return "asked"
    return "entered by taps" if any(n.note == "enter_tile" for r in readings for n in r.notes) else "nothing"


@pytest.mark.long
@pytest.mark.parametrize("part", PARTS)
def test_a_legal_move_over_a_dead_reader_is_never_wrong(part: int) -> None:
    results: Counter[str] = Counter()
    for seed, game, action, tile, death in cases(part):
        for scooping in ("at_once", None):
            transcript = with_dead_reader(made(seed, game, action, scooping), tile, death)
            found = verdict([reading for _, reading in watched(transcript)], action)
            assert found in ("did", "asked", "entered by taps"), (
                found,
                seed,
                tile,
                death,
                scooping,
                str(action),
            )
            results[found] += 1
    assert results["did"] >= 0.8 * sum(results.values()), results


@pytest.mark.long
def test_an_illegal_move_elsewhere_is_still_found() -> None:
    """A dead reader at the far end of the table excuses nothing."""
    found = 0
    slips = [slip for slip in SLIPS.values() if slip.of is Sow and not slip.forgotten]
    for number in range(1, 200):
        dice = Random(7_000_000 + number)
        game, action = dice.choice(moves())
        slip = slips[number % len(slips)]
        spoilt = slip.spoil(game, action, dice)
        if spoilt is None:
            continue
        path = (action.start, *(tile for tile, _ in spoilt.drops))
        far = [tile for tile in READER if all(distance(tile, one) > 2 for one in path)]
        if not far:
            continue
        clean = read(single(game, action, number, spoilt=spoilt).text)
        transcript = with_dead_reader(clean, dice.choice(far), DEATHS[number % len(DEATHS)])
        flags = [
            reading.breaches[0].rule
            for _, reading in watched(transcript)
            if isinstance(reading, Wrong) and reading.breaches and reading.breaches[0].rule not in OWED
        ]
        assert flags and slip.rule in flags, (number, slip.name, spoilt, flags)
        found += 1
    assert found > 40


def test_the_verdict_of_this_test_can_be_each_of_them() -> None:
    action = Sow("Ann", "C3", (("C4", "G"),))
    other = Sow("Ann", "C3", (("C2", "G"),))
    assert verdict([Did(action)], action) == "did"
    assert verdict([Did(other)], action) == "another did"
    assert verdict([], action) == "nothing"


def test_a_piece_of_a_silent_tile_that_a_neighbour_reads_for_a_moment_stays_there() -> None:
    table = Small({"C3": "GR", "C4": "YW", "D4": "R", "A1": "WW"})
    table.fault("C4")
    table.put("C5", "W1", wait=800)  # the neighbour's reader picks it up
    table.on["C5"] = []
    table.line("C5")
    table.wait(1000)
    table.lift("C3")
    table.on["C4"].append(table.names["G1"])  # nobody sees that
    table.put("D4", "R1", wait=500)
    table.lift("D4", "R1", "R2", wait=4000)
    assert "wrong" not in table.words
    assert any(
        isinstance(r, Did) and r.action == Sow("Ann", "C3", (("C4", "G"), ("D4", "R"))) for _, r in table.said
    )
    assert table.standing.tile("C4").meeples == "YWG"


def clear_first_look(transcript: Transcript, clean: Transcript, tile: str) -> Transcript:
    """The reader that dies has seen its own tile at least once: else nobody could know that it is blind."""
    lines = [m for m in clean.moments if isinstance(m.what, Seen) and m.what.reader == READER[tile]]
    number = next(
        place
        for place, moment in enumerate(transcript.moments)
        if isinstance(moment.what, Seen) and moment.what.reader == READER[tile]
    )
    first = transcript.moments[number]
    seen = replace(first, what=Seen(first.what.seq, READER[tile], lines[0].what.tags))
    return replace(
        transcript, moments=(*transcript.moments[:number], seen, *transcript.moments[number + 1 :])
    )


@pytest.mark.long
@pytest.mark.parametrize("part", PARTS)
def test_a_legal_move_over_a_dead_reader_among_bad_ones_never_ends_as_wrong_or_as_another(part: int) -> None:
    flagged = count = 0
    for seed, game, action, tile, death in cases(part):
        scooping = ("at_once", None)[seed % 2]
        clean, bad = (made(seed, game, action, scooping, level) for level in ("neat", "human"))
        noisy = clear_first_look(bad, clean, tile)
        readings = [reading for _, reading in watched(with_dead_reader(noisy, tile, death))]
        found = standing(readings)
        flags = [r for r in readings if isinstance(r, Wrong) and not owed(r)]
        assert readings[-1] not in flags, (seed, tile, death, str(action), readings[-1])
        assert found is None or outcome(found) == outcome(action), (seed, tile, death, str(action), found)
        flagged, count = flagged + bool(flags), count + 1
    assert flagged <= 0.1 * count, (flagged, count)  # a piece on a silent tile that a neighbour picks up


def test_a_piece_of_a_silent_tile_that_a_neighbour_reads_for_a_moment_was_not_taken_up_there() -> None:
    table = Small({"E3": "GGR", "E2": "W", "D1": "GG"})
    table.fault("D1")
    table.lift("E3")
    table.put("E2", "G1")
    table.put("E1", "R1", wait=2000)  # and the last one goes to D1, where nobody sees it
    for name in ("G3", "G4"):  # the neighbour's reader picks them up, one after the other
        table.put("C1", name, wait=800)
        table.lift("C1", name, wait=3000)
    assert "wrong" not in table.words
    table.end()
    assert table.standing.tile("D1").meeples == ""  # the group was taken up, as the record has it
    assert any(isinstance(r, Did) and r.action.drops[-1] == ("D1", "G") for _, r in table.said)


@pytest.mark.xfail(reason="flagged for a moment")
def test_a_drop_that_is_read_no_more_does_not_decide_a_move_beside_a_silent_tile() -> None:
    """The white one lies on B3, where nobody sees it. One of the group on B4 is read by C4, too, and for a moment longer when
    the group is taken up: over C4 the move would be legal as well."""
    table = Small({"C2": "YWW", "C3": "YGR", "B3": "YGB", "B4": "WWB", "A1": "WW"})
    table.fault("B3")
    table.lift("C2")
    table.put("C3", "Y1")
    table.put("B4", "W2")
    table.put("C4", "W3")
    table.lift("B4", "W2", "W3", "W4", wait=60)
    table.lift("C4", "W3", wait=10_000)
    assert "wrong" not in table.words
    found = [r.action for _, r in table.said if isinstance(r, Did)]
    assert found == [Sow("Ann", "C2", (("C3", "Y"), ("B3", "W"), ("B4", "W")))]


FEW_READERS = """naqala-transcript 1
position {"tiles": {"C4": {"meeples": "YWB"}, "D4": {"meeples": "W"}, "D3": {"meeples": "B"}}, "turn": {"player": "Ann"}}
reader 7 C4
reader 8 D4
reader 9 D3
reader 10 E3
tag 0400000a meeple Y
tag 0400000b meeple W
tag 0400000c meeple B
tag 040000d1 meeple W
tag 040000d2 meeple B
@0 seen 1 7 0400000a,0400000b,0400000c
@10 seen 2 8 040000d1
@20 seen 3 9 040000d2
@30 seen 4 10 -
@2000 seen 5 7 -
@3000 seen 6 8 040000d1,0400000b
@3400 seen 7 9 040000d2,0400000a
@3800 seen 8 10 0400000c
@6000 seen 9 10 -
"""


def test_what_was_taken_up_from_a_tile_that_is_seen_does_not_lie_where_no_reader_is() -> None:
    """Blue on C3, where no reader lies, then D3 and D4, would be legal: but blue was seen last, and on E3."""
    *_, (_, last) = watched(read(FEW_READERS))
    assert isinstance(last, Wrong)
    assert [(breach.rule, breach.drop) for breach in last.breaches] == [("ends_on_its_own_colour", 3)]
