"""Following a flag is one calm story: whoever does what is shown, one step at a time, meets no other flag on the way."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable
from itertools import pairwise
from random import Random

import pytest
from naqala.hands.slips import SLIPS
from naqala.rules.actions import Sow, Undo
from naqala.rules.board import TILES
from naqala.rules.model import Game
from naqala.rules.position import from_json, to_json
from naqala.rules.sowing import Sowing
from naqala.table.guide import DONE, HELD, OPEN, Guide, led, ticked
from naqala.table.playback import Said
from naqala.table.readings import Did, Doing, Quiet, Reading, Step, Unclear
from naqala.table.watch import Watcher
from naqala.transcript import Piece

from tests.table.following import CALM, LOOKS, Live, sow_live
from tests.table.samples import moves
from tests.table.stage import Small

OTHER_MESS = ("out of turn", "camel of nobody", "palm anywhere", "pieces swapped", "victims out of reach")
# Those that a hand plays through to the end.
PLAYED = tuple(
    n for n, s in SLIPS.items() if s.of is Sow and (n.endswith("_and_on") or s.forgotten or n == "last_alone")
)
PARTS = range(4)
MESSES = 130  # of each part
FLAGGED = 15_000  # milliseconds after which every mess has been flagged


class Shown:
    """What stands on the screen: the flag and its list, and every other flag that came."""

    def __init__(self, live: Live) -> None:
        self.guide: Guide | None = None
        self.flags: list[Guide] = []
        live.heard = self.hear

    def hear(self, watching: Watcher, game: Game) -> None:
        before, self.guide = self.guide, led(self.guide, watching, game)
        if self.guide is not None and (before is None or before.flag is not self.guide.flag):
            self.flags.append(self.guide)


# --- every kind of mess -----------------------------------------------------------------------------------------


def illegal_move(seed: int, name: str) -> tuple[Live, Shown] | None:
    """A move with this slip, played through. One half of all people looks up at every drop and stops at the flag; some have
    taken up the group already."""
    dice = Random(seed)
    game, action = dice.choice(moves())
    spoilt = SLIPS[name].spoil(game, action, dice)
    if spoilt is None:
        return None
    live = Live(game, seed)
    live.wait(1000)
    shown = Shown(live)
    made = Sowing(action.start, spoilt.drops)
    if dice.random() < 0.5:
        sow_live(live, made, 2000, lambda: shown.guide is not None)
    else:
        sow_live(live, made)
    group = "".join(letter for _, letter in spoilt.scoop)
    if spoilt.wrong_at is None or (shown.guide is None and dice.random() < 0.5):
        there = Counter(live.stage.piece(tag).which for tag in live.stage.at(made.end, "meeple"))
        live.take_up(made.end, list((there & Counter(group)).elements()))
    live.wait(FLAGGED)
    return live, shown


def other_mess(seed: int, kind: str) -> tuple[Live, Shown]:
    """Pieces that are no move at all."""
    dice = Random(seed)
    game, action = dice.choice(moves())
    live = Live(_in_phase(game, kind), seed)
    live.wait(1000)
    shown = Shown(live)
    tiles = [tile for tile in TILES if live.stage.at(tile, "meeple")]
    dice.shuffle(tiles)
    if kind == "out of turn":
        sow_live(live, Sowing(action.start, action.drops))
    elif kind == "camel of nobody":
        live.put(live.in_hand(Piece("camel", dice.choice(game.players).name)), tiles[0])
    elif kind == "palm anywhere":
        live.put(live.in_hand(Piece(dice.choice(("palm", "palace")))), tiles[0])
    elif kind == "pieces swapped":
        for tile, onto in pairwise(tiles[:4]):
            live.lift(live.stage.at(tile, "meeple")[0], wait=300)
            live.put(live.hand[-1], onto, wait=300)
    else:
        for tile in tiles[:3]:
            live.lift(live.stage.at(tile, "meeple")[0])
    live.wait(FLAGGED)
    return live, shown


def _in_phase(game: Game, kind: str) -> Game:
    """A turn in which no sowing is due."""
    turn = {"player": game.turn.player, "phase": "end"}
    if kind == "victims out of reach":
        turn |= {"phase": "kill", "tile": "A5", "collected": "R"}
    return from_json(to_json(game) | {"turn": turn})


def follow_to_the_end(live: Live, shown: Shown, dice: Random) -> list[int]:
    """Do the first step shown, again and again; how long the list was before each and in the end."""
    assert shown.guide
    counts = [len(shown.guide.left)]
    while shown.guide is not None and shown.guide.left and len(counts) < 40:
        live.obey(shown.guide.left[0], dice.randrange(4))
        live.wait(CALM)
        counts.append(len(shown.guide.left) if shown.guide else 0)
    return counts


@pytest.mark.long
@pytest.mark.parametrize("part", PARTS)
def test_doing_what_is_shown_leads_out_without_another_flag(part: int) -> None:
    """Before steps were planned to their end and held on to, one of five flags brought another one."""
    flagged: Counter[str] = Counter()
    for seed in range(part * MESSES, (part + 1) * MESSES):
        kind = (*PLAYED, *OTHER_MESS)[seed % (len(PLAYED) + len(OTHER_MESS))]
        mess = illegal_move(seed, kind) if kind in PLAYED else other_mess(seed, kind)
        if mess is None or mess[1].guide is None:
            continue
        live, shown = mess
        flagged[kind] += 1
        first, before = shown.guide, len(shown.flags)
        assert first is not None
        counts = follow_to_the_end(live, shown, Random(seed))
        story = (seed, kind, counts, first.flag, shown.flags[before:], live.said)
        assert len(shown.flags) == before, story
        assert shown.guide is None, story
        assert all(later < earlier for earlier, later in pairwise(counts)), story
        assert in_order(live.said), story
    assert sum(flagged.values()) > MESSES / 2 and len(flagged) > 9, flagged


def in_order(reading: Reading | None) -> bool:
    """As the record has it, or a legal state of the move; where several legal moves fit, that is asked."""
    return isinstance(reading, Quiet | Did | Unclear) or (isinstance(reading, Doing) and not reading.warning)


# --- by example -------------------------------------------------------------------------------------------------

# The hand of a newcomer: green, red, red from B2. From C3 on no red one can meet another.
NEWCOMER = {"B2": "GRR", "B3": "W", "C3": "W", "A2": "R", "E5": "RB", "F1": "YY"}


class Followed(Small):
    """A small table with its screen."""

    def __init__(self, *args: object, **more: object) -> None:
        self.guide: Guide | None = None
        self.flags = 0
        super().__init__(*args, **more)  # type: ignore[arg-type]

    def _take(self, said: Iterable[Said]) -> None:
        super()._take(said)
        before, self.guide = self.guide, led(self.guide, self.watching, self.standing)
        self.flags += self.guide is not None and (before is None or before.flag is not self.guide.flag)

    @property
    def left(self) -> list[tuple[str, str | None, tuple[str, ...]]]:
        assert self.guide
        return [(step.piece[-1], step.take_from, step.onto) for step in self.guide.left]

    def wait(self, milliseconds: int) -> None:
        for _ in range(0, milliseconds, 100):
            super().wait(100)


def newcomer() -> Followed:
    table = Followed(NEWCOMER)
    table.lift("B2")
    table.put("B3", "G1", wait=2000)
    table.put("C3", "R1", wait=2000)
    assert isinstance(table.last, Doing) and table.last.warning
    table.put("B3", "R2", wait=4000)
    return table


def test_the_newcomers_case_is_one_flag_from_the_first_step_to_the_last() -> None:
    table = newcomer()
    assert table.guide
    flag = table.guide.flag
    assert (flag.breaches[0].rule, flag.remedy.stuck) == ("no_immediate_backtracking", "C3")
    assert table.left == [("R", "B3", ()), ("R", "C3", ())]
    table.lift("B3", "R2", wait=4000)
    assert table.guide and table.guide.flag is flag
    assert table.left == [("R", "C3", ())]
    table.lift("C3", "R1", wait=4000)
    assert table.guide is None and table.flags == 1
    assert isinstance(table.last, Doing) and (table.last.hand, table.last.open) == ("RR", (("A3", "R"),))
    table.put("A3", "R1")
    table.put("A2", "R2", wait=1000)
    table.lift("A2", "R2", "R3", wait=4000)
    assert any(isinstance(reading, Did) for _, reading in table.said)


def test_two_steps_at_once_and_in_another_order() -> None:
    table = newcomer()
    table.lift("C3", "R1", wait=4000)
    assert table.guide and table.left == [("R", "B3", ())]
    table = newcomer()
    table.lift("C3", "R1", wait=0)
    table.lift("B3", "R2", wait=4000)
    assert table.guide is None and table.flags == 1


def test_the_way_back_beside_it_may_be_taken_as_well() -> None:
    table = newcomer()
    assert table.guide and [step.onto for step in table.guide.back] == [("B2",)] * 3
    table.lift("B3", "R2", wait=1000)
    table.put("B2", "R2", wait=4000)  # not on the first list, but on the other
    assert sorted(table.left) == [("G", "B3", ("B2",)), ("R", "C3", ("B2",))]
    table.lift("C3", "R1", wait=1000)
    table.put("B2", "R1", wait=4000)
    table.lift("B3", "G1", wait=1000)
    assert table.guide and HELD in table.guide.states
    table.put("B2", "G1", wait=4000)
    assert table.guide is None and table.flags == 1
    assert isinstance(table.last, Quiet)


def test_a_step_that_is_undone_is_on_the_list_again() -> None:
    table = newcomer()
    assert table.guide
    flag, left = table.guide.flag, table.left
    table.lift("B3", "R2", wait=4000)
    table.put("B3", "R2", wait=4000)
    assert table.guide and table.guide.flag is flag and table.left == left


def test_what_is_not_on_the_list_is_flagged_anew() -> None:
    table = newcomer()
    table.lift("F1", "Y1", wait=1000)
    table.put("D5", "Y1", wait=4000)
    assert table.flags > 1 and ("Y", "D5", ("F1",)) in table.left


def test_a_missed_read_changes_nothing() -> None:
    table = newcomer()
    assert table.guide
    before = table.guide
    here = list(table.on["E5"])
    table.on["E5"] = here[:1]
    table.line("E5")
    table.wait(1000)  # gone long enough to count as gone, not long enough to be said
    table.on["E5"] = here
    table.line("E5")
    table.wait(4000)
    assert (
        table.guide
        and (table.guide.flag, table.guide.left) == (before.flag, before.left)
        and table.flags == 1
    )


def test_one_drop_to_be_mended_is_shown_until_it_lies_there_again() -> None:
    """The flag eases when the piece is in the hand: nobody objects to that. Where it may go is said until it lies there."""
    table = Followed({"C3": "GYR", "C4": "R", "D3": "R", "B4": "R", "C2": "R", "D4": "R", "B3": "W"})
    table.lift("C3")
    table.put("D4", "G1", wait=4000)
    assert table.left == [("G", "D4", ("B3", "C2", "C4", "D3"))]
    table.lift("D4", "G1", wait=4000)
    assert table.guide and table.guide.states == (HELD,) and isinstance(table.last, Doing)
    assert table.guide.eased and table.left == [("G", None, ("B3", "C2", "C4", "D3"))]
    table.put("C2", "G1", wait=1000)
    assert table.guide is None and table.flags == 1


def test_another_good_drop_than_the_listed_one_closes_it_too() -> None:
    table = Followed({"C3": "GYR", "C4": "R", "D3": "R", "B4": "R", "C2": "R", "D4": "R", "B3": "W"})
    table.lift("C3")
    table.put("D4", "G1", wait=4000)
    table.lift("D4", "G1", wait=1000)
    table.put("B3", "Y1", wait=4000)  # yellow first: nobody objects
    assert table.guide is None and table.flags == 1


# --- counting ---------------------------------------------------------------------------------------------------

G, R = Piece("meeple", "G"), Piece("meeple", "R")
MOVE, TAKE, PUT = (
    Step("meeple R", "B3", ("A3", "C2")),
    Step("meeple R", "C3"),
    Step("meeple R", None, ("D4",)),
)


@pytest.mark.parametrize(
    ("moved", "states"),
    [
        ({}, (OPEN, OPEN, OPEN)),
        ({("B3", R): -1}, (HELD, OPEN, OPEN)),
        ({("B3", R): -1, ("C2", R): 1}, (DONE, OPEN, OPEN)),
        ({("C3", R): -1}, (OPEN, DONE, OPEN)),
        ({("C3", R): -1, ("D4", R): 1}, (OPEN, DONE, DONE)),
        ({("B3", R): -1, ("D4", R): 1}, (HELD, OPEN, DONE)),
        ({("B3", R): -1, ("A3", R): 1, ("C3", R): -1, ("D4", R): 1}, (DONE, DONE, DONE)),
        ({("C2", R): 1}, None),
        ({("B3", R): -2}, None),
        ({("B3", R): -1, ("E5", R): 1}, None),
        ({("B3", G): -1}, None),
    ],
)
def test_steps_are_ticked_off_by_what_came_and_left(
    moved: dict[tuple[str, Piece], int], states: tuple[str, ...] | None
) -> None:
    assert ticked((MOVE, TAKE, PUT), moved) == states


# --- after an undo ----------------------------------------------------------------------------------------------


def undone() -> Followed:
    """A move was made and its group taken up; then it was taken back by a tap."""
    table = Followed({"C3": "GR", "C4": "Y", "D4": "R", "A1": "WW"})
    table.lift("C3")
    table.put("C4", "G1")
    table.put("D4", "R1")
    table.lift("D4", "R1", "R2", wait=1000)
    assert isinstance(table.last, Quiet)
    table.tap(Undo(0, "Ann"))
    return table


def test_after_an_undo_the_pieces_are_put_back_and_nothing_else_is_read() -> None:
    """Both red ones on D4 and the green one on C4 would be the very move that was taken back."""
    table = undone()
    assert table.guide and table.guide.undone
    assert sorted(table.left, key=str) == [("G", "C4", ("C3",)), ("R", None, ("C3",)), ("R", None, ("D4",))]
    table.put("D4", "R1", wait=4000)
    table.put("D4", "R2", wait=4000)  # one too many: counted anew, and it still says what it is about
    assert table.guide and table.guide.undone
    assert sorted(table.left) == [("G", "C4", ("C3",)), ("R", "D4", ("C3",))]
    table.lift("D4", "R2")
    table.put("C3", "R2", wait=4000)
    table.lift("C4", "G1")
    assert table.left == [("G", None, ("C3",))]  # in the hand
    table.put("C3", "G1", wait=LOOKS)
    assert table.guide is None and isinstance(table.last, Quiet)
    assert [reading for _, reading in table.said if isinstance(reading, Did)][1:] == []
    table.lift("C3")
    table.put("C4", "G1")
    table.put("D4", "R2")
    assert isinstance(table.last, Did)
