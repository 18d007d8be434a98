"""The illegal moves people make, as one table: a name, what it spoils, the rule that is broken, and how it goes wrong.

In: the game, what a player means to do (a sowing, a palm or palace, the camel that is due, a killing), dice. Out: what the
hands do instead, or None where this slip cannot be made, or where what would lie there is legal after all: in any order
(pieces laid down and stood up lose their order, so no referee could object), or with a djinn of the player.

    >>> SLIPS["straight_back"].spoil(game, Sow("Ann", "C3", (("C4", "G"), ("D4", "R"), ("D5", "Y"))), dice)
    Spoilt(drops=(("C4", "G"), ("C3", "R")), wrong_at=1)
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass
from itertools import permutations
from random import Random

from naqala.hands.styles import Drop
from naqala.rules.actions import Kill, Place, Sow
from naqala.rules.board import COLUMNS, NEIGHBOURS, ROWS, TILES, distance
from naqala.rules.breach import IllegalMove, InvalidAction
from naqala.rules.djinns import DJINNS
from naqala.rules.game import play
from naqala.rules.model import PIECES, Game
from naqala.rules.sowing import Sowing, breaches, breaches_so_far, ends_on_its_own_colour

MOST_DROPS = 6  # of a move whose every order is tried


@dataclass(frozen=True, slots=True)
class Mark:
    """The camel that a player owes to a tile just won."""

    player: str
    tile: str


Meant = Sow | Place | Mark | Kill


@dataclass(frozen=True, slots=True)
class Spoilt:
    """What hands do instead: where each piece falls (a meeple's letter, a camel's player, a palm), what is left standing on
    the start tile, what is taken up at the end (tile and letter), and a meeple that is carried along from another tile.
    `wrong_at` is the drop that breaks the rule, counted from 0; None when only the end of the move does."""

    drops: tuple[Drop, ...] = ()
    left: str = ""
    scoop: tuple[Drop, ...] = ()
    carried_along: Drop | None = None
    wrong_at: int | None = None


Spoil = Callable[[Game, Meant, Random], Spoilt | None]


@dataclass(frozen=True, slots=True)
class Slip:
    """One kind: what it spoils, and the rule that the companion has to name. What is `forgotten` is not noticed until
    somebody says so: it lasts longer than what looks wrong at once."""

    name: str
    of: type[Sow] | type[Place] | type[Mark] | type[Kill]
    rule: str
    spoil: Spoil
    forgotten: bool = False


# --- one drop goes wrong on the way -------------------------------------------------------------------------

Wrong = Callable[[str, str], Iterable[str]]  # (before, here) -> tiles to drop on that are wrong


def _instead(wrong: Wrong, goes_on: bool = False) -> Spoil:
    """Spoil one drop of a sowing. The hand stops there, or goes on to the end and scoops, as people do who do not notice."""

    def spoil(game: Game, meant: Meant, dice: Random) -> Spoilt | None:
        assert isinstance(meant, Sow)
        first, last = (1, len(meant.drops) - 1) if not goes_on else (0, len(meant.drops) - 1)
        if len(meant.drops) < 3 or len(meant.drops) > MOST_DROPS:
            return None
        path = ("", meant.start, *(tile for tile, _ in meant.drops))
        at = dice.randrange(first, last)
        # Not on the start tile: there it may wait for a second grab, and a reader may never have missed it.
        tiles = sorted(tile for tile in wrong(path[at], path[at + 1]) if tile not in ("", meant.start))
        if not tiles:
            return None
        drops = (*meant.drops[:at], (dice.choice(tiles), meant.drops[at][1]))
        if not goes_on:
            return None if _begun_in_some_order(game, meant.start, drops) else Spoilt(drops, "", (), None, at)
        return _gone_on(game, meant, drops, dice)

    return spoil


def _gone_on(game: Game, meant: Sow, drops: tuple[Drop, ...], dice: Random) -> Spoilt | None:
    """The rest of the hand falls as it should after the wrong step, and ends on its own colour."""
    letters = [letter for _, letter in meant.drops[len(drops) :]]
    for _ in range(30):
        path = [meant.start, *(tile for tile, _ in drops)]
        while len(path) <= len(meant.drops) and (onward := _onward(path)):
            path.append(dice.choice(onward))
        if len(path) <= len(meant.drops):
            continue  # in a corner
        made = (*drops, *zip(path[len(drops) + 1 :], letters, strict=True))
        sowing = Sowing(meant.start, made)
        found = breaches(game.meeples, sowing)
        alone = any(ends_on_its_own_colour(game.meeples, sowing))
        if len(found) == 1 and not alone and not _legal_in_some_order(game, meant.start, made):
            return Spoilt(made, "", _group(game, meant.start, made), None, len(drops) - 1)
    return None


def _onward(path: Sequence[str]) -> list[str]:
    """Where a hand may go on, past the start tile."""
    return [tile for tile in NEIGHBOURS[path[-1]] if tile not in (path[-2], path[0])]


def _shifted(here: str, *ways: tuple[int, int]) -> Iterable[str]:
    column, row = COLUMNS.index(here[0]), ROWS.index(here[1])
    for right, down in ways:
        if 0 <= column + right < len(COLUMNS) and 0 <= row + down < len(ROWS):
            yield COLUMNS[column + right] + ROWS[row + down]


def _diagonal(before: str, here: str) -> Iterable[str]:
    return _shifted(here, (1, 1), (1, -1), (-1, 1), (-1, -1))


def _skipped(before: str, here: str) -> Iterable[str]:
    return _shifted(here, (2, 0), (-2, 0), (0, 2), (0, -2))


def _far(before: str, here: str) -> Iterable[str]:
    return (tile for tile in TILES if distance(here, tile) >= 3)


def _straight_back(before: str, here: str) -> Iterable[str]:
    return (before,)


def _two_on_one(before: str, here: str) -> Iterable[str]:
    return (here,) if before else ()


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
            return Spoilt(drops, wrong_at=len(drops) - 1)
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


def _carried_along(game: Game, meant: Meant, dice: Random) -> Spoilt | None:
    """A meeple of a tile on the way is taken along and dropped one tile further than the hand reaches, on its own colour."""
    assert isinstance(meant, Sow)
    path = (meant.start, *(tile for tile, _ in meant.drops))
    if not 2 <= len(meant.drops) < MOST_DROPS or len(set(path)) < len(path):
        return None
    passed = path[1]
    for tile in dice.sample(NEIGHBOURS[path[-1]], len(NEIGHBOURS[path[-1]])):
        fitting = sorted(set(game.tile(passed).meeples) & set(game.tile(tile).meeples))
        if tile in path or not fitting:
            continue
        letter = dice.choice(fitting)
        drops = (*meant.drops, (tile, letter))
        found = breaches(game.meeples, Sowing(meant.start, drops))
        if [breach.rule for breach in found] == ["takes_every_meeple"]:
            return Spoilt(drops, "", _group(game, meant.start, drops), (passed, letter), len(drops) - 1)
    return None


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
    """What lies there is a legal move if any order of these drops is."""
    return any(not breaches(game.meeples, Sowing(start, order)) for order in set(permutations(drops)))


def _begun_in_some_order(game: Game, start: str, drops: Sequence[Drop]) -> bool:
    """The same for a move that is not finished."""
    return any(not breaches_so_far(game.meeples, Sowing(start, order)) for order in set(permutations(drops)))


# --- camels, palms and palaces, victims ---------------------------------------------------------------------


def _places_by_djinn(game: Game, player: str) -> bool:
    """Whether a piece elsewhere may be the work of a djinn of this player."""
    held = [DJINNS[name] for name in game.player(player).djinns]
    return any((card.power and card.power.on) or card.changes in PIECES for card in held)


def _wrong_camel(game: Game, meant: Meant, dice: Random) -> Spoilt | None:
    assert isinstance(meant, Mark)
    others = [player.name for player in game.players if player.name != meant.player and player.camels]
    return Spoilt(((meant.tile, dice.choice(others)),), wrong_at=0) if others else None


def _not_done(game: Game, meant: Meant, dice: Random) -> Spoilt | None:
    """The turn is ended without it."""
    return Spoilt()


def _camel_elsewhere(game: Game, meant: Meant, dice: Random) -> Spoilt | None:
    assert isinstance(meant, Mark)
    if _places_by_djinn(game, meant.player):
        return None
    free = [tile for tile in NEIGHBOURS[meant.tile] if game.tile(tile).camel is None]
    return Spoilt(((dice.choice(free), meant.player),), wrong_at=0) if free else None


def _placed_elsewhere(game: Game, meant: Meant, dice: Random) -> Spoilt | None:
    """The palm or palace goes to a tile beside the one that asks for it."""
    assert isinstance(meant, Place)
    tile = dice.choice(NEIGHBOURS[meant.tile])
    return _refused(game, Place(meant.player, meant.what, tile))


def _wrong_piece(game: Game, meant: Meant, dice: Random) -> Spoilt | None:
    """A palace for the palm that is asked for, or the other way round."""
    assert isinstance(meant, Place)
    other = PIECES[1 - PIECES.index(meant.what)]
    return _refused(game, Place(meant.player, other, meant.tile)) if game.supply(other) else None


def _refused(game: Game, placed: Place) -> Spoilt | None:
    if _places_by_djinn(game, placed.player):
        return None
    try:
        play(game, placed)
    except (IllegalMove, InvalidAction):
        return Spoilt(((placed.tile, placed.what),), wrong_at=0)
    return None


def _victim_too_far(game: Game, meant: Meant, dice: Random) -> Spoilt | None:
    """A meeple is struck that no assassin reaches, not even with every fakir of the player."""
    assert isinstance(meant, Kill)
    reach = len(game.turn.collected) + game.player(meant.player).fakirs
    far = [tile for tile in TILES if game.tile(tile).meeples and distance(str(game.turn.tile), tile) > reach]
    if not far:
        return None
    tile = dice.choice(far)
    return Spoilt(scoop=((tile, dice.choice(game.tile(tile).meeples)),))


SLIPS: dict[str, Slip] = {
    slip.name: slip
    for slip in (
        Slip("diagonal", Sow, "drops_on_neighbours", _instead(_diagonal)),
        Slip("diagonal_and_on", Sow, "drops_on_neighbours", _instead(_diagonal, goes_on=True)),
        Slip("skipped", Sow, "drops_on_neighbours", _instead(_skipped)),
        Slip("skipped_and_on", Sow, "drops_on_neighbours", _instead(_skipped, goes_on=True)),
        Slip("far", Sow, "drops_on_neighbours", _instead(_far)),
        Slip("two_on_one_tile", Sow, "drops_on_neighbours", _instead(_two_on_one)),
        Slip("two_on_one_tile_and_on", Sow, "drops_on_neighbours", _instead(_two_on_one, goes_on=True)),
        Slip("straight_back", Sow, "no_immediate_backtracking", _instead(_straight_back)),
        Slip(
            "straight_back_and_on", Sow, "no_immediate_backtracking", _instead(_straight_back, goes_on=True)
        ),
        Slip("last_alone", Sow, "ends_on_its_own_colour", _last_alone),
        Slip("left_behind", Sow, "takes_every_meeple", _left_behind, forgotten=True),
        Slip("carried_along", Sow, "takes_every_meeple", _carried_along),
        Slip("one_forgotten", Sow, "collects_every_one_of_its_colour", _one_forgotten, forgotten=True),
        Slip("wrong_colour", Sow, "collects_every_one_of_its_colour", _wrong_colour),
        Slip("wrong_camel", Mark, "marks_control", _wrong_camel),
        Slip("camel_missing", Mark, "marks_control", _not_done, forgotten=True),
        Slip("camel_elsewhere", Mark, "marks_control", _camel_elsewhere),
        Slip("placed_elsewhere", Place, "places_what_the_tile_asks", _placed_elsewhere),
        Slip("placement_missing", Place, "places_what_the_tile_asks", _not_done, forgotten=True),
        Slip("wrong_piece", Place, "places_what_the_tile_asks", _wrong_piece),
        Slip("victim_too_far", Kill, "kills_within_reach", _victim_too_far),
    )
}
