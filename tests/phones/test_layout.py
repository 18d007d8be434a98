"""The layout of a board without readers: what may be painted, what fills itself, undo, several people, and a restart."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterator
from pathlib import Path
from random import Random

import pytest
from hypothesis import given
from hypothesis import strategies as st
from naqala import link
from naqala.journal import Journal
from naqala.rules.board import TILES
from naqala.session import commands as c
from naqala.session.draft import Draft
from naqala.session.layout import KINDS, Layout, Stroke, drawn, folded
from naqala.session.phone_commands import TakeBack
from naqala.session.session import Session
from naqala.session.snapshot import PHONES, PLAY, SETUP

from tests.phones.fingers import Board

# As printed in the rulebook: 30 tiles, 90 meeples.
TILES_IN_THE_BOX = {
    "village_5": 5,
    "sacred_place_6": 4,
    "sacred_place_10": 1,
    "sacred_place_12": 1,
    "sacred_place_15": 1,
    "oasis_8": 6,
    "small_market_6": 8,
    "large_market_4": 4,
}
MEEPLES_IN_THE_BOX = {"Y": 16, "W": 20, "G": 18, "B": 18, "R": 18}
NEW_GAME = c.NewGame("owner", ("Ann", "Bob"), ("pink", "blue"))


def strokes(board: Board, tiles_left_out: str, tribe_left_out: str) -> list[Stroke]:
    """Everything painted but one kind of tile and one tribe."""
    found = [Stroke("Ann", "paint")]
    found += [
        Stroke("Ann", "tile", tile, kind) for tile, kind in board.tiles.items() if kind != tiles_left_out
    ]
    found += [
        Stroke("Bob", "meeple", tile, letter)
        for tile, three in board.meeples.items()
        for letter in three
        if letter != tribe_left_out
    ]
    return found


@pytest.mark.parametrize(("kind", "tribe"), [("small_market_6", "W"), ("sacred_place_15", "Y")])
def test_what_is_left_in_the_box_fills_itself(kind: str, tribe: str) -> None:
    board = Board.dealt(Random(2))
    lying = folded(strokes(board, kind, tribe)).lying
    assert lying.complete
    assert dict(zip(TILES, lying.tiles, strict=True)) == board.tiles
    assert [sorted(one) for one in lying.meeples] == [sorted(board.meeples[tile]) for tile in TILES]


def test_a_dealt_board_is_what_the_box_holds() -> None:
    lying = folded([Stroke("owner", "deal", what=drawn(Random(1).randrange))]).lying
    assert Counter(lying.tiles) == TILES_IN_THE_BOX
    assert Counter("".join(lying.meeples)) == MEEPLES_IN_THE_BOX
    assert {len(three) for three in lying.meeples} == {3}


@given(
    st.lists(
        st.builds(
            Stroke,
            st.sampled_from(["Ann", "Bob of the hill"]),
            st.sampled_from(["tile", "meeple", "clear", "take", "done", "nonsense"]),
            st.sampled_from([*TILES[:6], "1", "5", "-", "Z9"]),
            st.sampled_from([*KINDS, *"YWGBR", "yes", "no", "-"]),
        ),
        max_size=60,
    )
)
def test_no_stroke_takes_more_than_the_box_holds_and_text_is_the_whole_layout(told: list[Stroke]) -> None:
    layout = folded([Stroke("Ann", "paint"), *told])
    assert not Counter(one for one in layout.lying.tiles if one) - Counter(TILES_IN_THE_BOX)
    assert not Counter("".join(layout.lying.meeples)) - Counter(MEEPLES_IN_THE_BOX)
    assert max(map(len, layout.lying.meeples)) <= 3
    assert Layout.from_text(str(layout)) == layout


# --- in a session ---------------------------------------------------------------------------------------------


@pytest.fixture
def house(tmp_path: Path) -> Iterator[Callable[[], Session]]:
    """Start the table's session, ending the one before as a restart of the program does."""
    running: list[tuple[Session, Journal]] = []

    def stop() -> None:
        for session, journal in running:
            session.stop()
            journal.close()
        running.clear()

    def start() -> Session:
        stop()
        journal = Journal.open(str(tmp_path / "journal.sqlite"))
        draft = Draft(tmp_path, "the board/1")
        session = Session("the board/1", journal, link.open("phones"), {}, {}, Random(3), draft=draft)
        session.start()
        running.append((session, journal))
        return session

    yield start
    stop()


def test_people_paint_together_and_nothing_is_lost_by_a_restart(house: Callable[[], Session]) -> None:
    session = house()
    assert (session.snapshot.evidence, session.snapshot.readers) == (PHONES, ())
    assert session.tell(Stroke("Ann", "paint")).why == "no_setup"
    assert session.tell(NEW_GAME).accepted
    board = Board.dealt(Random(5))
    told = strokes(board, "small_market_6", "W")
    for stroke in told[:-1]:
        assert session.tell(stroke).accepted, stroke
    assert session.tell(c.Begin("Ann", 0)).why == "layout_open"
    before = session.snapshot.layout
    session = house()
    assert (session.snapshot.stage, session.snapshot.layout) == (SETUP, before)
    assert [seat.name for seat in session.snapshot.seats] == ["Ann", "Bob"]
    assert session.tell(told[-1]).accepted
    assert session.tell(TakeBack("Bob")).accepted  # Ann's strokes stay
    assert session.snapshot.layout == before
    assert session.tell(told[-1]).accepted
    assert session.tell(c.Begin("Bob", 0)).accepted
    shown = session.snapshot
    assert (shown.stage, shown.layout) == (PLAY, None)
    assert {
        tile: f"{shown.game.tile(tile).type}_{shown.game.tile(tile).points}" for tile in TILES
    } == board.tiles
    session = house()
    assert session.snapshot.stage == "welcome", "the layout is in the journal now"
    assert session.tell(c.Resume("owner")).accepted
    assert (session.snapshot.evidence, session.snapshot.reading) == (PHONES, None)


def test_what_cannot_be_is_refused_with_its_reason(house: Callable[[], Session]) -> None:
    session = house()
    session.tell(NEW_GAME)
    session.tell(Stroke("Ann", "paint"))
    assert session.tell(TakeBack("Ann")).why == "nothing_to_take_back"
    assert session.tell(Stroke("Ann", "tile", "A1", "sacred_place_15")).accepted
    assert session.tell(Stroke("Bob", "tile", "A2", "sacred_place_15")).why == "no_tile_left"
    assert session.tell(Stroke("Bob", "tile", "A1", "sacred_place_15")).accepted  # the same again
    for _ in range(3):
        assert session.tell(Stroke("Bob", "meeple", "A1", "Y")).accepted
    assert session.tell(Stroke("Bob", "meeple", "A1", "Y")).why == "tile_is_full"
    assert session.tell(Stroke("Ann", "clear", "A1")).accepted
    assert (session.snapshot.layout.meeples[0], session.snapshot.layout.tiles[0]) == ("", "sacred_place_15")
    assert session.tell(Stroke("Ann", "clear", "A1")).accepted
    assert session.snapshot.layout.tiles[0] is None


def test_a_damaged_draft_is_set_aside(house: Callable[[], Session], tmp_path: Path) -> None:
    session = house()
    session.tell(NEW_GAME)
    (file,) = tmp_path.glob("layout-*.json")
    file.write_text("{")
    assert house().snapshot.stage == "welcome"
