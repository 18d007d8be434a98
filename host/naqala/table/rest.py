"""The rest of a turn, as far as it can be seen: camel, palm, palace, victims, and the djinns that put pieces on the board.

In: the game, and what the table has more or less than it (`Surplus`), while no sowing is being made. Out: an Explanation.
What is legal is always asked of `rules.game.play`; what cannot be seen (how a djinn was paid) is a question. Whether there is
one must tell nobody what the player holds: what could have been paid is asked of `rules.secrets.supposed`, and whatever may have
been paid from the hand is asked, also when the player could pay in one way only, or in none.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable
from dataclasses import dataclass

from naqala.rules.actions import Action, Kill, Place, Power, Victim
from naqala.rules.board import TILES
from naqala.rules.breach import Breach, IllegalMove, InvalidAction
from naqala.rules.game import play
from naqala.rules.model import Game, in_tribe_order
from naqala.rules.powers import payments
from naqala.rules.secrets import paid_from_the_hand, supposed
from naqala.rules.tiles import asked_for
from naqala.table import remedy, timing
from naqala.table.pieces import CAMEL, MEEPLE, PALACE, PALM
from naqala.table.readings import (
    Did,
    Explanation,
    Note,
    Quiet,
    Reading,
    Remedy,
    Step,
    Unclear,
    Wrong,
    say,
)
from naqala.table.remedy import Surplus
from naqala.transcript import Piece

# Djinns whose power puts a piece on the board, by the kind of piece.
POWERS: dict[str, tuple[str, ...]] = {
    CAMEL: ("Utug", "Leta"),
    PALM: ("Enki",),
    PALACE: ("Bouraq",),
    MEEPLE: ("Anun-Nak",),
}


@dataclass(frozen=True, slots=True)
class Rest:
    """A table between sowings: `surplus` is seen less expected, `bumped` what stood there and is no longer read,
    `seeable` the pieces that carry a tag at all (what has none is never missed), `silent` the tiles on which nothing can be
    seen."""

    game: Game
    surplus: Surplus
    bumped: frozenset[tuple[str, Piece]] = frozenset()
    seeable: frozenset[Piece] = frozenset()
    silent: frozenset[str] = frozenset()

    def of(self, *kinds: str) -> dict[tuple[str, Piece], int]:
        return {key: count for key, count in self.surplus.items() if key[1].kind in kinds}


def explain_rest(rest: Rest) -> Explanation:
    """What the pieces say between sowings, the first difference that can be explained."""
    for look in (_meeples, _camels, _palms_and_palaces):
        found = look(rest)
        if found is not None:
            return found
    return say((timing.AT_ONCE, Quiet(notes=_owed(rest.game))), *_placement_owed(rest))


def _owed(game: Game) -> tuple[Note, ...]:
    asked = asked_for(game)
    return (Note("owed", str(game.turn.tile), asked),) if asked else ()


def _placement_owed(rest: Rest) -> tuple[tuple[int, Reading], ...]:
    """The palm or palace that the end tile asks for and nobody has placed. Where nobody can see it, it is told."""
    game, asked, tile = rest.game, asked_for(rest.game), str(rest.game.turn.tile)
    if not asked or game.turn.phase != "tile" or Piece(asked) not in rest.seeable or tile in rest.silent:
        return ()
    breach = Breach("places_what_the_tile_asks", tiles=(tile,), details=(("asked", asked),))
    way = Remedy(f"Put a {asked} on {tile}.", (Step(asked, None, (tile,)),))
    return ((timing.OWED, Wrong((breach,), way)),)


# --- asking the rules ---------------------------------------------------------------------------------------


def _legal(game: Game, tries: Iterable[Action]) -> tuple[list[Action], tuple[Breach, ...]]:
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


def _did_or_ask(game: Game, actions: list[Action], wait: int) -> Explanation:
    if len(actions) == 1 and not paid_from_the_hand(game, actions[0]):
        return say((wait, Did(actions[0])))
    return say((max(wait, timing.ASKS), Unclear(actions=tuple(actions))))


def _by_power(game: Game, kind: str, fill: Callable[[Power], Power]) -> list[Action]:
    """The paid djinns of the player that can have done this, each in every way of paying that others may suppose."""
    game, player = supposed(game), game.turn.player
    if player is None:
        return []
    tries = [
        fill(Power(player, djinn, elders, fakirs))
        for djinn in POWERS[kind]
        if djinn in game.player(player).djinns
        for elders, fakirs in payments(game, player, djinn)
    ]
    return _legal(game, tries)[0]


# --- meeples: victims, Anun-Nak's three, and hands out of turn -----------------------------------------------


def _meeples(rest: Rest) -> Explanation | None:
    changed = rest.of(MEEPLE)
    if not changed:
        return None
    more = {key: count for key, count in changed.items() if count > 0}
    less = {key: -count for key, count in changed.items() if count < 0}
    if less and not more and rest.game.turn.phase == "kill":
        return _victims(rest, less)
    if more and not less:
        arrived = _arrived(rest.game, more)
        if arrived is not None:
            return arrived
        return say((timing.STRANGE, Wrong((), remedy.of_difference(changed))))
    if not more and not _whole_tile_lifted(rest.game, less):
        notes = tuple(Note("missing", tile, piece.which) for tile, piece in sorted(less, key=str))
        return say((timing.AT_ONCE, Quiet(notes)), (timing.MISSING, Wrong((), remedy.of_difference(changed))))
    return _out_of_turn(rest.game, changed)


def _whole_tile_lifted(game: Game, less: Surplus) -> bool:
    for tile in {tile for tile, _ in less}:
        gone = sum(count for (other, _), count in less.items() if other == tile)
        if gone > 1 and gone == len(game.tile(tile).meeples):
            return True
    return False


def _out_of_turn(game: Game, changed: Surplus) -> Explanation:
    """A move while no move is due: the bids are not complete, or this turn's sowing has been made."""
    tiles = tuple(sorted({tile for tile, _ in changed}))
    details = (("phase", game.turn.phase), ("player", game.turn.player))
    breach = Breach("plays_in_turn", tiles=tiles, details=details)
    return say((timing.STRANGE, Wrong((breach,), remedy.of_difference(changed))))


