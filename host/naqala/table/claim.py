"""A claim: something that pieces may say beside a sowing, and by how much it is cheaper than a slip of a reader.

In: the tracks that neither a sowing nor anything owed explains. Out: values that `rest` and `victims` fill. What is legal is
always asked of `rules.game.play`.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass

from naqala.rules.actions import Action
from naqala.rules.breach import Breach, IllegalMove, InvalidAction
from naqala.rules.game import play
from naqala.rules.model import Game
from naqala.table.noise import FREE, Cost, Noise
from naqala.table.readings import Did, Reading, Unclear, Wrong
from naqala.table.remedy import Surplus
from naqala.table.tracks import Track
from naqala.transcript import Piece


@dataclass(frozen=True, slots=True)
class Claim:
    """Something that could be said of pieces. `gap` is how much dearer it is that readers slipped; it grows by `rate` per
    second, and must reach `needs` before anything is said."""

    reading: Reading
    gap: float
    rate: float
    needs: float
    tracks: tuple[Track, ...] = ()

    @property
    def sure(self) -> bool:
        return self.gap >= self.needs


@dataclass(frozen=True, slots=True)
class Rest:
    """A table between sowings, or what is not meeples of a sowing."""

    game: Game
    moved: tuple[Track, ...]  # tracks that nothing explains yet
    lost: dict[str, list[int]]  # per tile the moments at which pieces were lost that nothing explains
    noise: Noise
    owed: Surplus  # pieces that are to be put down: (tile, piece) -> how many
    group: bool = False  # the group of the last sowing still stands there
    since: int = 0  # when the last action was read: what was lost long before is no victim

    def arrived(self, *kinds: str) -> list[Track]:
        return [t for t in self.moved if t.piece.kind in kinds and t.places and not t.back]

    def slip(self, track: Track) -> Cost:
        """What it costs that a piece that came to a tile is only read there."""
        cost = self.noise.idle_native(track)
        if track.home is not None and track.left is not None and not track.back:
            cost = cost.plus(self.noise.unread(track.home, [track.left]))
        return cost

    def absence(self, gone: Sequence[Track]) -> Cost:
        """What it costs that these are only not read, as against being gone."""
        cost = FREE
        for tile in {str(track.home) for track in gone}:
            moments = self.lost.get(tile, [])
            rest = list(moments)
            for track in gone:
                if track.home == tile and track.left in rest:
                    rest.remove(track.left)
            whole, less = self.noise.unread(tile, moments), self.noise.unread(tile, rest)
            cost = cost.plus(Cost(whole.price - less.price, max(0.0, whole.rate - less.rate)))
        return cost


def legal(game: Game, tries: Iterable[Action]) -> tuple[list[Action], tuple[Breach, ...]]:
    """The actions that the rules allow, and the breaches of the first that they refuse."""
    allowed: list[Action] = []
    refused: tuple[Breach, ...] = ()
    for action in tries:
        try:
            play(game, action)
        except IllegalMove as error:
            refused = refused or error.breaches
        except InvalidAction:
            continue
        else:
            allowed.append(action)
    return allowed, refused


def did_or_ask(
    actions: list[Action], gap: Cost, price: float, noise: Noise, tracks: Sequence[Track]
) -> Claim:
    reading = Did(actions[0]) if len(actions) == 1 else Unclear(actions=tuple(actions))
    return Claim(reading, gap.price - price, gap.rate, noise.prices.sure_of_a_move, tuple(tracks))


def flag(wrong: Wrong, gap: Cost, price: float, noise: Noise) -> Claim:
    return Claim(wrong, gap.price - price, gap.rate, noise.prices.sure_of_a_flag)


def counted(gone: Iterable[Track]) -> dict[tuple[str, Piece], int]:
    found: dict[tuple[str, Piece], int] = {}
    for track in gone:
        key = (str(track.home), track.piece)
        found[key] = found.get(key, 0) - 1
    return found
