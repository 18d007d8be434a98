"""Sight: what is believed, and the things that are not an empty tile."""

from __future__ import annotations

from naqala.table import timing
from naqala.table.sight import Table, changes, see, stand, turned
from naqala.transcript import Piece
from naqala_protocol import Alive, Fault, Hello, Seen

Y, W, TILE_A1 = "04000001", "04000002", "04000003"
TAGS = {Y: Piece("meeple", "Y"), W: Piece("meeple", "W"), TILE_A1: Piece("tile", "A1")}
READERS = {0: "A1", 1: "A2", 2: "B1"}


def table(*messages: tuple[object, int]) -> Table:
    seen = Table(READERS, TAGS)
    for message, at in messages:
        seen = see(seen, message, at)
    return seen


def letters(seen: Table, at: int) -> dict[str, str]:
    return {tile: here for tile, here in zip(("A1", "A2"), stand(seen, at).meeples, strict=False) if here}


def test_presence_is_believed_at_once_and_absence_slowly() -> None:
    seen = table((Seen(1, 0, (Y,)), 0), (Seen(2, 0, ()), 5000))
    assert letters(seen, 5000) == {"A1": "Y"}
    assert letters(seen, 5000 + timing.FADES) == {}
    back = see(seen, Seen(3, 0, (Y,)), 5000 + timing.FADES + 100)
    assert (
        back.places[Y].at == seen.places[Y].at
    )  # it was there all the time: the order of arrivals is not disturbed


def test_what_goes_together_was_lifted() -> None:
    seen = table((Seen(1, 0, (Y, W)), 0), (Seen(2, 0, ()), 5000))
    assert letters(seen, 5000) == {}
    back = see(seen, Seen(3, 0, (Y, W)), 6000)
    assert back.places[Y].at == 6000


def test_a_piece_seen_elsewhere_has_moved_and_keeps_the_number_of_its_line() -> None:
    seen = table((Seen(1, 0, (Y,)), 0), (Seen(5, 0, ()), 5000), (Seen(3, 1, (Y,)), 5100))
    assert letters(seen, 5100) == {"A2": "Y"}
    assert (seen.places[Y].seq, seen.places[Y].at) == (3, 5100)


def test_one_tag_on_two_readers_stays_where_it_was_seen_first() -> None:
    seen = table((Seen(1, 0, (Y,)), 0), (Seen(2, 1, (Y,)), 1000))
    assert letters(seen, 1000) == {"A1": "Y"}
    assert seen.doubles(1000) == {}  # an absence may still be on its way
    assert seen.doubles(1000 + timing.DOUBLE) == {Y: ("A1", "A2")}
    gone = see(seen, Seen(3, 0, ()), 3000)
    assert letters(gone, 3000) == {"A2": "Y"} and gone.doubles(9000) == {}


def test_an_unknown_tag_is_no_piece() -> None:
    seen = table((Seen(1, 0, (Y, "0badc0de")), 0))
    assert letters(seen, 0) == {"A1": "Y"}
    assert seen.unknown == {"A1": ("0badc0de",)}


def test_a_faulty_reader_is_silent_and_its_pieces_are_thought_to_stand() -> None:
    seen = table((Seen(1, 0, (Y,)), 0), (Fault(2, 0, "spi"), 100))
    assert "A1" in seen.silent
    assert letters(seen, 60_000) == {"A1": "Y"}
    moved = see(seen, Seen(3, 1, (Y,)), 200)
    assert letters(moved, 200) == {"A2": "Y"}
    healed = see(seen, Seen(3, 0, (Y,)), 200)
    assert "A1" not in healed.silent


def test_a_reader_that_sees_not_even_its_tile_is_blind() -> None:
    seen = table((Seen(1, 0, (Y, TILE_A1)), 0), (Seen(2, 0, ()), 100))
    assert "A1" in seen.silent
    assert letters(seen, 60_000) == {"A1": "Y"}
    assert "A1" not in see(seen, Seen(3, 0, (TILE_A1,)), 200).silent


def test_a_line_that_is_not_newer_changes_nothing() -> None:
    seen = table((Seen(7, 0, (Y,)), 0))
    assert see(seen, Seen(7, 0, ()), 100) == seen
    assert see(seen, Seen(6, 0, (W,)), 100) == seen
    assert see(seen, Seen(8, 63, (W,)), 100) == seen  # nobody mapped that reader
    assert see(seen, Alive(9, 5, 0, 0, ()), 100) == seen


def test_after_a_restart_the_numbers_begin_anew() -> None:
    seen = table((Seen(700, 0, (Y,)), 0), (Hello(1, "oak", 30, 0, 2, "1", ()), 100), (Seen(1, 0, (W,)), 200))
    assert set(seen.on[0]) == {W}


