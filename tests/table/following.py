"""People who do what a flag says: a live table of a whole game, illegal moves of every kind, and hands that always do the
first step shown and nothing else.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass, field
from random import Random

from naqala.hands.table import HAND, beside, laid_out
from naqala.rules.board import TILES
from naqala.rules.model import Game
from naqala.rules.record import Record
from naqala.rules.sowing import Sowing
from naqala.table.playback import Playback, Said
from naqala.table.readings import Reading, Step
from naqala.table.watch import Watcher, watcher
from naqala.transcript import Piece
from naqala_protocol import Seen

LOOKS = 900  # from a hand on a tile to the next: somebody who reads what the screen says
CALM = 4_000  # after this nothing comes any more that waits for hands


@dataclass
class Live:
    """A stage before readers that see every change at once. `hand` is what was taken up and not put down."""

    game: Game
    seed: int
    hand: list[str] = field(default_factory=list)
    now: int = 0

    def __post_init__(self) -> None:
        self.stage = laid_out(self.game, Random(self.seed))
        self.play = Playback(watcher(dict(enumerate(TILES)), self.stage.tags()), Record(self.game))
        self.moved: list[str] = []  # every piece that was moved, in order
        self.seq = 0
        self.heard: Callable[[Watcher, Game], None] = lambda watching, game: None
        for tile in TILES:
            self.line(tile)

    def line(self, tile: str, without: str = "") -> None:
        tags = tuple(tag for tag in self.stage.at(tile) if tag != without)
        self.seq += 1
        self._take(self.play.hear(Seen(self.seq, TILES.index(tile), tags), self.now))

    def _take(self, said: Iterable[Said]) -> None:
        for _ in said:
            pass
        self.heard(self.play.watching, self.play.record.game)

    def wait(self, milliseconds: int) -> None:
        """Time passes, in steps as short as a look of a reader."""
        for _ in range(0, milliseconds, 100):
            self.now += 100
            self._take(self.play.wait(self.now))

    @property
    def said(self) -> Reading | None:
        return self.play.watching.said

    # --- hands ---

    def lift(self, tag: str, wait: int = LOOKS) -> None:
        tile = self.stage.where(tag)
        assert tile in TILES
        self._move(tag, HAND)
        self.hand.append(tag)
        self.line(tile)
        self.wait(wait)

    def put(self, tag: str, tile: str, wait: int = LOOKS) -> None:
        if tag in self.hand:
            self.hand.remove(tag)
        self._move(tag, tile)
        self.line(tile)
        self.wait(wait)

    def take_up(self, tile: str, letters: Sequence[str]) -> None:
        """Several meeples in one grab."""
        for letter in letters:
            tag = self.stage.at(tile, "meeple", letter)[0]
            self._move(tag, HAND)
            self.hand.append(tag)
        self.line(tile)
        self.wait(LOOKS)

    def in_hand(self, piece: Piece) -> str:
        """A piece of that kind: from the hand, else from beside the board."""
        held = [tag for tag in self.hand if self.stage.piece(tag) == piece]
        return held[-1] if held else beside(self.stage, piece)[0]

    def _move(self, tag: str, spot: str) -> None:
        self.stage.move([tag], spot)
        self.moved.append(tag)

    def obey(self, step: Step, choice: int = 0) -> None:
        """Do one step as it is written."""
        kind, _, which = step.piece.partition(" ")
        piece = Piece(kind, which)
        if step.take_from:
            here = self.stage.at(step.take_from, kind, which)
            newest = [tag for tag in reversed(self.moved) if tag in here]
            tag = (newest or here)[0]
            self.lift(tag)
        else:
            tag = self.in_hand(piece)
        if step.onto:
            self.put(tag, step.onto[choice % len(step.onto)])


def sow_live(
    live: Live, sowing: Sowing, wait: int = LOOKS, flagged: Callable[[], bool] = lambda: False
) -> None:
    """Take up what the sowing drops and drop it; a meeple that the start tile never held comes from a tile on the way.
    Who heeds what is `flagged` stops there."""
    here = Counter(live.stage.piece(tag).which for tag in live.stage.at(sowing.start, "meeple"))
    live.take_up(sowing.start, list((here & Counter(sowing.hand)).elements()))
    for tile, letter in sowing.drops:
        if flagged():
            return
        held = [tag for tag in live.hand if live.stage.piece(tag).which == letter]
        if not held:
            second = next(t for t in sowing.path[1:-1] if live.stage.at(t, "meeple", letter))
            live.lift(live.stage.at(second, "meeple", letter)[0])
            held = live.hand[-1:]
        live.put(held[-1], tile, wait)