def _victims(rest: Rest, less: Surplus) -> Explanation:
    """Meeples gone while a kill is due. No more fakirs are assumed than the distance needs; where it needs some, their holder
    is asked."""
    game = supposed(rest.game)
    player = str(game.turn.player)
    victims = tuple(
        Victim(piece.which, tile=tile) for (tile, piece), n in sorted(less.items(), key=str) for _ in range(n)
    )
    fewest = range(game.player(player).fakirs + 1)
    allowed, refused = _legal(game, (Kill(player, victims, fakirs) for fakirs in fewest))
    if allowed:
        return _did_or_ask(rest.game, allowed[:1], timing.VICTIM)
    if refused:
        way = remedy.of_difference({key: -count for key, count in less.items()})
        return say((timing.SCOOPS, Wrong(refused, way)))
    # Only a drawn card is missing (Kandicha): it is told, not seen.
    return say((timing.VICTIM, Unclear(actions=(Kill(player, victims),))))


def _arrived(game: Game, more: Surplus) -> Explanation | None:
    tiles = {tile for tile, _ in more}
    if len(tiles) != 1:
        return None
    tile = tiles.pop()
    letters = in_tribe_order("".join(piece.which * count for (_, piece), count in more.items()))
    actions = _by_power(
        game, MEEPLE, lambda p: Power(p.player, p.djinn, p.elders, p.fakirs, tile=tile, meeples=letters)
    )
    return _did_or_ask(game, actions, timing.POWER) if actions else None


# --- camels -------------------------------------------------------------------------------------------------


