"""The box and the table: what lies where, as hands move it, and what the chips below make of it."""

from __future__ import annotations

from collections import Counter
from random import Random

import pytest
from hypothesis import given
from hypothesis import strategies as st
from naqala.hands.table import BAG, HAND
from naqala.rules.board import TILES
from naqala.table.enrol import MOST_CAMELS
from naqala.table.evidence import FRAME
from naqala.virtual.box import tagged
from naqala.virtual.table import NoSuchGesture, VirtualTable
from naqala_protocol import FROM_CONTROLLER, Decoder, Seen


class Reading:
    """What the controller last said of each reader, after letting the table's time pass."""

    def __init__(self, table: VirtualTable) -> None:
        self.table, self.decoder = table, Decoder(FROM_CONTROLLER)
        self.on: dict[str, set[str]] = {}

    def after(self, ms: int) -> dict[str, set[str]]:
        end = self.table.works.now_ms + ms
        while self.table.works.now_ms < end:
            for message in self.decoder.feed(self.table.works.run_to(end)):
                if isinstance(message, Seen):
                    self.on[FRAME[message.reader]] = set(message.tags)
        return self.on


def truth(table: VirtualTable) -> dict[str, set[str]]:
    return {tile: {tag for tag in table.at(tile) if not table.lying(tag)} for tile in TILES}


def test_the_box_holds_what_the_rulebook_lists() -> None:
    kinds = Counter(piece.kind for piece in tagged(1).values())
    assert kinds == {"tile": 30, "meeple": 90, "camel": 4 * MOST_CAMELS, "palm": 12, "palace": 10}
    assert Counter(piece.which for piece in tagged(1).values() if piece.kind == "meeple") == {
        "Y": 16, "W": 20, "G": 18, "B": 18, "R": 18
    }  # fmt: skip
    assert sum(int(piece.which.split()[1]) for piece in tagged(1).values() if piece.kind == "tile") == 198
    assert tagged(1) == tagged(1) != tagged(2)


def test_a_set_up_table_is_read_as_it_lies() -> None:
    table = VirtualTable(seed=4)
    table.set_up(Random(4))
    assert all(len(table.at(tile, "meeple")) == 3 and len(table.at(tile, "tile")) == 1 for tile in TILES)
    reading = Reading(table)
    assert reading.after(4000) == truth(table)


def test_hands_lift_drop_lay_down_stand_up_and_take_back() -> None:
    table = VirtualTable(seed=5)
    table.set_up(Random(5))
    reading = Reading(table)
    reading.after(3000)
    lifted = table.lift("C3")
    assert len(lifted) == 3 and table.at(HAND) == lifted and not table.at("C3", "meeple")
    table.move(lifted[:1], "C4")
    assert reading.after(3000) == truth(table)
    table.lay_down(lifted[0])
    assert table.where(lifted[0]) == "C4"
    assert lifted[0] not in reading.after(3000)["C4"]
    table.stand_up(lifted[0])
    assert lifted[0] in reading.after(3000)["C4"]
    table.move(lifted[1:], BAG)
    for _ in range(5):  # lifted, dropped, laid down, stood up, the rest into the bag
        assert table.take_back()
    assert not table.take_back()
    assert reading.after(3000) == truth(table)
    assert sorted(table.at("C3", "meeple")) == sorted(lifted)


def test_a_shifted_tile_is_a_gesture_like_any_other() -> None:
    table = VirtualTable(seed=6)
    table.set_up(Random(6))
    tile = table.at("A1", "tile")
    table.move(tile, "B1")
    reading = Reading(table)
    assert set(tile) <= reading.after(4000)["B1"]


def test_nonsense_is_refused_and_changes_nothing() -> None:
    table = VirtualTable()
    before = table.picture()
    for tags, spot in ((["e0"], "A1"), ([next(iter(table.tags()))], "G7"), ([next(iter(table.tags()))], "")):
        with pytest.raises(NoSuchGesture):
            table.move(tags, spot)
    assert table.picture() == before


@given(st.lists(st.tuples(st.integers(0, 185), st.integers(0, 33), st.booleans()), max_size=40))
def test_no_piece_is_ever_lost(gestures: list[tuple[int, int, bool]]) -> None:
    table = VirtualTable(seed=1, works=Deaf())
    tags = list(table.tags())
    spots = [*TILES, HAND, BAG, "supply", "before pink"]
    for number, spot, lying in gestures:
        table.move([tags[number]], spots[spot])
        if lying:
            table.lay_down(tags[number])
    shown = table.picture()["spots"]
    assert sorted(piece["tag"] for there in shown.values() for piece in there) == sorted(tags)
    while table.take_back():
        pass
    assert table.picture()["spots"] == VirtualTable(seed=1, works=Deaf()).picture()["spots"]


class Deaf:
    """A table with no electronics below."""

    now_ms = 0

    def tell(self, line: str) -> None:
        pass

    def hear(self, data: bytes) -> None:
        pass

    def run_to(self, ms: int) -> bytes:
        return b""

    def close(self) -> None:
        pass