def test_a_sweep_is_complete_when_all_have_spoken_or_had_their_time() -> None:
    seen = table((Seen(1, 0, ()), 10), (Seen(2, 1, ()), 20))
    assert not seen.complete(30)
    assert see(seen, Fault(3, 2, "spi"), 30).complete(30)
    assert seen.complete(10 + timing.SWEEP)


def test_a_repeated_flicker_is_no_news() -> None:
    seen = table((Seen(1, 0, (Y, W)), 0))
    flicker = see(see(seen, Seen(2, 0, (Y,)), 5000), Seen(3, 0, (Y, W)), 5300)
    assert flicker.news == seen.news


def test_the_map_of_a_table_turned_round() -> None:
    assert turned({0: "A1", 1: "A5", 2: "C3"}) == {0: "F5", 1: "F1", 2: "D3"}
    assert turned(turned(READERS)) == READERS


def test_a_reader_that_sees_again_may_find_the_tile_changed() -> None:
    seen = table((Seen(1, 0, (Y, W)), 0), (Fault(2, 0, "spi"), 100), (Seen(3, 0, (W,)), 9000))
    assert letters(seen, 9000 + timing.FADES) == {"A1": "W"}


def test_a_reader_that_is_mended_has_not_yet_said_what_it_sees() -> None:
    broken = table((Seen(1, 0, (Y,)), 0), (Fault(2, 0, "silent"), 100))
    mended = see(broken, Fault(3, 0, "ok"), 200)
    assert mended.faults == {} and "A1" in mended.silent  # no fault any more, and no empty tile either
    assert letters(mended, 60_000) == {"A1": "Y"}
    seen = see(mended, Seen(4, 0, (W,)), 300)
    assert "A1" not in seen.silent
    assert letters(seen, 300 + timing.FADES) == {"A1": "W"}


def test_a_reader_that_passes_a_test_is_no_news() -> None:
    seen = table((Seen(1, 0, (Y,)), 0))
    tested = see(seen, Fault(2, 0, "ok"), 100)
    assert (tested.on, tested.faults, tested.news) == (seen.on, seen.faults, seen.news)


def test_an_incomplete_reading_is_neither_silent_nor_all() -> None:
    seen = table((Seen(1, 0, (Y,)), 0), (Fault(2, 0, "incomplete"), 10))
    assert "A1" not in seen.silent and seen.partial == {"A1"}
    assert letters(seen, 60_000) == {"A1": "Y"}  # what is seen is there
    whole = see(seen, Seen(3, 0, (Y, W)), 100)
    assert whole.partial == frozenset() and letters(whole, 100) == {"A1": "YW"}
    # What goes out of sight while the reading is not complete was not lifted together, whatever the number.
    less = see(see(whole, Fault(4, 0, "incomplete"), 5000), Seen(5, 0, ()), 5100)
    assert letters(less, 5100) == {"A1": "YW"}


def test_a_first_line_without_the_tile_itself_is_blind() -> None:
    seen = table((Seen(1, 0, ()), 0), (Seen(2, 1, ()), 0))
    assert {"A1"} == seen.silent & {"A1", "A2"}  # the tag of A1 is registered, A2 has none
    sees = see(seen, Seen(3, 0, (Y, TILE_A1)), 100)
    assert "A1" not in sees.silent
    broken = see(see(sees, Fault(4, 0, "spi"), 200), Seen(5, 0, ()), 300)
    assert "A1" in broken.silent  # it saw its tile before the fault, and does not now


def test_a_tile_whose_own_tag_is_dead_can_still_be_empty() -> None:
    seen = table((Seen(1, 0, (Y,)), 0), (Seen(2, 0, ()), 5000))
    assert "A1" not in seen.silent
    assert letters(seen, 5000 + timing.FADES) == {}


def test_a_missed_read_just_after_the_first_look_is_not_noticed() -> None:
    seen = table((Seen(1, 0, (Y, W)), 0), (Seen(2, 0, (Y,)), 200))
    assert letters(seen, 200) == {"A1": "YW"}
    assert see(seen, Seen(3, 0, (Y, W)), 300).news == table((Seen(1, 0, (Y, W)), 0)).news


def test_a_fault_in_the_first_sweep_does_not_end_it() -> None:
    before = table((Seen(1, 0, (Y,)), 0))
    assert not changes(before, see(before, Fault(2, 0, "silent"), 10))
    assert not changes(before, see(before, Seen(2, 1, (W,)), 10))  # another reader's first line
    assert changes(before, see(before, Seen(2, 0, ()), 10))