def _camels(rest: Rest) -> Explanation | None:
    changed = rest.of(CAMEL)
    if not changed:
        return None
    more = {key for key, count in changed.items() if count > 0}
    less = {key for key, count in changed.items() if count < 0}
    if more and not less:
        allowed = _power_of_camel(rest.game, more)
        if allowed:
            return _did_or_ask(rest.game, allowed, timing.POWER)
    if more:
        return say((timing.SETTLES, _camel_wrong(changed, {tile for tile, _ in more})))
    if less <= rest.bumped:
        notes = tuple(Note("missing", tile, str(piece)) for tile, piece in sorted(less, key=str))
        return say((timing.AT_ONCE, Quiet(notes)), (timing.MISSING, Wrong((), remedy.of_difference(changed))))
    owed = tuple(Note("owed", tile, str(piece)) for tile, piece in sorted(less, key=str))
    wrong = _camel_wrong(changed, {tile for tile, _ in less})
    return say((timing.AT_ONCE, Quiet(owed + _owed(rest.game))), (timing.OWED, wrong))


def _camel_wrong(changed: Surplus, tiles: set[str]) -> Wrong:
    breach = Breach("marks_control", tiles=tuple(sorted(tiles, key=TILES.index)))
    return Wrong((breach,), remedy.of_difference(changed))


def _power_of_camel(game: Game, more: set[tuple[str, Piece]]) -> list[Action]:
    if len(more) != 1:
        return []
    ((tile, piece),) = more
    if piece.which != game.turn.player:
        return []
    return _by_power(game, CAMEL, lambda p: Power(p.player, p.djinn, p.elders, p.fakirs, tile=tile))


# --- palms and palaces --------------------------------------------------------------------------------------


def _palms_and_palaces(rest: Rest) -> Explanation | None:
    changed, game = rest.of(PALM, PALACE), rest.game
    if not changed:
        return None
    more = [(tile, piece.kind) for (tile, piece), count in sorted(changed.items(), key=str) if count > 0]
    if not more:
        # What stood there is missing; what was told and has not come yet is owed.
        gone = changed.keys() <= rest.bumped
        word, wait = ("missing", timing.MISSING) if gone else ("owed", timing.OWED)
        notes = tuple(Note(word, tile, piece.kind) for tile, piece in sorted(changed, key=str))
        return say((timing.AT_ONCE, Quiet(notes)), (wait, Wrong((), remedy.of_difference(changed))))
    if len(more) == 1 and len(changed) == 1 and game.turn.player is not None:
        tile, what = more[0]
        if game.turn.phase in ("build", "kill") and asked_for(game) == what:
            # Placed before the tribe's action was told: it will be read when the tile's turn comes.
            return say((timing.AT_ONCE, Quiet(notes=_owed(game))))
        placed, refused = _legal(game, [Place(game.turn.player, what, tile)])
        placed += _by_power(game, what, lambda p: Power(p.player, p.djinn, p.elders, p.fakirs, tile=tile))
        if placed:
            asked = placed[:1] if isinstance(placed[0], Place) else placed
            return _did_or_ask(game, asked, timing.SETTLES)
        if refused:
            return say((timing.SETTLES, Wrong(refused, _placement_way(game, changed, tile, what))))
    tiles = tuple(tile for tile, _ in more)
    breach = Breach("places_what_the_tile_asks", tiles=tiles, details=(("asked", asked_for(game)),))
    return say((timing.SETTLES, Wrong((breach,), remedy.of_difference(changed))))


def _placement_way(game: Game, changed: Surplus, tile: str, what: str) -> Remedy:
    """A piece on the wrong tile goes to the tile that asked for it; another piece goes away, and what is owed comes."""
    asked = asked_for(game)
    if asked == what:
        return remedy.of_difference({**changed, (str(game.turn.tile), Piece(what)): -1})
    owed = {(str(game.turn.tile), Piece(asked)): -1} if asked and game.turn.phase == "tile" else {}
    return remedy.of_difference({**changed, **owed})
