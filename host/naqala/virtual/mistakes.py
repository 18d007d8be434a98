"""The mistakes people make, as one table: a name, the rule that is broken, and how a move goes wrong that way.

In: the game, what a player means to do (a sowing, a palm or palace, the camel that is due), dice. Out: what the hands do
instead, or None where this mistake cannot be made, or where what would lie there is a legal move after all. Nothing is
moved here; `Slips` says when it is time for one, and sees to it that every kind has its turn.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass
from itertools import permutations
from random import Random

from naqala.rules.actions import Place, Sow
from naqala.rules.board import COLUMNS, NEIGHBOURS, ROWS
from naqala.rules.breach import IllegalMove, InvalidAction
from naqala.rules.game import play
from naqala.rules.model import Game
from naqala.rules.sowing import Sowing, breaches, ends_on_its_own_colour
from naqala.virtual.hands import Drop

OVERDUE_MS = 20_000  # then a kind may come again though others still wait for their occasion
MOST_DROPS = 6  # of a move whose every order is tried
PLACED_BY = {"Enki", "Bouraq", "Lamia", "Hagis"}  # djinns with whom a palm or palace elsewhere may be legal


@dataclass(frozen=True, slots=True)
class Mark:
    """The camel that a player owes to a tile just won."""

    player: str
    tile: str


Meant = Sow | Place | Mark


@dataclass(frozen=True, slots=True)
class Spoilt:
    """What hands do instead: where each piece falls (a meeple's letter, a camel's player, a palm), what is left standing on
    the start tile, and what is taken up at the end."""

    drops: tuple[Drop, ...] = ()
    left: str = ""
    scoop: tuple[Drop, ...] = ()


Spoil = Callable[[Game, Meant, Random], Spoilt | None]


@dataclass(frozen=True, slots=True)
class Mistake:
    """One kind: what it spoils, and the rule that the companion has to name."""

    name: str
    of: type[Sow] | type[Place] | type[Mark]
    rule: str
    spoil: Spoil


# --- one drop goes wrong on the way -------------------------------------------------------------------------


def _instead(wrong: Callable[[str, str], Iterable[str]]) -> Spoil:
    """Spoil one drop of a sowing, neither the first nor the last: `wrong(before, here)` are tiles to drop it on."""

    def spoil(game: Game, meant: Meant, dice: Random) -> Spoilt | None:
        assert isinstance(meant, Sow)
        if len(meant.drops) < 3:
            return None
        path = (meant.start, *(tile for tile, _ in meant.drops))
        at = dice.randrange(1, len(meant.drops) - 1)
        tiles = sorted(wrong(path[at - 1], path[at]))
        return Spoilt((*meant.drops[:at], (dice.choice(tiles), meant.drops[at][1])))

    return spoil


def _shifted(here: str, *ways: tuple[int, int]) -> Iterable[str]:
    column, row = COLUMNS.index(here[0]), ROWS.index(here[1])
    for right, down in ways:
        if 0 <= column + right < len(COLUMNS) and 0 <= row + down < len(ROWS):
            yield COLUMNS[column + right] + ROWS[row + down]


def _diagonal(before: str, here: str) -> Iterable[str]:
    return _shifted(here, (1, 1), (1, -1), (-1, 1), (-1, -1))


def _skipped(before: str, here: str) -> Iterable[str]:
    return _shifted(here, (2, 0), (-2, 0), (0, 2), (0, -2))


def _straight_back(before: str, here: str) -> Iterable[str]:
    return (before,)


def _two_on_one(before: str, here: str) -> Iterable[str]:
    return (here,)


# --- the end of a sowing goes wrong -------------------------------------------------------------------------


def _last_alone(game: Game, meant: Meant, dice: Random) -> Spoilt | None:
    """The last meeple goes where none of its tribe is."""
    assert isinstance(meant, Sow)
    if not 2 <= len(meant.drops) <= MOST_DROPS:
        return None
    path = (meant.start, *(tile for tile, _ in meant.drops))
    for tile in dice.sample(NEIGHBOURS[path[-2]], len(NEIGHBOURS[path[-2]])):
        drops = (*meant.drops[:-1], (tile, meant.drops[-1][1]))
        if tile != path[-3] and not _legal_in_some_order(game, meant.start, drops):
            return Spoilt(drops)
    return None


def _left_behind(game: Game, meant: Meant, dice: Random) -> Spoilt | None:
    """One meeple is forgotten on the start tile, and the move ends one drop early, on its own colour. A tile that is empty
    after the scoop would look like the start tile of another move."""
    assert isinstance(meant, Sow)
    drops, (_, forgotten) = meant.drops[:-1], meant.drops[-1]
    if not 2 <= len(drops) < MOST_DROPS or any(
        ends_on_its_own_colour(game.meeples, Sowing(meant.start, drops))
    ):
        return None
    if drops[-1][0] == meant.start or _legal_in_some_order(
        game, meant.start, (*drops, (meant.start, forgotten))
    ):
        return None
    end, colour = drops[-1]
    if set(game.tile(end).meeples) == {colour}:
        return None
    return Spoilt(drops, forgotten, _group(game, meant.start, drops))


def _one_forgotten(game: Game, meant: Meant, dice: Random) -> Spoilt | None:
    """The group is taken up but for one. Where only one stood before nobody could tell: the others may be in the hand yet."""
    assert isinstance(meant, Sow)
    end, colour = meant.drops[-1]
    if end == meant.start or game.tile(end).meeples.count(colour) < 2:
        return None
    return Spoilt(meant.drops, scoop=_group(game, meant.start, meant.drops)[1:])


def _wrong_colour(game: Game, meant: Meant, dice: Random) -> Spoilt | None:
    """Another colour is taken up instead, one that did not come with this move."""
    assert isinstance(meant, Sow)
    end = meant.drops[-1][0]
    dropped = {letter for tile, letter in meant.drops if tile == end}
    others = sorted(set(game.tile(end).meeples) - dropped) if end != meant.start else []
    return Spoilt(meant.drops, scoop=((end, dice.choice(others)),)) if others else None


def _group(game: Game, start: str, drops: Sequence[Drop]) -> tuple[Drop, ...]:
    """All meeples of the last colour on the last tile."""
    end, colour = drops[-1]
    there = 0 if end == start else game.tile(end).meeples.count(colour)
    return (drops[-1],) * (there + sum(drop == drops[-1] for drop in drops))


def _legal_in_some_order(game: Game, start: str, drops: Sequence[Drop]) -> bool:
    """The companion is charitable: what lies there is a legal move if any order of these drops is."""
    orders = set(permutations(drops))
    return any(not breaches(game.meeples, Sowing(start, order)) for order in orders)


# --- camels, palms and palaces ------------------------------------------------------------------------------


def _wrong_camel(game: Game, meant: Meant, dice: Random) -> Spoilt | None:
    assert isinstance(meant, Mark)
    others = [player.name for player in game.players if player.name != meant.player and player.camels]
    return Spoilt(((meant.tile, dice.choice(others)),)) if others else None


def _camel_missing(game: Game, meant: Meant, dice: Random) -> Spoilt | None:
    return Spoilt()


def _camel_elsewhere(game: Game, meant: Meant, dice: Random) -> Spoilt | None:
    assert isinstance(meant, Mark)
    free = [tile for tile in NEIGHBOURS[meant.tile] if game.tile(tile).camel is None]
    return Spoilt(((dice.choice(free), meant.player),)) if free else None


def _placed_elsewhere(game: Game, meant: Meant, dice: Random) -> Spoilt | None:
    """The palm or palace goes to a tile beside the one that asks for it."""
    assert isinstance(meant, Place)
    if PLACED_BY & set(game.player(meant.player).djinns):
        return None
    tile = dice.choice(NEIGHBOURS[meant.tile])
    try:
        play(game, Place(meant.player, meant.what, tile))
    except (IllegalMove, InvalidAction):
        return Spoilt(((tile, meant.what),))
    return None


MISTAKES: dict[str, Mistake] = {
    mistake.name: mistake
    for mistake in (
        Mistake("diagonal", Sow, "drops_on_neighbours", _instead(_diagonal)),
        Mistake("skipped", Sow, "drops_on_neighbours", _instead(_skipped)),
        Mistake("two_on_one_tile", Sow, "drops_on_neighbours", _instead(_two_on_one)),
        Mistake("straight_back", Sow, "no_immediate_backtracking", _instead(_straight_back)),
        Mistake("last_alone", Sow, "ends_on_its_own_colour", _last_alone),
        Mistake("left_behind", Sow, "takes_every_meeple", _left_behind),
        Mistake("one_forgotten", Sow, "collects_every_one_of_its_colour", _one_forgotten),
        Mistake("wrong_colour", Sow, "collects_every_one_of_its_colour", _wrong_colour),
        Mistake("wrong_camel", Mark, "marks_control", _wrong_camel),
        Mistake("camel_missing", Mark, "marks_control", _camel_missing),
        Mistake("camel_elsewhere", Mark, "marks_control", _camel_elsewhere),
        Mistake("placed_elsewhere", Place, "places_what_the_tile_asks", _placed_elsewhere),
    )
}


class Slips:
    """When a robot slips, and how: about so often, every kind once before any comes again."""

    def __init__(self, kinds: Sequence[str], per_minute: float, seed: int, now: int) -> None:
        self._kinds = tuple(kinds)
        self._gap_ms = round(60_000 / per_minute) if per_minute else 0
        self._dice = Random(seed)
        self._waiting: list[str] = []
        self._due = now + self._gap_ms

    def next(self, game: Game, meant: Meant, now: int) -> tuple[Mistake, Spoilt] | None:
        """What goes wrong now, if it is time for it and something of this can."""
        if not self._gap_ms or now < self._due:
            return None
        self._waiting = self._waiting or self._dice.sample(self._kinds, len(self._kinds))
        again = [kind for kind in self._kinds if kind not in self._waiting]
        for kind in (*self._waiting, *(again if now > self._due + OVERDUE_MS else ())):
            mistake = MISTAKES[kind]
            spoilt = mistake.spoil(game, meant, self._dice) if isinstance(meant, mistake.of) else None
            if spoilt is not None:
                self._waiting = [other for other in self._waiting if other != kind]
                self._due = now + self._gap_ms
                return mistake, spoilt
        return None
